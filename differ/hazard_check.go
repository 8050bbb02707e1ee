package differ

import (
	"fmt"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// untestedChecks finds CHECKs that are added beside rows. The statement binds from the next write on, whatever the rows that are there
// hold (docs/reference/alter.md); a migration judges them.
func untestedChecks(c *comparison, s *step) []Hazard {
	alter, ok := s.Stmt.(*ast.AlterStmt)
	if !ok || !c.hasRows(s) {
		return nil
	}
	a, ok := alter.Action.(*ast.AddConstraint)
	if !ok || a.Constraint.Kind != ast.CheckClause || s.pair.decl.SeesWrite(a.Constraint.X) {
		return nil
	}
	return one(CheckUntested, Warning,
		fmt.Sprintf("rows of %s that break %s refuse the migration; run by hand, the statement leaves them until they are written next",
			s.Object, ast.Format(a.Constraint)),
		"look for them first")
}
