// Package transfer brings schemas and rows of other systems in. A Source tells what there is; Shape makes a schema of this dialect of it,
// with a note for everything that changes its meaning or is left out; Load fills the tables, and compares what arrived with what was sent.
//
// It must never know how files of other systems are read: that is the business of the packages below it.
package transfer

import (
	"context"

	"github.com/quereus/quereus-migrate/engine/transfer/foreign"
	"github.com/quereus/quereus-migrate/types"
)

// Source is a database of another system, of which one state is read. It is used by one goroutine at a time and must be closed.
type Source interface {
	// Name is what messages call it.
	Name() string
	// Contents lists the definitions.
	Contents(ctx context.Context) (*Contents, error)
	// Profile tells what the rows of a table hold. It reads the table.
	Profile(ctx context.Context, t *foreign.Table) (*Profile, error)
	// Rows reads the rows of a table in batches: the values of the columns, in that order, and behind them the number of the row if
	// that is wanted. A batch belongs to f.
	Rows(ctx context.Context, t *foreign.Table, columns []string, numbered bool, f func(rows [][]types.Value) error) error
	Close() error
}

// Contents are the definitions of a source, in its order.
type Contents struct {
	Dialect foreign.Dialect
	Tables  []*foreign.Table
	Indexes []*foreign.Index
	Views   []*foreign.View
	// Notes tell of what was left out already, as triggers.
	Notes []Note
}

// Profile is what the rows of a table hold.
type Profile struct {
	Rows    int64
	Columns []ColumnProfile // in step with the table's
	// HasEqualRows is set when two rows are equal in all columns, HasEqualKeys when two have the same key, which NULLs in it allow. Each is
	// found out only where the table has no key, or one with NULLs.
	HasEqualRows, HasEqualKeys bool
	// Orphans counts the rows without a parent, in step with the table's foreign keys; -1 for one that cannot be judged.
	Orphans []int64
}

// ColumnProfile counts the values of a column by their kind.
type ColumnProfile struct {
	Integers, Reals, Texts, Blobs int64
	// Truths counts the integers that are 0 or 1.
	Truths int64
	// Dates and DateTimes count the texts that are one in this dialect; they are counted for columns that are declared so.
	Dates, DateTimes int64
	// IllFormed counts texts that are not UTF-8.
	IllFormed int64
}

// NoteKind says what a note is about.
type NoteKind string

// The kinds of notes.
const (
	Mapped  NoteKind = "mapped"   // said otherwise, meaning the same
	Changed NoteKind = "changed"  // means something else than before
	LeftOut NoteKind = "left out" // is not there any more
	Broken  NoteKind = "broken"   // rows break the rule
)

// Note tells what became of something.
type Note struct {
	Kind    NoteKind `json:"kind"`
	Object  string   `json:"object"`
	Message string   `json:"message"`
	// Text is the definition as it was, "" where it does not matter.
	Text string `json:"text,omitempty"`
}
