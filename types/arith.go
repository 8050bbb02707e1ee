package types

import (
	"math"
	"math/big"
	"math/bits"
)

// Arithmetic (docs/reference/language.md). Operands of binary operators read as numbers: booleans as 1 and 0; text as the number
// that the whole of it spells, else 0; blobs and JSON containers as 0; NULL makes the result NULL. Unary operators give NULL
// where a binary one would read text, blob or container as 0 for want of a number, except that empty text is 0.
//
// Integers are exact at any size. A real makes the operation real, unless it is whole and meets an integer beyond ±2^53, whose
// digits a double would lose. What is not finite is NULL. Operands of temporal types are none of these functions' business.

// Add gives a + b.
func Add(a, b Value) Value {
	if x, y, ok := int64s(a, b); ok {
		if s := x + y; (x^s)&(y^s) >= 0 {
			return Int(s)
		}
	}
	return arithmetic(a, b, (*big.Int).Add, func(x, y float64) float64 { return x + y })
}

// Sub gives a - b.
func Sub(a, b Value) Value {
	if x, y, ok := int64s(a, b); ok {
		if d := x - y; (x^y)&(x^d) >= 0 {
			return Int(d)
		}
	}
	return arithmetic(a, b, (*big.Int).Sub, func(x, y float64) float64 { return x - y })
}

// Mul gives a * b.
func Mul(a, b Value) Value {
	if x, y, ok := int64s(a, b); ok {
		hi, lo := bits.Mul64(magnitude(x), magnitude(y))
		if hi == 0 && lo < two63 {
			return Int(x * y)
		}
	}
	return arithmetic(a, b, (*big.Int).Mul, func(x, y float64) float64 { return x * y })
}

// Div gives a / b: of integers an INTEGER when b divides a, else the nearest REAL, at every size; NULL when b is zero.
func Div(a, b Value) Value {
	if x, y, ok := int64s(a, b); ok && y != 0 {
		if x%y == 0 && (x != math.MinInt64 || y != -1) {
			return Int(x / y)
		}
		if magnitude(x) < two53 && magnitude(y) < two53 { // exact as doubles: the quotient is rounded once
			return Real(float64(x) / float64(y))
		}
	}
	x, y, ok := operands(a, b)
	if !ok || !isNonZero(y) {
		return Null
	}
	if p, q, ok := integers(x, y); ok {
		return divideBig(p, q)
	}
	return finite(NearestReal(x) / NearestReal(y))
}

func divideBig(p, q *big.Int) Value {
	if whole, rest := new(big.Int).QuoRem(p, q, new(big.Int)); rest.Sign() == 0 {
		return BigInt(whole)
	}
	f, _ := new(big.Rat).SetFrac(p, q).Float64()
	return finite(f)
}

// Mod gives the remainder of a / b with the sign of a, of reals too; NULL when b is zero.
func Mod(a, b Value) Value {
	if x, y, ok := int64s(a, b); ok && y != 0 {
		return Int(x % y)
	}
	x, y, ok := operands(a, b)
	if !ok || !isNonZero(y) {
		return Null
	}
	if p, q, ok := integers(x, y); ok {
		return BigInt(new(big.Int).Rem(p, q))
	}
	return finite(math.Mod(NearestReal(x), NearestReal(y)))
}

// Neg gives -a.
func Neg(a Value) Value {
	n := unaryOperand(a)
	switch n.Kind() {
	case KindReal:
		return Real(-n.Float())
	case KindInteger:
		if i, ok := n.Int64(); ok && i != math.MinInt64 {
			return Int(-i)
		}
		return BigInt(new(big.Int).Neg(n.Big()))
	}
	return Null
}

// Plus gives +a: the number that a reads as.
func Plus(a Value) Value { return unaryOperand(a) }

// int64s gives the operands when both are INTEGERs within int64: the fast path.
func int64s(a, b Value) (x, y int64, ok bool) {
	ka, _ := a.ref.(Kind)
	kb, _ := b.ref.(Kind)
	return int64(a.num), int64(b.num), ka == KindInteger && kb == KindInteger
}

func magnitude(i int64) uint64 {
	if i < 0 {
		return uint64(-i)
	}
	return uint64(i)
}

// arithmetic applies a binary operator in the domain that the operands call for.
func arithmetic(a, b Value, whole func(z, x, y *big.Int) *big.Int, real func(x, y float64) float64) Value {
	x, y, ok := operands(a, b)
	if !ok {
		return Null
	}
	if p, q, ok := integers(x, y); ok {
		return BigInt(whole(new(big.Int), p, q))
	}
	return finite(real(NearestReal(x), NearestReal(y)))
}

// operands reads the operands of a binary operator as INTEGER or REAL; ok is false when one is NULL.
func operands(a, b Value) (x, y Value, ok bool) {
	if a.IsNull() || b.IsNull() {
		return Null, Null, false
	}
	return operand(a), operand(b), true
}

func operand(v Value) Value {
	if n := unaryOperand(v); !n.IsNull() {
		return n
	}
	return Int(0)
}

// unaryOperand reads a value as INTEGER or REAL; NULL when it is no number.
func unaryOperand(v Value) Value {
	switch v.Kind() {
	case KindInteger, KindReal:
		return v
	case KindBoolean:
		return Int(int64(v.num))
	case KindText:
		s := TrimSpace(v.Str())
		if s == "" {
			return Int(0)
		}
		n, _ := ParseWholeNumber(s) // NULL when it does not parse
		return n
	}
	return Null
}

// integers gives two numbers as integers when the operation on them is one of integers: both are, or one is an integer
// beyond ±2^53 and the other a whole real.
func integers(x, y Value) (p, q *big.Int, ok bool) {
	xReal, yReal := x.Kind() == KindReal, y.Kind() == KindReal
	switch {
	case !xReal && !yReal:
		return x.Big(), y.Big(), true
	case yReal && !xReal && beyondDouble(x) && isWholeReal(y.Float()):
		return x.Big(), realToBig(y.Float()), true
	case xReal && !yReal && beyondDouble(y) && isWholeReal(x.Float()):
		return realToBig(x.Float()), y.Big(), true
	}
	return nil, nil, false
}

// beyondDouble reports whether an INTEGER is so large that doubles skip some of its neighbours.
func beyondDouble(v Value) bool {
	i, ok := v.Int64()
	return !ok || magnitude(i) >= two53
}

// finite makes a REAL; NULL of what is not finite.
func finite(f float64) Value {
	if math.IsInf(f, 0) {
		return Null
	}
	return Real(f)
}
