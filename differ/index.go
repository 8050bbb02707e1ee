package differ

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/types"
)

// indexPair is a declared index with the live one that it is.
type indexPair struct {
	stmt   *ast.CreateIndexStmt
	origin catalog.Origin
	// fault is why it cannot be built on the declared table.
	fault error
	live  *catalog.IndexEntry // nil for a new one
	// drifts: the body or the table differs. isLost: it is over a rebuilt column, or its table is dropped. retagged: only tags differ.
	drifts, isLost, retagged bool
}

// isRenamed reports whether a hint gives the index another name.
func (p *indexPair) isRenamed() bool {
	return p.live != nil && !types.EqualFold(p.live.Index.Name, p.stmt.Name.Name.Text)
}

// drops reports whether the live index is dropped: an index has no rename.
func (p *indexPair) drops() bool { return p.live != nil && (p.drifts || p.isLost || p.isRenamed()) }

// creates reports whether the declared index is created.
func (p *indexPair) creates() bool { return p.live == nil || p.drops() }

// visibleIndexes lists the live indexes in live order: table by table, each table's in order of creation. Those of a table that is
// maintained and stays so are left alone unless they are declared.
func (c *comparison) visibleIndexes() []*catalog.IndexEntry {
	declared := make(map[string]bool, len(c.indexes))
	for _, p := range c.indexes {
		declared[types.Fold(p.stmt.Name.Name.Text)] = true
	}
	var out []*catalog.IndexEntry
	for _, t := range c.live.TablesInOrder(c.schema) {
		if t.IsEngineManaged() {
			continue
		}
		p := c.byLive[t]
		isHidden := t.Maintained != nil && (p == nil || p.decl.Maintained != nil)
		for _, ix := range t.Indexes {
			if !isHidden || declared[types.Fold(ix.Name)] {
				out = append(out, &catalog.IndexEntry{Table: t, Index: ix})
			}
		}
	}
	return out
}

func (c *comparison) matchIndexes() error {
	declared := make([]subject, len(c.indexes))
	for i, p := range c.indexes {
		declared[i] = subject{p.stmt.Name.Name.Text, catalog.BuildTags(p.stmt.Tags)}
	}
	entries := c.visibleIndexes()
	live := make([]subject, len(entries))
	for i, e := range entries {
		live[i] = subject{e.Index.Name, e.Index.Tags}
	}
	m, err := match(c.opts.Policy, "index", c.opts.Whole, declared, live, func(i int, err error) error {
		return c.originOf(c.indexes[i].stmt).Fault(c.indexes[i].stmt, err)
	})
	if err != nil {
		return err
	}
	c.noteIdle("index", "", m, declared, live)
	for i, p := range c.indexes {
		if m.of[i] >= 0 {
			p.live = entries[m.of[i]]
			c.indexByName[types.Fold(p.live.Index.Name)] = p
		}
	}
	for _, i := range m.left {
		c.lostIndexes = append(c.lostIndexes, entries[i])
	}
	return nil
}

func (c *comparison) compareIndexes() {
	for _, p := range c.indexes {
		if p.live == nil {
			continue
		}
		p.drifts = !c.sameIndex(p)
		p.isLost = !p.drifts && (c.isOverRebuilt(p) || c.comparesRecollated(p))
		p.retagged = !p.drops() && !sameTags(p.live.Index.Tags, catalog.BuildTags(p.stmt.Tags))
	}
}

// sameIndex compares table and body. Effective collations are those of the declared table on the one side and of the live one on the
// other, so that a column that changes its collation has its indexes made anew.
func (c *comparison) sameIndex(p *indexPair) bool {
	t := c.byName[types.Fold(p.stmt.Table.Name.Text)]
	if t == nil || t.live != p.live.Table || t.moved {
		return false
	}
	declared := c.declaredIndex(p, t)
	if declared == nil {
		return false
	}
	live := t.after.Indexes[t.live.IndexPosition(p.live.Index.Name)]
	want := catalog.NormalIndex(c.declaredShape(t), c.respelled(t, declared, live))
	return catalog.NormalIndex(t.after, live) == want && catalog.NormalIndex(t.after, c.recollated(t, live)) == want
}

// followsColumns reports whether a live index says what is declared once the columns have their collations: its rows differ already.
func (c *comparison) followsColumns(t *tablePair, p *indexPair) bool {
	if p.live == nil || p.live.Table != t.live {
		return false
	}
	live, declared := t.after.Indexes[t.live.IndexPosition(p.live.Index.Name)], c.declaredIndex(p, t)
	return declared != nil && catalog.NormalIndex(t.after, c.recollated(t, live)) == catalog.NormalIndex(c.declaredShape(t), c.respelled(t, declared, live))
}

