package differ

import (
	"slices"

	"github.com/quereus/quereus-migrate/types"
)

// Loses reports whether a value of the type from has lost something as the value that it converts to: something that from can tell apart
// is gone. Another spelling of the same ('07' as 7, '1 hour' as PT1H) is no loss. A pair of types whose conversion never loses
// anything is told without a look at the values.
func Loses(from, to *types.Type, before, after types.Value) bool {
	if l, ok := losses[retype{from, to}]; !ok || l.severity == Info || before.IsNull() {
		return false
	}
	switch kind := sourceType(from, before); to {
	case types.TypeBoolean:
		return !isTruth(kind, before)
	case types.TypeDate:
		return hasTimeOfDay(before)
	case types.TypeTime:
		return hasDate(kind, before)
	default:
		return !isSameNumber(kind, before, after)
	}
}

// Changes reports whether a value cannot be had back from what it converts to: it was spelled otherwise.
func Changes(from *types.Type, before, after types.Value) bool {
	back, err := types.Convert(after, from)
	return err != nil || types.Compare(back, before, types.Binary) != 0
}

// sourceType is the type whose values a value converts as: its own kind's, for one of a type that holds several.
func sourceType(from *types.Type, v types.Value) *types.Type {
	if from != types.TypeAny && from != types.TypeJSON {
		return from
	}
	switch v.Kind() {
	case types.KindText:
		return types.TypeText
	case types.KindBoolean:
		return types.TypeBoolean
	case types.KindInteger, types.KindReal:
		return types.TypeNumeric
	}
	return from
}

// isTruth reports whether a value says no more than true or false.
func isTruth(from *types.Type, v types.Value) bool {
	if from == types.TypeTimestamp {
		return false
	}
	if from == types.TypeText {
		n, isNumber := types.ParseWholeNumber(v.Str())
		if !isNumber {
			return true // a word for it
		}
		v = n
	}
	return v.Kind() == types.KindBoolean ||
		v.IsNumber() && (types.CompareNumbers(v, types.Int(0)) == 0 || types.CompareNumbers(v, types.Int(1)) == 0)
}

// hasTimeOfDay reports whether a value names a moment that is not the beginning of a day.
func hasTimeOfDay(v types.Value) bool {
	moment, err := types.Convert(v, types.TypeDatetime)
	if err != nil {
		return false
	}
	day, err := types.Convert(moment, types.TypeDate)
	if err != nil {
		return true
	}
	midnight, err := types.Convert(day, types.TypeDatetime)
	return err != nil || types.Compare(moment, midnight, types.Binary) != 0
}

// hasDate reports whether a value has a date that a time of day leaves out.
func hasDate(from *types.Type, v types.Value) bool {
	if from != types.TypeText {
		return slices.Contains([]*types.Type{types.TypeDate, types.TypeDatetime, types.TypeTimestamp}, from)
	}
	_, err := types.Convert(v, types.TypeDate)
	return err == nil
}

// isSameNumber reports whether a value is the number that it becomes. Dates and times are none: their first number is all that is left.
func isSameNumber(from *types.Type, before, after types.Value) bool {
	if from == types.TypeText {
		n, isNumber := types.ParseWholeNumber(before.Str())
		if !isNumber {
			return types.TrimSpace(before.Str()) == types.ToText(after) // Infinity
		}
		before = n
	}
	if before.Kind() == types.KindBoolean {
		return true
	}
	return before.IsNumber() && after.IsNumber() && types.CompareNumbers(before, after) == 0
}
