package types

import (
	"bytes"
	"encoding/hex"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func mustPart(t require.TestingT, typ *Type, c *Collation, desc bool) KeyPart {
	p, err := NewKeyPart(typ, c, desc)
	require.NoError(t, err)
	return p
}

func mustKey(t require.TestingT, p KeyPart, v Value) []byte {
	key, err := p.Append(nil, v)
	require.NoError(t, err)
	return key
}

// The bytes are on disk, so this table only grows.
func TestKeyBytes(t *testing.T) {
	tests := []struct {
		name string
		typ  *Type
		coll *Collation
		desc bool
		v    Value
		hex  string
		text string
	}{
		{"null", TypeInteger, nil, false, Null, "01", "/null"},
		{"null desc", TypeInteger, nil, true, Null, "01", "/null"},
		{"zero", TypeInteger, nil, false, Int(0), "1b00", "/0"},
		{"negative zero", TypeReal, nil, false, Real(math.Copysign(0, -1)), "1b00", "/0"},
		{"one", TypeInteger, nil, false, Int(1), "1c0100", "/1"},
		{"one as real", TypeReal, nil, false, Real(1), "1c0100", "/1"},
		{"true", TypeBoolean, nil, false, True, "1c0100", "/1"},
		{"one desc", TypeInteger, nil, true, Int(1), "e3feff", "/1 desc"},
		{"minus one", TypeInteger, nil, false, Int(-1), "19feff", "/-1"},
		{"256", TypeInteger, nil, false, Int(256), "1d010000", "/256"},
		{"min int64", TypeInteger, nil, false, Int(math.MinInt64), "127fffffffffffffffff", "/-9223372036854775808"},
		{"max uint64", TypeInteger, nil, false, bigOf("18446744073709551615"), "23ffffffffffffffff00", "/18446744073709551615"},
		{"2^64", TypeInteger, nil, false, bigOf("18446744073709551616"), "240901000000000000000000", "/18446744073709551616"},
		{"-2^64", TypeInteger, nil, false, bigOf("-18446744073709551616"), "11f6feffffffffffffffffff", "/-18446744073709551616"},
		{"2^64 as real", TypeReal, nil, false, Real(0x1p64), "240901000000000000000000", "/18446744073709551616"},
		{"half", TypeReal, nil, false, Real(0.5), "1b013fe0000000000000", "/0.5"},
		{"minus half", TypeReal, nil, false, Real(-0.5), "1afec01fffffffffffff", "/-0.5"},
		{"2.25 desc", TypeReal, nil, true, Real(2.25), "e3fdfec02fffffffffffff", "/2.25 desc"},
		{"infinity", TypeReal, nil, false, Real(math.Inf(1)), "25", "/Infinity"},
		{"minus infinity", TypeReal, nil, false, Real(math.Inf(-1)), "10", "/-Infinity"},
		{"text", TypeText, nil, false, Text("aB"), "3061420001", `/"aB"`},
		{"text with zero", TypeText, nil, false, Text("a\x00b"), "306100ff620001", `/"a\x00b"`},
		{"text nocase", TypeText, NoCase, false, Text("ÀB"), "30c3a0620001", `/"àb"`},
		{"text rtrim", TypeText, RTrim, false, Text("a  "), "30610001", `/"a"`},
		{"text desc", TypeText, nil, true, Text("a"), "cf9efffe", `/"a" desc`},
		{"date under nocase", TypeDate, NoCase, false, Text("2024-03-05T"), "30323032342d30332d3035540001", `/"2024-03-05T"`},
		{"blob", TypeBlob, nil, false, Blob([]byte{0, 0xff}), "3800ffff0001", "/x'00ff'"},
		{"timespan", TypeTimespan, nil, false, Text("PT1S"), "1f3b9aca0000", "/1000000000"},
		{"stray number in timespan", TypeTimespan, nil, false, Int(1), "081c0100", "/<1"},
		{"stray text in timespan", TypeTimespan, nil, false, Text("x"), "5030780001", `/>"x"`},
		{"json null", TypeJSON, nil, false, Null, "01", "/null"},
		{"json true", TypeJSON, nil, false, True, "0c", "/true"},
		{"json number", TypeJSON, nil, false, Int(1), "1c0100", "/1"},
		{"json array", TypeJSON, nil, false, parseDocument(`[null,false,1]`), "410a0b1c010000", "/[null,false,1]"},
		{"json object", TypeJSON, nil, false, parseDocument(`{"b":1,"a":[]}`), "4230610001306200010041001c0100", `/{"a":[],"b":1}`},
		{"json in any", TypeAny, NoCase, false, parseDocument(`{"B":1,"A":[]}`), "407b2241223a5b5d2c2242223a317d0001", `/{"A":[],"B":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			key := mustKey(t, mustPart(t, tt.typ, tt.coll, tt.desc), tt.v)
			require.Equal(t, tt.hex, hex.EncodeToString(key))
			require.Equal(t, tt.text, FormatKey(key))
		})
	}
}

func TestLongIntegerKeys(t *testing.T) {
	p := mustPart(t, TypeInteger, nil, false)
	var previous []byte
	for _, bytesLen := range []uint{9, 10, 254, 255, 256, 70_000} {
		huge := BigInt(new(big.Int).Lsh(big.NewInt(1), 8*bytesLen-1))
		key, negative := mustKey(t, p, huge), mustKey(t, p, Neg(huge))
		require.Negative(t, bytes.Compare(previous, key))
		require.Negative(t, bytes.Compare(negative, mustKey(t, p, Int(math.MinInt64))))
		require.Equal(t, "/"+ToText(huge), FormatKey(key))
		require.Equal(t, "/-"+ToText(huge), FormatKey(negative))
		previous = key
	}
}

// The law of keys: their bytes order as the comparator of the column does, NULL first in both directions.
func TestKeyOrderIsCompareOrder(t *testing.T) {
	rapid.Check(t, checkKeyOrder)
}

func FuzzKeyOrder(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkKeyOrder)) }

func checkKeyOrder(t *rapid.T) {
	c := genColumn.Draw(t, "column")
	part := mustPart(t, c.typ, c.coll, rapid.Bool().Draw(t, "desc"))
	order := OrderTerm{Cmp: NewComparator(c.typ, c.coll), Desc: part.desc}
	p := genPair.Draw(t, "pair")
	x, y := mustKey(t, part, p[0]), mustKey(t, part, p[1])
	want := signOf(order.Compare(p[0], p[1]))
	if part.Ordered() {
		require.Equal(t, want, bytes.Compare(x, y), "%s vs %s", FormatKey(x), FormatKey(y))
	}
	require.Equal(t, want == 0, bytes.Equal(x, y), "%s vs %s", FormatKey(x), FormatKey(y))
	require.False(t, len(x) < len(y) && bytes.HasPrefix(y, x), "%s is a prefix of %s", FormatKey(x), FormatKey(y))
	require.NotContains(t, FormatKey(x), "/?")
}

func TestConcatenatedKeysOrderAsTuples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var parts []KeyPart
		var terms []OrderTerm
		var a, b Row
		for i := range rapid.IntRange(1, 3).Draw(t, "width") {
			c := genColumn.Filter(func(c column) bool { return c.typ != backwards && c.coll != byLength }).Draw(t, "column")
			desc := rapid.Bool().Draw(t, "desc")
			parts = append(parts, mustPart(t, c.typ, c.coll, desc))
			terms = append(terms, OrderTerm{Column: i, Cmp: NewComparator(c.typ, c.coll), Desc: desc})
			p := genPair.Draw(t, "pair")
			if rapid.Bool().Draw(t, "same") {
				p[1] = p[0]
			}
			a, b = append(a, p[0]), append(b, p[1])
		}
		enc := NewKeyEncoder(parts...)
		x, err := enc.Append([]byte("head"), a...)
		require.NoError(t, err)
		y, err := enc.Append([]byte("head"), b...)
		require.NoError(t, err)
		require.Equal(t, signOf(NewRowComparator(terms...)(a, b)), bytes.Compare(x, y), "%s vs %s", FormatKey(x[4:]), FormatKey(y[4:]))
		prefix, err := enc.Append([]byte("head"), a[:1]...)
		require.NoError(t, err)
		require.True(t, bytes.HasPrefix(x, prefix))
	})
}

func TestNewKeyPart(t *testing.T) {
	_, err := NewKeyPart(TypeText, unkeyed, false)
	require.EqualError(t, err, "collation UNKEYED has no key normalizer")
	require.ErrorIs(t, err, ERROR)
	_, err = NewKeyPart(nil, unkeyed, false)
	require.Error(t, err, "an unknown type may hold text")
	_, err = NewKeyPart(TypeInteger, unkeyed, false)
	require.NoError(t, err, "INTEGER heeds no collation")

	require.True(t, mustPart(t, TypeText, NoCase, true).Ordered())
	require.True(t, mustPart(t, TypeJSON, nil, false).Ordered())
	require.True(t, mustPart(t, TypeTimespan, nil, false).Ordered())
	require.False(t, mustPart(t, TypeText, byLength, false).Ordered())
	require.False(t, mustPart(t, backwards, nil, false).Ordered())
}

func TestKeyPartHolds(t *testing.T) {
	tests := []struct {
		typ  *Type
		v    Value
		want bool
	}{
		{TypeInteger, Text("x"), true},
		{TypeTimespan, Text("PT1H"), true},
		{TypeTimespan, Null, true},
		{TypeTimespan, Text("x"), false},
		{TypeTimespan, Int(1), false},
		{TypeJSON, Text("x"), true},
		{TypeJSON, Null, true},
		{TypeJSON, Blob(nil), false},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, mustPart(t, tt.typ, nil, false).Holds(tt.v), "%s %s", tt.typ, FormatJSON(tt.v))
	}
}

// deepArray nests depth levels, past what NewArray allows.
func deepArray(depth int) Value {
	v := FromJSON(&JSON{})
	for range depth - 1 {
		v = FromJSON(&JSON{Elems: []Value{v}})
	}
	return v
}

func TestKeyRefusesDeepJSON(t *testing.T) {
	for _, typ := range []*Type{TypeJSON, TypeAny} {
		enc := NewKeyEncoder(mustPart(t, TypeInteger, nil, false), mustPart(t, typ, nil, true))
		_, err := enc.Append(nil, Int(1), deepArray(MaxJSONDepth))
		require.NoError(t, err)
		dst, err := enc.Append([]byte("head"), Int(1), deepArray(MaxJSONDepth+1))
		require.ErrorIs(t, err, TOOBIG)
		require.Equal(t, "head", string(dst))
	}
}

func TestPrefixEnd(t *testing.T) {
	for _, tt := range []struct{ prefix, want string }{
		{"", ""}, {"\xff\xff", ""}, {"a", "b"}, {"a\xff\xff", "b"}, {"a\x00", "a\x01"}, {"\xfe", "\xff"},
	} {
		require.Equal(t, tt.want, string(PrefixEnd([]byte(tt.prefix))), "%x", tt.prefix)
	}
	require.Nil(t, PrefixEnd(nil))
	rapid.Check(t, func(t *rapid.T) {
		prefix := genBlob.Draw(t, "prefix")
		key := append(bytes.Clone(prefix), genBlob.Draw(t, "rest")...)
		before := bytes.Clone(prefix)
		if end := PrefixEnd(prefix); end != nil {
			require.Negative(t, bytes.Compare(key, end))
			require.Positive(t, bytes.Compare(end, prefix))
		}
		require.Equal(t, before, prefix, "the argument stays as it was")
	})
}

func TestFormatKey(t *testing.T) {
	enc := NewKeyEncoder(mustPart(t, nil, nil, false), mustPart(t, TypeText, nil, true), mustPart(t, TypeInteger, nil, false))
	key, err := enc.Append(nil, Int(1), Text("abc"), Int(17))
	require.NoError(t, err)
	require.Equal(t, `/1/"abc" desc/17`, FormatKey(key))
	require.Equal(t, "", FormatKey(nil))
	require.Equal(t, "/1/?306162", FormatKey([]byte{0x1c, 1, 0, 0x30, 'a', 'b'}))
}

// FormatKey survives any bytes.
func FuzzFormatKey(f *testing.F) {
	for _, seed := range []string{"", "1c0100", "240901", "24ff0000000000000000", "11f6", "4230610001", "41", "08080808", "3000ff", "7f", "80"} {
		b, err := hex.DecodeString(seed)
		require.NoError(f, err)
		f.Add(b)
	}
	f.Add(bytes.Repeat([]byte{tagArray}, 20_000))
	f.Fuzz(func(t *testing.T, b []byte) {
		before := bytes.Clone(b)
		text := FormatKey(b)
		require.True(t, len(b) == 0 || strings.HasPrefix(text, "/"))
		require.Equal(t, before, b)
	})
}

func TestKeysAllocateNothing(t *testing.T) {
	ints, text, folded := mustPart(t, TypeInteger, nil, true), mustPart(t, TypeText, nil, false), mustPart(t, TypeText, NoCase, false)
	short, accents := Text("Customer 17"), Text("ÉCOLE")
	buf := make([]byte, 0, 128)
	n := int64(-1 << 40)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		n++
		buf, _ = ints.Append(buf[:0], Int(n))
		buf, _ = ints.Append(buf, Real(1.25))
		buf, _ = text.Append(buf, short)
		buf, _ = folded.Append(buf, accents)
	}))
	enc := NewKeyEncoder(ints, text)
	row := Row{Int(5), short}
	require.Zero(t, testing.AllocsPerRun(100, func() { buf, _ = enc.Append(buf[:0], row...) }))
}

func BenchmarkKeyAppend(b *testing.B) {
	benchmarks := []struct {
		name string
		typ  *Type
		coll *Collation
		desc bool
		v    Value
	}{
		{"integer", TypeInteger, nil, false, Int(123456)},
		{"integer desc", TypeInteger, nil, true, Int(123456)},
		{"real", TypeReal, nil, false, Real(1234.5)},
		{"text", TypeText, nil, false, Text("customer 12345")},
		{"text nocase", TypeText, NoCase, false, Text("Customer 12345")},
		{"json", TypeJSON, nil, false, parseDocument(`{"a":[1,2,3],"b":"text"}`)},
	}
	for _, bb := range benchmarks {
		b.Run(bb.name, func(b *testing.B) {
			part := mustPart(b, bb.typ, bb.coll, bb.desc)
			var key []byte
			b.ReportAllocs()
			for b.Loop() {
				key, _ = part.Append(key[:0], bb.v)
			}
		})
	}
}
