package engine

import (
	"context"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/exec"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// Loader fills the tables that a migration has made, as a part of its transaction (see MigrateOptions.Load). It and the LoadTables
// that come from it are used by one goroutine, and only while the function that got it runs.
type Loader struct{ tx *tx }

// Table opens a table of the schema for rows that have a value for each of the columns. The others get their defaults. A column of type
// INTEGER, REAL, TEXT or BLOB takes values of that type and NULL only. The errors are those of an INSERT.
func (l *Loader) Table(ctx context.Context, schema, name string, columns []string) (*LoadTable, error) {
	t := l.tx.cat.Table(types.Fold(schema), name)
	if t == nil {
		return nil, types.Errorf(types.NOTFOUND, "no such table: %s", name)
	}
	params := plan.ParamTypes{Positional: make([]*types.Type, len(columns))}
	values := make([]ast.Expr, len(columns))
	names := make([]ast.Name, len(columns))
	for i, c := range columns {
		at := t.ColumnIndex(c)
		if at < 0 {
			return nil, types.Errorf(types.ERROR, "Column not found: %s", c)
		}
		names[i], values[i] = ast.Name{Text: c, Quoted: true}, &ast.Param{Index: i + 1}
		params.Positional[i] = plainType(t.Columns[at].Type)
	}
	stmt := &ast.InsertStmt{
		Table:   ast.Target{Name: ast.QName{Schema: ast.Ident(t.Schema), Name: ast.Name{Text: t.Name, Quoted: true}}},
		Columns: names,
		Source:  &ast.SelectStmt{Body: &ast.ValuesClause{Rows: [][]ast.Expr{values}}},
	}
	read := l.tx.reading()
	program, err := l.tx.conn.compile(ctx, read, nil, stmt, params)
	if err := firstOf(err, read.close(nil)); err != nil {
		return nil, err
	}
	return &LoadTable{tx: l.tx, table: t, program: program}, nil
}

// plainType is the type of a value that a column of the type takes as it is; nil when there are several.
func plainType(t *types.Type) *types.Type {
	switch t {
	case types.TypeInteger, types.TypeReal, types.TypeText, types.TypeBlob:
		return t
	}
	return nil
}

// LoadTable is a table that is being filled.
type LoadTable struct {
	tx      *tx
	table   *catalog.Table
	program *exec.Program
}

// Columns lists the columns of the table.
func (l *LoadTable) Columns() []*catalog.Column { return l.table.Columns }

// Insert adds rows. They are kept as they are and must not change afterwards. A row that breaks a rule fails them all: CONSTRAINT, or
// MISMATCH for a value that is none of its column's type.
func (l *LoadTable) Insert(ctx context.Context, rows [][]types.Value) (err error) {
	if len(rows) == 0 {
		return nil
	}
	read := l.tx.reading()
	defer func() { err = firstOf(err, read.close(nil)) }()
	_, err = l.program.RunBatch(ctx, l.tx.runtime(read, Params{Positional: rows[0]}), rows)
	return cancelled(ctx, err)
}

// Each reads the rows back, all columns of them, in the order of the key. The row is f's only until it returns.
func (l *LoadTable) Each(ctx context.Context, f func(types.Row) error) (err error) {
	env := &alterEnv{tx: l.tx}
	defer func() { err = firstOf(err, env.close()) }()
	return cancelled(ctx, env.EachRow(ctx, l.table, f))
}

// firstOf gives the first of two errors that is one.
func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// load fills the tables, once, when the first step comes that is about something else than a new table, or behind the last step.
func (m *migration) load(ctx context.Context, next ast.Stmt) error {
	if _, isTable := next.(*ast.CreateTableStmt); isTable || m.options.Load == nil || m.loaded || len(m.failed) > 0 {
		return nil
	}
	m.loaded, m.at = true, "the loading of rows"
	return m.options.Load(ctx, &Loader{tx: m.tx})
}

// judgeLoaded judges the foreign keys of the tables that were made and filled, whether or not the session has its writes judge them.
func (p *proof) judgeLoaded(ctx context.Context) error {
	for _, schema := range p.tx.cat.Schemas() {
		for t := range p.tx.cat.Tables(schema) {
			if x := p.changed[t.ID]; x == nil || !x.created {
				continue
			}
			for _, fk := range t.ForeignKeys {
				r := &provenRule{step: p.lastTouch(func(touches) bool { return true }, t), table: t, check: -1, foreignKey: fk}
				if err := p.judgeKey(ctx, r); err != nil {
					return err
				}
				p.rules = append(p.rules, r)
			}
		}
	}
	return nil
}
