package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/transfer/export"
	"github.com/quereus/quereus-migrate/engine/transfer/sqlite"
	"github.com/quereus/quereus-migrate/types"
)

type exportOptions struct {
	target, schema, out string
	tables              []string
	format              choice
	rows                export.Options
	wait                time.Duration
	opener              target.Opener
}

func newExportCmd(a *app) *cobra.Command {
	o := exportOptions{format: newChoice("schema", "sqlite", "csv", "jsonl", "arrow", "parquet")}
	cmd := &cobra.Command{
		Use:   "export --db TARGET [TABLE…]",
		Short: "Write schema or rows for other programs",
		Long: `export writes what a database holds at one moment, also while another process has it open. Nothing is changed.

  schema   the declared schema, as inspect prints it
  sqlite   schema and rows as SQL that SQLite runs: sqlite3 new.db < FILE. What SQLite cannot say is left out and told
  csv      rows with a line of names first; NULL is an empty field, an empty text is "", a blob is hexadecimal
  jsonl    an object for each row, values as in docs/json.md
  arrow    an Arrow IPC file: INTEGER as int64, REAL as float64, BOOLEAN, BLOB, DATE as date32; all else as text
  parquet  the same as Parquet

Rows of one table, or view, go to standard output or to the file -o. Those of several, or of all tables when none is named, go to a
folder, -o, a file for each. A file that is there already is not overwritten.`,
		Example: `  quereus-migrate export --db shop --format sqlite -o shop.sql
  quereus-migrate export --db shop --format csv customer > customer.csv
  quereus-migrate export --db shop --format parquet -o shop-rows`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.tables, o.opener = args, a.newOpener(cmd, o.wait)
			o.opener.ReadOnly = true
			return runExport(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.target, "db", "", "target to read (required)")
	f.StringVar(&o.schema, "schema", catalog.MainSchema, "schema to write")
	f.StringVarP(&o.out, "output", "o", "", "file, or folder for several tables; standard output when left out")
	f.BoolVar(&o.rows.CSVSafe, "csv-safe", false, "in CSV, put an apostrophe before texts that a spreadsheet would take for a formula")
	o.format.add(cmd, "format", "form of the output")
	addLockTimeout(cmd, &o.wait)
	mustRequire(cmd, "db")
	return cmd
}

func runExport(ctx context.Context, a *app, o exportOptions) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	db, err := o.opener.Live(ctx, o.target)
	if err != nil {
		return err
	}
	conn := db.Conn()
	e := &exportRun{app: a, exportOptions: o, db: db, conn: conn}
	return firstOf(firstOf(e.run(ctx), conn.Close()), db.Close())
}

// exportRun is one export under way.
type exportRun struct {
	*app
	exportOptions
	db   *engine.DB
	conn *engine.Conn
}

func (e *exportRun) run(ctx context.Context) error {
	if e.format.String() == "schema" {
		if len(e.tables) > 0 {
			return &usageError{"schema writes the whole schema: it takes no names of tables"}
		}
		return e.toFile(e.out, e.writeSchema)
	}
	if err := e.conn.Begin(ctx, engine.TxOptions{ReadOnly: true}); err != nil { // all that is read is of one moment
		return err
	}
	relations, err := e.relations()
	if err != nil {
		return err
	}
	switch {
	case e.format.String() == "sqlite":
		return e.toFile(e.out, func(w io.Writer) error { return e.writeSQLite(ctx, w) })
	case len(e.tables) == 1:
		return e.toFile(e.out, func(w io.Writer) error { return e.writeRows(ctx, w, relations[0]) })
	case e.out == "":
		return &usageError{"rows of several tables go to a folder: name it with -o, or name one table"}
	}
	return e.toFolder(ctx, relations)
}

