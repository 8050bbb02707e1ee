package differ

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
)

// emitEarlyReleases emits phase 3a: constraints and defaults that this plan drops or replaces anyway and whose live form depends
// on what phases 4 and 5 drop.
func (c *comparison) emitEarlyReleases() {
	if len(c.gone) == 0 {
		return
	}
	for _, p := range c.tables {
		if p.comparesShape() {
			c.releaseConstraints(p)
		}
	}
	for _, p := range c.tables {
		if p.comparesShape() {
			c.releaseDefaults(p)
		}
	}
}

func (c *comparison) releaseConstraints(p *tablePair) {
	release := func(k *storedConstraint) {
		if c.dependsOnGone(p, k) {
			c.emitDropConstraint(p, k)
			k.isReleased = true
		}
	}
	for _, q := range p.pairs() {
		if q.isRedefined() {
			release(q.live)
		}
	}
	for i := range p.lostConstraints {
		release(&p.lostConstraints[i])
	}
}

// dependsOnGone reports whether a live constraint depends on something that phases 4 and 5 drop: a CHECK that reads it, through any
// chain of views, or a FOREIGN KEY that references it.
func (c *comparison) dependsOnGone(p *tablePair, k *storedConstraint) bool {
	switch i := k.ref.Position; k.ref.Class {
	case catalog.CheckClass:
		return c.reachesAny(c.rowReach(p.live, p.live.Checks[i].X), c.isGone)
	case catalog.ForeignKeyClass:
		schema, parent := p.live.ForeignKeys[i].ParentName(p.live)
		return schema == c.schema && c.isGone(parent)
	}
	return false
}

func (c *comparison) releaseDefaults(p *tablePair) {
	for _, q := range p.columns {
		if q.live < 0 || !q.undefaulted || q.rebuilt {
			continue
		}
		x := p.live.Columns[q.live].Default
		if !c.reachesAny(c.rowReach(p.live, x), c.isGone) {
			continue
		}
		// The column may still have its old name: a rename by this plan comes later.
		name := q.def.Name
		if q.oldName != "" {
			name = ast.Ident(q.oldName)
		}
		s := c.alter(p, &ast.SetDefault{Column: name})
		s.column, q.isReleased = q, true
		q.chain(s)
		s.let(c.rowReads(p.live, catalog.DefaultExpression, x)...)
		s.let(columnResource(p.name, name.Text))
	}
}
