package alter

import (
	"fmt"
	"iter"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
)

// text is one stored text of the catalog: an expression of a table, the body of a view, or an assertion.
type text struct {
	node ast.Node
	home ast.Home
	// table and expr are set for an expression of a table; view and assertion for theirs.
	table     *catalog.Table
	expr      catalog.Expression
	view      *catalog.View
	assertion *catalog.Assertion
}

// texts yields every stored text: schema by schema, tables before views before assertions, each in order of name.
func (c *change) texts() iter.Seq[text] {
	cat := c.env.Catalog()
	names := c.env.Names(cat)
	return func(yield func(text) bool) {
		for _, schema := range cat.Schemas() {
			for t := range cat.Tables(schema) {
				if !yieldTable(t, names, yield) {
					return
				}
			}
			for v := range cat.Views(schema) {
				if !yield(text{node: v.Body, home: names.HomeOf(v.Schema), view: v}) {
					return
				}
			}
			for a := range cat.Assertions(schema) {
				if !yield(text{node: a.X, home: names.HomeOf(a.Schema), assertion: a}) {
					return
				}
			}
		}
	}
}

func yieldTable(t *catalog.Table, names *catalog.Names, yield func(text) bool) bool {
	for e := range t.Expressions() {
		if !yield(text{node: e.X, home: names.RowHome(t, e.Kind), table: t, expr: e}) {
			return false
		}
	}
	return true
}

// describe names the text as the reason of a refusal, behind "it is referenced by"; owner is the table that the refused
// change is about.
func (x text) describe(owner *catalog.Table) string {
	if x.assertion != nil {
		return fmt.Sprintf("assertion '%s'", x.assertion.Name)
	}
	var what string
	switch e := x.expr; e.Kind {
	case catalog.GeneratedExpression:
		if x.table == owner {
			what = fmt.Sprintf("generated column '%s'", x.table.Columns[e.Column].Name)
		} else {
			what = fmt.Sprintf("the GENERATED expression of column '%s'", x.table.Columns[e.Column].Name)
		}
	case catalog.DefaultExpression:
		what = fmt.Sprintf("the DEFAULT of column '%s'", x.table.Columns[e.Column].Name)
	case catalog.IndexPredicate:
		what = fmt.Sprintf("the WHERE clause of partial index '%s'", x.table.Indexes[e.Index].Name)
	case catalog.IndexMemberExpression:
		what = fmt.Sprintf("the expression of index '%s'", x.table.Indexes[e.Index].Name)
	case catalog.CheckExpression:
		if name := x.table.Checks[e.Check].Name; name != "" {
			what = fmt.Sprintf("CHECK constraint '%s'", name)
		} else {
			what = fmt.Sprintf("the CHECK constraint (%s)", ast.Format(e.X))
		}
	}
	if x.table != owner {
		what += fmt.Sprintf(" on table '%s'", x.table.Name)
	}
	return what
}
