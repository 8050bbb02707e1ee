// Package alter carries out schema changes: CREATE, DROP and ALTER of every kind of object. For each it makes the documented checks in
// their order, computes the new catalog, and has the table's module do the row work. It knows transactions only as an Env.
//
// Every function runs inside a statement that its caller undoes as a whole when it fails, so none cleans up after itself: the first
// error is the answer.
//
// The vocabulary of changes is the syntax tree. A step of a migration is a statement, and a reviewed step and one typed by
// hand take the same road.
package alter

import (
	"context"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
	"github.com/quereus/quereus-migrate/vtab"
)

// Env is what a schema change needs of the transaction that it runs in. Everything it shows is the transaction's own state.
type Env interface {
	// Catalog gives the pending catalog, Install replaces it.
	Catalog() *catalog.Snapshot
	Install(*catalog.Snapshot)
	// BuildEnv gives the session's settings and the registries for new definitions, whose numbers come from ids.
	BuildEnv(ids catalog.Allocator) catalog.BuildEnv
	// SchemaPath are the schemas that unqualified names are looked up in, folded.
	SchemaPath() []string
	// Limits are the session's; nil for the defaults.
	Limits() *limit.Set
	// ForeignKeys reports whether foreign keys are enforced.
	ForeignKeys() bool

	// Module finds a module; nil when there is none of that name.
	Module(name string) *Module
	// Conn gives the transaction's part in a module, opening it when needed.
	Conn(ctx context.Context, module string) (vtab.Conn, error)

	// Names knows the relations and functions of a catalog, for walks over stored texts.
	Names(s *catalog.Snapshot) *catalog.Names
	// CheckExpression judges an expression of t, names, functions and determinism, against the catalog s.
	CheckExpression(s *catalog.Snapshot, t *catalog.Table, e catalog.Expression) error
	// CompileExpression makes an expression of t computable on t's rows, against the catalog s.
	CompileExpression(ctx context.Context, s *catalog.Snapshot, t *catalog.Table, e catalog.Expression) (Computed, error)
	// TableSpec compiles the expressions of t's indexes.
	TableSpec(ctx context.Context, s *catalog.Snapshot, t *catalog.Table) (*vtab.TableSpec, error)
	// CheckView plans the body of a view that is about to be made, in its own schema, and judges its list of columns.
	CheckView(ctx context.Context, s *catalog.Snapshot, v *catalog.View) error
	// CheckAssertion plans the condition of an assertion that is about to be made.
	CheckAssertion(ctx context.Context, s *catalog.Snapshot, a *catalog.Assertion) error
	// EachRow calls f for every row of t; the row is valid during the call. The first error of f ends it and is the answer.
	EachRow(ctx context.Context, t *catalog.Table, f func(types.Row) error) error
	// CopyRows writes the rows of a table, as the pending state has them, into storage made for a definition with the same columns, which
	// need not be in the catalog yet.
	CopyRows(ctx context.Context, from, to *catalog.Table) error
	// Count runs a query against the pending state and gives the number of its rows, at most limit.
	Count(ctx context.Context, q *ast.SelectStmt, limit int64) (int64, error)

	// Leaving reports whether the plan under way will drop the table (constraint ""), or that constraint of it, later on, so that
	// guards look at the end state (docs/reference/declarative-schema.md).
	Leaving(t *catalog.Table, constraint string) bool
	// Changed is told the columns of a table, by position, whose values in rows that are there may differ from before, or compare
	// otherwise. What depends on them and is not part of the table itself is the caller's to judge. Rekeyed is told a table that has
	// got another key.
	Changed(t *catalog.Table, columns []int)
	// Added is told a new column: a text that names it may mean another than before.
	Added(t *catalog.Table, column int)
	Rekeyed(t *catalog.Table)
	// Offenders takes the rows because of which the statement is refused, nil when nobody wants to know them.
	Offenders() Offenders
	// Untold is told why they could not be.
	Untold(error)
	// Progress is told the rows a rewrite has done so far.
	Progress(rows int64)
}

// Offenders takes the rows that are in the way of a schema change.
type Offenders interface {
	// Row takes one row of t.
	Row(t *catalog.Table, row types.Row)
	// Orphans takes the rows of t that fk finds no parent for.
	Orphans(ctx context.Context, t *catalog.Table, fk *catalog.ForeignKey) error
	// Rework takes the rows that a refuses: those that do not convert, and those that would be equal where rows must differ.
	Rework(ctx context.Context, a *vtab.Alteration) error
}

// Computed is a compiled expression over the rows of a table.
type Computed struct {
	// Eval computes the value, converted to nothing. It is safe for concurrent use.
	Eval func(types.Row) (types.Value, error)
	// Type is the static type.
	Type *types.Type
}

// Module is what a schema change asks of a storage module; nil abilities are absent.
type Module struct {
	Name    string
	Creator vtab.Creator
	Alterer vtab.Alterer
	// IsDurable tells that what it keeps outlives the process.
	IsDurable bool
	// Refused is why the session does not let tables of the module be created, altered or dropped now; nil when it does.
	Refused error
}
