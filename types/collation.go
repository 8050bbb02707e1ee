package types

// Collation compares text. BINARY, NOCASE and RTRIM are built in (spec 40 §12); an embedding program registers others.
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
