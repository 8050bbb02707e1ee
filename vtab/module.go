// Package vtab is the module contract: what the engine and the storage of tables say to each other (docs/reference/modules.md). The engine
// reaches rows through it alone; the built-in modules have no other door.
//
// A module implements Module and whatever small interfaces it can honour; an absent interface is always safe: the engine
// substitutes the default told beside it or refuses with UNSUPPORTED naming the module.
//
// What shapes the contract: reads of a statement come from one state, and schema and rows commit as one.
//   - A transaction has one Conn a module (Transactor), not one a table.
//   - What is read is named by a Pin: a committed state, or a transaction's own state at a moment. A statement pins once
//     and opens all its tables on that pin, so it never reads its own writes (docs/reference/language.md).
//   - There is one schema-change hook, Alterer.Alter, from a definition to another; index DDL is a case of it. The engine computes
//     the new definition, the module adds what it knows of the physical form (catalog.Storage, incarnations).
//   - Catalog records ride in the committing module's batch (Commit.Records).
//   - Whoever claims a filter whose value may turn out to have no place in its keys says so (AccessPlan.Recheck).
package vtab

import (
	"context"
	"log/slog"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
)

// Module makes and opens tables. One value serves a whole database; it is safe for concurrent use.
type Module interface {
	// Connect opens an existing table. It creates no storage.
	Connect(ctx context.Context, req ConnectRequest) (Table, error)
}

// ConnectRequest says what to open, and on which state.
type ConnectRequest struct {
	// Table is the definition as the catalog of the reading statement has it.
	Table *catalog.Table
	// Pin is the state that scans read. nil for a module that is no Transactor.
	Pin Pin
	// Conn is the transaction that Update writes in; nil for a table that is only read, and for a module that is no Transactor.
	Conn Conn
	// Spec holds the compiled expressions of the table's structures; nil for a table that is only scanned by key.
	Spec *TableSpec
}

// TableSpec carries what a module needs and cannot compile itself, by position in catalog.Table.Indexes. Functions are safe for
// concurrent use.
type TableSpec struct {
	// Predicates are the WHERE of partial indexes; nil entries for whole ones.
	Predicates []func(types.Row) (bool, error)
	// Members compute expression members: Members[i][j] for member j of index i; nil for a plain column.
	Members [][]func(types.Row) (types.Value, error)
}

// Creator is a module that can make tables (CREATE TABLE). Absent: CREATE TABLE … USING it is UNSUPPORTED.
type Creator interface {
	// Create makes storage for t within the transaction and returns t with Storage and incarnations filled in.
	Create(ctx context.Context, c Conn, t *catalog.Table) (*catalog.Table, error)
}

// Alterer is a module that can change the definition of tables with rows. Absent: ALTER is UNSUPPORTED, save arms that touch the catalog alone.
type Alterer interface {
	// Alter turns a.Before into a.After within the transaction: it validates, rewrites rows, builds and drops structures, and returns
	// a.After with the physical facts of the result. It changes nothing when it fails.
	Alter(ctx context.Context, c Conn, a *Alteration) (*catalog.Table, error)
}

// Alteration is one change of one table's definition, complete on both sides. Columns, indexes and uniques of the two sides
// are matched by their ids; new ones have ids of their own already (columns from Storage.NextColumn). An index of one id has the
// same predicate and expressions on both sides, but for names. Incarnations and layouts in After are ignored.
type Alteration struct {
	Before, After *catalog.Table
	// DDL is the canonical text of the statement, "" for an internal step.
	DDL string
	// Convert computes the new row (After's columns) from an old one (Before's columns); nil when every stored value stays as
	// it is and new columns take their Fill. It reports the row's violation as an error with its code. It is safe for concurrent use.
	Convert func(dst, src types.Row) error
	// Changed are the positions in After.Columns whose values Convert may change for existing rows. Structures without any of them keep their entries.
	Changed []int
	// BeforeSpec and AfterSpec are the compiled expressions of both sides.
	BeforeSpec, AfterSpec *TableSpec
	// Progress, when not nil, is told the rows done so far, now and then.
	Progress func(rows int64)
}

// Truncator is a module that can empty a table without touching its rows. Absent: DELETE removes them one by one.
type Truncator interface {
	// Truncate empties t within the transaction, and returns the definition to go on with and the number of rows that went. It returns nil,
	// and leaves the table as it is, where removing the rows one by one costs less.
	Truncate(ctx context.Context, c Conn, t *catalog.Table) (after *catalog.Table, rows int64, err error)
}

