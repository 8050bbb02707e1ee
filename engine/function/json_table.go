package function

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// jsonTables are json_each and json_tree (docs/reference/functions.md).
func jsonTables() []*Function {
	return []*Function{jsonTable("json_each", eachMember), jsonTable("json_tree", treeOf)}
}

var jsonTableColumns = []Column{
	{"key", types.TypeAny, true}, {"value", types.TypeAny, true}, {"type", types.TypeText, false}, {"atom", types.TypeAny, true},
	{"id", types.TypeInteger, false}, {"parent", types.TypeInteger, true}, {"fullkey", types.TypeText, false}, {"path", types.TypeText, false},
}

// jsonTable is f(x [, path]) over the part of a document that the path leads to; no rows when it leads to nothing. A NULL path is
// none. The number of arguments is judged when the function runs.
func jsonTable(name string, walk func(start types.Value, yield func(types.Row) bool)) *Function {
	return &Function{
		Name: name, Args: -1, Max: -1, Kind: Table, Deterministic: true, Columns: jsonTableColumns,
		Rows: jsonRows(name, walk, readDocument),
		BindRows: func(args []Arg) (Rows, error) {
			if len(args) == 0 {
				return jsonRows(name, walk, readDocument), nil
			}
			return jsonRows(name, walk, documentReader(args[0])), nil
		},
	}
}

func jsonRows(
	name string, walk func(types.Value, func(types.Row) bool), read func(types.Value) (types.Value, bool),
) Rows {
	return func(_ *Call, args []types.Value) iter.Seq2[types.Row, error] {
		return func(yield func(types.Row, error) bool) {
			if len(args) < 1 || len(args) > 2 {
				yield(nil, types.Errorf(types.ERROR, "Error: %s requires 1 or 2 arguments (jsonSource, [rootPath])", name))
				return
			}
			doc, ok := read(args[0])
			if !ok {
				yield(nil, types.Errorf(types.ERROR, "Invalid JSON provided to %s", name))
				return
			}
			if len(args) == 2 && !args[1].IsNull() {
				if doc, ok = compilePath(args[1].Str()).find(doc); !ok {
					return
				}
			}
			walk(doc, func(row types.Row) bool { return yield(row, nil) })
		}
	}
}

// jsonRow is the row that one part of a document makes; fill sets all but id, parent and the paths.
type jsonRow struct{ row types.Row }

func (r *jsonRow) fill(key, v types.Value) {
	value, atom := v, v
	if v.Kind() == types.KindJSON {
		value, atom = types.Text(types.FormatJSON(v)), types.Null
	}
	r.row[0], r.row[1], r.row[2], r.row[3] = key, value, jsonTypeName(v), atom
}

func (r *jsonRow) place(id, parent types.Value, fullkey, path string) {
	r.row[4], r.row[5], r.row[6], r.row[7] = id, parent, types.Text(fullkey), types.Text(path)
}

// eachMember yields the members of a container, numbered from 0, or the one row of a scalar.
func eachMember(start types.Value, yield func(types.Row) bool) {
	r := jsonRow{make(types.Row, len(jsonTableColumns))}
	if start.JSON() == nil {
		r.fill(types.Null, start)
		r.place(types.Int(0), types.Null, "", "")
		yield(r.row)
		return
	}
	id := int64(0)
	for m := range membersOf(start.JSON()) {
		r.fill(m.key, m.value)
		r.place(types.Int(id), types.Null, string(m.appendStep(nil)), "")
		if !yield(r.row) {
			return
		}
		id++
	}
}

// treeOf yields a part and all below it, parents first, numbered from 1.
func treeOf(start types.Value, yield func(types.Row) bool) {
	w := treeWalk{jsonRow: jsonRow{make(types.Row, len(jsonTableColumns))}, yield: yield}
	w.visit(jsonMember{value: start}, 0, "")
}

type treeWalk struct {
	jsonRow
	yield   func(types.Row) bool
	id      int64
	fullkey []byte // of the part being visited
}

// visit is false when no more rows are wanted.
func (w *treeWalk) visit(m jsonMember, parent int64, path string) bool {
	w.id++
	id, fullkey := w.id, string(w.fullkey)
	w.fill(m.key, m.value)
	w.place(types.Int(id), types.Int(parent), fullkey, path)
	if !w.yield(w.row) {
		return false
	}
	j := m.value.JSON()
	if j == nil {
		return true
	}
	for child := range membersOf(j) {
		w.fullkey = child.appendStep(w.fullkey[:len(fullkey)])
		if !w.visit(child, id, fullkey) {
			return false
		}
	}
	return true
}

// jsonMember is a member of an object or an element of an array, with its name or index; the start of a walk has no key.
type jsonMember struct{ key, value types.Value }

// appendStep appends the step of a path that leads to the member.
func (m jsonMember) appendStep(dst []byte) []byte {
	if m.key.Kind() == types.KindText {
		return append(append(dst, '.'), m.key.Str()...)
	}
	i, _ := m.key.Int64()
	return append(strconv.AppendInt(append(dst, '['), i, 10), ']')
}

// membersOf yields the elements of an array by index, the members of an object by key in code point order.
func membersOf(j *types.JSON) iter.Seq[jsonMember] {
	return func(yield func(jsonMember) bool) {
		if !j.Object {
			for i, v := range j.Elems {
				if !yield(jsonMember{types.Int(int64(i)), v}) {
					return
				}
			}
			return
		}
		order := make([]int, len(j.Keys))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return strings.Compare(j.Keys[a], j.Keys[b]) })
		for _, i := range order {
			if !yield(jsonMember{types.Text(j.Keys[i]), j.Elems[i]}) {
				return
			}
		}
	}
}
