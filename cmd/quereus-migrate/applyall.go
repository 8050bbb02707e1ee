package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/term"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// applySchemas applies several schemas as one transaction, in the order in which they are declared: each may name tables of those before it.
func applySchemas(ctx context.Context, a *app, o applyOptions, all []*catalog.Declared) (err error) {
	if o.format.String() == "json" {
		return types.Errorf(types.UNSUPPORTED, "schemas '%s' and '%s' are declared: --format json tells of one schema", all[0].Schema(), all[1].Schema())
	}
	r := &jointApply{applyRun: applyRun{app: a, applyOptions: o}, all: all}
	r.session = func(db *engine.DB) (*engine.Conn, error) {
		for _, d := range all {
			if d.Nondeterministic() {
				return target.Session(db, d)
			}
		}
		return target.Session(db, all[0])
	}
	if err = r.open(ctx); err == nil {
		err = r.apply(ctx)
	}
	return firstOf(err, r.close())
}

// jointApply is one apply of several schemas under way.
type jointApply struct {
	applyRun
	all []*catalog.Declared
	// parts are the schemas, each as it would be applied alone, and plans theirs.
	parts []*applyRun
	plans []*differ.Plan
}

func (r *jointApply) apply(ctx context.Context) error {
	if err := r.plan(ctx); err != nil {
		return err
	}
	isIdle, statements, withSeeds := true, 0, false
	for i, p := range r.parts {
		fmt.Fprintf(r.Err, "schema %s\n", term.Visible(r.plans[i].Schema))
		if err := p.present(ctx, r.plans[i]); err != nil {
			return err
		}
		idle, err := p.isIdle(ctx, r.plans[i])
		if err != nil {
			return err
		}
		isIdle = isIdle && idle
		statements += len(r.plans[i].Steps)
		withSeeds = withSeeds || p.hasSeeds()
	}
	if isIdle && !r.isMissing {
		return r.inSync(ctx)
	}
	if r.dryRun || r.isStopped() {
		return r.migrate(ctx)
	}
	if err := r.agreeTo(ctx, statements, withSeeds); err != nil {
		return err
	}
	if r.isMissing {
		return r.makeAndMigrate(ctx)
	}
	return r.migrate(ctx)
}

// plan compares schema after schema, each beside what those before it will be.
func (r *jointApply) plan(ctx context.Context) error {
	c := comparison{db: r.db, options: engine.DiffOptions{
		Policy: r.renames.policy(), AllowDestructive: r.allow.policy.Severity >= differ.Destructive, ColumnOrder: r.inOrder,
	}}
	r.parts, r.plans = nil, nil
	for _, d := range r.all {
		x, err := c.compare(ctx, d)
		if err != nil {
			return err
		}
		part := r.applyRun
		part.declared, part.version = d, d.Version
		part.allow.policy.Allowances = slices.Clone(part.allow.policy.Allowances)
		if err := part.settleRenames(ctx, x.plan); err != nil {
			return err
		}
		r.parts, r.plans = append(r.parts, &part), append(r.plans, x.plan)
	}
	return nil
}

// isStopped reports whether a policy, or a difference that no statement carries out, stops the run before anything is touched.
func (r *jointApply) isStopped() bool {
	for i, p := range r.parts {
		if p.refuses(r.plans[i]) || len(r.plans[i].Differences()) > 0 {
			return true
		}
	}
	return false
}

// inSync tells so of each.
func (r *jointApply) inSync(ctx context.Context) error {
	for i, p := range r.parts {
		if err := p.inSync(ctx, r.plans[i].Schema); err != nil {
			return err
		}
	}
	return nil
}

// makeAndMigrate is that of applyRun for all of them.
func (r *jointApply) makeAndMigrate(ctx context.Context) error {
	if _, err := r.conn.MigrateAll(ctx, r.migrations(true)); err != nil {
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
	for _, p := range r.plans {
		if catalog.Hash(cat, p.Schema) != p.From {
			return r.apply(ctx)
		}
	}
	return r.migrate(ctx)
}

func (r *jointApply) migrations(isDry bool) []engine.Migration {
	var out []engine.Migration
	for i, p := range r.parts {
		o := p.migrateOptions()
		o.DryRun = isDry
		out = append(out, engine.Migration{Plan: r.plans[i], Options: o})
	}
	return out
}

func (r *jointApply) migrate(ctx context.Context) error {
	all, progress := r.migrations(r.dryRun), r.NewProgress()
	for i := range all {
		all[i].Options.Progress = r.parts[i].progress(progress, r.plans[i])
	}
	began := time.Now()
	results, err := r.conn.MigrateAll(ctx, all)
	progress.Clear()
	if err != nil {
		return err
	}
	for i, p := range r.parts {
		fmt.Fprintf(r.Err, "schema %s: ", term.Visible(r.plans[i].Schema))
		p.printResult(results[i])
	}
	if !r.dryRun {
		fmt.Fprintf(r.Err, "%s as one transaction in %s\n", counted(len(results), "schema", "schemas"), time.Since(began).Round(time.Millisecond))
	}
	return nil
}
