package types

// JSON is a JSON object or array held parsed. Members and elements are Values: a JSON null is NULL, a JSON scalar is the
// value of the matching kind, a nested container is a KindJSON value. Key order is that of the document; a key occurs once.
// A JSON tree is immutable once it is in a Value.
type JSON struct {
	// Object tells an object from an array.
	Object bool
	// Keys are the member names of an object, as many as Elems; nil for an array.
	Keys []string
	// Elems are the members' values or the array's elements.
	Elems []Value
}
