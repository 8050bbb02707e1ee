package function

import (
	"math"

	"github.com/quereus/quereus-migrate/types"
)

// numbers are the functions of numbers (docs/reference/functions.md).
func numbers() []*Function {
	return []*Function{
		ofNumber("abs", absolute),
		ofNumber("floor", func(n types.Value) types.Value { return mapReal(n, math.Floor) }),
		ofNumber("ceil", func(n types.Value) types.Value { return mapReal(n, math.Ceil) }),
		ofNumber("ceiling", func(n types.Value) types.Value { return mapReal(n, math.Ceil) }),
		ofNumber("round", func(n types.Value) types.Value { return round(n, 0) }),
		roundsTo(),
		{
			Name: "clamp", Args: 3, Deterministic: true, Numeric: true, NullOnNull: true, Type: resultOfFirst, Eval: clamp,
		},
		{
			Name: "sqrt", Args: 1, Deterministic: true, NullOnNull: true, Type: resultAlways(types.TypeReal), Eval: squareRoot,
		},
		raises("pow"), raises("power"),
	}
}

// ofNumber is a function of one number, NULL for what does not read as one.
func ofNumber(name string, f func(n types.Value) types.Value) *Function {
	return &Function{
		Name: name, Args: 1, Deterministic: true, Numeric: true, NullOnNull: true, Type: resultOfFirst,
		Eval: func(_ *Call, args []types.Value) (types.Value, error) {
			n, ok := numberOf(args[0])
			if !ok {
				return types.Null, nil
			}
			return f(n), nil
		},
	}
}

func absolute(n types.Value) types.Value {
	if types.CompareNumbers(n, types.Int(0)) < 0 {
		return types.Neg(n)
	}
	return n
}

// mapReal applies f to a real; integers stay.
func mapReal(n types.Value, f func(float64) float64) types.Value {
	if n.Kind() != types.KindReal {
		return n
	}
	return types.Real(f(n.Float()))
}

// clamp is max(lo, min(hi, x)).
func clamp(_ *Call, args []types.Value) (types.Value, error) {
	var n [3]types.Value
	for i := range n {
		var ok bool
		if n[i], ok = numberOf(args[i]); !ok {
			return types.Null, nil
		}
	}
	x, lo, hi := n[0], n[1], n[2]
	if types.CompareNumbers(hi, x) < 0 {
		x = hi
	}
	if types.CompareNumbers(lo, x) > 0 {
		x = lo
	}
	return x, nil
}

func squareRoot(_ *Call, args []types.Value) (types.Value, error) {
	n, ok := numberOf(args[0])
	if !ok {
		return types.Null, nil
	}
	return types.Real(math.Sqrt(types.NearestReal(n))), nil // NaN is NULL
}

func raises(name string) *Function {
	return &Function{
		Name: name, Args: 2, Deterministic: true, NullOnNull: true, Type: resultAlways(types.TypeReal),
		Eval: func(_ *Call, args []types.Value) (types.Value, error) {
			x, okX := numberOf(args[0])
			y, okY := numberOf(args[1])
			if !okX || !okY {
				return types.Null, nil
			}
			p := math.Pow(types.NearestReal(x), types.NearestReal(y))
			if math.IsInf(p, 0) {
				return types.Null, nil
			}
			return types.Real(p), nil
		},
	}
}
