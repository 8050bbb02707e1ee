package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
)

type backupOptions struct {
	dir, to string
	format  choice
	command string
}

func newBackupCmd(a *app) *cobra.Command {
	o := backupOptions{format: newChoice("text", "json")}
	cmd := &cobra.Command{
		Use:   "backup --db DIR --to DIR",
		Short: "Copy a database, also while it is in use, and check the copy",
		Long: `backup copies a database as it is at one moment into a new directory, which must be missing or empty. Another process may have
the database open and write to it: it is not disturbed. The copy is synced, and then checked as check does; its faults are told in the
same form, and make the exit code 1.

The copy is a database like any other: to restore it, put it in the place of the other one. Checkpoints for undo are not copied.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.command = cmd.CommandPath()
			return runBackup(cmd.Context(), a, o)
		},
	}
	cmd.Flags().StringVar(&o.dir, "db", "", "database directory (required)")
	cmd.Flags().StringVar(&o.to, "to", "", "directory of the copy (required)")
	cmd.Flags().BoolVar(&a.samples, "samples", false, "show keys of rows also where no terminal is")
	o.format.add(cmd, "format", "form of the output")
	mustRequire(cmd, "db")
	mustRequire(cmd, "to")
	return cmd
}

func runBackup(ctx context.Context, a *app, o backupOptions) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	r, err := engine.Backup(ctx, o.dir, o.to, pebble.Options{Command: o.command}, engine.Options{})
	if err != nil {
		return err
	}
	return a.tellCheck(r, o.format.String())
}
