package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
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

// offending finds the rows because of which a step was refused, in the state in which it was; nil when none are to blame, or when they
// cannot be told by reading what is stored.
func (m *migration) offending(ctx context.Context, s ast.Stmt) *Offending {
	found := &Offending{}
	if err := m.blame(ctx, s, found); err != nil {
		m.tx.db.opts.Logger.Warn("the rows that stand in the way of a step cannot be told", "step", m.at, "error", err)
		return nil
	}
	if found.Count == 0 {
		return nil
	}
	return found
}

func (m *migration) blame(ctx context.Context, s ast.Stmt, found *Offending) error {
	switch s := s.(type) {
	case *ast.AlterStmt:
		if t := m.table(s.Name); t != nil {
			return m.blameAlter(ctx, t, s.Action, found)
		}
	case *ast.CreateIndexStmt:
		if t := m.table(s.Table); t != nil && s.Unique && s.Where == nil {
			return m.repeated(ctx, t, plainMembers(s.Columns), found)
		}
	}
	return nil
}

func (m *migration) table(name ast.QName) *catalog.Table {
	n := nameOf(name)
	return m.tx.cat.Table(n.schema, n.name)
}

// plainMembers lists the columns of an index; nil when a member is more than a column under its own collation.
func plainMembers(members []ast.IndexColumn) []ast.Name {
	var out []ast.Name
	for _, c := range members {
		ref, isColumn := c.X.(*ast.ColumnRef)
		if !isColumn || !c.Collation.IsZero() {
			return nil
		}
		out = append(out, ref.Column)
	}
	return out
}

func (m *migration) blameAlter(ctx context.Context, t *catalog.Table, a ast.AlterAction, found *Offending) error {
	switch a := a.(type) {
	case *ast.SetDataType:
		return m.unconvertible(ctx, t, a, found)
	case *ast.SetNotNull:
		return m.find(ctx, t, "where "+quoted(a.Column.Text)+" is null", found)
	case *ast.AddColumn:
		if !hasValue(a.Column) {
			return m.find(ctx, t, "", found)
		}
	case *ast.AlterPrimaryKey:
		columns := make([]ast.Name, len(a.Key))
		for i, k := range a.Key {
			columns[i] = k.Name
		}
		return m.repeated(ctx, t, columns, found)
	case *ast.AddConstraint:
		switch a.Constraint.Kind {
		case ast.UniqueClause:
			return m.repeated(ctx, t, a.Constraint.Columns, found)
		case ast.ForeignKeyClause:
			return m.orphans(ctx, t, a.Constraint, found)
		}
	}
	return nil
}

// hasValue reports whether a new column has something for the rows that are there.
func hasValue(c *ast.ColumnDef) bool {
	for _, k := range c.Constraints {
		if k.Kind == ast.DefaultClause || k.Kind == ast.GeneratedClause {
			return true
		}
	}
	return false
}

// judgeCheck finds the rows that break a CHECK which a step has added: an error comes with them.
func (m *migration) judgeCheck(ctx context.Context, s ast.Stmt) (found *Offending, err error) {
	alter, ok := s.(*ast.AlterStmt)
	if !ok {
		return nil, nil
	}
	a, ok := alter.Action.(*ast.AddConstraint)
	if !ok || a.Constraint.Kind != ast.CheckClause {
		return nil, nil
	}
	t := m.table(alter.Name)
	n := len(t.Checks) - 1 // the one that was added
	if t.Checks[n].Ops&(ast.OnInsert|ast.OnUpdate) == 0 {
		return nil, nil // it is for rows that go
	}
	found = &Offending{}
	switch err := m.breaking(ctx, t, n, found); {
	case errors.Is(err, types.NOTFOUND): // a table that the rule reads may come later
		return nil, nil
	case err != nil:
		return nil, err
	case found.Count == 0:
		return nil, nil
	}
	return found, types.Errorf(types.CONSTRAINT, "CHECK constraint failed: %s: rows of %s that are there break it", ast.Format(a.Constraint), t.Name)
}

