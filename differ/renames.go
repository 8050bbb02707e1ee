package differ

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/types"
)

// renames are the new names that this plan gives, to tables and columns by its statements and to columns of views and maintained
// tables because they pass a renamed column on (docs/reference/alter.md).
//
// A rename rewrites every stored text that names the object. So the live side is compared as it will stand behind the renames: what
// still differs then is an edit, and what does not needs no statement (seen from the other side).
type renames struct {
	list []resolve.Renaming
	// touched are the relations with a new name in them, by folded schema and name.
	touched map[relationName]bool
	// columns are the new names of columns.
	columns map[columnName]string
	tables  map[relationName]string
}

type relationName struct{ schema, name string }

type columnName struct {
	relationName
	column string
}

func nameOf(schema, name string) relationName {
	return relationName{types.Fold(schema), types.Fold(name)}
}

func (r *renames) add(n resolve.Renaming) {
	if r.touched == nil {
		r.touched, r.columns, r.tables = map[relationName]bool{}, map[columnName]string{}, map[relationName]string{}
	}
	of := nameOf(n.Schema, n.Name)
	if n.Column == "" {
		r.tables[of] = n.To
	} else {
		r.columns[columnName{of, types.Fold(n.Column)}] = n.To
	}
	r.touched[of] = true
	r.list = append(r.list, n)
}

func (r *renames) addTable(schema, name, to string) {
	r.add(resolve.Renaming{Schema: schema, Name: name, To: to})
}

func (r *renames) addColumn(t *catalog.Table, column, to string) {
	r.add(resolve.Renaming{Schema: t.Schema, Name: t.Name, Column: column, To: to})
}

// column gives the name that a column of a live table has behind the renames collected so far.
func (r *renames) column(t *catalog.Table, column string) string {
	if len(r.list) == 0 {
		return column
	}
	if to, ok := r.columns[columnName{nameOf(t.Schema, t.Name), types.Fold(column)}]; ok {
		return to
	}
	return column
}

// table gives the name that a live table has behind the renames.
func (r *renames) table(schema, name string) string {
	if to, ok := r.tables[nameOf(schema, name)]; ok {
		return to
	}
	return name
}

// cascadeRenames follows the renamed columns through views and maintained tables, sources before readers, and pairs the columns of
// maintained tables on the way.
func (c *comparison) cascadeRenames() error {
	f := follower{c: c, seen: map[catalog.Relation]bool{}}
	for _, p := range c.tables {
		if p.isMatched() && p.live.Maintained != nil {
			if err := f.follow(p.live); err != nil {
				return err
			}
		}
	}
	if len(c.renames.list) == 0 {
		return nil
	}
	for _, v := range c.live.ViewsInOrder(c.schema) {
		if err := f.follow(v); err != nil {
			return err
		}
	}
	for _, t := range c.live.TablesInOrder(c.schema) {
		if err := f.follow(t); err != nil {
			return err
		}
	}
	return nil
}

// follower visits live relations, each behind those that its body reads.
type follower struct {
	c    *comparison
	seen map[catalog.Relation]bool
}

func (f *follower) follow(r catalog.Relation) error {
	if f.seen[r] {
		return nil
	}
	f.seen[r] = true
	switch r := r.(type) {
	case *catalog.View:
		return f.followBody(r.Schema, r.Name, r.Columns, r.Body)
	case *catalog.Table:
		if r.Maintained == nil {
			return nil
		}
		if err := f.followBody(r.Schema, r.Name, r.Maintained.Columns, r.Maintained.Body); err != nil {
			return err
		}
		if p := f.c.byLive[r]; p != nil && p.isMatched() {
			return f.c.pairColumns(p)
		}
	}
	return nil
}

// followBody visits the sources of a body and renames what the body passes on. A list of columns ends the chain.
func (f *follower) followBody(schema, name string, columns []string, body *ast.SelectStmt) error {
	home, isTouched := f.c.liveNames.HomeOf(schema), false
	for _, q := range resolve.Sources(body) {
		r := f.c.source(f.c.live, q, home.Path)
		if r == nil {
			continue
		}
		if err := f.follow(r); err != nil {
			return err
		}
		isTouched = isTouched || f.c.isTouched(r)
	}
	if columns != nil || !isTouched {
		return nil
	}
	for _, p := range resolve.Columns(body, home, f.c.renames.list...) {
		if p.Bare && p.Name != p.After {
			f.c.renames.add(resolve.Renaming{Schema: schema, Name: name, Column: p.Name, To: p.After})
		}
	}
	return nil
}

