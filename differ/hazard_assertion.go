package differ

import (
	"fmt"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// untestedAssertions finds assertions that are made over rows. The statement leaves the rows alone (docs/reference/language.md); a
// migration judges them.
func untestedAssertions(c *comparison, s *step) []Hazard {
	n, ok := s.Stmt.(*ast.CreateAssertionStmt)
	if !ok {
		return nil
	}
	reads := c.targetNames.ReadsOf(n.X, c.targetNames.HomeOf(c.schema).Path, nil)
	isFilled := func(t *catalog.Table) bool {
		if t.Schema != c.schema {
			return true
		}
		p := c.byName[types.Fold(t.Name)]
		return p != nil && p.live != nil && c.opts.Stats.rows(p.live) != 0
	}
	if !slices.ContainsFunc(reads.Tables, isFilled) {
		return nil
	}
	return one(AssertionUntested, Warning,
		fmt.Sprintf("rows that make assertion %s false refuse the migration; run by hand, the statement leaves them, and every later write is refused",
			n.Name.Name.Text), "look for them first")
}