// breaking finds the rows of which a CHECK is false.
func (m *migration) breaking(ctx context.Context, t *catalog.Table, check int, found *Offending) (err error) {
	env := &alterEnv{tx: m.tx}
	defer func() {
		if e := env.close(); err == nil {
			err = e
		}
	}()
	x := catalog.Expression{Kind: catalog.CheckExpression, Column: -1, Check: check, Index: -1, Member: -1, X: t.Checks[check].X}
	rule, err := env.CompileExpression(ctx, m.tx.cat, t, x)
	if err != nil {
		return err
	}
	key := t.KeyColumns()
	return env.EachRow(ctx, t, func(row types.Row) error {
		v, err := rule.Eval(row)
		if err != nil {
			return err
		}
		if truth, known := types.Truth(v); known && !truth {
			found.add(pick(row, key))
		}
		return nil
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

// unconvertible finds the rows whose value does not convert.
func (m *migration) unconvertible(ctx context.Context, t *catalog.Table, a *ast.SetDataType, found *Offending) error {
	col := t.ColumnIndex(a.Column.Text)
	if col < 0 {
		return nil
	}
	convert := types.WriteConverter(m.tx.db.types.Lookup(a.Type.Name), t.Columns[col].Name)
	key := t.KeyColumns()
	env := &alterEnv{tx: m.tx}
	return env.EachRow(ctx, t, func(row types.Row) error {
		if row[col].IsNull() {
			return nil
		}
		if _, err := convert(row[col]); err != nil {
			found.add(pick(row, key))
		}
		return nil
	})
}

// repeated finds the rows that are equal to others in columns of which none is NULL.
func (m *migration) repeated(ctx context.Context, t *catalog.Table, columns []ast.Name, found *Offending) error {
	if len(columns) == 0 {
		return nil
	}
	var names, there, same []string
	for _, c := range columns {
		q := quoted(c.Text)
		names, there, same = append(names, q), append(there, q+" is not null"), append(same, "a."+q+" = d."+q)
	}
	list := strings.Join(names, ", ")
	return m.find(ctx, t, fmt.Sprintf("join (select %s from %s where %s group by %s having count(*) > 1) as d on %s",
		list, relation(t.Schema, t.Name), strings.Join(there, " and "), list, strings.Join(same, " and ")), found)
}

// orphans finds the rows without a parent.
func (m *migration) orphans(ctx context.Context, t *catalog.Table, c *ast.TableConstraint, found *Offending) error {
	name := c.References.Table
	if name.Schema.IsZero() {
		name.Schema = ast.Name{Text: t.Schema}
	}
	parent := m.table(name)
	var there, same []string
	for _, n := range c.Columns {
		there = append(there, "a."+quoted(n.Text)+" is not null")
	}
	if parent == nil {
		return m.find(ctx, t, "where "+strings.Join(there, " and "), found)
	}
	up := c.References.Columns
	if up == nil {
		for _, k := range parent.KeyColumns() {
			up = append(up, ast.Name{Text: parent.Columns[k].Name})
		}
	}
	for i, n := range up[:min(len(up), len(c.Columns))] {
		same = append(same, "p."+quoted(n.Text)+" = a."+quoted(c.Columns[i].Text))
	}
	return m.find(ctx, t, fmt.Sprintf("where %s and not exists (select 1 from %s as p where %s)",
		strings.Join(there, " and "), relation(parent.Schema, parent.Name), strings.Join(same, " and ")), found)
}

// find reads the keys of the rows of t, which goes by the name a, that what follows FROM leaves.
func (m *migration) find(ctx context.Context, t *catalog.Table, rest string, found *Offending) (err error) {
	var key []string
	for _, c := range t.KeyColumns() {
		key = append(key, "a."+quoted(t.Columns[c].Name))
	}
	items, order := "1", ""
	if key != nil {
		items = strings.Join(key, ", ")
		order = " order by " + items
	}
	stmts, err := parse.Stmts(ast.NewSource("", "select "+items+" from "+relation(t.Schema, t.Name)+" as a "+rest+order))
	if err != nil {
		return err
	}
	rows, err := m.tx.conn.queryOn(ctx, m.tx.reading(), stmts[0].(*ast.SelectStmt), Params{})
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
