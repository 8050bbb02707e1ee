package types

import (
	"flag"
	"math"
	"math/big"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestMain fixes the random choices of property tests, so that every run is the same; -rapid.seed and -rapid.checks explore.
func TestMain(m *testing.M) {
	flags := map[string]string{"rapid.seed": "1", "rapid.checks": "500"}
	flag.Parse()
	flag.Visit(func(f *flag.Flag) { delete(flags, f.Name) })
	for name, value := range flags {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// Generators of values, dense where comparisons and keys are delicate: around powers of two, near-equal texts, zero bytes.

var genInt64 = rapid.OneOf(
	rapid.Int64Range(-300, 300),
	rapid.Int64(),
	rapid.SampledFrom([]int64{math.MinInt64, math.MinInt64 + 1, math.MaxInt64, two53, two53 + 1, two53 - 1, -two53, -two53 - 1}),
)

// genBig gives ±2^k + small, far beyond int64 too.
var genBig = rapid.Custom(func(t *rapid.T) *big.Int {
	b := new(big.Int).Lsh(big.NewInt(1), uint(rapid.IntRange(0, 2100).Draw(t, "power")))
	b.Add(b, big.NewInt(rapid.Int64Range(-2, 2).Draw(t, "offset")))
	if rapid.Bool().Draw(t, "negative") {
		b.Neg(b)
	}
	return b
})

var genInteger = rapid.OneOf(rapid.Map(genInt64, Int), rapid.Map(genBig, BigInt))

var genFloat = rapid.OneOf(
	rapid.Float64(),
	rapid.Map(rapid.Int64Range(-2000, 2000), func(i int64) float64 { return float64(i) / 8 }),
	rapid.Map(genBig, func(b *big.Int) float64 { return NearestReal(BigInt(b)) }),
	rapid.SampledFrom([]float64{
		0, math.Copysign(0, -1), 0.1, -0.1, 5e-324, -5e-324, 1 - 0x1p-53, math.MaxFloat64, -math.MaxFloat64,
		math.Inf(1), math.Inf(-1), 0x1p63, -0x1p63, 0x1p64, -0x1p64, 0x1.fffffffffffffp63, 1e21, 1e-6, 9.999e-7,
	}),
)

var genNumber = rapid.OneOf(rapid.Map(rapid.Bool(), Bool), genInteger, rapid.Map(genFloat, Real))

var genString = rapid.OneOf(
	rapid.StringOfN(rapid.SampledFrom([]rune("abAB \x00\x01éÉσςΣİi\u0307kK\u212A~\uffff😀")), 0, 5, -1),
	rapid.SampledFrom([]string{
		"PT1H", "PT60M", "PT3600S", "P1D", "PT24H", "P1Y", "P366D", "-PT1S", "PT0.1S", "PT0S", "P", "Px", "-Px", "ABC",
		"", "0", "1", "1.0", " 7 ", "1e3", "2024-03-05", "true",
	}),
	rapid.String(),
)

var genBlob = rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 'a', 0xFE, 0xFF}), 0, 5)

var genScalar = rapid.OneOf(
	rapid.Just(Null), genNumber, rapid.Map(genString, Text), rapid.Map(genBlob, Blob),
)

// genDocument gives what a JSON column can hold, nested at most depth levels.
func genDocument(depth int) *rapid.Generator[Value] {
	scalar := rapid.OneOf(rapid.Just(Null), genNumber, rapid.Map(genString, Text))
	if depth == 0 {
		return scalar
	}
	return rapid.OneOf(scalar, genContainer(depth))
}

func genContainer(depth int) *rapid.Generator[Value] {
	return rapid.Custom(func(t *rapid.T) Value {
		elems := rapid.SliceOfN(genDocument(depth-1), 0, 3).Draw(t, "elems")
		if rapid.Bool().Draw(t, "array") {
			return FromJSON(&JSON{Elems: elems})
		}
		n := len(elems)
		keys := rapid.SliceOfNDistinct(rapid.SampledFrom(strings.Split("a b c aa \x00 é A", " ")), n, n, rapid.ID).Draw(t, "keys")
		return FromJSON(&JSON{Object: true, Keys: keys, Elems: elems})
	})
}

var genValue = rapid.OneOf(genScalar, genContainer(2))

