package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/engine"
)

func newPlanEditCmd(a *app) *cobra.Command {
	at := 0
	cmd := &cobra.Command{
		Use:   "edit FILE --at N STATEMENT...",
		Short: "Write INSERT, UPDATE or DELETE into a plan",
		Long: `plan edit writes statements that change rows into a plan file, so that they become step N and those after it, and seals the
file. They run where they stand, in the transaction of the migration: after an ADD COLUMN and before a DROP COLUMN, say, to split or merge
columns. Steps are numbered from 1; N may be one more than there are.`,
		Example: `  quereus-migrate plan edit 0007.yaml --at 3 "update person set first = substr(name, 1, instr(name, ' ') - 1)"`,
		Args:    cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPlanEdit(a, a.newOpener(cmd, 0), args[0], at, args[1:])
		},
	}
	cmd.Flags().IntVar(&at, "at", 0, "number of the step that the first statement becomes (required)")
	mustRequire(cmd, "at")
	return cmd
}

func runPlanEdit(a *app, opener target.Opener, name string, at int, statements []string) error {
	p, err := opener.Plan(name)
	if err != nil {
		return err
	}
	if err := p.Check(); err != nil {
		return err
	}
	for i, sql := range statements {
		if err := p.Insert(at+i, sql); err != nil {
			return err
		}
	}
	return a.seal(p)
}

// seal seals a plan and writes it back in the form that it has.
func (a *app) seal(p target.PlanFile) error {
	if err := p.Seal(); err != nil {
		return err
	}
	format := "auto"
	if p.IsJSON {
		format = "json"
	}
	if err := a.writePlan(p.File, p.Name, format); err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "%s: sealed, a plan of %s\n", p.Name, counted(len(p.Steps), "statement", "statements"))
	return nil
}

func newPlanSealCmd(a *app) *cobra.Command {
	var dir string
	var wait time.Duration
	cmd := &cobra.Command{
		Use:   "seal FILE",
		Short: "Check a plan that was edited by hand, and seal it anew",
		Long: `plan seal reads a plan file that was edited, checks that it means something, numbers the steps, completes those that were
written in (a step needs no more than its statement), and sets the checksum. With --db the plan is first run on the database and
rolled back: it is sealed if it goes well and leads where it says.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPlanSeal(cmd.Context(), a, a.newOpener(cmd, wait), args[0], dir)
		},
	}
	cmd.Flags().StringVar(&dir, "db", "", "database to try the plan on; nothing is changed there")
	addLockTimeout(cmd, &wait)
	return cmd
}

func runPlanSeal(ctx context.Context, a *app, opener target.Opener, name, dir string) error {
	p, err := opener.Plan(name)
	if err != nil {
		return err
	}
	if dir != "" {
		if err := try(ctx, opener, p, dir); err != nil {
			return err
		}
	}
	return a.seal(p)
}

// try runs a plan, whatever its hazards, and rolls it back.
func try(ctx context.Context, opener target.Opener, p target.PlanFile, dir string) (err error) {
	if err := p.Seal(); err != nil {
		return err
	}
	plan, err := p.Plan()
	if err != nil {
		return err
	}
	db, err := opener.Database(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = firstOf(err, db.Close()) }()
	conn, err := target.PlanSession(db, p.File)
	if err != nil {
		return err
	}
	_, err = conn.Migrate(ctx, plan, engine.MigrateOptions{DryRun: true, Allow: anything, Sealed: true})
	return err
}

func newPlanShowCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "show FILE",
		Short: "Show a plan file as apply would",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := a.newOpener(cmd, 0).Plan(args[0])
			if err != nil {
				return err
			}
			plan, err := p.Plan()
			if err != nil {
				return err
			}
			if err := printPlan(a.Streams, plan, false); err != nil {
				return err
			}
			a.printNotes(plan)
			return nil
		},
	}
}
