package function_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/types"
)

// fold runs an aggregate of one argument over values.
func (h *harness) fold(t require.TestingT, name string, arg function.Arg, values ...types.Value) types.Value {
	newState, err := h.functions.Lookup(name, 1, false).NewState([]function.Arg{arg})
	require.NoError(t, err)
	s := newState()
	for _, v := range values {
		require.NoError(t, s.Step(h.call, []types.Value{v}))
	}
	v, err := s.Final(h.call)
	require.NoError(t, err)
	again, err := s.Final(h.call)
	require.NoError(t, err)
	require.Zero(t, types.Compare(v, again, nil), "asking twice")
	return v
}

var anyArg = function.Arg{Type: types.TypeAny, Nullable: true}

// TestSumIsExact compares with big integers: whole numbers in whatever form add up exactly, in any order.
func TestSumIsExact(t *testing.T) {
	h := newHarness()
	rapid.Check(t, func(t *rapid.T) {
		want := new(big.Int)
		var values []types.Value
		for _, i := range rapid.SliceOfN(rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{math.MaxInt64, math.MinInt64, 1, -1})), 1, 20).Draw(t, "values") {
			v := types.Int(i)
			switch rapid.IntRange(0, 4).Draw(t, "form") {
			case 0:
				i %= 1 << 53
				v = types.Real(float64(i))
			case 1:
				v = types.Text(fmt.Sprintf(" %d ", i))
			case 2:
				b := new(big.Int).Lsh(big.NewInt(i), 40)
				want.Add(want, b)
				values = append(values, types.BigInt(b), types.Null, types.Text("x"), types.Blob([]byte("1")), types.Text(""))
				continue
			}
			want.Add(want, big.NewInt(i))
			values = append(values, v)
		}
		if got := h.fold(t, "sum", anyArg, values...); got.Kind() != types.KindInteger || got.Big().Cmp(want) != 0 {
			t.Fatalf("%s, want %s", types.ToText(got), want)
		}
	})
}

func TestSumsOfMixedValues(t *testing.T) {
	h := newHarness()
	inf := types.Real(math.Inf(1))
	for _, c := range []struct {
		name   string
		values []types.Value
		want   string
	}{
		{"sum", nil, "null"}, {"sum", []types.Value{types.Null, types.Text("x")}, "null"}, {"sum", []types.Value{types.Text("  ")}, "0"},
		{"sum", []types.Value{types.Int(1), types.Real(0.5)}, "1.5"},
		{"sum", []types.Value{types.Int(1 << 53), types.Int(1), types.Real(0)}, "9007199254740993"},
		{"sum", []types.Value{types.Real(1e300), types.Int(5)}, "1e300"},
		{"sum", []types.Value{inf, types.Int(5)}, `{"$real":"Infinity"}`}, {"sum", []types.Value{inf, types.Neg(inf)}, "null"},
		{"total", nil, "0"}, {"total", []types.Value{types.Text("x"), types.Null}, "0"}, {"total", []types.Value{types.True, types.Text("2")}, "3"},
		{"avg", []types.Value{types.Null, types.Blob(nil)}, "null"}, {"avg", []types.Value{types.Int(1), types.Text(""), types.Text("2")}, "1"},
		{"var_pop", []types.Value{types.Int(4)}, "0"}, {"var_samp", []types.Value{types.Int(4)}, "null"},
		{"stddev_pop", []types.Value{types.Int(1), types.Int(3)}, "1"}, {"var_pop", []types.Value{inf, types.Int(1)}, "null"},
		{"string_concat", []types.Value{types.Text("a"), types.Int(1), types.Text("")}, `"a,"`},
		{"json_group_array", []types.Value{types.Null}, "[null]"},
	} {
		got := h.fold(t, c.name, anyArg, c.values...)
		assert.Equal(t, canonicalLine("["+c.want+"]"), canonicalLine("["+string(types.AppendWire(nil, got))+"]"), "%s %v", c.name, c.values)
	}
}

// TestVarianceKeepsItsDigits compares with exact fractions, for values whose squares drown the differences.
func TestVarianceKeepsItsDigits(t *testing.T) {
	h := newHarness()
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SampledFrom([]int64{0, 1e9, -1e10}).Draw(t, "base")
		var values []types.Value
		sum, squares := new(big.Rat), new(big.Rat)
		offsets := rapid.SliceOfN(rapid.Int64Range(-1000, 1000), 2, 30).Draw(t, "offsets")
		for _, o := range offsets {
			values = append(values, types.Int(base+o))
			x := new(big.Rat).SetInt64(o) // a shift does not change the variance
			sum.Add(sum, x)
			squares.Add(squares, x.Mul(x, x))
		}
		n := new(big.Rat).SetInt64(int64(len(offsets)))
		mean := new(big.Rat).Quo(sum, n)
		spread := squares.Sub(squares, mean.Mul(mean, sum))
		pop, _ := new(big.Rat).Quo(spread, n).Float64()
		samp, _ := new(big.Rat).Quo(spread, new(big.Rat).SetInt64(int64(len(offsets)-1))).Float64()
		for name, want := range map[string]float64{"var_pop": pop, "var_samp": samp, "stddev_pop": math.Sqrt(pop), "stddev_samp": math.Sqrt(samp)} {
			got := h.fold(t, name, anyArg, values...).Float()
			if math.Abs(got-want) > 1e-5*math.Max(1, want) {
				t.Fatalf("%s = %v, want %v", name, got, want)
			}
		}
	})
}