// genPair gives two values that are often equal or close.
var genPair = rapid.Custom(func(t *rapid.T) [2]Value {
	a := genValue.Draw(t, "a")
	if rapid.Bool().Draw(t, "related") {
		return [2]Value{a, genRelative(a).Draw(t, "b")}
	}
	return [2]Value{a, genValue.Draw(t, "b")}
})

// genRelative gives values that tend to equal v or to stand next to it.
func genRelative(v Value) *rapid.Generator[Value] {
	switch v.Kind() {
	case KindBoolean, KindInteger, KindReal:
		near := NearestReal(v)
		return rapid.SampledFrom([]Value{
			v, Real(near), Real(math.Nextafter(near, math.Inf(1))), Add(v, Int(1)), Sub(v, Int(1)), Bool(near != 0),
		})
	case KindText:
		s := v.Str()
		return rapid.SampledFrom([]Value{
			v, Text(strings.ToUpper(s)), Text(strings.ToLower(s)), Text(s + " "), Text(s + "\x00"), Text(s + "a"), Blob([]byte(s)),
		})
	case KindBlob:
		return rapid.SampledFrom([]Value{v, Blob(append([]byte{0}, v.Bytes()...)), Blob(append(append([]byte{}, v.Bytes()...), 0))})
	case KindJSON:
		return rapid.SampledFrom([]Value{v, reordered(v), FromJSON(&JSON{Elems: []Value{v}})})
	}
	return rapid.Just(v)
}

// reordered gives a document equal to v with the members of its object in the opposite order.
func reordered(v Value) Value {
	j := v.JSON()
	if !j.Object {
		return v
	}
	out := &JSON{Object: true}
	for i := len(j.Keys) - 1; i >= 0; i-- {
		out.Keys = append(out.Keys, j.Keys[i])
		out.Elems = append(out.Elems, j.Elems[i])
	}
	return FromJSON(out)
}

// byLength orders texts by length and then backwards, and keys them by a form with another order.
var byLength = &Collation{
	Name: "BYLENGTH", Normalize: func(s string) string { return s },
	Compare: func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(b, a)
	},
}

// unkeyed can compare but not key.
var unkeyed = &Collation{Name: "UNKEYED", Compare: strings.Compare}

// ranked is a custom type of texts with an order by key form.
var ranked = &Type{
	Name: "RANKED", Class: KindText, SemanticOrder: true,
	Valid:   func(v Value) bool { return strings.HasPrefix(v.Str(), "a") },
	Compare: func(a, b Value, _ *Collation) int { return strings.Compare(a.Str()[1:], b.Str()[1:]) },
	KeyForm: func(v Value) (Value, bool) {
		s, ok := strings.CutPrefix(v.Str(), "a")
		return Text(s), ok
	},
}

// backwards is a custom type whose order only its Compare knows.
var backwards = &Type{
	Name: "BACKWARDS", Class: KindInteger, SemanticOrder: true,
	Valid:   func(v Value) bool { return v.Kind() == KindInteger },
	Compare: func(a, b Value, _ *Collation) int { return CompareNumbers(b, a) },
}

// genColumn gives a declared type with a collation.
type column struct {
	typ  *Type
	coll *Collation
}

var genColumn = rapid.Custom(func(t *rapid.T) column {
	return column{
		typ:  rapid.SampledFrom(append([]*Type{nil, ranked, backwards, TypeAny, TypeText, TypeJSON, TypeTimespan}, builtinTypes...)).Draw(t, "type"),
		coll: rapid.SampledFrom([]*Collation{nil, Binary, NoCase, RTrim, byLength}).Draw(t, "collation"),
	}
})

func signOf(c int) int {
	switch {
	case c < 0:
		return -1
	case c > 0:
		return 1
	}
	return 0
}

// rational gives the exact value of a finite number.
func rational(v Value) *big.Rat {
	if v.Kind() == KindReal {
		return new(big.Rat).SetFloat64(v.Float())
	}
	return new(big.Rat).SetInt(v.Big())
}

func parseDocument(src string) Value {
	v, err := ParseJSON(src)
	if err != nil {
		panic(err)
	}
	return v
}

func bigOf(s string) Value {
	v, ok := ParseInteger(s)
	if !ok {
		panic("not an integer: " + s)
	}
	return v
}
