package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

type undoOptions struct {
	dir          string
	yes, discard bool
	wait         time.Duration
	opener       target.Opener
}

func newUndoCmd(a *app) *cobra.Command {
	var o undoOptions
	cmd := &cobra.Command{
		Use:   "undo --db DIR",
		Short: "Put a database back to what it was before the last migration",
		Long: `undo restores the schema and the rows, exactly as they were before the last migration. When anything was committed since, it
refuses (exit 3) unless --discard is given: that is lost then. The history is kept, and the undo is an entry of it. An undo can be undone.

apply keeps a checkpoint for it, the last one only; status tells its size, and apply --no-undo leaves it out.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.opener = a.newOpener(cmd, o.wait)
			return runUndo(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.dir, "db", "", "database directory (required)")
	f.BoolVar(&o.yes, "yes", false, "do not ask")
	f.BoolVar(&o.discard, "discard", false, "lose what was committed after the migration")
	addLockTimeout(cmd, &o.wait)
	mustRequire(cmd, "db")
	return cmd
}

func runUndo(ctx context.Context, a *app, o undoOptions) (err error) {
	ctx, stop := untilSignal(ctx)
	defer stop()
	db, err := o.opener.Database(ctx, o.dir)
	if err != nil {
		return err
	}
	defer func() { err = firstOf(err, db.Close()) }()
	info, ok, err := db.CanUndo()
	switch {
	case err != nil:
		return err
	case !ok:
		return types.Errorf(types.NOTFOUND, "there is nothing to undo in %s: no migration has left a checkpoint", o.dir)
	case info.Changed && !o.discard:
		return &engine.ChangedError{Number: info.Number}
	}
	if err := a.agreeUndo(ctx, o, info); err != nil {
		return err
	}
	e, err := db.Undo(ctx, engine.UndoOptions{Discard: o.discard, LockTimeout: o.wait, Tool: toolName()})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "undone: %s is what it was before migration %d (migration %d)\n", o.dir, e.Before, e.Number)
	return nil
}

// agreeUndo makes sure that somebody wants the undo.
func (a *app) agreeUndo(ctx context.Context, o undoOptions, info engine.UndoInfo) error {
	if o.yes {
		return nil
	}
	if !a.CanAsk() {
		return types.Errorf(types.ERROR, "nothing was changed: there is no terminal to ask on, and --yes was not given")
	}
	question := fmt.Sprintf("put %s back to what it was before migration %d?", o.dir, info.Number)
	if info.Changed {
		question = fmt.Sprintf("put %s back to what it was before migration %d, and lose what was written since?", o.dir, info.Number)
	}
	yes, err := a.Confirm(ctx, question)
	if err == nil && !yes {
		err = &declinedError{"nothing was changed"}
	}
	return err
}
