package exec

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// numberOps are the arithmetic operators over numbers.
var numberOps = map[types.ArithOp]func(a, b types.Value) types.Value{
	types.ArithAdd: types.Add, types.ArithSub: types.Sub, types.ArithMul: types.Mul, types.ArithDiv: types.Div, types.ArithMod: types.Mod,
}

var bitOps = map[ast.BinaryOp]func(a, b types.Value) types.Value{
	ast.OpBitAnd: types.BitAnd, ast.OpBitOr: types.BitOr, ast.OpShl: types.Shl, ast.OpShr: types.Shr,
}

// arith compiles an arithmetic operator. Over static numbers it cannot fail and no temporal form is looked for.
func (c *compiler) arith(x *plan.Arith) Expr {
	l, r := c.expr(x.L), c.expr(x.R)
	lt, rt := x.L.Static().Type, x.R.Static().Type
	if types.OperandKindOf(lt) == types.OperandNumber && types.OperandKindOf(rt) == types.OperandNumber {
		if k, ok := x.R.(*plan.Const); ok {
			return arithConst(l, numberOps[x.Op], k.Value)
		}
		return binary(l, r, numberOps[x.Op])
	}
	f, at := types.BindArith(x.Op, lt, rt), c.b.located(x.Pos)
	return func(ec *Context, row types.Row) (types.Value, error) {
		a, err := l(ec, row)
		if err != nil {
			return types.Null, err
		}
		b, err := r(ec, row)
		if err != nil {
			return types.Null, err
		}
		v, err := f(a, b)
		if err != nil {
			return types.Null, at(err)
		}
		return v, nil
	}
}

// arithConst is an operator whose right operand is a constant.
func arithConst(l Expr, f func(a, b types.Value) types.Value, k types.Value) Expr {
	return func(ec *Context, row types.Row) (types.Value, error) {
		a, err := l(ec, row)
		if err != nil {
			return types.Null, err
		}
		return f(a, k), nil
	}
}

func (c *compiler) sign(x *plan.Sign) Expr {
	t := x.X.Static().Type
	if x.Minus {
		return unary(c.expr(x.X), types.BindNeg(t))
	}
	return unary(c.expr(x.X), types.BindPlus(t))
}

// concat is a || b.
func concat(a, b types.Value) types.Value {
	if a.IsNull() || b.IsNull() {
		return types.Null
	}
	return types.Text(types.ToText(a) + types.ToText(b))
}
