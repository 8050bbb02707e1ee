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
	// depth counts the levels of containers, this one included, and size the bytes of the compact text, about; FromJSON sets them. 0 before.
	depth int
	size  int64
}

// MaxJSONDepth is how many levels of arrays and objects a document may have. The bound keeps everything that walks a tree
// within its stack.
const MaxJSONDepth = 10_000

// MaxJSONValues is how many values a document that is parsed may have, containers and what is in them: a text of some bytes makes a value, which
// takes ten times the memory.
const MaxJSONValues = 1 << 24

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

// Size gives the number of bytes of the compact text, about: escapes and the digits of numbers are taken at their least. Containers that
// occur more than once count as often, so that it tells how long a text would become whose tree is small.
func (j *JSON) Size() int64 { return j.size }

// measure sets depth and size of a tree whose nested containers went through FromJSON.
func (j *JSON) measure() {
	const most = 1 << 56 // sums stay within int64
	deepest, size := 0, int64(2)
	for i, e := range j.Elems {
		if j.Object {
			size += int64(len(j.Keys[i])) + 3
		}
		size++
		if c := e.JSON(); c != nil {
			deepest = max(deepest, c.depth)
			size += c.size
		} else if e.Kind() == KindText {
			size += int64(len(e.Str())) + 2
		}
		size = min(size, most)
	}
	j.depth, j.size = deepest+1, size
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