// relations are the tables and views whose rows are written, under the names that the catalog has for them.
func (e *exportRun) relations() ([]string, error) {
	cat, err := e.conn.Catalog()
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(cat.Schemas(), func(s string) bool { return types.EqualFold(s, e.schema) }) {
		return nil, types.Errorf(types.NOTFOUND, "there is no schema %s", e.schema)
	}
	var out []string
	if len(e.tables) == 0 {
		for _, t := range cat.TablesInOrder(e.schema) {
			if !t.IsEngineManaged() {
				out = append(out, t.Name)
			}
		}
		return out, nil
	}
	for _, name := range e.tables {
		switch t, v := cat.Table(e.schema, name), cat.View(e.schema, name); {
		case t != nil:
			out = append(out, t.Name)
		case v != nil && e.format.String() != "sqlite":
			out = append(out, v.Name)
		default:
			return nil, types.Errorf(types.NOTFOUND, "there is no table %s in schema %s", name, e.schema)
		}
	}
	return out, nil
}

func (e *exportRun) writeSchema(w io.Writer) error {
	return e.writing(w).inspectSQL(e.db)
}

func (e *exportRun) writeSQLite(ctx context.Context, w io.Writer) error {
	cat, err := e.conn.Catalog()
	if err != nil {
		return err
	}
	names, err := e.relations()
	if err != nil {
		return err
	}
	o := sqlite.WriteOptions{Schema: e.schema}
	for _, n := range names {
		o.Tables = append(o.Tables, cat.Table(e.schema, n))
	}
	progress := e.NewProgress()
	defer progress.Clear()
	o.Progress = progress.Update
	notes, err := sqlite.Write(ctx, e.conn, w, o)
	if err != nil {
		return err
	}
	progress.Clear()
	for _, n := range notes {
		fmt.Fprintf(e.Err, "%s: %s: %s\n", n.Kind, e.Text(n.Object), e.Text(n.Message))
		if n.Text != "" {
			fmt.Fprintf(e.Err, "  %s\n", e.Text(n.Text))
		}
	}
	return nil
}

// writeRows writes the rows of one table or view.
func (e *exportRun) writeRows(ctx context.Context, w io.Writer, name string) error {
	rows, err := e.conn.Query(ctx, "select * from "+ast.FormatName(e.schema)+"."+ast.FormatName(name), engine.Params{})
	if err != nil {
		return err
	}
	defer rows.Close()
	to, err := export.NewWriter(e.format.String(), w, rows.ColumnTypes(), e.rows)
	if err != nil {
		return err
	}
	progress := e.NewProgress()
	defer progress.Clear()
	for n := int64(0); ; n++ {
		row, err := rows.Next()
		if err != nil {
			return err
		}
		if row == nil {
			return to.Close()
		}
		if err := to.Row(row); err != nil {
			return err
		}
		progress.Update(name, n, 0)
	}
}

// toFile writes a file that must not be there yet, "" for standard output. One that could not be written whole goes again.
func (e *exportRun) toFile(name string, write func(io.Writer) error) error {
	if name == "" {
		return write(e.Out)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return types.Wrapf(types.CANTOPEN, err, "export")
	}
	if err = firstOf(write(f), f.Close()); err != nil {
		return firstOf(err, os.Remove(name))
	}
	return nil
}

// toFolder writes a file for each of the relations.
func (e *exportRun) toFolder(ctx context.Context, relations []string) error {
	if err := os.MkdirAll(e.out, 0o700); err != nil {
		return types.Wrapf(types.CANTOPEN, err, "export")
	}
	for _, name := range relations {
		file, err := exportFile(name, export.Formats[e.format.String()])
		if err != nil {
			return err
		}
		path := filepath.Join(e.out, file)
		if err := e.toFile(path, func(w io.Writer) error { return e.writeRows(ctx, w, name) }); err != nil {
			return err
		}
		fmt.Fprintln(e.Err, e.Text(path))
	}
	return nil
}

// exportFile gives the name of the file of a table, which stays within its folder whatever the table's name.
func exportFile(name, ending string) (string, error) {
	file := name + ending
	if !filepath.IsLocal(file) || filepath.Base(file) != file {
		return "", &types.Error{Code: types.MISUSE, Message: "the name of table " + name + " is no name for a file", Hint: "name it alone, with a file of your own: -o FILE " + name}
	}
	return file, nil
}
