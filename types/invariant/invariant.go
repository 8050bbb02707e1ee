// Package invariant holds checks that cost nothing in a release: assertions behind the build tag "invariants", a coin that
// lets tests walk rare branches, and guards against use after close.
//
// CI runs every test once plain and once with -tags invariants. Guard a check by the constant, so that the compiler drops it
// together with the work of its arguments:
//
//	if invariant.Enabled && bytes.Compare(prev, key) >= 0 {
//		panic(invariant.Violation("index %s: keys out of order: %x then %x", name, prev, key))
//	}
//
// It is not for errors that input, users or disks can cause: those are types.Error.
package invariant

import "fmt"

// Violation makes the value to panic with when what must hold does not.
func Violation(format string, args ...any) error {
	return fmt.Errorf("invariant violated: "+format, args...)
}
