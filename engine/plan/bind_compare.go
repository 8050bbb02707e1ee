package plan

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/types"
)

// comparison binds `l op r`, of scalars or of row values.
func (b *Binder) comparison(at ast.Pos, op CompareOp, l, r ast.Expr, s *Scope) Expr {
	if isRow(l) || isRow(r) {
		return b.rowComparison(at, op, l, r, s)
	}
	return b.compare(at, op, b.expr(l, s), b.expr(r, s))
}

// compare makes a comparison of two bound operands: one collation from both, and the conversion that their types call for.
func (b *Binder) compare(at ast.Pos, op CompareOp, l, r Expr) Expr {
	ls, rs := l.Static(), r.Static()
	b.comparand(l, rs.Type)
	b.comparand(r, ls.Type)
	by := Order{Type: types.ComparisonType(ls.Type, rs.Type), Collation: b.resolve(at, ls.Collation, rs.Collation)}
	castL, castR := types.ComparisonCast(ls.Type, rs.Type)
	l, r = b.cast(l, castL, ls.Pos), b.cast(r, castR, rs.Pos)
	i := Info{Type: types.TypeBoolean, Nullable: l.Static().Nullable || r.Static().Nullable, Pos: b.pos(at)}
	if op == Is || op == IsNot {
		i.Nullable = false
	}
	return &Compare{Info: i, Op: op, L: l, R: r, By: by}
}

// resolve gives the collation of a comparison; a conflict is a fault.
func (b *Binder) resolve(at ast.Pos, l, r types.Contribution) *types.Collation {
	c, err := types.ResolveComparison(l, r)
	if err != nil {
		b.failWith(at, err)
		return types.Binary
	}
	return c
}

func isRow(x ast.Expr) bool {
	_, ok := x.(*ast.RowExpr)
	return ok
}

// rowPair gives the members of two row values of one width; nil after a fault.
func (b *Binder) rowPair(at ast.Pos, l, r ast.Expr) (ls, rs []ast.Expr) {
	lr, lok := l.(*ast.RowExpr)
	rr, rok := r.(*ast.RowExpr)
	if !lok || !rok {
		b.fail(at, types.ERROR, "a row value can only be compared with a row value")
		return nil, nil
	}
	if len(lr.Elems) != len(rr.Elems) {
		b.fail(at, types.ERROR, "row values of %d and %d members cannot be compared", len(lr.Elems), len(rr.Elems))
		return nil, nil
	}
	return lr.Elems, rr.Elems
}

// rowComparison writes a comparison of row values out, member by member (docs/reference/language.md).
func (b *Binder) rowComparison(at ast.Pos, op CompareOp, l, r ast.Expr, s *Scope) Expr {
	ls, rs := b.rowPair(at, l, r)
	if ls == nil {
		return b.bad(at)
	}
	switch op {
	case Eq, Is:
		return b.eachMember(at, op, ls, rs, s)
	case Ne:
		return b.negate(at, b.eachMember(at, Eq, ls, rs, s))
	case IsNot:
		return b.negate(at, b.eachMember(at, Is, ls, rs, s))
	}
	return b.rowLess(at, op, ls, rs, s)
}

func (b *Binder) eachMember(at ast.Pos, op CompareOp, ls, rs []ast.Expr, s *Scope) Expr {
	conds := make([]Expr, len(ls))
	for i := range ls {
		conds[i] = b.comparison(at, op, ls[i], rs[i], s)
	}
	return b.allOf(at, conds...)
}

// rowLess writes `(a, …) < (c, …)` as `a < c or (a = c and (…) < (…))`. Members are bound once a use, as a subquery has one place.
func (b *Binder) rowLess(at ast.Pos, op CompareOp, ls, rs []ast.Expr, s *Scope) Expr {
	if len(ls) == 1 {
		return b.comparison(at, op, ls[0], rs[0], s)
	}
	strict := op
	switch op {
	case Le:
		strict = Lt
	case Ge:
		strict = Gt
	}
	first := b.comparison(at, strict, ls[0], rs[0], s)
	equal := b.comparison(at, Eq, ls[0], rs[0], s)
	return b.anyOf(at, first, b.allOf(at, equal, b.rowLess(at, op, ls[1:], rs[1:], s)))
}

func (b *Binder) negate(at ast.Pos, x Expr) Expr {
	return &Not{Info: Info{Type: types.TypeBoolean, Nullable: x.Static().Nullable, Pos: b.pos(at)}, X: x}
}

