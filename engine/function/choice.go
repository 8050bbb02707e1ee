package function

import (
	"github.com/quereus/quereus-migrate/types"
)

// choices are the functions that choose among their arguments (docs/reference/functions.md).
func choices() []*Function {
	return []*Function{
		{
			Name: "coalesce", Args: -1, Max: -1, Deterministic: true, Lazy: true,
			Type: func(args []Arg) Result { return Result{types.CommonType(typesOf(args)...), true} },
		},
		{
			Name: "iif", Args: 3, Deterministic: true, Lazy: true,
			Type: func(args []Arg) Result { return Result{types.CommonType(args[1].Type, args[2].Type), true} },
		},
		{
			Name: "nullif", Args: 2, Deterministic: true, ComparesArgs: true,
			Type: func(args []Arg) Result { return Result{args[0].Type, true} }, Bind: bindNullif,
		},
		picksExtreme("greatest", 1), picksExtreme("least", -1),
		{
			Name: "choose", Args: -1, Max: -1, Deterministic: true,
			Type: func(args []Arg) Result { return Result{types.CommonType(typesOf(args[min(1, len(args)):])...), true} },
			Eval: choose,
		},
		{Name: "typeof", Args: 1, Deterministic: true, Type: resultNever(types.TypeText), Eval: typeOf},
	}
}

// group compares the arguments of one call in one form: each is converted as its static type demands, and all follow one order
// and one collation (docs/reference/types.md).
type group struct {
	casts   []func(types.Value) types.Value // nil for an argument that is compared as it is
	compare types.Comparator
}

// newGroup resolves the comparison of arguments. ERROR for collations that conflict.
func newGroup(args []Arg) (*group, error) {
	g := &group{casts: make([]func(types.Value) types.Value, len(args))}
	contributions := make([]types.Contribution, len(args))
	order := types.TypeNull
	for i, to := range types.GroupCasts(typesOf(args)) {
		contributions[i] = args[i].Collation
		form := args[i].Type
		if to != nil {
			g.casts[i] = types.Caster(form, to)
			form = to
		}
		order = sharedOrder(order, form)
	}
	collation, err := types.MergeContributions(contributions...)
	if err != nil {
		return nil, err
	}
	g.compare = types.NewComparator(order, collation.Effective())
	return g, nil
}

// sharedOrder gives the type whose order serves values of two types.
func sharedOrder(a, b *types.Type) *types.Type {
	switch t := types.ComparisonType(a, b); {
	case a == types.TypeNull:
		return b
	case t != nil:
		return t
	case a == b || b == types.TypeNull:
		return a
	}
	return types.TypeAny
}

// form gives argument i as it is compared.
func (g *group) form(i int, v types.Value) types.Value {
	if cast := g.casts[i]; cast != nil {
		return cast(v)
	}
	return v
}

func bindNullif(args []Arg) (Eval, error) {
	g, err := newGroup(args)
	if err != nil {
		return nil, err
	}
	return func(_ *Call, args []types.Value) (types.Value, error) {
		x, y := g.form(0, args[0]), g.form(1, args[1])
		if x.IsNull() || y.IsNull() || g.compare(x, y) != 0 {
			return args[0], nil
		}
		return types.Null, nil
	}, nil
}

// picksExtreme is greatest (sign 1) or least (sign -1): the first of the arguments that no other one beats. Arguments that are
// NULL, or compare as NULL, take no part.
func picksExtreme(name string, sign int) *Function {
	return &Function{
		Name: name, Args: -1, Max: -1, Deterministic: true, ComparesArgs: true, Type: resultOfExtreme,
		Bind: func(args []Arg) (Eval, error) {
			g, err := newGroup(args)
			if err != nil {
				return nil, err
			}
			return func(_ *Call, args []types.Value) (types.Value, error) {
				winner, best := types.Null, types.Null
				for i, v := range args {
					form := g.form(i, v)
					if !form.IsNull() && (best.IsNull() || g.compare(form, best)*sign > 0) {
						winner, best = v, form
					}
				}
				return winner, nil
			}, nil
		},
	}
}

// resultOfExtreme is never NULL when an argument is a value that every comparison leaves as it is.
func resultOfExtreme(args []Arg) Result {
	r := Result{types.CommonType(typesOf(args)...), true}
	for i, to := range types.GroupCasts(typesOf(args)) {
		if !args[i].Nullable && to == nil {
			r.Nullable = false
		}
	}
	return r
}

// choose is choose(n, v1, …), which counts from 1.
func choose(_ *Call, args []types.Value) (types.Value, error) {
	if len(args) == 0 {
		return types.Null, nil
	}
	n, ok := numberOf(args[0])
	if !ok || !types.IsWhole(n) {
		return types.Null, nil
	}
	if i := countOf(n); i >= 1 && i < int64(len(args)) {
		return args[i], nil
	}
	return types.Null, nil
}

var storageNames = [...]types.Value{
	types.KindNull: types.Text("null"), types.KindBoolean: types.Text("integer"), types.KindInteger: types.Text("integer"),
	types.KindReal: types.Text("real"), types.KindText: types.Text("text"), types.KindBlob: types.Text("blob"),
	types.KindJSON: types.Text("json"),
}

func typeOf(_ *Call, args []types.Value) (types.Value, error) {
	kind := args[0].Kind()
	if kind == types.KindReal && types.IsWhole(args[0]) {
		kind = types.KindInteger
	}
	return storageNames[kind], nil
}
