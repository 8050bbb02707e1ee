package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/engine/transfer"
)

type importOptions struct {
	source string
	dir    string
	dates  bool
	dryRun bool
	format choice
	wait   time.Duration
	opener target.Opener
}

func newImportCmd(a *app) *cobra.Command {
	o := importOptions{format: newChoice("text", "json")}
	cmd := &cobra.Command{
		Use:   "import SOURCE --db DIR",
		Short: "Bring in schema and rows of another database",
		Long: `import makes the schema of another database here and fills it with its rows, as one transaction: all of it, or nothing. Then it
reads the rows back and compares their number and a checksum of every table. The database is made; one that has tables
already is refused.

SOURCE is a SQLite file (sqlite:FILE, or its name alone), or the text that sqlite3 .dump, pg_dump or mysqldump wrote (dump:FILE, or its
name alone).

What means something else here than there, or is left out, is reported.`,
		Example: `  quereus-migrate import chinook.db --db chinook
  quereus-migrate import shop.dump.sql --db shop
  quereus-migrate import sqlite:places.sqlite --db places --dry-run`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.source, o.opener = args[0], a.newOpener(cmd, o.wait)
			return runImport(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.dir, "db", "", "database directory to make, or mem: to try it out (required)")
	f.BoolVar(&o.dates, "dates", false, "make DATE and DATETIME of columns that are declared so and whose texts all are")
	f.BoolVar(&o.dryRun, "dry-run", false, "do everything in memory, and leave nothing")
	o.format.add(cmd, "format", "form of the report")
	addLockTimeout(cmd, &o.wait)
	mustRequire(cmd, "db")
	return cmd
}

func runImport(ctx context.Context, a *app, o importOptions) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	src, err := target.OpenForeign(ctx, o.source)
	if err != nil {
		return err
	}
	r := &importRun{app: a, importOptions: o, from: src}
	return firstOf(r.run(ctx), src.Close())
}

// importRun is one import under way.
type importRun struct {
	*app
	importOptions
	from   transfer.Source
	schema *transfer.Schema
	result *transfer.Result
}

func (r *importRun) run(ctx context.Context) (err error) {
	progress := r.NewProgress()
	defer progress.Clear()
	if r.schema, err = transfer.Shape(ctx, r.from, transfer.Options{Dates: r.dates, Progress: progress.Update}); err != nil {
		return err
	}
	if err := r.load(ctx, progress.Update); err != nil {
		return err
	}
	progress.Clear()
	if r.format.String() == "json" {
		return writeJSON(r.Out, r.newImportJSON())
	}
	return r.print()
}

// load fills the database. One that was made for it goes again when that fails.
func (r *importRun) load(ctx context.Context, progress func(string, int64, int64)) error {
	dir := r.dir
	if r.dryRun {
		dir = target.Memory
	}
	isNew := !target.Exists(dir)
	r.opener.Create = true
	db, err := r.opener.Database(ctx, dir)
	if err != nil {
		return err
	}
	r.result, err = transfer.Load(ctx, db, r.from, r.schema, transfer.LoadOptions{LockTimeout: r.wait, Tool: toolName(), Progress: progress})
	if err != nil && isNew {
		return firstOf(err, firstOf(db.Close(), removeContents(dir)))
	}
	return firstOf(err, db.Close())
}

// removeContents empties the directory of a database that holds nothing yet.
func removeContents(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		err = firstOf(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}

// print writes the report for people.
func (r *importRun) print() error {
	for _, t := range r.result.Tables {
		if _, err := fmt.Fprintf(r.Out, "%s: %s\n", r.Text(t.Name), counted(int(t.Rows), "row", "rows")); err != nil {
			return err
		}
	}
	r.printImportNotes(append(slices.Clone(r.schema.Notes), r.result.Notes...))
	what := "imported"
	if r.dryRun {
		what = "dry run: would import"
	}
	_, err := fmt.Fprintf(r.Out, "%s %s, %s; counts and checksums agree\n", what,
		counted(len(r.result.Tables), "table", "tables"), counted(int(r.result.Rows), "row", "rows"))
	rate := float64(r.result.Rows) / max(r.result.Duration.Seconds(), 1e-9)
	fmt.Fprintf(r.Err, "done in %s (%.0f rows/s)\n", r.result.Duration.Round(time.Millisecond), rate)
	return err
}

// noteTitles say what the notes of a kind are, in the order in which they are told.
var noteTitles = []struct {
	kind  transfer.NoteKind
	title string
}{
	{transfer.Broken, "rows break these rules, which are left out until the rows are mended"},
	{transfer.LeftOut, "left out"},
	{transfer.Changed, "means something else here"},
	{transfer.Mapped, "said otherwise, meaning the same"},
}

func (r *importRun) printImportNotes(notes []transfer.Note) {
	for _, k := range noteTitles {
		first := true
		for _, n := range notes {
			if n.Kind != k.kind {
				continue
			}
			if first {
				fmt.Fprintf(r.Out, "\n%s:\n", k.title)
				first = false
			}
			fmt.Fprintf(r.Out, "  %s: %s\n", r.Text(n.Object), r.Text(n.Message))
			if n.Text != "" {
				fmt.Fprintf(r.Out, "    %s\n", r.Text(n.Text))
			}
		}
	}
	fmt.Fprintln(r.Out)
}

// tellNotes tells of a schema that was read from another system's database what changes its meaning.
func (a *app) tellNotes(name string, notes []transfer.Note) {
	for _, k := range noteTitles[:3] {
		for _, n := range notes {
			if n.Kind == k.kind {
				fmt.Fprintf(a.Err, "%s: %s: %s: %s\n", a.Text(name), n.Kind, a.Text(n.Object), a.Text(n.Message))
			}
		}
	}
}

// importJSON is the report for programs.
type importJSON struct {
	Source  string            `json:"source"`
	DryRun  bool              `json:"dryRun"`
	Tables  []importTableJSON `json:"tables"`
	Rows    int64             `json:"rows"`
	Seconds float64           `json:"seconds"`
	// Migration is its number in the history.
	Migration uint64          `json:"migration"`
	Notes     []transfer.Note `json:"notes"`
}

type importTableJSON struct {
	Name     string `json:"name"`
	Rows     int64  `json:"rows"`
	Checksum string `json:"checksum"`
}

func (r *importRun) newImportJSON() importJSON {
	j := importJSON{Source: r.source, DryRun: r.dryRun, Tables: []importTableJSON{}, Rows: r.result.Rows, Seconds: r.result.Duration.Seconds(),
		Migration: r.result.Number, Notes: append(append([]transfer.Note{}, r.schema.Notes...), r.result.Notes...)}
	for _, t := range r.result.Tables {
		j.Tables = append(j.Tables, importTableJSON{t.Name, t.Rows, fmt.Sprintf("%016x", t.Checksum)})
	}
	return j
}
