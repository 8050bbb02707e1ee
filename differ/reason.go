package differ

import (
	"fmt"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// reasons says why there are the steps of a plan: what is declared and not there, or there and not declared.
type reasons struct {
	// made and gone are what the plan creates and drops, so that a pair of them is told as one change.
	made, gone map[part]bool
	// rules are the kinds of constraint that tables get.
	rules map[ruleOf]bool
}

// ruleOf is a kind of constraint of a table, whose name is folded.
type ruleOf struct {
	table string
	kind  ast.ConstraintKind
}

// part is an object, or a column or constraint of a table; names are folded.
type part struct {
	kind         string
	object, name string
}

func newReasons(steps []*step) *reasons {
	r := &reasons{made: map[part]bool{}, gone: map[part]bool{}, rules: map[ruleOf]bool{}}
	for _, s := range steps {
		switch n := s.Stmt.(type) {
		case *ast.DropStmt:
			r.gone[objectPart(n.Kind, s.Object)] = true
		case *ast.AlterStmt:
			switch a := n.Action.(type) {
			case *ast.AddColumn:
				r.made[columnPart(s, a.Column.Name)] = true
			case *ast.DropColumn:
				r.gone[columnPart(s, a.Column)] = true
			case *ast.AddConstraint:
				r.made[constraintPart(s, a.Constraint.Name)] = true
				r.rules[ruleOf{types.Fold(s.Object), a.Constraint.Kind}] = true
			case *ast.DropConstraint:
				r.gone[constraintPart(s, a.Name)] = true
			}
		default:
			r.made[objectPart(s.Kind, s.Object)] = true
		}
	}
	return r
}

// objectPart counts all kinds of view as one, since one may take the place of another.
func objectPart(kind ast.ObjectKind, name string) part {
	return part{kind: kind.String(), object: types.Fold(name)}
}

func columnPart(s *step, name ast.Name) part {
	return part{"column", types.Fold(s.Object), types.Fold(name.Text)}
}

func constraintPart(s *step, name ast.Name) part {
	return part{"constraint", types.Fold(s.Object), types.Fold(name.Text)}
}

func (r *reasons) of(s *step) string {
	switch n := s.Stmt.(type) {
	case *ast.DropStmt:
		return r.dropped(objectPart(n.Kind, s.Object), fmt.Sprintf("%s %s", n.Kind, s.Object))
	case *ast.AlterStmt:
		return r.altered(s, n.Action)
	}
	return r.created(objectPart(s.Kind, s.Object), fmt.Sprintf("%s %s", s.Kind, s.Object))
}

func (r *reasons) created(p part, what string) string {
	if r.gone[p] {
		return what + " is declared otherwise than it is, and made anew"
	}
	return what + " is declared and not there"
}

func (r *reasons) dropped(p part, what string) string {
	if r.made[p] {
		return what + " is declared otherwise than it is, and makes room"
	}
	return what + " is there and not declared"
}

func (r *reasons) altered(s *step, a ast.AlterAction) string {
	column := func(name ast.Name) string { return fmt.Sprintf("column %s.%s", s.Object, name.Text) }
	rule := func(name ast.Name) string {
		if name.IsZero() {
			return "a constraint of " + s.Object
		}
		return fmt.Sprintf("constraint %s of %s", name.Text, s.Object)
	}
	switch a := a.(type) {
	case *ast.RenameTable:
		return fmt.Sprintf("%s %s is declared as %s, by a hint", s.Kind, s.Object, a.To.Text)
	case *ast.RenameColumn:
		return fmt.Sprintf("%s is declared as %s, by a hint", column(a.From), a.To.Text)
	case *ast.RenameConstraint:
		return fmt.Sprintf("%s is declared as %s, by a hint", rule(a.From), a.To.Text)
	case *ast.AddColumn:
		return r.created(columnPart(s, a.Column.Name), column(a.Column.Name))
	case *ast.DropColumn:
		return r.dropped(columnPart(s, a.Column), column(a.Column))
	case *ast.AddConstraint:
		return r.created(constraintPart(s, a.Constraint.Name), rule(a.Constraint.Name))
	case *ast.DropConstraint:
		return r.dropped(constraintPart(s, a.Name), rule(a.Name))
	case *ast.SetDataType:
		return column(a.Column) + " is declared with another type"
	case *ast.SetCollate:
		return column(a.Column) + " is declared with another collation"
	case *ast.SetDefault:
		return column(a.Column) + " is declared with another default"
	case *ast.SetGenerated:
		return column(a.Column) + " is declared with another generation"
	case *ast.SetNotNull:
		return column(a.Column) + " is declared with another nullability"
	case *ast.AlterPrimaryKey:
		return fmt.Sprintf("table %s is declared with another key", s.Object)
	case *ast.SetColumnOrder:
		return fmt.Sprintf("table %s is declared with its columns in another order", s.Object)
	case *ast.SetUsing:
		return fmt.Sprintf("table %s is declared in another module", s.Object)
	case *ast.TagAction:
		return fmt.Sprintf("the tags of %s %s are declared otherwise", s.Kind, s.Object)
	}
	return fmt.Sprintf("%s %s is declared otherwise than it is", s.Kind, s.Object)
}
