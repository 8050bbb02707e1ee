package types

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func wire(v Value) string { return string(AppendWire(nil, v)) }

// refused stands for a conversion that fails: a write and a conversion function with MISMATCH, a CAST by its fallback.
const refused = "E"

// conversionMatrix has the conversions of docs/reference/types.md, one source a row, and the cases of conformance/types/cast-to-*.test that
// go beyond it.
var conversionMatrix = []struct {
	source string
	v      Value
	// one result a target, in the order of builtinTypes
	integer, real, numeric, text, blob, boolean, date, time, datetime, timestamp, timespan, json, any string
}{
	{"integer", Int(42),
		`42`, `42`, `42`, `"42"`, `{"$blob":"3432"}`, `true`, `"1970-01-01"`, `"00:00:42"`, `"1970-01-01T00:00:00.042"`, `42`, `"PT42S"`, `42`, `42`},
	{"negative integer", Int(-7),
		`-7`, `-7`, `-7`, `"-7"`, `{"$blob":"2d37"}`, `true`, `"1969-12-31"`, refused, `"1969-12-31T23:59:59.993"`, `-7`, `"-PT7S"`, `-7`, `-7`},
	{"zero", Int(0),
		`0`, `0`, `0`, `"0"`, `{"$blob":"30"}`, `false`, `"1970-01-01"`, `"00:00:00"`, `"1970-01-01T00:00:00"`, `0`, `"PT0S"`, `0`, `0`},
	{"a day in seconds", Int(86400),
		`86400`, `86400`, `86400`, `"86400"`, `{"$blob":"3836343030"}`, `true`, `"1970-01-01"`, `"00:00:00"`, `"1970-01-01T00:01:26.4"`, `86400`, `"PT86400S"`, `86400`, `86400`},
	{"2^53", Int(two53),
		`9007199254740992`, `9007199254740992`, `9007199254740992`, `"9007199254740992"`, `{"$blob":"39303037313939323534373430393932"}`, `true`,
		refused, refused, refused, `9007199254740992`, refused, `9007199254740992`, `9007199254740992`},
	{"2^53-1", Int(two53 - 1),
		`9007199254740991`, `9007199254740991`, `9007199254740991`, `"9007199254740991"`, `{"$blob":"39303037313939323534373430393931"}`, `true`,
		refused, `"07:36:31"`, refused, `9007199254740991`, `"PT9007199254740991S"`, `9007199254740991`, `9007199254740991`},
	{"integer beyond int64", bigOf("12345678909876543210"),
		`12345678909876543210`, `12345678909876543000`, `12345678909876543210`, `"12345678909876543210"`, `{"$blob":"3132333435363738393039383736353433323130"}`, `true`,
		refused, refused, refused, `12345678909876543210`, refused, `12345678909876543210`, `12345678909876543210`},
	{"whole real", Real(1500),
		`1500`, `1500`, `1500`, `"1500"`, `{"$blob":"31353030"}`, `true`, `"1970-01-01"`, `"00:25:00"`, `"1970-01-01T00:00:01.5"`, `1500`, `"PT1500S"`, `1500`, `1500`},
	{"whole real beyond 2^53", Real(1e20),
		`100000000000000000000`, `100000000000000000000`, `100000000000000000000`, `"100000000000000000000"`, `{"$blob":"313030303030303030303030303030303030303030"}`, `true`,
		refused, refused, refused, `100000000000000000000`, refused, `100000000000000000000`, `100000000000000000000`},
	{"real with fraction", Real(59.9994),
		`59`, `59.9994`, `59.9994`, `"59.9994"`, `{"$blob":"35392e39393934"}`, `true`, refused, `"00:00:59.999"`, refused, refused, refused, `59.9994`, `59.9994`},
	{"negative real", Real(-0.4),
		`0`, `-0.4`, `-0.4`, `"-0.4"`, `{"$blob":"2d302e34"}`, `true`, refused, refused, refused, refused, refused, `-0.4`, `-0.4`},
	{"true", True,
		`1`, `1`, `1`, `"true"`, `{"$blob":"74727565"}`, `true`, refused, refused, refused, refused, refused, `true`, `true`},
	{"false", False,
		`0`, `0`, `0`, `"false"`, `{"$blob":"66616c7365"}`, `false`, refused, refused, refused, refused, refused, `false`, `false`},
	{"blob", Blob([]byte("42")),
		refused, refused, refused, `"42"`, `{"$blob":"3432"}`, refused, refused, refused, refused, refused, refused, refused, `{"$blob":"3432"}`},
	{"ill-formed blob", Blob([]byte{0xff}),
		refused, refused, refused, `"�"`, `{"$blob":"ff"}`, refused, refused, refused, refused, refused, refused, refused, `{"$blob":"ff"}`},
	{"JSON object", parseDocument(`{"b": 1, "a": [true, null]}`),
		refused, refused, refused, `"{\"b\":1,\"a\":[true,null]}"`, refused, refused, refused, refused, refused, refused, refused, `{"b":1,"a":[true,null]}`, `{"b":1,"a":[true,null]}`},
	{"JSON array", parseDocument(`[3,4]`),
		refused, refused, refused, `"[3,4]"`, refused, refused, refused, refused, refused, refused, refused, `[3,4]`, `[3,4]`},
	{"JSON number", parseDocument(`7`),
		`7`, `7`, `7`, `"7"`, `{"$blob":"37"}`, `true`, `"1970-01-01"`, `"00:00:07"`, `"1970-01-01T00:00:00.007"`, `7`, `"PT7S"`, `7`, `7`},
	{"JSON string", parseDocument(`"txt"`),
		refused, refused, refused, `"txt"`, `{"$blob":"747874"}`, refused, refused, refused, refused, refused, refused, refused, `"txt"`},
	{"digits", Text(" 42 "),
		`42`, `42`, `42`, `" 42 "`, `{"$blob":"20343220"}`, refused, refused, refused, refused, `42`, refused, `42`, `" 42 "`},
	{"empty text", Text(""),
		`null`, `null`, `null`, `""`, `{"$blob":""}`, refused, refused, refused, refused, `null`, refused, refused, `""`},
	{"blank text", Text(" \t\u00a0"),
		`null`, `null`, `null`, "\" \\t\u00a0\"", `{"$blob":"2009c2a0"}`, refused, refused, refused, refused, `null`, refused, refused, "\" \\t\u00a0\""},
	{"prefix", Text("34xyz"),
		`34`, `34`, `34`, `"34xyz"`, `{"$blob":"333478797a"}`, refused, refused, refused, refused, refused, refused, refused, `"34xyz"`},
	{"decimal text", Text("-4.5e1"),
		`-4`, `-45`, `-45`, `"-4.5e1"`, `{"$blob":"2d342e356531"}`, refused, refused, refused, refused, refused, refused, `-45`, `"-4.5e1"`},
	{"text without digits before the point", Text("-.5"),
		refused, `-0.5`, `-0.5`, `"-.5"`, `{"$blob":"2d2e35"}`, refused, refused, refused, refused, refused, refused, refused, `"-.5"`},
	{"big digits", Text("123456789098765432101"),
		`123456789098765432101`, `123456789098765430000`, `123456789098765432101`, `"123456789098765432101"`,
		`{"$blob":"313233343536373839303938373635343332313031"}`, refused, refused, refused, refused, `123456789098765432101`, refused, `123456789098765432101`, `"123456789098765432101"`},
	{"big digits with a point", Text("9007199254740993.0"),
		`9007199254740993`, `9007199254740992`, `9007199254740992`, `"9007199254740993.0"`, `{"$blob":"393030373139393235343734303939332e30"}`,
		refused, refused, refused, refused, refused, refused, `9007199254740992`, `"9007199254740993.0"`},
	{"hexadecimal text", Text("0x1F"),
		`0`, `0`, `0`, `"0x1F"`, `{"$blob":"30783146"}`, refused, refused, refused, refused, refused, refused, refused, `"0x1F"`},
	{"infinite text", Text("-Infinity"),
		refused, `{"$real":"-Infinity"}`, `{"$real":"-Infinity"}`, `"-Infinity"`, `{"$blob":"2d496e66696e697479"}`, refused, refused, refused, refused, refused, refused, refused, `"-Infinity"`},
	{"overflowing text", Text("1e999"),
		`1`, `{"$real":"Infinity"}`, `{"$real":"Infinity"}`, `"1e999"`, `{"$blob":"3165393939"}`, refused, refused, refused, refused, refused, refused, `{"$real":"Infinity"}`, `"1e999"`},
	{"words of truth", Text(" Yes "),
		refused, refused, refused, `" Yes "`, `{"$blob":"2059657320"}`, `true`, refused, refused, refused, refused, refused, refused, `" Yes "`},
	{"false as text", Text("FALSE"),
		refused, refused, refused, `"FALSE"`, `{"$blob":"46414c5345"}`, `false`, refused, refused, refused, refused, refused, refused, `"FALSE"`},
	{"one as text", Text("1"),
		`1`, `1`, `1`, `"1"`, `{"$blob":"31"}`, `true`, refused, refused, refused, `1`, refused, `1`, `"1"`},
	{"no word of truth", Text("t"),
		refused, refused, refused, `"t"`, `{"$blob":"74"}`, refused, refused, refused, refused, refused, refused, refused, `"t"`},
	{"date", Text("2024-03-07"),
		`2024`, `2024`, `2024`, `"2024-03-07"`, `{"$blob":"323032342d30332d3037"}`, refused, `"2024-03-07"`, `"00:00:00"`, `"2024-03-07T00:00:00"`, `1709769600000`, refused, refused, `"2024-03-07"`},
	{"compact date", Text("20240307"),
		`20240307`, `20240307`, `20240307`, `"20240307"`, `{"$blob":"3230323430333037"}`, refused, `"2024-03-07"`, `"00:00:00"`, `"2024-03-07T00:00:00"`, `20240307`, refused, `20240307`, `"20240307"`},
	{"date-time with offset", Text("2024-03-07T23:20:30.5-03:00"),
		`2024`, `2024`, `2024`, `"2024-03-07T23:20:30.5-03:00"`, `{"$blob":"323032342d30332d30375432333a32303a33302e352d30333a3030"}`,
		refused, `"2024-03-08"`, `"02:20:30.5"`, `"2024-03-08T02:20:30.5"`, `1709864430500`, refused, refused, `"2024-03-07T23:20:30.5-03:00"`},
	{"time before 1970, to the nanosecond", Text("1969-12-31T23:59:59.999999999"),
		`1969`, `1969`, `1969`, `"1969-12-31T23:59:59.999999999"`, `{"$blob":"313936392d31322d33315432333a35393a35392e393939393939393939"}`,
		refused, `"1969-12-31"`, `"23:59:59.999999999"`, `"1969-12-31T23:59:59.999999999"`, `-1`, refused, refused, `"1969-12-31T23:59:59.999999999"`},
	{"far date", Text("+012024-03-07"),
		`12024`, `12024`, `12024`, `"+012024-03-07"`, `{"$blob":"2b3031323032342d30332d3037"}`, refused, `"+012024-03-07"`, `"00:00:00"`, `"+012024-03-07T00:00:00"`, `317279289600000`, refused, refused, `"+012024-03-07"`},
	{"duration", Text("P1DT2H"),
		refused, refused, refused, `"P1DT2H"`, `{"$blob":"503144543248"}`, refused, refused, refused, refused, refused, `"P1DT2H"`, refused, `"P1DT2H"`},
	{"JSON source", Text(` {"a": [1, 2.50]} `),
		refused, refused, refused, `" {\"a\": [1, 2.50]} "`, `{"$blob":"207b2261223a205b312c20322e35305d7d20"}`, refused, refused, refused, refused, refused, refused, `{"a":[1,2.5]}`, `" {\"a\": [1, 2.50]} "`},
	{"JSON null as text", Text("null"),
		refused, refused, refused, `"null"`, `{"$blob":"6e756c6c"}`, refused, refused, refused, refused, refused, refused, `null`, `"null"`},
	{"NULL", Null, `null`, `null`, `null`, `null`, `null`, `null`, `null`, `null`, `null`, `null`, `null`, `null`, `null`},
}

