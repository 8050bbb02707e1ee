package differ

import (
	"fmt"
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// retypes finds changes of type that some rows may not follow, or follow with less than they had (spec 50 §5).
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
	var out []Hazard
	if l, ok := losses[retype{from, to}]; ok {
		out = append(out, Hazard{RetypeLoses, l.severity, what + ": " + l.what, "add a new column and move the values there"})
	}
	switch {
	case refusesAll(from, to):
		out = append(out, Hazard{RetypeRefuses, Warning, what + ": every value refuses, only NULL can follow", "convert the values first"})
	case refusesSome(from, to):
		out = append(out, Hazard{RetypeRefuses, Warning, what + ": rows whose value does not convert refuse the change", "look for them first"})
	}
	return out
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
)

var losses = map[retype]loss{
	{types.TypeReal, types.TypeInteger}:    fractionsCut,
	{types.TypeNumeric, types.TypeInteger}: fractionsCut,
	{types.TypeText, types.TypeInteger}:    {Warning, "text behind a leading number, and fractions, are cut off"},
	{types.TypeText, types.TypeReal}:       {Warning, "text behind a leading number is cut off"},
	{types.TypeText, types.TypeNumeric}:    {Warning, "text behind a leading number is cut off"},
	{types.TypeDatetime, types.TypeDate}:   timesCut,
	{types.TypeTimestamp, types.TypeDate}:  timesCut,
	{types.TypeDatetime, types.TypeTime}:   {Destructive, "dates are cut off"},
	{types.TypeInteger, types.TypeBoolean}: truthOnly,
	{types.TypeReal, types.TypeBoolean}:    truthOnly,
	{types.TypeNumeric, types.TypeBoolean}: truthOnly,
	{types.TypeInteger, types.TypeReal}:    {Warning, "integers beyond 2^53 are rounded"},
}

// refusing lists, for types whose values convert into few others, the ones that no value converts into.
var refusing = map[*types.Type][]*types.Type{
	types.TypeBlob: {types.TypeInteger, types.TypeReal, types.TypeBoolean, types.TypeDate, types.TypeTime, types.TypeDatetime,
		types.TypeTimespan, types.TypeJSON},
	types.TypeBoolean:  {types.TypeDate, types.TypeTime, types.TypeDatetime, types.TypeTimespan},
	types.TypeDate:     {types.TypeBoolean, types.TypeTimespan, types.TypeJSON},
	types.TypeTime:     {types.TypeBoolean, types.TypeDate, types.TypeDatetime, types.TypeTimespan, types.TypeJSON},
	types.TypeDatetime: {types.TypeBoolean, types.TypeTimespan, types.TypeJSON},
	types.TypeTimespan: {types.TypeInteger, types.TypeReal, types.TypeBoolean, types.TypeDate, types.TypeTime, types.TypeDatetime, types.TypeJSON},
}

func refusesAll(from, to *types.Type) bool { return slices.Contains(refusing[from], to) }

// refusesSome reports whether it depends on the value: text, JSON and values of any type are looked at one by one, and so is what
// becomes a moment.
func refusesSome(from, to *types.Type) bool {
	switch {
	case to == types.TypeAny, to == types.TypeText && from != types.TypeBlob:
		return false
	case from == types.TypeText:
		return to != types.TypeBlob && to != types.TypeBoolean
	case from.Numeric && to.Numeric, to == types.TypeBlob && from != types.TypeJSON && from != types.TypeAny:
		return false
	case from == types.TypeInteger:
		return to.Temporal
	}
	return from == types.TypeReal && to.Temporal || from == types.TypeJSON || from == types.TypeAny || from == types.TypeBlob || from.Temporal
}