// respelled gives a declared index, in a whole comparison, with the live spelling of expressions that say the same.
func (c *comparison) respelled(t *tablePair, declared, live *catalog.Index) *catalog.Index {
	if !c.opts.Whole || t.def == nil || len(declared.Members) != len(live.Members) {
		return declared
	}
	n := *declared
	if n.Where != nil && live.Where != nil && c.sameMeaning(t, live.Where, n.Where) {
		n.Where = live.Where
	}
	n.Members = slices.Clone(n.Members)
	for i := range n.Members {
		if m, l := &n.Members[i], live.Members[i]; m.X != nil && l.X != nil && c.sameMeaning(t, l.X, m.X) {
			m.X = l.X
		}
	}
	return &n
}

// recollated is what becomes of a live index when the columns of its table change their collations.
func (c *comparison) recollated(t *tablePair, ix *catalog.Index) *catalog.Index {
	n := *ix
	for _, q := range t.columns {
		if q.live >= 0 && q.recollated {
			n.Members = n.Recollated(q.live, q.from.Collation, c.targetCollation(q))
		}
	}
	return &n
}

// declaredShape is the table that a declared index is built on. The columns of a materialized view are those it has.
func (c *comparison) declaredShape(t *tablePair) *catalog.Table {
	if t.def == nil {
		return t.after
	}
	return t.decl
}

// declaredIndex gives the declared index as it is built on its matched table, nil when it cannot be.
func (c *comparison) declaredIndex(p *indexPair, t *tablePair) *catalog.Index {
	if t.def != nil {
		if i := t.decl.IndexPosition(p.stmt.Name.Name.Text); i >= 0 {
			return t.decl.Indexes[i]
		}
		return nil
	}
	ix, err := catalog.BuildIndex(p.stmt, t.after, c.env)
	if err != nil {
		return nil
	}
	return ix
}

// comparesRecollated reports whether a live index has to make way while columns that it compares get their collations.
func (c *comparison) comparesRecollated(p *indexPair) bool {
	t := c.byLive[p.live.Table]
	return t != nil && t.comparesShape() && t.indexCompares(p.live.Index)
}

// isOverRebuilt reports whether a live index has a rebuilt column among its members, or reads one in an expression.
func (c *comparison) isOverRebuilt(p *indexPair) bool {
	t := c.byLive[p.live.Table]
	return t != nil && t.hasRebuilds() && slices.ContainsFunc(t.columns, func(q *columnPair) bool {
		return q.rebuilt && c.indexReads(p.live, q.live)
	})
}

// indexReads reports whether a live index is over a column of its table, in any part.
func (c *comparison) indexReads(e *catalog.IndexEntry, column int) bool {
	for _, m := range e.Index.Members {
		if m.X == nil && m.Column == column {
			return true
		}
	}
	for x := range e.Index.Expressions() {
		if resolve.Mentions(x.X, c.liveNames.RowHome(e.Table, x.Kind), e.Table.Schema, e.Table.Name, e.Table.Columns[column].Name) {
			return true
		}
	}
	return false
}

// emitIndexDrops emits phase 6: drifted or renamed ones in declared order, then undeclared ones in live order.
func (c *comparison) emitIndexDrops() {
	for _, p := range c.indexes {
		if p.drops() {
			c.emitIndexDrop(p.live, p.live.Index.Name)
		}
	}
	for _, e := range c.lostIndexes {
		c.emitIndexDrop(e, types.Fold(e.Index.Name))
	}
}

func (c *comparison) emitIndexDrop(e *catalog.IndexEntry, name string) {
	s := c.drop(ast.IndexObject, name)
	s.table = e.Table
	s.end(indexResource(name))
	t := c.byLive[e.Table]
	if t == nil || !t.isMatched() {
		return
	}
	s.end(structureResource(t.name, name))
	if e.Index.Unique {
		s.end(constraintResource(t.name, name))
	}
	for _, i := range t.endedColumns() {
		if c.indexReads(e, i) {
			s.let(columnResource(t.name, t.after.Columns[i].Name))
		}
	}
}

// emitIndexTags emits the second half of phase 11.
func (c *comparison) emitIndexTags() {
	for _, p := range c.indexes {
		if p.retagged {
			c.setTags(ast.IndexObject, p.live.Index.Name, catalog.BuildTags(p.stmt.Tags)).table = p.live.Table
		}
	}
}
