package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/term"
)

// app is what commands share: the terminal, and the way to open what flags name.
type app struct {
	*term.Streams
	// samples shows values of rows to others than people at a terminal, too.
	samples bool
	// applied is what apply tells as JSON, nil when it tells it as text.
	applied *applyReport
	limits  limitFlags
	config  configFlags
	// begun is set once the flags of a command were good and it runs.
	begun bool
}

// run runs the tool and gives its exit code.
func run(s *term.Streams, args []string) int {
	a := &app{Streams: s}
	root := newRootCmd(a)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(context.Background())
	return a.report(cmd, err)
}

func newRootCmd(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "quereus-migrate",
		Short:         "Keep a database equal to a schema file",
		Long:          rootHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	a.limits.add(root)
	a.config.add(root)
	root.AddCommand(
		newAdoptCmd(a),
		newApplyCmd(a),
		newBackupCmd(a),
		newCheckCmd(a),
		newDiffCmd(a),
		newExportCmd(a),
		newFmtCmd(a),
		newHistoryCmd(a),
		newImportCmd(a),
		newInitCmd(a),
		newInspectCmd(a),
		newLintCmd(a),
		newPlanCmd(a),
		newReportCmd(a),
		newSQLCmd(a),
		newStatusCmd(a),
		newTestCmd(a),
		newUndoCmd(a),
		newVersionCmd(a),
	)
	a.begin(root)
	return root
}

// begin makes the commands below one take what the configuration says, check their targets, and note that they run.
func (a *app) begin(parent *cobra.Command) {
	for _, c := range parent.Commands() {
		a.begin(c)
		giveOnce(c)
		runE := c.RunE
		if runE == nil {
			continue
		}
		c.PreRunE = func(cmd *cobra.Command, _ []string) error {
			err := a.config.fill(cmd)
			var usage *usageError
			a.begun = err != nil && !errors.As(err, &usage) // the fault is one of the file, not of the command line
			return err
		}
		c.RunE = func(cmd *cobra.Command, args []string) error {
			if err := checkTargets(cmd); err != nil {
				return err
			}
			a.begun = true
			return runE(cmd, a.config.arguments(cmd, args))
		}
	}
}

// checkTargets refuses an empty name of a target, as an unset variable of a script gives it: it would mean the working directory.
func checkTargets(cmd *cobra.Command) error {
	for _, name := range []string{"db", "from", "to", "plan"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return &usageError{"--" + name + " is empty"}
		}
	}
	return nil
}

const rootHelp = `quereus-migrate keeps a database equal to a schema file. It compares the declared schema with the live one, orders the
statements that lead from one to the other, tells what each does to the rows that are there, and applies them as one
transaction.

A TARGET is a database directory, mem: (an empty database in memory), a schema file (SQL or YAML), a folder of schema
files, git:REF:PATH (a file or folder as a commit has it), sqlite:FILE, dump:FILE, or - (standard input). A SCHEMA is one of the last six. The PATH
of git counts from the top of the repository, or with ./ from the working directory.

Exit codes: 0 done or in sync, 1 error, 2 differences (with --exit-code), 3 refused by policy, 4 stale plan, 5 busy.`

// newOpener gives what opens targets for a command that may wait for them.
func (a *app) newOpener(cmd *cobra.Command, wait time.Duration) target.Opener {
	return target.Opener{
		Stdin: a.In, Wait: wait, Command: cmd.CommandPath(), Notes: a.PrintNotes, Meanings: a.tellNotes,
		Limits: a.limits.set, Memory: a.limits.spillAt(), Reads: a.config.reads(),
	}
}

// writing gives an app that writes its results elsewhere, as to a program.
func (a *app) writing(w io.Writer) *app {
	to, streams := *a, *a.Streams
	streams.Out, streams.OutTerminal = w, false
	to.Streams = &streams
	return &to
}

// addLockTimeout adds the flag of everything that opens a database directory.
func addLockTimeout(cmd *cobra.Command, wait *time.Duration) {
	cmd.Flags().DurationVar(wait, "lock-timeout", 0, "how long to wait for a database that another process has open")
}

// mustRequire makes a flag of the command one that has to be given.
func mustRequire(cmd *cobra.Command, flag string) {
	if err := cmd.MarkFlagRequired(flag); err != nil {
		panic(err) // there is no such flag
	}
}

// untilSignal gives a context that ends with an interrupt from the keyboard or a request to terminate; the second one of them ends
// the process as ever.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// writeJSON writes one document for readers and programs.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// firstOf gives the first of two errors that is one.
func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
