package ast

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

var binaryText = [...]string{
	OpOr: " or ", OpXor: " xor ", OpAnd: " and ",
	OpEq: " = ", OpEq2: " == ", OpNe: " != ", OpLt: " < ", OpLe: " <= ", OpGt: " > ", OpGe: " >= ",
	OpBitAnd: " & ", OpBitOr: " | ", OpShl: " << ", OpShr: " >> ",
	OpAdd: " + ", OpSub: " - ", OpMul: " * ", OpDiv: " / ", OpMod: " % ", OpConcat: " || ",
}

var (
	unaryText = [...]string{OpNot: "not ", OpNeg: "-", OpPlus: "+", OpBitNot: "~"}
	matchText = [...]string{OpLike: " like ", OpGlob: " glob ", OpRegexp: " regexp "}
)

func (p *printer) expr(x Expr) {
	switch x := x.(type) {
	case *Literal:
		p.literal(x)
	case *Param:
		p.param(x)
	case *ColumnRef:
		p.columnRef(x)
	case *Unary:
		p.unary(x)
	case *Binary:
		p.binary(x, true)
	case *RowExpr:
		p.str("(")
		p.exprs(x.Elems)
		p.str(")")
	case *Paren:
		p.paren(x.X)
	case *Collate:
		p.operand(x.X, LevelOf(x)+1)
		p.str(" collate ")
		p.collation(x.Collation)
	case *Cast:
		p.cast(x)
	case *Case:
		p.caseExpr(x)
	case *Call:
		p.call(x)
	case *DefaultCell:
		p.str("default")
	default:
		p.predicate(x)
	}
}

func (p *printer) predicate(x Expr) {
	switch x := x.(type) {
	case *Is:
		p.is(x)
	case *Between:
		p.between(x)
	case *In:
		p.in(x)
	case *Match:
		p.match(x)
	case *Exists:
		p.str("exists ")
		p.subquery(x.Query)
	case *Subquery:
		p.subquery(x.Query)
	}
}

func (p *printer) exprs(list []Expr) {
	for i, x := range list {
		p.comma(i)
		p.expr(x)
	}
}

func (p *printer) paren(x Expr) {
	p.str("(")
	p.expr(x)
	p.str(")")
}

// printedLevel is the binding power of an expression's text, which differs from LevelOf where the text is another operator's:
// a negated IN or LIKE prints as NOT over it, a JSON arrow as a call.
func printedLevel(x Expr) Level {
	switch x := x.(type) {
	case *Binary:
		if isArrow(x) {
			return LevelPrimary
		}
	case *In:
		if x.Not {
			return LevelNot
		}
	case *Match:
		if x.Not {
			return LevelNot
		}
	}
	return LevelOf(x)
}

func isArrow(x *Binary) bool { return x.Op == OpJSONGet || x.Op == OpJSONText }

// isInfix reports whether an expression prints as an infix operator with two operands: what NOT, a sign and the postfix IS
// always put in parentheses.
func isInfix(x Expr) bool {
	switch x := x.(type) {
	case *Binary:
		return !isArrow(x)
	case *Match:
		return !x.Not
	}
	return false
}

func (p *printer) group(x Expr, parens bool) {
	if parens {
		p.paren(x)
	} else {
		p.expr(x)
	}
}

// operand prints x where the grammar asks for level at least.
func (p *printer) operand(x Expr, least Level) { p.group(x, printedLevel(x) < least) }

// right prints the operand on the right of an infix operator of a level. IN and BETWEEN get parentheses there for the reader,
// also where the grammar needs none.
func (p *printer) right(x Expr, level Level) {
	parens := printedLevel(x) <= level
	switch x.(type) {
	case *In, *Between:
		parens = parens || level >= LevelEqual
	}
	p.group(x, parens)
}

// associative reports whether a op (b op c) may print without its parentheses.
func associative(op BinaryOp) bool {
	switch op {
	case OpAnd, OpOr, OpXor, OpAdd, OpMul, OpConcat:
		return true
	}
	return false
}

// binary prints an infix operator. leftmost is false for a chain that continues one of the same operator: its first operand
// then stands on the operator's right side.
func (p *printer) binary(x *Binary, leftmost bool) {
	if isArrow(x) {
		p.arrow(x)
		return
	}
	level := x.Op.Level()
	switch l, ok := x.L.(*Binary); {
	case ok && l.Op == x.Op && associative(x.Op):
		p.binary(l, leftmost)
	case leftmost:
		p.operand(x.L, level)
	default:
		p.right(x.L, level)
	}
	p.str(binaryText[x.Op])
	if r, ok := x.R.(*Binary); ok && r.Op == x.Op && associative(x.Op) {
		p.binary(r, false)
	} else {
		p.right(x.R, level)
	}
}

// arrow prints d -> p and d ->> p as the calls that they mean (docs/reference/language.md).
func (p *printer) arrow(x *Binary) {
	if x.Op == OpJSONText {
		p.str("cast(")
	}
	p.str("json_extract(")
	p.expr(x.L)
	p.str(", ")
	p.jsonPath(x.R)
	p.str(")")
	if x.Op == OpJSONText {
		p.str(" as text)")
	}
}

func (p *printer) jsonPath(x Expr) {
	if l, ok := x.(*Literal); ok {
		switch {
		case l.Kind == TextLit && !strings.HasPrefix(l.Text, "$"):
			p.text("$." + l.Text)
			return
		case l.Kind == IntegerLit:
			p.str("'$[")
			p.number(l)
			p.str("]'")
			return
		}
	}
	p.expr(x)
}

