package store

import (
	"context"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// Alter implements vtab.Alterer. It is one mechanism for every change: each structure of the definition after is kept as it is when
// its entries are what they were, else it is written anew, in one pass over the rows, under an incarnation of its own. What is
// neither kept nor written is no longer named, and goes with the commit.
//
// No row is touched when stored values stay: new columns have their fill, dropped ones are skipped by the layouts.
func (m *Module) Alter(ctx context.Context, vc vtab.Conn, a *vtab.Alteration) (*catalog.Table, error) {
	c, err := m.connOf(vc)
	if err != nil {
		return nil, err
	}
	if _, err := c.writable(ctx); err != nil {
		return nil, err
	}
	before, err := m.shapeOf(a.Before)
	if err != nil {
		return nil, err
	}
	p := alterPlan{conn: c, a: a, before: before}
	if err := p.decide(); err != nil {
		return nil, err
	}
	if err := p.build(ctx); err != nil {
		return nil, err
	}
	return p.after.table, nil
}

// alterPlan says what an alteration does to each structure.
type alterPlan struct {
	conn   *Conn
	a      *vtab.Alteration
	before *shape
	after  *shape
	// rekey tells that rows get other keys, rewrite that they are written anew.
	rekey, rewrite bool
	// changed are the ids of columns whose stored values the conversion may change.
	changed map[catalog.ColumnID]bool
	// built are the structures of after that are written anew, by position in after.others.
	built []int
}

// decide makes the definition after: what is kept has its incarnation, what is written anew a new one.
func (p *alterPlan) decide() error {
	t := p.a.After.Clone()
	p.changed = map[catalog.ColumnID]bool{}
	if p.a.Convert != nil {
		for _, c := range p.a.Changed {
			p.changed[t.Columns[c].ID] = true
		}
	}
	p.adoptStorage(t)
	draft, err := newShape(t)
	if err != nil {
		return err
	}
	same := comparison{plan: p, before: p.before.table, after: t}
	p.rekey = !same.members(p.before.primary, draft.primary)
	p.rewrite = p.rekey || p.a.Convert != nil
	if p.rewrite {
		if t.Storage.Incarnation, err = p.conn.take(); err != nil {
			return err
		}
	}
	for i, s := range draft.others {
		old := p.match(s, t)
		if old != nil && !p.rekey && same.structure(old, s) {
			setRange(t, s.ordinal, s.kind, old.inc)
			continue
		}
		p.built = append(p.built, i)
		if err := p.conn.newRange(t, s.ordinal, s.kind); err != nil {
			return err
		}
	}
	p.after, err = newShape(t)
	return err
}

// adoptStorage gives t, which is not shared yet, the storage of before with the layouts that its rows will have.
func (p *alterPlan) adoptStorage(t *catalog.Table) {
	next := t.Storage.NextColumn
	t.Storage = p.a.Before.Storage
	t.Storage.NextColumn = max(t.Storage.NextColumn, next)
	for _, c := range t.Columns {
		t.Storage.NextColumn = max(t.Storage.NextColumn, c.ID+1)
	}
	if p.a.Convert != nil { // then every row is written under one layout, which has all columns
		t.Storage.Layouts = nil
		appendLayout(t)
		for i, c := range t.Columns {
			if !c.Fill.IsNull() {
				n := *c
				n.Fill = types.Null
				t.Columns[i] = &n
			}
		}
		return
	}
	if !sameLayout(t.Storage.Layouts[len(t.Storage.Layouts)-1], t.Columns) {
		appendLayout(t)
	}
}

// match gives the structure of before with the identity of s, nil when s is new.
func (p *alterPlan) match(s *structure, t *catalog.Table) *structure {
	for _, old := range p.before.others {
		if old.kind == s.kind && structureID(old, p.before.table) == structureID(s, t) {
			return old
		}
	}
	return nil
}

func structureID(s *structure, t *catalog.Table) catalog.ID {
	if s.kind == uniqueKind {
		return t.Uniques[s.ordinal].ID
	}
	return t.Indexes[s.ordinal].ID
}

// build runs the pass over the rows, if any structure needs one.
func (p *alterPlan) build(ctx context.Context) error {
	if !p.rewrite && len(p.built) == 0 {
		return nil
	}
	r := &rework{conn: p.conn, a: p.a, before: p.before, after: p.after, rekey: p.rekey, encode: p.a.Convert != nil}
	var unsorted int64 = 1
	if p.rewrite {
		r.rows = p.output(p.after.primary)
		r.rows.sorted, r.rows.unique = !p.rekey, p.rekey
	}
	for _, i := range p.built {
		o := p.output(p.after.others[i])
		o.unique = o.s.unique
		r.entries = append(r.entries, o)
		unsorted++
	}
	for _, o := range r.outputs() {
		o.collector.budget = max(p.conn.db.MemoryBudget()/unsorted, minSortBudget)
	}
	r.decoder = p.decoder()
	if err := p.checkSpace(r); err != nil {
		return err
	}
	return r.run(ctx)
}

// minSortBudget keeps the runs of a sort from becoming many and tiny.
const minSortBudget = 1 << 20

func (p *alterPlan) output(s *structure) *output {
	return &output{
		s: s, limit: p.conn.m.options.Overlay,
		collector: collector{prefix: s.prefix, dir: p.conn.m.store.TempDir},
		bulk:      kv.BulkOutput{Store: p.conn.m.store, FileBytes: fileBytes},
	}
}

// decoder gives what reads the rows: all of before's columns for a conversion, else what the new keys and entries need.
func (p *alterPlan) decoder() *decoder {
	if p.a.Convert != nil {
		return p.before.decoder(vtab.AllColumns(p.before.rows.width))
	}
	var columns vtab.ColumnSet
	need := func(s *structure) {
		if s.computed {
			columns = vtab.AllColumns(p.after.rows.width)
		}
		for _, m := range s.members {
			if m.column >= 0 {
				columns.Add(m.column)
			}
		}
	}
	if p.rekey {
		need(p.after.primary)
	}
	for _, i := range p.built {
		need(p.after.others[i])
	}
	return p.after.decoder(columns)
}

// checkSpace compares what the pass will take on disk for a while with what is free. Rows are taken to stay as big as they are, entries to be
// half as big; what has to be sorted lies there twice.
func (p *alterPlan) checkSpace(r *rework) error {
	store := p.conn.m.store
	size, err := store.Size(dataSpan(p.before.primary.inc, p.before.primary.inc+1))
	if err != nil || size <= uint64(p.conn.m.options.Overlay) {
		return err
	}
	var need uint64
	for _, o := range r.outputs() {
		n := size
		if o != r.rows {
			n /= 2
		}
		if !o.sorted {
			n *= 2
		}
		need += n
	}
	free, err := store.FreeSpace()
	if err != nil {
		return err
	}
	if need > free {
		return errFull(p.before.table, need, free)
	}
	return nil
}

// comparison tells whether entries of a structure after are what they were before.
type comparison struct {
	plan          *alterPlan
	before, after *catalog.Table
}

// members reports whether both structures have the same key bytes for the same rows.
func (c *comparison) members(old, s *structure) bool {
	return slices.EqualFunc(old.members, s.members, func(a, b member) bool {
		switch {
		case a.desc != b.desc || (a.column < 0) != (b.column < 0):
			return false
		case a.column < 0:
			return a.collation == b.collation
		}
		id := c.after.Columns[b.column].ID
		return c.before.Columns[a.column].ID == id && !c.plan.changed[id] && sameEncoding(&a, &b)
	})
}

// sameEncoding reports whether two members encode every value alike.
func sameEncoding(a, b *member) bool {
	if a.typ != b.typ && (a.typ.SemanticOrder || b.typ.SemanticOrder) {
		return false
	}
	return a.collation == b.collation
}

// structure reports whether s has the entries of old, which has its identity: then its predicate and expressions are the same
// but for names, and give the same when the columns that they read are the same.
func (c *comparison) structure(old, s *structure) bool {
	if old.unique != s.unique || old.partial != s.partial || !c.members(old, s) {
		return false
	}
	if !s.computed {
		return true
	}
	ix := c.after.Indexes[s.ordinal]
	exprs := []ast.Expr{ix.Where}
	for _, m := range ix.Members {
		exprs = append(exprs, m.X)
	}
	for _, x := range exprs {
		if x != nil && !c.reads(x) {
			return false
		}
	}
	return true
}

// reads reports whether the columns that an expression reads hold, and mean, what they did.
func (c *comparison) reads(x ast.Expr) bool {
	same := true
	ast.Walk(x, func(n ast.Node) bool {
		if ref, ok := n.(*ast.ColumnRef); ok {
			same = same && c.sameColumn(c.after.ColumnIndex(ref.Column.Text))
		}
		return same
	})
	return same
}

func (c *comparison) sameColumn(i int) bool {
	if i < 0 {
		return false
	}
	now := c.after.Columns[i]
	for _, was := range c.before.Columns {
		if was.ID == now.ID {
			return !c.plan.changed[now.ID] && was.Type == now.Type && was.Collation == now.Collation
		}
	}
	return false
}
