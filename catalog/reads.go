package catalog

import (
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/types"
)

// Reads is what a stored text may read: the tables in its reach, also through views, and the names of columns that it and those views
// mention. It says too much rather than too little: a name counts for every table.
type Reads struct {
	Tables []*Table
	Names  map[string]bool // folded
	// IsWide tells that columns are read which no name says: through a star, a whole table behind IN, a NATURAL join or USING.
	IsWide bool
}

// ReadsOf finds what a text reads. path are the schemas that its relations are looked up in; own is the table whose row it is about,
// nil for none.
func (names *Names) ReadsOf(n ast.Node, path []string, own *Table) *Reads {
	r := &Reads{Names: map[string]bool{}}
	if own != nil {
		r.Tables = append(r.Tables, own)
	}
	r.text(names, n, path, map[*View]bool{})
	return r
}

func (r *Reads) text(names *Names, n ast.Node, path []string, seen map[*View]bool) {
	r.mentions(n)
	for _, q := range resolve.Sources(n) {
		from := path
		if !q.Schema.IsZero() {
			from = []string{q.Schema.Text}
		}
		switch x := names.snapshot.Resolve(from, q.Name.Text).(type) {
		case *Table:
			if !slices.Contains(r.Tables, x) {
				r.Tables = append(r.Tables, x)
			}
		case *View:
			if !seen[x] {
				seen[x] = true
				r.text(names, x.Body, names.HomeOf(x.Schema).Path, seen)
			}
		}
	}
}

// mentions notes the columns that a text names.
func (r *Reads) mentions(n ast.Node) {
	ast.Walk(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ColumnRef:
			r.Names[types.Fold(n.Column.Text)] = true
		case *ast.SelectCore:
			r.IsWide = r.IsWide || slices.ContainsFunc(n.Items, func(i ast.SelectItem) bool { return i.Star })
		case *ast.In:
			r.IsWide = r.IsWide || n.Table != nil
		case *ast.Join:
			r.IsWide = r.IsWide || n.Natural || n.Using != nil
		}
		return true
	})
}

// Column reports whether the text may read a column of a table.
func (r *Reads) Column(t *Table, column string) bool {
	return (r.IsWide || r.Names[types.Fold(column)]) && slices.Contains(r.Tables, t)
}
