package function_test

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/types"
)

// eval computes an expression and what the binder knows of it.
func (h *harness) eval(x ast.Expr, in *source, row types.Row) (types.Value, function.Arg, error) {
	switch x := x.(type) {
	case *ast.Literal:
		v := catalog.LiteralValue(x)
		return v, function.Arg{Type: literalType(v), Nullable: v.IsNull(), Const: v, HasConst: true}, nil
	case *ast.Paren:
		return h.eval(x.X, in, row)
	case *ast.ColumnRef:
		if in == nil || in.find(x.Column.Text) < 0 {
			return types.Null, function.Arg{}, errBeyond
		}
		i := in.find(x.Column.Text)
		return row[i], in.columns[i], nil
	case *ast.Unary:
		return h.negative(x, in, row)
	case *ast.Match:
		return h.match(x, in, row)
	case *ast.Is:
		v, _, err := h.eval(x.X, in, row)
		return types.Bool(v.IsNull() != x.Not), function.Arg{Type: types.TypeBoolean}, errors.Join(err, errBeyondIf(x.Op != ast.IsNull))
	case *ast.In:
		return h.in(x, in, row)
	case *ast.Binary:
		return h.binary(x, in, row)
	case *ast.Call:
		if in != nil {
			if i := in.find(ast.Format(x)); i >= 0 {
				return row[i], in.columns[i], nil
			}
		}
		args, known, err := h.args(x.Args, in, row)
		if err != nil {
			return types.Null, function.Arg{}, err
		}
		if x.Star || x.Distinct || x.Filter != nil || x.Over != nil || x.OrderBy != nil {
			return types.Null, function.Arg{}, errBeyond
		}
		return h.scalar(x.Name.Text, args, known)
	}
	return types.Null, function.Arg{}, errBeyond
}

func literalType(v types.Value) *types.Type {
	switch v.Kind() {
	case types.KindBoolean:
		return types.TypeBoolean
	case types.KindInteger:
		return types.TypeInteger
	case types.KindReal:
		if types.IsWhole(v) && types.NearestReal(v) < 1<<53 {
			return types.TypeInteger
		}
		return types.TypeReal
	case types.KindText:
		return types.TypeText
	case types.KindBlob:
		return types.TypeBlob
	}
	return types.TypeNull
}

func (h *harness) negative(x *ast.Unary, in *source, row types.Row) (types.Value, function.Arg, error) {
	v, a, err := h.eval(x.X, in, row)
	if err != nil || x.Op != ast.OpNeg {
		return v, a, errors.Join(err, errBeyondIf(x.Op != ast.OpNeg))
	}
	v = types.BindNeg(a.Type)(v)
	return v, function.Arg{Type: types.PromoteSign(a.Type), Nullable: a.Nullable, Const: v, HasConst: a.HasConst}, nil
}

func errBeyondIf(beyond bool) error {
	if beyond {
		return errBeyond
	}
	return nil
}

func (h *harness) in(x *ast.In, in *source, row types.Row) (types.Value, function.Arg, error) {
	arg := function.Arg{Type: types.TypeBoolean, Nullable: true}
	v, _, err := h.eval(x.X, in, row)
	if err != nil || x.Query != nil || x.Table != nil || x.Not {
		return types.Null, arg, errors.Join(err, errBeyond)
	}
	for _, member := range x.List {
		m, _, err := h.eval(member, in, row)
		if err != nil || types.Equal(v, m, nil) {
			return types.True, arg, err
		}
	}
	return types.False, arg, nil
}

func (h *harness) match(x *ast.Match, in *source, row types.Row) (types.Value, function.Arg, error) {
	if x.Escape != nil {
		return h.likeEscape(x, in, row)
	}
	args, known, err := h.args([]ast.Expr{x.P, x.X}, in, row)
	if err != nil {
		return types.Null, function.Arg{}, err
	}
	v, a, err := h.scalar([...]string{ast.OpLike: "like", ast.OpGlob: "glob", ast.OpRegexp: "regexp"}[x.Op], args, known)
	return negated(v, x.Not), a, err
}

func negated(v types.Value, not bool) types.Value {
	if not && !v.IsNull() {
		return types.Bool(!v.Bool())
	}
	return v
}

func (h *harness) likeEscape(x *ast.Match, in *source, row types.Row) (types.Value, function.Arg, error) {
	args, _, err := h.args([]ast.Expr{x.P, x.X, x.Escape}, in, row)
	if err != nil {
		return types.Null, function.Arg{}, err
	}
	a := function.Arg{Type: types.TypeBoolean, Nullable: true}
	if args[0].IsNull() || args[1].IsNull() || args[2].IsNull() {
		return types.Null, a, nil
	}
	escape, n := utf8.DecodeRuneInString(types.ToText(args[2]))
	if n == 0 || n != len(types.ToText(args[2])) {
		return types.Null, a, errBeyond // the executor's to refuse
	}
	p := function.CompileLike(types.ToText(args[0]), escape)
	return negated(types.Bool(p.MatchString(types.ToText(args[1]))), x.Not), a, nil
}