func (p *printer) unary(x *Unary) {
	p.str(unaryText[x.Op])
	if x.Op == OpNot {
		p.group(x.X, isInfix(x.X) || printedLevel(x.X) < LevelNot)
		return
	}
	inner, ok := x.X.(*Unary)
	sameSign := ok && inner.Op == x.Op
	if sameSign && p.naming {
		if x.Op == OpNeg { // "--" would begin a comment
			p.str(" ")
		}
		sameSign = false
	}
	p.group(x.X, sameSign || isInfix(x.X) || printedLevel(x.X) < LevelSign)
}

func (p *printer) is(x *Is) {
	if x.Op == IsValue || x.Op == IsDistinctFrom {
		p.operand(x.X, LevelCompare+1)
	} else {
		p.group(x.X, isInfix(x.X) || printedLevel(x.X) <= LevelCompare)
	}
	p.str(" is ")
	if x.Not {
		p.str("not ")
	}
	switch x.Op {
	case IsNull:
		p.str("null")
	case IsTrue:
		p.str("true")
	case IsFalse:
		p.str("false")
	case IsDistinctFrom:
		p.str("distinct from ")
		p.operand(x.Y, LevelCompare+1)
	case IsValue:
		p.group(x.Y, printedLevel(x.Y) <= LevelCompare || beginsWithConstant(x.Y))
	}
}

// beginsWithConstant reports whether the text of x begins with null, true or false, which directly after IS have a meaning of
// their own.
func beginsWithConstant(x Expr) bool {
	for {
		switch n := x.(type) {
		case *Literal:
			return n.Kind <= FalseLit
		case *Binary:
			if isArrow(n) {
				return false
			}
			x = n.L
		case *Collate:
			x = n.X
		default:
			return false
		}
	}
}

func (p *printer) between(x *Between) {
	p.operand(x.X, LevelCompare)
	if x.Not {
		p.str(" not")
	}
	p.str(" between ")
	p.right(x.Lo, LevelCompare)
	p.str(" and ")
	p.right(x.Hi, LevelCompare)
}

func (p *printer) in(x *In) {
	if x.Not {
		p.str("not ")
	}
	p.operand(x.X, LevelCompare)
	p.str(" in ")
	switch {
	case x.Query != nil:
		p.subquery(x.Query)
	case x.Table != nil:
		p.qname(*x.Table)
	default:
		p.str("(")
		p.exprs(x.List)
		p.str(")")
	}
}

func (p *printer) match(x *Match) {
	if x.Not {
		p.str("not (")
	}
	p.operand(x.X, LevelCompare)
	p.str(matchText[x.Op])
	p.right(x.P, LevelCompare)
	if x.Escape != nil {
		p.str(" escape ")
		p.right(x.Escape, LevelCompare)
	}
	if x.Not {
		p.str(")")
	}
}

// subquery prints a query in parentheses.
func (p *printer) subquery(q *SelectStmt) {
	p.queries++
	p.str("(")
	p.query(q)
	p.str(")")
	p.queries--
}

func (p *printer) literal(x *Literal) {
	switch x.Kind {
	case NullLit:
		p.str("null")
	case TrueLit:
		p.str("true")
	case FalseLit:
		p.str("false")
	case TextLit:
		p.text(x.Text)
	case BlobLit:
		p.str("x'")
		p.buf = hex.AppendEncode(p.buf, []byte(x.Text))
		p.str("'")
	default:
		p.str(x.Text)
	}
}

func (p *printer) param(x *Param) {
	switch {
	case x.Question:
		p.str("?")
	case x.Name != "":
		p.str(":")
		p.buf = AppendName(p.buf, x.Name)
	default:
		p.str(":")
		p.buf = strconv.AppendInt(p.buf, int64(x.Index), 10)
	}
}

func (p *printer) columnRef(x *ColumnRef) {
	for _, q := range [...]Name{x.Schema, x.Table} {
		if !q.IsZero() {
			p.name(q)
			p.str(".")
		}
	}
	if x.Column.Quoted && x.Table.IsZero() && isClock(x.Column.Text) {
		p.buf = AppendQuoted(p.buf, p.fold(x.Column.Text))
		return
	}
	if p.Quoted && x.Table.IsZero() && isClock(x.Column.Text) { // in quotes it would be a column
		p.str(x.Column.Text)
		return
	}
	p.name(x.Column)
}

func (p *printer) collation(n Name) { p.buf = AppendName(p.buf, types.Fold(n.Text)) }

func (p *printer) cast(x *Cast) {
	p.str("cast(")
	p.expr(x.X)
	p.str(" as ")
	p.typeAs(&x.Type, types.Fold(x.Type.Name))
	p.str(")")
}

func (p *printer) caseExpr(x *Case) {
	p.str("case ")
	if x.Operand != nil {
		p.expr(x.Operand)
		p.str(" ")
	}
	for _, w := range x.Whens {
		p.str("when ")
		p.expr(w.Cond)
		p.str(" then ")
		p.expr(w.Then)
		p.str(" ")
	}
	if x.Else != nil {
		p.str("else ")
		p.expr(x.Else)
		p.str(" ")
	}
	p.str("end")
}

func (p *printer) call(x *Call) {
	p.buf = appendFunctionName(p.buf, x.Name.Text)
	p.str("(")
	switch {
	case x.Distinct:
		p.str("distinct ")
	case x.Star, len(x.Args) == 0 && types.EqualFold(x.Name.Text, "count"):
		p.str("*")
	}
	p.exprs(x.Args)
	p.orderBy(x.OrderBy)
	p.str(")")
	if x.Filter != nil {
		p.str(" filter (where ")
		p.expr(x.Filter)
		p.str(")")
	}
	p.str(nullsText[x.Nulls])
	if x.Over != nil {
		p.str(" over ")
		p.window(x.Over)
	}
}
