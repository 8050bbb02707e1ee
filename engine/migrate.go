package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/types"
)

// MigrateOptions say how a plan is carried out.
type MigrateOptions struct {
	// DryRun runs everything and rolls it back.
	DryRun bool
	// Allow is the highest severity of a hazard that is let through, Allowances let single ones through beyond it.
	Allow      differ.Severity
	Allowances []differ.Allowance
	// Sealed is set for a plan that was made earlier, and may have been edited since: what its steps lose is counted on the rows that are
	// there when they run, and the run must end at Plan.To.
	Sealed bool
	// NoUndo leaves out the checkpoint that Undo goes back to, which holds on to the space of what the migration replaces.
	NoUndo bool
	// Plan names the plan for the history: the checksum of its file.
	Plan string
	// LockTimeout bounds the wait for the writer lock, behind which the run is BUSY; 0 does not wait.
	LockTimeout time.Duration
	// Seeds are brought about behind the steps, nil for none: rows that are not there are inserted, others get their values.
	Seeds *catalog.Declared
	// Load, when not nil, fills the tables that the plan makes. It is called once, when they are there and before anything else of the plan
	// is. Its error ends the run. Foreign keys are judged at the end.
	Load func(context.Context, *Loader) error
	// Version is the declared version, for the history.
	Version string
	// Tool names the program for the history, By who applies the plan; an empty By is the user and the host of the process.
	Tool, By string
	// Progress, when not nil, is told how far the run is. It must not use the connection.
	Progress func(Progress)
}

// Progress is how far a migration is.
type Progress struct {
	// Step is the step under way, from 0, of Steps.
	Step, Steps int
	SQL         string
	// Rows are the rows that the step has done; 0 while it has none to do.
	Rows int64
	// Done is set once the step has ended.
	Done bool
}

// MigrateResult tells what a migration did.
type MigrateResult struct {
	// Applied is the number of steps that ran, Seeded that of seed rows that were inserted, Reseeded that of those that were updated.
	Applied          int
	Seeded, Reseeded int64
	// Number is the history entry; 0 for a dry run, and when there was nothing but seeds and their rows are all there as declared.
	Number   uint64
	Duration time.Duration
}

// StalePlanError says that the live schema is not the one that the plan was made for. Nothing was touched.
type StalePlanError struct{ Schema, Want, Have string }

func (e *StalePlanError) Error() string {
	return fmt.Sprintf("plan is stale: schema %s has changed since the plan was made (hash %.12s, now %.12s); make a new plan", e.Schema, e.Want, e.Have)
}

// Unwrap gives the code SCHEMA.
func (e *StalePlanError) Unwrap() error { return types.SCHEMA }

// UnreachableError says that no statements lead to what is declared. Nothing was touched.
type UnreachableError struct{ Differences []differ.Note }

func (e *UnreachableError) Error() string {
	var b strings.Builder
	b.WriteString("the schema cannot be reached:")
	for _, n := range e.Differences {
		fmt.Fprintf(&b, "\n  %s: %s", n.Kind, n.Message)
	}
	return b.String()
}

// Unwrap gives the code UNSUPPORTED.
func (e *UnreachableError) Unwrap() error { return types.UNSUPPORTED }

// UnreachedError says that the steps of a plan went well and led elsewhere than it says. Everything was rolled back.
type UnreachedError struct{ Schema, Want, Have string }

func (e *UnreachedError) Error() string {
	return fmt.Sprintf("the plan does not lead where it says: schema %s would have hash %.12s, the plan says %.12s; everything was rolled back", e.Schema, e.Have, e.Want)
}

// Unwrap gives the code SCHEMA.
func (e *UnreachedError) Unwrap() error { return types.SCHEMA }

// PolicyError lists the hazards that are above what is allowed. Nothing was changed.
type PolicyError struct {
	Allowed differ.Policy
	Steps   []differ.Step // those with such a hazard
}