// touches reports whether the queries at or below n name a relation with a new name in it.
func (c *comparison) touches(n ast.Node, path []string) bool {
	return slices.ContainsFunc(resolve.Sources(n), func(q ast.QName) bool { return c.isTouched(c.source(c.live, q, path)) })
}

// isTouched reports whether a live relation, nil for none, has a new name in it.
func (c *comparison) isTouched(r catalog.Relation) bool {
	switch r := r.(type) {
	case *catalog.Table:
		return c.renames.touched[nameOf(r.Schema, r.Name)]
	case *catalog.View:
		return c.renames.touched[nameOf(r.Schema, r.Name)]
	}
	return false
}

// carriedBody gives a live body as it stands behind the renames.
func (c *comparison) carriedBody(schema string, body *ast.SelectStmt) *ast.SelectStmt {
	home := c.liveNames.HomeOf(schema)
	if len(c.renames.list) == 0 || !c.touches(body, home.Path) {
		return body
	}
	body, _ = resolve.Rename(body, home, c.renames.list...)
	return body
}

// carriedCondition is carriedBody for an assertion.
func (c *comparison) carriedCondition(schema string, x ast.Expr) ast.Expr {
	home := c.liveNames.HomeOf(schema)
	if len(c.renames.list) == 0 || !c.touches(x, home.Path) {
		return x
	}
	return renamed(x, home, c.renames.list)
}

func renamed(x ast.Expr, home resolve.Home, list []resolve.Renaming) ast.Expr {
	y, _ := resolve.Rename[ast.Node](x, home, list...)
	return y.(ast.Expr)
}

// carried gives a live table as it stands behind the renames; the table itself when none touches it.
func (c *comparison) carried(t *catalog.Table) *catalog.Table {
	if len(c.renames.list) == 0 {
		return t
	}
	out := t
	own := c.renames.touched[nameOf(t.Schema, t.Name)]
	for e := range t.Expressions() {
		if own || ast.HoldsQuery(e.X) && c.touches(e.X, []string{t.Schema}) {
			if x := renamed(e.X, c.liveNames.RowHome(t, e.Kind), c.renames.list); x != e.X {
				out = out.WithExpression(e, x)
			}
		}
	}
	for i, fk := range t.ForeignKeys {
		if n := c.carriedForeignKey(t, fk); n != fk {
			out = out.WithForeignKey(i, func(x *catalog.ForeignKey) { *x = *n })
		}
	}
	if m := t.Maintained; m != nil {
		if body := c.carriedBody(t.Schema, m.Body); body != m.Body {
			out = out.Clone()
			n := *m
			n.Body, out.Maintained = body, &n
		}
	}
	if own {
		out = c.carriedNames(out)
	}
	return out
}

// carriedNames puts the new names of the table and its columns in.
func (c *comparison) carriedNames(t *catalog.Table) *catalog.Table {
	out := t.Clone()
	for i, col := range out.Columns {
		if to := c.renames.column(t, col.Name); to != col.Name {
			n := *col
			n.Name, out.Columns[i] = to, &n
		}
	}
	out.Name = c.renames.table(t.Schema, t.Name)
	return out
}

// carriedForeignKey puts the new names of the parent in.
func (c *comparison) carriedForeignKey(child *catalog.Table, fk *catalog.ForeignKey) *catalog.ForeignKey {
	parent := nameOf(fk.ParentName(child))
	if !c.renames.touched[parent] {
		return fk
	}
	n := *fk
	n.ParentTable = c.renames.table(parent.schema, fk.ParentTable)
	n.ParentColumns = slices.Clone(fk.ParentColumns)
	for i, col := range n.ParentColumns {
		if to, ok := c.renames.columns[columnName{parent, types.Fold(col)}]; ok {
			n.ParentColumns[i] = to
		}
	}
	return &n
}
