package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/term"
	"github.com/quereus/quereus-migrate/engine"
)

type statusOptions struct {
	dir      string
	schemas  []string
	format   choice
	exitCode bool
	renames  renamePolicy
	wait     time.Duration
	opener   target.Opener
}

func newStatusCmd(a *app) *cobra.Command {
	o := statusOptions{format: newChoice("text", "json")}
	cmd := &cobra.Command{
		Use:         "status --db DIR [SCHEMA...]",
		Annotations: map[string]string{takesPaths: "schemas"},
		Short:       "Tell how a database stands to what was applied, and to a schema",
		Long: `status tells which migration was the last, what has changed in the schema since by other means (drift), and, with a
SCHEMA, whether the database is in sync with it. What has drifted to just what the SCHEMA says is no drift any more. Nothing is
changed; adopt records the present state as known.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.schemas, o.opener = args, a.newOpener(cmd, o.wait)
			o.opener.ReadOnly = true
			return runStatus(cmd.Context(), a, o)
		},
	}
	cmd.Flags().StringVar(&o.dir, "db", "", "database directory (required)")
	cmd.Flags().BoolVar(&o.exitCode, "exit-code", false, "exit with 2 on drift, and when the database is not in sync with the SCHEMA")
	o.format.add(cmd, "format", "form of the output")
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
	s := statusSurvey{app: a, db: db, options: o}
	report, err := s.run(ctx, wanted)
	if err = firstOf(err, db.Close()); err != nil {
		return err
	}
	if o.format.String() == "json" {
		err = writeJSON(a.Out, report)
	} else {
		err = a.printStatus(report)
	}
	if err == nil && o.exitCode && report.differs() {
		return errDiffers
	}
	return err
}

// statusReport is what status tells; docs/json.md describes it.
type statusReport struct {
	Format  int             `json:"format"`
	Schemas []*schemaStatus `json:"schemas"`
	// Undo is what undo would take back, null when it can do nothing.
	Undo *undoStatus `json:"undo"`
}

type schemaStatus struct {
	Schema string `json:"schema"`
	Hash   string `json:"hash"`
	// Last is the last entry of the history, null when there is none.
	Last  *historyJSON `json:"last"`
	Drift *driftStatus `json:"drift"`
	// Declared tells how the schema stands to the one that was given, null when none was.
	Declared *declaredStatus `json:"declared"`
}

// driftStatus is what has changed since the last entry of the history.
type driftStatus struct {
	Since uint64 `json:"since"`
	// Known is set when the schema has become what is declared: drift that is to stay.
	Known      bool     `json:"as_declared"`
	Objects    []string `json:"objects"`
	Statements []string `json:"statements"`
}

type declaredStatus struct {
	InSync      bool `json:"in_sync"`
	Statements  int  `json:"statements"`
	Differences int  `json:"differences"`
}

type undoStatus struct {
	Number  uint64 `json:"number"`
	Changed bool   `json:"changed_since"`
	Bytes   uint64 `json:"bytes"`
}

func (r *statusReport) differs() bool {
	return slices.ContainsFunc(r.Schemas, func(s *schemaStatus) bool {
		return s.Drift != nil && !s.Drift.Known || s.Declared != nil && !s.Declared.InSync
	})
}

// statusSurvey finds out what there is to tell.
type statusSurvey struct {
	*app
	db      *engine.DB
	options statusOptions
}

func (s *statusSurvey) run(ctx context.Context, wanted []*catalog.Declared) (*statusReport, error) {
	history, err := s.db.History(ctx)
	if err != nil {
		return nil, err
	}
	cat, err := s.db.Catalog()
	if err != nil {
		return nil, err
	}
	r := &statusReport{Format: jsonFormat, Schemas: []*schemaStatus{}}
	declared := map[string]*declaredStatus{}
	for _, d := range wanted {
		if declared[d.Schema()], err = s.compare(ctx, d); err != nil {
			return nil, err
		}
	}
	for _, name := range statusSchemas(cat, history, wanted) {
		one := &schemaStatus{Schema: name, Hash: catalog.Hash(cat, name), Declared: declared[name]}
		if err := s.sinceLast(ctx, one, engine.LastOf(history, name)); err != nil {
			return nil, err
		}
		r.Schemas = append(r.Schemas, one)
	}
	info, ok, err := s.db.CanUndo()
	if ok {
		r.Undo = &undoStatus{info.Number, info.Changed, info.Bytes}
	}
	return r, err
}

// statusSchemas lists main, the schemas that have a history, and those that are declared.
func statusSchemas(cat *catalog.Snapshot, history []engine.HistoryEntry, wanted []*catalog.Declared) []string {
	var names []string
	for _, name := range cat.Schemas() {
		isDeclared := slices.ContainsFunc(wanted, func(d *catalog.Declared) bool { return d.Schema() == name })
		if name == catalog.MainSchema || isDeclared || engine.LastOf(history, name) != nil {
			names = append(names, name)
		}
	}
	for _, d := range wanted {
		if !slices.Contains(names, d.Schema()) {
			names = append(names, d.Schema())
		}
	}
	return names
}

// sinceLast tells the last entry of the history, and what has changed since.
func (s *statusSurvey) sinceLast(ctx context.Context, one *schemaStatus, last *engine.HistoryEntry) error {
	if last == nil {
		return nil
	}
	one.Last = newHistoryJSON(last)
	if one.Hash == last.To {
		return nil
	}
	one.Drift = &driftStatus{Since: last.Number, Known: one.Declared != nil && one.Declared.InSync, Objects: []string{}, Statements: []string{}}
	plan, err := target.Drift(ctx, s.db, one.Schema)
	if plan == nil || err != nil {
		return err
	}
	one.Drift.Statements = plan.Statements()
	for i := range plan.Steps {
		if what := plan.Steps[i].Kind.String() + " " + plan.Steps[i].Object; !slices.Contains(one.Drift.Objects, what) {
			one.Drift.Objects = append(one.Drift.Objects, what)
		}
	}
	return nil
}

// compare tells whether a schema is as declared.
func (s *statusSurvey) compare(ctx context.Context, d *catalog.Declared) (*declaredStatus, error) {
	conn, err := target.Session(s.db, d)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	plan, err := target.Plan(ctx, conn, d, engine.DiffOptions{Policy: s.options.renames.policy(), AllowDestructive: true, Uncounted: true})
	if err != nil {
		return nil, err
	}
	s.printNotes(plan)
	return &declaredStatus{InSync: plan.Empty(), Statements: len(plan.Steps), Differences: len(plan.Differences())}, nil
}

func (a *app) printStatus(r *statusReport) error {
	p := &statusText{app: a}
	for _, s := range r.Schemas {
		p.line("schema", "%s", s.Schema)
		p.line("hash", "%s", s.Hash)
		p.last(s)
		p.declared(s)
	}
	if u := r.Undo; u != nil {
		text := fmt.Sprintf("migration %d can be undone; what that needs takes %s", u.Number, term.Bytes(u.Bytes))
		if u.Changed {
			text += ". What was written since would be lost"
		}
		p.line("undo", "%s", text)
	}
	return p.failed
}

// statusText writes a report for people.
type statusText struct {
	*app
	// failed is the first failure to write.
	failed error
}

func (p *statusText) line(word, format string, args ...any) {
	_, err := fmt.Fprintf(p.Out, "%-12s%s\n", word, term.Visible(fmt.Sprintf(format, args...)))
	p.failed = firstOf(p.failed, err)
}

func (p *statusText) last(s *schemaStatus) {
	if s.Last == nil {
		p.line("migration", "none was applied yet")
		return
	}
	p.line("migration", "%s: %s, %s", s.Last.title(), counted(len(s.Last.Statements), "statement", "statements"), s.Last.signature())
	d := s.Drift
	switch {
	case d == nil:
		p.line("drift", "none")
	case d.Known:
		p.line("drift", "none: the schema has changed since migration %d by other means, to what is declared", d.Since)
	case len(d.Statements) == 0:
		p.line("drift", "the schema has changed since migration %d, which left %s", d.Since, s.Last.To)
	default:
		p.line("drift", "%s in the schema since migration %d: %s", counted(len(d.Statements), "change", "changes"), d.Since, strings.Join(d.Objects, ", "))
		for _, sql := range d.Statements {
			p.line("", "%s;", sql)
		}
	}
}

func (p *statusText) declared(s *schemaStatus) {
	d := s.Declared
	switch {
	case d == nil:
	case d.InSync:
		p.line("in sync", "schema %s is as declared", s.Schema)
	default:
		text := counted(d.Statements, "statement", "statements") + " to apply"
		if d.Differences > 0 {
			text += ", " + counted(d.Differences, "difference", "differences") + " that no statement carries out"
		}
		p.line("not in sync", "schema %s: %s", s.Schema, text)
	}
}

// jsonFormat is the version of the documents that commands print as JSON.
const jsonFormat = 1
