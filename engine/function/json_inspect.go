package function

import (
	"github.com/quereus/quereus-migrate/types"
)

// jsonInspectors are the functions that read documents (docs/reference/functions.md).
func jsonInspectors() []*Function {
	return []*Function{
		{Name: "json_valid", Args: 1, Deterministic: true, Type: resultNever(types.TypeBoolean), Bind: bindJSONValid},
		{
			Name: "json_type", Args: -1, Min: 1, Max: 2, Deterministic: true, Type: resultAlways(types.TypeText),
			Bind: inspectsPart(jsonTypeName, types.Null, jsonNames[jsonNull]),
		},
		{
			Name: "json_array_length", Args: -1, Min: 1, Max: 2, Deterministic: true, Type: resultAlways(types.TypeInteger),
			Bind: inspectsPart(arrayLength, types.Int(0), types.Int(0)),
		},
		{Name: "json_extract", Args: -1, Min: 1, Max: -1, Deterministic: true, Type: resultAlways(types.TypeAny), Bind: bindJSONExtract},
	}
}

func bindJSONValid(args []Arg) (Eval, error) {
	read := documentReader(args[0])
	return func(_ *Call, args []types.Value) (types.Value, error) {
		if args[0].IsNull() {
			return types.False, nil
		}
		_, ok := read(args[0])
		return types.Bool(ok), nil
	}, nil
}

// inspectsPart is f(x [, path]) over the part that the path leads to. missing is the answer when it leads to nothing, noText when
// it is not text; a NULL path is none. No document gives NULL.
func inspectsPart(f func(part types.Value) types.Value, missing, noText types.Value) func([]Arg) (Eval, error) {
	return func(args []Arg) (Eval, error) {
		read, paths := documentReader(args[0]), pathReaders(args[1:])
		return func(_ *Call, args []types.Value) (types.Value, error) {
			doc, ok := read(args[0])
			if !ok {
				return types.Null, nil
			}
			if len(args) == 1 || args[1].IsNull() {
				return f(doc), nil
			}
			p := paths[0](args[1])
			if p == nil {
				return noText, nil
			}
			if doc, ok = p.find(doc); !ok {
				return missing, nil
			}
			return f(doc), nil
		}, nil
	}
}

// The names of what a document is made of.
const (
	jsonNull = iota
	jsonTrue
	jsonFalse
	jsonInteger
	jsonReal
	jsonText
	jsonArray
	jsonObject
)

var jsonNames = [...]types.Value{
	jsonNull: types.Text("null"), jsonTrue: types.Text("true"), jsonFalse: types.Text("false"), jsonInteger: types.Text("integer"),
	jsonReal: types.Text("real"), jsonText: types.Text("text"), jsonArray: types.Text("array"), jsonObject: types.Text("object"),
}

func jsonTypeName(v types.Value) types.Value {
	name := jsonNull
	switch v.Kind() {
	case types.KindBoolean:
		name = jsonFalse
		if v.Bool() {
			name = jsonTrue
		}
	case types.KindInteger, types.KindReal:
		name = jsonReal
		if types.IsWhole(v) {
			name = jsonInteger
		}
	case types.KindText:
		name = jsonText
	case types.KindJSON:
		name = jsonArray
		if v.JSON().Object {
			name = jsonObject
		}
	}
	return jsonNames[name]
}

// arrayLength counts the elements of an array; anything else has none.
func arrayLength(v types.Value) types.Value {
	if j := v.JSON(); j != nil && !j.Object {
		return types.Int(int64(len(j.Elems)))
	}
	return types.Int(0)
}

// bindJSONExtract is json_extract(x, path, …): the part that the first path with any leads to.
func bindJSONExtract(args []Arg) (Eval, error) {
	read, paths := documentReader(args[0]), pathReaders(args[1:])
	return func(_ *Call, args []types.Value) (types.Value, error) {
		doc, ok := read(args[0])
		if !ok {
			return types.Null, nil
		}
		for i, read := range paths {
			p := read(args[i+1])
			if p == nil {
				break
			}
			if v, ok := p.find(doc); ok {
				return v, nil
			}
		}
		return types.Null, nil
	}, nil
}
