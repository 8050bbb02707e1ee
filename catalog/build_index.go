package catalog

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// BuildIndex makes the index that a CREATE INDEX on t defines, with ids and without entries. Whether its name is free is
// Snapshot.CheckIndexName's to judge. ERROR: an unknown column or collation, and expressions that cannot be indexed (docs/reference/language.md).
func BuildIndex(stmt *ast.CreateIndexStmt, t *Table, env BuildEnv) (*Index, error) {
	ix := &Index{Name: stmt.Name.Name.Text, Unique: stmt.Unique, Where: stmt.Where, Tags: BuildTags(stmt.Tags)}
	for i := range stmt.Columns {
		m, err := buildMember(&stmt.Columns[i], t, &env)
		if err != nil {
			return nil, about(stmt.Columns[i].X, err)
		}
		ix.Members = append(ix.Members, m)
	}
	if !env.stored {
		for e := range ix.Expressions() {
			if err := env.checkIndexExpression(t, e); err != nil {
				return nil, about(e.X, err)
			}
		}
	}
	ix.ID, ix.Seq = env.IDs.NewID(), env.IDs.NewSeq()
	return ix, nil
}

// buildMember makes one member. A column is one in any parentheses and under its table's name; a COLLATE that ends an expression
// is the member's.
func buildMember(c *ast.IndexColumn, t *Table, env *BuildEnv) (IndexMember, error) {
	m := IndexMember{Column: -1, X: stripParens(c.X), Collation: types.Binary, Desc: c.Desc}
	written := c.Collation
	if k, ok := m.X.(*ast.Collate); ok && written.IsZero() {
		m.X, written = stripParens(k.X), k.Collation
	}
	columnType, columnName := types.TypeAny, ""
	if r, ok := m.X.(*ast.ColumnRef); ok && t.isOwnColumn(r) {
		if m.Column = t.ColumnIndex(r.Column.Text); m.Column < 0 {
			return m, t.noColumn(r.Column.Text, "Column '%s' not found in table '%s'", r.Column.Text, t.Name)
		}
		col := t.Columns[m.Column]
		m.X, m.Collation, columnType, columnName = nil, col.Collation, col.Type, col.Name
	}
	if written.IsZero() {
		return m, nil
	}
	var err error
	m.IsWritten = true
	m.Collation, err = env.Types.CheckCollation(columnType, written.Text, columnName)
	return m, err
}

// isOwnColumn reports whether a reference names a column of the row by its bare name or under the table's.
func (t *Table) isOwnColumn(r *ast.ColumnRef) bool {
	q := t.qualifierOf(r)
	return q == bareName || q == rowName
}

// checkIndexExpression judges a member's expression or the predicate: what needs no binder, then env.CheckExpression, then
// whether a member reads the row at all.
func (env *BuildEnv) checkIndexExpression(t *Table, e Expression) error {
	if err := checkParameters(t, e); err != nil {
		return err
	}
	if err := checkNoSubquery(e); err != nil {
		return err
	}
	if e.Kind == IndexPredicate {
		if err := checkPredicateColumns(t, e); err != nil {
			return err
		}
	}
	if env.CheckExpression != nil {
		if err := env.CheckExpression(t, e); err != nil {
			return err
		}
	}
	if e.Kind == IndexMemberExpression {
		return checkMemberColumns(t, e)
	}
	return nil
}

func checkNoSubquery(e Expression) error {
	var found bool
	ast.Walk(e.X, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectStmt:
			found = true
		case *ast.In:
			found = found || n.Table != nil
		}
		return !found
	})
	switch {
	case !found:
		return nil
	case e.Kind == IndexPredicate:
		return types.Errorf(types.ERROR, "Unsupported expression in partial-index predicate: subquery")
	}
	return types.Errorf(types.ERROR, "Index expression %s holds a subquery", ast.Format(e.X))
}

func checkPredicateColumns(t *Table, e Expression) error {
	for _, r := range t.rowReferences(e.X) {
		if !t.isOwnColumn(r) || t.ColumnIndex(r.Column.Text) < 0 {
			return about(r, types.Errorf(types.ERROR, "Partial-index predicate cannot reference column '%s'", ast.Format(r)))
		}
	}
	return nil
}

func checkMemberColumns(t *Table, e Expression) error {
	refs := t.rowReferences(e.X)
	for _, r := range refs {
		if !t.isOwnColumn(r) || t.ColumnIndex(r.Column.Text) < 0 {
			return about(r, t.noColumn(r.Column.Text, "Column '%s' not found in table '%s'", ast.Format(r), t.Name))
		}
	}
	if len(refs) == 0 {
		return types.Errorf(types.ERROR, "Index expression %s reads no column of table '%s'", ast.Format(e.X), t.Name)
	}
	return nil
}
