package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// Conn is one session on a database: its settings, its declared schemas and at most one open transaction. It is used by one
// goroutine at a time.
//
// Statements fail with the codes of their documents. Beside those, a statement whose context is done is INTERRUPT, one that panics INTERNAL,
// and in both cases it is undone; the first write of a transaction is BUSY when another connection has committed since the
// transaction began; and everything is MISUSE once the connection or its database is closed.
type Conn struct {
	db      *DB
	session *Session

	// use is held by whatever runs on the connection, which keeps DB.Close away from it.
	use      sync.Mutex
	gone     error   // what statements are told once it is closed
	tx       *tx     // the open explicit transaction, nil in autocommit
	rows     []*Rows // handed out and not closed yet
	asserted asserted
	specs    specs
}

// Session is what a connection remembers apart from its transaction. It can be carried to a connection on another DB, as when
// a database is closed and opened again.
type Session struct {
	settings  settings
	rev       uint64                       // counts the writes to settings
	effective effective                    // of the last revision that was asked for
	declared  map[string]*catalog.Declared // by folded schema name
}

// Conn opens a session with the options' default settings. It must be closed.
func (db *DB) Conn() *Conn {
	return db.Resume(&Session{settings: newSettings(db), declared: map[string]*catalog.Declared{}})
}

// Resume opens a connection that goes on with a session, which may come from another database. A session serves one open
// connection at a time.
func (db *DB) Resume(s *Session) *Conn {
	c := &Conn{db: db, session: s}
	s.effective = effective{} // it was worked out on another database
	db.conns.add(c)
	return c
}

// Session gives the connection's session, for Resume.
func (c *Conn) Session() *Session { return c.session }

// DB gives the database that the connection is on.
func (c *Conn) DB() *DB { return c.db }

// InTransaction reports whether an explicit transaction is open.
func (c *Conn) InTransaction() bool {
	c.use.Lock()
	defer c.use.Unlock()
	return c.tx != nil
}

// SetOption writes a session setting, as PRAGMA does: ERROR for an unknown name or a value that the setting does not take.
func (c *Conn) SetOption(name string, v types.Value) error {
	c.session.rev++
	return c.session.settings.set(c.db, name, v)
}

// Option gives a session setting; NULL for an unknown name.
func (c *Conn) Option(name string) types.Value {
	v, err := c.session.settings.get(name)
	if err != nil {
		return types.Null
	}
	return v
}

// Collation finds a registered collation; nil when there is none.
func (c *Conn) Collation(name string) *types.Collation {
	col, _ := c.db.types.Collation(name)
	return col
}

// MemoryBudget is the number of bytes a transaction may hold in memory before it spills.
func (c *Conn) MemoryBudget() int64 { return c.effective().budget }

// Logger gives the database's logger.
func (c *Conn) Logger() *slog.Logger { return c.db.opts.Logger }

// Params are the values of bind parameters. They are only read while the statement runs.
type Params struct {
	// Positional goes by position: parameter n, counted from 1, is Positional[n-1].
	Positional []types.Value
	// Named goes by name, without the sign before it and in the letter case of the statement.
	Named map[string]types.Value
}

// Args makes positional Params.
func Args(v ...types.Value) Params { return Params{Positional: v} }

// Exec runs a text of any number of statements. The whole text is parsed before any of it runs; in autocommit each statement is a
// transaction of its own, and the first error stops the text: what came before it stays. Every statement gets the same parameters. A
// query among them is run to its end, and its rows are dropped. It gives the number of rows that the last statement changed.
func (c *Conn) Exec(ctx context.Context, sql string, p Params) (changes int64, err error) {
	err = c.each(ctx, ast.NewSource("", sql), p, func(r *Rows, last bool) error {
		changes = r.Changes()
		return r.drain()
	})
	return changes, err
}

// Query runs a text as Exec does and gives the rows of its last statement; a text without a statement is MISUSE. The rows must be
// closed.
func (c *Conn) Query(ctx context.Context, sql string, p Params) (*Rows, error) {
	var rows *Rows
	err := c.each(ctx, ast.NewSource("", sql), p, func(r *Rows, last bool) error {
		if !last {
			return r.drain()
		}
		rows = r
		return nil
	})
	if err != nil {
		return nil, err
	}
	if rows == nil {
		return nil, types.Errorf(types.MISUSE, "the text holds no statement")
	}
	return rows, nil
}

