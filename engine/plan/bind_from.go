package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

const committedSchema = "committed"

// from binds a source. outer is what a subquery in it may reach; lateral is that and, behind LATERAL, the sources before it.
func (b *Binder) from(t ast.TableExpr, outer, lateral *Scope) part {
	switch t := t.(type) {
	case *ast.TableRef:
		return b.tableRef(t)
	case *ast.TableSubquery:
		return b.tableSubquery(t, lateral)
	case *ast.TableFunc:
		return b.tableFunc(t, lateral)
	case *ast.ParenTable:
		return b.from(t.X, outer, lateral)
	}
	return b.joinPart(t.(*ast.Join), outer)
}

// tableRef binds a table, view or member of WITH by name.
func (b *Binder) tableRef(t *ast.TableRef) part {
	name := t.Alias.Text
	if name == "" {
		name = t.Name.Name.Text
	}
	if t.Name.Schema.IsZero() {
		if m := b.ctes.find(t.Name.Name.Text); m != nil {
			return newPart(b.readMember(m), name, "", nil)
		}
	}
	if types.Fold(t.Name.Schema.Text) == committedSchema {
		return b.committedTable(t.Name.Name.Text, name, t.Pos())
	}
	rel := b.relation(t.Name, t.Pos())
	schema := ""
	if t.Alias.IsZero() {
		schema = relationSchema(rel)
	}
	switch rel := rel.(type) {
	case *catalog.Table:
		return newPart(b.scan(rel, name, t.Pos()), name, schema, nil)
	case *catalog.View:
		return b.view(rel, name, schema)
	}
	return newPart(oneRow(), name, "", nil)
}

func relationSchema(r catalog.Relation) string {
	switch r := r.(type) {
	case *catalog.Table:
		return r.Schema
	case *catalog.View:
		return r.Schema
	}
	return ""
}

// relation finds the table or view that a name means; nil after a fault.
func (b *Binder) relation(q ast.QName, at ast.Pos) (rel catalog.Relation) {
	name := q.Name.Text
	if q.Schema.IsZero() {
		if rel = b.env.Catalog.Resolve(b.path, name); rel == nil {
			b.noRelation(name, at)
		}
	} else if rel = b.env.Catalog.Relation(q.Schema.Text, name); rel == nil {
		b.failWith(at, types.Errorf(types.NOTFOUND, "Table not found: %s.%s", q.Schema.Text, name).
			WithHint(b.env.Catalog.NearRelation([]string{q.Schema.Text}, name)))
	}
	return rel
}

// committedTable binds table t of the last commit, and no view. Its columns go by name alone: committed.t.c names nothing. A
// table that the transaction has made has no committed rows.
func (b *Binder) committedTable(t, name string, at ast.Pos) part {
	snapshot := b.env.Committed
	if snapshot == nil {
		snapshot = b.env.Catalog
	}
	if t, ok := snapshot.Resolve(b.path, t).(*catalog.Table); ok {
		s := b.scan(t, name, at)
		s.Committed = true
		return newPart(s, name, "", nil)
	}
	if t, ok := b.env.Catalog.Resolve(b.path, t).(*catalog.Table); ok {
		return newPart(&Values{Cols: b.tableColumns(t)}, name, "", nil)
	}
	b.noRelation(t, at)
	return newPart(oneRow(), name, "", nil)
}

// noRelation notes that the schema path has no relation of that name, with a hint where other schemas have one.
func (b *Binder) noRelation(name string, at ast.Pos) {
	err := types.Errorf(types.NOTFOUND, "Table '%s' not found in schema path: %s", name, strings.Join(b.path, ", "))
	var elsewhere []string
	for _, schema := range b.env.Catalog.Schemas() {
		if b.env.Catalog.Relation(schema, name) != nil {
			elsewhere = append(elsewhere, schema+"."+name)
		}
	}
	if elsewhere != nil {
		err.Hint = "there is " + strings.Join(elsewhere, ", ")
	}
	b.failWith(at, err.WithHint(b.env.Catalog.NearRelation(b.path, name)))
}

// scan makes the Scan of a table.
func (b *Binder) scan(t *catalog.Table, name string, at ast.Pos) *Scan {
	if t.Maintained != nil && t.Maintained.Stale {
		b.fail(at, types.ERROR, "materialized view '%s' is stale and must be refreshed before it is read", t.Name)
	}
	s := &Scan{Table: t, Name: name, Cols: b.tableColumns(t)}
	for i := range s.Cols {
		s.Used.Add(i)
	}
	return s
}

// tableColumns makes columns for a table's.
func (b *Binder) tableColumns(t *catalog.Table) []Column {
	cols := make([]Column, len(t.Columns))
	var known *catalog.Statistics
	if b.env.Catalog != nil {
		known = b.env.Catalog.Statistics(t.ID)
	}
	for i, c := range t.Columns {
		cols[i] = Column{
			Facts: known.Facts(c),
			ID:    b.newID(), Name: c.Name, Type: c.Type, Nullable: !c.NotNull,
			Collation: types.Contribution{Collation: c.Collation, Rank: c.CollationRank},
		}
	}
	return cols
}

