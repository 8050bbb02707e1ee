package differ

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// A generated column whose expression drifts is dropped and added (step g'), and a relation that drifts is dropped and created. What
// reads them, and does not drift itself, would hold the drop back: it is taken away before and brought back behind, which the
// order of the steps follows from what they let go and need.

// forceDependents finds what has to make way for columns that are rebuilt and relations that are created again.
func (c *comparison) forceDependents() {
	c.spreadRebuilds()
	if len(c.recreated) == 0 && !c.hasRebuilds() {
		return
	}
	for _, p := range c.tables {
		if !p.comparesShape() {
			continue
		}
		for _, q := range p.pairs() {
			if q.live != nil {
				c.forceConstraint(p, q)
			}
		}
		for _, q := range p.columns {
			if q.live >= 0 && !q.rebuilt {
				c.forceDefault(p, q)
			}
		}
	}
}

func (c *comparison) hasRebuilds() bool {
	return slices.ContainsFunc(c.tables, (*tablePair).hasRebuilds)
}

func (p *tablePair) hasRebuilds() bool {
	return slices.ContainsFunc(p.columns, func(q *columnPair) bool { return q.rebuilt })
}

// spreadRebuilds rebuilds the generated columns that read a rebuilt one or a relation that is created again.
func (c *comparison) spreadRebuilds() {
	for again := len(c.recreated) > 0 || c.hasRebuilds(); again; {
		again = false
		for _, p := range c.tables {
			for _, q := range p.columns {
				if q.live < 0 || q.rebuilt || q.from.Generated == nil {
					continue
				}
				if c.readsTransient(p.live, catalog.GeneratedExpression, p.live.Columns[q.live].Generated) {
					q.rebuilt, again = true, true
				}
			}
		}
	}
}

// readsTransient reports whether a live expression over the row of t reads a relation or a column that goes and comes back.
func (c *comparison) readsTransient(t *catalog.Table, kind catalog.ExpressionKind, x ast.Expr) bool {
	reach := c.rowReach(t, x)
	if c.reachesAny(reach, c.isRecreated) {
		return true
	}
	texts := c.readers(reach, reader{x, c.liveNames.RowHome(t, kind)})
	for _, table := range append([]*catalog.Table{t}, reach.tables...) {
		if p := c.byLive[table]; p != nil && p.mentionsRebuilt(texts) {
			return true
		}
	}
	return false
}

// mentionsRebuilt reports whether live texts mention a rebuilt column of the table.
func (p *tablePair) mentionsRebuilt(texts []reader) bool {
	return slices.ContainsFunc(p.columns, func(q *columnPair) bool {
		return q.rebuilt && mentionsColumn(texts, p.live, p.live.Columns[q.live].Name)
	})
}

// isRebuilt reports whether a declared name is that of a rebuilt column.
func (p *tablePair) isRebuilt(name string) bool {
	return slices.ContainsFunc(p.columns, func(q *columnPair) bool { return q.rebuilt && types.EqualFold(q.decl.Name, name) })
}

// forceConstraint decides whether a live constraint makes way. A UNIQUE or FOREIGN KEY over a rebuilt column goes with that; a
// constraint that is written on one comes back with it.
func (c *comparison) forceConstraint(p *tablePair, q *constraintPair) {
	switch i := q.live.ref.Position; q.live.ref.Class {
	case catalog.CheckClass:
		q.isForced = q.inline != nil && q.inline.rebuilt || c.readsTransient(p.live, catalog.CheckExpression, p.live.Checks[i].X)
	case catalog.ForeignKeyClass:
		q.isLost = !q.drifts && slices.ContainsFunc(q.live.columns(p.after), p.isRebuilt)
		q.isForced = !q.isLost && c.referencesRebuilt(p.after.ForeignKeys[i], p.after)
	default:
		q.isLost = !q.drifts && slices.ContainsFunc(q.live.columns(p.after), p.isRebuilt)
	}
}

// referencesRebuilt reports whether a foreign key names a rebuilt column of its parent.
func (c *comparison) referencesRebuilt(fk *catalog.ForeignKey, child *catalog.Table) bool {
	schema, name := fk.ParentName(child)
	parent := c.byName[types.Fold(name)]
	return schema == c.schema && parent != nil && slices.ContainsFunc(fk.ParentColumns, parent.isRebuilt)
}

// forceDefault drops an unchanged default before what it reads goes, and sets it again behind. A changed one is set when what the
// new one reads is there; where both read it, the old one is dropped by a statement of its own.
func (c *comparison) forceDefault(p *tablePair, q *columnPair) {
	live := p.live.Columns[q.live].Default
	if live == nil || q.decl.Default == nil || !c.readsTransient(p.live, catalog.DefaultExpression, live) {
		return
	}
	q.restored = true
	q.defaulted, q.undefaulted = true, true
}

// emitRebuilds emits step g'.
func (c *comparison) emitRebuilds(p *tablePair) {
	for _, q := range p.columns {
		if q.rebuilt {
			c.emitDropColumn(p, q.live, q)
			c.emitAddColumn(p, q)
		}
	}
	if p.hasRebuilds() && !c.opts.Whole {
		c.emitUnnamedLosses(p)
	}
}

// rebuiltResources are the rebuilt columns.
func (p *tablePair) rebuiltResources() []resource {
	var out []resource
	for _, q := range p.columns {
		if q.rebuilt {
			out = append(out, columnResource(p.name, q.decl.Name))
		}
	}
	return out
}

// emitUnnamedLosses adds the unnamed UNIQUE and FOREIGN KEY constraints of the table again that went with a rebuilt column.
func (c *comparison) emitUnnamedLosses(p *tablePair) {
	live := map[string]bool{}
	for _, k := range p.unnamed {
		live[k.body(p.after)] = true
	}
	for _, k := range p.declaredConstraints() {
		isOver := k.node.Kind != ast.CheckClause && slices.ContainsFunc(nameTexts(k.node.Columns), p.isRebuilt)
		if k.inline == nil && isOver && catalog.IsHiddenName(k.node.Name.Text) && live[c.unnamedBody(p, k.node)] {
			c.emitAddConstraint(p, k.node)
		}
	}
}