// bounds are what the session's texts are parsed within.
func (c *Conn) bounds(ctx context.Context) parse.Bounds {
	return parse.Bounds{Ctx: ctx, Limits: c.effective().limits}
}

// longText is the length of a text from which on its statements are not held together: it is read once for faults, then once more as
// it runs.
const longText = 1 << 20

// each parses a source and runs its statements one after the other.
func (c *Conn) each(ctx context.Context, src *ast.Source, p Params, f func(r *Rows, last bool) error) error {
	run := func(s ast.Stmt, last bool) error {
		r, err := c.run(ctx, src, s, p)
		if err != nil {
			return err
		}
		return f(r, last)
	}
	if len(src.Text) >= longText {
		err := c.bounds(ctx).Each(src, func(ast.Stmt, bool) error { return kv.Interrupted(ctx) })
		if err != nil {
			return cancelled(ctx, err)
		}
		return c.bounds(ctx).Each(src, run)
	}
	stmts, err := c.bounds(ctx).Stmts(src)
	if err != nil {
		return cancelled(ctx, err)
	}
	for i, s := range stmts {
		if err := run(s, i == len(stmts)-1); err != nil {
			return err
		}
	}
	return nil
}

// run runs one statement. A panic in it becomes INTERNAL with the statement attached, and is undone like any failure.
func (c *Conn) run(ctx context.Context, src *ast.Source, s ast.Stmt, p Params) (r *Rows, err error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave(&r)
	defer func() {
		if v := recover(); v != nil {
			err = c.internal(statement{src, s}, v)
		}
	}()
	ctx, stop := c.timed(ctx)
	defer func() { r.endsWith(stop) }()
	r, err = c.dispatch(ctx, src, s, p)
	return r, cancelled(ctx, err)
}

// cancelled words the error of a statement whose context is done: INTERRUPT, whoever has heard it, and the cause where that says more.
func cancelled(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || !errors.Is(err, types.INTERRUPT) {
		return err
	}
	if own := (*types.Error)(nil); errors.As(context.Cause(ctx), &own) && own.Code == types.INTERRUPT {
		return own
	}
	return &types.Error{Code: types.INTERRUPT, Message: "the statement was cancelled: " + err.Error(), Cause: err}
}

// timed bounds the time of a statement, as the session's settings say. stop must be called when it has ended.
func (c *Conn) timed(ctx context.Context) (timed context.Context, stop func()) {
	limits := c.effective().limits
	n := limits.Of(limit.StatementTime)
	if n == 0 {
		return ctx, func() {}
	}
	d := time.Duration(n) * time.Millisecond
	return context.WithTimeoutCause(ctx, d, limits.Exceeded(limit.StatementTime, "the statement ran longer than %s", d))
}

// internal turns a panic in a statement into an error. The open transaction cannot be trusted any more and is rolled back.
func (c *Conn) internal(s statement, v any) error {
	e := c.panicked(s.text(), v)
	if s.src != nil {
		e.Line, e.Column = s.src.Position(s.node.Pos())
	}
	if c.tx != nil {
		t := c.tx
		c.tx = nil
		e.Cause = t.rollback()
	}
	return e
}

// panicked notes a panic and gives the error for it. It is called where the panic is recovered.
func (c *Conn) panicked(text string, v any) *types.Error {
	c.db.opts.Logger.Error("statement panicked", "panic", v, "stack", string(debug.Stack()))
	return &types.Error{Code: types.INTERNAL, Message: fmt.Sprintf("internal error in statement %q: %v", abridge(text), v)}
}

// statement is a statement with the source it stands in, nil for one that the engine made.
type statement struct {
	src  *ast.Source
	node ast.Stmt
}

// text is the statement as it stands in its source.
func (s statement) text() string {
	if s.src == nil || s.node.Pos() < 0 || int(s.node.End()) > len(s.src.Text) {
		return ast.Format(s.node)
	}
	return s.src.Text[s.node.Pos():s.node.End()]
}

// abridge cuts a text that is too long for a message.
func abridge(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