// Transactor is a module whose tables take part in transactions. Absent: Conn and Pin are nil in all that the module is asked; each operation
// takes effect at once, also for other connections, and stays when its statement fails or its transaction is rolled back; scans are
// buffered in memory when their statement may write; the engine refuses DDL on the module inside a transaction under ddl_transaction_policy =
// strict, and a migration refuses to create its tables and to write them. The home module keeps the definitions; nobody tells the module that one is dropped.
type Transactor interface {
	// Pin captures the committed state. The engine pins all modules and its catalog pointer together, between two commits.
	Pin(ctx context.Context) (Pin, error)
	// Begin opens the module's part of a transaction that reads from the pin, which the Conn takes over.
	Begin(ctx context.Context, db DB, pin Pin) (Conn, error)
}

// Pin is one state of a module. It is safe for concurrent use and must be closed.
type Pin interface {
	Close() error
}

// Conn is a module's part of one transaction. It is used by one goroutine at a time, except for the Views it gave.
type Conn interface {
	// View pins the transaction's present state: committed rows as of its start, with its own changes.
	View() (Pin, error)

	// BeginStatement marks the point to which UndoStatement returns; EndStatement forgets it. They do not nest. A statement of one
	// row operation needs none: an operation that ends in a conflict leaves nothing.
	BeginStatement(ctx context.Context) error
	UndoStatement() error
	EndStatement() error

	// Savepoint pushes a savepoint; depths count from 0. Release drops depth and deeper, keeping the changes; RollbackTo undoes what
	// came since depth was pushed, and keeps it. They lie between statements.
	Savepoint(ctx context.Context, depth int) error
	Release(depth int) error
	RollbackTo(depth int) error

	// Prepare gets everything ready that may fail; nothing is visible yet, and nothing may be written after it. Commit then makes it
	// visible and, for a durable module, durable. The engine prepares all modules, then commits them, durable ones first.
	// Views are closed before either Commit or Rollback, one of which ends the Conn; after a failed Commit Rollback still has to come.
	Prepare(ctx context.Context, c *Commit) error
	Commit(ctx context.Context) error
	Rollback() error
}

// Commit is what a committing transaction tells a module.
type Commit struct {
	// Tables are the module's tables whose definition differs between the transaction's start and its end: Before nil for
	// a new one, After nil for one that is gone. Incarnations named by no After are dropped.
	Tables []TableChange
	// Records are the catalog, history and meta records to write with the rows, and those to delete (Value nil).
	Records []Record
}

// TableChange is a definition before and after.
type TableChange struct{ Before, After *catalog.Table }

// RecordSpace separates the kinds of record that the engine keeps in a module's store.
type RecordSpace byte

// The record spaces.
const (
	MetaRecords RecordSpace = iota
	CatalogRecords
	HistoryRecords
)

// Record is one record of the engine in a module's store. A nil Value deletes it.
type Record struct {
	Space RecordSpace
	Key   []byte
	Value []byte
}

// RecordStore is a module that can keep the engine's records. The engine keeps a table's record with its rows, and every other
// object in its home module.
type RecordStore interface {
	// ReadRecords yields the committed records of a space in key order; key and value are valid during the call.
	ReadRecords(ctx context.Context, pin Pin, space RecordSpace, yield func(key, value []byte) error) error
	// Durable reports whether the records outlive the process.
	Durable() bool
}

// Table is one opened table.
type Table interface {
	// Scan starts an access. The filter came out of BestAccess, or asks for everything.
	Scan(ctx context.Context, f *Filter) (Cursor, error)
	// Update performs one row operation in the table's Conn; rows given are not kept.
	Update(ctx context.Context, op *RowOp) (UpdateResult, error)
	Close() error
}

// Cursor hands out rows in batches. It is used by one goroutine.
type Cursor interface {
	// Next fills b from its start with up to cap rows; n == 0 with a nil error is the end. The rows are valid until the next call.
	// It looks at ctx once a batch and answers INTERRUPT when it is done.
	Next(ctx context.Context, b *Batch) (n int, err error)
	Close() error
}

// Splitter is a Cursor whose remaining rows can be read by several goroutines at once. Absent: one goroutine reads them all.
type Splitter interface {
	Cursor
	// Split keeps the beginning of what the cursor has not read yet for the cursor, and gives the rest away in parts, in the order of
	// the access: PartScanner reads each. It gives none, and keeps everything, where that is not worth it.
	Split() ([]Part, error)
}

// PartScanner is a Table that reads parts which a cursor gave away. Tables whose cursors are Splitters have it.
type PartScanner interface {
	// ScanPart starts an access of the rows in a part. The filter is that of the cursor which gave it, the table one on the same state.
	ScanPart(ctx context.Context, f *Filter, p Part) (Cursor, error)
}

// Part is a part of an access, in the module's own terms.
type Part struct{ From, To []byte }

// DB is what the engine shows to modules.
type DB interface {
	// Collation finds a registered collation by name, nil when there is none.
	Collation(name string) *types.Collation
	// Option gives the present value of a session setting, NULL when unknown.
	Option(name string) types.Value
	// MemoryBudget is the number of bytes a transaction may hold in memory before it spills.
	MemoryBudget() int64
	Logger() *slog.Logger
}
