package main

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

type sqlOptions struct {
	target string
	file   string
	args   []string
	create bool
	// readOnly reads the database as it is at the beginning, whoever has it open.
	readOnly bool
	jsonl    bool
	format   choice
	wait     time.Duration
	opener   target.Opener
}

func newSQLCmd(a *app) *cobra.Command {
	o := sqlOptions{format: newChoice("auto", "table", "csv", "json")}
	cmd := &cobra.Command{
		Use:   "sql --db DIR [STATEMENTS]",
		Short: "Run SQL statements, or a shell",
		Long: `sql runs the statements of its argument, of a file (-f), or of standard input; on a terminal it is a shell. Each statement
commits by itself unless the text says begin. The first error ends the run; what was not committed is rolled back.

Rows are printed as a table on a terminal and as CSV elsewhere, unless --format says otherwise. As JSON, a text of which one
statement can give rows is answered with the list of them; one of several such statements with a list of their lists.

With --jsonl it answers requests from standard input, one a line, with one line each:
  {"sql": "select ?", "params": [1]}     params: a list, or an object by name
  {"columns": ["?"], "rows": [[1]], "changes": 0}
  {"error": {"code": "ERROR", "message": "...", "line": 1, "column": 8}}    0 where the error has no place
Integers of any size and reals are numbers, a blob is {"$blob":"0a0b"}, a real without digits {"$real":"Infinity"}. Several
statements in a request run as one text and answer as the last one. A failed request leaves the session usable.`,
		Example: `  quereus-migrate sql --db shop 'select * from customer'
  quereus-migrate sql --db shop -f rows.sql
  quereus-migrate sql --db mem:`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.args, o.opener = args, a.newOpener(cmd, o.wait)
			o.opener.Create, o.opener.ReadOnly, o.opener.OrReadOnly = o.create, o.readOnly, true
			return runSQL(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.target, "db", "", "database directory, or mem: (required)")
	f.StringVarP(&o.file, "file", "f", "", "file of statements, - for standard input")
	f.BoolVar(&o.create, "create", false, "make the database if it is not there")
	f.BoolVar(&o.readOnly, "read-only", false, "read the database as it is now, also while another process has it open; nothing can be written")
	f.BoolVar(&o.jsonl, "jsonl", false, "answer requests on standard input, one a line")
	o.format.add(cmd, "format", "form of rows; auto is table on a terminal, else csv")
	addLockTimeout(cmd, &o.wait)
	mustRequire(cmd, "db")
	cmd.MarkFlagsMutuallyExclusive("create", "read-only")
	cmd.MarkFlagsMutuallyExclusive("jsonl", "file")
	cmd.MarkFlagsMutuallyExclusive("jsonl", "format")
	return cmd
}

func runSQL(ctx context.Context, a *app, o sqlOptions) error {
	if len(o.args) > 0 && (o.file != "" || o.jsonl) {
		return &usageError{"statements come from the argument, from -f, or as --jsonl: one of them"}
	}
	src, err := o.source(a)
	if err != nil {
		return err
	}
	db, err := o.opener.Database(ctx, o.target)
	if err != nil {
		return err
	}
	conn := db.Conn()
	switch {
	case o.jsonl:
		err = serveRequests(ctx, conn, a.In, a.Out)
	case src == nil:
		err = newShell(a, db, conn, o.rowFormat(a)).run(ctx)
	default:
		err = a.runSource(ctx, conn, src, o.rowFormat(a), nil)
	}
	return firstOf(firstOf(err, conn.Close()), db.Close())
}

// source gives the statements to run; nil for a shell and for requests.
func (o *sqlOptions) source(a *app) (*ast.Source, error) {
	switch {
	case o.jsonl:
		return nil, nil
	case o.file == target.Stdin:
		return a.readStdin()
	case o.file != "":
		text, err := os.ReadFile(o.file)
		if err != nil {
			return nil, types.Wrapf(types.CANTOPEN, err, "statements")
		}
		return ast.NewSource(o.file, string(text)), nil
	case len(o.args) > 0:
		return ast.NewSource("", o.args[0]), nil
	case a.InTerminal:
		return nil, nil
	}
	return a.readStdin()
}

func (a *app) readStdin() (*ast.Source, error) {
	text, err := io.ReadAll(a.In)
	if err != nil {
		return nil, types.Wrapf(types.CANTOPEN, err, "standard input")
	}
	return ast.NewSource("<stdin>", string(text)), nil
}

func (o *sqlOptions) rowFormat(a *app) string {
	switch {
	case o.format.String() != "auto":
		return o.format.String()
	case a.OutTerminal:
		return "table"
	}
	return "csv"
}

// runSource runs a text and writes the rows of its statements. Its error is told with its place in the text. tell, unless it is nil, is
// told what each statement did, its rows written.
func (a *app) runSource(ctx context.Context, conn *engine.Conn, src *ast.Source, format string, tell func(result)) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	out, done := a.newResultWriter(format, src), 0
	err := conn.Each(ctx, src, engine.Params{}, func(r *engine.Rows) error {
		done++
		what, err := out.write(r)
		if err != nil {
			done--
			return err
		}
		if tell == nil {
			return nil
		}
		err = out.out.Flush()
		tell(what)
		return err
	})
	if err = firstOf(err, out.close(err == nil)); err != nil {
		a.PrintFault(placed(err, src, done), src)
		return &reportedError{err}
	}
	return nil
}

// placed gives an error that has no place in the text the place of its statement, the one behind those that are done.
func placed(err error, src *ast.Source, done int) error {
	var e *types.Error
	stmts, parseErr := parse.Stmts(src)
	if parseErr != nil || done >= len(stmts) || !errors.As(err, &e) || e.Line > 0 {
		return err
	}
	at := *e
	at.Line, at.Column = src.Position(stmts[done].Pos())
	return &at
}

func eachRow(r *engine.Rows, f func(types.Row) error) error {
	for {
		row, err := r.Next()
		if row == nil || err != nil {
			return err
		}
		if err := f(row); err != nil {
			return err
		}
	}
}
