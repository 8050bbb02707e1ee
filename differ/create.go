package differ

import (
	"maps"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/types"
)

// creation is an object that the plan creates. Exactly one of its pairs is set.
type creation struct {
	table *tablePair
	view  *viewPair
	index *indexPair
	// reads are the creations that its body reads.
	reads []*creation
	// names tells that its text names a column that exists only behind phase 8, or its name is taken until then.
	names bool
	// waits: it stands in phase 9a. isLate: it, or something that it reads, runs after renames of columns, though it stands before them.
	waits, isLate, isVisited bool
}

// undoes reports whether the object is created with the old names of columns, before they are renamed.
func (x *creation) undoes() bool { return x.isUndoable() && !x.waits && !x.isLate }

// isUndoable reports whether the object is created with the old names of columns if it can be: it has a hint and no other change.
func (x *creation) isUndoable() bool {
	switch {
	case x.view != nil:
		return x.view.live != nil && !x.view.drifts
	case x.index != nil:
		return x.index.live != nil && !x.index.drifts && !x.index.isLost
	}
	return false
}

// emitCreates emits phase 7 and gives what is left of it for phase 9a (create order, deferred create).
func (c *comparison) emitCreates() (deferred []func()) {
	list := c.creations()
	for _, x := range list {
		if x.names || slices.ContainsFunc(x.reads, func(r *creation) bool { return r.waits }) {
			x.waits = true
		}
		x.isLate = x.table != nil && c.namesNewColumns(x.table) || slices.ContainsFunc(x.reads, func(r *creation) bool { return r.isLate })
	}
	for _, x := range list {
		if x.waits {
			deferred = append(deferred, func() { c.emitCreate(x) })
		} else {
			c.emitCreate(x)
		}
	}
	return deferred
}

// creations lists what the plan creates: tables, materialized views, views, indexes, each in declared order but behind what its
// body reads.
func (c *comparison) creations() []*creation {
	var all []*creation
	byName := map[string]*creation{}
	for _, p := range c.tables {
		if !p.isMatched() {
			all = append(all, &creation{table: p})
			byName[types.Fold(p.declaredName())] = all[len(all)-1]
		}
	}
	for _, p := range c.views {
		if p.live == nil || p.drops() {
			all = append(all, &creation{view: p})
			byName[types.Fold(p.stmt.Name.Name.Text)] = all[len(all)-1]
		}
	}
	for _, p := range c.indexes {
		if p.creates() {
			all = append(all, &creation{index: p})
		}
	}
	ordered := make([]*creation, 0, len(all))
	var visit func(x *creation)
	visit = func(x *creation) {
		if x.isVisited {
			return
		}
		x.isVisited = true
		c.resolveCreation(x, byName)
		for _, r := range x.reads {
			visit(r)
		}
		ordered = append(ordered, x)
	}
	for _, x := range all {
		visit(x)
	}
	return ordered
}

// resolveCreation finds what a creation reads and whether its text can stand in phase 7.
func (c *comparison) resolveCreation(x *creation, byName map[string]*creation) {
	if x.index != nil {
		if t := byName[types.Fold(x.index.stmt.Table.Name.Text)]; t != nil {
			x.reads = append(x.reads, t)
		}
		x.names = c.indexWaits(x)
		return
	}
	body := x.body()
	if body == nil {
		return
	}
	home := c.targetNames.HomeOf(c.schema)
	for _, name := range c.targetSources(body, home.Path) {
		if r := byName[types.Fold(name)]; r != nil && r != x {
			x.reads = append(x.reads, r)
		}
	}
	x.names = !x.isUndoable() && (len(c.bodyColumnNeeds(body)) > 0 || len(c.columnWaits(body, home)) > 0)
}

// body gives the query of a view or maintained table, nil for others.
func (x *creation) body() *ast.SelectStmt {
	switch {
	case x.view != nil:
		return x.view.stmt.Query
	case x.table != nil && x.table.view != nil:
		return x.table.view.Query
	case x.table != nil && x.table.def.Maintained != nil:
		return x.table.def.Maintained.Query
	}
	return nil
}

// indexWaits reports whether an index names a column that comes in phase 8, or has the name of a constraint that goes there.
func (c *comparison) indexWaits(x *creation) bool {
	p := c.byName[types.Fold(x.index.stmt.Table.Name.Text)]
	if p == nil || !p.isMatched() {
		return false
	}
	return x.index.isLost || c.takesConstraintName(p, x.index.stmt) ||
		!x.isUndoable() && len(c.indexNeeds(p, x.index.stmt)) > 0
}

