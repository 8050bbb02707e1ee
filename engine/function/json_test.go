package function_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/types"
)

func TestJSONValues(t *testing.T) {
	h := newHarness()
	for _, c := range []struct{ expr, want string }{
		// paths
		{`json_extract('{"a":{"":1}}', '$.a.""')`, "1"}, {`json_extract('{"a]b":1}', '$.a]b')`, "1"}, {`json_extract('{"a":1}', '$."a"x')`, "null"},
		{`json_extract('[7]', '$[00]')`, "7"}, {`json_extract('[7]', '$[99999999999999999999]')`, "null"}, {`json_extract('[7]', '$[ ]')`, "null"},
		{`json_extract('{"0":7}', '$[0]')`, "null"}, {`json_extract('[7]', '$.0')`, "null"}, {`json_extract('{"a":[[1,2]]}', '$."a"[0][1]')`, "2"},
		{`json_extract('{"a":null}', '$.a', '$')`, "null"}, {`json_extract('{"$":1}', '$.$')`, "1"}, {`json_extract('{" ":1}', '$. ')`, "null"},
		// documents of static type JSON are not read again
		{`json_type(json('"5"'))`, `"text"`}, {`json_type('"5"')`, `"text"`}, {`json_type('5')`, `"integer"`}, {`json_array(json('"5"'), '5')`, `["5",5]`},
		{`json_set('{}', '$.a', json('"[1]"'))`, `{"a":"[1]"}`}, {`json_array(json_extract('["[1]"]', '$[0]'))`, `[[1]]`},
		{`json_valid(json('"x"'))`, "true"}, {`json_valid(json_extract('["x"]', '$[0]'))`, "false"},
		// parts
		{`json_type('[1]', '$[')`, "null"}, {`json_type(x'5b5d')`, "null"}, {`json_array_length('[1,2]', null)`, "2"}, {`json_array_length('[1,2]', 5)`, "0"},
		{`json_array_length('[[1]]', '$[0]')`, "1"},
		{`json_quote(real('Infinity'))`, `"null"`}, {`json_quote(2.0)`, `"2"`}, {`json_quote(json('{"b":1, "a":2}'))`, `"{\"b\":1,\"a\":2}"`},
		{`json_array(real('Infinity'), 1e300)`, `[null,1e300]`}, {`json_object('a', x'00')`, `{"a":null}`},
		// changes
		{`json_insert('[1]', '$[1]', 2, '$[2]', 3, '$[9]', 4)`, "[1,2,3]"}, {`json_insert('[]', '$[0].a', 1)`, "[]"}, {`json_insert('{}', '$.a', '{"b":1}', '$.a.c', 2)`, `{"a":{"b":1,"c":2}}`},
		{`json_set('5', '$.a', 1)`, "5"}, {`json_set('[]', '$.a', 1)`, "[]"}, {`json_set('{}', '$[0]', 1)`, "{}"}, {`json_set('{"a":null}', '$.a.b', 1)`, `{"a":null}`},
		{`json_set('{}', '$[0]', 1, '$.a[1][0]', 'x')`, `{"a":[null,["x"]]}`}, {`json_set('{}', '', 1)`, "{}"}, {`json_replace('[1,[2]]', '$[1][0]', null)`, "[1,[null]]"},
		{`json_remove('{"a":[1,2,3]}', '$.a[1]', '$.a[1]', '$.b', '$')`, `{"a":[1]}`}, {`json_remove('[1]', 'x')`, "[1]"}, {`json_remove(x'00')`, "null"},
		{`json_remove('{"a":{"b":1}}', '$.a.b')`, `{"a":{}}`},
	} {
		t.Run(c.expr, func(t *testing.T) { h.requireValue(t, c.expr, c.want) })
	}
}

