package engine

import (
	"context"

	"github.com/quereus/quereus-migrate/alter"
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// Offending are the rows that stand in the way of a step.
type Offending struct {
	Count int64
	// Keys are the primary keys of the first ones, in the order of the key; not more than ten.
	Keys []types.Row
}

// mostKeys is how many keys are told.
const mostKeys = 10

func (o *Offending) add(key types.Row) {
	if o.Count++; len(o.Keys) < mostKeys {
		o.Keys = append(o.Keys, key.Clone())
	}
}

// offenders collects the rows because of which a statement of a plan is refused. It satisfies alter.Offenders.
type offenders struct {
	env   *alterEnv
	found *Offending
}

var _ alter.Offenders = (*offenders)(nil)

// Row takes a row of a table.
func (o *offenders) Row(t *catalog.Table, row types.Row) { o.found.add(pick(row, t.KeyColumns())) }

// Orphans takes the rows of a table that have no parent.
func (o *offenders) Orphans(ctx context.Context, t *catalog.Table, fk *catalog.ForeignKey) error {
	return o.env.tx.orphans(ctx, t, fk, o.found)
}

// Rework takes the rows that do not convert, and those that become equal where rows must differ.
func (o *offenders) Rework(ctx context.Context, a *vtab.Alteration) error {
	read := o.env.tx.reading()
	rows, _, err := read.count(ctx, a.Before)
	if err = read.close(err); err != nil {
		return err
	}
	j, err := newReworkJudge(a, rows)
	if err != nil {
		return err
	}
	if err := o.env.EachRow(ctx, a.Before, j.survey); err != nil {
		return err
	}
	if !j.isSuspect() {
		return nil
	}
	if err := o.env.EachRow(ctx, a.Before, j.count); err != nil {
		return err
	}
	key := a.Before.KeyColumns()
	return o.env.EachRow(ctx, a.Before, func(row types.Row) error {
		offends, err := j.offends(row)
		if err == nil && offends {
			o.found.add(pick(row, key))
		}
		return err
	})
}

// pick gives some columns of a row.
func pick(row types.Row, columns []int) types.Row {
	out := make(types.Row, len(columns))
	for i, c := range columns {
		out[i] = row[c]
	}
	return out
}

// orphans finds the rows without a parent.
func (t *tx) orphans(ctx context.Context, child *catalog.Table, fk *catalog.ForeignKey, found *Offending) error {
	return t.orphansAmong(ctx, child, fk, nil, found)
}

// orphansAmong finds the rows without a parent among those that satisfy a condition over the child as alter.OrphansAlias, nil for all.
func (t *tx) orphansAmong(ctx context.Context, child *catalog.Table, fk *catalog.ForeignKey, test ast.Expr, found *Offending) error {
	parent := t.cat.Table(fk.ParentName(child))
	var up []int
	if parent != nil {
		var ok bool
		if up, ok = fk.ParentPositions(parent); !ok {
			return nil
		}
	}
	q := alter.Orphans(child, fk, parent, up)
	if core := q.Body.(*ast.SelectCore); test != nil {
		core.Where = &ast.Binary{Op: ast.OpAnd, L: test, R: core.Where}
	}
	return t.findRows(ctx, child, q, found)
}

// findRows reads the keys of rows of a table, in their order: those that a query selects, in which the table goes by the name a.
func (t *tx) findRows(ctx context.Context, on *catalog.Table, q *ast.SelectStmt, found *Offending) (err error) {
	key := on.KeyColumns()
	if len(key) > 0 {
		core := q.Body.(*ast.SelectCore)
		core.Items = nil
		for _, c := range key {
			x := &ast.ColumnRef{Table: ast.Ident(alter.OrphansAlias), Column: ast.Name{Text: on.Columns[c].Name, Quoted: true}}
			core.Items, q.OrderBy = append(core.Items, ast.SelectItem{X: x}), append(q.OrderBy, ast.OrderTerm{X: x})
		}
	}
	rows, err := t.conn.queryOn(ctx, t.reading(), q, Params{})
	if err != nil {
		return err
	}
	defer func() {
		if e := rows.Close(); err == nil {
			err = e
		}
	}()
	for {
		row, err := rows.Next()
		if row == nil || err != nil {
			return err
		}
		found.add(row[:len(key)])
	}
}

func quoted(name string) string { return string(ast.AppendQuoted(nil, name)) }

func relation(schema, name string) string { return quoted(schema) + "." + quoted(name) }
