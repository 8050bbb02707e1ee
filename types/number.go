package types

import (
	"cmp"
	"math"
	"math/big"
)

// CompareNumbers orders two numbers (BOOLEAN, INTEGER, REAL) by exact mathematical value: nothing is rounded, so
// 9007199254740993 is above 9007199254740992.0, and 1, 1.0 and true are equal. Both must be numbers.
func CompareNumbers(a, b Value) int {
	ka, aSmall := a.ref.(Kind)
	kb, bSmall := b.ref.(Kind)
	if aSmall && bSmall {
		return compareSmallNumbers(a, b, ka == KindReal, kb == KindReal)
	}
	return compareBigNumbers(a, b)
}

// compareSmallNumbers orders int64, boolean and real values.
func compareSmallNumbers(a, b Value, aReal, bReal bool) int {
	switch {
	case !aReal && !bReal:
		return cmp.Compare(int64(a.num), int64(b.num))
	case aReal && bReal:
		return cmp.Compare(floatFrom(a.num), floatFrom(b.num))
	case aReal:
		return -compareIntReal(int64(b.num), floatFrom(a.num))
	default:
		return compareIntReal(int64(a.num), floatFrom(b.num))
	}
}

// compareIntReal orders i and f without rounding i.
func compareIntReal(i int64, f float64) int {
	if f >= two63 {
		return -1
	}
	if f < -two63 {
		return 1
	}
	whole := int64(f) // exact: |f| is within int64, the fraction is cut off
	if c := cmp.Compare(i, whole); c != 0 {
		return c
	}
	return cmp.Compare(0, f-float64(whole))
}

// compareBigNumbers orders two numbers of which at least one is an integer beyond int64.
func compareBigNumbers(a, b Value) int {
	if a.Kind() == KindReal {
		return -compareBigReal(b.Big(), a.Float())
	}
	if b.Kind() == KindReal {
		return compareBigReal(a.Big(), b.Float())
	}
	return a.Big().Cmp(b.Big())
}

// compareBigReal orders x, which lies outside int64, and f.
func compareBigReal(x *big.Int, f float64) int {
	switch {
	case math.IsInf(f, 0):
		return -sign(f)
	case math.Abs(f) < two63:
		return x.Sign()
	}
	return x.Cmp(realToBig(f))
}

const (
	two53 = 1 << 53
	two63 = 1 << 63
)

func sign(f float64) int {
	switch {
	case f > 0:
		return 1
	case f < 0:
		return -1
	}
	return 0
}

// realToBig gives the integer part of a finite f, exactly.
func realToBig(f float64) *big.Int {
	b, _ := new(big.Float).SetFloat64(f).Int(nil)
	return b
}

// NearestReal gives a number as the nearest double: ±Infinity for an integer beyond the range of doubles, 0 for a
// value that is no number.
func NearestReal(v Value) float64 {
	switch k := v.ref.(type) {
	case Kind:
		if k == KindReal {
			return floatFrom(v.num)
		}
		return float64(int64(v.num))
	case *big.Int:
		f, _ := new(big.Float).SetInt(k).Float64()
		return f
	}
	return 0
}

// Truncate gives a number as an INTEGER, its fraction cut off, exactly at any size. ok is false for ±Infinity and for
// a value that is no number.
func Truncate(v Value) (i Value, ok bool) {
	switch v.Kind() {
	case KindInteger:
		return v, true
	case KindBoolean:
		return Int(int64(v.num)), true
	case KindReal:
		return truncateReal(v.Float())
	}
	return Null, false
}

func truncateReal(f float64) (Value, bool) {
	if math.Abs(f) < two63 {
		return Int(int64(f)), true
	}
	if math.IsInf(f, 0) {
		return Null, false
	}
	return BigInt(realToBig(f)), true
}

// IsWhole reports whether v is a number without a fraction: booleans, integers, and reals such as 1.0 and 1e300, which
// SQL shows as integers (docs/reference/types.md).
func IsWhole(v Value) bool {
	switch v.Kind() {
	case KindBoolean, KindInteger:
		return true
	case KindReal:
		return isWholeReal(v.Float())
	}
	return false
}

func isWholeReal(f float64) bool { return math.Trunc(f) == f && !math.IsInf(f, 0) }
