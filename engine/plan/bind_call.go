package plan

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/types"
)

// call binds a function call (docs/reference/language.md).
func (b *Binder) call(c *ast.Call, s *Scope) Expr {
	if c.Over != nil {
		return b.windowCall(c, s)
	}
	f := b.env.Functions.Lookup(c.Name.Text, len(c.Args), false)
	if f == nil || f.Kind == function.Window {
		b.noFunction(c)
		return b.bad(c.Pos())
	}
	if f.Kind == function.Aggregate {
		return b.aggregate(c, f, s)
	}
	if b.hasAggregateClauses(c, f) {
		return b.bad(c.Pos())
	}
	return b.scalarCall(c, f, b.exprs(c.Args, s))
}

// noFunction notes that a call names no scalar function or aggregate.
func (b *Binder) noFunction(c *ast.Call) {
	name := types.Fold(c.Name.Text)
	if b.env.Functions.Lookup(name, len(c.Args), true) != nil {
		b.fail(c.Pos(), types.ERROR, "%s is a table-valued function and can only stand in FROM", name)
		return
	}
	b.failWith(c.Pos(), types.Errorf(types.ERROR, "Function not found: %s/%d", name, len(c.Args)).
		WithHint(b.functionHint(name, len(c.Args), false)))
}

// hasAggregateClauses refuses what only an aggregate may carry.
func (b *Binder) hasAggregateClauses(c *ast.Call, f *function.Function) bool {
	clause := ""
	switch {
	case c.Distinct:
		clause = "DISTINCT"
	case c.Filter != nil:
		clause = "FILTER"
	case len(c.OrderBy) > 0:
		clause = "ORDER BY"
	case c.Star:
		clause = "*"
	default:
		return false
	}
	b.fail(c.Pos(), types.ERROR, "%s is for aggregates only, and %s is a scalar function", clause, f.Name)
	return true
}

// scalarCall makes the call of a scalar function. The lazy ones are expressions of their own.
func (b *Binder) scalarCall(c *ast.Call, f *function.Function, args []Expr) Expr {
	known := b.arguments(c, f, args)
	i := b.resultInfo(c, f, known)
	if f.Lazy {
		return b.lazyCall(c, f, args, *i)
	}
	return &Call{Info: *i, Fn: f, Args: args, Eval: b.bindEval(f, c.Pos(), known)}
}

// lazyCall makes the functions that do not evaluate all of their arguments.
func (b *Binder) lazyCall(c *ast.Call, f *function.Function, args []Expr, i Info) Expr {
	switch {
	case f.Name == "coalesce":
		return &Coalesce{Info: i, Args: args}
	case f.Name == "iif" && len(args) == 3:
		return &Iif{Info: i, Cond: args[0], Then: args[1], Else: args[2]}
	}
	b.fail(c.Pos(), types.UNSUPPORTED, "lazy functions other than coalesce and iif are not supported: %s", f.Name)
	return b.bad(c.Pos())
}

// arguments tells a function what is known of its arguments, and refuses those whose static type it does not take.
func (b *Binder) arguments(c *ast.Call, f *function.Function, args []Expr) []function.Arg {
	known := b.args(args)
	for _, a := range known {
		if f.Numeric && !a.Type.Numeric && a.Type != types.TypeAny && a.Type != types.TypeNull {
			b.fail(c.Pos(), types.MISMATCH, "Invalid argument types for function %s", f.Name)
			break
		}
	}
	return known
}

// args gives what is known of expressions as arguments.
func (b *Binder) args(list []Expr) []function.Arg {
	args := make([]function.Arg, len(list))
	for i, x := range list {
		s := x.Static()
		args[i] = function.Arg{Type: s.Type, Nullable: s.Nullable, Collation: s.Collation}
		if k, ok := x.(*Const); ok {
			args[i].Const, args[i].HasConst = k.Value, true
		}
	}
	return args
}

// resultInfo gives the static facts of a call's result.
func (b *Binder) resultInfo(c *ast.Call, f *function.Function, args []function.Arg) *Info {
	r := f.Type(args)
	return &Info{Type: r.Type, Nullable: r.Nullable, Pos: b.pos(c.Pos())}
}

// bindEval gives the implementation of a scalar function for its static arguments.
func (b *Binder) bindEval(f *function.Function, at ast.Pos, args []function.Arg) function.Eval {
	if f.Bind == nil {
		return f.Eval
	}
	eval, err := f.Bind(args)
	if err != nil {
		b.failWith(at, err)
	}
	return eval
}

// jsonArrow binds x -> p as json_extract(x, path), and x ->> p as its text.
func (b *Binder) jsonArrow(x *ast.Binary, s *Scope) Expr {
	call := &ast.Call{Span: x.Span, Name: ast.Ident("json_extract"), Args: []ast.Expr{x.L, arrowPath(x.R)}}
	got := b.call(call, s)
	if x.Op == ast.OpJSONText {
		return b.cast(got, types.TypeText, x.OpPos)
	}
	return got
}

// arrowPath gives the JSON path that the right side of an arrow means.
func arrowPath(x ast.Expr) ast.Expr {
	lit, ok := x.(*ast.Literal)
	if !ok {
		return x
	}
	path := *lit
	path.Kind = ast.TextLit
	switch {
	case lit.Kind == ast.IntegerLit:
		path.Text = "$[" + lit.Text + "]"
	case lit.Kind == ast.TextLit && (lit.Text == "" || lit.Text[0] != '$'):
		path.Text = "$." + lit.Text
	default:
		return x
	}
	return &path
}
