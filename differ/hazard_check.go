package differ

import (
	"fmt"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// untestedChecks finds CHECKs that bind from the next write on, whatever the rows that are there hold.
func untestedChecks(c *comparison, s *step) []Hazard {
	alter, ok := s.Stmt.(*ast.AlterStmt)
	if !ok || !c.hasRows(s) {
		return nil
	}
	a, ok := alter.Action.(*ast.AddConstraint)
	if !ok || a.Constraint.Kind != ast.CheckClause {
		return nil
	}
	return one(CheckUntested, Warning,
		fmt.Sprintf("rows of %s that break %s stay as they are until they are written next", s.Object, ast.Format(a.Constraint)),
		"look for them first")
}
