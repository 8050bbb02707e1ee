package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// anything lets every hazard through.
const anything = differ.Destructive

func runApplyPlans(ctx context.Context, a *app, o applyOptions) error {
	if o.withSeed || o.inOrder {
		return &usageError{"a plan says all that is to be done; it does not go with --with-seed or --column-order"}
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	var plans []target.PlanFile
	for _, name := range o.plans {
		more, err := o.opener.Plans(name)
		if err != nil {
			return err
		}
		plans = append(plans, more...)
	}
	c := &chain{app: a, applyOptions: o, plans: plans}
	return c.run(ctx)
}

// chain applies plan files, each where the one before has ended.
type chain struct {
	*app
	applyOptions
	plans []target.PlanFile
}

func (c *chain) run(ctx context.Context) error {
	var done []string
	for {
		next, err := c.next(ctx, len(done) > 0)
		if err != nil || next == nil {
			return err
		}
		if slices.Contains(done, next.Name) {
			return types.Errorf(types.ERROR, "the plans lead in a circle: %s would be applied twice", next.Name)
		}
		done = append(done, next.Name)
		if len(c.plans) > 1 {
			fmt.Fprintf(c.Err, "%s\n", next.Name)
		}
		if err := c.apply(ctx, next); err != nil {
			return err
		}
		if c.dryRun {
			c.tellRest(next)
			return nil
		}
	}
}

// tellRest says what a dry run has not tried: plans that begin where the first one would have ended.
func (c *chain) tellRest(first *target.PlanFile) {
	if n := len(c.plans) - 1; n > 0 && slices.ContainsFunc(c.plans, func(p target.PlanFile) bool { return p.Name != first.Name && p.From == first.To }) {
		fmt.Fprintln(c.Err, "plans after it were not tried: they begin where it ends")
	}
}

// next finds the plan that begins at the schema that is there, of the first schema that has one; nil when each has one that ends there and none
// that begins. hasBegun is set once one was applied. Before that, a schema that no plan begins or ends at makes its first one stale, so that nothing
// is touched.
func (c *chain) next(ctx context.Context, hasBegun bool) (*target.PlanFile, error) {
	cat, history, err := c.live(ctx)
	if err != nil {
		return nil, err
	}
	var next *target.PlanFile
	for _, schema := range c.schemas() {
		found, err := c.nextOf(schema, catalog.Hash(cat, schema), history)
		if err != nil {
			return nil, err
		}
		if next == nil {
			next = found
		}
	}
	if next == nil && !hasBegun {
		c.applied.outcome(outcomeInSync)
		fmt.Fprintln(c.Err, "in sync")
	}
	return next, nil
}

// schemas lists what the plans are about, in the order of the plans.
func (c *chain) schemas() []string {
	var out []string
	for i := range c.plans {
		if s := c.plans[i].Schema; !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// nextOf finds the plan of a schema that begins at a hash, nil when one ends there and none begins. Else the first is stale.
func (c *chain) nextOf(schema, hash string, history []engine.HistoryEntry) (found *target.PlanFile, err error) {
	var first *target.PlanFile
	arrived := false
	for i := range c.plans {
		p := &c.plans[i]
		if p.Schema != schema {
			continue
		}
		if first == nil {
			first = p
		}
		arrived = arrived || p.To == hash
		if p.From != hash || p.From == p.To && engine.HasApplied(history, p.Checksum) {
			continue // one that changes rows alone ends where it begins
		}
		if found != nil && found.Checksum != p.Checksum {
			return nil, types.Errorf(types.ERROR, "two plans begin at the schema that is there: %s and %s", found.Name, p.Name)
		}
		found = p
	}
	if found == nil && !arrived {
		return nil, &engine.StalePlanError{Schema: schema, Want: first.From, Have: hash}
	}
	return found, nil
}

// live gives the catalog that the next plan begins from, and the history.
func (c *chain) live(ctx context.Context) (cat *catalog.Snapshot, history []engine.HistoryEntry, err error) {
	r := &applyRun{app: c.app, applyOptions: c.applyOptions}
	r.session = func(db *engine.DB) (*engine.Conn, error) { return db.Conn(), nil }
	defer func() { err = firstOf(err, r.close()) }()
	if err = r.open(ctx); err != nil {
		return nil, nil, err
	}
	if cat, err = r.db.Catalog(); err == nil {
		history, err = r.db.History(ctx)
	}
	return cat, history, err
}

func (c *chain) apply(ctx context.Context, p *target.PlanFile) error {
	plan, err := p.Plan()
	if err != nil {
		return err
	}
	r := &applyRun{app: c.app, applyOptions: c.applyOptions, version: p.Version, checksum: p.Checksum}
	r.session = func(db *engine.DB) (*engine.Conn, error) { return target.PlanSession(db, p.File) }
	r.propose = func(context.Context, *engine.Conn) (*differ.Plan, error) {
		cat, err := r.db.Catalog()
		if err != nil {
			return nil, err
		}
		if have := catalog.Hash(cat, p.Schema); have != p.From { // told before anybody is asked
			return nil, &engine.StalePlanError{Schema: p.Schema, Want: p.From, Have: have}
		}
		return plan, nil
	}
	if err = r.open(ctx); err == nil {
		err = r.apply(ctx)
	}
	return firstOf(err, r.close())
}
