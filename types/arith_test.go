package types

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// requireValue compares values and whether they are INTEGER or REAL.
func requireValue(t require.TestingT, want, got Value, msg ...any) {
	require.Equal(t, want.Kind(), got.Kind(), msg...)
	require.True(t, Equal(want, got, nil), "want %s, got %s: %v", FormatJSON(want), FormatJSON(got), msg)
}

func TestArithmetic(t *testing.T) {
	const big1 = 9007199254740993 // 2^53 + 1
	inf := Real(math.Inf(1))
	tests := []struct {
		name string
		op   func(a, b Value) Value
		a, b Value
		want Value
	}{
		{"exact beyond 2^53", Add, Int(9007199254740991), Int(2), Int(big1)},
		{"leaves int64", Add, Int(math.MaxInt64), Int(1), bigOf("9223372036854775808")},
		{"leaves int64 below", Sub, Int(math.MinInt64), Int(1), bigOf("-9223372036854775809")},
		{"returns to int64", Sub, bigOf("9223372036854775808"), Int(1), Int(math.MaxInt64)},
		{"product", Mul, Int(123456789012), Int(123456789012), bigOf("15241578753153483936144")},
		{"product at the edge", Mul, Int(math.MinInt64), Int(-1), bigOf("9223372036854775808")},
		{"product at the edge below", Mul, Int(math.MinInt64), Int(1), Int(math.MinInt64)},
		{"reals", Add, Real(0.1), Real(0.2), Real(0.30000000000000004)},
		{"integer and real", Sub, Int(2), Real(3.5), Real(-1.5)},
		{"whole real meets big integer", Add, Int(big1), Real(1), Int(big1 + 1)},
		{"big integer meets whole real", Mul, Real(2), Int(big1), Int(2 * big1)},
		{"whole real meets small integer", Add, Int(1), Real(2), Real(3)},
		{"fraction meets big integer", Add, Int(big1), Real(0.5), Real(9007199254740992)},
		{"overflow is null", Mul, Real(1e308), Int(10), Null},
		{"infinity is null", Add, inf, Int(1), Null},
		{"infinity and big integer", Add, inf, Int(big1), Null},
		{"boolean", Add, True, True, Int(2)},
		{"text", Add, Text("5"), Int(3), Int(8)},
		{"text with space", Sub, Text(" 7 "), Int(1), Int(6)},
		{"text spelled real", Add, Text("1e2"), Int(0), Real(100)},
		{"text exact", Add, Text("9007199254740993"), Int(0), Int(big1)},
		{"text beyond doubles", Add, Text("1e999"), Int(0), Null},
		{"text no number", Add, Text("12abc"), Int(1), Int(1)},
		{"text hexadecimal", Add, Text("0x1F"), Int(0), Int(0)},
		{"empty text", Add, Text(""), Int(1), Int(1)},
		{"blob", Mul, Blob([]byte("5")), Int(5), Int(0)},
		{"json", Add, parseDocument("[1]"), Int(1), Int(1)},
		{"null left", Add, Null, Int(1), Null},
		{"null right", Mul, Text("x"), Null, Null},

		{"quotient whole", Div, Int(8), Int(2), Int(4)},
		{"quotient", Div, Int(7), Int(-2), Real(-3.5)},
		{"quotient third", Div, Int(1), Int(3), Real(1.0 / 3)},
		{"quotient beyond 2^53", Div, Int(big1), Int(2), Real(4503599627370496.5)},
		{"quotient of neighbours", Div, Int(big1), Int(9007199254740995), Real(0.9999999999999998)},
		{"quotient small by big", Div, Int(5), Int(9007199254740994), Real(5.551115123125782e-16)},
		{"quotient at the edge", Div, Int(math.MinInt64), Int(-1), bigOf("9223372036854775808")},
		{"quotient of reals", Div, Int(big1), Real(2.5), Real(3602879701896397)},
		{"quotient big exact", Div, bigOf("100000000000000000000"), Int(10), bigOf("10000000000000000000")},
		{"quotient underflow", Div, Real(1e-320), Real(1e10), Real(0)},
		{"by zero", Div, Int(1), Int(0), Null},
		{"by zero real", Div, Real(1), Real(0), Null},
		{"by text zero", Div, Text("x"), Text("y"), Null},
		{"quotient of text", Div, Text("10"), Text("4"), Real(2.5)},
		{"by infinity", Div, Int(5), inf, Real(0)},

		{"remainder", Mod, Int(7), Int(3), Int(1)},
		{"remainder sign of dividend", Mod, Int(-7), Int(3), Int(-1)},
		{"remainder negative divisor", Mod, Int(7), Int(-3), Int(1)},
		{"remainder of reals", Mod, Real(7.5), Int(2), Real(1.5)},
		{"remainder by real", Mod, Int(7), Real(2.5), Real(2)},
		{"remainder big", Mod, Int(-9007199254740993), Int(10), Int(-3)},
		{"remainder small by big", Mod, Int(5), bigOf("99999999999999999999"), Int(5)},
		{"remainder at the edge", Mod, Int(math.MinInt64), Int(-1), Int(0)},
		{"remainder by zero", Mod, Int(7), Int(0), Null},
		{"remainder by zero real", Mod, Real(5), Real(0), Null},
		{"remainder of infinity", Mod, inf, Int(5), Null},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { requireValue(t, tt.want, tt.op(tt.a, tt.b)) })
	}
}

