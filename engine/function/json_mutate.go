package function

import (
	"slices"

	"github.com/quereus/quereus-migrate/types"
)

// jsonMutators are the functions that give a changed copy of a document (docs/reference/functions.md). Copies share what does not change.
func jsonMutators() []*Function {
	return []*Function{
		editsDocument("json_insert", insertPart), editsDocument("json_replace", replacePart), editsDocument("json_set", setPart),
		{
			Name: "json_remove", Args: -1, Min: 1, Max: -1, Deterministic: true, Type: resultAlways(types.TypeJSON),
			Bind: bindJSONRemove,
		},
		{Name: "json_patch", Args: 2, Type: resultAlways(types.TypeJSON), Bind: bindJSONPatch},
	}
}

// editMode says where a value is put: at paths that lead to nothing, to something, or at both.
type editMode uint8

const (
	insertPart editMode = 1 << iota
	replacePart
	setPart = insertPart | replacePart
)

// editsDocument is f(x, path, value, …). The pairs apply from left to right; without any, and with half a pair, the result is NULL.
func editsDocument(name string, mode editMode) *Function {
	return &Function{
		Name: name, Args: -1, Min: 1, Max: -1, Deterministic: true, Type: resultAlways(types.TypeJSON),
		Bind: func(args []Arg) (Eval, error) {
			read, pairs := documentReader(args[0]), editPairs(args[1:])
			return func(_ *Call, args []types.Value) (types.Value, error) {
				doc, ok := read(args[0])
				if !ok || len(args) < 3 || len(args)%2 == 0 {
					return types.Null, nil
				}
				for i, pair := range pairs {
					p := pair.path(args[1+2*i])
					if p == nil {
						return types.Null, nil
					}
					if p.malformed {
						continue
					}
					edit := editor{mode, pair.prepare(args[2+2*i])}
					changed, err := edit.apply(doc, p.steps)
					if err != nil {
						return types.Null, err
					}
					doc = changed
				}
				return doc, nil
			}, nil
		},
	}
}

// editPair reads a path and the value that goes there.
type editPair struct {
	path    func(types.Value) *jsonPath
	prepare func(types.Value) types.Value
}

// editPairs resolves the whole pairs among args.
func editPairs(args []Arg) []editPair {
	pairs := make([]editPair, len(args)/2)
	for i := range pairs {
		pairs[i] = editPair{pathReader(args[2*i]), preparer(args[2*i+1])}
	}
	return pairs
}

// editor puts a value into documents.
type editor struct {
	mode  editMode
	value types.Value
}

// apply gives v with the value at the end of the steps, v itself when it has no place there.
func (e *editor) apply(v types.Value, steps []pathStep) (types.Value, error) {
	if len(steps) == 0 {
		if e.mode&replacePart == 0 {
			return v, nil
		}
		return e.value, nil
	}
	j := v.JSON()
	i := steps[0].position(j)
	if i < 0 {
		return e.add(v, steps)
	}
	child, err := e.apply(j.Elems[i], steps[1:])
	if err != nil {
		return types.Null, err
	}
	return withElem(j, i, child)
}

// add gives a container with the new member or element that the steps lead to. Only json_set makes what is missing on the way.
func (e *editor) add(v types.Value, steps []pathStep) (types.Value, error) {
	j, step := v.JSON(), steps[0]
	fits := j != nil && j.Object == step.isKey && e.mode&insertPart != 0
	if !fits || e.mode != setPart && (len(steps) > 1 || !step.isKey && step.index > len(j.Elems)) {
		return v, nil
	}
	child, err := e.make(steps[1:])
	if err != nil {
		return types.Null, err
	}
	if step.isKey {
		return withMember(j, step.key, child)
	}
	return padded(j.Elems, step.index, child)
}

// make builds what the steps lead to from nothing.
func (e *editor) make(steps []pathStep) (types.Value, error) {
	if len(steps) == 0 {
		return e.value, nil
	}
	child, err := e.make(steps[1:])
	if err != nil {
		return types.Null, err
	}
	if steps[0].isKey {
		return types.NewObject([]string{steps[0].key}, []types.Value{child})
	}
	return padded(nil, steps[0].index, child)
}

// maxPadding bounds the nulls that an index beyond an array puts in between.
const maxPadding = 1_000_000

// padded gives the array of elems, nulls, and v at index.
func padded(elems []types.Value, index int, v types.Value) (types.Value, error) {
	if index-len(elems) > maxPadding {
		return types.Null, types.Errorf(types.TOOBIG, "array index %d is more than %d elements beyond the array", index, maxPadding)
	}
	out := make([]types.Value, index+1)
	copy(out, elems)
	out[index] = v
	return types.NewArray(out)
}

// bindJSONRemove is json_remove(x, path, …); each path is resolved in what the ones before it left.
func bindJSONRemove(args []Arg) (Eval, error) {
	read, paths := documentReader(args[0]), pathReaders(args[1:])
	return func(_ *Call, args []types.Value) (types.Value, error) {
		doc, ok := read(args[0])
		if !ok {
			return types.Null, nil
		}
		for i, read := range paths {
			p := read(args[i+1])
			if p == nil {
				return types.Null, nil
			}
			if _, found := p.find(doc); !found || len(p.steps) == 0 {
				continue
			}
			changed, err := remove(doc, p.steps)
			if err != nil {
				return types.Null, err
			}
			doc = changed
		}
		return doc, nil
	}, nil
}

// remove gives v without what the steps lead to, which exists.
func remove(v types.Value, steps []pathStep) (types.Value, error) {
	j := v.JSON()
	i := steps[0].position(j)
	if len(steps) == 1 {
		return withoutElem(j, i)
	}
	child, err := remove(j.Elems[i], steps[1:])
	if err != nil {
		return types.Null, err
	}
	return withElem(j, i, child)
}

// insertElem gives an array with one more element at i.
func insertElem(j *types.JSON, i int, v types.Value) (types.Value, error) {
	return types.NewArray(slices.Insert(slices.Clone(j.Elems), i, v))
}
