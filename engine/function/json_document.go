package function

import (
	"math"
	"slices"

	"github.com/quereus/quereus-migrate/types"
)

// documentReader gives what reads an argument as a JSON document (docs/reference/functions.md). A document of static type JSON is itself, a
// string included; anything else is read by its value. A constant is read once.
func documentReader(a Arg) func(types.Value) (doc types.Value, ok bool) {
	switch {
	case a.Type == types.TypeJSON:
		return func(v types.Value) (types.Value, bool) { return v, true }
	case a.HasConst:
		doc, ok := readDocument(a.Const)
		return func(types.Value) (types.Value, bool) { return doc, ok }
	}
	return readDocument
}

// readDocument reads a value of any type but JSON: text is parsed, NULL is the document null. ok is false for "no document".
func readDocument(v types.Value) (doc types.Value, ok bool) {
	switch v.Kind() {
	case types.KindText:
		doc, err := types.ParseJSON(v.Str())
		return doc, err == nil
	case types.KindBlob:
		return types.Null, false
	}
	return v, true
}

// preparer gives what makes of an argument the value that is put into a document ("prepared value"). The result shares
// no memory with the argument.
func preparer(a Arg) func(types.Value) types.Value {
	if a.Type == types.TypeJSON {
		return types.Value.Clone
	}
	return prepare
}

func preparers(args []Arg) []func(types.Value) types.Value {
	out := make([]func(types.Value) types.Value, len(args))
	for i, a := range args {
		out[i] = preparer(a)
	}
	return out
}

func prepare(v types.Value) types.Value {
	switch v.Kind() {
	case types.KindText:
		if doc, err := types.ParseJSON(v.Str()); err == nil {
			return doc
		}
		return v.Clone()
	case types.KindBlob:
		return types.Null
	case types.KindReal:
		if math.IsInf(v.Float(), 0) {
			return types.Null
		}
	}
	return v
}

// withElem gives a container with another value of one member or element. It fails with TOOBIG for one that nests too deep.
func withElem(j *types.JSON, i int, v types.Value) (types.Value, error) {
	elems := slices.Clone(j.Elems)
	elems[i] = v
	return container(j, j.Keys, elems)
}

// withoutElem gives a container without one member or element.
func withoutElem(j *types.JSON, i int) (types.Value, error) {
	keys := j.Keys
	if j.Object {
		keys = slices.Delete(slices.Clone(keys), i, i+1)
	}
	return container(j, keys, slices.Delete(slices.Clone(j.Elems), i, i+1))
}

// withMember gives an object with one more member at the end.
func withMember(j *types.JSON, key string, v types.Value) (types.Value, error) {
	return container(j, append(slices.Clip(j.Keys), key), append(slices.Clip(j.Elems), v))
}

// container makes a container of the kind of like.
func container(like *types.JSON, keys []string, elems []types.Value) (types.Value, error) {
	if like.Object {
		return types.NewObject(keys, elems)
	}
	return types.NewArray(elems)
}