func TestUnary(t *testing.T) {
	tests := []struct{ v, neg, plus, not Value }{
		{Int(5), Int(-5), Int(5), Int(-6)},
		{Int(0), Int(0), Int(0), Int(-1)},
		{Int(math.MinInt64), bigOf("9223372036854775808"), Int(math.MinInt64), Int(math.MaxInt64)},
		{bigOf("9223372036854775808"), Int(math.MinInt64), bigOf("9223372036854775808"), bigOf("-9223372036854775809")},
		{Real(2.9), Real(-2.9), Real(2.9), Int(-3)},
		{Real(-2.9), Real(2.9), Real(-2.9), Int(1)},
		{Real(math.Inf(1)), Real(math.Inf(-1)), Real(math.Inf(1)), Null},
		{True, Int(-1), Int(1), Int(-2)},
		{Text("5"), Int(-5), Int(5), Int(-6)},
		{Text(" 8 "), Int(-8), Int(8), Int(-9)},
		{Text(""), Int(0), Int(0), Int(-1)},
		{Text("  "), Int(0), Int(0), Int(-1)},
		{Text("abc"), Null, Null, Null},
		{Text("12abc"), Null, Null, Null},
		{Blob([]byte("5")), Null, Null, Null},
		{parseDocument("{}"), Null, Null, Null},
		{Null, Null, Null, Null},
	}
	for _, tt := range tests {
		requireValue(t, tt.neg, Neg(tt.v), "-", FormatJSON(tt.v))
		requireValue(t, tt.plus, Plus(tt.v), "+", FormatJSON(tt.v))
		requireValue(t, tt.not, BitNot(tt.v), "~", FormatJSON(tt.v))
	}
}

// Integers follow the rationals exactly.
func TestIntegerArithmeticLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genInteger.Draw(t, "a"), genInteger.Draw(t, "b")
		x, y := a.Big(), b.Big()
		requireValue(t, BigInt(new(big.Int).Add(x, y)), Add(a, b))
		requireValue(t, BigInt(new(big.Int).Sub(x, y)), Sub(a, b))
		requireValue(t, BigInt(new(big.Int).Mul(x, y)), Mul(a, b))
		requireValue(t, BigInt(new(big.Int).Neg(x)), Neg(a))
		if y.Sign() == 0 {
			requireValue(t, Null, Div(a, b))
			requireValue(t, Null, Mod(a, b))
			return
		}
		requireValue(t, BigInt(new(big.Int).Rem(x, y)), Mod(a, b))
		q := new(big.Rat).SetFrac(x, y)
		switch nearest, _ := q.Float64(); {
		case q.IsInt():
			requireValue(t, BigInt(q.Num()), Div(a, b))
		case math.IsInf(nearest, 0):
			requireValue(t, Null, Div(a, b))
		default:
			requireValue(t, Real(nearest), Div(a, b))
		}
	})
}

// Reals follow the hardware; two numbers of small integers and reals agree with the rounded exact result.
func TestRealArithmeticLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := genFloat.Draw(t, "x")
		i := rapid.Int64Range(-two53+1, two53-1).Draw(t, "i")
		for _, b := range []Value{Real(genFloat.Draw(t, "y")), Int(i)} {
			y := NearestReal(b)
			requireValue(t, finite(x+y), Add(Real(x), b))
			requireValue(t, finite(x-y), Sub(Real(x), b))
			requireValue(t, finite(y-x), Sub(b, Real(x)))
			requireValue(t, finite(x*y), Mul(Real(x), b))
			if y != 0 {
				requireValue(t, finite(x/y), Div(Real(x), b))
				requireValue(t, finite(math.Mod(x, y)), Mod(Real(x), b))
			}
		}
	})
}

