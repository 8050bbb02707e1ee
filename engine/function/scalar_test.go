package function_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/types"
)

func TestValues(t *testing.T) {
	h := newHarness()
	for _, c := range []struct{ expr, want string }{
		// numbers
		{"abs(-9223372036854775808)", "9223372036854775808"},
		{"round(-0.5)", "0"},
		{"round(0.49999999999999994)", "1"}, // in doubles
		{"round(1500, -3)", "2000"}, {"round(-1500, -3)", "-1000"}, {"round(-1501, -3)", "-2000"}, {"round(1499, -3)", "1000"},
		{"round(5, -1)", "10"}, {"round(-5, -1)", "0"}, {"round(4, -1)", "0"}, {"round(7, -2)", "0"}, {"round(7, -9999999999)", "0"},
		{"round(123456789012345678901234567890, -10)", "123456789012345678900000000000"},
		{"round(1e300, 5)", "1e300"}, {"round(1.5, 400)", "1.5"}, {"round(1.5, -400)", "0"}, {"round(1.7976931348623157e308, 5)", "1.7976931348623157e308"},
		{"round(real('Infinity'), -2)", `{"$real":"Infinity"}`}, {"round(2.567, integer('1'))", "2.6"},
		{"round(json_extract('\"12.5\"', '$'))", "13"}, {"abs(json_extract('\"x\"', '$'))", "null"}, {"abs(json_extract('\"\"', '$'))", "null"},
		{"abs(json_extract('true', '$'))", "1"},
		{"floor(real('-Infinity'))", `{"$real":"-Infinity"}`}, {"ceil(-0.5)", "0"}, {"floor(1e300)", "1e300"},
		{"clamp(5, 1.5, 2.5)", "2.5"}, {"clamp(12345678901234567890, 0, 12345678901234567889)", "12345678901234567889"},
		{"sqrt('x')", "null"}, {"sqrt(x'31')", "null"}, {"pow(0, -1)", "null"}, {"pow('', 2)", "null"},
		{"length(randomblob(1.0))", "1"}, {"length(randomblob(1e30))", "1048576"},
		// choice
		{"nullif('', 0)", `""`}, {"nullif(timespan('PT1H'), timespan('PT60M'))", "null"}, {"nullif(null, null)", "null"},
		{"greatest('b', 'a', 'b')", `"b"`}, {"greatest('', 1)", "1"}, {"least('2', 10, '1')", "10"},
		{"least(null, timespan('PT90M'), timespan('PT1H'))", `"PT1H"`}, {"greatest(json('[1]'), 5)", "[1]"},
		{"greatest(1, 1.0, true)", "1"}, {"greatest(true, 1)", "true"}, {"greatest(x'00', json('{}'), 'z')", `{}`},
		{"iif(x'', 1, 2)", "1"}, {"iif(json('[]'), 1, 2)", "1"}, {"iif('', 1, 2)", "2"},
		{"choose(2.0, 'a', 'b')", `"b"`}, {"choose(true, 'a')", `"a"`}, {"choose(1e30, 'a')", "null"}, {"choose('Infinity', 'a')", "null"},
		{"typeof(real('Infinity'))", `"real"`}, {"typeof(1e300)", `"integer"`}, {"typeof(timespan(5))", `"text"`},
		// text
		{"ltrim('  \u00a0\ufeffa ')", `"a "`}, {"rtrim(' a \u3000\ufeff')", `" a"`}, {"ltrim('   ')", `""`}, {"rtrim('   ')", `""`},
		{"rtrim('  aba aba  ')", `"  aba aba"`}, {"ltrim('')", `""`}, {"trim('éaé', 'é')", `"a"`},
		{"substr('héllo', -4, 2)", `"él"`}, {"substr('abc', 1e30)", `""`}, {"substr('abc', -1e30, 1)", `"a"`}, {"substr('abc', 2, 1e30)", `"bc"`},
		{"substr('abc', real('Infinity'))", `""`}, {"substr('abc', true)", `"abc"`},
		{"lpad('abc', -1e30, 'x')", `"abc"`}, {"rpad('é', 4, 'ab')", `"éaba"`},
		{"replace('x', 'x', 'xx')", `"xx"`}, {"instr('日本語', '語')", "3"}, {"reverse('añb')", `"bña"`},
		{"hex('')", `""`}, {"unhex('Ff')", `{"$blob":"ff"}`},
		{"like('a%', json('\"ab\"'))", "true"}, {"glob('[a-', '[a-')", "true"}, {"glob('[]', '[]')", "true"},
		// timespans
		{"timespan_seconds('-PT1.5S')", "-1.5"}, {"timespan_seconds('PT8.123456789S')", "8.123456789"}, {"timespan_years('pt5m')", "0"},
		{"timespan_total_days('-P1Y')", "-365"}, {"timespan_total_seconds(' PT1H')", "null"},
	} {
		t.Run(c.expr, func(t *testing.T) { h.requireValue(t, c.expr, c.want) })
	}
}

