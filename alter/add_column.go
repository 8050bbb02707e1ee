package alter

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
)

// addColumn adds a column behind the others. With a constant value for the rows that are there, and no inline constraint to prove,
// no row is touched.
func (c *change) addColumn(t *catalog.Table, a *ast.AddColumn, ddl string) error {
	w, err := c.newColumn(t, a.Column)
	if err != nil {
		return err
	}
	if _, err := c.alterer(t, "ALTER TABLE ADD COLUMN"); err != nil {
		return err
	}
	if w.source == noSource && w.column().NotNull {
		n, err := c.env.Count(c.ctx, selectRows(t, nil), 1)
		if err != nil {
			return err
		}
		if n > 0 {
			refusal := types.Errorf(types.CONSTRAINT, "NOT NULL constraint failed: %s.%s: the rows that are there would have no value for the new column; give it a default, make it null, or generate it",
				t.Name, w.column().Name)
			return c.blameRows(refusal, t, func(types.Row) bool { return true })
		}
	}
	if err := c.inlineConstraints(w, a.Column); err != nil {
		return err
	}
	work := rework{before: t, after: w.table, what: "ALTER TABLE ADD COLUMN", ddl: ddl}
	if w.source == perRow {
		if work.convert, err = c.backfill(w); err != nil {
			return err
		}
		work.changed = []int{w.position}
	}
	if err := c.rework(work); err != nil {
		return err
	}
	c.env.Added(w.table, w.position)
	return c.proveColumn(w)
}

// valueSource says where the rows that are there get the value of a new column from.
type valueSource uint8

const (
	noSource valueSource = iota // nowhere: NULL
	constant                    // one value for all, in Column.Fill
	perRow                      // an expression over the row
)

// newColumn is a column under way, in the table that has it.
type newColumn struct {
	table    *catalog.Table // with the column, and as they are built its inline constraints
	position int
	source   valueSource
	// checks, uniques and foreignKeys are how many of the table's constraints were there before.
	checks, uniques, foreignKeys int
}

func (w *newColumn) column() *catalog.Column { return w.table.Columns[w.position] }

// newColumn builds the column and judges its clauses.
func (c *change) newColumn(t *catalog.Table, def *ast.ColumnDef) (*newColumn, error) {
	if err := catalog.CheckItemTags(def); err != nil {
		return nil, err
	}
	if limits := c.env.Limits(); int64(len(t.Columns)) >= limits.Of(limit.Columns) {
		return nil, limits.Exceeded(limit.Columns, "more than %d columns of table '%s'", limits.Of(limit.Columns), t.Name)
	}
	build := c.buildEnv(c.env.Catalog().Edit())
	col, err := catalog.BuildColumn(def, build)
	if err != nil {
		return nil, err
	}
	w := &newColumn{table: t.WithAddedColumn(col), position: len(t.Columns),
		checks: len(t.Checks), uniques: len(t.Uniques), foreignKeys: len(t.ForeignKeys)}
	if col.Generated != nil {
		if err := catalog.CheckGenerated(w.table, build.Resolver); err != nil {
			return nil, err
		}
	}
	for e := range w.table.Expressions() {
		if e.Column != w.position {
			continue
		}
		if err := build.CheckRowExpression(w.table, e); err != nil {
			return nil, err
		}
	}
	if t.ColumnIndex(col.Name) >= 0 {
		return nil, types.Errorf(types.ERROR, "Column '%s' already exists in table '%s'", col.Name, t.Name)
	}
	for _, k := range def.Constraints {
		if k.Kind == ast.PrimaryKeyClause {
			return nil, types.Errorf(types.ERROR, "Cannot add a PRIMARY KEY column '%s' to table '%s'; add the column and then ALTER PRIMARY KEY", col.Name, t.Name)
		}
	}
	return w, w.settleSource()
}

