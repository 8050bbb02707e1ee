package exec

import (
	"context"
	"errors"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// WriteSource opens tables for a data change. The engine's transaction is one.
type WriteSource interface {
	// OpenWrite opens a table for row operations. The run closes it.
	OpenWrite(ctx context.Context, t *catalog.Table) (vtab.Table, error)
	// Truncate empties a table, unless its module has no quick way to do so: then done is false, and nothing has happened. The table's
	// definition is another one afterwards, so nothing else of the statement may write to it.
	Truncate(ctx context.Context, t *catalog.Table) (rows int64, done bool, err error)
	// OpenPresent opens a table on the work in progress as of now, what the statement has written so far included. The caller
	// closes it, before the statement ends or is undone.
	OpenPresent(ctx context.Context, t *catalog.Table) (vtab.Table, error)
}

// Conflict is a violation whose conflict action is FAIL or ROLLBACK (docs/reference/language.md). Under FAIL the statement's work up to there is
// complete and is to be kept; under ROLLBACK the whole transaction is to be undone. Any other error asks for the statement to be
// undone.
type Conflict struct {
	Action ast.ConflictAction
	Err    error // the violation
}

// Error is the violation's.
func (c *Conflict) Error() string { return c.Err.Error() }

// Unwrap gives the violation.
func (c *Conflict) Unwrap() error { return c.Err }

// resolve gives the error of a violation; nil under IGNORE, which leaves the row out.
func resolve(action ast.ConflictAction, violation error) error {
	switch action {
	case ast.ConflictIgnore:
		return nil
	case ast.ConflictFail, ast.ConflictRollback:
		return &Conflict{Action: action, Err: violation}
	}
	return violation
}

// unlessFail gives an error of a part of a statement: FAIL cannot keep part of a row or of a statement and acts as ABORT.
func unlessFail(err error) error {
	var c *Conflict
	if errors.As(err, &c) && c.Action == ast.ConflictFail {
		return c.Err
	}
	return err
}

// writeRun is what the data changes of one run share. It is used again by the next run of the same program.
type writeRun struct {
	*writeRecipe
	ec     *Context
	writer []rowWriter // by rulesRecipe.slot
	acts   []actionRun // by actionRecipe.slot
	refs   []refRun    // by refRecipe.slot
	probes []probeRun  // by probeRecipe.slot
	// pending are the actions with rows to carry out, in the order in which the first of them came.
	pending []*actionRun
	acting  bool // actions are being carried out
	tables  []writeTable
	present Runtime // reads the work in progress
	changes int64
	// failed is the FAIL that ended the statement early.
	failed *Conflict
}

// tableRead is a table that a statement reads.
type tableRead struct {
	table     *catalog.Table
	committed bool
}

type writeTable struct {
	table  *catalog.Table
	opened vtab.Table
}

// run makes room for what a program's changes keep.
func (w *writeRecipe) run(ec *Context) *writeRun {
	r := &writeRun{writeRecipe: w, ec: ec}
	r.writer = make([]rowWriter, len(w.rules))
	for i, rules := range w.rules {
		r.writer[i] = newRowWriter(r, rules)
	}
	r.acts = make([]actionRun, len(w.actions))
	for i, a := range w.actions {
		r.acts[i] = actionRun{actionRecipe: a, run: r}
	}
	r.refs = make([]refRun, len(w.refs))
	for i, ref := range w.refs {
		r.refs[i] = refRun{refRecipe: ref, run: r}
	}
	r.probes = make([]probeRun, len(w.probes))
	for i, p := range w.probes {
		r.probes[i] = probeRun{probeRecipe: p}
	}
	return r
}

// statement carries a statement out: it opens the root, by which all changes are made, and then judges what is due at the end.
func (r *writeRun) statement(root Operator) error {
	if err := r.begin(); err != nil {
		return err
	}
	err := root.Open(r.ec)
	var c *Conflict
	if errors.As(err, &c) && c.Action == ast.ConflictFail {
		r.failed, err = c, nil
	}
	if err == nil {
		err = r.finish()
	}
	if err = firstError(err, r.release()); err == nil && r.failed != nil {
		return r.failed
	}
	return err
}

// begin sets out. Tables that are read are opened now, so that their state is the one before the statement, whenever an expression
// asks for them.
func (r *writeRun) begin() error {
	rt := r.ec.rt
	if rt.Write == nil || rt.Queue == nil {
		return types.Errorf(types.INTERNAL, "exec: a data change was run without a transaction to write in")
	}
	r.changes, r.failed = 0, nil
	r.present = *rt
	r.present.Source = presentSource{rt.Write}
	for _, t := range r.reads {
		if _, err := r.ec.openTable(t.table, t.committed); err != nil {
			return err
		}
	}
	return nil
}

// finish carries out the actions that are due and judges RESTRICT. Child keys without parents wait for commit from here on.
func (r *writeRun) finish() error {
	if err := r.act(nil); err != nil {
		return err
	}
	for i := range r.acts {
		if err := r.acts[i].restrict(); err != nil {
			return err
		}
	}
	for i := range r.refs {
		if err := r.refs[i].settle(); err != nil {
			return err
		}
	}
	return nil
}

// open gives a table opened for writing, once a run.
func (r *writeRun) open(t *catalog.Table) (vtab.Table, error) {
	for _, w := range r.tables {
		if w.table == t {
			return w.opened, nil
		}
	}
	opened, err := r.ec.rt.Write.OpenWrite(r.ec.ctx, t)
	if err != nil {
		return nil, err
	}
	r.tables = append(r.tables, writeTable{t, opened})
	r.ec.rt.Queue.Touch(t)
	return opened, nil
}

// release closes what the run opened to write and to look rows up.
func (r *writeRun) release() error {
	var first error
	for i := range r.probes {
		first = firstError(first, r.probes[i].close())
	}
	for _, t := range r.tables {
		first = firstError(first, t.opened.Close())
	}
	clear(r.tables)
	r.tables = r.tables[:0]
	return first
}

// end forgets what the run noted; on nil it does nothing.
func (r *writeRun) end() error {
	if r == nil {
		return nil
	}
	err := r.release()
	clear(r.pending)
	r.pending, r.present, r.failed = r.pending[:0], Runtime{}, nil
	for i := range r.acts {
		r.acts[i].forget()
	}
	for i := range r.refs {
		r.refs[i].forget()
	}
	for i := range r.writer {
		r.writer[i].forget()
	}
	return err
}

// presentSource shows the work in progress to what looks rows up.
type presentSource struct{ w WriteSource }

// OpenTable implements Source.
func (p presentSource) OpenTable(ctx context.Context, t *catalog.Table, _ bool) (vtab.Table, error) {
	return p.w.OpenPresent(ctx, t)
}

// scansOf lists the tables that a plan reads, its subqueries included.
func scansOf(root plan.Node) []tableRead {
	var out []tableRead
	plan.WalkNode(root, func(n plan.Node) {
		s, ok := n.(*plan.Scan)
		if !ok {
			return
		}
		for _, r := range out {
			if r.table == s.Table && r.committed == s.Committed {
				return
			}
		}
		out = append(out, tableRead{s.Table, s.Committed})
	})
	return out
}