func TestRefusals(t *testing.T) {
	h := newHarness()
	for _, c := range []struct {
		expr, message string
		code          types.Code
	}{
		{"round(1, '2')", "Invalid argument types for function round", types.MISMATCH},
		{"abs(date(0))", "Invalid argument types for function abs", types.MISMATCH},
		{"clamp(1, true, 2)", "Invalid argument types for function clamp", types.MISMATCH},
		{"substr('a')", "Function not found: substr/1", types.ERROR},
		{"replace('a', 'b')", "Function not found: replace/2", types.ERROR},
		{"lpad('a', 1e12, 'x')", "Function lpad failed: the result would be longer than", types.TOOBIG},
		{"replace(lpad('', 1000000, 'a'), 'a', lpad('', 1000000, 'b'))", "Function replace failed: the result would be longer", types.TOOBIG},
		{"json_set('[]', '$[2000000]', 1)", "Function json_set failed: array index 2000000", types.TOOBIG},
		{"hex(json('[1]'))", "Function hex failed: Cannot convert to BLOB: Cannot convert object to BLOB", types.MISMATCH},
		{"integer('x')", "Function integer failed: Cannot convert to INTEGER: Cannot convert 'x' to INTEGER", types.MISMATCH},
		{"mutation_ordinal()", "mutation_ordinal() is only valid during INSERT default / mutation-context evaluation", types.ERROR},
	} {
		_, err := h.query("select " + c.expr)
		require.ErrorIs(t, err, c.code, c.expr)
		require.ErrorContains(t, err, c.message)
	}
}

func TestMutationOrdinal(t *testing.T) {
	h := newHarness()
	h.call.Ordinal = 7
	h.requireValue(t, "mutation_ordinal()", "7")
}

func TestConflictingCollationsAreRefusedWhenBound(t *testing.T) {
	h := newHarness()
	explicit := func(c *types.Collation) function.Arg {
		return function.Arg{Type: types.TypeText, Collation: types.Contribution{Collation: c, Rank: types.RankExplicit}}
	}
	for name, args := range map[string]int{"nullif": 2, "greatest": 2, "least": 2} {
		f := h.functions.Lookup(name, args, false)
		_, err := f.Bind([]function.Arg{explicit(types.NoCase), explicit(types.RTrim)})
		require.ErrorContains(t, err, "conflicting COLLATE clauses in comparison: NOCASE vs RTRIM")
		eval, err := f.Bind([]function.Arg{explicit(types.NoCase), {Type: types.TypeText}})
		require.NoError(t, err)
		v, err := eval(h.call, []types.Value{types.Text("A"), types.Text("a")})
		require.NoError(t, err)
		if name == "nullif" {
			assert.True(t, v.IsNull())
		} else {
			assert.Equal(t, "A", v.Str(), "the first of equals")
		}
	}
}

func TestRoundIsTheNearestMultiple(t *testing.T) {
	h := newHarness()
	eval := h.functions.Lookup("round", 2, false).Eval
	rapid.Check(t, func(t *rapid.T) {
		n := new(big.Int).Mul(big.NewInt(rapid.Int64().Draw(t, "a")), big.NewInt(rapid.Int64Range(1, 1<<40).Draw(t, "b")))
		d := rapid.Int64Range(-30, -1).Draw(t, "d")
		v, err := eval(h.call, []types.Value{types.BigInt(n), types.Int(d)})
		require.NoError(t, err)
		unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(-d), nil)
		if new(big.Int).Rem(v.Big(), unit).Sign() != 0 {
			t.Fatalf("round(%s, %d) = %s is no multiple", n, d, v.Big())
		}
		// -half < n - v <= half, but the upper one of two at equal distance: -half <= v - n with v - n <= half
		twice := new(big.Int).Sub(v.Big(), n)
		twice.Lsh(twice, 1)
		if twice.Cmp(unit) > 0 || twice.Cmp(new(big.Int).Neg(unit)) <= 0 {
			t.Fatalf("round(%s, %d) = %s", n, d, v.Big())
		}
	})
}

func TestSubstringsAndPadding(t *testing.T) {
	h := newHarness()
	call := func(name string, args ...types.Value) types.Value {
		f := h.functions.Lookup(name, len(args), false)
		v, err := f.Eval(h.call, args)
		require.NoError(t, err)
		return v
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SliceOfN(runesOf("aé😀"), 0, 8).Draw(t, "s")
		start, n := rapid.Int64Range(-10, 10).Draw(t, "start"), rapid.Int64Range(-2, 10).Draw(t, "n")
		text := types.Text(string(s))

		from := max(start-1, 0)
		if start < 0 {
			from = max(int64(len(s))+start, 0)
		}
		from = min(from, int64(len(s)))
		to := min(from+max(n, 0), int64(len(s)))
		if got := call("substr", text, types.Int(start), types.Int(n)).Str(); got != string(s[from:to]) {
			t.Fatalf("substr(%q, %d, %d) = %q", string(s), start, n, got)
		}
		padded := []rune(call("rpad", text, types.Int(n), types.Text("xy")).Str())
		if int64(len(padded)) != max(n, int64(len(s))) || !strings.HasPrefix(string(padded), string(s)) {
			t.Fatalf("rpad(%q, %d) = %q", string(s), n, string(padded))
		}
		if twice := call("reverse", call("reverse", text)).Str(); twice != string(s) {
			t.Fatalf("reverse twice: %q", twice)
		}
		if i, _ := call("length", text).Int64(); i != int64(len(s)) {
			t.Fatalf("length %d", i)
		}
	})
}

