package differ

import (
	"fmt"
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// IsData reports whether the step changes rows and no schema: INSERT, UPDATE or DELETE.
func (s *Step) IsData() bool {
	switch s.Stmt.(type) {
	case *ast.InsertStmt, *ast.UpdateStmt, *ast.DeleteStmt:
		return true
	}
	return false
}

// NewStep makes the step of a statement that somebody wrote into a plan: what it is about, and for one that changes rows its effect and
// hazards, which follow from the statement alone. UNSUPPORTED for a statement that has no place in a plan.
func NewStep(stmt ast.Stmt) (Step, error) {
	s := Step{Stmt: stmt, SQL: ast.Format(stmt)}
	switch n := stmt.(type) {
	case *ast.InsertStmt:
		return s.data(n.Table, n.Returning)
	case *ast.UpdateStmt:
		s.Hazards = one(StatementChanges, Warning, fmt.Sprintf("values of %s are overwritten as the statement says", n.Table.Name.Name.Text), "")
		return s.data(n.Table, n.Returning)
	case *ast.DeleteStmt:
		s.Hazards = one(StatementDeletes, Destructive, fmt.Sprintf("rows of %s are deleted as the statement says", n.Table.Name.Name.Text), "")
		return s.data(n.Table, n.Returning)
	case *ast.CreateTableStmt:
		s.Kind, s.Object = ast.TableObject, n.Name.Name.Text
	case *ast.CreateMaterializedViewStmt:
		s.Kind, s.Object = ast.MaterializedViewObject, n.Name.Name.Text
	case *ast.CreateViewStmt:
		s.Kind, s.Object = ast.ViewObject, n.Name.Name.Text
	case *ast.CreateIndexStmt:
		s.Kind, s.Object = ast.IndexObject, n.Name.Name.Text
	case *ast.CreateAssertionStmt:
		s.Kind, s.Object = ast.AssertionObject, n.Name.Name.Text
	case *ast.DropStmt:
		s.Kind, s.Object = n.Kind, n.Name.Name.Text
	case *ast.AlterStmt:
		s.Kind, s.Object = n.Kind, n.Name.Name.Text
	default:
		return s, types.Errorf(types.UNSUPPORTED, "a plan is made of CREATE, ALTER, DROP, INSERT, UPDATE and DELETE; %s has no place in it", s.SQL)
	}
	return s, nil
}

// data completes a step that changes rows of a table.
func (s Step) data(t ast.Target, returning []ast.SelectItem) (Step, error) {
	switch {
	case returning != nil:
		return s, types.Errorf(types.UNSUPPORTED, "a statement of a plan hands out no rows; leave RETURNING out: %s", s.SQL)
	case t.Query != nil:
		return s, types.Errorf(types.UNSUPPORTED, "a statement of a plan changes the rows of a table by its name: %s", s.SQL)
	}
	s.Kind, s.Object, s.Effect = ast.TableObject, t.Name.Name.Text, Effect{Kind: WritesRows, Rows: Unknown}
	s.Reason = "written into the plan"
	return s, nil
}

// ChainData makes each step that changes rows run after all that stand before it, and all that stand after it run after it: what a
// statement of somebody's own needs nobody can tell.
func ChainData(steps []Step) {
	last := -1
	for i := range steps {
		switch s := &steps[i]; {
		case s.IsData():
			s.After = make([]int, i)
			for j := range s.After {
				s.After[j] = j
			}
			last = i
		case last >= 0:
			if at, ok := slices.BinarySearch(s.After, last); !ok {
				s.After = slices.Insert(slices.Clone(s.After), at, last)
			}
		}
	}
}
