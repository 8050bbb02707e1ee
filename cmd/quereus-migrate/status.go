package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/term"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
)

type statusOptions struct {
	dir      string
	schemas  []string
	exitCode bool
	renames  renamePolicy
	wait     time.Duration
	opener   target.Opener
}

func newStatusCmd(a *app) *cobra.Command {
	var o statusOptions
	cmd := &cobra.Command{
		Use:   "status --db DIR [SCHEMA...]",
		Short: "Tell how a database stands to what was applied, and to a schema",
		Long: `status tells which migration was the last, whether the schema has changed since by other means (drift), and, with a
SCHEMA, whether the database is in sync with it. Nothing is changed.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.schemas, o.opener = args, a.newOpener(cmd, o.wait)
			o.opener.ReadOnly = true
			return runStatus(cmd.Context(), a, o)
		},
	}
	cmd.Flags().StringVar(&o.dir, "db", "", "database directory (required)")
	cmd.Flags().BoolVar(&o.exitCode, "exit-code", false, "exit with 2 on drift, and when the database is not in sync with the SCHEMA")
	o.renames.add(cmd)
	addLockTimeout(cmd, &o.wait)
	mustRequire(cmd, "db")
	return cmd
}

func runStatus(ctx context.Context, a *app, o statusOptions) error {
	var wanted []*catalog.Declared
	if len(o.schemas) > 0 {
		var err error
		if wanted, err = o.opener.Schemas(o.schemas...); err != nil {
			return err
		}
	}
	db, err := o.opener.Database(ctx, o.dir)
	if err != nil {
		return err
	}
	s := status{app: a, db: db}
	err = s.run(ctx, o, wanted)
	err = firstOf(firstOf(err, s.failed), db.Close())
	if err == nil && o.exitCode && s.differs {
		return errDiffers
	}
	return err
}

// status is a report under way.
type status struct {
	*app
	db *engine.DB
	// differs is set by drift, and by a schema that is not in sync.
	differs bool
	// failed is the first failure to write.
	failed error
}

func (s *status) run(ctx context.Context, o statusOptions, wanted []*catalog.Declared) error {
	if err := s.migrations(ctx); err != nil {
		return err
	}
	for _, d := range wanted {
		if err := s.compare(ctx, d, o.renames.policy()); err != nil {
			return err
		}
	}
	return nil
}

func (s *status) line(word, format string, args ...any) {
	_, err := fmt.Fprintf(s.Out, "%-12s%s\n", word, term.Visible(fmt.Sprintf(format, args...)))
	s.failed = firstOf(s.failed, err)
}

// migrations tells, for each schema, about the last migration and whether the schema is still the one that it left.
func (s *status) migrations(ctx context.Context) error {
	history, err := s.db.History(ctx)
	if err != nil {
		return err
	}
	cat, err := s.db.Catalog()
	if err != nil {
		return err
	}
	for _, schema := range cat.Schemas() {
		last := lastOf(history, schema)
		if last == nil && schema != catalog.MainSchema {
			continue
		}
		hash := catalog.Hash(cat, schema)
		s.line("schema", "%s", schema)
		s.line("hash", "%s", hash)
		s.migration(last, hash)
	}
	return nil
}

// lastOf gives the last migration of a schema; nil if there was none.
func lastOf(history []engine.HistoryEntry, schema string) *engine.HistoryEntry {
	for i := len(history) - 1; i >= 0; i-- {
		if history[i].Schema == schema {
			return &history[i]
		}
	}
	return nil
}

func (s *status) migration(last *engine.HistoryEntry, hash string) {
	if last == nil {
		s.line("migration", "none was applied yet")
		return
	}
	version := ""
	if last.Version != "" {
		version = fmt.Sprintf(" to version %s", last.Version)
	}
	s.line("migration", "%d%s: %s, %s, by %s with %s", last.Number, version, counted(len(last.Statements), "statement", "statements"),
		last.At.Format(time.RFC3339), last.By, last.Tool)
	if hash == last.To {
		s.line("drift", "none")
		return
	}
	s.differs = true
	s.line("drift", "the schema has changed since: migration %d left %s", last.Number, last.To)
}

// compare tells whether a schema is as declared.
func (s *status) compare(ctx context.Context, d *catalog.Declared, renames ast.RenamePolicy) error {
	conn, err := target.Session(s.db, d)
	if err != nil {
		return err
	}
	defer conn.Close()
	plan, err := target.Plan(ctx, conn, d, engine.DiffOptions{Policy: renames, AllowDestructive: true, Uncounted: true})
	if err != nil {
		return err
	}
	s.printNotes(plan)
	if plan.Empty() {
		s.line("in sync", "schema %s is as declared", d.Schema())
		return nil
	}
	s.differs = true
	text := counted(len(plan.Steps), "statement", "statements") + " to apply"
	if n := len(plan.Differences()); n > 0 {
		text += ", " + counted(n, "difference", "differences") + " that no statement carries out"
	}
	s.line("not in sync", "schema %s: %s", d.Schema(), text)
	return nil
}
