package function

import (
	"math"
	"math/big"

	"github.com/quereus/quereus-migrate/types"
)

// roundsTo is round(x, d). A NULL d counts as 0.
func roundsTo() *Function {
	return &Function{
		Name: "round", Args: 2, Deterministic: true, Numeric: true,
		Type: func(args []Arg) Result {
			return Result{args[0].Type, args[0].Nullable || !isNumeric(args[0].Type) || !isNumeric(args[1].Type) && args[1].Type != types.TypeNull}
		},
		Eval: func(_ *Call, args []types.Value) (types.Value, error) {
			n, ok := numberOf(args[0])
			if !ok {
				return types.Null, nil
			}
			if args[1].IsNull() {
				return round(n, 0), nil
			}
			d, ok := numberOf(args[1])
			if !ok {
				return types.Null, nil
			}
			return round(n, countOf(d)), nil
		},
	}
}

// round gives the multiple of 10^-digits that is nearest to n, the upper one of two. It is exact for whole numbers and computes in
// doubles for all others (docs/reference/functions.md).
func round(n types.Value, digits int64) types.Value {
	switch {
	case n.Kind() == types.KindReal && !types.IsWhole(n):
		return types.Real(roundReal(n.Float(), digits))
	case digits >= 0:
		return n
	}
	i, ok := types.Truncate(n)
	if !ok {
		return n // an infinity
	}
	return roundInteger(i, digits)
}

// roundReal rounds a real with a fraction, which is below 2^53, or an infinity.
func roundReal(f float64, digits int64) float64 {
	const most = 308 // decimal exponents of doubles
	switch {
	case math.IsInf(f, 0) || digits > most:
		return f
	case digits < -most:
		return 0
	case digits < 0:
		unit := math.Pow10(int(-digits))
		return math.Floor(f/unit+0.5) * unit
	}
	unit := math.Pow10(int(digits))
	if r := math.Floor(f*unit+0.5) / unit; !math.IsInf(r, 0) {
		return r
	}
	return f
}

// roundInteger rounds an INTEGER to a multiple of 10^-digits; digits is negative.
func roundInteger(n types.Value, digits int64) types.Value {
	b := n.Big()
	if mostDigits := int64(b.BitLen())*30103/100000 + 1; -digits > mostDigits {
		return types.Int(0) // less than half a unit
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(-digits), nil)
	half := new(big.Int).Rsh(unit, 1)
	sum := half.Add(half, b)
	remainder := new(big.Int).Mod(sum, unit) // Euclidean, so that the difference is the floor
	return types.BigInt(sum.Sub(sum, remainder))
}
