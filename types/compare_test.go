package types

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCompareStorageClasses(t *testing.T) {
	ascending := []Value{
		Null, Real(math.Inf(-1)), bigOf("-9223372036854775809"), Real(-0x1p63), Int(-5), Real(-0.5), False, Real(0.25), True, Real(2.5), Int(10),
		Real(9007199254740992), bigOf("9007199254740993"), Int(math.MaxInt64), Real(0x1p63), bigOf("9223372036854775809"),
		bigOf("123456789012345678901234567890"), Real(1e300), Real(math.Inf(1)),
		Text(""), Text("B"), Text("b"), Text("é"), Text("\uffff"), Text("😀"),
		Blob(nil), Blob([]byte{0}), Blob([]byte{1, 0}), Blob([]byte{2}),
		parseDocument(`["a"]`), parseDocument(`[1]`), parseDocument(`{"a":10}`), parseDocument(`{"a":2}`),
	}
	for i, a := range ascending {
		for j, b := range ascending {
			want := signOf(i - j)
			require.Equal(t, want, signOf(Compare(a, b, nil)), "%s vs %s", FormatJSON(a), FormatJSON(b))
			require.Equal(t, want, signOf(NewComparator(TypeAny, nil)(a, b)))
		}
	}
}

func TestEqualAcrossKindsOfNumber(t *testing.T) {
	same := [][]Value{
		{Int(1), Real(1), True},
		{Int(0), Real(0), Real(math.Copysign(0, -1)), False},
		{bigOf("100000000000000000000"), Real(1e20)},
		{Int(math.MinInt64), Real(-0x1p63)},
	}
	for _, values := range same {
		for _, a := range values {
			for _, b := range values {
				require.True(t, Equal(a, b, nil), "%s = %s", ToText(a), ToText(b))
			}
		}
	}
	require.False(t, Equal(bigOf("9007199254740993"), Real(9007199254740992), nil))
	require.False(t, Equal(Text("1"), Int(1), nil))
}

func TestCompareNumbersIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.Custom(func(t *rapid.T) [2]Value {
			a := genNumber.Draw(t, "a")
			return [2]Value{a, rapid.OneOf(genRelative(a), genNumber).Draw(t, "b")}
		}).Draw(t, "pair")
		a, b := p[0], p[1]
		if a.IsNull() || b.IsNull() || math.IsInf(NearestReal(a), 0) && a.Kind() == KindReal || math.IsInf(NearestReal(b), 0) && b.Kind() == KindReal {
			t.Skip("no rational")
		}
		require.Equal(t, rational(a).Cmp(rational(b)), signOf(CompareNumbers(a, b)))
	})
}

func TestCompareCollations(t *testing.T) {
	require.Zero(t, Compare(Text("Key"), Text("kEY"), NoCase))
	require.Zero(t, Compare(Text("a  "), Text("a "), RTrim))
	require.NotZero(t, Compare(Text("a\t"), Text("a"), RTrim))
	require.Negative(t, Compare(Text("aa"), Text("b"), Binary))
	require.Positive(t, Compare(Text("aa"), Text("b"), byLength))
	require.Negative(t, NewComparator(TypeText, NoCase)(Text("_"), Text("A")))
	require.Positive(t, NewComparator(TypeText, Binary)(Text("_"), Text("A")))
	require.NotZero(t, NewComparator(TypeDate, NoCase)(Text("a"), Text("A")), "dates heed no collation")
}

func TestCompareJSON(t *testing.T) {
	ascending := []string{
		`null`, `false`, `true`, `-1.5`, `0`, `1`, `9007199254740992`, `9007199254740993`, `""`, `"9"`, `"a"`, `"é"`,
		`[]`, `[null]`, `[1,2]`, `[1,2,0]`, `[1,5]`, `["x"]`, `[[]]`, `[[],1]`, `[{}]`,
		`{}`, `{"a":2}`, `{"a":10}`, `{"a":10,"b":0}`, `{"b":0}`,
	}
	for i, x := range ascending {
		for j, y := range ascending {
			a, b := parseDocument(x), parseDocument(y)
			require.Equal(t, signOf(i-j), signOf(CompareJSON(a, b)), "%s vs %s", x, y)
		}
	}
	require.Zero(t, CompareJSON(parseDocument(`{"a":1,"b":[2]}`), parseDocument(`{"b":[2.0],"a":1.0}`)))
	require.NotZero(t, CompareJSON(parseDocument(`true`), parseDocument(`1`)), "booleans are no numbers in JSON")
}

func TestComparatorsAreTotalOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := genColumn.Draw(t, "column")
		cmp := NewComparator(c.typ, c.coll)
		p := genPair.Draw(t, "pair")
		v := []Value{p[0], p[1], genRelative(p[1]).Draw(t, "c")}
		for _, x := range v {
			require.Zero(t, cmp(x, x))
			for _, y := range v {
				require.Equal(t, signOf(cmp(x, y)), -signOf(cmp(y, x)))
				for _, z := range v {
					if cmp(x, y) <= 0 && cmp(y, z) <= 0 {
						require.LessOrEqual(t, cmp(x, z), 0, "%s %s %s", FormatJSON(x), FormatJSON(y), FormatJSON(z))
					}
				}
			}
		}
	})
}