// TestPatchesOfTheStandard are the examples of RFC 6902, appendix A, and a few refusals.
func TestPatchesOfTheStandard(t *testing.T) {
	h := newHarness()
	for _, c := range []struct{ doc, ops, want string }{
		{`{"foo":"bar"}`, `[{"op":"add","path":"/baz","value":"qux"}]`, `{"foo":"bar","baz":"qux"}`},
		{`{"foo":["bar","baz"]}`, `[{"op":"add","path":"/foo/1","value":"qux"}]`, `{"foo":["bar","qux","baz"]}`},
		{`{"baz":"qux","foo":"bar"}`, `[{"op":"remove","path":"/baz"}]`, `{"foo":"bar"}`},
		{`{"foo":["bar","qux","baz"]}`, `[{"op":"remove","path":"/foo/1"}]`, `{"foo":["bar","baz"]}`},
		{`{"baz":"qux","foo":"bar"}`, `[{"op":"replace","path":"/baz","value":"boo"}]`, `{"baz":"boo","foo":"bar"}`},
		{`{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}`, `[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]`,
			`{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}`},
		{`{"foo":["all","grass","cows","eat"]}`, `[{"op":"move","from":"/foo/1","path":"/foo/3"}]`, `{"foo":["all","cows","eat","grass"]}`},
		{`{"baz":"qux","foo":["a",2,"c"]}`, `[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]`, `{"baz":"qux","foo":["a",2,"c"]}`},
		{`{"baz":"qux"}`, `[{"op":"test","path":"/baz","value":"bar"}]`, "null"},
		{`{"foo":"bar"}`, `[{"op":"add","path":"/child","value":{"grandchild":{}}}]`, `{"foo":"bar","child":{"grandchild":{}}}`},
		{`{"foo":"bar"}`, `[{"op":"add","path":"/baz","value":"qux","xyz":123}]`, `{"foo":"bar","baz":"qux"}`},
		{`{"foo":"bar"}`, `[{"op":"add","path":"/baz/bat","value":"qux"}]`, "null"},
		{`{"/":9,"~1":10}`, `[{"op":"test","path":"/~01","value":10}]`, `{"/":9,"~1":10}`},
		{`{"/":9,"~1":10}`, `[{"op":"test","path":"/~01","value":"10"}]`, "null"},
		{`{"foo":["bar"]}`, `[{"op":"add","path":"/foo/-","value":["abc","def"]}]`, `{"foo":["bar",["abc","def"]]}`},
		{`{"a":1}`, `[{"op":"add","path":"","value":[2]},{"op":"add","path":"/0","value":1}]`, `[1,2]`},
		{`{"a":1}`, `[{"op":"replace","path":"","value":null}]`, "null"}, {`{"a":1}`, `[{"op":"remove","path":""}]`, "null"},
		{`{"a":{"b":1}}`, `[{"op":"move","from":"/a","path":"/a/b"}]`, "null"}, {`{"a":1}`, `[{"op":"move","from":"/a","path":"/a"}]`, `{"a":1}`},
		{`[1]`, `[{"op":"add","path":"/01","value":2}]`, "null"}, {`[1]`, `[{"op":"add","path":"/2","value":2}]`, "null"}, {`[1]`, `[{"op":"remove","path":"/-"}]`, "null"},
		{`[1]`, `[{"op":"replace","path":"/1","value":2}]`, "null"}, {`[1]`, `[{"op":"add","path":"/-1","value":2}]`, "null"}, {`{"a":1}`, `[{"op":"add","path":"a","value":2}]`, "null"},
		{`{"a":1}`, `[{"op":"add","path":"/a"}]`, "null"}, {`{"a":1}`, `[{"op":"spin","path":"/a"}]`, "null"}, {`{"a":1}`, `[{"op":"copy","path":"/b"}]`, "null"},
		{`{"a":1}`, `[{"op":"add","path":"/~2","value":2}]`, "null"}, {`{"a":1}`, `[5]`, "null"}, {`{"a":1}`, `[{"op":"add","path":5,"value":1}]`, "null"},
		{`{"a":[1]}`, `[{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/0","value":0}]`, `{"a":[1],"b":[0,1]}`},
	} {
		h.requireValue(t, fmt.Sprintf("json_patch('%s', '%s')", c.doc, c.ops), c.want)
	}
}

