package transfer

import (
	"context"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/catalog/schemafile"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// LoadOptions say how a schema and its rows are brought in.
type LoadOptions struct {
	// DryRun does everything and rolls it back.
	DryRun bool
	// LockTimeout and Tool are those of engine.MigrateOptions.
	LockTimeout time.Duration
	Tool        string
	// Progress is that of Options.
	Progress func(what string, rows, total int64)
}

// Result tells what was loaded.
type Result struct {
	Tables   []TableResult
	Rows     int64
	Duration time.Duration
	// Number is that of the migration in the database's history.
	Number uint64
	// Notes tell of computed values that came out otherwise.
	Notes []Note
}

// TableResult tells of one table. The checksum is of all values that were sent and that arrived, whatever the order of the rows.
type TableResult struct {
	Name     string
	Rows     int64
	Checksum uint64
}

// Load makes the schema in an empty database and fills it with the rows of the source, as one migration: all of it, or nothing. Then it
// reads them back and compares; CORRUPT when it is not what was sent. ERROR when the database has objects already. A row that breaks a
// rule, and one that a foreign key does not allow, refuses everything.
func Load(ctx context.Context, db *engine.DB, src Source, s *Schema, o LoadOptions) (*Result, error) {
	all, err := schemafile.Read(ast.NewSource("", s.Text))
	if err != nil {
		return nil, err
	}
	conn := db.Conn()
	defer conn.Close()
	plan, err := planOf(ctx, conn, all[0])
	if err != nil {
		return nil, err
	}
	l := &loading{source: src, schema: s, options: o, result: &Result{}}
	done, err := conn.Migrate(ctx, plan, engine.MigrateOptions{
		DryRun: o.DryRun, Allow: differ.Failure, LockTimeout: o.LockTimeout, Tool: o.Tool, Load: l.run,
	})
	if err != nil {
		return nil, err
	}
	l.result.Duration, l.result.Number = done.Duration, done.Number
	return l.result, nil
}

func planOf(ctx context.Context, conn *engine.Conn, d *catalog.Declared) (*differ.Plan, error) {
	for name, v := range map[string]types.Value{"foreign_keys": types.False, catalog.NondeterministicSetting: types.Bool(d.Nondeterministic())} {
		if err := conn.SetOption(name, v); err != nil { // foreign keys are judged when all rows are there
			return nil, err
		}
	}
	cat, err := conn.Catalog()
	if err != nil {
		return nil, err
	}
	if t := cat.TablesInOrder(catalog.MainSchema); len(t) > 0 {
		return nil, &types.Error{Code: types.ERROR, Message: "the database has tables already, as " + t[0].Name, Hint: "import into a new directory"}
	}
	r, err := conn.Verify(d, nil)
	if err != nil {
		return nil, err
	}
	return conn.Diff(ctx, d, engine.DiffOptions{Resolved: r})
}

// loading is a load under way.
type loading struct {
	source  Source
	schema  *Schema
	options LoadOptions
	result  *Result
	done    int64 // rows
	total   int64
}

func (l *loading) run(ctx context.Context, to *engine.Loader) error {
	for _, t := range l.schema.Tables {
		l.total += t.Rows
	}
	for _, t := range l.schema.Tables {
		if err := l.table(ctx, to, t); err != nil {
			return err
		}
	}
	return nil
}

// table fills a table and reads it back.
func (l *loading) table(ctx context.Context, to *engine.Loader, t *Table) error {
	into, err := to.Table(ctx, catalog.MainSchema, t.Name, t.Columns)
	if err != nil {
		return types.Wrapf(types.CodeOf(err), err, "table %s", t.Name)
	}
	sent, err := l.fill(ctx, into, t)
	if err != nil {
		return err
	}
	arrived, err := l.readBack(ctx, into, t)
	if err != nil {
		return err
	}
	if sent.rows != arrived.rows || sent.sum != arrived.sum {
		return types.Errorf(types.CORRUPT, "table %s: %d rows with checksum %016x were sent, %d rows with checksum %016x arrived; nothing was changed",
			t.Name, sent.rows, sent.sum, arrived.rows, arrived.sum)
	}
	for i, name := range t.computed {
		if sent.computed[i] != arrived.computed[i] {
			l.result.Notes = append(l.result.Notes, Note{Changed, t.Name + "." + name, "the generated column comes out with other values here", ""})
		}
	}
	l.result.Rows += sent.rows
	l.result.Tables = append(l.result.Tables, TableResult{t.Name, sent.rows, sent.sum})
	return nil
}

// fill reads rows in one goroutine and inserts them in another.
func (l *loading) fill(ctx context.Context, into *engine.LoadTable, t *Table) (tally, error) {
	sent := newTally(into, t)
	batches := make(chan [][]types.Value, 4)
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error {
		defer close(batches)
		return l.source.Rows(ctx, t.from, t.sentColumns(), t.Numbered, func(rows [][]types.Value) error {
			for i, row := range rows {
				rows[i] = sent.add(row)
			}
			select {
			case batches <- rows:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
	})
	all.Go(func() error {
		for rows := range batches {
			if err := into.Insert(ctx, rows); err != nil {
				return types.Wrapf(types.CodeOf(err), err, "table %s", t.Name)
			}
			l.done += int64(len(rows))
			l.progress()
		}
		return ctx.Err()
	})
	err := all.Wait()
	return sent.tally, err
}

func (l *loading) progress() {
	if l.options.Progress != nil {
		l.options.Progress("loading", l.done, l.total)
	}
}

func (l *loading) readBack(ctx context.Context, into *engine.LoadTable, t *Table) (tally, error) {
	arrived := newTally(into, t)
	err := into.Each(ctx, func(row types.Row) error {
		arrived.row(row)
		return nil
	})
	return arrived.tally, err
}

// sentColumns are the columns that the source is asked for: those that are filled, then those that are compared.
func (t *Table) sentColumns() []string {
	filled := t.Columns
	if t.Numbered {
		filled = filled[:len(filled)-1]
	}
	return append(append([]string{}, filled...), t.computed...)
}

// locate finds a column among those of the table as it was made.
func locate(columns []*catalog.Column, name string) int {
	for i, c := range columns {
		if strings.EqualFold(c.Name, name) {
			return i
		}
	}
	return -1
}
