package engine

import (
	"context"
	"errors"
	"slices"

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

// dispatch runs one statement of any kind.
func (c *Conn) dispatch(ctx context.Context, src *ast.Source, s ast.Stmt, p Params) (*Rows, error) {
	switch s := s.(type) {
	case *ast.SelectStmt:
		return c.query(ctx, src, s, p)
	case *ast.BeginStmt:
		return noRows(), c.beginExplicit(ctx, TxOptions{})
	case *ast.CommitStmt:
		return noRows(), c.commit(ctx)
	case *ast.RollbackStmt:
		return noRows(), c.rollback(s)
	case *ast.SavepointStmt:
		return noRows(), c.savepoint(ctx, s.Name.Text)
	case *ast.ReleaseStmt:
		return noRows(), c.release(s.Name.Text)
	case *ast.PragmaStmt:
		return c.pragma(ctx, s)
	case *ast.DeclareSchemaStmt:
		return noRows(), c.declare(src, s)
	case *ast.DeclareLensStmt:
		return nil, types.Errorf(types.UNSUPPORTED, "lens for '%s': lenses are not supported", s.For.Text)
	case *ast.DiffSchemaStmt:
		return c.diffSchema(s)
	case *ast.ApplySchemaStmt:
		return noRows(), c.applySchema(ctx, s)
	case *ast.ExplainSchemaStmt:
		return c.explainSchema(s)
	case *ast.AnalyzeStmt:
		return c.analyze(ctx, s)
	case *ast.ExplainStmt:
		return c.explain(ctx, src, s, p)
	}
	if alter.IsSchemaStmt(s) {
		return noRows(), c.schemaChange(ctx, src, s)
	}
	return c.write(ctx, src, s, p)
}

// TxOptions say how a transaction begins. The zero value is BEGIN: it reads until it writes.
type TxOptions struct {
	// ReadOnly refuses every change (READONLY).
	ReadOnly bool
	// Immediate takes the right to write at once, and waits for it, so that no write of the transaction is BUSY later on.
	Immediate bool
}

// Begin opens the session's transaction, as BEGIN does. ERROR when one is open.
func (c *Conn) Begin(ctx context.Context, o TxOptions) error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave(nil)
	return cancelled(ctx, c.beginExplicit(ctx, o))
}

// beginExplicit opens the session's transaction.
func (c *Conn) beginExplicit(ctx context.Context, o TxOptions) error {
	if c.tx != nil {
		return types.Errorf(types.ERROR, "Cannot begin transaction: already in a transaction")
	}
	if o.Immediate {
		if err := c.db.lockWriter(ctx); err != nil {
			return err
		}
	}
	t, err := c.begin()
	if err != nil {
		if o.Immediate {
			c.db.unlockWriter()
		}
		return err
	}
	t.readOnly, t.writing = o.ReadOnly, o.Immediate
	c.tx = t
	return nil
}

// commit ends the open transaction, whatever comes of it; without one nothing happens.
func (c *Conn) commit(ctx context.Context) error {
	if c.tx == nil {
		return nil
	}
	t := c.tx
	c.tx = nil
	return errors.Join(c.endRows(t), t.commit(ctx))
}

// endRows ends the rows that a transaction which ends has handed out: they would hold what it read, and with that the transaction. Next
// answers ABORT from then on.
func (c *Conn) endRows(t *tx) error {
	var errs []error
	for _, r := range slices.Clone(c.rows) {
		if r.run.read != nil && r.run.read.tx == t {
			errs = append(errs, r.end(types.Errorf(types.ABORT, "the transaction ended before its rows were read to the end")))
		}
	}
	return errors.Join(errs...)
}

func (c *Conn) rollback(s *ast.RollbackStmt) error {
	if !s.To.IsZero() {
		depth, err := c.tx.find(s.To.Text)
		if err != nil {
			return err
		}
		return c.tx.rollbackTo(depth)
	}
	if c.tx == nil {
		return nil
	}
	t := c.tx
	c.tx = nil
	return errors.Join(c.endRows(t), t.rollback())
}

// savepoint pushes a savepoint; outside a transaction it opens one first.
func (c *Conn) savepoint(ctx context.Context, name string) error {
	if c.tx == nil {
		if err := c.beginExplicit(ctx, TxOptions{}); err != nil {
			return err
		}
	}
	return c.tx.savepoint(ctx, name)
}

func (c *Conn) release(name string) error {
	depth, err := c.tx.find(name)
	if err != nil {
		return err
	}
	return c.tx.release(depth)
}

