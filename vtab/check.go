package vtab

import (
	"context"
	"fmt"
	"slices"

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
	// Report is told of each fault, with the table that it is in, nil for none. Of many faults of one kind a few are told.
	Report func(t *catalog.Table, fault CheckFault)
}

// CheckFault is what is wrong with one thing.
type CheckFault struct {
	format string
	args   []any
}

// KeyText is a key of a row or entry as it is spelled for people, and so holds values of rows.
type KeyText string

// CheckFaultf makes a fault. Keys among the arguments are KeyText.
func CheckFaultf(format string, args ...any) CheckFault { return CheckFault{format, args} }

// String tells the fault with the keys that it speaks of.
func (f CheckFault) String() string { return fmt.Sprintf(f.format, f.args...) }

// Masked is String with every key put through mask.
func (f CheckFault) Masked(mask func(key string) string) string {
	args := slices.Clone(f.args)
	for i, a := range args {
		switch a := a.(type) {
		case KeyText:
			args[i] = mask(string(a))
		case CheckFault:
			args[i] = a.Masked(mask)
		}
	}
	return fmt.Sprintf(f.format, args...)
}

// CheckResult counts what a check has read: rows, and entries of indexes and UNIQUE constraints.
type CheckResult struct{ Rows, Entries int64 }
