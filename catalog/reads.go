package catalog

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/types"
)

// Reads is what a stored text reads: the tables in its reach, also through views, and the columns of them that it and those views read.
type Reads struct {
	Tables  []*Table
	columns map[*Table]map[string]bool // folded
	// unnamed are the tables whose columns are read without being named: by a star, USING, NATURAL or IN.
	unnamed map[*Table]bool
}

// ReadsOf finds what a text reads. path are the schemas that its relations are looked up in; own is the table whose row it is about,
// nil for none.
func (names *Names) ReadsOf(n ast.Node, path []string, own *Table) *Reads {
	r := &Reads{columns: map[*Table]map[string]bool{}, unnamed: map[*Table]bool{}}
	home := resolve.Home{Catalog: names, Path: path}
	if own != nil {
		r.add(own)
		home.Catalog, home.Row = rowResolver{own, names}, &resolve.Row{Schema: own.Schema, Name: own.Name}
	}
	r.text(names, n, home, own, map[*View]bool{})
	return r
}

func (r *Reads) add(t *Table) {
	if r.columns[t] == nil {
		r.Tables, r.columns[t] = append(r.Tables, t), map[string]bool{}
	}
}

func (r *Reads) text(names *Names, n ast.Node, home resolve.Home, own *Table, seen map[*View]bool) {
	relation := func(schema, name string) Relation {
		if own != nil && types.EqualFold(own.Schema, schema) && types.EqualFold(own.Name, name) {
			return own
		}
		return names.snapshot.Relation(schema, name)
	}
	columns, relations := resolve.Reads(n, home)
	for _, q := range relations {
		switch x := relation(q.Schema.Text, q.Name.Text).(type) {
		case *Table:
			r.add(x)
		case *View:
			if !seen[x] {
				seen[x] = true
				r.text(names, x.Body, names.HomeOf(x.Schema), nil, seen)
			}
		}
	}
	for _, c := range columns {
		if t, ok := relation(c.Schema, c.Relation).(*Table); ok {
			r.add(t)
			r.columns[t][types.Fold(c.Column)] = true
			r.unnamed[t] = r.unnamed[t] || c.At == nil
		}
	}
}

// Column reports whether the text reads a column of a table.
func (r *Reads) Column(t *Table, column string) bool { return r.columns[t][types.Fold(column)] }

// IsWide reports whether columns of a table are read without being named.
func (r *Reads) IsWide(t *Table) bool { return r.unnamed[t] }
