package engine

import (
	"context"
	"errors"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/exec"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/vtab"
)

// write runs a statement that changes rows. It runs to its end before its rows, if it has any, are handed out.
func (c *Conn) write(ctx context.Context, src *ast.Source, s ast.Stmt, p Params) (rows *Rows, err error) {
	err = c.inTx(ctx, func(t *tx) error {
		rows, err = t.write(ctx, src, s, p)
		return err
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// reading is the transaction's present state, for one statement.
func (t *tx) reading() *reading {
	return &reading{source: source{db: t.db, base: t.base, tx: t, buffers: true}}
}

// write runs a statement that changes rows as a part of the transaction.
func (t *tx) write(ctx context.Context, src *ast.Source, s ast.Stmt, p Params) (*Rows, error) {
	read := t.reading()
	program, err := t.conn.compile(ctx, read, src, s, p.types())
	if err != nil {
		return nil, err
	}
	return t.runWrite(ctx, program, p)
}

// runWrite runs a compiled data change and keeps its rows.
func (t *tx) runWrite(ctx context.Context, program *exec.Program, p Params) (out *Rows, err error) {
	read := t.reading()
	defer func() {
		if e := read.close(nil); err == nil {
			err = e
		}
	}()
	rows, err := program.Run(ctx, t.runtime(read, p))
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := rows.Close(); err == nil {
			err = e
		}
	}()
	kept, err := rows.Keep()
	if err != nil {
		return nil, err
	}
	out = &Rows{columns: rows.Columns()}
	if list, ok := kept.All(); ok {
		out.list = list
	} else {
		out.kept = kept
	}
	out.changes = rows.Changes()
	return out, nil
}

// runtime is what a run that may change rows is given.
func (t *tx) runtime(read *reading, p Params) *exec.Runtime {
	rt := t.conn.runtime(&read.source, t.cat, p)
	rt.Write, rt.Queue = writing{t}, &t.checks
	return rt
}

// writing opens a transaction's tables for data changes. It satisfies exec.WriteSource.
type writing struct{ tx *tx }

func (w writing) OpenWrite(ctx context.Context, t *catalog.Table) (vtab.Table, error) {
	m, err := w.tx.db.moduleOf(t)
	if err != nil {
		return nil, err
	}
	part, err := w.tx.part(ctx, m)
	if err != nil {
		return nil, err
	}
	spec, err := w.tx.conn.tableSpec(ctx, w.tx.cat, t)
	if err != nil {
		return nil, err
	}
	return m.vtab.Connect(ctx, vtab.ConnectRequest{Table: t, Conn: part, Spec: spec})
}

func (w writing) Truncate(ctx context.Context, t *catalog.Table) (rows int64, done bool, err error) {
	m, err := w.tx.db.moduleOf(t)
	if err != nil || m.truncator == nil {
		return 0, false, err
	}
	part, err := w.tx.part(ctx, m)
	if err != nil {
		return 0, false, err
	}
	after, rows, err := m.truncator.Truncate(ctx, part, t)
	if err != nil || after == nil {
		return 0, false, err
	}
	e := w.tx.cat.Edit()
	e.PutTable(after)
	w.tx.cat = e.Done()
	return rows, true, nil
}

func (w writing) OpenPresent(ctx context.Context, t *catalog.Table) (vtab.Table, error) {
	src := &source{db: w.tx.db, base: w.tx.base, tx: w.tx, buffers: true}
	table, err := src.OpenTable(ctx, t, false)
	if err != nil {
		src.close()
		return nil, err
	}
	return &presentTable{Table: table, src: src}, nil
}

// presentTable is a table on a state of its own, which it gives back when it is closed.
type presentTable struct {
	vtab.Table
	src *source
}

func (p *presentTable) Close() error { return errors.Join(p.Table.Close(), p.src.close()) }

// checkDeferred judges, against the transaction's final state, assertions whose tables changed and checks that waited for the
// commit (docs/reference/language.md).
func (t *tx) checkDeferred(ctx context.Context) (err error) {
	if t.checks.Len() == 0 && !t.checks.Touched() {
		return nil
	}
	read := t.reading()
	defer func() {
		if e := read.close(nil); err == nil {
			err = e
		}
	}()
	env := t.conn.planEnv(ctx, t.cat)
	env.Committed = t.base.cat
	rt := t.runtime(read, Params{})
	assertions, err := t.conn.assertions(env)
	if err != nil {
		return err
	}
	if err := assertions.Check(ctx, rt, &t.checks); err != nil {
		return err
	}
	return t.checks.Run(ctx, env, rt, func(on *catalog.Table, check int, key *catalog.ForeignKey) (bool, error) {
		if key == nil {
			return t.breaksCheck(ctx, on, check)
		}
		found := &Offending{}
		err := t.orphans(ctx, on, key, found)
		return found.Count > 0, err
	})
}

// breaksCheck reports whether some row of a table breaks a CHECK.
func (t *tx) breaksCheck(ctx context.Context, on *catalog.Table, check int) (bool, error) {
	p := newProof(t, 0, false)
	r := &provenRule{table: on, check: check}
	err := p.judgeChecks(ctx, on, []*provenRule{r})
	return r.err != nil, err
}

// assertions gives the compiled assertions of the catalog, which the connection keeps as long as the catalog stays.
func (c *Conn) assertions(env *plan.Env) (*exec.Assertions, error) {
	if c.asserted.cat == env.Catalog && c.asserted.rev == c.session.rev {
		return c.asserted.list, nil
	}
	list, err := exec.CompileAssertions(env)
	if err != nil {
		return nil, err
	}
	c.asserted = asserted{cat: env.Catalog, rev: c.session.rev, list: list}
	return list, nil
}

// asserted are the assertions compiled last, with what they were compiled for.
type asserted struct {
	cat  *catalog.Snapshot
	rev  uint64
	list *exec.Assertions
}
