package exec

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// logic compiles AND, OR and XOR to a three-valued value. An operand behind one that has decided is not evaluated.
func (c *compiler) logic(x *plan.Logic) Expr {
	args := c.exprs(x.Args)
	if x.Op == plan.Xor {
		return binary(args[0], args[1], xor)
	}
	decides := x.Op == plan.Or
	return func(ec *Context, row types.Row) (types.Value, error) {
		unknown := false
		for _, a := range args {
			v, err := a(ec, row)
			if err != nil {
				return types.Null, err
			}
			truth, known := types.Truth(v)
			if known && truth == decides {
				return types.Bool(decides), nil
			}
			unknown = unknown || !known
		}
		if unknown {
			return types.Null, nil
		}
		return types.Bool(!decides), nil
	}
}

// logicPred compiles AND and OR to a condition.
func (c *compiler) logicPred(x *plan.Logic) Pred {
	if x.Op == plan.And {
		return c.allPreds(x.Args)
	}
	preds := make([]Pred, len(x.Args))
	for i, a := range x.Args {
		preds[i] = c.pred(a)
	}
	return func(ec *Context, row types.Row) (bool, error) {
		for _, p := range preds {
			if ok, err := p(ec, row); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	}
}

func xor(a, b types.Value) types.Value {
	x, known := types.Truth(a)
	y, alsoKnown := types.Truth(b)
	if !known || !alsoKnown {
		return types.Null
	}
	return types.Bool(x != y)
}

func not(x Expr) Expr {
	return unary(x, func(v types.Value) types.Value {
		truth, known := types.Truth(v)
		if !known {
			return types.Null
		}
		return types.Bool(!truth)
	})
}

// test compiles IS [NOT] NULL, TRUE, FALSE, which are never NULL.
func test(t *plan.Test, x Expr) Expr {
	negate := t.Not
	switch t.Op {
	case ast.IsNull:
		return unary(x, func(v types.Value) types.Value { return types.Bool(v.IsNull() != negate) })
	case ast.IsTrue:
		return unary(x, func(v types.Value) types.Value {
			truth, known := types.Truth(v)
			return types.Bool((truth && known) != negate)
		})
	}
	return unary(x, func(v types.Value) types.Value {
		truth, known := types.Truth(v)
		return types.Bool((!truth && known) != negate)
	})
}