// castFallback has what a cast makes of values that do not convert.
func castFallback(v Value, t *Type) string {
	switch {
	case t.Numeric:
		return `0`
	case t == TypeBlob:
		return wire(Blob([]byte(ToText(v))))
	case t == TypeJSON && v.Kind() == KindText:
		return wire(v)
	}
	return `null`
}

func TestConversionMatrix(t *testing.T) {
	for _, row := range conversionMatrix {
		for i, want := range []string{
			row.integer, row.real, row.numeric, row.text, row.blob, row.boolean, row.date, row.time, row.datetime, row.timestamp, row.timespan, row.json, row.any,
		} {
			to := builtinTypes[i]
			written, err := WriteConverter(to, "c")(row.v)
			converted, errFunction := Convert(row.v, to)
			if want == refused {
				assert.ErrorIs(t, err, MISMATCH, "write %s to %s", row.source, to)
				assert.ErrorIs(t, errFunction, MISMATCH, "convert %s to %s", row.source, to)
				assert.Equal(t, castFallback(row.v, to), wire(Cast(row.v, to)), "cast %s to %s", row.source, to)
				continue
			}
			require.NoError(t, err, "write %s to %s", row.source, to)
			assert.Equal(t, want, wire(written), "write %s to %s", row.source, to)
			require.NoError(t, errFunction, "convert %s to %s", row.source, to)
			assert.Equal(t, want, wire(converted), "convert %s to %s", row.source, to)
			assert.Equal(t, want, wire(Cast(row.v, to)), "cast %s to %s", row.source, to)
		}
	}
}

