package alter

import (
	"fmt"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// dropColumn removes a column. What is defined by a set of columns goes with it or is narrowed; an expression that reads it, and a
// foreign key that points at it, refuse (seed: DROP COLUMN).
func (c *change) dropColumn(t *catalog.Table, a *ast.DropColumn, ddl string) error {
	col, err := column(t, a.Column)
	if err != nil {
		return err
	}
	if t.InKey(col) && t.Key.Declared {
		return types.Errorf(types.CONSTRAINT, "Cannot drop PRIMARY KEY column '%s' from table '%s'", t.Columns[col].Name, t.Name)
	}
	if len(t.Columns) == 1 {
		return types.Errorf(types.ERROR, "Cannot drop the last column '%s' of table '%s'", t.Columns[col].Name, t.Name)
	}
	if t.InKey(col) {
		return types.Errorf(types.CONSTRAINT, "Cannot drop PRIMARY KEY column '%s' from table '%s': without a declared key every column is one", t.Columns[col].Name, t.Name)
	}
	if err := c.checkColumnUnused(t, col); err != nil {
		return err
	}
	if _, err := c.alterer(t, "ALTER TABLE DROP COLUMN"); err != nil {
		return err
	}
	return c.rework(rework{before: t, after: t.ShiftForDrop(col).Table, what: "ALTER TABLE DROP COLUMN", ddl: ddl})
}

// checkColumnUnused refuses to drop a column that something still names.
func (c *change) checkColumnUnused(t *catalog.Table, col int) error {
	name := t.Columns[col].Name
	what := fmt.Sprintf("Cannot drop column '%s' from '%s'", name, t.Name)
	g := guard{change: c, schema: t.Schema, name: t.Name, column: name, owner: t, skip: func(x catalog.Text) bool {
		return x.Owner == catalog.Object(t) && x.Expression.Column == col // its own default or generated expression goes with it
	}}
	r := g.first()
	if r != nil && !isAssertion(r.text) {
		return g.refusal(r, what, "drop or change that first")
	}
	if err := c.checkNotParentColumn(t, col, what); err != nil {
		return err
	}
	if r == nil {
		return nil
	}
	if r.broken == nil {
		r.path = "" // an assertion is named, however it gets at the column
	}
	return g.refusal(r, what, "drop the assertion first")
}

// checkNotParentColumn refuses to drop a column that a foreign key names as one of its parent columns, whether foreign keys are
// enforced or not. A key that goes with the column is no obstacle.
func (c *change) checkNotParentColumn(t *catalog.Table, col int, what string) error {
	for _, child := range c.env.Catalog().Children(t.Schema, t.Name) {
		for _, fk := range child.ForeignKeys {
			schema, parent := fk.ParentName(child)
			if !types.EqualFold(schema, t.Schema) || !types.EqualFold(parent, t.Name) {
				continue
			}
			if child == t && slices.Contains(fk.Columns, col) {
				continue
			}
			for _, p := range fk.ParentColumns {
				if types.EqualFold(p, t.Columns[col].Name) {
					return types.Errorf(types.CONSTRAINT, "%s: it is referenced by foreign key '%s' on table '%s'", what, fk.Name, child.Name)
				}
			}
		}
	}
	return nil
}
