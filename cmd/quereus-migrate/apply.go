package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/term"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

type applyOptions struct {
	dir        string
	schemas    []string
	plans      []string
	yes        bool
	dryRun     bool
	create     bool
	withSeed   bool
	inOrder    bool
	noUndo     bool
	writeHints bool
	format     choice
	allow      allowance
	renames    renamePolicy
	wait       time.Duration
	opener     target.Opener
}

func newApplyCmd(a *app) *cobra.Command {
	o := applyOptions{allow: newAllowance(), format: newChoice("text", "json")}
	cmd := &cobra.Command{
		Use:         "apply --db DIR (SCHEMA... | PLAN...)",
		Annotations: map[string]string{takesPaths: "schemas"},
		Short:       "Bring a database to a schema",
		Long: `apply compares the database with the schema, shows the statements that are needed, and carries them out as one transaction:
all of them, or none, also of several schemas. On a terminal it asks before it does so; elsewhere it wants --yes.

What goes while something just like it comes may be a rename. Such a plan is stopped: on a terminal by a question, elsewhere with exit code 3
and the hint to write; --write-hints writes it into the schema file.

A plan file (see plan), as argument or with --plan, is carried out just as it stands. Of several, or of a folder of them, apply takes the one
that begins at the schema that is there, then the one that begins where that ends, and so on, for each schema that they are about; each is a
migration of its own. A plan that begins nowhere is stale: exit 4.

--allow says which hazards are let through: those of a severity and below, or single ones as CODE or CODE:OBJECT (DS102:person.name).
By default everything but the loss of rows and values (destructive). docs/hazards.md lists the codes.`,
		Example: `  quereus-migrate apply --db shop --create --yes schema.sql
  quereus-migrate apply --db shop --dry-run schemas/
  quereus-migrate apply --db shop --yes plans/`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.schemas, o.opener = args, a.newOpener(cmd, o.wait)
			if err := o.takePlans(); err != nil {
				return err
			}
			run := runApply
			if o.plans != nil {
				run = runApplyPlans
			}
			if o.format.String() == "json" {
				return a.inJSON(func() error { return run(cmd.Context(), a, o) })
			}
			return run(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.dir, "db", "", "database directory, or mem: to try a schema out (required)")
	f.StringArrayVar(&o.plans, "plan", nil, "plan file to carry out, or a folder of them (repeatable)")
	f.BoolVar(&o.yes, "yes", false, "do not ask")
	f.BoolVar(&o.dryRun, "dry-run", false, "run everything, and roll it back")
	f.BoolVar(&o.create, "create", false, "make the database if it is not there")
	f.BoolVar(&o.withSeed, "with-seed", false, "bring the declared seed rows about: insert those that are not there, give the others their values")
	addColumnOrder(cmd, &o.inOrder)
	f.BoolVar(&a.samples, "samples", false, "show values of rows also where no terminal is")
	f.BoolVar(&o.writeHints, "write-hints", false, "write what looks like a rename into the schema files as one")
	f.BoolVar(&o.noUndo, "no-undo", false, "keep no checkpoint for undo, which holds on to the space of what is replaced")
	o.format.add(cmd, "format", "form of what is told on standard output")
	o.allow.add(cmd)
	o.renames.add(cmd)
	addLockTimeout(cmd, &o.wait)
	mustRequire(cmd, "db")
	return cmd
}

// takePlans finds out whether the arguments are plan files.
func (o *applyOptions) takePlans() error {
	if o.plans == nil && len(o.schemas) == 0 {
		return &usageError{"say what to apply: a SCHEMA or a PLAN"}
	}
	for i, name := range o.schemas {
		isPlan, err := target.HoldsPlans(name)
		switch {
		case err != nil:
			return err
		case !isPlan && o.plans == nil:
			continue
		case !isPlan || len(o.plans) < i:
			return &usageError{fmt.Sprintf("%s: plan files and schemas are not applied in one run", name)}
		}
		o.plans = append(o.plans, name)
	}
	if o.plans != nil {
		o.schemas = nil
	}
	return nil
}

func runApply(ctx context.Context, a *app, o applyOptions) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	err := applySchema(ctx, a, o)
	if errors.Is(err, errHintsWritten) {
		o.writeHints = false
		err = applySchema(ctx, a, o)
	}
	return err
}

