package plan

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

func (b *Binder) insertStmt(s *ast.InsertStmt) Node {
	return b.changeStmt(s.With, &s.WriteClauses, func() Node { return b.insert(s) })
}

// insert binds INSERT without its WITH.
func (b *Binder) insert(s *ast.InsertStmt) Node {
	t := b.target(&s.Table)
	if t == nil {
		return oneRow()
	}
	n := &Insert{Columns: b.insertColumns(t, s)}
	n.Or = s.Or
	cells := b.insertSource(n, t, s)
	if b.err != nil {
		return oneRow()
	}
	rs := b.newRuleSet(t, s.Or, s.Context)
	im := b.images(t)
	b.omitted(n, rs, im, cells)
	n.Rules = rs.rules(t, ast.OnInsert, im, nil)
	for i := range s.Upserts {
		n.Upserts = append(n.Upserts, b.upsert(&s.Upserts[i], rs, im))
	}
	name, schema := targetName(&s.Table, t)
	n.Returning = b.returning(s.Returning, rowNames{kind: "INSERT", name: name, schema: schema, row: im.new, new: im.new})
	rs.finish(&n.Write)
	return b.changed(n)
}

// insertColumns gives the columns that the source supplies: the listed ones, else all that are not generated.
func (b *Binder) insertColumns(t *catalog.Table, s *ast.InsertStmt) []int {
	var cols []int
	if s.Columns == nil {
		for i, c := range t.Columns {
			if c.Generated == nil && !s.DefaultValues {
				cols = append(cols, i)
			}
		}
		return cols
	}
	for _, name := range s.Columns {
		i := b.writableColumn(t, name, "INSERT into", "")
		if i >= 0 && slices.Contains(cols, i) {
			b.fail(name.Pos(), types.ERROR, "column '%s' specified more than once in INSERT into '%s'", name.Text, t.Name)
		}
		cols = append(cols, i)
	}
	return cols
}

// insertSource binds the source and compares its width with the columns. cells are the rows of a VALUES with a DEFAULT in it.
func (b *Binder) insertSource(n *Insert, t *catalog.Table, s *ast.InsertStmt) (cells [][]ast.Expr) {
	if s.DefaultValues {
		n.Source = oneRow()
		return nil
	}
	source := s.Source
	values, isValues := source.Body.(*ast.ValuesClause)
	if isValues && slices.ContainsFunc(values.Rows, hasDefaultCell) {
		cells = values.Rows
		source = clone(source)
		source.Body = &ast.ValuesClause{Span: values.Span, Rows: withoutDefaultCells(cells)}
	}
	n.Source = b.query(source, nil)
	got := len(n.Source.Output())
	switch {
	case b.err != nil || got == len(n.Columns):
	case isValues:
		b.fail(values.Pos(), types.ERROR, "Column count mismatch in VALUES clause. Expected %d columns, got %d.", len(n.Columns), got)
	default:
		b.fail(source.Pos(), types.ERROR, "Column count mismatch: the INSERT into '%s' writes %d columns, its source has %d.", t.Name, len(n.Columns), got)
	}
	return cells
}

func isDefaultCell(x ast.Expr) bool {
	_, ok := x.(*ast.DefaultCell)
	return ok
}

func hasDefaultCell(row []ast.Expr) bool { return slices.ContainsFunc(row, isDefaultCell) }

// withoutDefaultCells puts NULL where DEFAULT stands.
func withoutDefaultCells(rows [][]ast.Expr) [][]ast.Expr {
	out := make([][]ast.Expr, len(rows))
	for i, row := range rows {
		out[i] = slices.Clone(row)
		for j, x := range row {
			if cell, ok := x.(*ast.DefaultCell); ok {
				out[i][j] = &ast.Literal{Span: cell.Span, Kind: ast.NullLit}
			}
		}
	}
	return out
}

// omitted binds what fills the columns that rows leave out: those that the statement does not name, and where DEFAULT stands.
func (b *Binder) omitted(n *Insert, rs *ruleSet, im *images, cells [][]ast.Expr) {
	base := vtab.Columns(n.Columns...)
	if cells == nil {
		n.Omitted = []Defaults{rs.defaults(im, base)}
		return
	}
	var ways []vtab.ColumnSet
	for _, row := range cells {
		supplied := vtab.ColumnSet{}
		for i, x := range row {
			if !isDefaultCell(x) {
				supplied.Add(n.Columns[i])
			}
		}
		way := slices.IndexFunc(ways, supplied.Equal)
		if way < 0 {
			way = len(ways)
			ways = append(ways, supplied)
			n.Omitted = append(n.Omitted, rs.defaults(im, supplied))
		}
		n.OmittedBy = append(n.OmittedBy, way)
	}
}

