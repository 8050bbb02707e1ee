package alter

import (
	"fmt"
	"iter"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
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

// rank orders the reasons of a refusal as spec 50 §2 orders the checks: own texts before others', kinds in order of the checks.
func (x text) rank(owner *catalog.Table) int {
	if x.assertion != nil {
		return 10
	}
	kinds := [...]int{
		catalog.GeneratedExpression: 0, catalog.IndexPredicate: 1, catalog.IndexMemberExpression: 2,
		catalog.DefaultExpression: 3, catalog.CheckExpression: 4,
	}
	if x.table == owner {
		return kinds[x.expr.Kind]
	}
	return 5 + kinds[x.expr.Kind]
}

// target is what a refused change would take away: a relation, or with column a column of it.
type target struct{ schema, name, column string }

// reach tells how a text reaches the target: directly (path "") or through views, whose path is told.
func (c *change) reach(x text, t target, names *catalog.Names) (path string, ok bool) {
	if ast.Mentions(x.node, x.home, t.schema, t.name, t.column) {
		return "", true
	}
	return c.throughViews(x.node, x.home, t, names, nil)
}

// throughViews follows the views that a text names, depth first; seen are those on the way.
func (c *change) throughViews(n ast.Node, home ast.Home, t target, names *catalog.Names, seen []*catalog.View) (path string, ok bool) {
	for _, q := range ast.Sources(n) {
		v := c.sourceView(q, home)
		if v == nil || slices.Contains(seen, v) {
			continue
		}
		step := fmt.Sprintf("view '%s'", v.Name)
		inner := names.HomeOf(v.Schema)
		if ast.Mentions(v.Body, inner, t.schema, t.name, t.column) {
			return step, true
		}
		if rest, ok := c.throughViews(v.Body, inner, t, names, append(seen, v)); ok {
			return step + " -> " + rest, true
		}
	}
	return "", false
}

func (c *change) sourceView(q ast.QName, home ast.Home) *catalog.View {
	if !q.Schema.IsZero() {
		return c.env.Catalog().View(q.Schema.Text, q.Name.Text)
	}
	v, _ := c.env.Catalog().Resolve(home.Path, q.Name.Text).(*catalog.View)
	return v
}

// reason is a text that stands in the way, with the path by which it reaches the target.
type reason struct {
	text text
	path string
}

// firstReason gives the reason that is reported: the first in the documented order, then in order of the catalog. nil when
// nothing stands in the way. skip leaves texts out that go with the change.
func (c *change) firstReason(t target, owner *catalog.Table, skip func(text) bool) *reason {
	var first *reason
	names := c.env.Names(c.env.Catalog())
	for x := range c.texts() {
		if x.view != nil || skip(x) || first != nil && first.text.rank(owner) <= x.rank(owner) {
			continue
		}
		if path, ok := c.reach(x, t, names); ok {
			first = &reason{x, path}
		}
	}
	return first
}

// refusal is the error of a change that a text stands in the way of; advice says what to do.
func (r *reason) refusal(what string, owner *catalog.Table, advice string) error {
	describe := r.text.describe(owner)
	msg := fmt.Sprintf("%s: it is referenced by %s", what, describe)
	if r.path != "" {
		msg = fmt.Sprintf("%s: %s reaches it through %s", what, describe, r.path)
	}
	return &types.Error{Code: types.CONSTRAINT, Message: msg, Hint: advice}
}
