package plan

import (
	"slices"
	"strconv"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// exprs binds a list.
func (b *Binder) exprs(list []ast.Expr, s *Scope) []Expr {
	out := make([]Expr, len(list))
	for i, x := range list {
		out[i] = b.expr(x, s)
	}
	return out
}

// expr binds an expression where s says what names mean; nil knows no name.
func (b *Binder) expr(x ast.Expr, s *Scope) Expr {
	if b.stops() {
		return b.bad(x.Pos())
	}
	if s != nil && s.group != nil {
		if key := s.group.expr(b, x); key != nil {
			return key
		}
	}
	switch x := x.(type) {
	case *ast.Literal:
		return b.literal(x)
	case *ast.Param:
		return b.param(x)
	case *ast.ColumnRef:
		return b.columnRef(x, s)
	case *ast.Paren:
		return b.expr(x.X, s)
	case *ast.Unary:
		return b.unary(x, s)
	case *ast.Binary:
		return b.binary(x, s)
	case *ast.Collate:
		return b.collate(x, s)
	case *ast.Cast:
		return b.explicitCast(x, s)
	case *ast.Case:
		return b.caseExpr(x, s)
	case *ast.Call:
		return b.call(x, s)
	}
	return b.predicate(x, s)
}

// predicate binds the expressions that test.
func (b *Binder) predicate(x ast.Expr, s *Scope) Expr {
	switch x := x.(type) {
	case *ast.Is:
		return b.is(x, s)
	case *ast.Between:
		return b.between(x, s)
	case *ast.In:
		return b.in(x, s)
	case *ast.Match:
		return b.like(x, s)
	case *ast.Exists:
		return &Exists{Info: Info{Type: types.TypeBoolean, Pos: b.pos(x.Pos())}, Plan: b.subplan(x.Query, s)}
	case *ast.Subquery:
		return b.scalarSubquery(x, s)
	case *ast.RowExpr:
		b.fail(x.Pos(), types.ERROR, "a row value can only be compared: with =, <, IS, BETWEEN and their kin, or IN")
	case *ast.DefaultCell:
		b.fail(x.Pos(), types.ERROR, "DEFAULT can only stand as a whole cell of an INSERT's VALUES")
	default:
		b.fail(x.Pos(), types.UNSUPPORTED, "an expression of this kind is not supported: %s", ast.Format(x))
	}
	return b.bad(x.Pos())
}

// subplan binds a subquery of an expression.
func (b *Binder) subplan(q *ast.SelectStmt, s *Scope) *Subplan {
	b.nested++
	defer func() { b.nested-- }()
	return b.newSubplan(b.query(q, s))
}

func (b *Binder) scalarSubquery(x *ast.Subquery, s *Scope) Expr {
	p := b.subplan(x.Query, s)
	if _, _, ok := b.changeTerm(x.Query.Body); ok { // its first row counts
		p = b.newSubplan(&Limit{Input: p.Root, Count: b.constant(types.Int(1), types.TypeInteger, x.Pos())})
	}
	cols := p.Root.Output()
	if len(cols) != 1 {
		b.fail(x.Pos(), types.ERROR, "Scalar subquery must return exactly one column")
		return b.bad(x.Pos())
	}
	return &Subquery{
		Info: Info{Type: cols[0].Type, Nullable: true, Collation: cols[0].Collation, Pos: b.pos(x.Pos())}, Plan: p,
	}
}

func (b *Binder) literal(x *ast.Literal) Expr {
	at := x.Pos()
	switch x.Kind {
	case ast.TrueLit:
		return b.constant(types.True, types.TypeBoolean, at)
	case ast.FalseLit:
		return b.constant(types.False, types.TypeBoolean, at)
	case ast.IntegerLit:
		v, ok := types.ParseIntegerLiteral(x.Text)
		if !ok {
			b.fail(at, types.ERROR, "invalid number literal: %s", x.Text)
		}
		return b.constant(v, types.TypeInteger, at)
	case ast.RealLit:
		return b.realLiteral(x)
	case ast.TextLit:
		return b.constant(types.Text(x.Text), types.TypeText, at)
	case ast.BlobLit:
		return b.constant(types.Blob([]byte(x.Text)), types.TypeBlob, at)
	}
	return b.constant(types.Null, types.TypeNull, at)
}

// realLiteral reads a real. A whole one within ±(2^53−1) is an INTEGER (docs/reference/language.md).
func (b *Binder) realLiteral(x *ast.Literal) Expr {
	const maxSafe = 1<<53 - 1
	f, _ := strconv.ParseFloat(x.Text, 64) // beyond the range it is ±Infinity, which is what is wanted
	v := types.Real(f)
	if whole, ok := types.Truncate(v); ok && types.IsWhole(v) && f >= -maxSafe && f <= maxSafe {
		return b.constant(whole, types.TypeInteger, x.Pos())
	}
	return b.constant(v, types.TypeReal, x.Pos())
}

func (b *Binder) unary(x *ast.Unary, s *Scope) Expr {
	operand := b.expr(x.X, s)
	st := operand.Static()
	i := Info{Type: types.PromoteSign(st.Type), Nullable: st.Nullable || types.PromoteSign(st.Type) == types.TypeAny, Pos: b.pos(x.Pos())}
	switch x.Op {
	case ast.OpNot:
		i.Type, i.Nullable = types.TypeBoolean, st.Nullable
		return &Not{Info: i, X: operand}
	case ast.OpBitNot:
		i.Type, i.Nullable = types.TypeInteger, st.Nullable || !st.Type.Numeric
		return &BitNot{Info: i, X: operand}
	}
	return &Sign{Info: i, Minus: x.Op == ast.OpNeg, X: operand}
}

var compareOps = map[ast.BinaryOp]CompareOp{
	ast.OpEq: Eq, ast.OpEq2: Eq, ast.OpNe: Ne, ast.OpLt: Lt, ast.OpLe: Le, ast.OpGt: Gt, ast.OpGe: Ge,
}

var logicOps = map[ast.BinaryOp]LogicOp{ast.OpAnd: And, ast.OpOr: Or, ast.OpXor: Xor}

var arithOps = map[ast.BinaryOp]types.ArithOp{
	ast.OpAdd: types.ArithAdd, ast.OpSub: types.ArithSub, ast.OpMul: types.ArithMul, ast.OpDiv: types.ArithDiv, ast.OpMod: types.ArithMod,
}

func (b *Binder) binary(x *ast.Binary, s *Scope) Expr {
	if op, ok := logicOps[x.Op]; ok {
		return b.logic(x, op, s)
	}
	if op, ok := compareOps[x.Op]; ok {
		return b.comparison(x.OpPos, op, x.L, x.R, s)
	}
	switch x.Op {
	case ast.OpJSONGet, ast.OpJSONText:
		return b.jsonArrow(x, s)
	}
	l, r := b.expr(x.L, s), b.expr(x.R, s)
	i := Info{Nullable: l.Static().Nullable || r.Static().Nullable, Pos: b.pos(x.OpPos)}
	switch op, isArith := arithOps[x.Op]; {
	case isArith:
		return b.arith(i, op, l, r)
	case x.Op == ast.OpConcat:
		i.Type = types.TypeText
		i.Collation = types.PropagateContributions(l.Static().Collation, r.Static().Collation)
		return &Concat{Info: i, L: l, R: r}
	}
	i.Type = types.TypeInteger
	if x.Op == ast.OpShl || x.Op == ast.OpShr {
		i.Nullable = true // a shift may be too far
	}
	return &Bits{Info: i, Op: x.Op, L: l, R: r}
}

// arith makes an arithmetic operator. The result of + - * over integers is NULL only if an operand is.
func (b *Binder) arith(i Info, op types.ArithOp, l, r Expr) Expr {
	i.Type = types.PromoteArith(op, l.Static().Type, r.Static().Type)
	exact := i.Type == types.TypeInteger && op != types.ArithMod && op != types.ArithDiv
	i.Nullable = i.Nullable || !exact
	return &Arith{Info: i, Op: op, L: l, R: r}
}

// logic flattens a chain of one connective, in work and stack that do not grow with its depth. XOR stays binary.
func (b *Binder) logic(x *ast.Binary, op LogicOp, s *Scope) Expr {
	operands := []ast.Expr{x.R, x.L}
	for l, ok := x.L.(*ast.Binary); ok && op != Xor && logicOps[l.Op] == op && isLogic(l) && !s.groups(); l, ok = l.L.(*ast.Binary) {
		operands[len(operands)-1] = l.R
		operands = append(operands, l.L)
	}
	e := &Logic{Info: Info{Type: types.TypeBoolean, Pos: b.pos(x.OpPos)}, Op: op, Args: make([]Expr, 0, len(operands))}
	for _, operand := range slices.Backward(operands) {
		a := b.expr(operand, s)
		e.Nullable = e.Nullable || a.Static().Nullable
		if inner, ok := a.(*Logic); ok && inner.Op == op && op != Xor {
			e.Args = append(e.Args, inner.Args...)
		} else {
			e.Args = append(e.Args, a)
		}
	}
	return e
}

func isLogic(x *ast.Binary) bool { _, ok := logicOps[x.Op]; return ok }

// groups reports whether a part of an expression may be a grouping key.
func (s *Scope) groups() bool { return s != nil && s.group != nil && len(s.group.texts) > 0 }

// allOf joins conditions by AND; a single one is itself.
func (b *Binder) allOf(at ast.Pos, conds ...Expr) Expr { return b.join(at, And, conds) }

// anyOf joins conditions by OR.
func (b *Binder) anyOf(at ast.Pos, conds ...Expr) Expr { return b.join(at, Or, conds) }

func (b *Binder) join(at ast.Pos, op LogicOp, conds []Expr) Expr {
	if len(conds) == 1 {
		return conds[0]
	}
	i := Info{Type: types.TypeBoolean, Pos: b.pos(at)}
	for _, c := range conds {
		i.Nullable = i.Nullable || c.Static().Nullable
	}
	return &Logic{Info: i, Op: op, Args: conds}
}

func (b *Binder) collate(x *ast.Collate, s *Scope) Expr {
	operand := b.expr(x.X, s)
	c, err := b.env.Types.ExprCollation(x.Collation.Text)
	if err != nil {
		b.failWith(x.Collation.Pos(), err)
		return operand
	}
	i := *operand.Static()
	i.Collation, i.Pos = types.Contribution{Collation: c, Rank: types.RankExplicit}, b.pos(x.Pos())
	return &Collate{Info: i, X: operand}
}

func (b *Binder) explicitCast(x *ast.Cast, s *Scope) Expr {
	return b.cast(b.expr(x.X, s), b.env.Types.Lookup(x.Type.Name), x.Pos())
}

// cast makes a lenient conversion; the operand itself if it has the type, or t is nil. Constants convert at once.
func (b *Binder) cast(x Expr, t *types.Type, at ast.Pos) Expr {
	s := x.Static()
	if t == nil || s.Type == t {
		return x
	}
	i := Info{Type: t, Nullable: s.Nullable || types.CastMayBeNull(s.Type, t), Pos: b.pos(at)}
	if c, ok := x.(*Const); ok {
		v := types.Caster(s.Type, t)(c.Value)
		i.Nullable = v.IsNull()
		return &Const{Info: i, Value: v}
	}
	return &Cast{Info: i, X: x}
}

func (b *Binder) caseExpr(x *ast.Case, s *Scope) Expr {
	c := &Case{Info: Info{Pos: b.pos(x.Pos())}}
	if len(x.Whens) == 0 {
		b.fail(x.Pos(), types.ERROR, "CASE expression must have at least one WHEN clause")
		return b.bad(x.Pos())
	}
	var arms []Expr
	for _, w := range x.Whens {
		arm := CaseWhen{Cond: b.expr(w.Cond, s), Then: b.expr(w.Then, s)}
		c.Whens = append(c.Whens, arm)
		arms = append(arms, arm.Then)
	}
	if x.Operand != nil {
		c.Operand = b.expr(x.Operand, s)
		b.matchArms(c, x)
	}
	if x.Else != nil {
		c.Else = b.expr(x.Else, s)
		arms = append(arms, c.Else)
	}
	merged := mergeArms(arms)
	c.Type, c.Collation = merged.Type, merged.Collation
	c.Nullable = merged.Nullable || x.Else == nil
	return c
}

// matchArms settles how a simple CASE compares its operand with each arm: by itself, as = would.
func (b *Binder) matchArms(c *Case, x *ast.Case) {
	conds := make([]Expr, len(c.Whens))
	for i := range c.Whens {
		conds[i] = c.Whens[i].Cond
	}
	casts := memberCasts(c.Operand, conds)
	for i := range c.Whens {
		w := &c.Whens[i]
		coll := b.resolve(x.Whens[i].Cond.Pos(), c.Operand.Static().Collation, w.Cond.Static().Collation)
		w.By = matchOf(c.Operand, w.Cond, casts[i], coll)
		w.Cond = b.cast(w.Cond, casts[i].Member, w.Cond.Static().Pos)
	}
}
