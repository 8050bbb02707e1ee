package engine

import (
	"context"
	"sync"

	"github.com/quereus/quereus-migrate/alter"
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/exec"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
	"github.com/quereus/quereus-migrate/vtab"
)

// alterEnv shows a transaction to package alter. It lives as long as one statement.
type alterEnv struct {
	tx *tx
	// src and runs are what compiled expressions of the statement read and hold.
	src  *source
	runs []*rowRuns
	// leaving are the tables and constraints that the plan under way drops later; nil outside of one.
	leaving  *leaving
	touched  touches
	found    *Offending // the rows in the way, nil when nobody wants to know them
	progress func(rows int64)
}

var _ alter.Env = (*alterEnv)(nil)

func (e *alterEnv) Catalog() *catalog.Snapshot    { return e.tx.cat }
func (e *alterEnv) Install(cat *catalog.Snapshot) { e.tx.cat = cat }
func (e *alterEnv) Limits() *limit.Set            { return e.tx.conn.effective().limits }
func (e *alterEnv) SchemaPath() []string          { return e.tx.conn.effective().path }
func (e *alterEnv) ForeignKeys() bool             { return e.tx.conn.session.settings.boolean("foreign_keys") }
func (e *alterEnv) Leaving(t *catalog.Table, constraint string) bool {
	return e.leaving.has(t, constraint)
}

func (e *alterEnv) Changed(t *catalog.Table, columns []int) { e.touched.columns(t, columns) }
func (e *alterEnv) Added(t *catalog.Table, column int)      { e.touched.add(t, column) }
func (e *alterEnv) Rekeyed(t *catalog.Table)                { e.touched.key(t) }

func (e *alterEnv) Offenders() alter.Offenders {
	if e.found == nil {
		return nil
	}
	return &offenders{env: e, found: e.found}
}

func (e *alterEnv) Untold(err error) {
	*e.found = Offending{}
	e.tx.db.opts.Logger.Warn("the rows that stand in the way of a step cannot be told", "error", err)
}

func (e *alterEnv) Progress(rows int64) {
	if e.progress != nil {
		e.progress(rows)
	}
}

func (e *alterEnv) BuildEnv(ids catalog.Allocator) catalog.BuildEnv {
	return e.tx.conn.buildEnv(ids)
}

// buildEnv gives the session's settings and the database's registries to new definitions.
func (c *Conn) buildEnv(ids catalog.Allocator) catalog.BuildEnv {
	s := c.session.settings
	return catalog.BuildEnv{
		Types: c.db.types, Nullable: s.text("default_column_nullability") == "nullable",
		Collation: c.Collation(s.text("default_collation")),
		Module:    s.text("default_vtab_module"), ModuleArgs: s.moduleArgs(), IDs: ids,
	}
}

func (e *alterEnv) Module(name string) *alter.Module {
	m := e.tx.db.module(name)
	if m == nil {
		return nil
	}
	return &alter.Module{Name: m.name, Creator: m.creator, Alterer: m.alterer, IsDurable: m.durable(), Refused: e.refusal(m)}
}

// refusal is why tables of a module must not be changed now; nil when they may.
func (e *alterEnv) refusal(m *module) error {
	c := e.tx.conn
	if m.transactor != nil || c.tx != e.tx || c.session.settings.text("ddl_transaction_policy") != "strict" {
		return nil
	}
	return types.Errorf(types.ERROR,
		"a change of a table of module %s, which takes no part in transactions, is not allowed inside an explicit transaction (ddl_transaction_policy = strict)", m.name).
		WithHint("commit first, or set pragma ddl_transaction_policy = permissive")
}

func (e *alterEnv) Conn(ctx context.Context, name string) (vtab.Conn, error) {
	return e.tx.part(ctx, e.tx.db.module(name))
}

func (e *alterEnv) Names(s *catalog.Snapshot) *catalog.Names { return e.tx.conn.names(s) }

