package alter

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// setDefault gives a column another default, or none; rows that are there stay.
func (c *change) setDefault(t *catalog.Table, a *ast.SetDefault) error {
	col, err := column(t, a.Column)
	if err != nil {
		return err
	}
	if a.X == nil {
		return c.replace(t.WithColumn(col, func(x *catalog.Column) { x.Default = nil }))
	}
	if t.Columns[col].Generated != nil {
		return types.Errorf(types.ERROR, "Column '%s' of table '%s' cannot have both DEFAULT and GENERATED ALWAYS AS", t.Columns[col].Name, t.Name)
	}
	after := t.WithColumn(col, func(x *catalog.Column) { x.Default = a.X })
	build := c.buildEnv(c.env.Catalog().Edit())
	for e := range after.Expressions() {
		if e.Kind == catalog.DefaultExpression && e.Column == col {
			if err := build.CheckRowExpression(after, e); err != nil {
				return err
			}
		}
	}
	if _, _, err := after.Columns[col].LiteralDefault(); err != nil {
		return err
	}
	return c.replace(after)
}

// setNotNull makes a column refuse NULL, filling the NULLs that are there from a literal default; or allows it NULL.
func (c *change) setNotNull(t *catalog.Table, a *ast.SetNotNull, ddl string) error {
	col, err := column(t, a.Column)
	if err != nil {
		return err
	}
	old := t.Columns[col]
	if old.NotNull == !a.Drop {
		return nil
	}
	after := t.WithColumn(col, func(x *catalog.Column) { x.NotNull = !a.Drop })
	if a.Drop {
		return c.replace(after)
	}
	fill, isLiteral, err := old.LiteralDefault()
	if err != nil {
		return err
	}
	n, err := c.env.Count(c.ctx, selectRows(t, &ast.Is{X: columnRef("", old.Name), Op: ast.IsNull}), 1)
	if err != nil {
		return err
	}
	if n == 0 {
		return c.replace(after)
	}
	if !isLiteral || fill.IsNull() {
		refusal := types.Errorf(types.CONSTRAINT, "Column '%s' of table '%s' contains NULL values; give it a literal default to fill them, or update them first", old.Name, t.Name)
		return c.blameRows(refusal, t, func(row types.Row) bool { return row[col].IsNull() })
	}
	fill = fill.Clone()
	w := rework{before: t, after: after, what: "ALTER COLUMN SET NOT NULL", ddl: ddl, changed: []int{col}}
	w.convert = func(dst, src types.Row) error {
		copy(dst, src)
		if dst[col].IsNull() {
			dst[col] = fill
		}
		return nil
	}
	return c.reworkValues(w, col)
}

// setDataType gives a column another type. Between aliases nothing is touched; else every value is converted as an INSERT of
// it would be, and whatever orders by the column is written anew.
func (c *change) setDataType(t *catalog.Table, a *ast.SetDataType, ddl string) error {
	col, err := column(t, a.Column)
	if err != nil {
		return err
	}
	old := t.Columns[col]
	if t.InKey(col) {
		return types.Errorf(types.CONSTRAINT, "Cannot SET DATA TYPE on PRIMARY KEY column '%s' of table '%s'", old.Name, t.Name)
	}
	reg := c.env.BuildEnv(c.env.Catalog().Edit()).Types
	to := reg.Lookup(a.Type.Name)
	for _, c := range collationsOf(t, col) {
		if _, err := reg.CheckCollation(to, c.Name, old.Name); err != nil {
			return err
		}
	}
	after := t.WithColumn(col, func(x *catalog.Column) { x.TypeName, x.Type = ast.Format(&a.Type), to })
	if to == old.Type {
		return c.replace(after)
	}
	if _, _, err := after.Columns[col].LiteralDefault(); err != nil {
		return err
	}
	w := rework{before: t, after: after, what: "ALTER COLUMN SET DATA TYPE", ddl: ddl, changed: []int{col}}
	if old.Generated == nil { // else it is computed anew
		convert := types.WriteConverter(to, old.Name)
		w.convert = func(dst, src types.Row) (err error) {
			copy(dst, src)
			if dst[col], err = convert(src[col]); err != nil {
				return types.Wrapf(types.MISMATCH, err, "Cannot convert value in column '%s' of table '%s'", old.Name, t.Name)
			}
			return checkNotNull(after, col, dst)
		}
	}
	return c.reworkValues(w, col)
}

// collationsOf gives the collations under which a column is kept: its own, and those of the indexes on it.
func collationsOf(t *catalog.Table, col int) []*types.Collation {
	out := []*types.Collation{t.Columns[col].Collation}
	for _, ix := range t.Indexes {
		for _, m := range ix.Members {
			if m.X == nil && m.Column == col {
				out = append(out, m.Collation)
			}
		}
	}
	return out
}

// setCollate gives a column another collation. Structures that order by it are written anew and their uniqueness proved.
func (c *change) setCollate(t *catalog.Table, a *ast.SetCollate, ddl string) error {
	col, err := column(t, a.Column)
	if err != nil {
		return err
	}
	old := t.Columns[col]
	reg := c.env.BuildEnv(c.env.Catalog().Edit()).Types
	collation, err := reg.CheckCollation(old.Type, a.Collation.Text, old.Name)
	if err != nil {
		return err
	}
	rank := types.RankDeclared
	if collation == types.Binary {
		rank = types.RankDefault // it restores the default
	}
	after := t.WithColumn(col, func(x *catalog.Column) { x.Collation, x.CollationRank = collation, rank })
	if collation == old.Collation {
		return c.replace(after)
	}
	for i, ix := range after.Indexes {
		after = after.WithIndex(i, func(n *catalog.Index) { n.Members = ix.Recollated(col, old.Collation, collation) })
	}
	return c.reworkValues(rework{before: t, after: after, what: "ALTER COLUMN SET COLLATE", ddl: ddl}, col)
}
