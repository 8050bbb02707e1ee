//go:build invariants

package invariant

import "sync/atomic"

// Enabled tells whether this build checks its invariants.
const Enabled = true

// coin counts the tosses of Sometimes.
var coin atomic.Uint64

// Sometimes is true for about percent of a hundred calls, in an order that looks random and is the same in every run of a
// single-threaded test; never in a build without the tag. Behind it goes a rare branch that must not change any answer: a
// buffer reallocated, a batch cut short.
func Sometimes(percent int) bool {
	// The finisher of splitmix64 over a counter.
	z := coin.Add(1) * 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return (z^z>>31)%100 < uint64(max(percent, 0))
}

// Closer watches over something that must be closed once and not used afterwards. Its zero value is open; embed it by value
// and name the thing it guards in each call. Without the tag it is empty and its methods do nothing. Safe for concurrent use.
type Closer struct{ closed atomic.Bool }

// MustBeOpen panics if Close was called.
func (c *Closer) MustBeOpen(name string) {
	if c.closed.Load() {
		panic(Violation("%s used after close", name))
	}
}

// Close panics if it was called before.
func (c *Closer) Close(name string) {
	if c.closed.Swap(true) {
		panic(Violation("%s closed twice", name))
	}
}
