package exec_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/exec"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv/mem"
	"github.com/quereus/quereus-migrate/vtab/store"
)

// testDB is as much of an engine as queries need: tables of the store module in memory, filled by INSERT … VALUES or SELECT
// without defaults and checks, indexes and views. Each statement is a transaction.
type testDB struct {
	t      testing.TB
	module *store.Module
	types  *types.Registry
	funcs  *function.Registry
	cat    *catalog.Snapshot
	params plan.ParamTypes
	// budget is the memory that operators may hold; the default when 0.
	budget int64
	noSeek bool // plan without the module's accesses
}

func newDB(t testing.TB) *testDB {
	t.Helper()
	m, err := store.New(context.Background(), "memory", mem.Open(), store.Options{})
	require.NoError(t, err)
	return &testDB{t: t, module: m, types: types.NewRegistry(), funcs: function.Builtins(), cat: catalog.NewSnapshot()}
}

func (db *testDB) env(src *ast.Source) *plan.Env {
	return &plan.Env{
		Catalog: db.cat, Types: db.types, Functions: db.funcs, Source: src, Params: db.params, Eval: exec.EvalConst, Validate: true,
		Planner: func(string) vtab.AccessPlanner {
			if db.noSeek {
				return nil
			}
			return db.module
		},
	}
}

// The methods of vtab.DB.

func (db *testDB) Collation(name string) *types.Collation {
	c, _ := db.types.Collation(name)
	return c
}
func (db *testDB) Option(string) types.Value { return types.Null }
func (db *testDB) MemoryBudget() int64       { return 64 << 20 }
func (db *testDB) Logger() *slog.Logger      { return slog.New(slog.DiscardHandler) }

// exec runs statements that define or fill.
func (db *testDB) exec(sql string) error {
	src := ast.NewSource("", sql)
	stmts, err := parse.Stmts(src)
	if err != nil {
		return err
	}
	for _, s := range stmts {
		if err := db.run(src, s); err != nil {
			return err
		}
	}
	return nil
}

func (db *testDB) mustExec(sql string) {
	db.t.Helper()
	require.NoError(db.t, db.exec(sql), sql)
}

func (db *testDB) run(src *ast.Source, s ast.Stmt) error {
	switch s := s.(type) {
	case *ast.CreateTableStmt:
		return db.createTable(s)
	case *ast.CreateIndexStmt:
		return db.createIndex(s)
	case *ast.CreateViewStmt:
		edit := db.cat.Edit()
		edit.PutView(catalog.BuildView(s, db.buildEnv(edit)))
		db.cat = edit.Done()
		return nil
	case *ast.InsertStmt:
		return db.insert(src, s)
	}
	return types.Errorf(types.UNSUPPORTED, "the test database does not run a %T", s)
}

func (db *testDB) buildEnv(edit *catalog.Edit) catalog.BuildEnv {
	return catalog.BuildEnv{Types: db.types, Module: "memory", IDs: edit}
}

// write runs f in a transaction of the module.
func (db *testDB) write(changes func() []vtab.TableChange, f func(ctx context.Context, c vtab.Conn) error) error {
	ctx := context.Background()
	pin, err := db.module.Pin(ctx)
	if err != nil {
		return err
	}
	c, err := db.module.Begin(ctx, db, pin)
	if err != nil {
		return err
	}
	if err := f(ctx, c); err != nil {
		c.Rollback()
		return err
	}
	if err := c.Prepare(ctx, &vtab.Commit{Tables: changes()}); err != nil {
		c.Rollback()
		return err
	}
	return c.Commit(ctx)
}

