package ast

import (
	"maps"
	"slices"

	"github.com/quereus/quereus-migrate/types"
)

// Resolver tells what the relations and functions that a text names look like, in the state of the catalog that the text was
// written against. Names are given as written; lookups ignore case.
type Resolver interface {
	// Columns gives the columns of a table or view in order, as spelled in its definition; ok is false when there is none of
	// that name.
	Columns(schema, name string) (columns []string, ok bool)
	// Function gives the columns of a table-valued function (nil for any other, and for one that is unknown), and whether the
	// name is an aggregate's.
	Function(name string, args int) (columns []string, aggregate bool)
}

// Home is where a stored text lives: what its unqualified names mean.
type Home struct {
	Resolver Resolver
	// Path are the schemas that unqualified relation names are looked up in, the text's own schema first.
	Path []string
	// Row is the table whose row the text is about, for a CHECK, a DEFAULT, a generated column, the predicate or an expression
	// of an index. It is nil for the body of a view and for an assertion.
	Row *RowOwner
}

// RowOwner is a table that owns an expression over its rows.
type RowOwner struct {
	Schema, Name string
	// Variables are the mutation-context variables that the expression sees. A bare name means one of them before it means a
	// column. Generated columns and indexes see none.
	Variables []string
}

// Renaming is a new name for a relation, or with Column for one of its columns.
type Renaming struct {
	Schema, Name string
	Column       string // "" to rename the table or view itself
	To           string
}

// RenameRefs changes every reference in the expressions and queries at or below n that denotes something renamed (spec 50
// §3.2), all renamings at once. Untouched subtrees are shared with n; changed tells whether the result differs at all. Names
// that a definition gives or lists, such as those of the columns of a table or a view, are no references and stay.
//
// The result means under the new names what n meant under the old ones. A reference that a new name would capture gets a
// qualifier. Where none can tell it apart the renamed table keeps its old name as an alias (`new as old`) or its old
// columns through a subquery (`(select new as old from t) as t`); so do tables that NATURAL joins by a renamed column.
// USING over a column that is renamed on one side becomes ON.
func RenameRefs[N Node](n N, home Home, renamings ...Renaming) (result N, changed bool) {
	w := newRefWalker(home, renamings)
	x := w.run(func(s *scope) Node { return s.rewrite(n) })
	return x.(N), x != Node(n)
}

// Mentions reports whether a text below n refers to the relation, or with column to that column of it: whether a renaming of it to
// a name that occurs nowhere would change the text (spec 50 §3.1).
func Mentions(n Node, home Home, schema, name, column string) bool {
	_, changed := RenameRefs(n, home, Renaming{Schema: schema, Name: name, Column: column, To: unusedName})
	return changed
}

// unusedName is no name that the parser can produce a reference to.
const unusedName = "\x00"

// Published is a column that a query yields.
type Published struct {
	// Name is the column's name, After what it becomes under the renamings.
	Name, After string
	// Bare tells that the column passes a column of a source on: a plain reference without alias, or out of a star.
	Bare bool
}

// PublishedColumns gives the columns that a query yields in order, with duplicate names told apart, and what the renamings make
// of their names. A star over a relation that does not exist yields nothing.
func PublishedColumns(q *SelectStmt, home Home, renamings ...Renaming) []Published {
	w := newRefWalker(home, renamings)
	var columns []refColumn
	w.run(func(s *scope) Node {
		var x *SelectStmt
		x, columns = s.query(q, true, nil)
		return x
	})
	out := make([]Published, len(columns))
	for i, c := range columns {
		out[i] = Published{Name: c.before, After: c.after, Bare: c.bare}
	}
	return out
}

// Sources lists the tables and views that the queries at or below n name, at any depth, each once in order of first mention
// and as written. Members of a WITH that hide a name are left out.
func Sources(n Node) []QName {
	w := newRefWalker(Home{Resolver: noCatalog{}}, nil)
	var out []QName
	seen := make(map[relationKey]bool)
	w.found = func(q QName, _ []string) {
		if k := keyOf(q.Schema.Text, q.Name.Text); !seen[k] {
			seen[k] = true
			out = append(out, q)
		}
	}
	w.run(func(s *scope) Node { return s.rewrite(n) })
	return out
}

// SourceMentions lists the relations that the queries at or below n refer to, at any depth, one entry a mention in order, each by
// the schema in which it exists, folded, and its name as written. Members of a WITH, and names of nothing, are left out.
func SourceMentions(n Node, home Home) []QName {
	w := newRefWalker(home, nil)
	var out []QName
	w.found = func(q QName, path []string) {
		if !q.Schema.IsZero() && !types.EqualFold(q.Schema.Text, committed) {
			path = []string{q.Schema.Text}
		}
		for _, schema := range path {
			if r := w.relation(schema, q.Name.Text); r != nil {
				out = append(out, QName{Schema: Ident(r.schema), Name: q.Name})
				return
			}
		}
	}
	w.run(func(s *scope) Node { return s.rewrite(n) })
	return out
}

