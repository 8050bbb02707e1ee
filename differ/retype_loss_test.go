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
