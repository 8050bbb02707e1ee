package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/function"
)

type inspectOptions struct {
	target string
	format choice
	wait   time.Duration
	opener target.Opener
}

func newInspectCmd(a *app) *cobra.Command {
	o := inspectOptions{format: newChoice("sql", "json")}
	cmd := &cobra.Command{
		Use:   "inspect --db TARGET",
		Short: "Print the live schema",
		Long: `inspect prints the schema of a database as it is enforced, in a form that is a schema file again: compared with the
database it came from, it is in sync. Nothing is changed.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.opener = a.newOpener(cmd, o.wait)
			o.opener.ReadOnly = true
			return runInspect(cmd.Context(), a, o)
		},
	}
	cmd.Flags().StringVar(&o.target, "db", "", "target to look at (required)")
	o.format.add(cmd, "format", "form of the output")
	addLockTimeout(cmd, &o.wait)
	mustRequire(cmd, "db")
	return cmd
}

func runInspect(ctx context.Context, a *app, o inspectOptions) error {
	db, err := o.opener.Live(ctx, o.target)
	if err != nil {
		return err
	}
	if o.format.String() == "json" {
		err = a.inspectJSON(db)
	} else {
		err = a.inspectSQL(db)
	}
	return firstOf(err, db.Close())
}

func (a *app) inspectSQL(db *engine.DB) error {
	stmts, err := target.Declarations(db)
	if err != nil {
		return err
	}
	for _, s := range stmts {
		if varies(s, db.Functions()) {
			fmt.Fprintf(a.Out, "pragma %s = true;\n\n", catalog.NondeterministicSetting)
			break
		}
	}
	for i, s := range stmts {
		if i > 0 {
			fmt.Fprintln(a.Out)
		}
		if _, err := fmt.Fprintf(a.Out, "%s;\n", a.Text(ast.FormatWith(s, ast.Options{Lines: true}))); err != nil {
			return err
		}
	}
	return nil
}

// varies reports whether a table of the declaration may need the pragma that lets functions in stored expressions whose answer
// varies. With the pragma too many a schema means the same.
func varies(s *ast.DeclareSchemaStmt, functions *function.Registry) bool {
	found := false
	look := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Call:
			f := functions.Lookup(n.Name.Text, len(n.Args), false)
			found = found || f != nil && !f.Deterministic
		case *ast.TableFunc:
			f := functions.Lookup(n.Name.Text, len(n.Args), true)
			found = found || f != nil && !f.Deterministic
		case *ast.ColumnRef:
			_, isClock := n.Clock()
			found = found || isClock
		}
		return !found
	}
	for _, item := range s.Items {
		if t, ok := item.(*ast.CreateTableStmt); ok {
			ast.Walk(t, look)
		}
	}
	return found
}