func (h *harness) binary(x *ast.Binary, in *source, row types.Row) (types.Value, function.Arg, error) {
	l, a, err := h.eval(x.L, in, row)
	if err != nil {
		return types.Null, a, err
	}
	r, b, err := h.eval(x.R, in, row)
	if err != nil {
		return types.Null, b, err
	}
	nullable := a.Nullable || b.Nullable
	switch x.Op {
	case ast.OpConcat:
		if l.IsNull() || r.IsNull() {
			return types.Null, function.Arg{Type: types.TypeText, Nullable: true}, nil
		}
		return types.Text(types.ToText(l) + types.ToText(r)), function.Arg{Type: types.TypeText, Nullable: nullable}, nil
	case ast.OpEq:
		return compareEqual(l, a, r, b)
	case ast.OpNe:
		v, arg, err := compareEqual(l, a, r, b)
		return negated(v, true), arg, err
	case ast.OpAnd:
		truthL, _ := types.Truth(l)
		truthR, _ := types.Truth(r)
		return types.Bool(truthL && truthR), function.Arg{Type: types.TypeBoolean}, nil
	case ast.OpAdd, ast.OpSub, ast.OpMul, ast.OpDiv:
		op := map[ast.BinaryOp]types.ArithOp{
			ast.OpAdd: types.ArithAdd, ast.OpSub: types.ArithSub, ast.OpMul: types.ArithMul, ast.OpDiv: types.ArithDiv,
		}[x.Op]
		v, err := types.BindArith(op, a.Type, b.Type)(l, r)
		return v, function.Arg{Type: types.PromoteArith(op, a.Type, b.Type), Nullable: true}, err
	case ast.OpJSONGet, ast.OpJSONText:
		return h.arrow(x, l, a, r)
	}
	return types.Null, function.Arg{}, errBeyond
}

func compareEqual(l types.Value, a function.Arg, r types.Value, b function.Arg) (types.Value, function.Arg, error) {
	castL, castR := types.ComparisonCast(a.Type, b.Type)
	if castL != nil {
		l = types.Caster(a.Type, castL)(l)
		a.Type = castL
	}
	if castR != nil {
		r = types.Caster(b.Type, castR)(r)
		b.Type = castR
	}
	result := function.Arg{Type: types.TypeBoolean, Nullable: true}
	if l.IsNull() || r.IsNull() {
		return types.Null, result, nil
	}
	return types.Bool(types.NewComparator(types.ComparisonType(a.Type, b.Type), nil)(l, r) == 0), result, nil
}

func (h *harness) arrow(x *ast.Binary, l types.Value, a function.Arg, r types.Value) (types.Value, function.Arg, error) {
	if lit, ok := x.R.(*ast.Literal); ok && lit.Kind == ast.IntegerLit {
		r = types.Text("$[" + lit.Text + "]")
	} else if ok && lit.Kind == ast.TextLit && !strings.HasPrefix(lit.Text, "$") {
		r = types.Text("$." + lit.Text)
	}
	v, arg, err := h.scalar("json_extract", []types.Value{l, r}, []function.Arg{a, {Type: types.TypeText, Const: r, HasConst: true}})
	if err == nil && x.Op == ast.OpJSONText {
		v, arg = types.Cast(v, types.TypeText), function.Arg{Type: types.TypeText, Nullable: true}
	}
	return v, arg, err
}

// scalar calls a scalar function as a bound call does.
func (h *harness) scalar(name string, args []types.Value, known []function.Arg) (types.Value, function.Arg, error) {
	f := h.functions.Lookup(name, len(args), false)
	if f != nil && f.Kind == function.Aggregate || f == nil && h.functions.Lookup(name, len(args), true) != nil {
		return types.Null, function.Arg{}, errBeyond // the binder's to refuse
	}
	if f == nil || f.Kind != function.Scalar {
		return types.Null, function.Arg{}, types.Errorf(types.ERROR, "Function not found: %s/%d", types.Fold(name), len(args))
	}
	for _, a := range known {
		if f.Numeric && !a.Type.Numeric && a.Type != types.TypeAny && a.Type != types.TypeNull {
			return types.Null, function.Arg{}, types.Errorf(types.MISMATCH, "Invalid argument types for function %s", f.Name)
		}
	}
	r := f.Type(known)
	arg := function.Arg{Type: r.Type, Nullable: r.Nullable}
	v, err := h.apply(f, args, known)
	if err != nil {
		return types.Null, arg, types.Wrapf(types.ERROR, err, "Function %s failed", f.Name)
	}
	if v.IsNull() && !r.Nullable {
		return types.Null, arg, fmt.Errorf("%s gave NULL though it declares none", f.Name)
	}
	return v, arg, nil
}

func (h *harness) apply(f *function.Function, args []types.Value, known []function.Arg) (types.Value, error) {
	if f.Lazy {
		return lazily(f.Name, args), nil
	}
	eval := f.Eval
	if f.Bind != nil {
		var err error
		if eval, err = f.Bind(known); err != nil {
			return types.Null, err
		}
	}
	for _, v := range args {
		if f.NullOnNull && v.IsNull() {
			return types.Null, nil
		}
	}
	return eval(h.call, args)
}

func lazily(name string, args []types.Value) types.Value {
	if name == "iif" {
		truth, _ := types.Truth(args[0])
		if k := args[0].Kind(); truth || k == types.KindBlob || k == types.KindJSON {
			return args[1]
		}
		return args[2]
	}
	for _, v := range args {
		if !v.IsNull() {
			return v
		}
	}
	return types.Null
}