func (db *testDB) createTable(s *ast.CreateTableStmt) error {
	edit := db.cat.Edit()
	t, err := catalog.BuildTable(s, db.buildEnv(edit))
	if err != nil {
		return err
	}
	if db.cat.Relation(t.Schema, t.Name) != nil {
		return types.Errorf(types.CONSTRAINT, "Table %s.%s already exists", t.Schema, t.Name)
	}
	return db.write(func() []vtab.TableChange { return []vtab.TableChange{{After: t}} }, func(ctx context.Context, c vtab.Conn) error {
		if t, err = db.module.Create(ctx, c, t); err != nil {
			return err
		}
		edit.PutTable(t)
		db.cat = edit.Done()
		return nil
	})
}

func (db *testDB) createIndex(s *ast.CreateIndexStmt) error {
	edit := db.cat.Edit()
	before := db.cat.Table(catalog.MainSchema, s.Table.Name.Text)
	ix, err := catalog.BuildIndex(s, before, db.buildEnv(edit))
	if err != nil {
		return err
	}
	after := before.Clone()
	after.Indexes = append(after.Indexes, ix)
	return db.write(func() []vtab.TableChange { return []vtab.TableChange{{Before: before, After: after}} }, func(ctx context.Context, c vtab.Conn) error {
		beforeSpec, err := db.spec(before)
		if err != nil {
			return err
		}
		afterSpec, err := db.spec(after)
		if err != nil {
			return err
		}
		after, err = db.module.Alter(ctx, c, &vtab.Alteration{Before: before, After: after, BeforeSpec: beforeSpec, AfterSpec: afterSpec})
		if err != nil {
			return err
		}
		edit.PutTable(after)
		db.cat = edit.Done()
		return nil
	})
}

// spec compiles the expressions of a table's indexes.
func (db *testDB) spec(t *catalog.Table) (*vtab.TableSpec, error) {
	s := &vtab.TableSpec{}
	for _, ix := range t.Indexes {
		members := make([]func(types.Row) (types.Value, error), len(ix.Members))
		for i, m := range ix.Members {
			if m.X == nil {
				continue
			}
			p, err := db.compile(t, m.X)
			if err != nil {
				return nil, err
			}
			members[i] = p.Func()
		}
		var pred func(types.Row) (bool, error)
		if ix.Where != nil {
			p, err := db.compile(t, ix.Where)
			if err != nil {
				return nil, err
			}
			pred = p.Pred()
		}
		s.Members, s.Predicates = append(s.Members, members), append(s.Predicates, pred)
	}
	return s, nil
}

func (db *testDB) compile(t *catalog.Table, x ast.Expr) (*exec.RowProgram, error) {
	te, err := plan.BindTableExpr(t, x, plan.Use{Mode: plan.IndexExpr}, db.env(nil))
	if err != nil {
		return nil, err
	}
	return exec.CompileRow(te)
}

func (db *testDB) insert(src *ast.Source, s *ast.InsertStmt) error {
	t := db.cat.Table(catalog.MainSchema, s.Table.Name.Name.Text)
	if t == nil {
		return types.Errorf(types.NOTFOUND, "Table '%s' not found", s.Table.Name.Name.Text)
	}
	p, err := plan.Prepare(s.Source, db.env(src))
	if err != nil {
		return err
	}
	rows, err := db.read(p)
	if err != nil {
		return err
	}
	targets := make([]int, 0, len(t.Columns))
	for i := range t.Columns {
		targets = append(targets, i)
	}
	if s.Columns != nil {
		targets = targets[:0]
		for _, c := range s.Columns {
			targets = append(targets, t.ColumnIndex(c.Text))
		}
	}
	spec, err := db.spec(t)
	if err != nil {
		return err
	}
	return db.write(func() []vtab.TableChange { return nil }, func(ctx context.Context, c vtab.Conn) error {
		opened, err := db.module.Connect(ctx, vtab.ConnectRequest{Table: t, Conn: c, Spec: spec})
		if err != nil {
			return err
		}
		defer opened.Close()
		for _, row := range rows {
			full := make(types.Row, len(t.Columns))
			for i, v := range row {
				col := t.Columns[targets[i]]
				if full[targets[i]], err = types.WriteConverter(col.Type, col.Name)(v); err != nil {
					return err
				}
			}
			r, err := opened.Update(ctx, &vtab.RowOp{Kind: vtab.OpInsert, New: full})
			if err != nil {
				return err
			}
			if r.Status == vtab.Conflict {
				return types.Errorf(types.CONSTRAINT, "%s", r.Failed.Message)
			}
		}
		return nil
	})
}