func TestBooleanWords(t *testing.T) {
	for word, want := range map[string]string{
		"true": `true`, "YES": `true`, "on": `true`, "1": `true`, "false": `false`, " no": `false`, "Off\n": `false`, "0": `false`,
		"": `null`, "2": `null`, "y": `null`, "truex": `null`, "1.0": `null`,
	} {
		assert.Equal(t, want, wire(Cast(Text(word), TypeBoolean)), "%q", word)
	}
	assert.Equal(t, `true`, wire(Cast(bigOf("99999999999999999999"), TypeBoolean)))
	assert.Equal(t, `false`, wire(Cast(Real(math.Copysign(0, -1)), TypeBoolean)))
}

func TestConversionErrors(t *testing.T) {
	for _, c := range []struct {
		v    Value
		t    *Type
		want string
	}{
		{Text("not a number"), TypeInteger, "Cannot convert 'not a number' to INTEGER"},
		{Text("Infinity"), TypeInteger, "Cannot convert 'Infinity' to INTEGER"},
		{Blob([]byte{1}), TypeReal, "Cannot convert object to REAL"},
		{parseDocument("[]"), TypeBlob, "Cannot convert object to BLOB"},
		{True, TypeDate, "Cannot convert boolean to DATE"},
		{Real(1.5), TypeDate, "Cannot convert '1.5' to DATE"},
		{Int(-1), TypeTime, "Cannot convert '-1' to TIME"},
		{bigOf("9007199254740992"), TypeTimespan, "Cannot convert bigint to TIMESPAN"},
		{Int(8_640_000_000_000_001), TypeDatetime, "Cannot convert '8640000000000001' to DATETIME"},
		{Real(1.5), TypeTimestamp, "Cannot convert non-integer number '1.5' to TIMESTAMP"},
		{True, TypeTimestamp, "Cannot convert boolean to TIMESTAMP"},
		{Text(" 2024-01-05 "), TypeDate, "Cannot convert ' 2024-01-05 ' to DATE"},
	} {
		_, err := WriteConverter(c.t, "x")(c.v)
		assert.ErrorIs(t, err, MISMATCH)
		assert.EqualError(t, err, "Type conversion failed for column 'x': "+c.want)
		_, err = Convert(c.v, c.t)
		assert.ErrorIs(t, err, MISMATCH)
		assert.EqualError(t, err, "Cannot convert to "+c.t.Name+": "+c.want)
	}
	_, err := WriteConverter(TypeJSON, "j")(Text("{bad"))
	assert.ErrorIs(t, err, MISMATCH)
	assert.ErrorContains(t, err, "Type conversion failed for column 'j': Cannot convert '{bad' to JSON: invalid JSON syntax")
}