func TestRandomStaysInItsRange(t *testing.T) {
	h := newHarness()
	bits := []uint64{1<<64 - 1, 1<<64 - 2<<10 + 5, 0}
	h.call.Random = func() uint64 {
		next := bits[0]
		bits = bits[1:]
		return next
	}
	h.requireValue(t, "random()", "9007199254740991") // the first draw lies outside and is thrown away
	h.requireValue(t, "random()", "-9007199254740991")
}

// TestDeclaredResults checks the static types: what NULL argument, wrong kind or plain argument makes nullable.
func TestDeclaredResults(t *testing.T) {
	h := newHarness()
	integer, text, anything := function.Arg{Type: types.TypeInteger}, function.Arg{Type: types.TypeText}, function.Arg{Type: types.TypeAny}
	nullText := function.Arg{Type: types.TypeText, Nullable: true}
	list := func(args ...function.Arg) []function.Arg { return args }
	for _, c := range []struct {
		name     string
		args     []function.Arg
		t        *types.Type
		nullable bool
	}{
		{"abs", list(integer), types.TypeInteger, false}, {"abs", list(anything), types.TypeAny, true},
		{"round", list(integer, anything), types.TypeInteger, true}, {"round", list(integer, integer), types.TypeInteger, false},
		{"sqrt", list(integer), types.TypeReal, true},
		{"upper", list(text), types.TypeText, false}, {"upper", list(nullText), types.TypeText, true}, {"upper", list(integer), types.TypeText, true},
		{"length", list(text), types.TypeInteger, false}, {"length", list(function.Arg{Type: types.TypeBlob}), types.TypeInteger, false},
		{"length", list(anything), types.TypeInteger, true}, {"substr", list(text, integer), types.TypeText, false},
		{"substr", list(text, text), types.TypeText, true}, {"trim", list(integer, nullText), types.TypeText, false},
		{"like", list(text, integer), types.TypeBoolean, false}, {"like", list(text, nullText), types.TypeBoolean, true},
		{"integer", list(integer), types.TypeInteger, false}, {"integer", list(text), types.TypeInteger, true}, {"text", list(integer), types.TypeText, false},
		{"coalesce", list(integer, text), types.TypeAny, true}, {"coalesce", nil, types.TypeNull, true},
		{"iif", list(text, integer, integer), types.TypeInteger, true}, {"nullif", list(text, integer), types.TypeText, true},
		{"greatest", list(integer, nullText), types.TypeAny, false}, {"greatest", list(nullText), types.TypeText, true},
		{"choose", list(integer, text, text), types.TypeText, true}, {"choose", nil, types.TypeNull, true}, {"typeof", list(anything), types.TypeText, false},
		{"date", list(text), types.TypeDate, true}, {"date", list(text, text), types.TypeText, true}, {"isisodate", list(nullText), types.TypeBoolean, false},
		{"json", list(text), types.TypeJSON, true}, {"json_array", list(nullText), types.TypeJSON, false}, {"json_extract", list(text, text), types.TypeAny, true},
		{"json_object", list(text, nullText), types.TypeJSON, false}, {"json_object", list(nullText, text), types.TypeJSON, true},
		{"json_quote", list(text), types.TypeText, false}, {"json_quote", list(anything), types.TypeText, true},
		{"json_schema", list(nullText, nullText), types.TypeBoolean, false},
		{"timespan_hours", list(function.Arg{Type: types.TypeTimespan}), types.TypeInteger, false}, {"timespan_hours", list(text), types.TypeInteger, true},
		{"count", list(nullText), types.TypeInteger, false}, {"sum", list(integer), types.TypeNumeric, true}, {"total", list(nullText), types.TypeReal, false},
		{"avg", list(integer), types.TypeReal, true}, {"max", list(text), types.TypeText, true}, {"string_concat", list(nullText), types.TypeText, false},
		{"lag", list(integer, integer, text), types.TypeAny, true}, {"lag", list(integer), types.TypeInteger, true},
		{"nth_value", list(text, integer), types.TypeText, true}, {"row_number", nil, types.TypeInteger, false},
	} {
		f := h.functions.Lookup(c.name, len(c.args), false)
		require.NotNil(t, f, c.name)
		assert.Equal(t, function.Result{Type: c.t, Nullable: c.nullable}, f.Type(c.args), c.name)
	}
}
