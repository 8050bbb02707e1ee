package engine

import (
	"context"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/exec"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// Stmt is a prepared statement of a connection, which is planned once and planned anew when the schema, the session's settings or
// the types of its parameters have changed. It is used like its connection by one goroutine at a time.
type Stmt struct {
	conn  *Conn
	src   *ast.Source
	stmt  ast.Stmt
	fixed bool // the parameters' types were established when it was prepared

	program *exec.Program
	// What the program was made for.
	cat   *catalog.Snapshot
	rev   uint64
	types plan.ParamTypes
}

// Prepare parses one statement. With values the types of its parameters are established: a later value of another storage class
// is MISMATCH (docs/reference/types.md). Without, each execution goes by the types of its own values.
func (c *Conn) Prepare(sql string, values ...Params) (*Stmt, error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave(nil)
	src := ast.NewSource("", sql)
	stmts, err := c.bounds(context.Background()).Stmts(src)
	if err != nil {
		return nil, err
	}
	if len(stmts) != 1 {
		return nil, types.Errorf(types.MISUSE, "one statement can be prepared at a time, the text holds %d", len(stmts))
	}
	s := &Stmt{conn: c, src: src, stmt: stmts[0]}
	if len(values) > 0 {
		s.fixed, s.types = true, values[0].types()
	}
	return s, nil
}

// Query runs the statement and gives its rows, which must be closed.
func (s *Stmt) Query(ctx context.Context, p Params) (r *Rows, err error) {
	if err := s.conn.enter(); err != nil {
		return nil, err
	}
	defer s.conn.leave(&r)
	ctx, stop := s.conn.timed(ctx)
	defer func() {
		if v := recover(); v != nil {
			err = s.conn.internal(statement{s.src, s.stmt}, v)
		}
		err = cancelled(ctx, err)
		r.endsWith(stop)
	}()
	if !isPlanned(s.stmt) {
		return s.conn.dispatch(ctx, s.src, s.stmt, p)
	}
	read, err := s.conn.read()
	if err != nil {
		return nil, err
	}
	defer read.unless(&r)
	if err := s.plan(ctx, read, p); err != nil {
		return nil, err
	}
	if !s.program.Writes() {
		return s.conn.start(ctx, read, s.program, statement{s.src, s.stmt}, p)
	}
	if err := read.close(nil); err != nil {
		return nil, err
	}
	err = s.conn.inTx(ctx, func(t *tx) error {
		if err := s.plan(ctx, t.reading(), p); err != nil { // another connection may have committed since
			return err
		}
		r, err = t.runWrite(ctx, s.program, p)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// isPlanned reports whether a statement is a query or a data change.
func isPlanned(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.SelectStmt, *ast.InsertStmt, *ast.UpdateStmt, *ast.DeleteStmt:
		return true
	}
	return false
}

// ExecBatch runs a prepared INSERT once for each row of positional parameters, all as one statement: it fails or takes effect as
// a whole. It gives the number of rows written. MISUSE for any other statement.
func (s *Stmt) ExecBatch(ctx context.Context, rows [][]types.Value) (changes int64, err error) {
	if err := s.conn.enter(); err != nil {
		return 0, err
	}
	defer s.conn.leave(nil)
	ctx, stop := s.conn.timed(ctx)
	defer stop()
	defer func() {
		if v := recover(); v != nil {
			err = s.conn.internal(statement{s.src, s.stmt}, v)
		}
		err = cancelled(ctx, err)
	}()
	if !isPlanned(s.stmt) {
		return 0, types.Errorf(types.MISUSE, "only an INSERT can be run for a batch of parameters")
	}
	if len(rows) == 0 {
		return 0, nil
	}
	err = s.conn.inTx(ctx, func(t *tx) error {
		changes, err = s.runBatch(ctx, t, rows)
		return err
	})
	return changes, err
}

func (s *Stmt) runBatch(ctx context.Context, t *tx, rows [][]types.Value) (changes int64, err error) {
	read := t.reading()
	defer func() {
		if e := read.close(nil); err == nil {
			err = e
		}
	}()
	first := Params{Positional: rows[0]}
	if err := s.plan(ctx, read, first); err != nil {
		return 0, err
	}
	return s.program.RunBatch(ctx, t.runtime(read, first), rows)
}

// Exec runs the statement to its end, drops its rows if it has any, and gives the number of rows that it changed.
func (s *Stmt) Exec(ctx context.Context, p Params) (changes int64, err error) {
	r, err := s.Query(ctx, p)
	if err != nil {
		return 0, err
	}
	return r.Changes(), r.drain()
}

// plan makes the program, unless the one that is there still fits.
func (s *Stmt) plan(ctx context.Context, read *reading, p Params) error {
	if s.program != nil && s.cat == read.cat() && s.rev == s.conn.session.rev && (s.fixed || fits(s.types, p)) {
		return nil
	}
	if !s.fixed {
		s.types = p.types()
	}
	program, err := s.conn.compile(ctx, read, s.src, s.stmt, s.types)
	if err != nil {
		return err
	}
	s.program, s.cat, s.rev = program, read.cat(), s.conn.session.rev
	return nil
}

// fits reports whether values have the types that a program was made for.
func fits(t plan.ParamTypes, p Params) bool {
	if len(t.Positional) != len(p.Positional) || len(t.Named) != len(p.Named) {
		return false
	}
	for i, v := range p.Positional {
		if t.Positional[i] != typeOf(v) {
			return false
		}
	}
	for name, v := range p.Named {
		if t.Named[name] != typeOf(v) {
			return false
		}
	}
	return true
}