// A cell whose static type is the column's is converted only when its value is not of the type.
func TestWriteGuard(t *testing.T) {
	for _, c := range []struct {
		t    *Type
		v    Value
		want string
	}{
		{TypeJSON, Text("9"), `"9"`}, // a document that is a string is not read again
		{TypeJSON, Text("{"), `"{"`},
		{TypeInteger, Real(2.9), `2`},
		{TypeDate, Text("20240305"), `"2024-03-05"`},
		{TypeTimespan, Text("PT1.50S"), `"PT1.5S"`},
		{TypeText, Int(5), `"5"`},
		{TypeAny, Int(5), `5`},
		{TypeInteger, Null, `null`},
	} {
		got, err := WriteGuard(c.t, "c")(c.v)
		require.NoError(t, err)
		assert.Equal(t, c.want, wire(got), c.t.Name)
	}
	_, err := WriteGuard(TypeJSON, "c")(Blob(nil))
	assert.EqualError(t, err, "Type conversion failed for column 'c': Cannot convert object to JSON")
}

// even is a type of an embedding program: even numbers, text read as INTEGER does.
var even = &Type{
	Name: "EVEN", Class: KindInteger,
	Parse: TypeInteger.Parse,
	Valid: func(v Value) bool { i, ok := v.Int64(); return ok && i%2 == 0 },
}

