package function

import (
	"iter"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/quereus/quereus-migrate/types"
)

// series are the generators (docs/reference/functions.md).
func series() []*Function {
	return []*Function{
		{
			Name: "generate_series", Args: 2, Kind: Table, Deterministic: true,
			Columns: []Column{{"value", types.TypeInteger, false}}, Rows: generateSeries,
		},
		{
			Name: "split_string", Args: 2, Kind: Table, Deterministic: true,
			Columns: []Column{{"value", types.TypeText, false}, {"ordinal", types.TypeInteger, false}}, Rows: splitString,
		},
	}
}

// generateSeries counts by 1 from the first bound while it is not above the second. A bound that is no number gives no rows.
func generateSeries(_ *Call, args []types.Value) iter.Seq2[types.Row, error] {
	return func(yield func(types.Row, error) bool) {
		next, okFrom := numberOf(args[0])
		last, okTo := numberOf(args[1])
		if !okFrom || !okTo {
			return
		}
		if whole, ok := types.Truncate(next); ok && types.IsWhole(next) {
			next = whole // counts exactly at any size
		}
		row := make(types.Row, 1)
		from, fitsFrom := next.Int64()
		if to, fitsTo := last.Int64(); fitsFrom && fitsTo {
			countUp(from, to, row, yield)
			return
		}
		for types.CompareNumbers(next, last) <= 0 {
			row[0] = next
			if !yield(row, nil) {
				return
			}
			after := types.Add(next, types.Int(1))
			if types.CompareNumbers(after, next) <= 0 {
				return // a real at which counting stands still
			}
			next = after
		}
	}
}

// countUp yields the integers of a range.
func countUp(from, to int64, row types.Row, yield func(types.Row, error) bool) {
	for i := from; i <= to; i++ {
		row[0] = types.Int(i)
		if !yield(row, nil) || i == math.MaxInt64 {
			return
		}
	}
}

// splitString gives the parts of a text between separators; an empty separator parts it into code points.
func splitString(_ *Call, args []types.Value) iter.Seq2[types.Row, error] {
	return func(yield func(types.Row, error) bool) {
		if args[0].Kind() != types.KindText || args[1].Kind() != types.KindText {
			return
		}
		rest, separator := args[0].Str(), args[1].Str()
		row := make(types.Row, 2)
		for ordinal, more := int64(0), true; more; ordinal++ {
			var part string
			part, rest, more = cutPart(rest, separator)
			row[0], row[1] = types.Text(part), types.Int(ordinal)
			if !yield(row, nil) {
				return
			}
		}
	}
}

// cutPart cuts the first part off a text; more tells whether another one follows.
func cutPart(s, separator string) (part, rest string, more bool) {
	if separator != "" {
		return strings.Cut(s, separator)
	}
	_, n := utf8.DecodeRuneInString(s)
	return s[:n], s[n:], n < len(s)
}
