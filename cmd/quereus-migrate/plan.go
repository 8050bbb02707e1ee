package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/differ/planfile"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

type planOptions struct {
	db       string
	schemas  []string
	output   string
	format   choice
	create   bool
	exitCode bool
	inOrder  bool
	renames  renamePolicy
	wait     time.Duration
	opener   target.Opener
}

func newPlanCmd(a *app) *cobra.Command {
	o := planOptions{format: newChoice("auto", "yaml", "json")}
	cmd := &cobra.Command{
		Use:         "plan --db TARGET [-o FILE] SCHEMA...",
		Annotations: map[string]string{takesPaths: "schemas"},
		Short:       "Write the plan of a migration to a file, for review",
		Long: `plan writes the statements that lead from the database to the schema into a file, each with its reason, its effect on the rows
that are there, and its hazards. The file holds the hashes of the schema before and after and a checksum: apply --plan carries it out
as it was reviewed, and refuses it when the schema is another by then (exit 4) or the file was changed.

plan edit and plan seal write statements of your own into it. The file is described in docs/plan-file.md.`,
		Example: `  quereus-migrate plan --db shop -o 0007.yaml schema.sql
  quereus-migrate apply --db shop --plan 0007.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usageError{"say what to plan for: a SCHEMA"}
			}
			o.schemas, o.opener = args, a.newOpener(cmd, o.wait)
			return runPlan(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.db, "db", "", "target to start from (required)")
	f.StringVarP(&o.output, "output", "o", "", "file to write; standard output without")
	f.BoolVar(&o.create, "create", false, "plan for a database that is not there yet")
	f.BoolVar(&o.exitCode, "exit-code", false, "exit with 2 when there is something to do")
	o.format.add(cmd, "format", "form of the file; auto goes by its name, and is YAML for others")
	addColumnOrder(cmd, &o.inOrder)
	o.renames.add(cmd)
	addLockTimeout(cmd, &o.wait)
	mustRequire(cmd, "db")
	cmd.AddCommand(newPlanEditCmd(a), newPlanSealCmd(a), newPlanShowCmd(a))
	return cmd
}

func runPlan(ctx context.Context, a *app, o planOptions) error {
	o.opener.ReadOnly = true
	d, err := o.opener.Schema(o.schemas...)
	if err != nil {
		return err
	}
	plan, err := o.plan(ctx, d)
	if err != nil {
		return err
	}
	file := planfile.New(plan, planfile.About{Version: d.Version, Nondeterministic: d.Nondeterministic()})
	a.printHazards(plan)
	a.printNotes(plan)
	if err := a.writePlan(file, o.output, o.format.String()); err != nil {
		return err
	}
	switch {
	case plan.Empty():
		fmt.Fprintln(a.Err, "in sync")
	case o.output != "":
		fmt.Fprintf(a.Err, "%s: a plan of %s\n", o.output, counted(len(plan.Steps), "statement", "statements"))
	}
	if o.exitCode && !plan.Empty() {
		return errDiffers
	}
	return nil
}

// plan compares the target with the schema.
func (o *planOptions) plan(ctx context.Context, d *catalog.Declared) (*differ.Plan, error) {
	db, from, err := o.start(ctx)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	conn, err := target.Session(db, d)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return target.Plan(ctx, conn, d, engine.DiffOptions{
		Policy: o.renames.policy(), AllowDestructive: true, ColumnOrder: o.inOrder, From: from, // nothing is run
	})
}

func (o *planOptions) start(ctx context.Context) (*engine.DB, *catalog.Snapshot, error) {
	if o.create && !target.Exists(o.db) {
		db, err := target.Blank(ctx)
		return db, nil, err
	}
	return o.opener.Start(ctx, o.db)
}

// writePlan writes a plan to a file, in one move, or to standard output.
func (a *app) writePlan(f *planfile.File, name, format string) error {
	encode := f.YAML
	if format == "json" || format == "auto" && strings.EqualFold(filepath.Ext(name), ".json") {
		encode = f.JSON
	}
	text, err := encode()
	if err != nil {
		return err
	}
	if name == "" || name == target.Stdin {
		_, err := a.Out.Write(text)
		return err
	}
	return writeWhole(name, text)
}

// writeWhole puts a file in the place of what bears its name, so that it is never there in part. A link stays one.
func writeWhole(name string, text []byte) error {
	what := "writing " + name
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	mode := os.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return types.Wrapf(types.CANTOPEN, os.WriteFile(name, text, mode), "%s", what) // a device or pipe
		}
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return types.Wrapf(types.CANTOPEN, err, "%s", what)
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
		return types.Wrapf(types.IOERR, err, "%s", what)
	}
	return nil
}
