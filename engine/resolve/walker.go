package resolve

import (
	"maps"
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

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
	origin *ast.TableRef
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

// walker resolves the references of one text and writes the renamed ones.
type walker struct {
	home      Home
	renamings map[relationKey][]Renaming
	relations map[relationKey]*relation // those looked up so far; nil for one that does not exist
	// kept says which tables in FROM keep their old names, wanted which ones must do so in the next walk.
	kept, wanted map[*ast.TableRef]keeping
	// origin is the table whose new name or column the last changed reference shows.
	origin *ast.TableRef
	found  func(q ast.QName, path []string) // told every relation named in the text and the path it is looked up in, may be nil
	// starred is told every source that a star stands for, may be nil.
	starred func(*source)
	// read is told every column of a relation that is read, may be nil.
	read func(Read)
}

func newWalker(home Home, renamings []Renaming) *walker {
	w := &walker{
		home:      home,
		renamings: make(map[relationKey][]Renaming),
		relations: make(map[relationKey]*relation),
		kept:      make(map[*ast.TableRef]keeping),
		wanted:    make(map[*ast.TableRef]keeping),
	}
	for _, r := range renamings {
		k := keyOf(r.Schema, r.Name)
		w.renamings[k] = append(w.renamings[k], r)
	}
	return w
}

// run walks until no table has to keep more of its old names. Each walk but the last adds one at least, and a table that keeps
// all of them shows no new name, so the number of walks is bounded by the number of renamed tables in the text.
func (w *walker) run(walk func(*scope) ast.Node) ast.Node {
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
func (w *walker) keep(t *ast.TableRef, what keeping) {
	if t != nil && w.kept[t] != keepColumns {
		w.wanted[t] = max(w.wanted[t], what, w.kept[t]+1)
	}
}

// relation looks a relation up, nil when it does not exist.
func (w *walker) relation(schema, name string) *relation {
	k := keyOf(schema, name)
	r, ok := w.relations[k]
	if !ok {
		if names, exists := w.home.Catalog.Columns(schema, name); exists {
			r = w.rename(k, names)
		}
		w.relations[k] = r
	}
	return r
}

// rename applies the renamings of one relation.
func (w *walker) rename(k relationKey, columns []string) *relation {
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
func (w *walker) existsAfter(schema, name string) *relation {
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
