package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/differ"
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
	o := diffOptions{format: newChoice("sql", "json")}
	cmd := &cobra.Command{
		Use:   "diff (--from TARGET --to TARGET | --db TARGET SCHEMA...)",
		Short: "Print the statements that lead from one schema to another",
		Long: `diff prints the statements that turn the schema of one target into that of another, in the order in which they must run.
Nothing is changed. Hazards, and differences that no statement carries out, are told on standard error.`,
		Example: `  quereus-migrate diff --db shop schema.sql
  quereus-migrate diff --from old.sql --to new.sql --format json
  quereus-migrate diff --from shop --to schemas/ --exit-code`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.schemas, o.opener = args, a.newOpener(cmd, o.wait)
			return runDiff(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "target to start from")
	f.StringVar(&o.to, "to", "", "target to get to")
	f.StringVar(&o.db, "db", "", "target to start from, to get to the SCHEMA arguments")
	f.BoolVar(&o.exitCode, "exit-code", false, "exit with 2 when there are differences")
	o.format.add(cmd, "format", "form of the output")
	o.renames.add(cmd)
	addColumnOrder(cmd, &o.inOrder)
	addLockTimeout(cmd, &o.wait)
	cmd.MarkFlagsMutuallyExclusive("from", "db")
	cmd.MarkFlagsMutuallyExclusive("to", "db")
	return cmd
}

func runDiff(ctx context.Context, a *app, o diffOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	o.opener.ReadOnly = true
	plans, err := o.plans(ctx)
	if err != nil {
		return err
	}
	inSync := true
	for _, p := range plans {
		inSync = inSync && p.Empty()
		a.printHazards(p)
		a.printNotes(p)
	}
	if o.format.String() == "json" {
		err = writeJSON(a.Out, newPlansJSON(plans))
	} else {
		err = a.printStatements(plans)
	}
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

// plans makes a plan for each schema.
func (o *diffOptions) plans(ctx context.Context) ([]*differ.Plan, error) {
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
	var plans []*differ.Plan
	for _, d := range wanted {
		p, err := c.plan(ctx, d)
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, db.Close()
}

// comparison compares schema by schema.
type comparison struct {
	db *engine.DB
	// isJudged is set for what was read from a database.
	isJudged bool
	options  engine.DiffOptions
	// beside is the start with the schemas compared so far as they are to be, which the next one may name; nil before the first.
	beside *catalog.Snapshot
}

func (c *comparison) plan(ctx context.Context, d *catalog.Declared) (*differ.Plan, error) {
	conn, err := target.Session(c.db, d)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	o := c.options
	if c.isJudged {
		return conn.Diff(ctx, d, o)
	}
	if c.beside == nil {
		if c.beside, err = c.start(); err != nil {
			return nil, err
		}
	}
	if o.Resolved, err = conn.Verify(d, c.beside); err != nil {
		return nil, err
	}
	o.Beside = c.beside
	c.beside = c.beside.WithSchema(o.Resolved.Snapshot, d.Schema())
	return conn.Diff(ctx, d, o)
}

// start gives the catalog that the comparison starts from.
func (c *comparison) start() (*catalog.Snapshot, error) {
	if c.options.From != nil {
		return c.options.From, nil
	}
	return c.db.Catalog()
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
func (a *app) printStatements(plans []*differ.Plan) error {
	for _, p := range plans {
		for _, sql := range p.Statements() {
			if _, err := fmt.Fprintf(a.Out, "%s;\n", a.Text(sql)); err != nil {
				return err
			}
		}
	}
	return nil
}