func TestSchemas(t *testing.T) {
	h := newHarness()
	for _, c := range []struct {
		schema, doc string
		want        bool
	}{
		{"number", "1.5", true}, {"number", "true", false}, {"unknown", "null", true}, {"null", "0", false}, {"true", "true", true}, {"true", "1", false},
		{"1", "1.0", true}, {"-2.5e1", "-25", true}, {`"a"`, `"a"`, true}, {"`a`|'b'", `"b"`, true}, {"( number )", "1", true}, {"number [ ] [ ]", "[[1],[]]", true},
		{"number | string[]", `["a"]`, true}, {"(number | string)[] | null", "null", true}, {"[]", "[]", true}, {"[]", "[1]", false}, {"[any, any]", "[1,2]", true},
		{"{}", "{}", true}, {"{}", `{"a":1}`, true}, {"{}", "[]", false}, {"{a:number;b?:string}", `{"a":1}`, true}, {"{a:number;b?:string}", `{"a":1,"b":2}`, false},
		{"{\n  a: number\n  b: string\n}", `{"a":1,"b":"x"}`, true}, {"{ a: number,\n b: string }", `{"a":1}`, false}, {`{ "a b": number, 'c': any }`, `{"a b":1,"c":[]}`, true},
		{"{ a: { b: [number, string?] } }", "{}", false}, {"{ a: number }[]", `[{"a":1},{"a":"x"}]`, false}, {"{ é: number }", `{"é":1}`, true},
		{"{ '': number }", `{"":1}`, true}, {"{ '': number }", `{}`, false},
		// malformed
		{"", "1", false}, {"number number", "1", false}, {"Number", "1", false}, {"number[", "[1]", false}, {"number]", "1", false}, {"(number", "1", false},
		{"{ a number }", `{"a":1}`, false}, {"{ a: number b: string }", `{"a":1,"b":"x"}`, false}, {"{ a: number, }", `{"a":1}`, false}, {"{ , }", "{}", false},
		{"[number,]", "[1]", false}, {"number |", "1", false}, {"| number", "1", false}, {"'a", `"a"`, false}, {"{ a: number,, b: any }", `{"a":1,"b":1}`, false},
		{"1.2.3", "1", false}, {strings.Repeat("(", 5000) + "any" + strings.Repeat(")", 5000), "1", false}, {strings.Repeat("[", 100000), "1", false},
	} {
		// once as a constant, once by row
		f := h.functions.Lookup("json_schema", 2, false)
		for _, hasConst := range []bool{true, false} {
			eval, err := f.Bind([]function.Arg{{Type: types.TypeText}, {Type: types.TypeText, Const: types.Text(c.schema), HasConst: hasConst}})
			require.NoError(t, err)
			v, err := eval(h.call, []types.Value{types.Text(c.doc), types.Text(c.schema)})
			require.NoError(t, err)
			assert.Equal(t, c.want, v.Bool(), "%.80s %s", c.schema, c.doc)
		}
	}
}

var (
	genKey  = rapid.SampledFrom([]string{"a", "b", "a b", "é", ""})
	genLeaf = rapid.SampledFrom([]types.Value{types.Null, types.True, types.Int(7), types.Real(1.5), types.Text("x"), types.Text("[1]")})
)

// genDocument draws a small document.
func genDocument(t *rapid.T, depth int) types.Value {
	switch kind := rapid.IntRange(0, 4).Draw(t, "kind"); {
	case depth == 0 || kind == 0:
		return genLeaf.Draw(t, "leaf")
	case kind <= 2:
		var elems []types.Value
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			elems = append(elems, genDocument(t, depth-1))
		}
		v, err := types.NewArray(elems)
		require.NoError(t, err)
		return v
	}
	keys := rapid.SliceOfNDistinct(genKey, 0, 3, rapid.ID[string]).Draw(t, "keys")
	elems := make([]types.Value, len(keys))
	for i := range elems {
		elems[i] = genDocument(t, depth-1)
	}
	v, err := types.NewObject(keys, elems)
	require.NoError(t, err)
	return v
}

func genPath(t *rapid.T) string {
	path := "$"
	for range rapid.IntRange(0, 3).Draw(t, "steps") {
		if rapid.Bool().Draw(t, "is key") {
			path += `."` + genKey.Draw(t, "key") + `"`
		} else {
			path += fmt.Sprintf("[%d]", rapid.IntRange(0, 3).Draw(t, "index"))
		}
	}
	return path
}

// jsonCall calls a function over a document of static type JSON.
func (h *harness) jsonCall(t require.TestingT, name string, args ...types.Value) types.Value {
	known := make([]function.Arg, len(args))
	for i, v := range args {
		known[i] = function.Arg{Type: types.TypeJSON, Nullable: true}
		if i > 0 && v.Kind() == types.KindText {
			known[i].Type = types.TypeText
		}
	}
	eval, err := h.functions.Lookup(name, len(args), false).Bind(known)
	require.NoError(t, err)
	v, err := eval(h.call, args)
	require.NoError(t, err)
	return v
}

func TestPathLaws(t *testing.T) {
	h := newHarness()
	rapid.Check(t, func(t *rapid.T) {
		doc, path := genDocument(t, 3), types.Text(genPath(t))
		before := types.FormatJSON(doc)
		v := types.Int(rapid.Int64().Draw(t, "v"))
		exists := !h.jsonCall(t, "json_type", doc, path).IsNull()
		set := h.jsonCall(t, "json_set", doc, path, v)
		insert := h.jsonCall(t, "json_insert", doc, path, v)
		replace := h.jsonCall(t, "json_replace", doc, path, v)
		remove := h.jsonCall(t, "json_remove", doc, path)
		same := func(a, b types.Value) bool { return types.FormatJSON(a) == types.FormatJSON(b) }

		check := func(ok bool, law string) {
			if !ok {
				t.Fatalf("%s: %s at %s: set %s insert %s replace %s remove %s", law, before, path.Str(),
					types.FormatJSON(set), types.FormatJSON(insert), types.FormatJSON(replace), types.FormatJSON(remove))
			}
		}
		check(types.FormatJSON(doc) == before, "the document itself stays")
		check(same(set, doc) || types.Equal(h.jsonCall(t, "json_extract", set, path), v, nil), "what is set is found")
		if exists {
			check(same(insert, doc) && same(replace, set), "an existing part is replaced and not inserted")
			check(types.Equal(h.jsonCall(t, "json_extract", replace, path), v, nil), "what is replaced is found")
		} else {
			check(same(replace, doc) && same(remove, doc), "a missing part is neither replaced nor removed")
			check(same(insert, doc) || same(insert, set), "what insert does, set does")
		}
		check(same(h.jsonCall(t, "json_set", set, path, v), set), "setting twice is setting once")
		if exists && path.Str() != "$" {
			n, m := countParts(doc), countParts(remove)
			check(m < n, "removing leaves less")
		}
	})
}