// view binds a view as the query that it stores. Names inside mean the view's own schema first, then the session's path, and
// none of the members of WITH around it.
func (b *Binder) view(v *catalog.View, name, schema string) part {
	if slices.Contains(b.views, v) {
		b.fail(ast.NoPos, types.ERROR, "view '%s' reads itself", v.Name)
		return newPart(oneRow(), name, schema, nil)
	}
	n := b.viewBody(v)
	if v.Columns == nil {
		return newPart(n, name, schema, nil)
	}
	switch width := len(n.Output()); {
	case width < len(v.Columns):
		b.fail(ast.NoPos, types.ERROR, "View '%s' has more explicit column names (%d) than its body produces (%d)", v.Name, len(v.Columns), width)
		return newPart(n, name, schema, nil)
	case width > len(v.Columns):
		b.fail(ast.NoPos, types.ERROR, "View '%s' has %d declared columns but body produces %d", v.Name, len(v.Columns), width)
		return newPart(n, name, schema, nil)
	}
	return newPart(n, name, schema, v.Columns)
}

// maxInlined is the number of times that a statement expands views in place. Views over views can double their readers at every level;
// beyond it a body is bound once and its rows are shared, so that work stays linear in the number of views.
const maxInlined = 100

// viewBody binds the body of a view, or reads the rows of one that is shared.
func (b *Binder) viewBody(v *catalog.View) Node {
	if m := b.shared[v]; m != nil {
		return b.readMember(m)
	}
	path, ctes, views := b.path, b.ctes, b.views
	b.path = bodyPath(v.Schema, b.env)
	b.ctes, b.views = nil, append(slices.Clone(views), v)
	n := b.query(v.Body, nil)
	b.path, b.ctes, b.views = path, ctes, views
	if b.inlined++; b.inlined <= maxInlined || b.stored {
		return n
	}
	m := &member{cte: &CTE{Name: v.Name, outside: b.readsOutside(n)}, body: n, cols: n.Output()}
	b.sharedBodies = append(b.sharedBodies, m)
	if b.shared == nil {
		b.shared = map[*catalog.View]*member{}
	}
	b.shared[v] = m
	return b.readMember(m)
}

// aroundShared puts the bodies of shared views around a statement, each before those that read it.
func (b *Binder) aroundShared(root Node) Node {
	if len(b.sharedBodies) == 0 {
		return root
	}
	w := &With{Body: root}
	w.add(b.sharedBodies...)
	return w
}

func (b *Binder) tableSubquery(t *ast.TableSubquery, outer *Scope) part {
	n := b.query(t.Query, outer)
	return newPart(n, t.Alias.Text, "", b.renamed(n, t.Columns))
}

// renamed gives the names of a source's columns under an alias column list, which names the first ones; nil for none.
func (b *Binder) renamed(n Node, list []ast.Name) []string {
	if len(list) == 0 {
		return nil
	}
	names := columnNames(n.Output())
	if len(list) > len(names) {
		b.fail(list[0].Pos(), types.ERROR, "the source has %d columns but %d names for columns are listed", len(names), len(list))
		return nil
	}
	for i, c := range list {
		names[i] = c.Text
	}
	return names
}

// tableFunc binds a table-valued function. Its arguments reach earlier sources under LATERAL only.
func (b *Binder) tableFunc(t *ast.TableFunc, s *Scope) part {
	name := types.Fold(t.Name.Text)
	f := b.env.Functions.Lookup(name, len(t.Args), true)
	if f == nil {
		if b.env.Functions.Lookup(name, len(t.Args), false) != nil {
			b.fail(t.Pos(), types.ERROR, "Function %s/%d is not a table-valued function", name, len(t.Args))
		} else {
			b.failWith(t.Pos(), types.Errorf(types.ERROR, "Function not found: %s/%d", name, len(t.Args)).
				WithHint(b.functionHint(name, len(t.Args), true)))
		}
		return newPart(oneRow(), name, "", nil)
	}
	n := &TableFunc{Fn: f, Rows: f.Rows, Args: b.exprs(t.Args, s), Pos: b.pos(t.Pos())}
	if f.BindRows != nil {
		rows, err := f.BindRows(b.args(n.Args))
		if err != nil {
			b.failWith(t.Pos(), err)
		}
		n.Rows = rows
	}
	for _, c := range f.Columns {
		n.Cols = append(n.Cols, Column{ID: b.newID(), Name: c.Name, Type: c.Type, Nullable: c.Nullable})
	}
	alias := t.Alias.Text
	if alias == "" {
		alias = t.Name.Text
	}
	return newPart(n, alias, "", b.renamed(n, t.Columns))
}

func valuesName(i int) string { return "column_" + strconv.Itoa(i) }