// applySchema applies schema files as they are now.
func applySchema(ctx context.Context, a *app, o applyOptions) error {
	all, err := o.opener.Schemas(o.schemas...)
	if err != nil {
		return err
	}
	if len(all) > 1 {
		return applySchemas(ctx, a, o, all)
	}
	return applyDeclared(ctx, a, o, all[0])
}

// applyDeclared applies one schema.
func applyDeclared(ctx context.Context, a *app, o applyOptions, declared *catalog.Declared) (err error) {
	r := &applyRun{app: a, applyOptions: o, declared: declared, version: declared.Version}
	r.session = func(db *engine.DB) (*engine.Conn, error) { return target.Session(db, declared) }
	r.propose = func(ctx context.Context, conn *engine.Conn) (*differ.Plan, error) {
		return target.Plan(ctx, conn, declared, engine.DiffOptions{
			Policy: r.renames.policy(), AllowDestructive: r.allow.policy.Severity >= differ.Destructive, ColumnOrder: r.inOrder,
		})
	}
	if err = r.open(ctx); err == nil {
		err = r.apply(ctx)
	}
	return firstOf(err, r.close())
}

// applyRun is one apply under way.
type applyRun struct {
	*app
	applyOptions
	// session opens a connection with the settings that hold, propose gives the plan on it.
	session func(*engine.DB) (*engine.Conn, error)
	propose func(context.Context, *engine.Conn) (*differ.Plan, error)
	// declared is the schema, nil for a plan file; version that of either, and checksum the plan file's, "" for a schema.
	declared          *catalog.Declared
	version, checksum string
	// isMissing is set while the database is not there, and an empty one in memory stands in for it until the plan is agreed to.
	isMissing bool
	db        *engine.DB
	conn      *engine.Conn
}

// open opens the database, or what stands in for it.
func (r *applyRun) open(ctx context.Context) error {
	r.isMissing = r.create && !target.Exists(r.dir)
	if r.isMissing {
		return r.use(r.opener.Blank(ctx))
	}
	r.opener.Create = r.create // what is left of a creation that was interrupted counts as there
	return r.use(r.opener.Database(ctx, r.dir))
}

// makeAndMigrate makes the database that is missing, once it is known that the plan goes well on an empty one. If somebody else has
// made it meanwhile, everything begins anew with what they made.
func (r *applyRun) makeAndMigrate(ctx context.Context, plan *differ.Plan) error {
	if _, err := r.rehearse(ctx, plan); err != nil {
		return err
	}
	if err := r.close(); err != nil {
		return err
	}
	r.isMissing, r.opener.Create = false, true
	if err := r.use(r.opener.Database(ctx, r.dir)); err != nil {
		return err
	}
	cat, err := r.db.Catalog()
	if err != nil {
		return err
	}
	if catalog.Hash(cat, plan.Schema) != plan.From {
		return r.apply(ctx)
	}
	return r.migrate(ctx, plan)
}

func (r *applyRun) use(db *engine.DB, err error) error {
	if err != nil {
		return err
	}
	r.db = db
	r.conn, err = r.session(db)
	return err
}

// close gives the database back. A second call does nothing.
func (r *applyRun) close() error {
	var err error
	if r.conn != nil {
		err = r.conn.Close()
	}
	if r.db != nil {
		err = firstOf(err, r.db.Close())
	}
	r.conn, r.db = nil, nil
	return err
}

