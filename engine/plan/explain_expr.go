package plan

import (
	"fmt"
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// The text of bound expressions in explain. It is for reading: casts that the planner added show, and nothing reads it back.

func exprTexts(list []Expr) string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = exprText(x)
	}
	return strings.Join(out, ", ")
}

func conditionText(conds []Expr) string {
	out := make([]string, len(conds))
	for i, x := range conds {
		out[i] = operand(x)
	}
	if len(conds) == 1 {
		return exprText(conds[0])
	}
	return strings.Join(out, " and ")
}

var compareWords = [...]string{Eq: "=", Ne: "!=", Lt: "<", Le: "<=", Gt: ">", Ge: ">=", Is: "is", IsNot: "is not"}
var logicWords = [...]string{And: " and ", Or: " or ", Xor: " xor "}
var bitWords = map[ast.BinaryOp]string{ast.OpBitAnd: "&", ast.OpBitOr: "|", ast.OpShl: "<<", ast.OpShr: ">>"}
var testWords = map[ast.IsOp]string{ast.IsNull: "null", ast.IsTrue: "true", ast.IsFalse: "false"}
var matchWords = [...]string{ast.OpLike: "like", ast.OpGlob: "glob", ast.OpRegexp: "regexp"}

func exprText(x Expr) string {
	switch x := x.(type) {
	case *Const:
		return constText(x.Value)
	case *Param:
		return fmt.Sprintf("?%d", x.Index+1)
	case *Col:
		return ast.FormatName(x.Name)
	case *Clock:
		return x.Word.String()
	case *Sign:
		if x.Minus {
			return "-" + operand(x.X)
		}
		return "+" + operand(x.X)
	case *BitNot:
		return "~" + operand(x.X)
	case *Arith:
		return infix(x.L, x.Op.String(), x.R)
	case *Bits:
		return infix(x.L, bitWords[x.Op], x.R)
	case *Concat:
		return infix(x.L, "||", x.R)
	case *Compare:
		return infix(x.L, compareWords[x.Op], x.R) + collationText(x.By)
	case *Cast:
		return "cast(" + exprText(x.X) + " as " + types.Fold(x.Type.Name) + ")"
	case *Collate:
		return operand(x.X) + " collate " + types.Fold(x.Collation.Collation.Name)
	case *Call:
		return x.Fn.Name + "(" + exprTexts(x.Args) + ")"
	case *Coalesce:
		return "coalesce(" + exprTexts(x.Args) + ")"
	case *Iif:
		return "iif(" + exprTexts([]Expr{x.Cond, x.Then, x.Else}) + ")"
	}
	return testText(x)
}

func testText(x Expr) string {
	switch x := x.(type) {
	case *Logic:
		args := make([]string, len(x.Args))
		for i, a := range x.Args {
			args[i] = operand(a)
		}
		return strings.Join(args, logicWords[x.Op])
	case *Not:
		return "not " + operand(x.X)
	case *Test:
		return operand(x.X) + " is " + not(x.Not) + testWords[x.Op]
	case *Between:
		return operand(x.X) + " " + not(x.Not) + "between " + operand(x.Lo) + " and " + operand(x.Hi)
	case *In:
		return inText(x)
	case *InQuery:
		return tupleText(x.X) + " " + not(x.Not) + "in (subquery)"
	case *Like:
		return infix(x.X, matchWords[x.Op], x.P)
	case *Exists:
		return "exists (subquery)"
	case *Subquery:
		return "(subquery)"
	case *Case:
		return "case …"
	}
	return fmt.Sprintf("%T", x)
}

func inText(x *In) string {
	items := make([]string, len(x.Items))
	for i, item := range x.Items {
		items[i] = tupleText(item)
	}
	return tupleText(x.X) + " " + not(x.Not) + "in (" + strings.Join(items, ", ") + ")"
}

func tupleText(list []Expr) string {
	if len(list) == 1 {
		return operand(list[0])
	}
	return "(" + exprTexts(list) + ")"
}

func not(negate bool) string {
	if negate {
		return "not "
	}
	return ""
}

func infix(l Expr, op string, r Expr) string { return operand(l) + " " + op + " " + operand(r) }

// operand is an expression in parentheses unless it needs none anywhere.
func operand(x Expr) string {
	switch x.(type) {
	case *Const, *Param, *Col, *Clock, *Cast, *Call, *Coalesce, *Iif, *Exists, *Subquery, *Case:
		return exprText(x)
	}
	return "(" + exprText(x) + ")"
}

func collationText(by Order) string {
	if by.Collation == types.Binary {
		return ""
	}
	return " collate " + types.Fold(by.Collation.Name)
}

// constText is a constant as a literal, as far as there is one.
func constText(v types.Value) string {
	switch v.Kind() {
	case types.KindNull:
		return "null"
	case types.KindText:
		return string(ast.AppendString(nil, v.Str()))
	case types.KindBlob:
		return fmt.Sprintf("x'%x'", v.Bytes())
	}
	return types.ToText(v)
}
