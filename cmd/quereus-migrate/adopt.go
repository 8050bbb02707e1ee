package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/engine"
)

type adoptOptions struct {
	dir, schema, version string
	wait                 time.Duration
	opener               target.Opener
}

func newAdoptCmd(a *app) *cobra.Command {
	var o adoptOptions
	cmd := &cobra.Command{
		Use:   "adopt --db DIR",
		Short: "Record the present schema of a database as known",
		Long: `adopt writes the schema, as it is, into the history. A database that came to its schema by other means begins its history with
it, and what has changed since the last migration is drift no more. Nothing else changes.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.opener = a.newOpener(cmd, o.wait)
			return runAdopt(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.dir, "db", "", "database directory (required)")
	f.StringVar(&o.schema, "schema", catalog.MainSchema, "schema to record")
	f.StringVar(&o.version, "version", "", "version that it has")
	addLockTimeout(cmd, &o.wait)
	mustRequire(cmd, "db")
	return cmd
}

func runAdopt(ctx context.Context, a *app, o adoptOptions) error {
	db, err := o.opener.Database(ctx, o.dir)
	if err != nil {
		return err
	}
	conn := db.Conn()
	e, err := conn.Adopt(ctx, o.schema, engine.AdoptOptions{Version: o.version, LockTimeout: o.wait, Tool: toolName()})
	if err = firstOf(firstOf(err, conn.Close()), db.Close()); err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "schema %s is known as it is: %s (migration %d)\n", e.Schema, e.To, e.Number)
	return nil
}
