package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/term"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/differ/report"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

type reportOptions struct {
	diffOptions
	output string
	trial  bool
}

func newReportCmd(a *app) *cobra.Command {
	o := reportOptions{diffOptions: diffOptions{format: newChoice("markdown", "html")}}
	cmd := &cobra.Command{
		Use:         "report (--from TARGET --to TARGET | --db TARGET SCHEMA...)",
		Annotations: map[string]string{takesPaths: "schemas"},
		Short:       "Write a report of a migration for its reviewers",
		Long: `report writes what it takes to get from one schema to another, for reviewers: a summary, each statement with its reason, effect and
hazards, the definitions of what changes side by side, and a picture of the tables. As html it is one page that loads nothing.

With --trial the statements are run on the database and rolled back, and what fails is told with the number of rows in the way. Values of
rows are shown only with --samples.`,
		Example: `  quereus-migrate report --db shop --format html -o review.html schema.sql
  quereus-migrate report --from git:main:schema.sql --to schema.sql >> "$GITHUB_STEP_SUMMARY"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.schemas, o.opener = args, a.newOpener(cmd, o.wait)
			return runReport(cmd.Context(), a, o)
		},
	}
	o.addTargets(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.output, "output", "o", "", "file to write; standard output without it")
	f.BoolVar(&o.trial, "trial", false, "run the statements on the database, and roll them back")
	f.BoolVar(&a.samples, "samples", false, "show values of rows")
	o.format.add(cmd, "format", "form of the report")
	return cmd
}

func runReport(ctx context.Context, a *app, o reportOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.trial && (!target.IsDatabase(o.source()) || o.db == "") {
		return &usageError{"--trial needs a database to run on: --db DIR and a SCHEMA"}
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	o.opener.ReadOnly = !o.trial
	trials := map[*compared]*report.Trial{}
	var trial func(*engine.DB, *catalog.Declared, *compared) error
	if o.trial {
		trial = func(db *engine.DB, d *catalog.Declared, c *compared) (err error) {
			trials[c], err = a.tryOut(ctx, db, d, c.plan)
			return err
		}
	}
	all, err := o.compare(ctx, trial)
	if err != nil {
		return err
	}
	r := o.newReport(all)
	r.Samples = a.samples
	for i, c := range all {
		r.Schemas[i].Trial = trials[c]
	}
	write := report.Markdown
	if o.format.String() == "html" {
		write = report.HTML
	}
	return a.writeOutput(o.output, func(w io.Writer) error { return write(w, r) })
}

// tryOut runs a plan on the database and rolls it back.
func (a *app) tryOut(ctx context.Context, db *engine.DB, d *catalog.Declared, plan *differ.Plan) (*report.Trial, error) {
	if plan.Empty() || len(plan.Differences()) > 0 {
		return nil, nil
	}
	conn, err := target.Session(db, d)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	_, err = conn.Migrate(ctx, plan, engine.MigrateOptions{DryRun: true, Allow: differ.Destructive})
	var failed *engine.MigrateError
	if !errors.As(err, &failed) {
		return &report.Trial{}, err
	}
	out := &report.Trial{}
	for _, f := range failed.Failures {
		x := report.Failure{Step: f.Step, Message: "not judged, because it depends on a statement that failed"}
		if f.Err != nil {
			x.Message = (&app{Streams: &term.Streams{}, samples: a.samples}).reason(f.Err)
		}
		if f.Rows != nil {
			x.Rows = f.Rows.Count
			for _, k := range f.Rows.Keys {
				x.Keys = append(x.Keys, keyLiteral(k))
			}
		}
		out.Failures = append(out.Failures, x)
	}
	return out, nil
}

// writeOutput writes to a file, which is there as a whole or not at all, or to standard output.
func (a *app) writeOutput(name string, write func(io.Writer) error) error {
	if name == "" {
		return write(a.Out)
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".quereus-migrate.*")
	if err != nil {
		return types.Wrapf(types.CANTOPEN, err, "%s", name)
	}
	w := bufio.NewWriter(f)
	err = errors.Join(write(w), w.Flush(), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return types.Wrapf(types.IOERR, errors.Join(err, os.Remove(f.Name())), "%s", name)
	}
	return nil
}
