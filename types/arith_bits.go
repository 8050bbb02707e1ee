package types

import (
	"math"
	"math/big"
	"math/bits"
)

// maxShift is how far << shifts; beyond, the result is NULL.
const maxShift = 65_536

// Bit operators work on integers of any size in two's complement without end (docs/reference/language.md). Operands read as for Add, and a
// fraction is cut off; an infinity has no integer and makes the result NULL.

// BitNot gives ~a = -a - 1. It reads its operand as the other unary operators do.
func BitNot(a Value) Value {
	n, ok := Truncate(unaryOperand(a))
	if !ok {
		return Null
	}
	if i, ok := n.Int64(); ok {
		return Int(^i)
	}
	return BigInt(new(big.Int).Not(n.Big()))
}

// BitAnd gives a & b.
func BitAnd(a, b Value) Value {
	if x, y, ok := int64s(a, b); ok {
		return Int(x & y)
	}
	return bitwise(a, b, (*big.Int).And)
}

// BitOr gives a | b.
func BitOr(a, b Value) Value {
	if x, y, ok := int64s(a, b); ok {
		return Int(x | y)
	}
	return bitwise(a, b, (*big.Int).Or)
}

// Shl gives a << n; a negative n shifts right. NULL for a shift to the left by more than 65,536.
func Shl(a, n Value) Value { return shift(a, n, false) }

// Shr gives a >> n, keeping the sign; a negative n shifts left. NULL for a shift to the left by more than 65,536.
func Shr(a, n Value) Value { return shift(a, n, true) }

func bitwise(a, b Value, op func(z, x, y *big.Int) *big.Int) Value {
	x, y, ok := wholeOperands(a, b)
	if !ok {
		return Null
	}
	return BigInt(op(new(big.Int), x.Big(), y.Big()))
}

// wholeOperands reads the operands of a bit operator as INTEGERs; ok is false when one is NULL or infinite.
func wholeOperands(a, b Value) (x, y Value, ok bool) {
	if x, y, ok = operands(a, b); !ok {
		return Null, Null, false
	}
	x, xok := Truncate(x)
	y, yok := Truncate(y)
	return x, y, xok && yok
}

func shift(a, n Value, right bool) Value {
	x, count, ok := wholeOperands(a, n)
	if !ok {
		return Null
	}
	if right {
		count = Neg(count)
	}
	left := CompareNumbers(count, Int(0)) >= 0
	c, ok := count.Int64()
	if !ok { // further than any value is wide
		c = math.MaxInt64
	}
	if left {
		return shiftLeft(x, c)
	}
	return shiftRight(x, magnitude(c))
}

func shiftLeft(x Value, n int64) Value {
	if n > maxShift {
		return Null
	}
	if i, ok := x.Int64(); ok && bits.Len64(magnitude(i))+int(n) <= 63 {
		return Int(i << uint(n))
	}
	return BigInt(new(big.Int).Lsh(x.Big(), uint(n)))
}

func shiftRight(x Value, n uint64) Value {
	if i, ok := x.Int64(); ok {
		return Int(i >> min(n, 63))
	}
	return BigInt(new(big.Int).Rsh(x.Big(), uint(n)))
}