func (r *applyRun) apply(ctx context.Context) error {
	plan, err := r.propose(ctx, r.conn)
	if err != nil {
		return err
	}
	if err := r.settleRenames(ctx, plan); err != nil {
		return err
	}
	if err := r.present(ctx, plan); err != nil {
		return err
	}
	if len(plan.Steps) == 0 && !r.isMissing {
		idle, err := r.isIdle(ctx, plan)
		if err != nil {
			return err
		}
		if idle {
			return r.inSync(ctx, plan.Schema)
		}
	}
	isRefused := r.refuses(plan) // Migrate refuses it before anything is touched; there is nothing to ask
	if !r.dryRun && !isRefused && len(plan.Differences()) == 0 {
		if err := r.agree(ctx, plan); err != nil {
			return err
		}
		if r.isMissing {
			return r.makeAndMigrate(ctx, plan)
		}
	}
	return r.migrate(ctx, plan)
}

// present shows all there is to know about a plan. Nothing is done that nobody was shown.
func (r *applyRun) present(ctx context.Context, plan *differ.Plan) error {
	if err := r.show(plan); err != nil {
		return err
	}
	if err := r.showSeeds(ctx, plan); err != nil {
		return err
	}
	if err := r.warnOlder(ctx, plan.Schema); err != nil {
		return err
	}
	r.printNotes(plan)
	return nil
}

// inSync tells that there is nothing to do. What has become so by other means than a migration is known from then on.
func (r *applyRun) inSync(ctx context.Context, schema string) error {
	r.applied.outcome(outcomeInSync)
	cat, err := r.db.Catalog()
	if err != nil {
		return err
	}
	history, err := r.db.History(ctx)
	if err != nil {
		return err
	}
	last := engine.LastOf(history, schema)
	if r.dryRun || last == nil || last.To == catalog.Hash(cat, schema) {
		fmt.Fprintln(r.Err, "in sync")
		return nil
	}
	e, err := r.conn.Adopt(ctx, schema, engine.AdoptOptions{Version: r.version, LockTimeout: r.wait, Tool: toolName()})
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Err, "in sync: what has changed since migration %d is as declared, and known from now on (migration %d)\n", last.Number, e.Number)
	return nil
}

// show prints the plan, and shows it to the person who will be asked when what is printed goes elsewhere.
func (r *applyRun) show(plan *differ.Plan) error {
	if r.applied != nil {
		r.applied.begin(plan)
		return nil
	}
	if err := printPlan(r.Streams, plan, r.samples || r.OutTerminal); err != nil {
		return err
	}
	if r.OutTerminal || r.yes || r.dryRun || !r.CanAsk() {
		return nil
	}
	return printPlan(&term.Streams{Out: r.Err, OutTerminal: true, Color: r.Color}, plan, true)
}

// showSeeds tells, in comments of the plan, what the seeds come to.
func (r *applyRun) showSeeds(ctx context.Context, plan *differ.Plan) error {
	if r.applied != nil || !r.hasSeeds() || r.refuses(plan) {
		return nil
	}
	changes, err := r.conn.PreviewSeeds(ctx, plan, r.declared)
	if err != nil {
		return err
	}
	for _, s := range changes {
		what := "inserts " + counted(s.Inserted, "row", "rows") + ", updates " + counted(s.Updated, "row", "rows")
		switch {
		case s.Unknown:
			what = "inserts or updates rows of a table that the plan changes"
		case s.Inserted == 0 && s.Updated == 0:
			continue
		}
		if _, err := fmt.Fprintf(r.Out, "-- seed %s: %s\n", term.Visible(s.Table), what); err != nil {
			return err
		}
	}
	return nil
}

// warnOlder tells when the declared version is older than the one that the database is at: somebody may have an old file at hand.
func (r *applyRun) warnOlder(ctx context.Context, schema string) error {
	history, err := r.db.History(ctx)
	if err != nil {
		return err
	}
	last := engine.LastOf(history, schema)
	if last == nil || !isOlder(r.version, last.Version) {
		return nil
	}
	fmt.Fprintf(r.Err, "%s: version %s is declared, which is older than version %s that migration %d has led to\n",
		r.ErrPalette().Yellow("warning"), term.Visible(r.version), term.Visible(last.Version), last.Number)
	return nil
}