// defaults binds the defaults of the columns that a row does not supply.
func (rs *ruleSet) defaults(im *images, supplied vtab.ColumnSet) Defaults {
	var d Defaults
	for i, c := range rs.target.Columns {
		if supplied.Has(i) || c.Generated != nil {
			continue
		}
		d = append(d, Computed{Column: i, X: rs.defaultOf(rs.target, i, im, &supplied)})
	}
	return d
}

// defaultOf binds the default of a column, nil when it has none. supplied are the columns that it may read, nil for all.
func (rs *ruleSet) defaultOf(t *catalog.Table, column int, im *images, supplied *vtab.ColumnSet) Expr {
	c := t.Columns[column]
	if c.Default == nil {
		return nil
	}
	return rs.bind(t, c.Default, Use{Mode: DefaultExpr, Column: c.Name, Supplied: supplied}, im)
}

// upsert binds one ON CONFLICT clause. proposed are the images of the row that the INSERT would write.
func (b *Binder) upsert(u *ast.Upsert, rs *ruleSet, proposed *images) *Upsert {
	t := rs.target
	n := &Upsert{Any: u.Columns == nil}
	if !n.Any {
		n.Targets = b.upsertTargets(u, t)
	}
	if !u.Update {
		return n
	}
	im := b.images(t)
	s := &Scope{
		sources: []*source{
			{name: types.Fold(t.Name), schema: types.Fold(t.Schema), cols: im.old},
			{name: "new", cols: proposed.new}, {name: "excluded", cols: proposed.new},
		},
		visible: visibles(im.old),
	}
	b.unchanging("DO UPDATE", func() {
		n.Set = b.assignments(t, u.Set, s, " for DO UPDATE SET", "ON CONFLICT DO UPDATE on")
		if u.Where != nil {
			n.Where = b.expr(u.Where, s)
		}
	})
	n.Rules = rs.rules(t, ast.OnUpdate, im, n.Set)
	return n
}

// assignments binds SET.
func (b *Binder) assignments(t *catalog.Table, list []ast.Assignment, s *Scope, clause, statement string) []Computed {
	var set []Computed
	for _, a := range list {
		i := b.writableColumn(t, a.Column, "UPDATE", clause)
		if i < 0 {
			continue
		}
		if slices.ContainsFunc(set, func(c Computed) bool { return c.Column == i }) {
			b.fail(a.Column.Pos(), types.ERROR, "duplicate assignment to column '%s' in %s '%s'", a.Column.Text, statement, t.Name)
		}
		set = append(set, Computed{Column: i, X: b.expr(a.X, s)})
	}
	return set
}

// upsertTargets finds the uniqueness rules whose columns a clause names, in any order.
func (b *Binder) upsertTargets(u *ast.Upsert, t *catalog.Table) []UpsertTarget {
	var cols []int
	for _, name := range u.Columns {
		i := t.ColumnIndex(name.Text)
		if i < 0 {
			b.noColumn(t, name, "Column '%s' not found in table '%s' for ON CONFLICT target", name.Text, t.Name)
			return nil
		}
		if !slices.Contains(cols, i) {
			cols = append(cols, i)
		}
	}
	slices.Sort(cols)
	same := func(rule []int) bool {
		rule = slices.Clone(rule)
		slices.Sort(rule)
		return slices.Equal(slices.Compact(rule), cols)
	}
	var targets []UpsertTarget
	if key := t.KeyColumns(); same(key) {
		targets = append(targets, upsertTarget(t, key, nil, true))
	}
	for _, rule := range t.UniqueRules() {
		if rule.Columns() != nil && same(rule.Columns()) {
			targets = append(targets, upsertTarget(t, rule.Columns(), rule.Index, false))
		}
	}
	return targets
}

// upsertTarget gives a rule's comparisons: by the columns' collations, or by those of the index.
func upsertTarget(t *catalog.Table, cols []int, ix *catalog.Index, nulls bool) UpsertTarget {
	u := UpsertTarget{Columns: cols, Nulls: nulls}
	for i, c := range cols {
		coll := t.Columns[c].Collation
		if ix != nil {
			coll = ix.Members[i].Collation
		}
		u.By = append(u.By, types.NewComparator(t.Columns[c].Type, coll))
	}
	return u
}
