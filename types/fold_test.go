package types

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestFold(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", ""},
		{"plain_name1", "plain_name1"},
		{"Plain_NAME1", "plain_name1"},
		{"É", "é"},
		{"Σίσυφος", "σίσυφοσ"},
		{"ΣΊΣΥΦΟΣ", "σίσυφοσ"},
		{"\u212A", "k"},
		{"ß", "ß"},
		{"ẞ", "ß"},
		{"İ", "i\u0307"},
		{"xİY", "xi\u0307y"},
		{"ﬀ", "ﬀ"},
		{"𐐀", "𐐨"},
		{"Ж\x00ж", "ж\x00ж"},
		{"a\xffB", "a\uFFFDb"},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, Fold(tt.in), "%q", tt.in)
		require.True(t, EqualFold(tt.in, tt.want), "%q", tt.in)
	}
	for _, differ := range [][2]string{{"ß", "SS"}, {"İ", "i"}, {"ﬀ", "FF"}, {"a", "b"}, {"a", "aa"}, {"é", "e"}, {"[", "{"}, {"@", "`"}} {
		require.False(t, EqualFold(differ[0], differ[1]), "%q", differ)
	}
}

func TestFoldLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, u := genString.Draw(t, "s"), genString.Draw(t, "u")
		if rapid.Bool().Draw(t, "upper") {
			u = strings.ToUpper(s)
		}
		f := Fold(s)
		require.True(t, utf8.ValidString(f))
		require.Equal(t, f, Fold(f))
		require.Equal(t, f+Fold(u), Fold(s+u))
		require.Equal(t, f == Fold(u), EqualFold(s, u))
		require.Equal(t, strings.Compare(f, Fold(u)), signOf(NoCase.Compare(s, u)))
	})
}

// A collation's normal form is equal exactly for texts that it finds equal, and in its order if it says so.
func TestCollationLaws(t *testing.T) {
	for _, c := range []*Collation{Binary, NoCase, RTrim} {
		require.True(t, c.OrderPreserving)
		t.Run(c.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				a := genString.Draw(t, "a")
				b := rapid.OneOf(genString, rapid.SampledFrom([]string{a, a + " ", strings.ToUpper(a)})).Draw(t, "b")
				require.Equal(t, signOf(c.Compare(a, b)), strings.Compare(c.Normalize(a), c.Normalize(b)))
			})
		})
	}
}

func TestFoldAllocations(t *testing.T) {
	folded, accents := "an_identifier", "école"
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_ = Fold(folded)
		_ = Fold(accents)
		_ = EqualFold(folded, "AN_IDENTIFIER")
		_ = EqualFold(accents, "ÉCOLE")
	}))
}
