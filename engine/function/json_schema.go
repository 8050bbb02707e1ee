package function

import (
	"github.com/quereus/quereus-migrate/types"
)

// jsonSchemas is json_schema(x, schema): whether a document has the described shape (docs/reference/functions.md).
func jsonSchemas() []*Function {
	return []*Function{{
		Name: "json_schema", Args: 2, Deterministic: true, Type: resultNever(types.TypeBoolean), Bind: bindJSONSchema,
	}}
}

// bindJSONSchema compiles a constant schema once. A schema that is malformed or not text describes nothing.
func bindJSONSchema(args []Arg) (Eval, error) {
	read := documentReader(args[0])
	last := newMemo(compileSchema)
	schemaOf := func(v types.Value) shape {
		if v.Kind() != types.KindText {
			return nil
		}
		return last.get(v.Str())
	}
	if args[1].HasConst {
		constant := schemaOf(args[1].Const)
		schemaOf = func(types.Value) shape { return constant }
	}
	return func(_ *Call, args []types.Value) (types.Value, error) {
		doc, ok := read(args[0])
		s := schemaOf(args[1])
		return types.Bool(ok && s != nil && s(doc)), nil
	}, nil
}

// shape reports whether a part of a document matches a compiled schema.
type shape func(types.Value) bool

func anything(types.Value) bool { return true }

func hasKind(kinds ...types.Kind) shape {
	return func(v types.Value) bool {
		for _, k := range kinds {
			if v.Kind() == k {
				return true
			}
		}
		return false
	}
}

// namedShapes are the words of the grammar.
var namedShapes = map[string]shape{
	"number": hasKind(types.KindInteger, types.KindReal), "string": hasKind(types.KindText), "boolean": hasKind(types.KindBoolean),
	"null": hasKind(types.KindNull), "any": anything, "unknown": anything,
	"true": equals(types.True), "false": equals(types.False),
}

func equals(literal types.Value) shape {
	return func(v types.Value) bool { return types.CompareJSON(v, literal) == 0 }
}

func unionOf(alternatives []shape) shape {
	if len(alternatives) == 1 {
		return alternatives[0]
	}
	return func(v types.Value) bool {
		for _, s := range alternatives {
			if s(v) {
				return true
			}
		}
		return false
	}
}

func arrayOf(elem shape) shape {
	return func(v types.Value) bool {
		j := v.JSON()
		if j == nil || j.Object {
			return false
		}
		for _, e := range j.Elems {
			if !elem(e) {
				return false
			}
		}
		return true
	}
}

// tupleOf is an array of exactly these elements.
func tupleOf(elems []shape) shape {
	return func(v types.Value) bool {
		j := v.JSON()
		if j == nil || j.Object || len(j.Elems) != len(elems) {
			return false
		}
		for i, e := range j.Elems {
			if !elems[i](e) {
				return false
			}
		}
		return true
	}
}

// memberShape is a member that an object lists.
type memberShape struct {
	key      string
	optional bool
	shape    shape
}

// objectOf is an object with these members; it may have others.
func objectOf(members []memberShape) shape {
	return func(v types.Value) bool {
		j := v.JSON()
		if j == nil || !j.Object {
			return false
		}
		for _, m := range members {
			i := pathStep{isKey: true, key: m.key}.position(j)
			if i < 0 && !m.optional || i >= 0 && !m.shape(j.Elems[i]) {
				return false
			}
		}
		return true
	}
}
