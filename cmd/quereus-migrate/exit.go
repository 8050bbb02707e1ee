package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// The exit codes of the tool.
const (
	exitOK      = 0 // done, or in sync
	exitError   = 1
	exitDiffers = 2 // with --exit-code
	exitRefused = 3 // by policy
	exitStale   = 4 // the plan was made for another schema
	exitBusy    = 5 // another process has the database open
)

// errDiffers ends a command that was asked to tell by its exit code that there are differences.
var errDiffers = errors.New("differences")

// reportedError is an error that was told where it occurred, and only decides about the exit code.
type reportedError struct{ error }

func (e *reportedError) Unwrap() error { return e.error }

// exitCode gives the code of the error that a command ended with.
func exitCode(err error) int {
	var refused *engine.PolicyError
	var stale *engine.StalePlanError
	var changed *engine.ChangedError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errDiffers):
		return exitDiffers
	case errors.As(err, &refused), errors.As(err, &changed):
		return exitRefused
	case errors.As(err, &stale):
		return exitStale
	case types.CodeOf(err) == types.BUSY:
		return exitBusy
	}
	return exitError
}

// usageError is a misuse of flags and arguments that cobra cannot see.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

// declinedError ends a command that somebody was asked about and did not want. That is no fault, and yet the work is not done: exit
// code 1.
type declinedError struct{ message string }

func (e *declinedError) Error() string { return e.message }

// report tells the error that a command ended with, and gives the exit code. A mistake in the command line is told with the
// one line of the command's usage.
func (a *app) report(cmd *cobra.Command, err error) int {
	code := exitCode(err)
	var told *reportedError
	var usage *usageError
	var refused *engine.PolicyError
	var failed *engine.MigrateError
	var declined *declinedError
	var changed *engine.ChangedError
	switch {
	case err == nil, errors.Is(err, errDiffers), errors.As(err, &told):
	case !a.begun, errors.As(err, &usage):
		a.PrintFault(err, nil)
		a.printUsage(cmd, err)
	case errors.As(err, &declined):
		fmt.Fprintln(a.Err, declined)
	case errors.As(err, &refused):
		a.printRefusal(refused)
	case errors.As(err, &changed):
		a.PrintFault(&types.Error{Code: types.ERROR, Message: changed.Error(), Hint: "--discard lets it go"}, nil)
	case errors.As(err, &failed):
		a.printFailures(failed)
	default:
		a.PrintFault(err, nil)
	}
	return code
}
