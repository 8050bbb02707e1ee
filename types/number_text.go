package types

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
)

// TrimSpace removes Unicode white space and U+FEFF at both ends: what "trimmed" means wherever text is read (docs/reference/types.md).
func TrimSpace(s string) string {
	if s == "" || !edgeMayTrim(s[0]) && !edgeMayTrim(s[len(s)-1]) {
		return s
	}
	return strings.TrimFunc(s, func(r rune) bool { return r == '\uFEFF' || unicode.IsSpace(r) })
}

// edgeMayTrim reports whether a byte at the edge of a text may belong to a code point that TrimSpace removes.
func edgeMayTrim(c byte) bool { return c <= ' ' || c >= 0x7f }

// FormatReal gives the text of a real: the shortest decimal that reads back as the same double, laid out as ECMAScript's
// Number::toString. Whole values below 1e21 have no point, negative zero is "0", and the infinities are
// "Infinity" and "-Infinity".
func FormatReal(f float64) string {
	var buf [32]byte
	return string(AppendReal(buf[:0], f))
}

// AppendReal appends FormatReal(f) to dst.
func AppendReal(dst []byte, f float64) []byte {
	switch {
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	case math.Abs(f) < two53 && f == math.Trunc(f):
		return strconv.AppendInt(dst, int64(f), 10)
	}
	if f < 0 {
		dst, f = append(dst, '-'), -f
	}
	if f >= 1e21 || f < 1e-6 {
		return appendExponential(dst, f)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

// appendExponential appends a positive f as d[.ddd]e±N. strconv writes at least two digits of exponent, ECMAScript as few
// as there are.
func appendExponential(dst []byte, f float64) []byte {
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-2] == '0' && (dst[n-3] == '+' || dst[n-3] == '-') {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

// FormatInteger gives the decimal digits of an INTEGER of any size, or of a BOOLEAN as 0 or 1; "" for other kinds.
func FormatInteger(v Value) string {
	var buf [24]byte
	return string(AppendInteger(buf[:0], v))
}

// AppendInteger appends FormatInteger(v) to dst.
func AppendInteger(dst []byte, v Value) []byte {
	if i, ok := v.Int64(); ok {
		return strconv.AppendInt(dst, i, 10)
	}
	if b, ok := v.ref.(*big.Int); ok {
		return b.Append(dst, 10)
	}
	return dst
}

// MaxIntegerDigits is how many decimal digits an INTEGER has at most. A text of more is no integer: what reads numbers takes it as the REAL
// that it is nearest to, which is infinite.
const MaxIntegerDigits = 1_000_000

// ParseIntegerLiteral reads an integer literal of SQL: decimal digits, or 0x and hexadecimal digits; no sign. It is exact
// at any size. ok is false for any other text.
func ParseIntegerLiteral(s string) (i Value, ok bool) {
	if len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' {
		if strings.Trim(s[2:], "0123456789abcdefABCDEF") != "" {
			return Null, false
		}
		if tooManyDigits(s[2:]) {
			return Null, false
		}
		return parseDigits(s[2:], 16), true
	}
	if s == "" || digitsEnd(s, 0) != len(s) || tooManyDigits(s) {
		return Null, false
	}
	return parseDigits(s, 10), true
}

// ParseInteger reads the whole of a trimmed text as [+-]?[0-9]+, exactly at any size.
func ParseInteger(s string) (i Value, ok bool) {
	s = TrimSpace(s)
	n := integerEnd(s)
	if n == 0 || n != len(s) || tooManyDigits(s) {
		return Null, false
	}
	return parseDigits(s, 10), true
}

// ParseIntegerPrefix reads the longest prefix [+-]?[0-9]+ of a trimmed text: how text converts to INTEGER.
// ok is false when there is no such prefix, the empty text included.
func ParseIntegerPrefix(s string) (i Value, ok bool) {
	s = TrimSpace(s)
	n := integerEnd(s)
	if n == 0 || tooManyDigits(s[:n]) {
		return Null, false
	}
	return parseDigits(s[:n], 10), true
}

// ParseNumberPrefix reads the longest prefix of a trimmed text that is a decimal number or [+-]?Infinity as a double: how
// text converts to REAL, and to NUMERIC unless ParseInteger takes it. "1e999" is Infinity. ok is false when
// there is no such prefix, the empty text included.
func ParseNumberPrefix(s string) (f float64, ok bool) {
	s = TrimSpace(s)
	if rest, negative := cutSign(s); strings.HasPrefix(rest, "Infinity") {
		if negative {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	}
	n := decimalEnd(s)
	if n == 0 {
		return 0, false
	}
	return parseDecimal(s[:n]), true
}

// ParseWholeNumber reads a trimmed text that is a decimal number from end to end: how arithmetic and truth read text. Integer spellings are
// exact INTEGERs, all others REALs (which may be infinite: "1e999"). ok is false for anything else, the empty text included.
func ParseWholeNumber(s string) (v Value, ok bool) {
	s = TrimSpace(s)
	n := decimalEnd(s)
	if n == 0 || n != len(s) {
		return Null, false
	}
	if integerEnd(s) == n && !tooManyDigits(s) {
		return parseDigits(s, 10), true
	}
	return Real(parseDecimal(s)), true
}

// tooManyDigits reports whether the digits, with a sign or without, may be more than an INTEGER has. Hexadecimal ones count for more than
// they are: each is worth 1.2 decimal ones.
func tooManyDigits(s string) bool {
	if len(s) <= MaxIntegerDigits {
		return false
	}
	digits, _ := cutSign(s)
	return len(strings.TrimLeft(digits, "0")) > MaxIntegerDigits
}

// Digits gives the number of decimal digits of an INTEGER beyond int64, or one more, at no cost; 0 for any other value.
func Digits(v Value) int64 {
	if b, ok := v.ref.(*big.Int); ok {
		return int64(float64(b.BitLen())*math.Log10(2)) + 1
	}
	return 0
}

// TextDigits gives the number of digits of the integer that a trimmed text begins with, without zeros in front; 0 when it begins with none.
func TextDigits(s string) int64 {
	s = TrimSpace(s)
	digits, _ := cutSign(s[:integerEnd(s)])
	return int64(len(strings.TrimLeft(digits, "0")))
}

func cutSign(s string) (rest string, negative bool) {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return s[1:], s[0] == '-'
	}
	return s, false
}

// integerEnd gives the end of the prefix [+-]?[0-9]+ of s, 0 when there is none.
func integerEnd(s string) int {
	rest, _ := cutSign(s)
	start := len(s) - len(rest)
	if end := digitsEnd(s, start); end > start {
		return end
	}
	return 0
}

// decimalEnd gives the end of the longest prefix of s of the form [+-]? (digits [. digits?] | . digits) [e [+-]? digits],
// 0 when there is none.
func decimalEnd(s string) int {
	rest, _ := cutSign(s)
	start := len(s) - len(rest)
	end := digitsEnd(s, start)
	digits := end - start
	if end < len(s) && s[end] == '.' {
		fraction := digitsEnd(s, end+1)
		digits += fraction - end - 1
		end = fraction
	}
	if digits == 0 {
		return 0
	}
	if end < len(s) && s[end]|0x20 == 'e' {
		if n := integerEnd(s[end+1:]); n > 0 {
			end += 1 + n
		}
	}
	return end
}

// digitsEnd gives the end of the run of decimal digits that starts at i.
func digitsEnd(s string, i int) int {
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return i
}

// parseDigits reads an optional sign and digits of the given base that the caller has checked.
func parseDigits(s string, base int) Value {
	if len(s) <= 15 { // fits int64 in either base
		i, _ := strconv.ParseInt(s, base, 64)
		return Int(i)
	}
	digits, negative := cutSign(s)
	b := parseBig(digits, base)
	if negative {
		b.Neg(b)
	}
	return BigInt(b)
}

// parseBig reads digits by halves: SetString takes quadratic time, which megabytes of digits in a hostile document would
// turn into minutes.
func parseBig(digits string, base int) *big.Int {
	const few = 2000
	if len(digits) <= few {
		b, _ := new(big.Int).SetString(digits, base)
		return b
	}
	split := len(digits) / 2
	high, low := parseBig(digits[:split], base), parseBig(digits[split:], base)
	scale := new(big.Int).Exp(big.NewInt(int64(base)), big.NewInt(int64(len(digits)-split)), nil)
	return low.Add(low, high.Mul(high, scale))
}

// parseDecimal reads a decimal number that the caller has checked; out of range it is ±Infinity.
func parseDecimal(s string) float64 {
	f, _ := strconv.ParseFloat(s, 64) // the only possible error is the range, and then f is what we want
	return f
}