// OpenTable implements exec.Source on the committed state.
func (db *testDB) OpenTable(ctx context.Context, t *catalog.Table, _ bool) (vtab.Table, error) {
	pin, err := db.module.Pin(ctx)
	if err != nil {
		return nil, err
	}
	opened, err := db.module.Connect(ctx, vtab.ConnectRequest{Table: t, Pin: pin})
	if err != nil {
		return nil, err
	}
	return pinnedTable{opened, pin}, nil
}

// pinnedTable gives its pin back when it is closed.
type pinnedTable struct {
	vtab.Table
	pin vtab.Pin
}

func (t pinnedTable) Close() error {
	err := t.Table.Close()
	if e := t.pin.Close(); err == nil {
		err = e
	}
	return err
}

func (db *testDB) runtime() *exec.Runtime {
	return &exec.Runtime{
		Source: db, MemoryBudget: db.budget, TempDir: db.t.TempDir(),
		Call: function.Call{
			Now: time.Date(2024, 3, 5, 10, 20, 30, 0, time.UTC), Local: time.UTC, Random: rand.New(rand.NewPCG(1, 2)).Uint64,
			Catalog: db.cat, Functions: db.funcs,
		},
	}
}

// read runs a plan and gives copies of its rows.
func (db *testDB) read(p *plan.Plan) ([]types.Row, error) {
	program, err := exec.Build(p)
	if err != nil {
		return nil, err
	}
	return collect(program, db.runtime())
}

func build(t testing.TB, p *plan.Plan) *exec.Program {
	program, err := exec.Build(p)
	require.NoError(t, err)
	return program
}

func collect(program *exec.Program, rt *exec.Runtime) (out []types.Row, err error) {
	rows, err := program.Run(context.Background(), rt)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := rows.Close(); err == nil {
			err = e
		}
	}()
	for {
		row, err := rows.Next()
		if err != nil {
			return nil, err
		}
		if row == nil {
			return out, nil
		}
		out = append(out, row.Clone())
	}
}

// plan prepares the one query in a text.
func (db *testDB) plan(sql string) (*plan.Plan, error) {
	src := ast.NewSource("", sql)
	stmts, err := parse.Stmts(src)
	if err != nil {
		return nil, err
	}
	q, ok := stmts[0].(*ast.SelectStmt)
	if !ok {
		return nil, types.Errorf(types.UNSUPPORTED, "the test database does not read a %T", stmts[0])
	}
	return plan.Prepare(q, db.env(src))
}

// query gives the answer of a query as lines of JSON: the column names, then the rows.
func (db *testDB) query(sql string) ([]string, error) {
	p, err := db.plan(sql)
	if err != nil {
		return nil, err
	}
	rows, err := db.read(p)
	if err != nil {
		return nil, err
	}
	names := make(types.Row, len(p.Columns))
	for i, c := range p.Columns {
		names[i] = types.Text(c.Name)
	}
	lines := []string{wireRow(names)}
	for _, row := range rows {
		lines = append(lines, wireRow(row))
	}
	return lines, nil
}

func wireRow(row types.Row) string { return string(types.AppendWireRow(nil, row)) }

// rowsOf gives the rows of a query that must work, without the column names, each as JSON.
func (db *testDB) rowsOf(sql string) string {
	db.t.Helper()
	lines, err := db.query(sql)
	require.NoError(db.t, err, sql)
	return strings.Join(lines[1:], " ")
}