// Starred lists the relations for whose columns a star (`*` or `t.*`) of a select list at or below n stands, each by the schema in which
// it exists, folded, and its name as written; one may come more than once. Members of a WITH and subqueries are left out: what stands in
// them counts by itself.
func Starred(n Node, home Home) []QName {
	w := newRefWalker(home, nil)
	var out []QName
	w.starred = func(src *refSource) {
		if src.table != nil {
			out = append(out, QName{Schema: Ident(src.home), Name: src.table.Name.Name})
		}
	}
	w.run(func(s *scope) Node { return s.rewrite(n) })
	return out
}

// noCatalog resolves nothing.
type noCatalog struct{}

func (noCatalog) Columns(string, string) ([]string, bool)      { return nil, false }
func (noCatalog) Function(string, int) (cols []string, a bool) { return nil, false }

// relationKey identifies a relation: its schema and name, folded.
type relationKey struct{ schema, name string }

func keyOf(schema, name string) relationKey {
	return relationKey{types.Fold(schema), types.Fold(name)}
}

// relation is a table or view as the text knows it.
type relation struct {
	relationKey
	after   string // its new name, "" when it keeps its own
	columns []refColumn
}

// refColumn is a column of a source.
type refColumn struct {
	before, after string // its name, and the new one
	key, afterKey string // both folded
	bare          bool
	// origin is the table in FROM that the new name comes from, nil when the name does not change.
	origin *TableRef
}

func keptColumn(name string) refColumn {
	key := types.Fold(name)
	return refColumn{before: name, after: name, key: key, afterKey: key}
}

func keptColumns(names []string) []refColumn {
	out := make([]refColumn, len(names))
	for i, n := range names {
		out[i] = keptColumn(n)
	}
	return out
}

// changed reports whether the column has a new name, a change of case included.
func (c *refColumn) changed() bool { return c.before != c.after }

// keeping is how a table in FROM keeps old names alive.
type keeping uint8

const (
	keepNothing keeping = iota
	keepName            // new as old
	keepColumns         // (select new as old from t) as t
)

// refWalker resolves the references of one text and writes the renamed ones.
type refWalker struct {
	home      Home
	renamings map[relationKey][]Renaming
	relations map[relationKey]*relation // those looked up so far; nil for one that does not exist
	// kept says which tables in FROM keep their old names, wanted which ones must do so in the next walk.
	kept, wanted map[*TableRef]keeping
	// origin is the table whose new name or column the last changed reference shows.
	origin *TableRef
	found  func(q QName, path []string) // told every relation named in the text and the path it is looked up in, may be nil
	// starred is told every source that a star stands for, may be nil.
	starred func(*refSource)
}

func newRefWalker(home Home, renamings []Renaming) *refWalker {
	w := &refWalker{
		home:      home,
		renamings: make(map[relationKey][]Renaming),
		relations: make(map[relationKey]*relation),
		kept:      make(map[*TableRef]keeping),
		wanted:    make(map[*TableRef]keeping),
	}
	for _, r := range renamings {
		k := keyOf(r.Schema, r.Name)
		w.renamings[k] = append(w.renamings[k], r)
	}
	return w
}

// run walks until no table has to keep more of its old names. Each walk but the last adds one at least, and a table that keeps
// all of them shows no new name, so the number of walks is bounded by the number of renamed tables in the text.
func (w *refWalker) run(walk func(*scope) Node) Node {
	for {
		x := walk(newScope(w, w.rowFrame(), nil, w.home.Path))
		if len(w.wanted) == 0 {
			return x
		}
		maps.Copy(w.kept, w.wanted)
		clear(w.wanted)
	}
}

// keep makes a table keep its old name, or if it does so already and that is not enough, its old columns.
func (w *refWalker) keep(t *TableRef, what keeping) {
	if t != nil && w.kept[t] != keepColumns {
		w.wanted[t] = max(w.wanted[t], what, w.kept[t]+1)
	}
}

// relation looks a relation up, nil when it does not exist.
func (w *refWalker) relation(schema, name string) *relation {
	k := keyOf(schema, name)
	r, ok := w.relations[k]
	if !ok {
		if names, exists := w.home.Resolver.Columns(schema, name); exists {
			r = w.rename(k, names)
		}
		w.relations[k] = r
	}
	return r
}

// rename applies the renamings of one relation.
func (w *refWalker) rename(k relationKey, columns []string) *relation {
	r := &relation{relationKey: k, columns: keptColumns(columns)}
	for _, n := range w.renamings[k] {
		if n.Column == "" {
			r.after = n.To
			continue
		}
		key := types.Fold(n.Column)
		if i := slices.IndexFunc(r.columns, func(c refColumn) bool { return c.key == key }); i >= 0 {
			r.columns[i].after, r.columns[i].afterKey = n.To, types.Fold(n.To)
		}
	}
	return r
}

// existsAfter gives the relation that has a name once the renamings are done, nil for none.
func (w *refWalker) existsAfter(schema, name string) *relation {
	k := keyOf(schema, name)
	for old, list := range w.renamings {
		if old.schema != k.schema {
			continue
		}
		for _, n := range list {
			if n.Column == "" && types.Fold(n.To) == k.name {
				return w.relation(old.schema, old.name)
			}
		}
	}
	if r := w.relation(schema, name); r != nil && (r.after == "" || types.Fold(r.after) == k.name) {
		return r
	}
	return nil
}
