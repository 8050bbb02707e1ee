package alter

import (
	"errors"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// A generated column holds what its expression gives, also after an ALTER has changed what the expression reads: it is computed anew
// in the pass that changes it, with what reads it in turn.

// reworkValues is rework for a change of some columns' values, or of how they compare, with the generated columns that read them.
func (c *change) reworkValues(w rework, columns ...int) error {
	stale, err := c.staleColumns(w.after, columns, w.changed)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(stale, func(i int) bool { return ast.HoldsQuery(w.after.Columns[i].Generated) }) {
		if err := c.recomputing(&w, stale); err != nil {
			return err
		}
		return c.reworkAndTell(w, append(stale, columns...))
	}
	// What reads the table itself has to see its new rows: a pass of its own.
	if err := c.reworkAndTell(w, columns); err != nil {
		return err
	}
	now := c.env.Catalog().Table(w.after.Schema, w.after.Name)
	second := rework{before: now, after: now, what: w.what, ddl: w.ddl}
	if err := c.recomputing(&second, stale); err != nil {
		return err
	}
	return c.reworkAndTell(second, stale)
}

func (c *change) reworkAndTell(w rework, columns []int) error {
	if err := c.rework(w); err != nil {
		return err
	}
	c.env.Changed(w.after, columns)
	return nil
}

// staleColumns lists the generated columns of t that read any of the columns, directly or through each other, and those whose own
// values change; each behind those that it reads.
func (c *change) staleColumns(t *catalog.Table, columns, changed []int) ([]int, error) {
	if !slices.ContainsFunc(t.Columns, func(x *catalog.Column) bool { return x.Generated != nil }) {
		return nil, nil
	}
	names := c.env.Names(with(c.env.Catalog(), t))
	reads := map[int][]int{}
	order, err := t.GeneratedOrder(func(column int) []int {
		if reads[column] == nil {
			reads[column] = t.ColumnsRead(column, names)
		}
		return reads[column]
	})
	if err != nil {
		return nil, err
	}
	var stale []int
	for _, i := range order {
		isTouched := func(r int) bool { return slices.Contains(columns, r) || slices.Contains(stale, r) }
		if slices.Contains(changed, i) || slices.ContainsFunc(reads[i], isTouched) {
			stale = append(stale, i)
		}
	}
	return stale, nil
}

// recomputing makes the conversion of a rework compute generated columns too, in the order given.
func (c *change) recomputing(w *rework, columns []int) error {
	if len(columns) == 0 {
		return nil
	}
	compute := make([]func(types.Row) error, len(columns))
	cat := with(c.env.Catalog(), w.after)
	for i, col := range columns {
		f, err := c.computing(cat, w.after, col)
		if err != nil {
			return err
		}
		compute[i] = f
		if !slices.Contains(w.changed, col) {
			w.changed = append(w.changed, col)
		}
	}
	convert := w.convert
	w.convert = func(dst, src types.Row) error {
		if convert == nil {
			copy(dst, src)
		} else if err := convert(dst, src); err != nil {
			return err
		}
		for i, col := range columns {
			if err := compute[i](dst); err != nil {
				return err
			}
			if err := checkNotNull(w.after, col, dst); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}

// computing makes the function that computes a column of a row from its expression: evaluate, convert as an INSERT does.
func (c *change) computing(cat *catalog.Snapshot, t *catalog.Table, at int) (func(types.Row) error, error) {
	col := t.Columns[at]
	value, err := c.env.CompileExpression(c.ctx, cat, t, valueExpression(t, at))
	if err != nil {
		return nil, err
	}
	convert := types.WriteConverter(col.Type, col.Name)
	if value.Type == col.Type {
		convert = types.WriteGuard(col.Type, col.Name)
	}
	return func(row types.Row) error {
		row[at] = types.Null
		v, err := value.Eval(row)
		if err != nil {
			return err
		}
		row[at], err = convert(v)
		return err
	}, nil
}

// valueExpression gives the expression that computes a column.
func valueExpression(t *catalog.Table, column int) catalog.Expression {
	for e := range t.Expressions() {
		if e.Column == column {
			return e
		}
	}
	panic(errors.New("a column that is computed per row has an expression"))
}

// checkNotNull refuses NULL in a column that allows none.
func checkNotNull(t *catalog.Table, at int, row types.Row) error {
	if col := t.Columns[at]; col.NotNull && row[at].IsNull() {
		return types.Errorf(types.CONSTRAINT, "NOT NULL constraint failed: %s.%s", t.Name, col.Name)
	}
	return nil
}
