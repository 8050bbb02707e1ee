package catalog

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Resolved is what a declaration would make of an empty database.
type Resolved struct {
	// Snapshot has the declared schema with every object that could be built. Bodies of views, materialized views and assertions
	// are taken as they are; a materialized view is a maintained table without columns, since they follow from its body.
	Snapshot *Snapshot
	// Faults are the items that could not be built, in the order declared. A table among them is no part of the snapshot.
	Faults []ItemFault
}

// ItemFault is what keeps an item from being built.
type ItemFault struct {
	Item int
	Err  error
}

// Resolve builds the objects of a declaration under the settings of env; env.Schema and env.IDs are its own. The declaration has
// passed Check.
func (d *Declared) Resolve(env BuildEnv) *Resolved {
	r := itemBuilder{declared: d, edit: NewSnapshot().Edit(), env: env}
	r.env.Schema, r.env.IDs = d.Schema(), r.edit
	r.edit.AddSchema(d.Schema())
	for i := range d.Items {
		r.build(i)
	}
	for i := range d.Items {
		r.buildIndex(i)
	}
	for i := range d.Items {
		r.checkParents(i)
	}
	return &Resolved{Snapshot: r.edit.Done(), Faults: r.inOrder()}
}

// itemBuilder collects the objects of a declaration.
type itemBuilder struct {
	declared *Declared
	edit     *Edit
	env      BuildEnv
	faults   map[int]error
}

func (r *itemBuilder) fault(item int, n ast.Node, err error) {
	if r.faults == nil {
		r.faults = map[int]error{}
	}
	if r.faults[item] == nil {
		r.faults[item] = r.declared.Items[item].Origin.Fault(n, err)
	}
}

func (r *itemBuilder) inOrder() []ItemFault {
	var out []ItemFault
	for i := range r.declared.Items {
		if err := r.faults[i]; err != nil {
			out = append(out, ItemFault{i, err})
		}
	}
	return out
}

// build builds every item but an index.
func (r *itemBuilder) build(i int) {
	stmt, err := r.declared.Statement(i, r.env)
	if err != nil {
		r.fault(i, r.declared.Items[i].Stmt, err)
		return
	}
	switch n := stmt.(type) {
	case *ast.CreateTableStmt:
		t, err := BuildTable(n, r.env)
		if err != nil {
			r.fault(i, n, err)
			return
		}
		r.edit.PutTable(t)
	case *ast.CreateMaterializedViewStmt:
		r.edit.PutTable(r.materialized(n))
	case *ast.CreateViewStmt:
		r.edit.PutView(BuildView(n, r.env))
	case *ast.CreateAssertionStmt:
		r.edit.PutAssertion(BuildAssertion(n, r.env))
	}
}

func (r *itemBuilder) materialized(n *ast.CreateMaterializedViewStmt) *Table {
	t := &Table{
		ID: r.env.IDs.NewID(), Seq: r.env.IDs.NewSeq(), Schema: r.env.Schema, Name: n.Name.Name.Text, Tags: BuildTags(n.Tags),
		Maintained: &Maintained{Columns: nameTexts(n.Columns), Body: n.Query},
	}
	t.Module, t.ModuleArgs = r.env.ModuleOf(n.Using)
	return t
}

// buildIndex builds an index on a table of the declaration. One on a materialized view is left out: whether it fits is not known
// before the view's columns are.
func (r *itemBuilder) buildIndex(i int) {
	n, ok := r.declared.Items[i].Stmt.(*ast.CreateIndexStmt)
	if !ok {
		return
	}
	t := r.edit.Snapshot().Table(r.env.Schema, n.Table.Name.Text)
	switch {
	case t == nil:
		if !r.isFaulty(n.Table.Name.Text) {
			r.fault(i, n.Table.Name, types.Errorf(types.NOTFOUND, "no such table: %s", n.Table.Name.Text).
				WithHint(r.edit.Snapshot().NearRelation([]string{r.env.Schema}, n.Table.Name.Text)))
		}
		return
	case t.Maintained != nil && !t.Maintained.Declared:
		return
	}
	if _, err := r.edit.Snapshot().CheckIndexName(t, n, false); err != nil {
		r.fault(i, n, err)
		return
	}
	ix, err := BuildIndex(n, t, r.env)
	if err != nil {
		r.fault(i, n, err)
		return
	}
	r.edit.addIndex(t, ix)
}

// isFaulty reports whether a table of the name is declared but could not be built.
func (r *itemBuilder) isFaulty(table string) bool {
	for i := range r.faults {
		if n, ok := r.declared.Items[i].Stmt.(*ast.CreateTableStmt); ok && types.EqualFold(n.Name.Name.Text, table) {
			return true
		}
	}
	return false
}

// checkParents judges the foreign keys of a table against the other tables of the declaration.
func (r *itemBuilder) checkParents(i int) {
	n, ok := r.declared.Items[i].Stmt.(*ast.CreateTableStmt)
	if !ok {
		return
	}
	if t := r.edit.Snapshot().Table(r.env.Schema, n.Name.Name.Text); t != nil {
		if err := CheckForeignKeyCollations(t, r.edit.Snapshot()); err != nil {
			r.fault(i, n, err)
		}
	}
}