func countParts(v types.Value) int {
	n := 1
	if j := v.JSON(); j != nil {
		for _, e := range j.Elems {
			n += countParts(e)
		}
	}
	return n
}

// TestTreeIsTheDocument checks json_tree by the document: as many rows as parts, ids in order, parents before, paths that lead back.
func TestTreeIsTheDocument(t *testing.T) {
	h := newHarness()
	f := h.functions.Lookup("json_tree", 1, true)
	rapid.Check(t, func(t *rapid.T) {
		doc := genDocument(t, 3)
		rows, err := f.BindRows([]function.Arg{{Type: types.TypeJSON}})
		require.NoError(t, err)
		paths := []string{""}
		for row, err := range rows(h.call, []types.Value{doc}) {
			require.NoError(t, err)
			id, _ := row[4].Int64()
			parent, _ := row[5].Int64()
			fullkey := row[6].Str()
			require.Equal(t, int64(len(paths)), id)
			require.Less(t, parent, id)
			require.Equal(t, paths[parent], row[7].Str())
			paths = append(paths, fullkey)
			if strings.ContainsAny(fullkey, " ") || strings.Contains(fullkey+".", "..") || strings.Contains(fullkey, ".[") {
				continue // keys that a path has to quote
			}
			part := h.jsonCall(t, "json_extract", doc, types.Text("$"+fullkey))
			if part.Kind() == types.KindJSON {
				require.True(t, row[3].IsNull())
				part = types.Text(types.FormatJSON(part))
			}
			require.True(t, types.Equal(part, row[1], nil), "%s at %s", types.FormatJSON(doc), fullkey)
		}
		require.Equal(t, countParts(doc), len(paths)-1)
	})
}

func TestTableFunctionsStopWhenNoMoreIsWanted(t *testing.T) {
	h := newHarness()
	h.call.Catalog = shopCatalog(t)
	for _, c := range []struct {
		name string
		args []types.Value
	}{
		{"json_each", []types.Value{types.Text("[1,2,3]")}}, {"json_each", []types.Value{types.Text(`{"a":1,"b":2}`)}},
		{"json_tree", []types.Value{types.Text("[[1,[2]],3]")}}, {"generate_series", []types.Value{types.Int(1), types.Real(1e300)}},
		{"generate_series", []types.Value{types.Real(0.5), types.Real(1e300)}}, {"split_string", []types.Value{types.Text("abc"), types.Text("")}},
		{"schema", nil}, {"function_info", nil}, {"table_info", []types.Value{types.Text("item")}}, {"index_info", []types.Value{types.Text("item")}},
		{"unique_constraint_info", []types.Value{types.Text("item")}}, {"check_constraint_info", []types.Value{types.Text("item")}},
		{"foreign_key_info", []types.Value{types.Text("item")}}, {"column_info", []types.Value{types.Text("item")}}, {"assertion_info", nil},
	} {
		for limit := 1; limit <= 3; limit++ {
			n := 0
			for _, err := range h.functions.Lookup(c.name, len(c.args), true).Rows(h.call, c.args) {
				require.NoError(t, err, c.name)
				if n++; n == limit {
					break
				}
			}
			assert.NotZero(t, n, c.name)
		}
	}
}

func TestTableFunctionsReadDocumentsOfStaticType(t *testing.T) {
	h := newHarness()
	f := h.functions.Lookup("json_each", 1, true)
	rows, err := f.BindRows([]function.Arg{{Type: types.TypeJSON}})
	require.NoError(t, err)
	for row, err := range rows(h.call, []types.Value{types.Text("[1]")}) { // a document that is a string
		require.NoError(t, err)
		assert.Equal(t, "[1]", row[3].Str())
		assert.Equal(t, "text", row[2].Str())
	}
	for _, err := range f.Rows(h.call, []types.Value{types.Text("just text")}) {
		require.ErrorContains(t, err, "Invalid JSON provided to json_each")
	}
}
