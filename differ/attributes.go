package differ

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// What DIFF SCHEMA leaves alone (docs/reference/declarative-schema.md) and Options.Whole compares: a column that becomes generated or
// plain, conflict actions, deferrability, mutation contexts, and where it is asked for the order of columns.

// compareGeneration finds what differs in how a column of a whole comparison gets its values. A plain column that is retyped on the way
// to a generated one, and an expression that is edited, are dropped and added; one in the key stays, and its values change.
func (c *comparison) compareGeneration(p *tablePair, q *columnPair) {
	from, to := q.from.Generated != nil, q.decl.Generated != nil
	isRetyped := q.def.Type != nil && q.decl.Type != q.from.Type
	switch {
	case from && !to:
		q.degenerated = true
	case to && from == to && c.sameGenerated(p, q.from, q.decl):
	case to && (!from && !isRetyped || p.after.InKey(q.live)):
		q.generated = true
	case to:
		q.rebuilt = true
	}
}

// compareAttributes finds what differs in the rest of a matched table.
func (c *comparison) compareAttributes(p *tablePair) {
	if !c.opts.Whole {
		return
	}
	p.keyConflicted = p.after.Key.OnConflict != p.decl.Key.OnConflict
	p.recontexted = contextText(p.after) != contextText(p.decl)
	for _, q := range p.columns {
		if q.live < 0 || q.rebuilt {
			continue
		}
		q.conflicted = q.from.NotNullConflict != q.decl.NotNullConflict
		if x := p.live.Columns[q.live].Default; p.recontexted && x != nil && q.decl.Default != nil && p.live.SeesWrite(x) {
			q.restored, q.defaulted, q.undefaulted = true, true, true
		}
	}
	for _, q := range p.pairs() {
		q.redeferred = q.live != nil && !q.isRedefined() && q.live.ref.Class == catalog.ForeignKeyClass &&
			catalog.DeferralOf(q.node.References.Deferral) != p.after.ForeignKeys[q.live.ref.Position].Deferral
	}
	live, declared := catalog.NormalModule(p.live), catalog.NormalModule(p.decl)
	p.isMovedTo = p.def.Using != nil && p.decl.Maintained == nil && p.live.Maintained == nil && live != declared
	p.reordered = c.opts.ColumnOrder && !c.hasDeclaredOrder(p)
}

// changesAttributes reports whether compareAttributes has found something.
func (p *tablePair) changesAttributes() bool {
	return p.isMovedTo || p.keyConflicted || p.recontexted || p.reordered ||
		slices.ContainsFunc(p.columns, func(q *columnPair) bool { return q.conflicted || q.generated || q.degenerated }) ||
		slices.ContainsFunc(p.pairs(), func(q *constraintPair) bool { return q.redeferred })
}

// emitGeneration emits what makes a column generated or plain. Its values come from what other columns hold in the end.
func (c *comparison) emitGeneration(p *tablePair, q *columnPair) {
	live := p.live.Columns[q.live]
	switch {
	case q.degenerated:
		s := c.alterColumn(p, q, &ast.SetGenerated{Column: q.def.Name})
		s.let(c.rowReads(p.live, catalog.GeneratedExpression, live.Generated)...)
		s.let(p.collationLets(live.Generated)...)
	case q.generated:
		if live.Default != nil {
			c.emitDropDefault(p, q)
			q.isReleased = true
		}
		s := c.alterColumn(p, q, &ast.SetGenerated{Column: q.def.Name, X: q.decl.Generated, Stored: q.decl.Stored})
		s.need(c.rowNeeds(p, catalog.GeneratedExpression, q.decl.Generated)...)
		s.wait(c.rowWaits(p, catalog.GeneratedExpression, q.decl.Generated)...)
		s.need(c.valueNeeds(p, q)...)
		s.give(valuesResource(p.name, q.decl.Name))
		if live.Generated != nil {
			s.let(c.rowReads(p.live, catalog.GeneratedExpression, live.Generated)...)
		}
	}
}