// takesConstraintName reports whether the plan drops or renames a constraint of the table that has the index's name and its name space: a
// unique index shares that of all constraints, any other that of the structures of UNIQUE constraints.
func (c *comparison) takesConstraintName(p *tablePair, stmt *ast.CreateIndexStmt) bool {
	is := func(k *storedConstraint) bool {
		return (stmt.Unique || k.ref.Class == catalog.UniqueClass) && types.EqualFold(k.name, stmt.Name.Name.Text)
	}
	for i := range p.lostConstraints {
		if is(&p.lostConstraints[i]) {
			return true
		}
	}
	return slices.ContainsFunc(p.constraints, func(q *constraintPair) bool {
		return q.live != nil && is(q.live) && (q.isRedefined() || q.oldName != "")
	})
}

// indexNeeds gives what brings the new columns that a declared index over a matched table names.
func (c *comparison) indexNeeds(p *tablePair, stmt *ast.CreateIndexStmt) []resource {
	home := c.targetNames.HomeOf(c.schema)
	home.Row = &resolve.Row{Schema: c.schema, Name: p.declaredName()}
	var out []resource
	for i := range stmt.Columns {
		out = append(out, c.memberNeeds(stmt.Columns[i].X, home, p)...)
	}
	if stmt.Where != nil {
		out = append(out, c.memberNeeds(stmt.Where, home, p)...)
	}
	return out
}

// memberNeeds gives what brings what a member or the predicate of an index reads. A plain column needs no collation: what that does to
// an index is domainNeeds' to say.
func (c *comparison) memberNeeds(x ast.Expr, home resolve.Home, p *tablePair) []resource {
	out := c.columnNeeds(x, home, p, newNames)
	if _, isColumn := x.(*ast.ColumnRef); !isColumn {
		out = append(out, c.columnNeeds(x, home, p, newCollations)...)
	}
	return out
}

func (c *comparison) emitCreate(x *creation) {
	switch {
	case x.index != nil:
		c.emitCreateIndex(x)
	case x.view != nil:
		c.emitCreateView(x)
	case x.table.view != nil:
		stmt := *x.table.view
		stmt.Name = c.qname(stmt.Name.Name.Text)
		s := c.emit(ast.MaterializedViewObject, x.table.declaredName(), &stmt)
		s.give(relationResource(s.Object))
		s.need(c.bodyNeeds(stmt.Query)...)
		s.wait(c.bodyWaits(stmt.Query)...)
		s.pair, s.fault = x.table, x.table.fault
		s.Item, s.Origin = x.table.view, x.table.origin
	default:
		c.emitCreateTable(x.table)
	}
}

func (c *comparison) emitCreateTable(p *tablePair) {
	stmt := *p.def
	stmt.Name = c.qname(stmt.Name.Name.Text)
	s := c.emit(ast.TableObject, p.declaredName(), &stmt)
	s.pair, s.fault = p, p.fault
	s.Item, s.Origin = p.def, p.origin
	s.give(relationResource(s.Object))
	if m := stmt.Maintained; m != nil {
		s.need(c.bodyNeeds(m.Query)...)
		s.wait(c.bodyWaits(m.Query)...)
	}
	if p.decl == nil {
		return
	}
	s.need(c.ruleNeeds(p)...)
	for e := range p.decl.Expressions() {
		if e.Index < 0 {
			s.wait(c.rowWaits(p, e.Kind, e.X)...)
		}
	}
}

// ruleNeeds gives what brings the columns of other tables that the rules and expressions of a new table name.
func (c *comparison) ruleNeeds(p *tablePair) []resource {
	out := c.transientParents(p.decl)
	// A table that an expression names may be missing still, but not a column of one that is there.
	for e := range p.decl.Expressions() {
		if e.Index < 0 {
			out = append(out, c.rowColumnNeeds(p, e.Kind, e.X)...)
		}
	}
	return out
}

// namesNewColumns reports whether a new table has to be created after columns that others get.
func (c *comparison) namesNewColumns(p *tablePair) bool {
	return p.decl != nil && len(c.ruleNeeds(p)) > 0
}