func (e *PolicyError) Error() string {
	var b strings.Builder
	b.WriteString("refused by policy:")
	for i := range e.Steps {
		for _, h := range e.Allowed.Refused(&e.Steps[i]) {
			fmt.Fprintf(&b, "\n  %s: %s\n    %s", h.Code, h.Message, e.Steps[i].SQL)
		}
	}
	return b.String()
}

// Failure is a step that could not be carried out.
type Failure struct {
	// Step is its index in Plan.Steps.
	Step int
	SQL  string
	// Err is why, with the place in the schema file where that is known (differ.Step.Locate); nil for a step that was not judged
	// because the step of index Blocked, which it depends on, failed.
	Err     error
	Blocked int
	// Rows are those that stood in the way, nil when none did or nobody can tell.
	Rows *Offending
}

// MigrateError lists everything that went wrong in a run, at least one failure, in the order of the steps. Everything was rolled
// back.
type MigrateError struct{ Failures []Failure }

func (e *MigrateError) Error() string {
	var b strings.Builder
	for i, f := range e.Failures {
		if i > 0 {
			b.WriteString("\n")
		}
		if f.Err != nil {
			fmt.Fprintf(&b, "step %d: %s\n  %s", f.Step+1, f.SQL, f.Err)
			if f.Rows != nil {
				fmt.Fprintf(&b, "\n  rows in the way: %d", f.Rows.Count)
			}
		} else {
			fmt.Fprintf(&b, "step %d: %s\n  not judged: step %d failed", f.Step+1, f.SQL, f.Blocked+1)
		}
	}
	return b.String()
}

// Unwrap gives the first failure's error, so that its code is the run's.
func (e *MigrateError) Unwrap() error { return e.Failures[0].Err }

