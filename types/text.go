package types

import (
	"strings"
	"unicode/utf8"
)

// ToText gives the text of a value; every value has exactly one (docs/reference/types.md). It serves ||, LIKE, CAST and text();
// NULL, which those never ask about, gives "".
func ToText(v Value) string {
	switch v.Kind() {
	case KindText:
		return v.Str()
	case KindBoolean:
		if v.Bool() {
			return "true"
		}
		return "false"
	case KindInteger:
		return FormatInteger(v)
	case KindReal:
		return FormatReal(v.Float())
	case KindBlob:
		return repairUTF8(v.Bytes())
	case KindJSON:
		return FormatJSON(v)
	}
	return ""
}

// TextFromBytes makes a TEXT of bytes, which are copied. Each ill-formed part becomes one U+FFFD, where a part is the longest
// start of a well-formed sequence, else one byte (the Unicode standard's recommended practice); a leading BOM stays.
func TextFromBytes(b []byte) Value { return Text(repairUTF8(b)) }

func repairUTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	out.Grow(len(b) + 2)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = illFormedLen(b)
		}
		out.WriteRune(r)
		b = b[n:]
	}
	return out.String()
}

// illFormedLen gives the length of the ill-formed part at the start of b: of the prefix that a well-formed sequence could
// start with, at least 1.
func illFormedLen(b []byte) int {
	lo, hi := byte(0x80), byte(0xBF)
	want := 0
	switch c := b[0]; {
	case 0xC2 <= c && c <= 0xDF:
		want = 1
	case 0xE0 <= c && c <= 0xEF:
		want = 2
		if c == 0xE0 {
			lo = 0xA0 // shorter is overlong
		} else if c == 0xED {
			hi = 0x9F // longer is a surrogate
		}
	case 0xF0 <= c && c <= 0xF4:
		want = 3
		if c == 0xF0 {
			lo = 0x90 // shorter is overlong
		} else if c == 0xF4 {
			hi = 0x8F // longer is above U+10FFFF
		}
	}
	n := 1
	for n <= want && n < len(b) && lo <= b[n] && b[n] <= hi {
		n++
		lo, hi = 0x80, 0xBF
	}
	return n
}

// Truth gives the truth value of v (docs/reference/language.md): numbers and booleans are true unless zero, text if the whole of it
// reads as a number other than zero, blobs and JSON containers are false. known is false for NULL only.
func Truth(v Value) (truth, known bool) {
	switch v.Kind() {
	case KindNull:
		return false, false
	case KindText:
		n, ok := ParseWholeNumber(v.Str())
		return ok && isNonZero(n), true
	case KindBlob, KindJSON:
		return false, true
	}
	return isNonZero(v), true
}

// isNonZero reports whether a number is not zero.
func isNonZero(v Value) bool {
	if k, ok := v.ref.(Kind); ok {
		if k == KindReal {
			return floatFrom(v.num) != 0
		}
		return v.num != 0
	}
	return true // an integer beyond int64
}
