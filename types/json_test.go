package types

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestParseJSON(t *testing.T) {
	tests := []struct {
		src  string
		want string // as FormatJSON spells it
		kind Kind
	}{
		{`null`, `null`, KindNull},
		{" \t\r\nnull ", `null`, KindNull},
		{`true`, `true`, KindBoolean},
		{`false`, `false`, KindBoolean},
		{`7`, `7`, KindInteger},
		{`-0`, `0`, KindInteger},
		{`123456789012345678901234567890`, `123456789012345678901234567890`, KindInteger},
		{`1.0`, `1`, KindReal},
		{`1e2`, `100`, KindReal},
		{`-1.5E-3`, `-0.0015`, KindReal},
		{`1e999`, `1e999`, KindReal},
		{`"x"`, `"x"`, KindText},
		{`"\u00e9\ud83d\ude00\n\"\\\/\b\f\r\t"`, `"é😀\n\"\\/\b\f\r\t"`, KindText},
		{`"\ud83d"`, `"` + "\uFFFD" + `"`, KindText},
		{`"\ud83dx\ude00\ud83d\u0041"`, `"` + "\uFFFDx\uFFFD\uFFFDA" + `"`, KindText},
		{`"\u0000\u001F\u007f"`, `"\u0000\u001f` + "\x7f" + `"`, KindText},
		{`[]`, `[]`, KindJSON},
		{` [ 1 , [ ] , { } ] `, `[1,[],{}]`, KindJSON},
		{`{"b":1,"a":null}`, `{"b":1,"a":null}`, KindJSON},
		{`{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`, KindJSON},
		{`{"":0,"é\n":{"":[]}}`, `{"":0,"é\n":{"":[]}}`, KindJSON},
	}
	for _, tt := range tests {
		v, err := ParseJSON(tt.src)
		require.NoError(t, err, tt.src)
		require.Equal(t, tt.kind, v.Kind(), tt.src)
		require.Equal(t, tt.want, FormatJSON(v), tt.src)
	}
}

func TestParseJSONErrors(t *testing.T) {
	tests := []struct{ src, message string }{
		{``, `the text ends where a value should be`},
		{`  `, `the text ends where a value should be`},
		{`abc`, `'a' at byte 0 where a value should be`},
		{`nul`, `'n' at byte 0 where a value should be`},
		{`nullx`, `'x' at byte 4 where the end of the document should be`},
		{`[1,]`, `']' at byte 3 where a value should be`},
		{`[1 2]`, `'2' at byte 3 where ',' or ']' should be`},
		{`[1`, `the text ends where ',' or ']' should be`},
		{`{"a":1,}`, `'}' at byte 7 where a key should be`},
		{`{"a" 1}`, `'1' at byte 5 where ':' should be`},
		{`{a:1}`, `'a' at byte 1 where a key should be`},
		{`{"a":1`, `the text ends where ',' or '}' should be`},
		{`01`, `'1' at byte 1 where no digit after a leading zero should be`},
		{`-`, `the text ends where a digit should be`},
		{`1.`, `the text ends where a digit should be`},
		{`1e+`, `the text ends where a digit should be`},
		{`.5`, `'.' at byte 0 where a value should be`},
		{`+1`, `'+' at byte 0 where a value should be`},
		{`NaN`, `'N' at byte 0 where a value should be`},
		{`"a`, `the text ends where the end of the string should be`},
		{"\"a\nb\"", `'\n' at byte 2 where the end of the string should be`},
		{`"\x"`, `'x' at byte 2 where an escape should be`},
		{`"\u12g4"`, `'g' at byte 5 where a hexadecimal digit should be`},
		{`"\ud83d\u12"`, `where a hexadecimal digit should be`},
		{"\"a\xff\"", `at byte 2 where UTF-8 should be`},
		{"\ufeff1", `at byte 0 where a value should be`},
		{"\u00a01", `at byte 0 where a value should be`},
		{`'a'`, `where a value should be`},
	}
	for _, tt := range tests {
		_, err := ParseJSON(tt.src)
		require.ErrorIs(t, err, MISMATCH, tt.src)
		require.ErrorContains(t, err, "invalid JSON syntax", tt.src)
		require.ErrorContains(t, err, tt.message, tt.src)
	}
}

func TestJSONDepth(t *testing.T) {
	nest := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	v, err := ParseJSON(nest(MaxJSONDepth))
	require.NoError(t, err)
	require.Equal(t, nest(MaxJSONDepth), FormatJSON(v))
	require.Zero(t, CompareJSON(v, parseDocument(nest(MaxJSONDepth))))
	_, err = NewArray([]Value{v})
	require.ErrorIs(t, err, TOOBIG)
	_, err = NewObject([]string{"a"}, []Value{v})
	require.ErrorIs(t, err, TOOBIG)

	for _, bomb := range []string{nest(MaxJSONDepth + 1), strings.Repeat("[", 10_000_000), strings.Repeat(`{"a":`, 1_000_000)} {
		_, err = ParseJSON(bomb)
		require.ErrorIs(t, err, TOOBIG)
	}
	_, err = ParseJSON("[" + strings.Repeat("[],", 20_000) + "[]]")
	require.NoError(t, err, "depth counts levels, not containers")
}

