package differ

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// assertionPair is a declared assertion with the live one of its name. Assertions have no renames and no tags.
type assertionPair struct {
	stmt   *ast.CreateAssertionStmt
	origin catalog.Origin
	live   *catalog.Assertion // nil for a new one
	// redefined: the condition differs, or it reads something that the plan drops and has to make way for the drop.
	redefined bool
}

func (c *comparison) compareAssertions() {
	declared := map[string]bool{}
	for _, p := range c.assertions {
		declared[types.Fold(p.stmt.Name.Name.Text)] = true
		if p.live = c.live.Assertion(c.schema, p.stmt.Name.Name.Text); p.live != nil {
			p.redefined = c.assertionDrifts(p) || c.isForcedAssertion(p.live)
		}
	}
	for _, a := range c.live.AssertionsInOrder(c.schema) {
		if !declared[types.Fold(a.Name)] {
			c.lostAssertions = append(c.lostAssertions, a)
		}
	}
}

// assertionDrifts compares the conditions as text. Renames are not undone here (docs/reference/declarative-schema.md): an assertion holds
// no rows, and it is made anew around them.
func (c *comparison) assertionDrifts(p *assertionPair) bool {
	carried := c.carriedCondition(p.live.Schema, p.live.X)
	return !c.sameCondition(p.live.X, p.stmt.X) || carried != p.live.X && !c.sameCondition(carried, p.stmt.X)
}

func (c *comparison) sameCondition(a, b ast.Expr) bool {
	return ast.SameText(a, b) || ast.SameText(c.plain(a), c.plain(b))
}

func (c *comparison) isForcedAssertion(a *catalog.Assertion) bool {
	return len(c.gone) > 0 && c.reachesAny(c.reach(a.X, c.liveNames.HomeOf(a.Schema).Path), c.isGone)
}

// emitAssertionDrops emits phase 2: drifted or forced ones in declared order, then undeclared ones in live order.
func (c *comparison) emitAssertionDrops() {
	for _, p := range c.assertions {
		if p.redefined {
			c.drop(ast.AssertionObject, p.live.Name)
		}
	}
	for _, a := range c.lostAssertions {
		c.drop(ast.AssertionObject, types.Fold(a.Name))
	}
}

// emitAssertionCreates emits phase 10.
func (c *comparison) emitAssertionCreates() {
	for _, p := range c.assertions {
		if p.live == nil || p.redefined {
			stmt := *p.stmt
			stmt.Name = c.qname(p.stmt.Name.Name.Text)
			s := c.emit(ast.AssertionObject, p.stmt.Name.Name.Text, &stmt)
			s.Item, s.Origin = p.stmt, p.origin
			home := c.targetNames.HomeOf(c.schema)
			s.need(c.columnNeeds(stmt.X, home, nil, newValues)...)
			s.need(c.columnNeeds(stmt.X, home, nil, newCollations)...)
			s.need(c.viewNeeds(stmt.X, home.Path)...)
			s.wait(c.bodyWaits(stmt.X)...)
			s.need(c.relationNeeds(stmt.X, home.Path...)...)
		}
	}
}
