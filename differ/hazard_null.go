package differ

import (
	"fmt"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
)

// missingValues finds columns that must hold a value in rows that have none.
func missingValues(c *comparison, s *step) []Hazard {
	alter, ok := s.Stmt.(*ast.AlterStmt)
	if !ok || !c.hasRows(s) {
		return nil
	}
	switch a := alter.Action.(type) {
	case *ast.AddColumn:
		return c.addedWithoutValue(s)
	case *ast.SetNotNull:
		if v, isLiteral := literalDefault(s.column); !a.Drop && (!isLiteral || v.IsNull()) {
			if f, ok := c.facts(s); ok && c.opts.Stats.rows(s.table) != Unknown {
				return countedNulls(s, a, c.opts.Stats.rows(s.table)-f.Values)
			}
			return one(NotNullTightened, Warning,
				fmt.Sprintf("rows in which %s.%s is NULL refuse the change", s.Object, a.Column.Text),
				"declare a default, which fills them, or update them first")
		}
	}
	return nil
}

// countedNulls tells of the rows that hold NULL where it will be forbidden.
func countedNulls(s *step, a *ast.SetNotNull, n int64) []Hazard {
	if n <= 0 {
		return nil
	}
	return one(NotNullTightened, Failure, fmt.Sprintf("%s.%s is NULL in %s", s.Object, a.Column.Text, Effect{Rows: n}.count()),
		"declare a default, which fills them, or update them first")
}

func (c *comparison) addedWithoutValue(s *step) []Hazard {
	q := s.column
	v, isLiteral := literalDefault(q)
	isFilled := q.decl.Generated != nil || q.decl.Default != nil && (!isLiteral || !v.IsNull())
	if !q.decl.NotNull || isFilled {
		return nil
	}
	why := ""
	if catalog.LeavesNullabilityOpen(q.def) {
		why = " (NOT NULL is not written: default_column_nullability makes it so)"
	}
	severity := Warning
	if c.opts.Stats.rows(s.table) > 0 {
		severity = Failure
	}
	return one(NotNullNoValue, severity,
		fmt.Sprintf("column %s.%s is NOT NULL%s and has no value for %s", s.Object, q.decl.Name, why,
			Effect{Rows: c.opts.Stats.rows(s.table)}.count()),
		"declare a default, an expression default such as (new.id), a generated clause, or null")
}