// names resolves the names of stored texts in a catalog.
func (c *Conn) names(s *catalog.Snapshot) *catalog.Names {
	return catalog.NewNames(s, c.effective().path, func(name string, args int) ([]string, bool) {
		if f := c.db.functions.Lookup(name, args, true); f != nil {
			columns := make([]string, len(f.Columns))
			for i, col := range f.Columns {
				columns[i] = col.Name
			}
			return columns, false
		}
		f := c.db.functions.Lookup(name, args, false)
		return nil, f != nil && f.Kind == function.Aggregate
	})
}

// use says where a stored expression stands, for the binder.
func use(t *catalog.Table, e catalog.Expression) plan.Use {
	u := plan.Use{Place: t.Describe(e)}
	switch e.Kind {
	case catalog.DefaultExpression:
		u.Mode, u.Column = plan.DefaultExpr, t.Columns[e.Column].Name
		u.Supplied = new(vtab.ColumnSet)
		for i := range t.Columns {
			if i != e.Column { // a default is asked for only when its own column is not supplied
				u.Supplied.Add(i)
			}
		}
	case catalog.GeneratedExpression:
		u.Mode, u.Column = plan.GeneratedExpr, t.Columns[e.Column].Name
	case catalog.CheckExpression:
		u.Mode, u.BareOld = plan.CheckExpr, t.Checks[e.Check].Ops == ast.OnDelete
	default:
		u.Mode = plan.IndexExpr
	}
	return u
}

func (e *alterEnv) CheckExpression(s *catalog.Snapshot, t *catalog.Table, x catalog.Expression) error {
	return e.tx.conn.checkExpression(s, t, x)
}

func (e *alterEnv) CompileExpression(ctx context.Context, s *catalog.Snapshot, t *catalog.Table, x catalog.Expression) (alter.Computed, error) {
	te, err := plan.BindTableExpr(t, x.X, use(t, x), e.tx.conn.planEnv(ctx, s))
	if err != nil {
		return alter.Computed{}, err
	}
	p, err := exec.CompileRow(te)
	if err != nil {
		return alter.Computed{}, err
	}
	r := &rowRuns{ctx: ctx, program: p, width: len(te.Layout), runtime: e.tx.conn.runtime(e.source(), e.tx.cat, Params{})}
	e.runs = append(e.runs, r)
	return alter.Computed{Eval: r.eval, Type: te.X.Static().Type}, nil
}

// source is the state that the statement's expressions read.
func (e *alterEnv) source() *source {
	if e.src == nil {
		e.src = &source{db: e.tx.db, base: e.tx.base, tx: e.tx}
	}
	return e.src
}

// close ends what the statement opened.
func (e *alterEnv) close() error {
	var first error
	for _, r := range e.runs {
		if err := r.close(); first == nil {
			first = err
		}
	}
	if e.src != nil {
		if err := e.src.close(); first == nil {
			first = err
		}
	}
	return first
}

func (e *alterEnv) TableSpec(ctx context.Context, s *catalog.Snapshot, t *catalog.Table) (*vtab.TableSpec, error) {
	return compileSpec(t, e.tx.conn.planEnv(ctx, s))
}

func (e *alterEnv) CheckView(ctx context.Context, s *catalog.Snapshot, v *catalog.View) error {
	_, err := plan.PrepareView(v, e.definitionEnv(ctx, s))
	return err
}

func (e *alterEnv) CheckAssertion(ctx context.Context, s *catalog.Snapshot, a *catalog.Assertion) error {
	_, err := plan.PrepareAssertion(a, e.definitionEnv(ctx, s))
	return err
}

// definitionEnv is what a body that is about to be stored is bound against, over tables that are there.
func (e *alterEnv) definitionEnv(ctx context.Context, s *catalog.Snapshot) *plan.Env {
	env := e.tx.conn.planEnv(ctx, s)
	env.Fresh = true
	return env
}

