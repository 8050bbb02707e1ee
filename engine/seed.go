package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/quereus/quereus-migrate/alter"
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

// seed inserts the declared rows that are not there yet, table by table: APPLY SCHEMA WITH SEED. It returns how many.
func (t *tx) seed(ctx context.Context, d *catalog.Declared) (inserted int64, err error) {
	for i := range d.Seeds {
		s := &d.Seeds[i]
		table, err := t.seededTable(d, s)
		if err != nil {
			return 0, err
		}
		rows, err := t.write(ctx, nil, seedStmt(s, d.SeedColumns(s), table), Params{})
		if err != nil {
			return 0, s.Locate(&types.Error{Code: types.ERROR, Message: "Failed to apply seed data for table " + s.Table.Text + ": " + err.Error(), Cause: err})
		}
		inserted += rows.Changes()
	}
	return inserted, nil
}

func (t *tx) seededTable(d *catalog.Declared, s *catalog.DeclaredSeed) (*catalog.Table, error) {
	table := t.cat.Table(d.Schema(), s.Table.Text)
	if table == nil {
		return nil, types.Errorf(types.ERROR, "Cannot apply seed data: table '%s.%s' not found after migration", d.Schema(), s.Table.Text)
	}
	return table, nil
}

// seedStmt inserts the rows whose key is not there.
func seedStmt(s *catalog.DeclaredSeed, columns []ast.Name, t *catalog.Table) *ast.InsertStmt {
	rows := make([][]ast.Expr, len(s.Rows))
	for i, row := range s.Rows {
		rows[i] = make([]ast.Expr, len(row))
		for j, v := range row {
			rows[i][j] = literal(v)
		}
	}
	var key []ast.Name
	for _, col := range t.KeyColumns() {
		key = append(key, ast.Name{Text: t.Columns[col].Name, Quoted: true})
	}
	return &ast.InsertStmt{
		Table:   ast.Target{Name: ast.QName{Schema: ast.Ident(t.Schema), Name: ast.Name{Text: t.Name, Quoted: true}}},
		Columns: columns,
		Source:  &ast.SelectStmt{Body: &ast.ValuesClause{Rows: rows}},
		Upserts: []ast.Upsert{{Columns: key}},
	}
}

// literal writes a value as an expression: a sign is an operator.
func literal(v types.Value) ast.Expr {
	if v.IsNumber() && v.Kind() != types.KindBoolean && types.CompareNumbers(v, types.Int(0)) < 0 {
		return &ast.Unary{Op: ast.OpNeg, X: ast.LiteralOf(types.Neg(v))}
	}
	return ast.LiteralOf(v)
}

// SeedChange tells what the seed of a table comes to.
type SeedChange struct {
	Table string
	// Inserted are the rows that are not there yet, Updated those that hold other values than the seed gives them.
	Inserted, Updated int64
	// Unknown tells that only the run can tell, since its steps change the table: the counts are 0.
	Unknown bool
}

// syncSeeds brings every seed row about: inserted where its key is not there, else with its values. Rows that no seed gives stay. A row
// that a rule refuses is an error at its place.
func (t *tx) syncSeeds(ctx context.Context, d *catalog.Declared) ([]SeedChange, error) {
	var out []SeedChange
	for i := range d.Seeds {
		s := &d.Seeds[i]
		table, err := t.seededTable(d, s)
		if err != nil {
			return nil, err
		}
		change, err := t.syncSeed(ctx, d, s, table)
		if err != nil {
			return nil, err
		}
		out = append(out, change)
	}
	err := t.checkDeferred(ctx)
	if types.CodeOf(err) == types.CONSTRAINT {
		return nil, t.blameSeed(ctx, d, err)
	}
	return out, err
}

func (t *tx) syncSeed(ctx context.Context, d *catalog.Declared, s *catalog.DeclaredSeed, table *catalog.Table) (SeedChange, error) {
	change := SeedChange{Table: table.Name}
	if len(s.Rows) == 0 {
		return change, nil
	}
	stmt := syncStmt(s, d.SeedColumns(s), table)
	before, err := t.countRows(ctx, table)
	if err != nil {
		return change, err
	}
	var changed int64
	err = t.statement(ctx, func() error {
		rows, err := t.write(ctx, nil, stmt, Params{})
		if err == nil {
			changed = rows.Changes()
		}
		return err
	})
	if err != nil {
		return change, t.blameRow(ctx, d, s, table, err)
	}
	after, err := t.countRows(ctx, table)
	change.Inserted = after - before
	change.Updated = changed - change.Inserted
	return change, err
}

// syncStmt inserts rows, and updates those whose key is there and whose values differ, also in what a collation leaves out. The key
// itself, which is the same under its collation, stays as it is.
func syncStmt(s *catalog.DeclaredSeed, columns []ast.Name, t *catalog.Table) *ast.InsertStmt {
	stmt := seedStmt(s, columns, t)
	up := &stmt.Upserts[0]
	var differs []string
	for _, name := range columns {
		i := t.ColumnIndex(name.Text)
		if i < 0 || t.Columns[i].Generated != nil || t.InKey(i) {
			continue // what cannot be written is told when the statement runs
		}
		own, given := quoted(t.Name)+"."+quoted(name.Text), "excluded."+quoted(name.Text)
		up.Set = append(up.Set, ast.Assignment{Column: name, X: expression(given)})
		if t.Columns[i].Collation != types.Binary {
			own, given = own+" collate binary", given+" collate binary"
		}
		differs = append(differs, own+" is not "+given)
	}
	if differs != nil {
		up.Update, up.Where = true, expression(strings.Join(differs, " or "))
	}
	return stmt
}

