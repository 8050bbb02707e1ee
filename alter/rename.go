package alter

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/types"
)

// renameTable gives a table another name; every stored text that names it follows (docs/reference/alter.md). No row is touched.
func (c *change) renameTable(t *catalog.Table, a *ast.RenameTable) error {
	switch c.env.Catalog().Relation(t.Schema, a.To.Text).(type) {
	case *catalog.Table:
		return types.Errorf(types.ERROR, "Cannot rename table '%s': Table '%s' already exists in schema '%s'", t.Name, a.To.Text, t.Schema)
	case *catalog.View:
		return types.Errorf(types.ERROR, "Cannot rename table '%s': View '%s' already exists in schema '%s'", t.Name, a.To.Text, t.Schema)
	}
	cat := c.env.Catalog()
	e := cat.Edit()
	r := &renamer{change: c, names: c.env.Names(c.env.Catalog()), edit: e, renamings: []resolve.Renaming{{Schema: t.Schema, Name: t.Name, To: a.To.Text}}}
	renamed := r.table(t).Clone()
	renamed.Name, renamed.Seq = a.To.Text, e.NewSeq()
	r.followers(t)
	e.DropRelation(t.Schema, t.Name)
	e.PutTable(renamed)
	c.env.Install(e.Done())
	return nil
}

// renameColumn gives a column another name. Views that pass the column on publish it under the new name, and what reads them follows
// in turn.
func (c *change) renameColumn(t *catalog.Table, a *ast.RenameColumn) error {
	col, err := column(t, a.From)
	if err != nil {
		return err
	}
	if i := t.ColumnIndex(a.To.Text); i >= 0 && i != col {
		return types.Errorf(types.ERROR, "Column '%s' already exists in table '%s'", a.To.Text, t.Name)
	}
	renamings, err := c.cascade(resolve.Renaming{Schema: t.Schema, Name: t.Name, Column: t.Columns[col].Name, To: a.To.Text})
	if err != nil {
		return err
	}
	e := c.env.Catalog().Edit()
	r := &renamer{change: c, names: c.env.Names(c.env.Catalog()), edit: e, renamings: renamings}
	renamed := r.table(t).WithColumn(col, func(x *catalog.Column) { x.Name = a.To.Text })
	if err := checkMovedStructures(t, renamed); err != nil {
		return err
	}
	r.followers(t)
	e.PutTable(renamed)
	c.env.Install(e.Done())
	return nil
}

// checkMovedStructures refuses a rename that moves the structure of an unnamed UNIQUE onto the name of an index.
func checkMovedStructures(before, after *catalog.Table) error {
	for i, u := range after.Uniques {
		name := after.StructureName(u)
		if types.EqualFold(name, before.StructureName(before.Uniques[i])) || after.IndexPosition(name) < 0 {
			continue
		}
		return types.Errorf(types.CONSTRAINT, "renaming moves the structure of UNIQUE (%s) to '%s', which would collide with existing index '%s' on table '%s'",
			after.Columns[u.Columns[0]].Name, name, name, after.Name)
	}
	return nil
}

// cascade gives the renamings that follow from one: of every view that publishes a renamed column under its own name, to any depth.
func (c *change) cascade(first resolve.Renaming) ([]resolve.Renaming, error) {
	names, renamings := c.env.Names(c.env.Catalog()), []resolve.Renaming{first}
	done := map[resolve.Renaming]bool{}
	for grown := true; grown; {
		grown = false
		for _, o := range c.env.Catalog().Readers(renamedNames(renamings)...) {
			v, isView := o.(*catalog.View)
			if !isView || v.Columns != nil {
				continue
			}
			published := resolve.Columns(v.Body, names.HomeOf(v.Schema), renamings...)
			if err := checkPublished(v, published, renamings); err != nil {
				return nil, err
			}
			for _, p := range published {
				n := resolve.Renaming{Schema: v.Schema, Name: v.Name, Column: p.Name, To: p.After}
				if p.Bare && p.Name != p.After && !done[n] {
					done[n], grown = true, true
					renamings = append(renamings, n)
				}
			}
		}
	}
	return renamings, nil
}

// checkPublished refuses a rename after which a view would publish one name twice.
func checkPublished(v *catalog.View, published []resolve.Column, renamings []resolve.Renaming) error {
	for i, p := range published {
		if !p.Bare || p.Name == p.After {
			continue
		}
		to := newName(p, renamings)
		for j, other := range published {
			if i != j && types.EqualFold(other.Name, to) {
				return types.Errorf(types.ERROR, "Cannot follow the rename: view '%s' already publishes a column named '%s'", v.Name, to)
			}
		}
	}
	return nil
}

// newName gives the name that a passed column takes, before duplicates are told apart.
func newName(p resolve.Column, renamings []resolve.Renaming) string {
	for _, r := range renamings {
		if types.EqualFold(r.Column, p.Name) {
			return r.To
		}
	}
	return p.After
}

