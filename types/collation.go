package types

import "strings"

// Collation compares text. BINARY, NOCASE and RTRIM are built in (docs/reference/types.md); an embedding program registers others.
//
// A Collation is immutable after registration and safe for concurrent use.
type Collation struct {
	// Name is upper-case.
	Name string
	// Compare orders two texts.
	Compare func(a, b string) int
	// Normalize maps text to a form equal exactly for texts that compare equal; nil for a comparator-only collation,
	// which can sort and compare but not group, hash or key a durable structure.
	Normalize func(string) string
	// OrderPreserving promises sign(Compare(x, y)) = sign(bytes.Compare(Normalize(x), Normalize(y))): range seeks may use it.
	OrderPreserving bool
}

// The built-in collations. Comparators and key encoders recognise these by pointer and then compare without
// allocation; a program that replaces NOCASE or RTRIM registers a Collation of its own under that name.
var (
	// Binary orders by code point, which is the byte order of UTF-8.
	Binary = &Collation{
		Name: "BINARY", Compare: strings.Compare, OrderPreserving: true,
		Normalize: func(s string) string { return s },
	}
	// NoCase is Binary over folded texts (see Fold).
	NoCase = &Collation{Name: "NOCASE", Compare: compareFold, Normalize: Fold, OrderPreserving: true}
	// RTrim is Binary after dropping trailing U+0020, and no other white space.
	RTrim = &Collation{
		Name: "RTRIM", Normalize: trimTrailingSpaces, OrderPreserving: true,
		Compare: func(a, b string) int { return strings.Compare(trimTrailingSpaces(a), trimTrailingSpaces(b)) },
	}
)

func (c *Collation) String() string { return c.Name }