func (e *alterEnv) Count(ctx context.Context, q *ast.SelectStmt, limit int64) (n int64, err error) {
	rows, err := e.tx.conn.queryOn(ctx, e.tx.reading(), q, Params{})
	if err != nil {
		return 0, err
	}
	defer func() {
		if e := rows.Close(); err == nil {
			err = e
		}
	}()
	for n < limit {
		row, err := rows.Next()
		if row == nil || err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func (e *alterEnv) CopyRows(ctx context.Context, from, to *catalog.Table) (err error) {
	m, err := e.tx.db.moduleOf(to)
	if err != nil {
		return err
	}
	part, err := e.tx.part(ctx, m)
	if err != nil {
		return err
	}
	edit := e.tx.cat.Edit()
	edit.PutTable(to)
	spec, err := e.TableSpec(ctx, edit.Done(), to)
	if err != nil {
		return err
	}
	table, err := m.vtab.Connect(ctx, vtab.ConnectRequest{Table: to, Conn: part, Spec: spec})
	if err != nil {
		return err
	}
	defer func() {
		if e := table.Close(); err == nil {
			err = e
		}
	}()
	done := int64(0)
	return e.EachRow(ctx, from, func(row types.Row) error {
		r, err := table.Update(ctx, &vtab.RowOp{Kind: vtab.OpInsert, New: row})
		if err == nil && r.Status == vtab.Conflict {
			err = types.Errorf(types.CONSTRAINT, "%s", r.Failed.Message)
		}
		if done++; done%vtab.BatchRows == 0 {
			e.Progress(done)
		}
		return err
	})
}

func (e *alterEnv) EachRow(ctx context.Context, t *catalog.Table, f func(types.Row) error) (err error) {
	src := &source{db: e.tx.db, base: e.tx.base, tx: e.tx}
	defer func() {
		if e := src.close(); err == nil {
			err = e
		}
	}()
	return src.eachRow(ctx, t, vtab.AllColumns(len(t.Columns)), f)
}

// eachRow calls f for every row of t, of which the columns are set. The first error of f ends it and is the answer.
func (s *source) eachRow(ctx context.Context, t *catalog.Table, columns vtab.ColumnSet, f func(types.Row) error) error {
	table, err := s.OpenTable(ctx, t, false)
	if err != nil {
		return err
	}
	defer table.Close()
	cursor, err := table.Scan(ctx, &vtab.Filter{Limit: -1, Columns: columns})
	if err != nil {
		return err
	}
	defer cursor.Close()
	for row, err := range vtab.Rows(ctx, cursor, len(t.Columns)) {
		if err != nil {
			return err
		}
		if err := f(row); err != nil {
			return err
		}
	}
	return nil
}

// rowRuns evaluates a compiled expression from several goroutines: each takes a run that is free. A row gives the new image; other
// parts of the expression's row are NULL.
type rowRuns struct {
	ctx     context.Context
	program *exec.RowProgram
	runtime *exec.Runtime
	width   int

	mu   sync.Mutex
	free []*rowRun
	all  []*rowRun
}

type rowRun struct {
	run *exec.RowRun
	row types.Row
}

func (r *rowRuns) eval(row types.Row) (types.Value, error) {
	x, err := r.take()
	if err != nil {
		return types.Null, err
	}
	copy(x.row, row)
	v, err := x.run.Eval(x.row)
	r.mu.Lock()
	r.free = append(r.free, x)
	r.mu.Unlock()
	return v, err
}

func (r *rowRuns) take() (*rowRun, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.free); n > 0 {
		x := r.free[n-1]
		r.free = r.free[:n-1]
		return x, nil
	}
	run, err := r.program.Begin(r.ctx, r.runtime)
	if err != nil {
		return nil, err
	}
	x := &rowRun{run: run, row: make(types.Row, r.width)}
	r.all = append(r.all, x)
	return x, nil
}

func (r *rowRuns) close() error {
	var first error
	for _, x := range r.all {
		if err := x.run.Close(); first == nil {
			first = err
		}
	}
	return first
}
