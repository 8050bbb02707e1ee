package differ

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// hashes gives the identities of both ends of the plan. The far end is what the declaration asks for: where it leaves something open
// the live state decides, and where two spellings mean the same the live one counts. So the two are equal exactly when there
// is nothing to say. The far end has none, "", when an item of the declaration cannot be built.
func (c *comparison) hashes() (from, to string) {
	if c.hasUnbuilt() {
		return catalog.Hash(c.live, c.schema), ""
	}
	return catalog.HashPair(c.live, c.reached(), c.schema)
}

func (c *comparison) hasUnbuilt() bool {
	for _, p := range c.tables {
		if p.decl == nil {
			return true
		}
	}
	return false
}

// reached gives the live catalog with the schema as the declaration asks for. Its objects serve comparison: ids and creation numbers
// mean nothing, and a new materialized view has no columns.
func (c *comparison) reached() *catalog.Snapshot {
	e := c.live.Edit()
	e.AddSchema(c.schema)
	for _, t := range c.lostTables {
		e.DropRelation(c.schema, t.Name)
	}
	for _, v := range c.lostViews {
		e.DropRelation(c.schema, v.Name)
	}
	for _, a := range c.lostAssertions {
		e.DropAssertion(c.schema, a.Name)
	}
	for _, p := range c.tables {
		if p.isRenamed() {
			e.DropRelation(c.schema, p.live.Name)
		}
	}
	for _, p := range c.views {
		if p.isRenamed() {
			e.DropRelation(c.schema, p.live.Name)
		}
	}
	drifted := c.tablesWithIndexDrift()
	for _, p := range c.tables {
		if t := c.reachedTable(p, drifted[p]); t != p.live {
			e.PutTable(t)
		}
	}
	for _, p := range c.views {
		if v := p.reached(); v != p.live {
			e.PutView(v)
		}
	}
	for _, p := range c.assertions {
		if p.live == nil || p.redefined {
			e.PutAssertion(catalog.BuildAssertion(p.stmt, c.env))
		}
	}
	return e.Done()
}

func (p *viewPair) reached() *catalog.View {
	if p.live == nil || p.drops() || p.retagged {
		return p.decl
	}
	return p.after
}

// tablesWithIndexDrift are the matched tables that an index statement of the plan is about.
func (c *comparison) tablesWithIndexDrift() map[*tablePair]bool {
	out := map[*tablePair]bool{}
	for _, p := range c.indexes {
		if p.creates() || p.retagged {
			out[c.byName[types.Fold(p.stmt.Table.Name.Text)]] = true
			if p.live != nil {
				out[c.byLive[p.live.Table]] = true
			}
		}
	}
	for _, e := range c.lostIndexes {
		out[c.byLive[e.Table]] = true
	}
	return out
}

// reachedTable gives what a declared table becomes: the live table itself, with the renames carried through, where nothing differs.
func (c *comparison) reachedTable(p *tablePair, hasIndexDrift bool) *catalog.Table {
	switch {
	case !p.isMatched():
		return p.decl
	case p.def == nil:
		return p.reachedMaterialized()
	case hasIndexDrift || p.retagged || p.attach || p.detach || c.changesShape(p) || p.isNoted:
		return c.merged(p)
	}
	return p.after
}

// reachedMaterialized keeps the columns of a table that a declared materialized view is attached to.
func (p *tablePair) reachedMaterialized() *catalog.Table {
	if !p.attach && !p.retagged {
		return p.after
	}
	t := p.after.Clone()
	t.Tags = p.decl.Tags
	m := *p.decl.Maintained
	m.Declared = p.live.Maintained == nil || p.live.Maintained.Declared
	t.Maintained = &m
	return t
}

// merged gives the declared table with what it leaves open as it is in the live one.
func (c *comparison) merged(p *tablePair) *catalog.Table {
	t := p.decl.Clone()
	if p.def.Using == nil && t.Maintained == nil {
		t.Module, t.ModuleArgs = p.live.Module, p.live.ModuleArgs
	}
	if t.Maintained != nil {
		m := *t.Maintained
		m.Declared = p.live.Maintained == nil || p.detach || p.live.Maintained.Declared
		if !p.attach {
			m.Body = p.after.Maintained.Body
		}
		t.Maintained = &m
	}
	for i, q := range p.columns {
		if q.live >= 0 && !q.rebuilt {
			t.Columns[i] = c.mergedColumn(q)
		}
	}
	for _, q := range p.pairs() {
		if q.live == nil || q.drifts {
			continue
		}
		switch q.node.Kind {
		case ast.CheckClause:
			c.keepCheck(t, p, q)
		case ast.ForeignKeyClause:
			c.keepKey(t, p, q)
		}
	}
	for i, ix := range t.Indexes {
		t.Indexes[i] = c.keptIndex(p, ix)
	}
	return t
}

// keepKey puts the live spelling of a foreign key that says the same in.
func (c *comparison) keepKey(t *catalog.Table, p *tablePair, q *constraintPair) {
	for i, fk := range t.ForeignKeys {
		isOwn := types.EqualFold(fk.Name, q.node.Name.Text)
		if catalog.IsHiddenName(fk.Name) {
			isOwn = catalog.IsHiddenName(q.node.Name.Text) && sameNames(t.ColumnNames(fk.Columns), nameTexts(q.node.Columns)) &&
				types.EqualFold(fk.ParentTable, q.node.References.Table.Name.Text)
		}
		live := p.after.ForeignKeys[q.live.ref.Position]
		if isOwn && (live.ParentColumns == nil) != (fk.ParentColumns == nil) && c.sameKey(p, live, q.node) {
			n := *fk
			n.ParentColumns = live.ParentColumns
			t.ForeignKeys[i] = &n
		}
	}
}

// keptIndex gives a declared index with the live spelling of its expressions where that says the same.
func (c *comparison) keptIndex(p *tablePair, ix *catalog.Index) *catalog.Index {
	for _, q := range c.indexes {
		if q.live != nil && !q.creates() && q.live.Table == p.live && types.EqualFold(q.stmt.Name.Name.Text, ix.Name) {
			return c.respelled(p, ix, p.after.Indexes[p.live.IndexPosition(q.live.Index.Name)])
		}
	}
	return ix
}

func (c *comparison) mergedColumn(q *columnPair) *catalog.Column {
	n := *q.decl
	if !c.opts.Whole && catalog.LeavesNullabilityOpen(q.def) {
		n.NotNull = q.from.NotNull
	}
	if q.def.Type == nil {
		n.Type, n.TypeName = q.from.Type, q.from.TypeName
	}
	n.Collation = c.targetCollation(q)
	if !q.defaulted && !q.undefaulted {
		n.Default = q.from.Default
	}
	if !q.generated && !q.degenerated {
		n.Generated = q.from.Generated
	}
	return &n
}

// keepCheck puts the live spelling of a CHECK that says the same in.
func (c *comparison) keepCheck(t *catalog.Table, p *tablePair, q *constraintPair) {
	for i, k := range t.Checks {
		if q.keepsHidden(k) {
			n := *k
			n.X = p.after.Checks[q.live.ref.Position].X
			t.Checks[i] = &n
		}
	}
}
