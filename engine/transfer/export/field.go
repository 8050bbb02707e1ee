package export

import (
	"time"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// field is how the values of a column are held in a columnar form.
type field uint8

const (
	// textField holds what types.ToText gives: text, times, durations, JSON, and numbers of a NUMERIC column, exactly.
	textField field = iota
	intField
	floatField
	boolField
	bytesField
	// dateField holds days since 1970-01-01.
	dateField
	// anyField holds values of any kind, each as JSON.
	anyField
)

var fields = map[*types.Type]field{
	types.TypeInteger: intField, types.TypeTimestamp: intField, types.TypeReal: floatField, types.TypeBoolean: boolField, types.TypeBlob: bytesField,
	types.TypeDate: dateField, types.TypeAny: anyField, types.TypeNull: anyField,
}

// fieldOf gives the field of a column; types that an embedding program registered are held as text.
func fieldOf(c engine.Column) field { return fields[c.Type] }

// text gives what a text field and an any field hold.
func (f field) text(v types.Value) string {
	if f == anyField {
		return string(types.AppendWire(nil, v))
	}
	return types.ToText(v)
}

// integer gives what an integer field holds; MISMATCH for one beyond 64 bits.
func integer(c engine.Column, v types.Value) (int64, error) {
	i, ok := v.Int64()
	if !ok {
		return 0, &types.Error{
			Code: types.MISMATCH, Message: "column " + c.Name + " holds an integer beyond 64 bits, which the format has no room for",
			Hint: "export as csv or jsonl, which hold integers of any size",
		}
	}
	return i, nil
}

// days gives what a date field holds.
func days(c engine.Column, v types.Value) (int32, error) {
	t, err := time.Parse(time.DateOnly, v.Str())
	if err != nil {
		return 0, types.Wrapf(types.MISMATCH, err, "column %s holds a date that the format has no room for", c.Name)
	}
	return int32(t.Unix() / (24 * 60 * 60)), nil
}
