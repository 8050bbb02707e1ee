package types

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestUpperAndLower(t *testing.T) {
	for _, c := range []struct{ in, upper, lower string }{
		{"", "", ""},
		{"abc DEF 1", "ABC DEF 1", "abc def 1"},
		{"ABC", "ABC", "abc"},
		{"é ß ﬀ", "É SS FF", "é ß ﬀ"},
		{"ÿ", "Ÿ", "ÿ"},
		{"İ", "İ", "i̇"},
		{"ΑΣ ΣΑ", "ΑΣ ΣΑ", "ας σα"},
		{"ŉ", "ʼN", "ŉ"},
	} {
		assert.Equal(t, c.upper, Upper(c.in), c.in)
		assert.Equal(t, c.lower, Lower(c.in), c.in)
	}
}

func TestCaseOfASCIIIsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.RuneFrom(nil, unicode.ASCII_Hex_Digit, &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0, Hi: 127, Stride: 1}}})).Draw(t, "s")
		if strings.ToUpper(s) != Upper(s) || strings.ToLower(s) != Lower(s) {
			t.Fatalf("%q: %q %q", s, Upper(s), Lower(s))
		}
	})
}
