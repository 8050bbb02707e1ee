package exec

import (
	"slices"
	"strings"

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
			return arithConst(l, numberOps[x.Op], k.Value, c.b.located(x.Pos))
		}
		return limited(l, r, numberOps[x.Op], c.b.located(x.Pos))
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
		if err := firstError(ec.checkOperand(a), ec.checkOperand(b)); err != nil {
			return types.Null, at(err)
		}
		v, err := f(a, b)
		if err == nil && v.IsBig() {
			err = ec.checkInteger(v)
		}
		if err != nil {
			return types.Null, at(err)
		}
		return v, nil
	}
}

// limited is an operator on integers, which keeps to the limit of their digits.
func limited(l, r Expr, f func(a, b types.Value) types.Value, at func(error) error) Expr {
	return func(ec *Context, row types.Row) (types.Value, error) {
		a, err := l(ec, row)
		if err != nil {
			return types.Null, err
		}
		b, err := r(ec, row)
		if err != nil {
			return types.Null, err
		}
		v := f(a, b)
		if !v.IsBig() {
			return v, nil
		}
		if err := ec.checkInteger(v); err != nil {
			return types.Null, at(err)
		}
		return v, nil
	}
}

// arithConst is an operator whose right operand is a constant.
func arithConst(l Expr, f func(a, b types.Value) types.Value, k types.Value, at func(error) error) Expr {
	return func(ec *Context, row types.Row) (types.Value, error) {
		a, err := l(ec, row)
		if err != nil {
			return types.Null, err
		}
		v := f(a, k)
		if !v.IsBig() {
			return v, nil
		}
		if err := ec.checkInteger(v); err != nil {
			return types.Null, at(err)
		}
		return v, nil
	}
}

func (c *compiler) sign(x *plan.Sign) Expr {
	t := x.X.Static().Type
	if x.Minus {
		return unary(c.expr(x.X), types.BindNeg(t))
	}
	return unary(c.expr(x.X), types.BindPlus(t))
}

// concat compiles a chain of ||: all operands are evaluated, from left to right, before their text is made, once.
func (c *compiler) concat(x *plan.Concat) Expr {
	parts, at := c.exprs(operands(x)), c.b.located(x.Pos)
	return func(ec *Context, row types.Row) (types.Value, error) {
		base := len(ec.stack)
		v, err := concat(ec, row, parts, at)
		ec.stack = ec.stack[:base]
		return v, err
	}
}

// operands lists the operands of a chain.
func operands(x *plan.Concat) []plan.Expr {
	var list []plan.Expr
	var l plan.Expr = x
	for {
		link, ok := l.(*plan.Concat)
		if !ok {
			break
		}
		list = append(list, link.R)
		l = link.L
	}
	list = append(list, l)
	slices.Reverse(list)
	return list
}

// concat joins the texts of values, which it puts onto the stack.
func concat(ec *Context, row types.Row, parts []Expr, at func(error) error) (types.Value, error) {
	base, size, isNull := len(ec.stack), 0, false
	for _, part := range parts {
		v, err := part(ec, row)
		if err != nil {
			return types.Null, err
		}
		if v.Kind() != types.KindText && !v.IsNull() {
			if err := ec.reserve(lengthOf(v)); err != nil {
				return types.Null, at(err)
			}
			v = types.Text(types.ToText(v))
		}
		isNull = isNull || v.IsNull()
		size += lengthOf(v)
		ec.stack = append(ec.stack, v)
	}
	if isNull {
		return types.Null, nil
	}
	if err := ec.reserve(size); err != nil {
		return types.Null, at(err)
	}
	if values := ec.stack[base:]; len(values) == 2 {
		return ec.count(types.Text(values[0].Str() + values[1].Str())), nil
	}
	var text strings.Builder
	text.Grow(size)
	for _, v := range ec.stack[base:] {
		text.WriteString(v.Str())
	}
	return ec.count(types.Text(text.String())), nil
}
