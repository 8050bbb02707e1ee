package exec

import (
	"unicode/utf8"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// call compiles a scalar function call. Arguments are evaluated left to right onto the context's stack.
func (c *compiler) call(x *plan.Call) Expr {
	args, eval, nullOnNull := c.exprs(x.Args), x.Eval, x.Fn.NullOnNull
	fail, makes := c.b.callError("Function", x.Fn.Name, x.Pos), makesValues(x)
	return func(ec *Context, row types.Row) (types.Value, error) {
		base := len(ec.stack)
		null := false
		for _, a := range args {
			v, err := a(ec, row)
			if err != nil {
				ec.stack = ec.stack[:base]
				return types.Null, err
			}
			null = null || v.IsNull()
			ec.stack = append(ec.stack, v)
		}
		if null && nullOnNull {
			ec.stack = ec.stack[:base]
			return types.Null, nil
		}
		v, err := callLimited(ec, eval, ec.stack[base:], makes)
		ec.stack = ec.stack[:base]
		if err != nil {
			return types.Null, fail(err)
		}
		return v, nil
	}
}

// callLimited calls a function and keeps what it makes, if it may make values, to the limits.
func callLimited(ec *Context, eval function.Eval, args []types.Value, makes bool) (types.Value, error) {
	if makes {
		if err := ec.reserveCall(args); err != nil {
			return types.Null, err
		}
	}
	v, err := eval(&ec.call, args)
	if err == nil && lengthOf(v) >= ec.watched {
		err = ec.countCall(v, args)
	}
	return v, err
}

// callError words the failure of a function (docs/reference/functions.md): the code is the cause's.
func (b *builder) callError(kind, name string, at ast.Pos) func(error) error {
	locate := b.located(at)
	return func(err error) error {
		return locate(types.Wrapf(types.ERROR, err, "%s %s failed", kind, name))
	}
}

// coalesce gives the first argument that is not NULL.
func coalesce(args []Expr) Expr {
	return func(ec *Context, row types.Row) (types.Value, error) {
		for _, a := range args {
			if v, err := a(ec, row); err != nil || !v.IsNull() {
				return v, err
			}
		}
		return types.Null, nil
	}
}

// iif evaluates the chosen branch. Its condition counts blobs and JSON containers as true.
func (c *compiler) iif(x *plan.Iif) Expr {
	cond, then, otherwise := c.expr(x.Cond), c.expr(x.Then), c.expr(x.Else)
	return func(ec *Context, row types.Row) (types.Value, error) {
		v, err := cond(ec, row)
		if err != nil {
			return types.Null, err
		}
		truth, known := types.Truth(v)
		if k := v.Kind(); k == types.KindBlob || k == types.KindJSON || known && truth {
			return then(ec, row)
		}
		return otherwise(ec, row)
	}
}

// caseExpr compiles both forms of CASE: WHENs in order, the first hit decides, and only its THEN is evaluated.
func (c *compiler) caseExpr(x *plan.Case) Expr {
	otherwise := c.optional(x.Else)
	if otherwise == nil {
		otherwise = func(*Context, types.Row) (types.Value, error) { return types.Null, nil }
	}
	if x.Operand != nil {
		return c.simpleCase(x, otherwise)
	}
	conds, thens := make([]Pred, len(x.Whens)), make([]Expr, len(x.Whens))
	for i, w := range x.Whens {
		conds[i], thens[i] = c.pred(w.Cond), c.expr(w.Then)
	}
	return func(ec *Context, row types.Row) (types.Value, error) {
		for i, cond := range conds {
			ok, err := cond(ec, row)
			if err != nil {
				return types.Null, err
			}
			if ok {
				return thens[i](ec, row)
			}
		}
		return otherwise(ec, row)
	}
}

func (c *compiler) simpleCase(x *plan.Case, otherwise Expr) Expr {
	operand := c.expr(x.Operand)
	members, thens, by := make([]Expr, len(x.Whens)), make([]Expr, len(x.Whens)), make([]matcher, len(x.Whens))
	for i, w := range x.Whens {
		members[i], thens[i], by[i] = c.expr(w.Cond), c.expr(w.Then), newMatcher(x.Operand, w.Cond, w.By)
	}
	return func(ec *Context, row types.Row) (types.Value, error) {
		v, err := operand(ec, row)
		if err != nil {
			return types.Null, err
		}
		if v.IsNull() {
			return otherwise(ec, row)
		}
		for i, member := range members {
			m, err := member(ec, row)
			if err != nil {
				return types.Null, err
			}
			if m.IsNull() {
				continue
			}
			if order, known := by[i].compare(v, m); known && order == 0 {
				return thens[i](ec, row)
			}
		}
		return otherwise(ec, row)
	}
}

// like compiles LIKE, GLOB and REGEXP. All but LIKE with ESCAPE are functions of the registry, pattern first.
func (c *compiler) like(x *plan.Like) Expr {
	text, pattern, eval := c.expr(x.X), c.expr(x.P), x.Call
	if x.Escape != nil {
		return c.likeEscape(x, text, pattern)
	}
	fail := c.b.callError("Function", [...]string{ast.OpLike: "like", ast.OpGlob: "glob", ast.OpRegexp: "regexp"}[x.Op], x.Pos)
	return func(ec *Context, row types.Row) (types.Value, error) {
		t, err := text(ec, row)
		if err != nil {
			return types.Null, err
		}
		p, err := pattern(ec, row)
		if err != nil || t.IsNull() || p.IsNull() {
			return types.Null, err
		}
		base := len(ec.stack)
		ec.stack = append(ec.stack, p, t)
		v, err := eval(&ec.call, ec.stack[base:])
		ec.stack = ec.stack[:base]
		if err != nil {
			return types.Null, fail(err)
		}
		return v, nil
	}
}

// likeEscape compiles LIKE with ESCAPE. A pattern and an escape that are constants are compiled once.
func (c *compiler) likeEscape(x *plan.Like, text, pattern Expr) Expr {
	escape, at := c.expr(x.Escape), c.b.located(x.Pos)
	compiled := constantLike(x)
	return func(ec *Context, row types.Row) (types.Value, error) {
		t, err := text(ec, row)
		if err != nil {
			return types.Null, err
		}
		if compiled != nil {
			if t.IsNull() {
				return types.Null, nil
			}
			return matchLike(ec, compiled, t)
		}
		p, err := pattern(ec, row)
		if err != nil {
			return types.Null, err
		}
		e, err := escape(ec, row)
		if err != nil || e.IsNull() {
			return types.Null, err
		}
		r, ok := escapeRune(e)
		if !ok {
			return types.Null, at(types.Errorf(types.ERROR, "ESCAPE expression must be a single character"))
		}
		if t.IsNull() || p.IsNull() {
			return types.Null, nil
		}
		if err := function.CheckPattern(&ec.call, types.ToText(p)); err != nil {
			return types.Null, at(err)
		}
		return matchLike(ec, function.CompileLike(types.ToText(p), r), t)
	}
}

func matchLike(ec *Context, p *function.Pattern, text types.Value) (types.Value, error) {
	ok, err := p.Match(&ec.call, types.ToText(text))
	return types.Bool(ok), err
}

// escapeRune gives the one character that an escape is.
func escapeRune(v types.Value) (r rune, ok bool) {
	s := types.ToText(v)
	r, n := utf8.DecodeRuneInString(s)
	return r, n > 0 && n == len(s)
}

// longPattern is the length from which on a pattern is judged by the limits of a run before anything is made of it.
const longPattern = 1000

// constantLike compiles a pattern that is known before any row; nil when it is not, or has a fault to raise.
func constantLike(x *plan.Like) *function.Pattern {
	p, ok := x.P.(*plan.Const)
	e, isConst := x.Escape.(*plan.Const)
	if !ok || !isConst || p.Value.IsNull() || e.Value.IsNull() {
		return nil
	}
	r, single := escapeRune(e.Value)
	if !single || len(types.ToText(p.Value)) > longPattern {
		return nil
	}
	return function.CompileLike(types.ToText(p.Value), r)
}
