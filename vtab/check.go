package vtab

import (
	"context"

	"github.com/quereus/quereus-migrate/catalog"
)

// Checker is a module that can compare everything it keeps with what it should keep. Absent: the engine reads every row, which is
// all that can be told then.
type Checker interface {
	// Check reads all that the module keeps in one committed state. What is wrong with it is reported; the error is for what keeps
	// the check from being carried out. It takes no lock and hinders nobody.
	Check(ctx context.Context, r *CheckRequest) (CheckResult, error)
}

// CheckRequest says what a module should hold.
type CheckRequest struct {
	// Pin is the committed state to check.
	Pin Pin
	// Tables are all tables of the module in that state; Specs, by position, their compiled expressions. A nil one leaves out the
	// indexes that have expressions.
	Tables []*catalog.Table
	Specs  []*TableSpec
	// Report is told of each fault, with the table that it is in, nil for none. Of many faults of one kind a few are told. A fault
	// may spell keys, so it may hold values of rows.
	Report func(t *catalog.Table, fault string)
}

// CheckResult counts what a check has read: rows, and entries of indexes and UNIQUE constraints.
type CheckResult struct{ Rows, Entries int64 }