func TestBitOperators(t *testing.T) {
	tests := []struct {
		name string
		op   func(a, b Value) Value
		a, b Value
		want Value
	}{
		{"and", BitAnd, Int(5), Int(3), Int(1)},
		{"and negative", BitAnd, Int(-5), Int(255), Int(251)},
		{"and wide", BitAnd, Int(-1), bigOf("18446744073709551615"), bigOf("18446744073709551615")},
		{"or", BitOr, Int(5), Int(3), Int(7)},
		{"or wide", BitOr, bigOf("36893488147419103232"), Int(1), bigOf("36893488147419103233")},
		{"fraction cut", BitAnd, Real(5.9), Int(7), Int(5)},
		{"negative fraction cut", BitOr, Real(-5.9), Int(0), Int(-5)},
		{"text", BitAnd, Text("12"), Int(10), Int(8)},
		{"text fraction", BitAnd, Text("3.7"), Int(7), Int(3)},
		{"text no number", BitOr, Text("abc"), Int(4), Int(4)},
		{"boolean", BitAnd, True, Int(3), Int(1)},
		{"blob", BitOr, Blob([]byte{5}), Int(2), Int(2)},
		{"null", BitAnd, Int(5), Null, Null},
		{"infinity", BitOr, Real(math.Inf(1)), Int(1), Null},
		{"left", Shl, Int(1), Int(4), Int(16)},
		{"left wide", Shl, Int(1), Int(64), bigOf("18446744073709551616")},
		{"left to the sign", Shl, Int(1), Int(63), bigOf("9223372036854775808")},
		{"left negative", Shl, Int(-1), Int(63), Int(math.MinInt64)},
		{"left by negative", Shl, Int(8), Int(-2), Int(2)},
		{"right", Shr, Int(256), Int(4), Int(16)},
		{"right by negative", Shr, Int(8), Int(-1), Int(16)},
		{"right keeps sign", Shr, Int(-1), Int(70), Int(-1)},
		{"right floors", Shr, Int(-3), Int(1), Int(-2)},
		{"right all", Shr, Int(1), bigOf("99999999999999999999"), Int(0)},
		{"right all by negative", Shl, bigOf("-99999999999999999999"), bigOf("-99999999999999999999"), Int(-1)},
		{"left at the limit", func(a, b Value) Value { return Shr(Shl(a, b), b) }, Int(5), Int(maxShift), Int(5)},
		{"left beyond the limit", Shl, Int(1), Int(maxShift + 1), Null},
		{"left far beyond", Shl, Int(1), bigOf("99999999999999999999"), Null},
		{"right far to the left", Shr, Int(1), Int(math.MinInt64), Null},
		{"shift null", Shl, Int(1), Null, Null},
		{"shift fraction", Shl, Real(1.5), Real(2.9), Int(4)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { requireValue(t, tt.want, tt.op(tt.a, tt.b)) })
	}
}

func TestBitLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genInteger.Draw(t, "a"), genInteger.Draw(t, "b")
		n := rapid.Int64Range(0, 200).Draw(t, "n")
		requireValue(t, Sub(Int(-1), a), BitNot(a))
		requireValue(t, Add(a, b), Add(BitAnd(a, b), BitOr(a, b)))
		requireValue(t, BitNot(BitOr(BitNot(a), BitNot(b))), BitAnd(a, b))
		power := BigInt(new(big.Int).Lsh(big.NewInt(1), uint(n)))
		requireValue(t, Mul(a, power), Shl(a, Int(n)))
		requireValue(t, BigInt(new(big.Int).Div(a.Big(), power.Big())), Shr(a, Int(n)))
		requireValue(t, Shl(a, Int(n)), Shr(a, Int(-n)))
	})
}

func TestArithmeticAllocatesNothing(t *testing.T) {
	n := int64(0)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		n++
		a, b := Int(n<<20+1), Int(n+2)
		sink = Add(a, b)
		sink = Mul(a, b)
		sink = Div(a, b)
		sink = Mod(a, b)
		sink = Add(Real(float64(n)/2), b)
		sink = BitAnd(a, b)
		sink = Shl(b, Int(3))
	}))
}