// Migrate carries a plan out as one transaction. The plan was made from the database's schema as it is: a
// *StalePlanError otherwise. Hazards above o.Allow refuse the run: a *PolicyError; so does a difference that no step carries out: an
// *UnreachableError. Steps that fail are collected, the others
// judged in the state that is left, and everything is rolled back: a *MigrateError. The connection must have no transaction open.
func (c *Conn) Migrate(ctx context.Context, p *differ.Plan, o MigrateOptions) (*MigrateResult, error) {
	results, err := c.MigrateAll(ctx, []Migration{{p, o}})
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

// Migration is a plan with how it is carried out.
type Migration struct {
	Plan    *differ.Plan
	Options MigrateOptions
}

// MigrateAll carries out plans of several schemas, at least one, as one transaction: all of them or none. Each runs in the state that those
// before it leave, and has an entry of its own in the history; an undo takes all of them back. All are held against policy and the schemas that
// are there before the first runs. The first that fails ends the run, and is told by an error of Migrate. Whether it is dry, waits for the lock
// and keeps a checkpoint is said by the options of the first.
func (c *Conn) MigrateAll(ctx context.Context, all []Migration) (results []*MigrateResult, err error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave(nil)
	if c.tx != nil {
		return nil, types.Errorf(types.MISUSE, "a migration cannot run inside a transaction")
	}
	for _, x := range all {
		if err := checkPolicy(x.Plan.Steps, x.Options.policy()); err != nil {
			return nil, err
		}
		if open := x.Plan.Differences(); open != nil {
			return nil, &UnreachableError{open}
		}
	}
	first := &all[0].Options
	t, err := c.beginMigration(ctx, first.LockTimeout)
	if err != nil {
		return nil, err
	}
	run := migrations{tx: t, all: all}
	defer func() {
		if v := recover(); v != nil {
			results, err = nil, c.panicked(run.at(), v)
		}
	}()
	defer t.ensureEnded()
	defer func() {
		if err != nil {
			c.db.dropCheckpoint(run.checkpoint)
		}
	}()
	if results, err = run.guarded(ctx); err != nil || first.DryRun {
		return results, errors.Join(err, t.rollback())
	}
	if err := t.commit(ctx); err != nil {
		return nil, err
	}
	if run.checkpoint != 0 {
		c.db.dropCheckpointsBut(run.checkpoint)
	}
	return results, nil
}

// migrations are those of one transaction.
type migrations struct {
	tx  *tx
	all []Migration
	// now is the one under way, nil before the first.
	now *migration
	// checkpoint is the number of the checkpoint from before the run, 0 without one.
	checkpoint uint64
}

// at says what is under way.
func (r *migrations) at() string {
	if r.now == nil {
		return "the checkpoint before the migration"
	}
	return r.now.at
}

// guarded runs plans that were made before the transaction began.
func (r *migrations) guarded(ctx context.Context) (results []*MigrateResult, err error) {
	for _, x := range r.all {
		if have := catalog.Hash(r.tx.cat, x.Plan.Schema); have != x.Plan.From {
			return nil, &StalePlanError{Schema: x.Plan.Schema, Want: x.Plan.From, Have: have}
		}
	}
	if err := r.takeCheckpoint(ctx); err != nil {
		return nil, err
	}
	for _, x := range r.all {
		r.now = newMigration(r.tx, x.Plan, x.Options, runRules{})
		r.now.checkpoint = r.checkpoint
		result, err := r.now.run(ctx, r.tx.db.opts.Now())
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

// beginMigration opens a transaction that holds the writer lock from its beginning.
func (c *Conn) beginMigration(ctx context.Context, wait time.Duration) (*tx, error) {
	lock, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if err := c.db.lockWriter(lock); err != nil {
		return nil, err
	}
	t, err := c.begin()
	if err != nil {
		c.db.unlockWriter()
		return nil, err
	}
	t.writing = true
	return t, nil
}

func (o *MigrateOptions) policy() differ.Policy {
	return differ.Policy{Severity: o.Allow, Allowances: o.Allowances}
}

func checkPolicy(steps []differ.Step, allowed differ.Policy) error {
	e := &PolicyError{Allowed: allowed}
	for i := range steps {
		if allowed.Refused(&steps[i]) != nil {
			e.Steps = append(e.Steps, steps[i])
		}
	}
	if e.Steps == nil {
		return nil
	}
	return e
}

// migration is one run of a plan, that of APPLY SCHEMA too. It leaves it to the caller to roll back after an error.
type migration struct {
	result  MigrateResult
	tx      *tx
	plan    *differ.Plan
	options MigrateOptions
	// before is the catalog that the run began with.
	before *catalog.Snapshot
	failed []Failure
	proof  *proof
	loaded bool   // options.Load has been called
	at     string // what is under way
	// lossy are steps of a sealed plan that lose what the plan does not say, with the hazards that tell so.
	lossy []differ.Step
	// checkpoint is the number of the checkpoint from before the run, 0 without one.
	checkpoint uint64
	rules      runRules
}

// runRules are what the kinds of runs differ in. The zero value is that of Migrate.
type runRules struct {
	// stopsAtFailure ends the run with the first step that fails, in place of judging the others.
	stopsAtFailure bool
	// trustsAdded leaves CHECKs and assertions that the plan adds to the next write of a row.
	trustsAdded bool
	// keepsSeeded leaves rows that a seed finds as they are.
	keepsSeeded bool
	// notesOnlyChanges leaves out the history entry of a run that changes nothing.
	notesOnlyChanges bool
}

// applyRules are those of APPLY SCHEMA.
var applyRules = runRules{stopsAtFailure: true, trustsAdded: true, keepsSeeded: true, notesOnlyChanges: true}

func newMigration(t *tx, p *differ.Plan, o MigrateOptions, rules runRules) *migration {
	return &migration{tx: t, plan: p, options: o, rules: rules, proof: newProof(t, len(p.Steps), !rules.trustsAdded)}
}

func (m *migration) run(ctx context.Context, began time.Time) (*MigrateResult, error) {
	m.tx.migrating = true
	defer func() { m.tx.migrating = false }()
	m.before = m.tx.cat
	m.tx.makeSchema(m.plan.Schema)
	leaving := newLeaving(m.plan)
	for i := range m.plan.Steps {
		if err := m.load(ctx, m.plan.Steps[i].Stmt); err != nil {
			return nil, err
		}
		if err := m.step(ctx, i, leaving); err != nil {
			return nil, err
		}
		if m.rules.stopsAtFailure && len(m.failed) > 0 {
			return nil, &MigrateError{Failures: m.failed}
		}
	}
	if err := m.load(ctx, nil); err != nil {
		return nil, err
	}
	m.at = "the end of the migration"
	result := &m.result
	result.Applied = len(m.plan.Steps)
	var err error
	if result.Seeded, err = m.settle(ctx); err != nil {
		return nil, err
	}
	if err := checkPolicy(m.lossy, m.options.policy()); err != nil {
		return nil, err
	}
	from, to := catalog.HashPair(m.before, m.tx.cat, m.plan.Schema)
	if m.options.Sealed && to != m.plan.To {
		return nil, &UnreachedError{Schema: m.plan.Schema, Want: m.plan.To, Have: to}
	}
	result.Duration = m.tx.db.opts.Now().Sub(began)
	if m.options.DryRun {
		return result, m.tx.checkDeferred(ctx)
	}
	if (m.rules.notesOnlyChanges || m.options.Seeds != nil) && result.Applied == 0 && result.Seeded == 0 && result.Reseeded == 0 {
		return result, nil
	}
	result.Number, err = m.note(ctx, HistoryEntry{From: from, To: to, At: began.UTC(), Duration: result.Duration})
	return result, err
}

// settle inserts the seeds and judges what the steps have left to be judged. Without the steps that failed there are no seeds.
func (m *migration) settle(ctx context.Context) (seeded int64, err error) {
	if m.options.Seeds != nil && len(m.failed) == 0 {
		m.at = "the seeds"
		if seeded, err = m.seed(ctx, m.options.Seeds); err != nil {
			return 0, err
		}
	}
	if m.loaded {
		if err := m.proof.judgeLoaded(ctx); err != nil {
			return 0, err
		}
	}
	if err := m.proof.judgeTables(ctx); err != nil {
		return 0, err
	}
	if err := m.proof.judgeAssertions(ctx); err != nil {
		return 0, err
	}
	for _, r := range m.proof.broken() {
		s := &m.plan.Steps[r.step]
		m.failed = append(m.failed, Failure{Step: r.step, SQL: s.SQL, Err: s.Locate(r.err), Rows: r.rows})
	}
	if len(m.failed) == 0 {
		return seeded, nil
	}
	slices.SortStableFunc(m.failed, func(a, b Failure) int { return cmp.Compare(a.Step, b.Step) })
	return 0, &MigrateError{Failures: m.failed}
}

// seed brings the declared rows about, and returns how many were inserted.
func (m *migration) seed(ctx context.Context, d *catalog.Declared) (inserted int64, err error) {
	if m.rules.keepsSeeded {
		return m.tx.seed(ctx, d)
	}
	changes, err := m.tx.syncSeeds(ctx, d)
	for _, s := range changes {
		inserted += s.Inserted
		m.result.Reseeded += s.Updated
	}
	return inserted, err
}

// step runs one step after a savepoint; a failure is noted and undone, unless it ends the run. An error means that the run cannot go on.
func (m *migration) step(ctx context.Context, i int, leaving *leaving) error {
	s := &m.plan.Steps[i]
	if on, blocked := m.blocked(s); blocked {
		m.failed = append(m.failed, Failure{Step: i, SQL: s.SQL, Blocked: on})
		m.proof.fail(s.Stmt)
		return nil
	}
	m.at = s.SQL
	progress := Progress{Step: i, Steps: len(m.plan.Steps), SQL: s.SQL}
	m.report(progress)
	touched := touches{}
	var found *Offending
	if !m.rules.stopsAtFailure {
		found = &Offending{}
	}
	ctx, stop := m.tx.conn.timed(ctx)
	defer stop()
	failure, err := m.attempt(ctx, func() error {
		return m.carryOut(ctx, s, &planRun{leaving: leaving, touched: touched, found: found, progress: func(rows int64) {
			progress.Rows = rows
			m.report(progress)
		}})
	})
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return types.Wrapf(types.INTERRUPT, context.Cause(ctx), "the migration was cancelled in step %d", i+1)
	case failure == nil:
		m.proof.done(i, s.Stmt, touched)
	default:
		m.proof.fail(s.Stmt)
		f := Failure{Step: i, SQL: s.SQL, Err: s.Locate(failure)}
		if found != nil && found.Count > 0 {
			f.Rows = found
		}
		m.failed = append(m.failed, f)
	}
	progress.Done = true
	m.report(progress)
	return nil
}

// attempt runs f and takes back what it did when it fails. Where a failure ends the run, the caller takes back all of it.
func (m *migration) attempt(ctx context.Context, f func() error) (failure, err error) {
	if m.rules.stopsAtFailure {
		return f(), nil
	}
	if err := m.tx.savepoint(ctx, stepSavepoint); err != nil {
		return nil, err
	}
	depth := len(m.tx.saves) - 1
	if failure = f(); failure != nil {
		if err := m.tx.rollbackTo(depth); err != nil {
			return failure, err
		}
	}
	return failure, m.tx.release(depth)
}

// carryOut runs a statement of the plan.
func (m *migration) carryOut(ctx context.Context, s *differ.Step, run *planRun) error {
	if m.options.Sealed {
		if err := m.judgeLosses(ctx, s); err != nil {
			return err
		}
	}
	if !s.IsData() {
		return m.tx.alter(ctx, s.Stmt, run)
	}
	return m.tx.statement(ctx, func() error {
		rows, err := m.tx.write(ctx, nil, s.Stmt, Params{})
		if err == nil {
			run.progress(rows.Changes())
		}
		return err
	})
}

// judgeLosses counts what a step loses on the rows as they are when it runs.
func (m *migration) judgeLosses(ctx context.Context, s *differ.Step) (err error) {
	q, asks := differ.LossQuestion(s, m.tx.cat, m.plan.Schema, m.tx.db.types)
	if !asks {
		return nil
	}
	read := m.tx.reading()
	defer func() { err = read.close(err) }()
	facts, err := read.measure(ctx, m.plan.Schema, []differ.Question{q})
	if err != nil {
		return err
	}
	if h, loses := differ.Loss(s, facts[q]); loses {
		lossy := *s
		lossy.Hazards = []differ.Hazard{h}
		m.lossy = append(m.lossy, lossy)
	}
	return nil
}

// stepSavepoint is no name that a user can write.
const stepSavepoint = "\x00step"

// blocked finds a failed step that s depends on.
func (m *migration) blocked(s *differ.Step) (step int, ok bool) {
	for _, f := range m.failed {
		for _, after := range s.After {
			if after == f.Step {
				return f.Step, true
			}
		}
	}
	return 0, false
}

func (m *migration) report(p Progress) {
	if m.options.Progress != nil {
		m.options.Progress(p)
	}
}

// note completes the history entry of the run and puts it into the transaction's commit.
func (m *migration) note(ctx context.Context, e HistoryEntry) (uint64, error) {
	e.Schema, e.Version, e.Plan, e.Statements = m.plan.Schema, m.options.Version, m.options.Plan, m.plan.Statements()
	e.Tool, e.By = m.options.Tool, m.options.By
	err := m.tx.enter(ctx, &e)
	if err == nil && m.checkpoint != 0 && m.tx.undoable == nil { // else one before it is taken back, too
		m.tx.undoable = &undoPoint{Checkpoint: m.checkpoint, Number: e.Number}
	}
	return e.Number, err
}
