package alter

import (
	"fmt"
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
)

// describe names a text as the reason of a refusal, after "it is referenced by"; owner is the table that the refused
// change is about.
func describe(x catalog.Text, owner *catalog.Table) string {
	if a, ok := x.Owner.(*catalog.Assertion); ok {
		return fmt.Sprintf("assertion '%s'", a.Name)
	}
	var what string
	t := x.Owner.(*catalog.Table)
	switch e := x.Expression; e.Kind {
	case catalog.GeneratedExpression:
		if t == owner {
			what = fmt.Sprintf("generated column '%s'", t.Columns[e.Column].Name)
		} else {
			what = fmt.Sprintf("the GENERATED expression of column '%s'", t.Columns[e.Column].Name)
		}
	case catalog.DefaultExpression:
		what = fmt.Sprintf("the DEFAULT of column '%s'", t.Columns[e.Column].Name)
	case catalog.IndexPredicate:
		what = fmt.Sprintf("the WHERE clause of partial index '%s'", t.Indexes[e.Index].Name)
	case catalog.IndexMemberExpression:
		what = fmt.Sprintf("the expression of index '%s'", t.Indexes[e.Index].Name)
	case catalog.CheckExpression:
		if name := t.Checks[e.Check].Name; name != "" {
			what = fmt.Sprintf("CHECK constraint '%s'", name)
		} else {
			what = fmt.Sprintf("the CHECK constraint (%s)", ast.Format(e.X))
		}
	}
	if t != owner {
		what += fmt.Sprintf(" on table '%s'", t.Name)
	}
	return what
}
