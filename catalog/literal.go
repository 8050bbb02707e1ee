package catalog

import (
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// LiteralValue gives the value of a literal. A number may have its sign in Text, as those outside expressions do. An integer is
// exact at any size; a real beyond the doubles is an infinity.
func LiteralValue(x *ast.Literal) types.Value {
	switch x.Kind {
	case ast.TrueLit:
		return types.True
	case ast.FalseLit:
		return types.False
	case ast.IntegerLit, ast.RealLit:
		return numberValue(x.Text)
	case ast.TextLit:
		return types.Text(x.Text)
	case ast.BlobLit:
		return types.Blob([]byte(x.Text))
	}
	return types.Null
}

func numberValue(text string) types.Value {
	digits, negative := strings.CutPrefix(text, "-")
	digits = strings.TrimPrefix(digits, "+")
	v, ok := types.ParseIntegerLiteral(digits)
	if !ok {
		f, _ := types.ParseNumberPrefix(digits)
		v = types.Real(f)
	}
	if negative {
		return types.Neg(v)
	}
	return v
}

// FoldLiteral gives the value of an expression that is as good as a literal: a literal, a sign before one, constant
// arithmetic, each in any parentheses and under any COLLATE (docs/reference/alter.md). ok is false for everything else, which has to be
// evaluated row by row. It takes stack linear in the depth of the tree.
func FoldLiteral(x ast.Expr) (v types.Value, ok bool) {
	switch x := x.(type) {
	case *ast.Literal:
		return LiteralValue(x), true
	case *ast.Paren:
		return FoldLiteral(x.X)
	case *ast.Collate:
		return FoldLiteral(x.X)
	case *ast.Unary:
		return foldSign(x)
	case *ast.Binary:
		return foldArithmetic(x)
	}
	return types.Null, false
}

func foldSign(x *ast.Unary) (types.Value, bool) {
	v, ok := FoldLiteral(x.X)
	switch {
	case !ok || !isOperand(v):
		return types.Null, false
	case x.Op == ast.OpNeg:
		return types.Neg(v), true
	case x.Op == ast.OpPlus:
		return types.Plus(v), true
	}
	return types.Null, false
}

var foldable = map[ast.BinaryOp]func(a, b types.Value) types.Value{
	ast.OpAdd: types.Add, ast.OpSub: types.Sub, ast.OpMul: types.Mul, ast.OpDiv: types.Div, ast.OpMod: types.Mod,
}

// foldArithmetic folds an operator over operands that isOperand admits.
func foldArithmetic(x *ast.Binary) (types.Value, bool) {
	op := foldable[x.Op]
	if op == nil {
		return types.Null, false
	}
	a, okA := FoldLiteral(x.L)
	b, okB := FoldLiteral(x.R)
	if !okA || !okB || !isOperand(a) || !isOperand(b) {
		return types.Null, false
	}
	return op(a, b), true
}

// isOperand admits numbers and NULL. Texts are left to evaluation, where a date or a duration among them gives an operator
// another meaning.
func isOperand(v types.Value) bool { return v.IsNull() || v.IsNumber() }

// stripParens takes the kept parentheses off an expression.
func stripParens(x ast.Expr) ast.Expr {
	for {
		p, ok := x.(*ast.Paren)
		if !ok {
			return x
		}
		x = p.X
	}
}
