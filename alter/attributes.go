package alter

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// setGenerated makes a column generated, or gives it another expression: its values, and those of what reads it, are computed anew. Or it
// makes a plain column of a generated one, which keeps its values.
func (c *change) setGenerated(t *catalog.Table, a *ast.SetGenerated, ddl string) error {
	col, err := column(t, a.Column)
	if err != nil {
		return err
	}
	if a.X == nil {
		return c.replace(t.WithColumn(col, func(x *catalog.Column) { x.Generated, x.Stored = nil, false }))
	}
	if t.Columns[col].Default != nil {
		return types.Errorf(types.ERROR, "Column '%s' of table '%s' cannot have both DEFAULT and GENERATED ALWAYS AS; drop the default first", t.Columns[col].Name, t.Name)
	}
	after := t.WithColumn(col, func(x *catalog.Column) { x.Generated, x.Stored = a.X, a.Stored })
	build := c.buildEnv(c.env.Catalog().Edit())
	if err := catalog.CheckGenerated(after, build.Resolver); err != nil {
		return err
	}
	for e := range after.Expressions() {
		if e.Kind == catalog.GeneratedExpression && e.Column == col {
			if err := build.CheckRowExpression(after, e); err != nil {
				return err
			}
		}
	}
	return c.reworkValues(rework{before: t, after: after, what: "ALTER COLUMN SET GENERATED", ddl: ddl, changed: []int{col}}, col)
}

// setConflict gives the key, or the nullability of a column, another conflict action.
func (c *change) setConflict(t *catalog.Table, a *ast.SetConflict) error {
	action := catalog.ConflictOf(a.Action)
	if a.Column.IsZero() {
		after := t.Clone()
		after.Key.OnConflict = action
		return c.replace(after)
	}
	col, err := column(t, a.Column)
	if err != nil {
		return err
	}
	return c.replace(t.WithColumn(col, func(x *catalog.Column) { x.NotNullConflict = action }))
}

// setDeferral says when a foreign key is declared to be tested.
func (c *change) setDeferral(t *catalog.Table, a *ast.SetDeferral) error {
	ref, err := t.AddressConstraint(a.Name.Text)
	if err != nil {
		return err
	}
	if ref.Class != catalog.ForeignKeyClass {
		return types.Errorf(types.ERROR, "Constraint '%s' of table '%s' is no foreign key: only those are deferrable", a.Name.Text, t.Name)
	}
	return c.replace(t.WithForeignKey(ref.Position, func(k *catalog.ForeignKey) { k.Deferral = catalog.DeferralOf(a.Deferral) }))
}

// setContext gives the table other mutation-context variables. Its expressions have to make sense with them.
func (c *change) setContext(t *catalog.Table, a *ast.SetContext) error {
	build := c.buildEnv(c.env.Catalog().Edit())
	after := t.Clone()
	var err error
	if after.Context, err = catalog.BuildContext(a.Vars, build); err != nil {
		return err
	}
	for e := range after.Expressions() {
		if e.Kind != catalog.DefaultExpression && e.Kind != catalog.CheckExpression {
			continue
		}
		if err := build.CheckRowExpression(after, e); err != nil {
			return err
		}
	}
	return c.replace(after)
}

// setColumnOrder puts the columns into another order. No row is touched: which value is which the layouts of the rows say.
func (c *change) setColumnOrder(t *catalog.Table, a *ast.SetColumnOrder) error {
	order := make([]int, len(a.Columns))
	for i, name := range a.Columns {
		col, err := column(t, name)
		if err != nil {
			return err
		}
		if slices.Contains(order[:i], col) {
			return types.Errorf(types.ERROR, "Duplicate column '%s' in the order of columns of table '%s'", name.Text, t.Name)
		}
		order[i] = col
	}
	if len(order) != len(t.Columns) {
		return types.Errorf(types.ERROR, "the order of columns of table '%s' has to name all %d", t.Name, len(t.Columns))
	}
	return c.replace(t.Reordered(order))
}
