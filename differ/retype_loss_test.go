package differ

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/quereus/quereus-migrate/types"
)

// retypeSamples make values of the types: each type takes those that convert.
var retypeSamples = []types.Value{
	types.Int(0), types.Int(1), types.Int(2), types.Int(1_700_000_000_000), types.Int(1_700_000_000_001), types.Int(1<<53 + 1), types.Int(1 << 53),
	types.Real(0.5), types.Real(0.25), types.Real(2.5), types.True, types.False,
	types.Text("12abc"), types.Text("12"), types.Text("2.5"), types.Text("yes"), types.Text("true"), types.Text("word"),
	types.Text("2024-01-02"), types.Text("2024-03-04"), types.Text("2024-01-02T10:20:30"), types.Text("2024-01-02T11:20:30"),
	types.Text("10:20:30"), types.Text("10:21:30"), types.Text("PT1H"), types.Text("PT2H"), types.Blob([]byte("ab")), types.Blob([]byte("cd")),
}

// TestRetypeLosses: where two values of a type become one of another, the plan says so.
func TestRetypeLosses(t *testing.T) {
	all := append([]*types.Type{types.TypeNumeric, types.TypeTimestamp}, conversionOrder...)
	for _, from := range all {
		var values []types.Value
		for _, v := range retypeSamples {
			if v, err := types.Convert(v, from); err == nil && !v.IsNull() {
				values = append(values, v)
			}
		}
		for _, to := range all {
			if from == to {
				continue
			}
			if x, y, ok := merged(values, from, to); ok {
				assert.Contains(t, losses, retype{from, to}, "%s and %s as %s become one %s", types.ToText(x), types.ToText(y), from.Name, to.Name)
				z, err := types.Convert(x, to)
				assert.NoError(t, err)
				isSpelling := x.Kind() != y.Kind() || from == types.TypeText && to == types.TypeBoolean // true and 1
				assert.True(t, Loses(from, to, x, z) || Loses(from, to, y, z) || losses[retype{from, to}].severity == Info || isSpelling,
					"%s and %s as %s become one %s", types.ToText(x), types.ToText(y), from.Name, to.Name)
			}
		}
	}
}

// merged finds two values that are different as one type and the same as another.
func merged(values []types.Value, from, to *types.Type) (x, y types.Value, ok bool) {
	for i, x := range values {
		for _, y := range values[:i] {
			a, errA := types.Convert(x, to)
			b, errB := types.Convert(y, to)
			if errA == nil && errB == nil && differ(x, y, from) && !differ(a, b, to) {
				return x, y, true
			}
		}
	}
	return types.Null, types.Null, false
}

// differ reports whether two values of a type are different ones; 1 and 1.0 are not.
func differ(x, y types.Value, t *types.Type) bool {
	isNumber := func(v types.Value) bool { return v.Kind() == types.KindInteger || v.Kind() == types.KindReal }
	if x.Kind() != y.Kind() && !(isNumber(x) && isNumber(y)) {
		return true
	}
	if t.Compare != nil {
		return t.Compare(x, y, types.Binary) != 0
	}
	return types.Compare(x, y, types.Binary) != 0
}

// TestLoses: what a conversion takes from a value, and what it spells otherwise.
func TestLoses(t *testing.T) {
	for _, c := range []struct {
		from, to *types.Type
		v        types.Value
		loses    bool
	}{
		{types.TypeText, types.TypeInteger, types.Text("12"), false},
		{types.TypeText, types.TypeInteger, types.Text(" 007 "), false},
		{types.TypeText, types.TypeInteger, types.Text("12.0"), false},
		{types.TypeText, types.TypeInteger, types.Text("12.5"), true},
		{types.TypeText, types.TypeReal, types.Text("12.50 EUR"), true},
		{types.TypeText, types.TypeReal, types.Text("12.50"), false},
		{types.TypeText, types.TypeReal, types.Text("9007199254740993"), true},
		{types.TypeText, types.TypeReal, types.Text("-Infinity"), false},
		{types.TypeReal, types.TypeInteger, types.Real(7), false},
		{types.TypeReal, types.TypeInteger, types.Real(7.5), true},
		{types.TypeInteger, types.TypeReal, types.Int(1 << 53), false},
		{types.TypeInteger, types.TypeReal, types.Int(1<<53 + 1), true},
		{types.TypeInteger, types.TypeBoolean, types.Int(1), false},
		{types.TypeInteger, types.TypeBoolean, types.Int(2), true},
		{types.TypeText, types.TypeBoolean, types.Text("yes"), false},
		{types.TypeText, types.TypeDate, types.Text("2024-06-05"), false},
		{types.TypeText, types.TypeDate, types.Text("2024-06-05T00:00:00"), false},
		{types.TypeText, types.TypeDate, types.Text("2024-06-05T10:00:00"), true},
		{types.TypeText, types.TypeTime, types.Text("10:00:00"), false},
		{types.TypeText, types.TypeTime, types.Text("2024-06-05T10:00:00"), true},
		{types.TypeInteger, types.TypeDate, types.Int(86_400_000), false},
		{types.TypeInteger, types.TypeDate, types.Int(86_400_001), true},
		{types.TypeAny, types.TypeInteger, types.Text("5 l"), true},
		{types.TypeAny, types.TypeInteger, types.Int(5), false},
		{types.TypeJSON, types.TypeInteger, types.Real(5.5), true},
		{types.TypeText, types.TypeTimespan, types.Text("1 hour"), false},
	} {
		after, err := types.Convert(c.v, c.to)
		assert.NoError(t, err, types.ToText(c.v))
		assert.Equal(t, c.loses, Loses(c.from, c.to, c.v, after), "%s from %s to %s is %s", types.ToText(c.v), c.from.Name, c.to.Name, types.ToText(after))
	}
}