// settleSource finds where the rows that are there get their value, and keeps a constant as the column's Fill.
func (w *newColumn) settleSource() error {
	col := w.column()
	v, isLiteral, err := col.LiteralDefault()
	switch {
	case err != nil:
		return err
	case col.Generated != nil, col.Default != nil && !isLiteral:
		w.source = perRow
	case isLiteral && !v.IsNull():
		w.source = constant
		w.table = w.table.WithColumn(w.position, func(x *catalog.Column) { x.Fill = v.Clone() })
	}
	return nil
}

// inlineConstraints adds the column's inline UNIQUE, CHECK and REFERENCES clauses to the table, judging their names (ADD COLUMN 6, 7).
func (c *change) inlineConstraints(w *newColumn, def *ast.ColumnDef) error {
	for _, k := range catalog.InlineConstraints(def) {
		if !k.Name.IsZero() {
			if err := checkConstraintName(w.table, k.Name.Text); err != nil {
				return err
			}
		}
		t, err := c.withConstraint(w.table, k, def.Name.Text)
		if err != nil {
			return err
		}
		w.table = t
	}
	return nil
}

// backfill makes the function that computes the new column for a row that is there: evaluate, convert as an INSERT does, then
// inline CHECKs, then NOT NULL (docs/reference/alter.md).
func (c *change) backfill(w *newColumn) (func(dst, src types.Row) error, error) {
	cat := with(c.env.Catalog(), w.table)
	compute, err := c.computing(cat, w.table, w.position)
	if err != nil {
		return nil, err
	}
	checks, err := c.compileChecks(cat, w)
	if err != nil {
		return nil, err
	}
	return func(dst, src types.Row) error {
		copy(dst, src)
		if err := compute(dst); err != nil {
			return err
		}
		for _, check := range checks {
			if err := check(dst); err != nil {
				return err
			}
		}
		return checkNotNull(w.table, w.position, dst)
	}, nil
}

// compileChecks compiles the inline CHECKs of the new column.
func (c *change) compileChecks(cat *catalog.Snapshot, w *newColumn) ([]func(types.Row) error, error) {
	var checks []func(types.Row) error
	for e := range w.table.Expressions() {
		if e.Kind != catalog.CheckExpression || e.Check < w.checks {
			continue
		}
		cond, err := c.env.CompileExpression(c.ctx, cat, w.table, e)
		if err != nil {
			return nil, err
		}
		name, text := w.table.CheckName(e.Check), ast.Format(e.X)
		checks = append(checks, func(r types.Row) error {
			v, err := cond.Eval(r)
			if err != nil {
				return err
			}
			if catalog.CheckFails(v) {
				return types.Errorf(types.CONSTRAINT, "CHECK constraint failed: %s (%s)", name, text)
			}
			return nil
		})
	}
	return checks, nil
}

// proveColumn tests the rows that are there against the new column's constraints that were not judged while it was filled.
func (c *change) proveColumn(w *newColumn) error {
	if err := c.proveChecks(w); err != nil {
		return err
	}
	t := c.env.Catalog().Table(w.table.Schema, w.table.Name)
	for i := w.foreignKeys; i < len(t.ForeignKeys); i++ {
		if err := c.proveForeignKey(t, t.ForeignKeys[i]); err != nil {
			return err
		}
	}
	return nil
}

// proveChecks tests the inline CHECKs on rows that got a constant or NULL.
func (c *change) proveChecks(w *newColumn) error {
	if w.source == perRow || len(w.table.Checks) == w.checks {
		return nil
	}
	t := c.env.Catalog().Table(w.table.Schema, w.table.Name)
	checks, err := c.compileChecks(c.env.Catalog(), w)
	if err != nil {
		return err
	}
	test := func(r types.Row) error {
		for _, check := range checks {
			if err := check(r); err != nil {
				return types.Wrapf(types.CONSTRAINT, err, "CHECK constraint of new column '%s' is violated by backfilled rows of table '%s'", w.column().Name, t.Name)
			}
		}
		return nil
	}
	if refusal := c.env.EachRow(c.ctx, t, test); refusal != nil {
		return c.blameRows(refusal, t, func(row types.Row) bool { return test(row) != nil })
	}
	return nil
}
