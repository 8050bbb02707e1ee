package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/exec"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// tx is one transaction of a connection: a view it began from, a pending catalog, and its part in every module it has
// written to. It takes the writer lock at its first write; until then it is a reader.
type tx struct {
	db   *DB
	conn *Conn
	base *view
	cat  *catalog.Snapshot
	// parts are the modules' parts, by module.index; nil until the first write there.
	parts    []vtab.Conn
	writing  bool // holds the writer lock
	readOnly bool // writes are refused
	// migrating is true while a plan is carried out.
	migrating bool
	ended     bool
	saves     []savepoint
	// checks are those that wait for the commit.
	checks exec.Queue
	// records are history records that the commit writes to the home module.
	records []vtab.Record
	// undoable is what the database can be put back to once the transaction has committed; nil when that stays as it was.
	undoable *undoPoint
}

// savepoint is a named point of the transaction. Its depth is its position in tx.saves.
type savepoint struct {
	name   string // folded
	cat    *catalog.Snapshot
	checks exec.QueueMark
	// records is the number of history records.
	records int
}

// begin opens a transaction on the present committed state.
func (c *Conn) begin() (*tx, error) {
	v, err := c.db.views.acquire()
	if err != nil {
		return nil, err
	}
	return &tx{db: c.db, conn: c, base: v, cat: v.cat, parts: make([]vtab.Conn, len(c.db.modules))}, nil
}

// lock takes the writer lock, if the transaction does not hold it. BUSY when another transaction has committed since this one began.
func (t *tx) lock(ctx context.Context) error {
	if t.writing {
		return nil
	}
	if err := t.db.lockWriter(ctx); err != nil {
		return err
	}
	if t.db.seq != t.base.seq { // seq moves only under the writer lock
		t.db.unlockWriter()
		return types.Errorf(types.BUSY, "the database was changed by another connection since this transaction began; roll back and try again")
	}
	t.writing = true
	return nil
}

// part gives the transaction's part in a module, opening it at the first use with all savepoints that are open. It is nil for a module that
// takes no part in transactions, whose tables change at once.
func (t *tx) part(ctx context.Context, m *module) (vtab.Conn, error) {
	if p := t.parts[m.index]; p != nil {
		return p, nil
	}
	if m.transactor == nil && t.migrating {
		return nil, types.Errorf(types.UNSUPPORTED, "module %s takes no part in transactions, so a migration could not take back what it changes there; create and write its tables by statements outside of one", m.name)
	}
	if err := t.lock(ctx); err != nil || m.transactor == nil {
		return nil, err
	}
	// No commit has landed since base: the committed state of now is the one the transaction began from.
	pin, err := m.transactor.Pin(ctx)
	if err != nil {
		return nil, err
	}
	p, err := m.transactor.Begin(ctx, t.conn, pin)
	if err != nil {
		return nil, err
	}
	for depth := range t.saves {
		if err := p.Savepoint(ctx, depth); err != nil {
			p.Rollback()
			return nil, err
		}
	}
	t.parts[m.index] = p
	return p, nil
}