// emitConflict emits the conflict action of a column's nullability.
func (c *comparison) emitConflict(p *tablePair, q *columnPair) {
	if q.conflicted {
		c.alterColumn(p, q, &ast.SetConflict{Column: q.def.Name, Action: writtenConflict(q.decl.NotNullConflict)})
	}
}

// writtenConflict is an action as it is written: ABORT is what happens anyway.
func writtenConflict(a ast.ConflictAction) ast.ConflictAction {
	if a == ast.ConflictDefault {
		return ast.ConflictAbort
	}
	return a
}

// emitContext emits the table's mutation context, between the rules that read the variables it had and those that read the ones it gets.
func (c *comparison) emitContext(p *tablePair) {
	if !p.recontexted {
		return
	}
	a := &ast.SetContext{}
	for _, v := range p.decl.Context {
		n := ast.ContextVar{Name: ast.Ident(v.Name), Null: !v.NotNull}
		if v.TypeName != "" {
			n.Type = &ast.TypeName{Name: v.Type.Name}
		}
		a.Vars = append(a.Vars, n)
	}
	s := c.alter(p, a)
	s.end(contextResource(p.name))
	s.give(contextResource(p.name))
}

// contextNeeds gives the context that a declared expression reads; contextLets what a live one reads of it that goes.
func (p *tablePair) contextNeeds(x ast.Expr) []resource {
	if p.recontexted && p.decl.SeesWrite(x) {
		return []resource{contextResource(p.name)}
	}
	return nil
}

func (p *tablePair) contextLets(x ast.Expr) []resource {
	if p.recontexted && p.live.SeesWrite(x) {
		return []resource{contextResource(p.name)}
	}
	return nil
}

// emitAttributes emits what is left of a table: the conflict action of its key, the deferrability of its foreign keys, and the order of
// its columns.
func (c *comparison) emitAttributes(p *tablePair) {
	if p.keyConflicted {
		c.alter(p, &ast.SetConflict{Action: writtenConflict(p.decl.Key.OnConflict)})
	}
	for _, q := range p.pairs() {
		if !q.redeferred {
			continue
		}
		d := ast.NotDeferrable
		if catalog.DeferralOf(q.node.References.Deferral) == ast.DeferrableDeferred {
			d = ast.DeferrableDeferred
		}
		name := q.live.name
		if q.oldName != "" {
			name = q.node.Name.Text
		}
		s := c.alter(p, &ast.SetDeferral{Name: ast.Ident(name), Deferral: d})
		s.Item = q.node
		s.need(constraintResource(p.name, name))
	}
	if p.isMovedTo {
		c.alter(p, &ast.SetUsing{Using: p.def.Using})
	}
	if p.reordered {
		c.emitColumnOrder(p)
	}
}

func (c *comparison) emitColumnOrder(p *tablePair) {
	a := &ast.SetColumnOrder{}
	for _, q := range p.columns {
		a.Columns = append(a.Columns, q.def.Name)
	}
	s := c.alter(p, a)
	for _, other := range c.steps {
		if other == s || other.pair != p {
			continue
		}
		link := resource{sequenceOf, other.SQL, s.SQL}
		other.give(link)
		s.need(link)
	}
}

// hasDeclaredOrder reports whether the columns stand as declared once the plan is carried out. New columns come last.
func (c *comparison) hasDeclaredOrder(p *tablePair) bool {
	last, isNew := -1, false
	for _, q := range p.columns {
		switch {
		case q.live < 0 || q.rebuilt:
			isNew = true
		case isNew || q.live < last:
			return false
		default:
			last = q.live
		}
	}
	return true
}

// contextResource is the mutation context that a table is to have.
func contextResource(table string) resource {
	return resource{kind: contextOf, table: types.Fold(table)}
}
