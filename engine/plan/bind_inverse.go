package plan

import (
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Clauses that only matter for writing through a query are checked and have no effect on reading (docs/reference/language.md).

// checkDefaults checks WITH DEFAULTS. Unknown columns are noticed when a write uses them.
func (b *Binder) checkDefaults(q *ast.SelectStmt) {
	for i, d := range q.Defaults {
		same := func(e ast.Assignment) bool { return types.EqualFold(e.Column.Text, d.Column.Text) }
		if slices.ContainsFunc(q.Defaults[:i], same) {
			b.fail(d.Column.Pos(), types.ERROR, "Duplicate column '%s' in WITH DEFAULTS", d.Column.Text)
		}
	}
}

// checkInverse checks WITH INVERSE of one item.
func (b *Binder) checkInverse(it *ast.SelectItem, s *selection) {
	if len(it.Inverse) == 0 {
		return
	}
	if it.Star {
		b.fail(it.Pos(), types.ERROR, "WITH INVERSE cannot apply to a '*' result column")
		return
	}
	if b.hasAggregate(it.X) {
		b.fail(it.Pos(), types.ERROR, "WITH INVERSE cannot apply to an aggregate result column")
		return
	}
	for _, a := range it.Inverse {
		if !s.hasSourceColumn(a.Column) {
			b.fail(a.Column.Pos(), types.ERROR, "WITH INVERSE target '%s' does not resolve to a column of the FROM sources", a.Column.Text)
		}
		b.checkInverseRefs(a.X, s)
	}
}

func (s *selection) hasSourceColumn(name ast.Name) bool {
	for _, src := range s.from.sources {
		for _, c := range src.cols {
			if types.EqualFold(c.Name, name.Text) {
				return true
			}
		}
	}
	return false
}

// checkInverseRefs checks that an inverse reads nothing but output columns, as new.<name>.
func (b *Binder) checkInverseRefs(x ast.Expr, s *selection) {
	ast.Walk(x, func(n ast.Node) bool {
		ref, ok := n.(*ast.ColumnRef)
		if !ok {
			_, isQuery := n.(*ast.SelectStmt)
			return !isQuery
		}
		switch {
		case !types.EqualFold(ref.Table.Text, "new"):
			b.fail(ref.Pos(), types.ERROR, "WITH INVERSE expression references '%s' without the NEW qualifier", refText(ref))
		case !s.hasOutput(ref.Column):
			b.fail(ref.Pos(), types.ERROR, "WITH INVERSE reference '%s' does not resolve to an output column of this select", refText(ref))
		}
		return true
	})
}

func (s *selection) hasOutput(name ast.Name) bool {
	for i := range s.core.Items {
		it := &s.core.Items[i]
		if it.Star {
			if slices.ContainsFunc(s.star(it), func(c Column) bool { return types.EqualFold(c.Name, name.Text) }) {
				return true
			}
		} else if types.EqualFold(ast.ItemName(it), name.Text) {
			return true
		}
	}
	return false
}