// transientParents are the parent columns of a new table's foreign keys whose names stand for another column until the plan has been there:
// one that is rebuilt, or renamed or dropped while a new one takes its name. A foreign key before that would hold on to the wrong one.
func (c *comparison) transientParents(t *catalog.Table) []resource {
	var out []resource
	for _, fk := range t.ForeignKeys {
		schema, name := fk.ParentName(t)
		parent := c.byName[types.Fold(name)]
		if schema != c.schema || parent == nil || !parent.comparesShape() {
			continue
		}
		for _, q := range parent.columns {
			isNamed := slices.ContainsFunc(fk.ParentColumns, func(n string) bool { return types.EqualFold(n, q.decl.Name) })
			if at := parent.live.ColumnIndex(q.decl.Name); isNamed && at >= 0 && (q.rebuilt || q.live != at) {
				out = append(out, columnResource(parent.name, q.decl.Name))
			}
		}
	}
	return out
}

func (c *comparison) emitCreateView(x *creation) {
	stmt := *x.view.stmt
	stmt.Name = c.qname(stmt.Name.Name.Text)
	undoes := x.undoes()
	if undoes {
		stmt.Query = c.undoneBody(stmt.Query)
	}
	s := c.emit(ast.ViewObject, stmt.Name.Name.Text, &stmt)
	s.Item, s.Origin = x.view.stmt, x.view.origin
	s.give(relationResource(s.Object))
	if undoes {
		s.need(c.relationNeeds(x.view.stmt.Query, c.targetNames.HomeOf(c.schema).Path...)...)
		s.let(c.oldColumns()...)
	} else {
		s.need(c.bodyNeeds(stmt.Query)...)
		s.wait(c.bodyWaits(stmt.Query)...)
		s.use(c.columnNeeds(stmt.Query, c.targetNames.HomeOf(c.schema), nil, newValues)...)
	}
}

// oldColumns are the columns that statements of the plan rename, under their old names.
func (c *comparison) oldColumns() []resource {
	var out []resource
	for _, p := range c.tables {
		for _, q := range p.columns {
			if q.oldName != "" {
				out = append(out, columnResource(p.name, q.oldName))
			}
		}
	}
	return out
}

func (c *comparison) emitCreateIndex(x *creation) {
	stmt := *x.index.stmt
	undoes := x.undoes()
	if undoes {
		stmt = *c.undoneMembers(x.index)
	}
	stmt.Name, stmt.Table = c.qname(stmt.Name.Name.Text), c.qname(stmt.Table.Name.Text)
	s := c.emit(ast.IndexObject, stmt.Name.Name.Text, &stmt)
	s.fault = x.index.fault
	s.Item, s.Origin = x.index.stmt, x.index.origin
	s.give(indexResource(s.Object))
	p := c.byName[types.Fold(stmt.Table.Name.Text)]
	if p == nil {
		return
	}
	s.pair, s.table = p, p.live
	s.need(relationResource(p.name))
	s.give(structureResource(p.name, s.Object))
	if stmt.Unique {
		s.give(constraintResource(p.name, s.Object))
	}
	switch {
	case undoes:
		s.let(c.oldColumns()...)
	case p.isMatched():
		s.need(c.indexNeeds(p, x.index.stmt)...)
		s.need(c.domainNeeds(p, x.index)...)
		s.need(p.rebuiltResources()...)
	}
}

// domainNeeds gives the columns of a declared index that have to be retyped, or collated otherwise, before it is made: their old
// type may not take its collation, and what a unique index takes for equal before may differ then.
func (c *comparison) domainNeeds(p *tablePair, x *indexPair) []resource {
	i := p.decl.IndexPosition(x.stmt.Name.Name.Text)
	if i < 0 {
		return nil
	}
	ix := p.decl.Indexes[i]
	mayCollide := ix.Unique && !c.followsColumns(p, x)
	names := map[string]bool{}
	for _, m := range ix.Members {
		if m.X == nil {
			names[types.Fold(p.decl.Columns[m.Column].Name)] = true
		}
	}
	for e := range ix.Expressions() {
		maps.Copy(names, catalog.ColumnNamesIn(e.X))
	}
	var out []resource
	for _, q := range p.columns {
		if q.live >= 0 && (q.retyped || q.recollated) && names[types.Fold(q.decl.Name)] && (mayCollide || c.refusesCollation(p, ix, q)) {
			out = append(out, domainResource(p.name, q.decl.Name))
		}
	}
	return out
}

// refusesCollation reports whether the present type of a column does not take the collation of an index over it.
func (c *comparison) refusesCollation(p *tablePair, ix *catalog.Index, q *columnPair) bool {
	return slices.ContainsFunc(ix.Members, func(m catalog.IndexMember) bool {
		if m.X != nil || q.decl != p.decl.Columns[m.Column] {
			return false
		}
		_, err := c.env.Types.CheckCollation(q.from.Type, m.Collation.Name, q.decl.Name)
		return err != nil
	})
}