func TestExtremesFollowTypeAndCollation(t *testing.T) {
	h := newHarness()
	declared := func(t *types.Type, c *types.Collation) function.Arg {
		return function.Arg{Type: t, Nullable: true, Collation: types.Contribution{Collation: c, Rank: types.RankDeclared}}
	}
	text := func(list ...string) (out []types.Value) {
		for _, s := range list {
			out = append(out, types.Text(s))
		}
		return out
	}
	for _, c := range []struct {
		arg      function.Arg
		values   []types.Value
		min, max string
	}{
		{declared(types.TypeText, types.Binary), text("b", "A", "a"), "A", "b"},
		{declared(types.TypeText, types.NoCase), text("b", "A", "a", "B"), "A", "b"}, // the first of equals
		{declared(types.TypeTimespan, types.Binary), text("PT90M", "PT2H", "P1D", "PT1H30M"), "PT90M", "P1D"},
		{declared(types.TypeText, types.Binary), text("10", "9", "100"), "10", "9"},
		{anyArg, []types.Value{types.Null, types.Text("a"), types.Int(5), types.Blob([]byte{1})}, "5", "\x01"},
		{anyArg, []types.Value{types.Null}, "", ""},
	} {
		assert.Equal(t, c.min, types.ToText(h.fold(t, "min", c.arg, c.values...)))
		assert.Equal(t, c.max, types.ToText(h.fold(t, "max", c.arg, c.values...)))
	}
}

func TestAggregatesKeepNothingOfTheirArguments(t *testing.T) {
	h := newHarness()
	for _, name := range []string{"max", "group_concat", "json_group_array", "string_concat"} {
		newState, err := h.functions.Lookup(name, 1, false).NewState([]function.Arg{{Type: types.TypeText}})
		require.NoError(t, err)
		s := newState()
		buffer := []byte("kept")
		require.NoError(t, s.Step(h.call, []types.Value{textOver(buffer)}))
		copy(buffer, "gone")
		v, err := s.Final(h.call)
		require.NoError(t, err)
		assert.Contains(t, types.ToText(v), "kept", name)
	}
	newState, err := h.functions.Lookup("json_group_object", 2, false).NewState([]function.Arg{{Type: types.TypeText}, {Type: types.TypeText}})
	require.NoError(t, err)
	s := newState()
	buffer := []byte("kept")
	require.NoError(t, s.Step(h.call, []types.Value{textOver(buffer), textOver(buffer)}))
	copy(buffer, "gone")
	v, err := s.Final(h.call)
	require.NoError(t, err)
	assert.Equal(t, `{"kept":"kept"}`, types.ToText(v))
}

// TestResultsOutliveFurtherSteps asks for results while rows still come, as a running window does.
func TestResultsOutliveFurtherSteps(t *testing.T) {
	h := newHarness()
	for name, args := range map[string]int{"json_group_array": 1, "json_group_object": 2} {
		known := make([]function.Arg, args)
		for i := range known {
			known[i] = anyArg
		}
		newState, err := h.functions.Lookup(name, args, false).NewState(known)
		require.NoError(t, err)
		s := newState()
		var results []types.Value
		var texts []string
		for i := range int64(9) {
			require.NoError(t, s.Step(h.call, []types.Value{types.Int(i % 3), types.Int(i)}[:args]))
			v, err := s.Final(h.call)
			require.NoError(t, err)
			results, texts = append(results, v), append(texts, types.ToText(v))
		}
		for i, v := range results {
			assert.Equal(t, texts[i], types.ToText(v), name)
		}
	}
}

func TestGroupConcatTakesTheLastSeparator(t *testing.T) {
	h := newHarness()
	newState, err := h.functions.Lookup("group_concat", 2, false).NewState([]function.Arg{anyArg, anyArg})
	require.NoError(t, err)
	s := newState()
	want := []string{"a", "a,b", "a-b-c", "a-b-c", "a5b5c5d"}
	for i, step := range [][2]types.Value{
		{types.Text("a"), types.Text("+")}, {types.Text("b"), types.Null}, {types.Text("c"), types.Text("-")}, {types.Null, types.Text("!")},
		{types.Text("d"), types.Int(5)},
	} {
		require.NoError(t, s.Step(h.call, step[:]))
		v, err := s.Final(h.call)
		require.NoError(t, err)
		assert.Equal(t, want[i], v.Str())
	}
}

func TestDocumentsGoIntoAggregatesUnread(t *testing.T) {
	h := newHarness()
	document := function.Arg{Type: types.TypeJSON, Nullable: true}
	assert.Equal(t, `["5"]`, types.ToText(h.fold(t, "json_group_array", document, types.Text("5"))))
	assert.Equal(t, `[5]`, types.ToText(h.fold(t, "json_group_array", anyArg, types.Text("5"))))
}

func BenchmarkSum(b *testing.B) {
	h := newHarness()
	newState, err := h.functions.Lookup("sum", 1, false).NewState([]function.Arg{{Type: types.TypeInteger}})
	require.NoError(b, err)
	s := newState()
	args := []types.Value{types.Int(12345)}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Step(h.call, args); err != nil {
			b.Fatal(err)
		}
	}
}