func TestNewJSON(t *testing.T) {
	inner, err := NewArray([]Value{Int(1), Null})
	require.NoError(t, err)
	v, err := NewObject([]string{"b", "a"}, []Value{inner, Text("x")})
	require.NoError(t, err)
	require.Equal(t, `{"b":[1,null],"a":"x"}`, FormatJSON(v))
	require.Equal(t, `{"a":"x","b":[1,null]}`, CanonicalJSON(v))
}

func TestParseJSONManyKeys(t *testing.T) {
	var src strings.Builder
	src.WriteString(`{"first":0`)
	for i := range 50_000 {
		src.WriteString(`,"k` + FormatInteger(Int(int64(i%20_000))) + `":` + FormatInteger(Int(int64(i))))
	}
	src.WriteString(`,"first":1}`)
	j := parseDocument(src.String()).JSON()
	require.Len(t, j.Keys, 20_001)
	require.Equal(t, "first", j.Keys[0])
	requireValue(t, Int(1), j.Elems[0])
	require.Equal(t, "k7", j.Keys[8])
	requireValue(t, Int(40_007), j.Elems[8])
}

func TestParseJSONCopiesItsText(t *testing.T) {
	text := []byte(`{"key":"text"}`)
	var arena Arena
	borrowed, err := ParseJSON(arena.Text(text).Str())
	require.NoError(t, err)
	arena.Reset()
	arena.Copy(bytes.Repeat([]byte{'!'}, len(text)))
	require.Equal(t, `{"key":"text"}`, FormatJSON(borrowed))
}

func TestCanonicalJSONNumbers(t *testing.T) {
	// Text as SQL shows it loses digits of whole reals beyond 2^53; the canonical text must not.
	large := Real(12345678901234567168)
	require.Equal(t, "12345678901234567000", FormatJSON(large))
	require.Equal(t, "12345678901234567168", CanonicalJSON(large))
	require.Equal(t, CanonicalJSON(bigOf("12345678901234567168")), CanonicalJSON(large))
	require.Equal(t, "1e+21", FormatJSON(Real(1e21)))
	require.Equal(t, "1000000000000000000000", CanonicalJSON(Real(1e21)))
	require.Equal(t, "[1e999,-1e999]", CanonicalJSON(FromJSON(&JSON{Elems: []Value{Real(math.Inf(1)), Real(math.Inf(-1))}})))
}

func TestFormatJSONBlob(t *testing.T) {
	require.Equal(t, `"a`+"\uFFFD"+`"`, FormatJSON(Blob([]byte("a\xff"))))
}

// Two documents have one canonical text exactly when they are equal.
func TestCanonicalJSONIdentifies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := genDocument(2).Draw(t, "a")
		b := rapid.OneOf(genDocument(2), genRelative(a).Filter(func(v Value) bool { return v.Kind() != KindBlob })).Draw(t, "b")
		require.Equal(t, CompareJSON(a, b) == 0, CanonicalJSON(a) == CanonicalJSON(b))
	})
}

func TestFormatJSONReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := genDocument(3).Draw(t, "v")
		text := FormatJSON(v)
		require.True(t, json.Valid([]byte(text)), text)
		back := parseDocument(text)
		require.Equal(t, text, FormatJSON(back))
		canonical := parseDocument(CanonicalJSON(v))
		require.Zero(t, CompareJSON(v, canonical), "canonical text loses nothing")
		require.Equal(t, CanonicalJSON(v), CanonicalJSON(canonical))
	})
}

// ParseJSON takes what encoding/json takes, but for ill-formed UTF-8, and reads back what it wrote.
func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{
		`null`, `{"a":[1,2.5,-0,1e999,"x\u00e9\ud83d\ude00"],"a":true}`, `[[],{},""]`, `01`, `"\ud83d"`, `{"a":1,}`, "\"\xff\"",
		` [ 123456789012345678901234567890 ] `, `[1e`, strings.Repeat("[", 10_001),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		v, err := ParseJSON(src)
		if CodeOf(err) == TOOBIG {
			return
		}
		if utf8.ValidString(src) {
			require.Equal(t, json.Valid([]byte(src)), err == nil, "%v", err)
		}
		if err != nil {
			require.Equal(t, MISMATCH, CodeOf(err))
			return
		}
		text := FormatJSON(v)
		back, err := ParseJSON(text)
		require.NoError(t, err)
		require.Equal(t, text, FormatJSON(back))
		require.Zero(t, CompareJSON(v, parseDocument(CanonicalJSON(v))))
	})
}
