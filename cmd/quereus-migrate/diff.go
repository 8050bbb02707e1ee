package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/engine"
)

type diffOptions struct {
	from, to string
	db       string
	schemas  []string
	format   choice
	exitCode bool
	renames  renamePolicy
	wait     time.Duration
	opener   target.Opener
	inOrder  bool
}

func newDiffCmd(a *app) *cobra.Command {
	o := diffOptions{format: newChoice("sql", "text", "json", "yaml", "markdown", "unified", "github", "sarif", "junit", "code-quality")}
	cmd := &cobra.Command{
		Use:         "diff (--from TARGET --to TARGET | --db TARGET SCHEMA...)",
		Annotations: map[string]string{takesPaths: "schemas"},
		Short:       "Print the statements that lead from one schema to another",
		Long: `diff prints the statements that turn the schema of one target into that of another, in the order in which they must run.
Nothing is changed. Hazards, and differences that no statement carries out, are told on standard error.

The forms, besides sql: text explains each statement, json and yaml are for programs, markdown for a comment on a change, unified shows the
two schemas as texts; github, sarif, junit and code-quality are the hazards as CI shows them.`,
		Example: `  quereus-migrate diff --db shop schema.sql
  quereus-migrate diff --from old.sql --to new.sql --format json
  quereus-migrate diff --from shop --to schemas/ --exit-code`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.schemas, o.opener = args, a.newOpener(cmd, o.wait)
			return runDiff(cmd.Context(), a, o)
		},
	}
	o.addTargets(cmd)
	cmd.Flags().BoolVar(&o.exitCode, "exit-code", false, "exit with 2 when there are differences")
	o.format.add(cmd, "format", "form of the output")
	return cmd
}

// addTargets adds the flags that say what is compared, and how.
func (o *diffOptions) addTargets(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "target to start from")
	f.StringVar(&o.to, "to", "", "target to get to")
	f.StringVar(&o.db, "db", "", "target to start from, to get to the SCHEMA arguments")
	o.renames.add(cmd)
	addColumnOrder(cmd, &o.inOrder)
	addLockTimeout(cmd, &o.wait)
	cmd.MarkFlagsMutuallyExclusive("from", "db")
	cmd.MarkFlagsMutuallyExclusive("to", "db")
}

func runDiff(ctx context.Context, a *app, o diffOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	o.opener.ReadOnly = true
	all, err := o.compare(ctx, nil)
	if err != nil {
		return err
	}
	inSync := true
	for _, c := range all {
		inSync = inSync && c.plan.Empty()
		if o.format.String() == "sql" || o.format.String() == "json" {
			a.printHazards(c.plan)
		}
		a.printNotes(c.plan)
	}
	err = a.writeDiff(&o, all)
	switch {
	case err != nil:
		return err
	case inSync:
		fmt.Fprintln(a.Err, "in sync")
	case o.exitCode:
		return errDiffers
	}
	return nil
}

func (o *diffOptions) check() error {
	switch {
	case o.db == "" && (o.from == "" || o.to == ""):
		return &usageError{"say what to compare: --from and --to, or --db and a SCHEMA"}
	case o.db != "" && len(o.schemas) == 0:
		return &usageError{"--db wants a SCHEMA to compare the database with"}
	case o.source() == target.Stdin && (o.to == target.Stdin || slices.Contains(o.schemas, target.Stdin)):
		return &usageError{"standard input (-) can be read once only"}
	case o.db == "" && len(o.schemas) > 0:
		return &usageError{"a SCHEMA argument goes with --db; with --from it is the target of --to"}
	}
	return nil
}

// source is the target to start from.
func (o *diffOptions) source() string {
	if o.db != "" {
		return o.db
	}
	return o.from
}

// wanted gives the schemas to get to, and whether they are those of a database.
func (o *diffOptions) wanted(ctx context.Context) (schemas []*catalog.Declared, isDatabase bool, err error) {
	if o.db != "" {
		schemas, err = o.opener.Schemas(o.schemas...)
		return schemas, false, err
	}
	schemas, err = o.opener.Declared(ctx, o.to)
	return schemas, target.IsDatabase(o.to), err
}

// compare compares schema by schema. With a database to start from, trial is called for each while it is open, unless it is nil.
func (o *diffOptions) compare(ctx context.Context, trial func(*engine.DB, *catalog.Declared, *compared) error) ([]*compared, error) {
	wanted, isDatabase, err := o.wanted(ctx)
	if err != nil {
		return nil, err
	}
	db, from, err := o.opener.Start(ctx, o.source())
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if isDatabase {
		if wanted, err = withEmptied(db, from, wanted); err != nil {
			return nil, err
		}
	}
	c := comparison{db: db, isJudged: isDatabase, options: engine.DiffOptions{
		Policy:           o.renames.policy(),
		AllowDestructive: true, // nothing is run
		ColumnOrder:      o.inOrder,
		From:             from,
		NoHashes:         o.format.String() == "sql",
	}}
	var all []*compared
	for _, d := range wanted {
		x, err := o.compareOne(ctx, &c, d)
		if err == nil && from == nil && trial != nil {
			err = trial(db, d, x)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, db.Close()
}

// compareOne compares a schema; with its two sides only where the form of the output shows them.
func (o *diffOptions) compareOne(ctx context.Context, c *comparison, d *catalog.Declared) (*compared, error) {
	if f := o.format.String(); f == "markdown" || f == "unified" || f == "html" {
		return c.compare(ctx, d)
	}
	plan, err := c.plan(ctx, d)
	return &compared{plan: plan}, err
}

// withEmptied adds the schemas that a database has and the one to get to has not: a database is compared as a whole.
func withEmptied(db *engine.DB, from *catalog.Snapshot, wanted []*catalog.Declared) ([]*catalog.Declared, error) {
	if from == nil {
		var err error
		if from, err = db.Catalog(); err != nil {
			return nil, err
		}
	}
	for _, name := range target.Inhabited(from) {
		if !slices.ContainsFunc(wanted, func(d *catalog.Declared) bool { return d.Schema() == name }) {
			wanted = append(wanted, catalog.NewDeclared(name))
		}
	}
	return wanted, nil
}

// printStatements writes the statements of plans as a script.
func (a *app) printStatements(all []*compared) error {
	for _, c := range all {
		for _, sql := range c.plan.Statements() {
			if _, err := fmt.Fprintf(a.Out, "%s;\n", a.Text(sql)); err != nil {
				return err
			}
		}
	}
	return nil
}
