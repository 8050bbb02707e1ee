package types

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestToText(t *testing.T) {
	tests := []struct {
		v    Value
		want string
	}{
		{Null, ""}, {Text(" as is "), " as is "}, {Int(-5), "-5"}, {bigOf("123456789012345678901"), "123456789012345678901"},
		{Real(2.5), "2.5"}, {Real(1e21), "1e+21"}, {Real(math.Inf(-1)), "-Infinity"}, {True, "true"}, {False, "false"},
		{Blob([]byte("42")), "42"}, {Blob([]byte("\xef\xbb\xbfA")), "\ufeffA"}, {Blob([]byte{0xff}), "\uFFFD"}, {Blob(nil), ""},
		{parseDocument(` {"b": 1, "a": [true, null]} `), `{"b":1,"a":[true,null]}`},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, ToText(tt.v))
	}
}

func TestTextFromBytes(t *testing.T) {
	const bad = "\uFFFD"
	tests := []struct{ in, want string }{
		{"", ""},
		{"plain é", "plain é"},
		{"\xff\xfe", bad + bad},
		{"\xc3", bad},
		{"a\xe2\x98b", "a" + bad + "b"},          // one truncated sequence, one part
		{"\xe2\x98\xe2\x98\x82", bad + "\u2602"}, // restarts at a lead byte
		{"\xf0\x9f\x98", bad},
		{"\xf0\x9f\x98\x80", "😀"},
		{"\xc0\xaf", bad + bad},                     // overlong: no start of anything
		{"\xe0\x80\x80", bad + bad + bad},           // overlong
		{"\xed\xa0\x80", bad + bad + bad},           // a surrogate
		{"\xf0\x80\x80\x80", bad + bad + bad + bad}, // overlong
		{"\xf4\x90\x80\x80", bad + bad + bad + bad}, // above U+10FFFF
		{"\xf5\x80", bad + bad},
		{"\x80", bad},
		{"\ufffd", bad},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, TextFromBytes([]byte(tt.in)).Str(), "%x", tt.in)
	}
}

func TestTextFromBytesLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOf(rapid.SampledFrom([]byte{'a', 0x80, 0x90, 0xA0, 0xBF, 0xC2, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xFF})).Draw(t, "b")
		s := TextFromBytes(b).Str()
		require.True(t, utf8.ValidString(s))
		if utf8.Valid(b) {
			require.Equal(t, string(b), s)
		}
		require.Equal(t, strings.Count(string(b), "a"), strings.Count(s, "a"))
		x := strings.Index(string(b), "a") + 1
		require.Equal(t, s, TextFromBytes(b[:x]).Str()+TextFromBytes(b[x:]).Str(), "parts end at ASCII")
	})
}

func TestTruth(t *testing.T) {
	for _, v := range []Value{True, Int(2), Int(-1), Real(0.5), Real(math.Inf(1)), bigOf("99999999999999999999"), Text("2"), Text(" 0.5 "), Text("1e2"), Text("+5")} {
		truth, known := Truth(v)
		require.True(t, truth && known, FormatJSON(v))
	}
	for _, v := range []Value{
		False, Int(0), Real(0), Real(math.Copysign(0, -1)), Text(""), Text("abc"), Text("2x"), Text("0.0"), Text("true"), Text("Infinity"),
		Text("0x1"), Blob([]byte("1")), parseDocument("[1]"),
	} {
		truth, known := Truth(v)
		require.True(t, !truth && known, FormatJSON(v))
	}
	_, known := Truth(Null)
	require.False(t, known)
}
