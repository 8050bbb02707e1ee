package differ

import (
	"fmt"
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// retypes finds changes of type that some rows may not follow, or follow with less than they had (docs/reference/alter.md).
func retypes(c *comparison, s *step) []Hazard {
	alter, ok := s.Stmt.(*ast.AlterStmt)
	if !ok || !c.hasRows(s) {
		return nil
	}
	a, ok := alter.Action.(*ast.SetDataType)
	if !ok {
		return nil
	}
	from, to := s.column.from.Type, s.column.decl.Type
	what := fmt.Sprintf("%s.%s from %s to %s", s.Object, a.Column.Text, from.Name, to.Name)
	if s.column.decl.Generated != nil {
		return nil
	}
	if f, ok := c.facts(s); ok {
		return countedRetype(what, losses[retype{from, to}], f)
	}
	var out []Hazard
	if l, ok := losses[retype{from, to}]; ok {
		out = one(RetypeLoses, l.severity, what+": "+l.what, newColumnInstead)
	}
	switch conversion(from, to) {
	case noValue:
		out = append(out, one(RetypeRefuses, Warning, what+": every value refuses, only NULL can follow", "convert the values first")...)
	case someValues:
		out = append(out, one(RetypeRefuses, Warning, what+": rows whose value does not convert refuse the change", "look for them first")...)
	}
	return out
}

const newColumnInstead = "add a new column and move the values there"

// countedRetype tells what a change of type does to the rows that are there.
func countedRetype(what string, l loss, f ColumnFacts) []Hazard {
	var out []Hazard
	if f.Lost > 0 {
		out = one(RetypeLoses, Destructive, fmt.Sprintf("%s: %s in %s", what, l.what, Effect{Rows: f.Lost}.count()), newColumnInstead)
		out[0].Examples = f.LostExamples
	}
	if f.Refused > 0 {
		out = append(out, one(RetypeRefuses, Failure, fmt.Sprintf("%s: the values of %s do not convert", what, Effect{Rows: f.Refused}.count()), "convert them first")...)
	}
	if f.Changed > 0 {
		h := one(RetypeChanges, Warning, fmt.Sprintf("%s: %s spelled otherwise afterwards, for good", what, values(f.Changed)), "")[0]
		h.Examples = f.ChangedExamples
		out = append(out, h)
	}
	return out
}

func values(n int64) string {
	if n == 1 {
		return "1 value is"
	}
	return fmt.Sprintf("%d values are", n)
}

type retype struct{ from, to *types.Type }

// loss is what a conversion takes away from values: afterwards some cannot be told apart that could be before.
type loss struct {
	severity Severity
	what     string
}

var (
	fractionsCut = loss{Destructive, "fractions are cut off"}
	truthOnly    = loss{Destructive, "numbers become true or false"}
	timesCut     = loss{Destructive, "times of day are cut off"}
	datesCut     = loss{Destructive, "dates are cut off"}
	firstOnly    = loss{Destructive, "all behind the first number, a year or an hour, is cut off"}
	rounded      = loss{Warning, "integers beyond 2^53 are rounded"}
	fitted       = loss{Warning, "what the new type has no room for is cut off"}
	kindsLost    = loss{Info, "values of different kinds may become the same"}
)

var losses = map[retype]loss{
	{types.TypeReal, types.TypeInteger}:    fractionsCut,
	{types.TypeNumeric, types.TypeInteger}: fractionsCut,
	{types.TypeText, types.TypeInteger}:    {Warning, "text behind a leading number, and fractions, are cut off"},
	{types.TypeText, types.TypeReal}:       {Warning, "text behind a leading number is cut off"},
	{types.TypeText, types.TypeNumeric}:    {Warning, "text behind a leading number is cut off"},
	{types.TypeDatetime, types.TypeDate}:   timesCut,
	{types.TypeTimestamp, types.TypeDate}:  timesCut,
	{types.TypeDatetime, types.TypeTime}:   datesCut,
	{types.TypeTimestamp, types.TypeTime}:  datesCut,
	{types.TypeDate, types.TypeTime}:       datesCut,
	{types.TypeInteger, types.TypeBoolean}: truthOnly,
	{types.TypeReal, types.TypeBoolean}:    truthOnly,
	{types.TypeNumeric, types.TypeBoolean}: truthOnly,
	{types.TypeInteger, types.TypeReal}:    rounded,
	{types.TypeNumeric, types.TypeReal}:    rounded,
	{types.TypeTimestamp, types.TypeReal}:  rounded,

	{types.TypeDate, types.TypeInteger}:     firstOnly,
	{types.TypeDate, types.TypeReal}:        firstOnly,
	{types.TypeDate, types.TypeNumeric}:     firstOnly,
	{types.TypeTime, types.TypeInteger}:     firstOnly,
	{types.TypeTime, types.TypeReal}:        firstOnly,
	{types.TypeTime, types.TypeNumeric}:     firstOnly,
	{types.TypeDatetime, types.TypeInteger}: firstOnly,
	{types.TypeDatetime, types.TypeReal}:    firstOnly,
	{types.TypeDatetime, types.TypeNumeric}: firstOnly,

	{types.TypeInteger, types.TypeDate}:      timesCut,
	{types.TypeReal, types.TypeDate}:         timesCut,
	{types.TypeNumeric, types.TypeDate}:      timesCut,
	{types.TypeTimestamp, types.TypeBoolean}: truthOnly,

	{types.TypeText, types.TypeBoolean}: {Warning, "numbers and words become true or false"},
	{types.TypeText, types.TypeDate}:    {Warning, "times of day are cut off"},
	{types.TypeText, types.TypeTime}:    {Warning, "dates are cut off"},

	{types.TypeJSON, types.TypeInteger}: fitted,
	{types.TypeJSON, types.TypeReal}:    fitted,
	{types.TypeJSON, types.TypeNumeric}: fitted,
	{types.TypeJSON, types.TypeBoolean}: fitted,
	{types.TypeJSON, types.TypeDate}:    fitted,
	{types.TypeJSON, types.TypeTime}:    fitted,
	{types.TypeAny, types.TypeInteger}:  fitted,
	{types.TypeAny, types.TypeReal}:     fitted,
	{types.TypeAny, types.TypeNumeric}:  fitted,
	{types.TypeAny, types.TypeBoolean}:  fitted,
	{types.TypeAny, types.TypeDate}:     fitted,
	{types.TypeAny, types.TypeTime}:     fitted,
	{types.TypeAny, types.TypeText}:     kindsLost,
	{types.TypeAny, types.TypeBlob}:     kindsLost,
	{types.TypeAny, types.TypeJSON}:     kindsLost,
}

// Which values of a type convert into another.
const (
	everyValue = '.'
	someValues = 'v'
	noValue    = 'x'
)

// conversionOrder is the order of rows and columns of conversions.
var conversionOrder = []*types.Type{
	types.TypeText, types.TypeInteger, types.TypeReal, types.TypeBlob, types.TypeBoolean, types.TypeDate, types.TypeTime, types.TypeDatetime,
	types.TypeTimespan, types.TypeJSON, types.TypeAny,
}

var conversions = []string{
	". v v . . v v v v v .", // text
	". . . . . . . . . . .", // integer
	". . . . . v v v v . .", // real
	"v x x . x x x x x x .", // blob
	". . . . . x x x x . .", // boolean
	". v v . x . . . x x .", // date
	". v v . x x . x x x .", // time
	". v v . x . . . x x .", // datetime
	". x x . x x x x . x .", // timespan
	". v v v v v v v v . .", // json
	"v v v v v v v v v v .", // any
}

// conversion tells which values convert. Of the types that an embedding program registers nobody can say beforehand.
func conversion(from, to *types.Type) byte {
	row, column := slices.Index(conversionOrder, likeType(from)), slices.Index(conversionOrder, likeType(to))
	if row < 0 || column < 0 {
		return someValues
	}
	return conversions[row][2*column]
}

// likeType gives the type whose values convert as those of t do.
func likeType(t *types.Type) *types.Type {
	switch t {
	case types.TypeNumeric:
		return types.TypeReal
	case types.TypeTimestamp:
		return types.TypeDatetime
	}
	return t
}
