package differ

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/types"
)

// rename gives a table or column another name and rewrites every text that names it.
func (s *simulator) rename(t *catalog.Table, first resolve.Renaming) error {
	list := s.cascade(first)
	names := s.names()
	e := s.snapshot.Edit()
	for _, schema := range s.snapshot.Schemas() {
		for other := range s.snapshot.Tables(schema) {
			n := renamedTable(names, other, list)
			if other == t && first.Column == "" {
				e.DropRelation(t.Schema, t.Name)
				n.Name, n.Seq = first.To, e.NewSeq()
			}
			e.PutTable(n)
		}
		for v := range s.snapshot.Views(schema) {
			n := *v
			n.Body, _ = resolve.Rename(v.Body, names.HomeOf(schema), list...)
			e.PutView(&n)
		}
		for a := range s.snapshot.Assertions(schema) {
			n := *a
			n.X = renamed(a.X, names.HomeOf(schema), list)
			e.PutAssertion(&n)
		}
	}
	s.snapshot = e.Done()
	return nil
}

// cascade adds the columns of views and maintained tables that follow a renamed one.
func (s *simulator) cascade(first resolve.Renaming) []resolve.Renaming {
	list := []resolve.Renaming{first}
	for grown := true; grown; {
		grown = false
		follow := func(schema, name string, columns []string, body *ast.SelectStmt) {
			if columns != nil {
				return
			}
			for _, p := range resolve.Columns(body, s.names().HomeOf(schema), list...) {
				n := resolve.Renaming{Schema: schema, Name: name, Column: p.Name, To: p.After}
				if p.Bare && p.Name != p.After && !slices.Contains(list, n) {
					list, grown = append(list, n), true
				}
			}
		}
		for _, schema := range s.snapshot.Schemas() {
			for v := range s.snapshot.Views(schema) {
				follow(schema, v.Name, v.Columns, v.Body)
			}
			for t := range s.snapshot.Tables(schema) {
				if t.Maintained != nil {
					follow(schema, t.Name, t.Maintained.Columns, t.Maintained.Body)
				}
			}
		}
	}
	return list
}

func renamedTable(names *catalog.Names, t *catalog.Table, list []resolve.Renaming) *catalog.Table {
	n := t.Clone()
	for e := range t.Expressions() {
		n = n.WithExpression(e, renamed(e.X, names.RowHome(t, e.Kind), list))
	}
	if t.Maintained != nil {
		m := *t.Maintained
		m.Body, _ = resolve.Rename(m.Body, names.HomeOf(t.Schema), list...)
		n.Maintained = &m
	}
	for _, r := range list {
		if r.Column != "" && r.Schema == t.Schema && types.EqualFold(r.Name, t.Name) {
			if i := n.ColumnIndex(r.Column); i >= 0 {
				n = n.WithColumn(i, func(c *catalog.Column) { c.Name = r.To })
			}
		}
		for i, fk := range t.ForeignKeys {
			schema, parent := fk.ParentName(t)
			if schema != r.Schema || !types.EqualFold(parent, r.Name) {
				continue
			}
			n = n.WithForeignKey(i, func(fk *catalog.ForeignKey) {
				if r.Column == "" {
					fk.ParentTable = r.To
				}
				fk.ParentColumns = slices.Clone(fk.ParentColumns)
				for j, c := range fk.ParentColumns {
					if r.Column != "" && types.EqualFold(c, r.Column) {
						fk.ParentColumns[j] = r.To
					}
				}
			})
		}
	}
	return n
}
