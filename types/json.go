package types

import (
	"slices"
	"strings"
)

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
	// depth counts the levels of containers, this one included; FromJSON sets it. 0 before.
	depth int
}

// MaxJSONDepth is how many levels of arrays and objects a document may have. The bound keeps everything that walks a tree
// within its stack.
const MaxJSONDepth = 10_000

// NewArray makes the JSON array of elems, which it shares: values read from a cursor must be cloned first. It fails with
// TOOBIG beyond MaxJSONDepth.
func NewArray(elems []Value) (Value, error) { return checkDepth(&JSON{Elems: elems}) }

// NewObject makes the JSON object of keys, each of which occurs once, and their values; it shares both, as NewArray does. It
// fails with TOOBIG beyond MaxJSONDepth.
func NewObject(keys []string, elems []Value) (Value, error) {
	return checkDepth(&JSON{Object: true, Keys: keys, Elems: elems})
}

func checkDepth(j *JSON) (Value, error) {
	v := FromJSON(j)
	if j.depth > MaxJSONDepth {
		return Null, errTooDeep()
	}
	return v, nil
}

func errTooDeep() *Error {
	return Errorf(TOOBIG, "JSON is nested deeper than %d levels", MaxJSONDepth)
}

// measure gives the depth of a tree whose nested containers went through FromJSON.
func (j *JSON) measure() int {
	deepest := 0
	for _, e := range j.Elems {
		if c := e.JSON(); c != nil {
			deepest = max(deepest, c.depth)
		}
	}
	return deepest + 1
}

// sortedKeys gives the order of an object's members by key, by code point; nil when they stand in that order already.
func (j *JSON) sortedKeys() []int {
	if slices.IsSorted(j.Keys) {
		return nil
	}
	order := make([]int, len(j.Keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return strings.Compare(j.Keys[x], j.Keys[y]) })
	return order
}

// at gives the position of the i-th member in an order that sortedKeys gave.
func at(order []int, i int) int {
	if order == nil {
		return i
	}
	return order[i]
}