// refuses reports whether the policy refuses the plan.
func (r *applyRun) refuses(plan *differ.Plan) bool {
	policy := &r.allow.policy
	return slices.ContainsFunc(plan.Steps, func(s differ.Step) bool { return policy.Refused(&s) != nil })
}

// isIdle reports whether a plan without statements leaves nothing to do, so that nobody need agree to it.
func (r *applyRun) isIdle(ctx context.Context, plan *differ.Plan) (bool, error) {
	if !plan.Empty() {
		return false, nil
	}
	if !r.hasSeeds() {
		return true, nil
	}
	if r.yes || r.dryRun {
		return false, nil
	}
	result, err := r.rehearse(ctx, plan)
	return err == nil && result.Seeded == 0 && result.Reseeded == 0, err
}

// rehearse runs a plan and rolls it back.
func (r *applyRun) rehearse(ctx context.Context, plan *differ.Plan) (*engine.MigrateResult, error) {
	o := r.migrateOptions()
	o.DryRun = true
	return r.conn.Migrate(ctx, plan, o)
}

func (r *applyRun) hasSeeds() bool {
	return r.withSeed && r.declared != nil && len(r.declared.Seeds) > 0
}

// agree makes sure that somebody wants the plan carried out.
func (r *applyRun) agree(ctx context.Context, plan *differ.Plan) error {
	return r.agreeTo(ctx, len(plan.Steps), r.hasSeeds())
}

func (r *applyRun) agreeTo(ctx context.Context, statements int, withSeeds bool) error {
	if r.yes {
		return nil
	}
	if !r.CanAsk() {
		return types.Errorf(types.ERROR, "nothing was changed: there is no terminal to ask on, and --yes was not given")
	}
	what := counted(statements, "statement", "statements")
	if withSeeds {
		what += " and seed rows"
	}
	yes, err := r.Confirm(ctx, fmt.Sprintf("apply %s to %s?", what, r.dir))
	if err != nil || !yes {
		return &declinedError{"nothing was changed"} // an interrupt is a no
	}
	return nil
}

func (r *applyRun) migrateOptions() engine.MigrateOptions {
	o := engine.MigrateOptions{
		DryRun: r.dryRun, Allow: r.allow.policy.Severity, Allowances: r.allow.policy.Allowances, NoUndo: r.noUndo, LockTimeout: r.wait, Version: r.version, Tool: toolName(),
		Sealed: r.checksum != "", Plan: r.checksum,
	}
	if r.hasSeeds() {
		o.Seeds = r.declared
	}
	return o
}

func (r *applyRun) migrate(ctx context.Context, plan *differ.Plan) error {
	o, progress := r.migrateOptions(), r.NewProgress()
	o.Progress = r.progress(progress, plan)
	result, err := r.conn.Migrate(ctx, plan, o)
	progress.Clear()
	if err != nil {
		return err
	}
	r.applied.done(result, r.dryRun)
	r.printResult(result)
	return nil
}

// progress tells how far a plan is.
func (r *applyRun) progress(to *term.Progress, plan *differ.Plan) func(engine.Progress) {
	return func(p engine.Progress) {
		to.Update(fmt.Sprintf("statement %d of %d", p.Step+1, p.Steps), p.Rows, plan.Steps[p.Step].Effect.Rows)
	}
}

func (r *applyRun) printResult(result *engine.MigrateResult) {
	what, took := counted(result.Applied, "statement", "statements"), result.Duration.Round(time.Millisecond)
	if r.hasSeeds() {
		what += " and " + counted(result.Seeded+result.Reseeded, "seed row", "seed rows")
	}
	switch {
	case r.dryRun:
		fmt.Fprintf(r.Err, "dry run: %s carried out in %s and rolled back\n", what, took)
		return
	case result.Number == 0:
		fmt.Fprintln(r.Err, "in sync")
		return
	}
	fmt.Fprintf(r.Err, "applied %s in %s (migration %d)\n", what, took, result.Number)
}
