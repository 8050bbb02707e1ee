package plan

import (
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// simplifyJoins turns an outer join into an inner one where a condition above it is true of no null-extended row.
func (o *optimizer) simplifyJoins(root Node) Node {
	return bottomUp(root, func(n Node) Node {
		f, ok := n.(*Filter)
		if !ok {
			return n
		}
		j, ok := f.Input.(*Join)
		if !ok || j.LeftMatched.ID != 0 || j.RightMatched.ID != 0 {
			return n
		}
		rejects := func(side Node) bool {
			cols := ColSet{}
			cols.AddColumns(side.Output())
			return slices.ContainsFunc(f.Conds, func(x Expr) bool { return rejectsNull(x, cols) })
		}
		kind := j.Kind
		switch {
		case kind == LeftJoin && rejects(j.R), kind == RightJoin && rejects(j.L):
			kind = InnerJoin
		case kind == FullJoin && rejects(j.L):
			kind = LeftJoin
		case kind == FullJoin && rejects(j.R):
			kind = RightJoin
		default:
			return n
		}
		j = fresh(j)
		j.Kind = kind
		return filter(j, f.Conds)
	})
}

// rejectsNull reports whether a condition is never true when the given columns are NULL: it compares one of them, which makes
// the comparison NULL.
func rejectsNull(x Expr, cols ColSet) bool {
	isCol := func(x Expr) bool {
		c, ok := x.(*Col)
		return ok && cols.Has(c.ID)
	}
	switch x := x.(type) {
	case *Compare:
		return x.Op != Is && x.Op != IsNot && (isCol(x.L) || isCol(x.R))
	case *Between:
		return !x.Not && isCol(x.X)
	case *In:
		return len(x.X) == 1 && len(x.Items) > 0 && isCol(x.X[0])
	case *Test:
		return x.Op == ast.IsNull && x.Not && isCol(x.X)
	case *Logic:
		return x.Op == And && slices.ContainsFunc(x.Args, func(a Expr) bool { return rejectsNull(a, cols) })
	}
	return false
}
