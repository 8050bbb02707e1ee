package types

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
)

// Key bytes of numbers: tag, magnitude of the integer part, end.
//
//	tag        sign and length n of the magnitude: 0x1B+n for n = 0..8, mirrored around 0x1B for negatives; the long form
//	           for more bytes: n as one byte, from 255 on as 0xFF and eight bytes; the infinities have tags of their own
//	magnitude  n bytes, big-endian, no leading zero
//	end        0x00, or 0x01 and the fraction as a double
//
// |x| is exactly the integer part plus the fraction, so 1, 1.0 and true are the same bytes. Behind the tag, negatives are
// inverted.
const (
	tagNegativeInfinity = 0x10
	tagNegativeLong     = 0x11
	tagNegative         = 0x1A // integer part 0; one less for every byte of magnitude
	tagPositive         = 0x1B // integer part 0; one more for every byte of magnitude
	tagPositiveLong     = 0x24
	tagPositiveInfinity = 0x25

	endWhole    = 0x00
	endFraction = 0x01

	longLength = 0xFF // announces a length of eight bytes
)

// appendNumber appends a BOOLEAN, INTEGER or REAL.
func appendNumber(dst []byte, v Value) []byte {
	k, small := v.ref.(Kind)
	switch {
	case !small:
		return appendBig(dst, v.ref.(*big.Int))
	case k == KindReal:
		return appendReal(dst, floatFrom(v.num))
	}
	i := int64(v.num)
	if i < 0 {
		return appendParts(dst, true, uint64(-i), 0)
	}
	return appendParts(dst, false, uint64(i), 0)
}

func appendReal(dst []byte, f float64) []byte {
	const two64 = 1 << 64
	switch {
	case math.IsInf(f, 1):
		return append(dst, tagPositiveInfinity)
	case math.IsInf(f, -1):
		return append(dst, tagNegativeInfinity)
	case math.Abs(f) >= two64:
		return appendBig(dst, realToBig(f))
	}
	whole, fraction := math.Modf(math.Abs(f))
	return appendParts(dst, f < 0, uint64(whole), fraction)
}

// appendParts appends a number whose integer part has up to eight bytes.
func appendParts(dst []byte, negative bool, whole uint64, fraction float64) []byte {
	n := (bits.Len64(whole) + 7) / 8
	tag := byte(tagPositive + n)
	if negative {
		tag = byte(tagNegative - n)
	}
	dst = append(dst, tag)
	start := len(dst)
	var magnitude [8]byte
	binary.BigEndian.PutUint64(magnitude[:], whole)
	dst = append(dst, magnitude[8-n:]...)
	if fraction == 0 {
		dst = append(dst, endWhole)
	} else {
		dst = binary.BigEndian.AppendUint64(append(dst, endFraction), floatBits(fraction))
	}
	if negative {
		invert(dst[start:])
	}
	return dst
}

// appendBig appends an integer of any size.
func appendBig(dst []byte, b *big.Int) []byte {
	negative := b.Sign() < 0
	n := (b.BitLen() + 7) / 8
	if n <= 8 {
		return appendParts(dst, negative, new(big.Int).Abs(b).Uint64(), 0)
	}
	tag := byte(tagPositiveLong)
	if negative {
		tag = tagNegativeLong
	}
	dst = append(dst, tag)
	start := len(dst)
	if n < longLength {
		dst = append(dst, byte(n))
	} else {
		dst = binary.BigEndian.AppendUint64(append(dst, longLength), uint64(n))
	}
	at := len(dst)
	dst = append(dst, make([]byte, n)...)
	b.FillBytes(dst[at:])
	dst = append(dst, endWhole)
	if negative {
		invert(dst[start:])
	}
	return dst
}