// pragma reads or writes a session setting, or checks the database.
func (c *Conn) pragma(ctx context.Context, s *ast.PragmaStmt) (*Rows, error) {
	name := types.Fold(s.Name.Text)
	switch {
	case name == integrityCheck && s.Value != nil:
		return nil, types.Errorf(types.ERROR, "pragma %s takes no value", name)
	case name == integrityCheck:
		return c.integrity(ctx)
	case s.Value != nil:
		return noRows(), c.SetOption(s.Name.Text, catalog.LiteralValue(s.Value))
	}
	v, err := c.session.settings.get(s.Name.Text)
	if err != nil {
		return nil, err
	}
	return fixedRows(pragmaColumns, []types.Row{pragmaRow(name, v)}), nil
}

var pragmaColumns = []plan.Column{{Name: "name", Type: types.TypeText}, {Name: "value", Type: types.TypeAny}}

func pragmaRow(name string, v types.Value) types.Row { return types.Row{types.Text(name), v} }

// inTx runs f as one statement of the open transaction, or in autocommit as a transaction of its own that holds the writer lock
// from its beginning.
func (c *Conn) inTx(ctx context.Context, f func(*tx) error) error {
	if c.tx != nil {
		if c.tx.readOnly {
			return types.Errorf(types.READONLY, "the transaction was begun to read only")
		}
		err := c.tx.statement(ctx, func() error { return f(c.tx) })
		if ends(err) {
			t := c.tx
			c.tx = nil
			return t.abort(err)
		}
		return err
	}
	if err := c.db.lockWriter(ctx); err != nil {
		return err
	}
	t, err := c.begin()
	if err != nil {
		c.db.unlockWriter()
		return err
	}
	t.writing = true
	defer t.ensureEnded()
	err = t.statement(ctx, func() error { return f(t) })
	if err != nil && !keeps(err) {
		return t.abort(err)
	}
	if e := t.commit(ctx); e != nil {
		return e
	}
	return err
}

// schemaChange runs a CREATE, DROP or ALTER.
func (c *Conn) schemaChange(ctx context.Context, src *ast.Source, s ast.Stmt) error {
	err := c.inTx(ctx, func(t *tx) error { return t.alter(ctx, s, nil) })
	if at := catalog.FaultyPos(err); at != ast.NoPos && src != nil {
		line, column := src.Position(at)
		return types.Locate(err, line, column)
	}
	return err
}

// planRun is what a statement of a plan is carried out with.
type planRun struct {
	leaving  *leaving
	touched  touches
	found    *Offending       // takes the rows in the way; nil when nobody wants to know them
	progress func(rows int64) // nil when nobody asks
}

// alter runs a schema statement as a part of the transaction. run is nil outside of a plan.
func (t *tx) alter(ctx context.Context, s ast.Stmt, run *planRun) (err error) {
	env := &alterEnv{tx: t}
	if run != nil {
		env.leaving, env.touched, env.found, env.progress = run.leaving, run.touched, run.found, run.progress
	}
	defer func() {
		if e := env.close(); err == nil {
			err = e
		}
	}()
	if err = alter.Run(ctx, env, s); errors.Is(err, types.INTERNAL) {
		return types.Wrapf(types.INTERNAL, err, "internal error in statement %q", abridge(ast.Format(s)))
	}
	return err
}

// query runs a query on the transaction's state, or in autocommit on the committed one, which its rows hold until they are closed.
// One that changes rows on its way is run as a data change.
func (c *Conn) query(ctx context.Context, src *ast.Source, s *ast.SelectStmt, p Params) (rows *Rows, err error) {
	read, err := c.read()
	if err != nil {
		return nil, err
	}
	defer read.unless(&rows)
	program, err := c.compile(ctx, read, src, s, p.types())
	if err != nil {
		return nil, err
	}
	if program.Writes() {
		if err := read.close(nil); err != nil {
			return nil, err
		}
		return c.write(ctx, src, s, p)
	}
	return c.start(ctx, read, program, statement{src, s}, p)
}

// queryOn runs a reading statement of the engine's own on a state, which its rows take over.
func (c *Conn) queryOn(ctx context.Context, read *reading, s *ast.SelectStmt, p Params) (rows *Rows, err error) {
	defer read.unless(&rows)
	program, err := c.compile(ctx, read, nil, s, p.types())
	if err != nil {
		return nil, err
	}
	return c.start(ctx, read, program, statement{nil, s}, p)
}

// compile plans and compiles a query or a data change.
func (c *Conn) compile(ctx context.Context, read *reading, src *ast.Source, s ast.Stmt, t plan.ParamTypes) (*exec.Program, error) {
	pl, err := c.prepare(ctx, read, src, s, t)
	if err != nil {
		return nil, err
	}
	return exec.Build(pl)
}

// prepare plans a query or a data change.
func (c *Conn) prepare(ctx context.Context, read *reading, src *ast.Source, s ast.Stmt, t plan.ParamTypes) (*plan.Plan, error) {
	env := c.planEnv(ctx, read.cat())
	env.Source, env.Committed, env.Params = src, read.base.cat, t
	return plan.PrepareStmt(s, env)
}

