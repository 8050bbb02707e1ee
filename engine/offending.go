package engine

import (
	"context"
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
func (t *tx) offending(ctx context.Context, s ast.Stmt) *Offending {
	found := &Offending{}
	if err := t.blame(ctx, s, found); err != nil {
		t.db.opts.Logger.Warn("the rows that stand in the way of a step cannot be told", "step", abridge(ast.Format(s)), "error", err)
		return nil
	}
	if found.Count == 0 {
		return nil
	}
	return found
}

func (t *tx) blame(ctx context.Context, s ast.Stmt, found *Offending) error {
	switch s := s.(type) {
	case *ast.AlterStmt:
		if on := t.table(s.Name); on != nil {
			return t.blameAlter(ctx, on, s.Action, found)
		}
	case *ast.CreateIndexStmt:
		if on := t.table(s.Table); on != nil && s.Unique && s.Where == nil {
			return t.repeated(ctx, on, plainMembers(s.Columns), found)
		}
	}
	return nil
}

func (t *tx) table(name ast.QName) *catalog.Table {
	n := nameOf(name)
	return t.cat.Table(n.schema, n.name)
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

func (t *tx) blameAlter(ctx context.Context, on *catalog.Table, a ast.AlterAction, found *Offending) error {
	switch a := a.(type) {
	case *ast.SetDataType:
		return t.unconvertible(ctx, on, a, found)
	case *ast.SetNotNull:
		return t.findRows(ctx, on, "where "+quoted(a.Column.Text)+" is null", found)
	case *ast.AddColumn:
		if !hasValue(a.Column) {
			return t.findRows(ctx, on, "", found)
		}
	case *ast.AlterPrimaryKey:
		columns := make([]ast.Name, len(a.Key))
		for i, k := range a.Key {
			columns[i] = k.Name
		}
		return t.repeated(ctx, on, columns, found)
	case *ast.AddConstraint:
		switch a.Constraint.Kind {
		case ast.UniqueClause:
			return t.repeated(ctx, on, a.Constraint.Columns, found)
		case ast.ForeignKeyClause:
			if fk, err := catalog.BuildForeignKey(a.Constraint, on); err == nil {
				return t.orphans(ctx, on, fk, found)
			}
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

// pick gives some columns of a row.
func pick(row types.Row, columns []int) types.Row {
	out := make(types.Row, len(columns))
	for i, c := range columns {
		out[i] = row[c]
	}
	return out
}

// unconvertible finds the rows whose value does not convert.
func (t *tx) unconvertible(ctx context.Context, on *catalog.Table, a *ast.SetDataType, found *Offending) error {
	col := on.ColumnIndex(a.Column.Text)
	if col < 0 {
		return nil
	}
	convert := types.WriteConverter(t.db.types.Lookup(a.Type.Name), on.Columns[col].Name)
	key := on.KeyColumns()
	env := &alterEnv{tx: t}
	return env.EachRow(ctx, on, func(row types.Row) error {
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
func (t *tx) repeated(ctx context.Context, on *catalog.Table, columns []ast.Name, found *Offending) error {
	if len(columns) == 0 {
		return nil
	}
	var names, there, same []string
	for _, c := range columns {
		q := quoted(c.Text)
		names, there, same = append(names, q), append(there, q+" is not null"), append(same, "a."+q+" = d."+q)
	}
	list := strings.Join(names, ", ")
	return t.findRows(ctx, on, fmt.Sprintf("join (select %s from %s where %s group by %s having count(*) > 1) as d on %s",
		list, relation(on.Schema, on.Name), strings.Join(there, " and "), list, strings.Join(same, " and ")), found)
}

// orphans finds the rows without a parent.
func (t *tx) orphans(ctx context.Context, child *catalog.Table, fk *catalog.ForeignKey, found *Offending) error {
	parent := t.cat.Table(fk.ParentName(child))
	var there, same []string
	for _, i := range fk.Columns {
		there = append(there, "a."+quoted(child.Columns[i].Name)+" is not null")
	}
	if parent == nil {
		return t.findRows(ctx, child, "where "+strings.Join(there, " and "), found)
	}
	up, ok := fk.ParentPositions(parent)
	if !ok {
		return nil
	}
	for i, col := range fk.Columns {
		same = append(same, "p."+quoted(parent.Columns[up[i]].Name)+" = a."+quoted(child.Columns[col].Name))
	}
	return t.findRows(ctx, child, fmt.Sprintf("where %s and not exists (select 1 from %s as p where %s)",
		strings.Join(there, " and "), relation(parent.Schema, parent.Name), strings.Join(same, " and ")), found)
}

// findRows reads the keys of the rows of a table, which goes by the name a, that what follows FROM leaves.
func (t *tx) findRows(ctx context.Context, on *catalog.Table, rest string, found *Offending) (err error) {
	var key []string
	for _, c := range on.KeyColumns() {
		key = append(key, "a."+quoted(on.Columns[c].Name))
	}
	items, order := "1", ""
	if key != nil {
		items = strings.Join(key, ", ")
		order = " order by " + items
	}
	stmts, err := parse.Stmts(ast.NewSource("", "select "+items+" from "+relation(on.Schema, on.Name)+" as a "+rest+order))
	if err != nil {
		return err
	}
	rows, err := t.conn.queryOn(ctx, t.reading(), stmts[0].(*ast.SelectStmt), Params{})
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
