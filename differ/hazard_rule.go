package differ

import (
	"fmt"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// droppedRules finds steps that take a rule off the rows, with nothing of its kind in its place: from then on what it refused is let in.
func droppedRules(c *comparison, s *step) []Hazard {
	switch n := s.Stmt.(type) {
	case *ast.DropStmt:
		switch {
		case n.Kind == ast.AssertionObject && !c.reasons.made[objectPart(n.Kind, s.Object)]:
			return droppedRule(DropsAssertion, "assertion "+s.Object)
		case n.Kind == ast.IndexObject && c.isUniqueIndex(s.Object) && !c.reasons.made[objectPart(n.Kind, s.Object)]:
			return droppedRule(DropsUnique, "unique index "+s.Object)
		}
	case *ast.AlterStmt:
		switch a := n.Action.(type) {
		case *ast.DropConstraint:
			return c.droppedConstraint(s, a.Name.Text)
		case *ast.SetNotNull:
			if a.Drop {
				return one(DropsNotNull, Info, fmt.Sprintf("column %s.%s may hold NULL from then on", s.Object, a.Column.Text), "")
			}
		}
	}
	return nil
}

func droppedRule(code HazardCode, what string) []Hazard {
	return one(code, Warning, what+" goes: what it refused is let in from then on", "")
}

func (c *comparison) isUniqueIndex(name string) bool {
	for t := range c.live.Tables(c.schema) {
		if i := t.IndexPosition(name); i >= 0 {
			return t.Indexes[i].Unique
		}
	}
	return false
}

// droppedConstraint tells of a constraint that goes. One of its kind that the table gets in the same plan stands in its place.
func (c *comparison) droppedConstraint(s *step, name string) []Hazard {
	code, kind := HazardCode(""), ast.CheckClause
	for _, u := range s.table.Uniques {
		if types.EqualFold(u.Name, name) {
			code, kind = DropsUnique, ast.UniqueClause
		}
	}
	for _, k := range s.table.Checks {
		if types.EqualFold(k.Name, name) {
			code = DropsCheck
		}
	}
	for _, fk := range s.table.ForeignKeys {
		if types.EqualFold(fk.Name, name) {
			code, kind = DropsForeignKey, ast.ForeignKeyClause
		}
	}
	if code == "" || c.reasons.rules[ruleOf{types.Fold(s.Object), kind}] || c.losesColumns(s, name) {
		return nil
	}
	return droppedRule(code, fmt.Sprintf("constraint %s of %s", name, s.Object))
}

// losesColumns reports whether a constraint is dropped since its columns or its table are.
func (c *comparison) losesColumns(s *step, name string) bool {
	var columns []int
	for _, u := range s.table.Uniques {
		if types.EqualFold(u.Name, name) {
			columns = u.Columns
		}
	}
	for _, fk := range s.table.ForeignKeys {
		if types.EqualFold(fk.Name, name) {
			columns = fk.Columns
		}
	}
	for _, i := range columns {
		for _, lost := range s.pair.lost {
			if i == lost {
				return true
			}
		}
	}
	return false
}

// manyRows is the number of rows from which a rewrite is worth a warning.
const manyRows = 1_000_000

// costlyRewrites finds steps that write very many rows anew.
func costlyRewrites(_ *comparison, s *step) []Hazard {
	if s.Effect.Kind != RewritesRows || s.Effect.Rows < manyRows {
		return nil
	}
	return one(RewritesMany, Info, fmt.Sprintf("%s are written anew, which takes time and, until it is done, space", s.Effect.count()), "")
}
