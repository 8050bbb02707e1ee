package exec_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/exec"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// writeDB is a testDB with transactions: as much of an engine as data changes need.
type writeDB struct {
	*testDB
	keysOff bool // pragma foreign_keys = off
	tx      *writeTx
	changes int64 // of the last statement
	// shared is the runtime of all statements, whose directory is made once.
	shared *exec.Runtime
}

// writeTx is an open transaction. It is the state that its statements read and write.
type writeTx struct {
	db    *writeDB
	base  vtab.Pin // the state before
	conn  vtab.Conn
	queue exec.Queue
	marks []exec.QueueMark
	// pin is the state that the present statement reads.
	pin vtab.Pin
}

func newWriteDB(t testing.TB) *writeDB { return &writeDB{testDB: newDB(t)} }

func (db *writeDB) env(src *ast.Source) *plan.Env {
	env := db.testDB.env(src)
	env.ForeignKeys = !db.keysOff
	return env
}

func (db *writeDB) begin() error {
	ctx := context.Background()
	base, err := db.module.Pin(ctx)
	if err != nil {
		return err
	}
	pin, err := db.module.Pin(ctx)
	if err != nil {
		return err
	}
	conn, err := db.module.Begin(ctx, db, pin)
	db.tx = &writeTx{db: db, base: base, conn: conn}
	return err
}

func (db *writeDB) commit() error {
	ctx := context.Background()
	tx := db.tx
	db.tx = nil
	err := errors.Join(tx.judge(ctx), tx.queue.Close())
	if err == nil {
		err = tx.conn.Prepare(ctx, &vtab.Commit{})
	}
	if err != nil {
		return errors.Join(err, tx.conn.Rollback(), tx.base.Close())
	}
	return errors.Join(tx.conn.Commit(ctx), tx.base.Close())
}

func (db *writeDB) rollback() error {
	tx := db.tx
	db.tx = nil
	return errors.Join(tx.conn.Rollback(), tx.base.Close(), tx.queue.Close())
}

// judge evaluates what waited for the commit.
func (tx *writeTx) judge(ctx context.Context) (err error) {
	if tx.pin, err = tx.conn.View(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tx.pin.Close()) }()
	env, rt := tx.db.env(nil), tx.runtime()
	a, err := exec.CompileAssertions(env)
	if err != nil {
		return err
	}
	if err := a.Check(ctx, rt, &tx.queue); err != nil {
		return err
	}
	return tx.queue.Run(ctx, env, rt, nil)
}

func (tx *writeTx) runtime() *exec.Runtime {
	if tx.db.shared == nil {
		tx.db.shared = tx.db.testDB.runtime()
	}
	rt := *tx.db.shared
	rt.Source, rt.Write, rt.Queue, rt.Call.Catalog = tx, tx, &tx.queue, tx.db.cat
	return &rt
}

// OpenTable implements exec.Source.
func (tx *writeTx) OpenTable(ctx context.Context, t *catalog.Table, committed bool) (vtab.Table, error) {
	pin := tx.pin
	if committed {
		pin = tx.base
	}
	return tx.db.module.Connect(ctx, vtab.ConnectRequest{Table: t, Pin: pin})
}

// OpenWrite implements exec.WriteSource.
func (tx *writeTx) OpenWrite(ctx context.Context, t *catalog.Table) (vtab.Table, error) {
	spec, err := tx.db.spec(t)
	if err != nil {
		return nil, err
	}
	return tx.db.module.Connect(ctx, vtab.ConnectRequest{Table: t, Conn: tx.conn, Spec: spec})
}

// Truncate implements exec.WriteSource: rows go one by one.
func (tx *writeTx) Truncate(context.Context, *catalog.Table) (int64, bool, error) {
	return 0, false, nil
}

// OpenPresent implements exec.WriteSource.
func (tx *writeTx) OpenPresent(ctx context.Context, t *catalog.Table) (vtab.Table, error) {
	pin, err := tx.conn.View()
	if err != nil {
		return nil, err
	}
	opened, err := tx.db.module.Connect(ctx, vtab.ConnectRequest{Table: t, Pin: pin})
	if err != nil {
		return nil, errors.Join(err, pin.Close())
	}
	return pinnedTable{opened, pin}, nil
}

