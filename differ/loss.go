package differ

import (
	"fmt"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// LossQuestion gives what has to be known of the rows to tell whether a step loses any, or values of them, in the state in which it runs.
// A step that is known to (a hazard says so) raises no question.
func LossQuestion(s *Step, now *catalog.Snapshot, schema string, known *types.Registry) (q Question, asks bool) {
	t := now.Table(schema, s.Object)
	code := lossCode(s)
	if t == nil || t.Maintained != nil || code == "" || s.tells(code) {
		return q, false
	}
	q.Table = types.Fold(t.Name)
	if code == DropsRows {
		return q, true
	}
	i := t.ColumnIndex(s.Column())
	if i < 0 || t.Columns[i].Generated != nil {
		return q, false
	}
	q.Column = types.Fold(t.Columns[i].Name)
	if code == RetypeLoses {
		q.To = known.Lookup(s.Stmt.(*ast.AlterStmt).Action.(*ast.SetDataType).Type.Name)
		return q, q.To != nil
	}
	return q, true
}

// lossCode is the hazard of a step that can lose something, "" for others.
func lossCode(s *Step) HazardCode {
	switch n := s.Stmt.(type) {
	case *ast.DropStmt:
		if n.Kind == ast.TableObject {
			return DropsRows
		}
	case *ast.AlterStmt:
		switch a := n.Action.(type) {
		case *ast.DropColumn:
			return DropsValues
		case *ast.SetDataType:
			return RetypeLoses
		case *ast.SetGenerated:
			if a.X != nil {
				return OverwritesValues
			}
		}
	}
	return ""
}

// tells reports whether a hazard of the step says that something is lost.
func (s *Step) tells(code HazardCode) bool {
	for _, h := range s.Hazards {
		if h.Code == code && h.Severity == Destructive {
			return true
		}
	}
	return false
}

// Loss gives the hazard of a step that raised a LossQuestion, from its answer; loses is false when nothing is lost.
func Loss(s *Step, f ColumnFacts) (h Hazard, loses bool) {
	h = Hazard{Code: lossCode(s), Severity: Destructive, Avoid: "make a new plan on the rows that are there"}
	n := f.Values
	switch h.Code {
	case DropsRows:
		h.Message = fmt.Sprintf("drops table %s, which holds rows by now", s.Object)
	case DropsValues:
		h.Message = fmt.Sprintf("drops the values of column %s.%s in %s", s.Object, s.Column(), Effect{Rows: n}.count())
	case OverwritesValues:
		h.Message = fmt.Sprintf("the values of column %s.%s in %s become those of its expression", s.Object, s.Column(), Effect{Rows: n}.count())
	case RetypeLoses:
		n = f.Lost
		h.Message = fmt.Sprintf("values of column %s.%s lose something in %s", s.Object, s.Column(), Effect{Rows: n}.count())
		h.Examples = f.LostExamples
	}
	return h, n > 0
}
