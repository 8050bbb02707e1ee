package catalog

import "github.com/quereus/quereus-migrate/types"

// CheckFails reports whether a CHECK's or an assertion's result is a violation: false or zero. NULL and everything else passes
// (docs/reference/language.md).
func CheckFails(v types.Value) bool {
	return v.IsNumber() && types.CompareNumbers(v, types.False) == 0
}
