package differ

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
)

// compareDerivations decides which tables are detached from their bodies and which are attached (docs/reference/declarative-schema.md). A
// table whose shape changes has to be a plain one meanwhile.
func (c *comparison) compareDerivations() {
	for _, p := range c.tables {
		if !p.isMatched() {
			continue
		}
		isMaintained, shall := p.live.Maintained != nil, p.decl.Maintained != nil
		reshapes := p.comparesShape() && c.changesShape(p)
		p.detach = isMaintained && (!shall || reshapes)
		p.attach = shall && (!isMaintained || reshapes || !c.sameBody(p))
	}
	c.reattachStale()
}

// reattachStale attaches the unchanged derivations that the plan would leave stale: those that read a relation or a column which
// goes and comes back, and those that read one of these.
func (c *comparison) reattachStale() {
	for again := len(c.recreated) > 0 || c.hasRebuilds(); again; {
		again = false
		for _, p := range c.tables {
			if p.isMatched() && p.decl.Maintained != nil && !p.attach && c.turnsStale(p) {
				p.attach, p.isStale, again = true, true, true
			}
		}
	}
}

func (c *comparison) turnsStale(p *tablePair) bool {
	body, home := p.live.Maintained.Body, c.liveNames.HomeOf(p.live.Schema)
	reach := c.reach(body, home.Path)
	texts := c.readers(reach, reader{body, home})
	return c.reachesAny(reach, c.isRecreated) || slices.ContainsFunc(reach.tables, func(t *catalog.Table) bool {
		source := c.byLive[t]
		return source != nil && (source.isStale || source.mentionsRebuilt(texts))
	})
}

func (c *comparison) sameBody(p *tablePair) bool {
	live, declared := p.after.Maintained, p.decl.Maintained
	if catalog.NormalMaintained(live) == catalog.NormalMaintained(declared) {
		return true
	}
	a, b := *live, *declared
	a.Body, b.Body = c.plain(a.Body).(*ast.SelectStmt), c.plain(b.Body).(*ast.SelectStmt)
	return catalog.NormalMaintained(&a) == catalog.NormalMaintained(&b)
}

// changesShape reports whether phase 8 has statements for the table beside its own tags.
func (c *comparison) changesShape(p *tablePair) bool {
	if p.rekeyed || p.changesAttributes() || len(p.lost) > 0 || len(p.lostConstraints) > 0 {
		return true
	}
	for _, q := range p.columns {
		if q.isChanged() {
			return true
		}
	}
	for _, q := range p.hidden {
		if q.live == nil || q.isRedefined() {
			return true
		}
	}
	for _, q := range p.constraints {
		if q.live == nil || q.isRedefined() || q.oldName != "" || !sameTags(q.live.tags, q.tags) {
			return true
		}
	}
	return false
}

// isChanged reports whether a statement is about the column.
func (q *columnPair) isChanged() bool {
	return q.live < 0 || q.oldName != "" || q.rebuilt || q.retyped || q.recollated || q.defaulted || q.undefaulted || q.renulled ||
		!sameTags(q.from.Tags, q.decl.Tags)
}

// emitDetaches emits phase 3.
func (c *comparison) emitDetaches() {
	for _, p := range c.tables {
		if p.detach {
			c.alter(p, &ast.DropMaintained{}).give(writableResource(p.name))
		}
	}
}

// emitAttaches emits phase 9. Whatever changes the table comes before.
func (c *comparison) emitAttaches() {
	for _, p := range c.tables {
		if !p.attach {
			continue
		}
		action := &ast.SetMaintained{Columns: nil, Query: p.decl.Maintained.Body}
		if p.decl.Maintained.Columns != nil {
			action.Columns = columnNodes(p.decl.Maintained.Columns)
		}
		s := c.alter(p, action)
		s.give(derivationResource(p.name))
		s.end(shapeResource(p.name))
		s.need(c.bodyNeeds(action.Query)...)
		s.wait(c.bodyWaits(action.Query)...)
		for _, r := range c.sourceDerivations(p) {
			s.need(r)
		}
	}
}

// sourceDerivations are the derivations of the maintained tables that the body reads: theirs come first.
func (c *comparison) sourceDerivations(p *tablePair) []resource {
	var out []resource
	for _, q := range resolve.Sources(p.decl.Maintained.Body) {
		if name, ok := c.ownTarget(q, c.targetNames.HomeOf(c.schema).Path); ok {
			out = append(out, derivationResource(name))
		}
	}
	return out
}