// A type without an order of its own orders as Compare does, whatever short cut its comparator takes.
func TestComparatorAgreesWithCompare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := genColumn.Draw(t, "column")
		if c.typ != nil && c.typ.SemanticOrder {
			t.Skip("own order")
		}
		coll := c.coll
		if c.typ != nil && !c.typ.CollationAware {
			coll = nil
		}
		p := genPair.Draw(t, "pair")
		require.Equal(t, signOf(Compare(p[0], p[1], coll)), signOf(NewComparator(c.typ, c.coll)(p[0], p[1])))
	})
}

func TestTimespanOrder(t *testing.T) {
	cmp := NewComparator(TypeTimespan, nil)
	require.Zero(t, cmp(Text("PT1H"), Text("PT60M")))
	require.Negative(t, cmp(Text("PT90M"), Text("PT2H")))
	require.NotZero(t, cmp(Text("PT5S"), Int(5)), "a number is no timespan")
	require.Negative(t, cmp(Int(5), Text("PT5S")), "strays of an earlier class come first")
	require.Negative(t, cmp(Text("PT5S"), Text("ABC")), "strays of the class come behind")
	require.Negative(t, cmp(Text("PT5S"), Blob(nil)))
	require.Negative(t, cmp(Null, Int(5)))
}

func TestRowComparator(t *testing.T) {
	ints := NewComparator(TypeInteger, nil)
	row := func(a, b Value) Row { return Row{a, b} }
	rows := []Row{row(Int(1), Int(2)), row(Null, Int(3)), row(Int(2), Null), row(Int(1), Null), row(Int(1), Int(5))}
	tests := []struct {
		name  string
		terms []OrderTerm
		want  []Row
	}{
		{"ascending, NULLs first", []OrderTerm{{Column: 0, Cmp: ints}, {Column: 1, Cmp: ints}},
			[]Row{rows[1], rows[3], rows[0], rows[4], rows[2]}},
		{"descending, NULLs still first", []OrderTerm{{Column: 0, Cmp: ints, Desc: true}, {Column: 1, Cmp: ints, Desc: true}},
			[]Row{rows[1], rows[2], rows[3], rows[4], rows[0]}},
		{"NULLs last", []OrderTerm{{Column: 0, Cmp: ints, NullsLast: true}, {Column: 1, Cmp: ints, Desc: true, NullsLast: true}},
			[]Row{rows[4], rows[0], rows[3], rows[2], rows[1]}},
		{"one term", []OrderTerm{{Column: 1, Cmp: ints}}, []Row{rows[2], rows[3], rows[0], rows[1], rows[4]}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := slices.Clone(rows)
			slices.SortStableFunc(got, NewRowComparator(tt.terms...))
			require.Equal(t, texts(tt.want), texts(got))
		})
	}
	require.Zero(t, NewRowComparator()(rows[0], rows[1]))
}

func texts(rows []Row) (out []string) {
	for _, r := range rows {
		for _, v := range r {
			out = append(out, FormatJSON(v))
		}
	}
	return out
}

func TestComparisonAllocatesNothing(t *testing.T) {
	ints, text, folded := NewComparator(TypeInteger, nil), NewComparator(TypeText, nil), NewComparator(TypeText, NoCase)
	a, b := Text("Some Text"), Text("some text, longer")
	accents := Text("ÉCOLE")
	total := 0
	require.Zero(t, testing.AllocsPerRun(100, func() {
		total += ints(Int(1), Int(2)) + text(a, b) + folded(a, b) + folded(accents, accents) + Compare(Int(1), Real(1.5), nil)
	}))
	require.NotZero(t, total)
}

func BenchmarkCompare(b *testing.B) {
	order := OrderTerm{Cmp: NewComparator(TypeInteger, nil)}
	benchmarks := []struct {
		name string
		cmp  Comparator
		x, y Value
	}{
		{"integer", NewComparator(TypeInteger, nil), Int(12345), Int(12346)},
		{"text", NewComparator(TypeText, nil), Text("customer 12345"), Text("customer 12346")},
		{"text nocase", NewComparator(TypeText, NoCase), Text("Customer 12345"), Text("customer 12346")},
		{"any", NewComparator(TypeAny, nil), Int(12345), Real(12345.5)},
		{"order term", order.Compare, Int(12345), Int(12346)},
	}
	for _, bb := range benchmarks {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			total := 0
			for b.Loop() {
				total += bb.cmp(bb.x, bb.y)
			}
			if total == 0 {
				b.Fatal("compared equal")
			}
		})
	}
}
