package types

import (
	"cmp"
	"strings"
)

// CompareJSON orders two JSON documents by structure (docs/reference/types.md): null, false, true, numbers by value, strings by code
// point, arrays element by element and then the shorter first, objects by their sorted keys and then by the values in key
// order. Key order in the document does not count. A BLOB, which no document holds, stands between strings and arrays, so
// that the order is total.
func CompareJSON(a, b Value) int {
	ra, rb := jsonRankOf(a), jsonRankOf(b)
	if ra != rb {
		return cmp.Compare(ra, rb)
	}
	switch ra {
	case jsonNumber:
		return CompareNumbers(a, b)
	case jsonString, jsonBlob:
		return Compare(a, b, Binary)
	case jsonArray:
		return compareArrays(a.JSON().Elems, b.JSON().Elems)
	case jsonObject:
		return compareObjects(a.JSON(), b.JSON())
	}
	return 0
}

// jsonRank is the rank of a kind of document, in the order in which documents sort.
type jsonRank uint8

const (
	jsonNull jsonRank = iota
	jsonFalse
	jsonTrue
	jsonNumber
	jsonString
	jsonBlob
	jsonArray
	jsonObject
)

func jsonRankOf(v Value) jsonRank {
	switch v.Kind() {
	case KindBoolean:
		if v.Bool() {
			return jsonTrue
		}
		return jsonFalse
	case KindInteger, KindReal:
		return jsonNumber
	case KindText:
		return jsonString
	case KindBlob:
		return jsonBlob
	case KindJSON:
		if v.JSON().Object {
			return jsonObject
		}
		return jsonArray
	}
	return jsonNull
}

func compareArrays(a, b []Value) int {
	for i := range min(len(a), len(b)) {
		if c := CompareJSON(a[i], b[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

func compareObjects(a, b *JSON) int {
	if a == b {
		return 0
	}
	x, y := a.sortedKeys(), b.sortedKeys()
	for i := range min(len(a.Keys), len(b.Keys)) {
		if c := strings.Compare(a.Keys[at(x, i)], b.Keys[at(y, i)]); c != 0 {
			return c
		}
	}
	if c := cmp.Compare(len(a.Keys), len(b.Keys)); c != 0 {
		return c
	}
	for i := range a.Elems {
		if c := CompareJSON(a.Elems[at(x, i)], b.Elems[at(y, i)]); c != 0 {
			return c
		}
	}
	return 0
}