func TestCustomTypeConversions(t *testing.T) {
	write := WriteConverter(even, "n")
	got, err := write(Text("4 apples"))
	require.NoError(t, err)
	assert.Equal(t, `4`, wire(got))
	_, err = write(Int(3))
	assert.EqualError(t, err, "Type conversion failed for column 'n': Cannot convert '3' to EVEN")

	failing := errors.New("no way")
	never := &Type{Name: "NEVER", Parse: func(Value) (Value, error) { return Null, failing }, Valid: func(v Value) bool { return v.Kind() == KindText }}
	assert.Equal(t, `"x"`, wire(Cast(Text("x"), never)), "a cast that fails keeps what is of the type")
	assert.Equal(t, `null`, wire(Cast(Int(1), never)))
	_, err = WriteConverter(never, "n")(Int(1))
	assert.ErrorIs(t, err, MISMATCH)
	assert.ErrorIs(t, err, failing)
	never.Valid = nil
	assert.Equal(t, `null`, wire(Cast(Text("x"), never)))

	open := &Type{Name: "OPEN"}
	got, err = WriteConverter(open, "n")(Text("x"))
	require.NoError(t, err)
	assert.Equal(t, `"x"`, wire(got))
	assert.Equal(t, `1`, wire(Cast(Int(1), open)))
}

func TestCastToOwnTypeIsIdentity(t *testing.T) {
	assert.Equal(t, `"9"`, wire(Caster(TypeJSON, TypeJSON)(Text("9"))))
	assert.Equal(t, `9`, wire(Caster(TypeText, TypeJSON)(Text("9"))))
	assert.False(t, CastMayBeNull(TypeJSON, TypeJSON))
	assert.True(t, CastMayBeNull(TypeText, TypeJSON))
	assert.False(t, CastMayBeNull(TypeInteger, TypeText))
	assert.False(t, CastMayBeNull(TypeJSON, TypeBlob))
}

// genConvertible gives values of every kind, temporal texts among them.
var genConvertible = rapid.OneOf(genValue, genTemporalText)

// What a cast gives is of the type, or NULL; what parses, parses to itself again; and the two agree.
func TestConversionLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := genConvertible.Draw(t, "value")
		to := rapid.SampledFrom(builtinTypes).Draw(t, "type")
		cast := Cast(v, to)
		assert.True(t, cast.IsNull() || to.Valid(cast), "%s cast to %s", wire(v), to)
		parsed, err := to.Parse(v)
		if err != nil {
			assert.False(t, to.Valid(v) && to != TypeJSON, "%s is a %s already", wire(v), to)
			return
		}
		assert.Equal(t, wire(parsed), wire(cast))
		if to != TypeJSON { // a string document reads as source
			again, err := to.Parse(parsed)
			require.NoError(t, err)
			assert.Equal(t, wire(parsed), wire(again))
		}
	})
}

// Numbers of one value convert alike, whatever kind holds them (docs/reference/types.md).
func TestConversionsSeeNumbersByValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.OneOf(rapid.Int64Range(-100_000, 100_000), rapid.Int64Range(-two53, two53)).Draw(t, "i")
		for _, to := range builtinTypes {
			assert.Equal(t, wire(Cast(Int(i), to)), wire(Cast(Real(float64(i)), to)), to.Name)
		}
	})
}

func TestCastsOfRefusedTextDoNotAllocate(t *testing.T) {
	v := Text("abc")
	for _, to := range []*Type{TypeInteger, TypeReal, TypeNumeric, TypeBoolean, TypeDate, TypeTime, TypeDatetime, TypeTimestamp} {
		cast := Caster(TypeText, to)
		assert.Zero(t, testing.AllocsPerRun(50, func() { cast(v) }), to.Name)
	}
}
