package catalog

import (
	"slices"

	"github.com/quereus/quereus-migrate/engine/resolve"
)

// Names resolves what stored texts name, in one state of the catalog: it is an resolve.Catalog, and tells the Home of each text. It
// remembers the columns of views and is used by one goroutine.
type Names struct {
	snapshot *Snapshot
	path     []string
	function func(name string, args int) (columns []string, aggregate bool)
	views    map[*View]viewColumns
}

// viewColumns are the columns of a view, or the mark of one that is being looked into: a view that reads itself has none.
type viewColumns struct {
	names []string
	known bool
}

// NewNames resolves names in a snapshot. path is the default schema path, which bodies of views and assertions search behind their
// own schema. function answers for functions as resolve.Catalog asks; nil knows none.
func NewNames(s *Snapshot, path []string, function func(name string, args int) (columns []string, aggregate bool)) *Names {
	return &Names{snapshot: s, path: path, function: function, views: map[*View]viewColumns{}}
}

// Columns implements resolve.Catalog. A view over something that is missing has the columns that its body still yields.
func (n *Names) Columns(schema, name string) (columns []string, ok bool) {
	switch r := n.snapshot.Relation(schema, name).(type) {
	case *Table:
		return r.columnNames(), true
	case *View:
		return n.viewColumns(r)
	}
	return nil, false
}

func (t *Table) columnNames() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}

func (n *Names) viewColumns(v *View) (columns []string, ok bool) {
	if v.Columns != nil {
		return v.Columns, true
	}
	memo, met := n.views[v]
	if met {
		return memo.names, memo.known
	}
	n.views[v] = viewColumns{}
	columns = make([]string, 0)
	for _, p := range resolve.Columns(v.Body, n.HomeOf(v.Schema)) {
		columns = append(columns, p.Name)
	}
	n.views[v] = viewColumns{columns, true}
	return columns, true
}

// Function implements resolve.Catalog.
func (n *Names) Function(name string, args int) (columns []string, aggregate bool) {
	if n.function == nil {
		return nil, false
	}
	return n.function(name, args)
}

// HomeOf is the home of the bodies of views, maintained tables and assertions of a schema: their names mean objects of the schema
// first, then those along the path.
func (n *Names) HomeOf(schema string) resolve.Home {
	home := resolve.Home{Catalog: n, Path: []string{schema}}
	for _, p := range n.path {
		if !slices.Contains(home.Path, p) {
			home.Path = append(home.Path, p)
		}
	}
	return home
}

// RowHome is the home of an expression of a table: names in it mean its row, and objects of its schema only.
func (n *Names) RowHome(t *Table, kind ExpressionKind) resolve.Home {
	return resolve.Home{Catalog: n, Path: []string{t.Schema}, Row: t.RowOwner(kind)}
}