// renamer rewrites what names a renamed object.
type renamer struct {
	change    *change
	names     *catalog.Names
	edit      *catalog.Edit
	renamings []resolve.Renaming
}

// followers rewrites every object but the renamed table itself: those whose texts name something by its old name, or by the new one,
// which may mean another thing from now on, and the children of what is renamed.
func (r *renamer) followers(renamed *catalog.Table) {
	cat := r.change.env.Catalog()
	for _, o := range cat.Readers(renamedNames(r.renamings)...) {
		r.follow(o, renamed)
	}
	for _, n := range r.renamings {
		for _, child := range cat.Children(n.Schema, n.Name) {
			r.follow(child, renamed)
		}
	}
}

func (r *renamer) follow(o catalog.Object, renamed *catalog.Table) {
	switch o := o.(type) {
	case *catalog.Table:
		if o == renamed {
			return
		}
		if n := r.table(o); n != o {
			r.edit.PutTable(n)
		}
	case *catalog.View:
		if body, changed := resolve.Rename(o.Body, r.names.HomeOf(o.Schema), r.renamings...); changed {
			n := *o
			n.Body = body
			r.edit.PutView(&n)
		}
	case *catalog.Assertion:
		if x, changed := resolve.Rename[ast.Node](o.X, r.names.HomeOf(o.Schema), r.renamings...); changed {
			n := *o
			n.X = x.(ast.Expr)
			r.edit.PutAssertion(&n)
		}
	}
}

// renamedNames lists the names of relations that the meaning of a text may change by: the old ones and the new.
func renamedNames(renamings []resolve.Renaming) []string {
	var out []string
	for _, n := range renamings {
		out = append(out, n.Name)
		if n.Column == "" {
			out = append(out, n.To)
		}
	}
	return out
}

// table gives the table with its expressions and foreign keys rewritten; t itself when nothing in it changes.
func (r *renamer) table(t *catalog.Table) *catalog.Table {
	out := t
	for e := range t.Expressions() {
		x, changed := resolve.Rename[ast.Node](e.X, r.names.RowHome(t, e.Kind), r.renamings...)
		if changed {
			out = out.WithExpression(e, x.(ast.Expr))
		}
	}
	for i, fk := range t.ForeignKeys {
		if n := r.foreignKey(t, fk); n != nil {
			out = out.WithForeignKey(i, func(x *catalog.ForeignKey) { *x = *n })
		}
	}
	return out
}

// foreignKey gives the key with its parent's names rewritten, nil when they stay.
func (r *renamer) foreignKey(child *catalog.Table, fk *catalog.ForeignKey) *catalog.ForeignKey {
	schema, parent := fk.ParentName(child)
	var out *catalog.ForeignKey
	own := func() *catalog.ForeignKey {
		if out == nil {
			out = new(catalog.ForeignKey)
			*out = *fk
			out.ParentColumns = append([]string(nil), fk.ParentColumns...)
		}
		return out
	}
	for _, n := range r.renamings {
		if !types.EqualFold(n.Schema, schema) || !types.EqualFold(n.Name, parent) {
			continue
		}
		if n.Column == "" {
			own().ParentTable = n.To
			continue
		}
		for i, c := range fk.ParentColumns {
			if types.EqualFold(c, n.Column) {
				own().ParentColumns[i] = n.To
			}
		}
	}
	return out
}

// renameConstraint gives a constraint another name; for a UNIQUE its structure moves along.
func (c *change) renameConstraint(t *catalog.Table, a *ast.RenameConstraint, ddl string) error {
	ref, err := t.AddressConstraint(a.From.Text)
	if err != nil {
		return err
	}
	if ref.Class == catalog.UniqueIndexClass {
		return indexConstraint(a.From.Text, "renamed")
	}
	if other, err := t.FindConstraint(a.To.Text); err == nil && other != ref {
		return types.Errorf(types.CONSTRAINT, "Cannot rename constraint '%s' to '%s' on table '%s': a constraint with that name already exists",
			a.From.Text, a.To.Text, t.Name)
	}
	switch ref.Class {
	case catalog.CheckClass:
		return c.replace(t.WithCheck(ref.Position, func(k *catalog.Check) { k.Name = a.To.Text }))
	case catalog.ForeignKeyClass:
		return c.replace(t.WithForeignKey(ref.Position, func(k *catalog.ForeignKey) { k.Name = a.To.Text }))
	}
	if t.IndexPosition(a.To.Text) >= 0 {
		return types.Errorf(types.CONSTRAINT, "Cannot rename constraint '%s' to '%s': its structure would collide with existing index '%s' on table '%s'",
			a.From.Text, a.To.Text, a.To.Text, t.Name)
	}
	return c.replace(t.WithUnique(ref.Position, func(k *catalog.Unique) { k.Name = a.To.Text }))
}

func indexConstraint(name, what string) error {
	return types.Errorf(types.CONSTRAINT, "Constraint '%s' comes from a unique index and cannot be %s here. Use DROP INDEX", name, what)
}
