package catalog

import (
	"cmp"
	"iter"
	"slices"

	"github.com/tidwall/btree"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/types"
)

// The dependency graph of a snapshot: which objects have texts that name a relation, and which tables have a foreign key to one. It is
// kept beside the objects, shared between snapshots like them, and costs an edit what the object at hand names. Expressions without a
// query name nothing but the row of their own table, so most tables have no edges but their foreign keys.

// edge is a reference: the folded name that a text names, then the kind and key of the object that has the text. The name counts in
// whatever schema, since what an unqualified one means changes with the objects that come and go.
type edge string

func edgesTo(name string) edge { return edge(types.Fold(name) + "\x00") }

func edgeOf(name string, o objectInfo) edge {
	return edgesTo(name) + edge('0'+rune(o.kind)) + edge(key(o.schema, o.name))
}

// childEdge is a foreign key: the key of the parent, then that of the child.
func childEdge(parent, child objectKey) edge { return edge(parent) + "\x00" + edge(child) }

// Text is a stored text: an expression of a table, the body of a view or of a maintained table, or the condition of an assertion.
type Text struct {
	Node ast.Node
	Home resolve.Home
	// Owner is the object that has the text; Expression is set where that is a plain table.
	Owner      Object
	Expression Expression
}

// Texts yields the texts of an object with their homes.
func (n *Names) Texts(o Object) iter.Seq[Text] {
	return func(yield func(Text) bool) {
		switch o := o.(type) {
		case *Table:
			for e := range o.Expressions() {
				if !yield(Text{Node: e.X, Home: n.RowHome(o, e.Kind), Owner: o, Expression: e}) {
					return
				}
			}
		case *View:
			yield(Text{Node: o.Body, Home: n.HomeOf(o.Schema), Owner: o})
		case *Assertion:
			yield(Text{Node: o.X, Home: n.HomeOf(o.Schema), Owner: o})
		}
	}
}

// sourceNames yields the relation names in the texts of an object, unfolded; a name may come more than once.
func sourceNames(o Object) iter.Seq[string] {
	return func(yield func(string) bool) {
		each := func(n ast.Node) bool {
			for _, q := range resolve.Sources(n) {
				if !yield(q.Name.Text) {
					return false
				}
			}
			return true
		}
		switch o := o.(type) {
		case *Table:
			for e := range o.Expressions() {
				if ast.HoldsQuery(e.X) && !each(e.X) {
					return
				}
			}
			if o.Maintained != nil {
				each(o.Maintained.Body)
			}
		case *View:
			each(o.Body)
		case *Assertion:
			if ast.HoldsQuery(o.X) {
				each(o.X)
			}
		}
	}
}

// link puts an object into the graph.
func (e *Edit) link(o Object) {
	e.eachEdge(o, func(k edge) { e.next.readers.Set(k, o) }, func(k edge, t *Table) { e.next.children.Set(k, t) })
	if t, ok := o.(*Table); ok {
		e.next.byID.Set(t.ID, t)
	}
}

// unlink takes an object out of the graph.
func (e *Edit) unlink(o Object) {
	e.eachEdge(o, func(k edge) { e.next.readers.Delete(k) }, func(k edge, _ *Table) { e.next.children.Delete(k) })
	if t, ok := o.(*Table); ok && e.next.TableByID(t.ID) == t { // another one of the id has come before it goes, when it is renamed
		e.next.byID.Delete(t.ID)
	}
}

// eachEdge calls reader for what the texts of an object name, and child for its foreign keys.
func (e *Edit) eachEdge(o Object, reader func(edge), child func(edge, *Table)) {
	for name := range sourceNames(o) {
		reader(edgeOf(name, o.object()))
	}
	if t, ok := o.(*Table); ok {
		for _, fk := range t.ForeignKeys {
			child(childEdge(fk.parentKey(t), key(t.Schema, t.Name)), t)
		}
	}
}

// TableByID gives the table with an id, nil when there is none. It takes O(log n).
func (s *Snapshot) TableByID(id ID) *Table {
	t, _ := s.byID.Get(id)
	return t
}

// Children lists the tables that have a foreign key to the named table, which need not exist, in order of their names. It takes
// O(log n) and what it gives.
func (s *Snapshot) Children(schema, name string) []*Table {
	var out []*Table
	ascendFrom(s.children, edge(key(schema, name))+"\x00", func(t *Table) { out = append(out, t) })
	return out
}

// Readers lists the objects that have a text which names a relation of one of the names, in whatever schema, each once: schema by
// schema, tables before views before assertions, in order of name. It takes O(log n) and what it gives. Whether the text means the
// relation that one asks about is for resolve.Mentions to tell.
func (s *Snapshot) Readers(names ...string) []Object {
	var out []Object
	for _, name := range names {
		ascendFrom(s.readers, edgesTo(name), func(o Object) { out = append(out, o) })
	}
	return s.InOrder(out)
}

// Reaching lists the objects that have a text which names a relation of one of the names, or a view that does, through any chain of
// views, in the order of Readers.
func (s *Snapshot) Reaching(names ...string) []Object {
	seen := map[Object]bool{}
	var out []Object
	for next := names; len(next) > 0; {
		var views []string
		for _, name := range next {
			ascendFrom(s.readers, edgesTo(name), func(o Object) {
				if seen[o] {
					return
				}
				seen[o] = true
				out = append(out, o)
				if v, ok := o.(*View); ok {
					views = append(views, v.Name)
				}
			})
		}
		next = views
	}
	return s.InOrder(out)
}

// InOrder sorts objects schema by schema, tables before views before assertions, by name, and leaves repetitions out. It changes the list.
func (s *Snapshot) InOrder(list []Object) []Object {
	slices.SortFunc(list, func(a, b Object) int {
		x, y := a.object(), b.object()
		return cmp.Or(cmp.Compare(slices.Index(s.schemas, x.schema), slices.Index(s.schemas, y.schema)),
			cmp.Compare(x.kind, y.kind), cmp.Compare(key(x.schema, x.name), key(y.schema, y.name)))
	})
	return slices.Compact(list)
}

func ascendFrom[V any](m *btree.Map[edge, V], from edge, f func(V)) {
	m.Ascend(from, func(k edge, v V) bool {
		if len(k) < len(from) || k[:len(from)] != from {
			return false
		}
		f(v)
		return true
	})
}