// start runs a program on a state, which its rows take over. s is what it was made of.
func (c *Conn) start(ctx context.Context, read *reading, program *exec.Program, s statement, p Params) (*Rows, error) {
	rows, err := program.Run(ctx, c.runtime(&read.source, read.cat(), p))
	if err != nil {
		return nil, err
	}
	return &Rows{columns: program.Columns(), run: run{ctx: ctx, conn: c, read: read, rows: rows, stmt: s}}, nil
}

// reading is the state that a reading statement holds.
type reading struct {
	source
	held bool // the base view is this statement's own
}

// read pins the state of a reading statement.
func (c *Conn) read() (*reading, error) {
	if c.tx != nil {
		return &reading{source: source{db: c.db, base: c.tx.base, tx: c.tx}}, nil
	}
	v, err := c.db.views.acquire()
	if err != nil {
		return nil, err
	}
	return &reading{source: source{db: c.db, base: v}, held: true}, nil
}

// reads runs f, as a statement of its own, on the state that the session sees.
func (c *Conn) reads(f func(read *reading) error) (err error) {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave(nil)
	read, err := c.read()
	if err != nil {
		return err
	}
	defer func() { err = read.close(err) }()
	return f(read)
}

// cat is the catalog that the statement sees.
func (r *reading) cat() *catalog.Snapshot {
	if r.tx != nil {
		return r.tx.cat
	}
	return r.base.cat
}

// close gives the state back and adds what goes wrong to err.
func (r *reading) close(err error) error {
	if e := r.source.close(); err == nil {
		err = e
	}
	if r.held {
		r.held = false
		if e := r.db.views.release(r.base); err == nil {
			err = e
		}
	}
	return err
}

// unless gives the state back unless rows have taken it over. It is deferred by what reads, and so sees to panics too.
func (r *reading) unless(rows **Rows) {
	if *rows == nil {
		r.close(nil)
	}
}

// planEnv is what statements and stored expressions of the session are bound against.
func (c *Conn) planEnv(ctx context.Context, cat *catalog.Snapshot) *plan.Env {
	s := c.session.settings
	rt := &exec.Runtime{Memory: c.db.memory.Statement(c.effective().limits)}
	eval := func(x plan.Expr) (types.Value, error) { return exec.EvalConstWith(ctx, rt, x) }
	return &plan.Env{
		Ctx: ctx, Limits: c.effective().limits, Catalog: cat, SchemaPath: c.effective().path, Types: c.db.types, Functions: c.db.functions,
		Planner: c.db.planner, Eval: eval, Validate: s.boolean("validate_plan"), ForeignKeys: s.boolean("foreign_keys"), Nondeterministic: s.boolean("nondeterministic_schema"),
		Without: c.effective().rules,
	}
}

// planner gives the access planner of a module; nil for one that only scans.
func (db *DB) planner(name string) vtab.AccessPlanner {
	if m := db.module(name); m != nil {
		return m.planner
	}
	return nil
}

// runtime is what a run of the session is given.
func (c *Conn) runtime(src exec.Source, cat *catalog.Snapshot, p Params) *exec.Runtime {
	o, e := &c.db.opts, c.effective()
	var r struct { // one piece of memory for a statement
		exec.Runtime
		planner textPlanner
		memory  limit.Account
	}
	r.planner = textPlanner{c, cat}
	r.memory.Begin(e.limits, c.db.memory)
	r.Runtime = exec.Runtime{
		Source: src, Positional: p.Positional, Named: p.Named, MemoryBudget: e.budget, Memory: &r.memory,
		Call: function.Call{
			Now: o.Now(), Local: o.Local, Random: o.Random, Catalog: cat, Functions: c.db.functions,
			Session: e.form, SchemaPath: e.path, Planner: &r.planner,
		},
	}
	return &r.Runtime
}

// types gives the static types of the values that are bound (seed: Parameter Types).
func (p Params) types() plan.ParamTypes {
	var pt plan.ParamTypes
	for _, v := range p.Positional {
		pt.Positional = append(pt.Positional, typeOf(v))
	}
	for name, v := range p.Named {
		if pt.Named == nil {
			pt.Named = make(map[string]*types.Type, len(p.Named))
		}
		pt.Named[name] = typeOf(v)
	}
	return pt
}

// typeOf gives the logical type that a bound value stands for.
func typeOf(v types.Value) *types.Type {
	switch v.Kind() {
	case types.KindBoolean:
		return types.TypeBoolean
	case types.KindInteger:
		return types.TypeInteger
	case types.KindReal:
		return types.TypeReal
	case types.KindText:
		return types.TypeText
	case types.KindBlob:
		return types.TypeBlob
	case types.KindJSON:
		return types.TypeJSON
	}
	return types.TypeNull
}