// is binds the forms of IS.
func (b *Binder) is(x *ast.Is, s *Scope) Expr {
	switch x.Op {
	case ast.IsValue, ast.IsDistinctFrom:
		op := Is
		if x.Not != (x.Op == ast.IsDistinctFrom) {
			op = IsNot
		}
		return b.comparison(x.Pos(), op, x.X, x.Y, s)
	}
	return &Test{Info: Info{Type: types.TypeBoolean, Pos: b.pos(x.Pos())}, Op: x.Op, Not: x.Not, X: b.expr(x.X, s)}
}

// between binds x [not] between lo and hi: two comparisons with their own conversion and collation.
func (b *Binder) between(x *ast.Between, s *Scope) Expr {
	at := x.Pos()
	if isRow(x.X) || isRow(x.Lo) || isRow(x.Hi) {
		both := b.allOf(at, b.rowComparison(at, Ge, x.X, x.Lo, s), b.rowComparison(at, Le, x.X, x.Hi, s))
		if x.Not {
			return b.negate(at, both)
		}
		return both
	}
	e := &Between{X: b.expr(x.X, s), Lo: b.expr(x.Lo, s), Hi: b.expr(x.Hi, s), Not: x.Not}
	e.Info = Info{Type: types.TypeBoolean, Pos: b.pos(at)}
	e.Lo, e.ByLo = b.bound(at, e.X, e.Lo)
	e.Hi, e.ByHi = b.bound(at, e.X, e.Hi)
	for _, x := range []Expr{e.X, e.Lo, e.Hi} {
		e.Nullable = e.Nullable || x.Static().Nullable
	}
	e.Nullable = e.Nullable || e.ByLo.CastProbe != nil || e.ByHi.CastProbe != nil
	return e
}

// bound settles how the probe of BETWEEN compares with one bound.
func (b *Binder) bound(at ast.Pos, x, bound Expr) (Expr, Match) {
	b.comparand(x, bound.Static().Type)
	b.comparand(bound, x.Static().Type)
	var cast types.CastPair
	cast.Probe, cast.Member = types.ComparisonCast(x.Static().Type, bound.Static().Type)
	coll := b.resolve(at, x.Static().Collation, bound.Static().Collation)
	m := matchOf(x, bound, cast, coll)
	return b.cast(bound, cast.Member, bound.Static().Pos), m
}

// memberCasts gives the casts for a probe against members one by one.
func memberCasts(probe Expr, members []Expr) []types.CastPair {
	ts := make([]*types.Type, len(members))
	for i, m := range members {
		ts[i] = m.Static().Type
	}
	return types.MemberCasts(probe.Static().Type, ts)
}

// matchOf gives the comparison of a probe with a member that are cast as told.
func matchOf(probe, member Expr, cast types.CastPair, coll *types.Collation) Match {
	p, m := probe.Static().Type, member.Static().Type
	if cast.Probe != nil {
		p = cast.Probe
	}
	if cast.Member != nil {
		m = cast.Member
	}
	return Match{Order: Order{Type: types.ComparisonType(p, m), Collation: coll}, CastProbe: cast.Probe}
}

// like binds LIKE, GLOB and REGEXP.
func (b *Binder) like(x *ast.Match, s *Scope) Expr {
	e := &Like{Info: Info{Type: types.TypeBoolean, Pos: b.pos(x.Pos())}, Op: x.Op, X: b.expr(x.X, s), P: b.expr(x.P, s)}
	e.Nullable = e.X.Static().Nullable || e.P.Static().Nullable
	if x.Escape != nil {
		e.Escape = b.expr(x.Escape, s)
		e.Nullable = e.Nullable || e.Escape.Static().Nullable
	}
	e.Call = b.patternFn(x, e)
	if x.Not {
		return b.negate(x.Pos(), e)
	}
	return e
}

// patternFn gives the function that carries a pattern operator out: like, glob and regexp of the registry, pattern first. LIKE
// with ESCAPE has no function form.
func (b *Binder) patternFn(x *ast.Match, e *Like) function.Eval {
	if x.Escape != nil {
		return nil
	}
	name := [...]string{ast.OpLike: "like", ast.OpGlob: "glob", ast.OpRegexp: "regexp"}[x.Op]
	f := b.env.Functions.Lookup(name, 2, false)
	if f == nil || f.Kind != function.Scalar {
		b.fail(x.Pos(), types.ERROR, "Function not found: %s/2", name)
		return nil
	}
	return b.bindEval(f, x.Pos(), b.args([]Expr{e.P, e.X}))
}