// do runs one statement and gives its rows, each as JSON.
func (db *writeDB) do(sql string) (rows []string, err error) {
	src := ast.NewSource("", sql)
	stmts, err := parse.Stmts(src)
	if err != nil {
		return nil, err
	}
	for _, s := range stmts {
		if rows, err = db.statement(src, s); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func (db *writeDB) statement(src *ast.Source, s ast.Stmt) ([]string, error) {
	switch s := s.(type) {
	case *ast.BeginStmt:
		return nil, db.begin()
	case *ast.CommitStmt:
		return nil, db.commit()
	case *ast.RollbackStmt:
		if s.To.IsZero() {
			return nil, db.rollback()
		}
		last := len(db.tx.marks) - 1
		if err := db.tx.queue.RollbackTo(db.tx.marks[last]); err != nil {
			return nil, err
		}
		return nil, db.tx.conn.RollbackTo(last)
	case *ast.SavepointStmt:
		db.tx.marks = append(db.tx.marks, db.tx.queue.Mark())
		return nil, db.tx.conn.Savepoint(context.Background(), len(db.tx.marks)-1)
	case *ast.PragmaStmt:
		db.keysOff = !db.keysOff
		return nil, nil
	case *ast.CreateAssertionStmt:
		edit := db.cat.Edit()
		edit.PutAssertion(catalog.BuildAssertion(s, db.buildEnv(edit)))
		db.cat = edit.Done()
		return nil, nil
	case *ast.SelectStmt, *ast.InsertStmt, *ast.UpdateStmt, *ast.DeleteStmt:
		return db.change(src, s)
	}
	return nil, db.run(src, s)
}

// change runs a query or data change, in autocommit as a transaction of its own.
func (db *writeDB) change(src *ast.Source, s ast.Stmt) (rows []string, err error) {
	p, err := plan.PrepareStmt(s, db.env(src))
	if err != nil {
		return nil, err
	}
	program, err := exec.Build(p)
	if err != nil {
		return nil, err
	}
	return db.runProgram(program, func(tx *writeTx) ([]string, error) { return tx.run(program) })
}

// runProgram runs f as one statement and does what its outcome asks for.
func (db *writeDB) runProgram(program *exec.Program, f func(tx *writeTx) ([]string, error)) (rows []string, err error) {
	auto := db.tx == nil
	if auto {
		if err := db.begin(); err != nil {
			return nil, err
		}
	}
	tx := db.tx
	mark := tx.queue.Mark()
	if err := tx.conn.BeginStatement(context.Background()); err != nil {
		return nil, err
	}
	if tx.pin, err = tx.conn.View(); err != nil {
		return nil, err
	}
	rows, err = f(tx)
	if e := tx.pin.Close(); e != nil {
		return nil, errors.Join(err, e)
	}
	var c *exec.Conflict
	fails := errors.As(err, &c)
	switch {
	case err == nil || fails && c.Action == ast.ConflictFail:
		if e := tx.conn.EndStatement(); e != nil {
			return nil, e
		}
		if auto {
			if e := db.commit(); e != nil {
				return nil, e
			}
		}
		return rows, err
	case auto || fails:
		return nil, errors.Join(err, db.rollback())
	}
	require.NoError(db.t, tx.queue.RollbackTo(mark))
	return nil, errors.Join(err, tx.conn.UndoStatement())
}

func (tx *writeTx) run(program *exec.Program) (lines []string, err error) {
	rows, err := program.Run(context.Background(), tx.runtime())
	if err != nil {
		return nil, err
	}
	tx.db.changes = rows.Changes()
	defer func() { err = errors.Join(err, rows.Close()) }()
	for {
		row, err := rows.Next()
		if err != nil {
			return nil, err
		}
		if row == nil {
			return lines, nil
		}
		lines = append(lines, wireRow(row))
	}
}

// script runs statements against the answers that follow them, each behind "-- ": rows as JSON, "error CODE: text" with a part of
// the message, or nothing at all where the answer has no rows.
func (db *writeDB) script(text string) {
	db.t.Helper()
	var sql []string
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		want, isAnswer := strings.CutPrefix(line, "--")
		if !isAnswer {
			sql = append(sql, line)
			continue
		}
		stmt := strings.TrimSpace(strings.Join(sql, " "))
		sql = nil
		rows, err := db.do(stmt)
		got := strings.Join(rows, " ")
		if err != nil {
			got = fmt.Sprintf("error %s: %s", types.CodeOf(err), err)
		}
		want = strings.TrimSpace(want)
		if code, text, isError := strings.Cut(want, ": "); isError && strings.HasPrefix(code, "error ") {
			require.True(db.t, strings.HasPrefix(got, code+": "), "%s\n%s", stmt, got)
			require.Contains(db.t, got, text, stmt)
		} else {
			require.Equal(db.t, want, got, stmt)
		}
	}
	require.Empty(db.t, strings.TrimSpace(strings.Join(sql, " ")), "a statement without an answer")
}
