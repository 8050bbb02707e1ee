//go:build !invariants

package invariant

// Enabled tells whether this build checks its invariants.
const Enabled = false

// Sometimes is true for about percent of a hundred calls in a build with the tag; never in this one.
func Sometimes(percent int) bool { return false }

// Closer watches over something that must be closed once and not used afterwards. Its zero value is open; embed it by value
// and name the thing it guards in each call. Without the tag it is empty and its methods do nothing. Safe for concurrent use.
type Closer struct{}

// MustBeOpen panics if Close was called.
func (c *Closer) MustBeOpen(name string) {}

// Close panics if it was called before.
func (c *Closer) Close(name string) {}
