package vtabtest

import (
	"fmt"
	"strconv"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// specOf compiles the expressions of a table's indexes.
func specOf(t *catalog.Table) *vtab.TableSpec {
	spec := &vtab.TableSpec{}
	for _, ix := range t.Indexes {
		var where func(types.Row) (bool, error)
		if ix.Where != nil {
			where = func(r types.Row) (bool, error) {
				truth, _ := types.Truth(evaluate(t, ix.Where, r))
				return truth, nil
			}
		}
		spec.Predicates = append(spec.Predicates, where)
		members := make([]func(types.Row) (types.Value, error), len(ix.Members))
		for i, m := range ix.Members {
			if m.X != nil {
				members[i] = func(r types.Row) (types.Value, error) { return evaluate(t, m.X, r), nil }
			}
		}
		spec.Members = append(spec.Members, members)
	}
	return spec
}

// evaluate computes the few expressions that the suite writes into indexes: columns, integers, sums and comparisons.
func evaluate(t *catalog.Table, x ast.Expr, r types.Row) types.Value {
	switch x := x.(type) {
	case *ast.Paren:
		return evaluate(t, x.X, r)
	case *ast.ColumnRef:
		return r[t.ColumnIndex(x.Column.Text)]
	case *ast.Literal:
		n, err := strconv.ParseInt(x.Text, 10, 64)
		if err != nil {
			panic(err)
		}
		return types.Int(n)
	case *ast.Binary:
		return binary(x.Op, evaluate(t, x.L, r), evaluate(t, x.R, r))
	}
	panic(fmt.Sprintf("no evaluation of %s", ast.Format(x)))
}

func binary(op ast.BinaryOp, l, r types.Value) types.Value {
	if l.IsNull() || r.IsNull() {
		return types.Null
	}
	switch op {
	case ast.OpGt:
		return types.Bool(types.Compare(l, r, nil) > 0)
	case ast.OpMod:
		a, _ := l.Int64()
		b, _ := r.Int64()
		return types.Int(a % b)
	}
	panic("no such operator")
}