// expression parses text of our own.
func expression(text string) ast.Expr {
	x, err := parse.Expr(ast.NewSource("", text))
	if err != nil {
		panic(fmt.Errorf("the expression %s: %w", text, err))
	}
	return x
}

func (t *tx) countRows(ctx context.Context, on *catalog.Table) (n int64, err error) {
	stmts, err := parse.Stmts(ast.NewSource("", "select count(*) from "+relation(on.Schema, on.Name)))
	if err != nil {
		return 0, err
	}
	rows, err := t.conn.queryOn(ctx, t.reading(), stmts[0].(*ast.SelectStmt), Params{})
	if err != nil {
		return 0, err
	}
	row, err := rows.Next()
	if err == nil {
		n, _ = row[0].Int64()
	}
	if e := rows.Close(); err == nil {
		err = e
	}
	return n, err
}

// blameRow gives a refusal of a whole seed the place of the row that it is about: the first that is refused when they go one by one.
func (t *tx) blameRow(ctx context.Context, d *catalog.Declared, s *catalog.DeclaredSeed, table *catalog.Table, refusal error) error {
	if ctx.Err() != nil {
		return refusal
	}
	for i := range s.Rows {
		one := *s
		one.Rows = s.Rows[i : i+1]
		err := t.statement(ctx, func() error {
			_, err := t.write(ctx, nil, syncStmt(&one, d.SeedColumns(s), table), Params{})
			return err
		})
		if err != nil {
			return s.LocateRow(i, err)
		}
	}
	return s.Locate(refusal)
}

// blameSeed gives the refusal of what waited for the end the place of the first seed row without a parent; the refusal as it is when it is
// about something else.
func (t *tx) blameSeed(ctx context.Context, d *catalog.Declared, refusal error) error {
	for i := range d.Seeds {
		s := &d.Seeds[i]
		table := t.cat.Table(d.Schema(), s.Table.Text)
		columns := d.SeedColumns(s)
		for _, fk := range table.ForeignKeys {
			for at, row := range s.Rows {
				key := keyTest(table, columns, row)
				if key == nil {
					break
				}
				found := &Offending{}
				if err := t.orphansAmong(ctx, table, fk, key, found); err != nil {
					return err
				}
				if found.Count > 0 {
					return s.LocateRow(at, refusal)
				}
			}
		}
	}
	return refusal
}

// keyTest is a condition that the row of a seed's key satisfies under the name alter.OrphansAlias; nil when the seed gives no whole key.
func keyTest(t *catalog.Table, columns []ast.Name, row []types.Value) ast.Expr {
	var test ast.Expr
	for _, k := range t.KeyColumns() {
		at := -1
		for i, name := range columns {
			if types.EqualFold(name.Text, t.Columns[k].Name) {
				at = i
			}
		}
		if at < 0 {
			return nil
		}
		column := &ast.ColumnRef{Table: ast.Ident(alter.OrphansAlias), Column: ast.Name{Text: t.Columns[k].Name, Quoted: true}}
		is := &ast.Binary{Op: ast.OpEq, L: column, R: literal(row[at])}
		if test == nil {
			test = is
		} else {
			test = &ast.Binary{Op: ast.OpAnd, L: test, R: is}
		}
	}
	return test
}

// PreviewSeeds tells what the seeds of a declaration will come to behind a plan, without changing anything. What the plan changes or
// what a rule refuses only the run can tell. It waits for no writer: BUSY when there is one.
func (c *Conn) PreviewSeeds(ctx context.Context, p *differ.Plan, d *catalog.Declared) (out []SeedChange, err error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave(nil)
	if c.tx != nil {
		return nil, types.Errorf(types.MISUSE, "a migration cannot run inside a transaction")
	}
	touched := map[string]bool{}
	for i := range p.Steps {
		touched[types.Fold(p.Steps[i].Object)] = true
		if a, ok := p.Steps[i].Stmt.(*ast.AlterStmt); ok {
			if to, ok := a.Action.(*ast.RenameTable); ok {
				touched[types.Fold(to.To.Text)] = true
			}
		}
	}
	t, err := c.beginMigration(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer t.ensureEnded()
	for i := range d.Seeds {
		s := &d.Seeds[i]
		change := SeedChange{Table: s.Table.Text, Unknown: true}
		table := t.cat.Table(d.Schema(), s.Table.Text)
		switch {
		case table == nil:
			change.Unknown, change.Inserted = false, int64(len(s.Rows))
		case !touched[types.Fold(table.Name)]:
			if known, err := t.syncSeed(ctx, d, s, table); err == nil {
				change = known
			} else if ctx.Err() != nil {
				return nil, err
			}
		}
		out = append(out, change)
	}
	return out, t.rollback()
}
