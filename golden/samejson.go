package golden

import (
	"github.com/quereus/quereus-migrate/types"
)

// sameJSON compares two lines of an answer: as text, else as JSON by value, where 1 equals 1.0 and the order of an object's keys does not count.
func sameJSON(want, got string) bool {
	if want == got {
		return true
	}
	a, errA := types.ParseJSON(want)
	b, errB := types.ParseJSON(got)
	return errA == nil && errB == nil && types.CompareJSON(a, b) == 0
}

// canonicalJSON gives one text for equal JSON; a line that is no JSON stays as it is.
func canonicalJSON(line string) string {
	v, err := types.ParseJSON(line)
	if err != nil {
		return line
	}
	return types.CanonicalJSON(v)
}