// each calls f for every part that is open and gives the first error.
func (t *tx) each(f func(vtab.Conn) error) error {
	var first error
	for _, p := range t.parts {
		if p == nil {
			continue
		}
		if err := f(p); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// statement runs f as one statement: when it fails, rows, catalog and queued checks are as before.
func (t *tx) statement(ctx context.Context, f func() error) error {
	cat, mark, records := t.cat, t.checks.Mark(), len(t.records)
	before := slices.Clone(t.parts)
	err := t.mark(ctx, before)
	if err != nil {
		return err
	}
	if err = f(); err == nil || keeps(err) {
		if e := t.endStatement(before); e != nil {
			return e
		}
		return err
	}
	t.cat, t.records = cat, t.records[:records]
	if e := t.checks.RollbackTo(mark); e != nil {
		err = errors.Join(err, e)
	}
	return t.undo(before, err)
}

// keeps reports whether a failed statement's work up to the failure stays: conflict action FAIL.
func keeps(err error) bool {
	var c *exec.Conflict
	return errors.As(err, &c) && c.Action == ast.ConflictFail
}

// ends reports whether a failed statement ends its transaction: conflict action ROLLBACK.
func ends(err error) bool {
	var c *exec.Conflict
	return errors.As(err, &c) && c.Action == ast.ConflictRollback
}

// mark begins a statement in every open part.
func (t *tx) mark(ctx context.Context, parts []vtab.Conn) error {
	for i, p := range parts {
		if p == nil {
			continue
		}
		if err := p.BeginStatement(ctx); err != nil {
			for _, q := range parts[:i] {
				if q != nil {
					err = errors.Join(err, q.EndStatement())
				}
			}
			return err
		}
	}
	return nil
}

func (t *tx) endStatement(parts []vtab.Conn) error {
	var first error
	for _, p := range parts {
		if p == nil {
			continue
		}
		if err := p.EndStatement(); first == nil {
			first = err
		}
	}
	return first
}

// undo takes the failed statement's changes back: parts from before it are undone, parts that it opened are dropped.
func (t *tx) undo(before []vtab.Conn, cause error) error {
	for i, p := range t.parts {
		if p == nil {
			continue
		}
		var err error
		if before[i] != nil {
			err = p.UndoStatement()
		} else {
			t.parts[i] = nil
			err = p.Rollback()
		}
		if err != nil {
			return types.Wrapf(types.IOERR, err, "the statement failed (%s) and could not be undone", cause)
		}
	}
	return cause
}

// savepoint pushes a named savepoint.
func (t *tx) savepoint(ctx context.Context, name string) error {
	depth := len(t.saves)
	if err := t.each(func(p vtab.Conn) error { return p.Savepoint(ctx, depth) }); err != nil {
		return err
	}
	t.saves = append(t.saves, savepoint{name: types.Fold(name), cat: t.cat, checks: t.checks.Mark(), records: len(t.records)})
	return nil
}

// find gives the depth of the newest savepoint of that name.
func (t *tx) find(name string) (int, error) {
	if t != nil {
		folded := types.Fold(name)
		for i, s := range slices.Backward(t.saves) {
			if s.name == folded {
				return i, nil
			}
		}
	}
	return 0, types.Errorf(types.ERROR, "No such savepoint: %s", name)
}

// release pops a savepoint and everything above it, keeping the changes.
func (t *tx) release(depth int) error {
	t.saves = t.saves[:depth]
	return t.each(func(p vtab.Conn) error { return p.Release(depth) })
}

// rollbackTo undoes everything since a savepoint, which stays.
func (t *tx) rollbackTo(depth int) error {
	s := t.saves[depth]
	t.saves = t.saves[:depth+1]
	t.cat, t.records = s.cat, t.records[:s.records]
	forgotten := t.checks.RollbackTo(s.checks)
	return errors.Join(t.each(func(p vtab.Conn) error { return p.RollbackTo(depth) }), forgotten)
}

// rollback ends the transaction without a trace.
func (t *tx) rollback() error {
	err := t.each(vtab.Conn.Rollback)
	return t.end(err)
}

// ensureEnded rolls back a transaction that a panic left open. It is deferred by what otherwise ends it in any case.
func (t *tx) ensureEnded() {
	if t.ended {
		return
	}
	if err := t.rollback(); err != nil {
		t.db.opts.Logger.Error("rolling back after a panic", "error", err)
	}
}

// end gives up what the transaction holds.
func (t *tx) end(err error) error {
	t.ended = true
	if t.writing {
		t.writing = false
		t.db.unlockWriter()
	}
	if e := t.db.views.release(t.base); e != nil && err == nil {
		err = e
	}
	if e := t.checks.Close(); e != nil {
		t.db.opts.Logger.Error("removing a temporary file", "error", e) // the transaction has ended as it should
	}
	return err
}
