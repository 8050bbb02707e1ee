package catalog

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// ID is the identity of a catalog object: it survives renames and is never used twice in a database.
type ID uint64

// Incarnation numbers the key range that holds the rows of a table or the entries of an index. It is never used twice;
// a drop, re-key or rebuild writes a new one.
type Incarnation uint64

// ColumnID is the identity of a column within its table; never used twice there, so a stored row can name columns
// that were dropped since.
type ColumnID uint32

// LayoutID names a Layout within its table.
type LayoutID uint32

// Table is one table (or maintained table). It is immutable: a change makes a copy (see Table.Clone).
//
// Columns are addressed by position in Columns; positions in Key, Uniques, ForeignKeys and Indexes refer to it.
type Table struct {
	ID     ID
	Schema string // folded
	Name   string // as declared
	// Seq orders objects by creation; a renamed table counts as created when it was renamed (docs/reference/declarative-schema.md).
	Seq uint64

	Columns     []*Column
	Key         PrimaryKey
	Checks      []*Check
	Uniques     []*Unique
	ForeignKeys []*ForeignKey
	// Indexes are the user's, in order of creation, unique ones included.
	Indexes []*Index

	Module     string
	ModuleArgs []ModuleArg
	Context    []ContextVar
	Tags       Tags
	// Maintained is the derivation of a maintained table, nil for a plain one.
	Maintained *Maintained

	Storage Storage
}

// Column is one column of a table. Immutable.
type Column struct {
	ID   ColumnID
	Name string
	// TypeName is the declared spelling, "" when left out; Type is what it resolves to.
	TypeName string
	Type     *types.Type
	NotNull  bool
	// NotNullConflict is the ON CONFLICT action written on NULL or NOT NULL.
	NotNullConflict ast.ConflictAction
	Collation       *types.Collation
	// CollationRank says how the collation came about: a COLLATE clause or SET COLLATE (declared), or a default.
	CollationRank types.Rank
	// Default is the DEFAULT expression, nil without one.
	Default ast.Expr
	// Generated is the expression of a generated column, nil for a plain one; Stored tells STORED from VIRTUAL.
	Generated ast.Expr
	Stored    bool
	Tags      Tags
	// Fill is what rows of layouts that lack this column hold. NULL for a column that every layout has.
	Fill types.Value
}

// PrimaryKey is the key of a table: its row identity and natural order. No columns means the empty key (at most one row).
type PrimaryKey struct {
	Columns []KeyColumn
	// Declared is false for the implicit all-columns key.
	Declared   bool
	OnConflict ast.ConflictAction
}

// KeyColumn is a member of a key.
type KeyColumn struct {
	Column int
	Desc   bool
}

// Check is a CHECK constraint. An unnamed table-level CHECK has no Name.
type Check struct {
	Name       string
	X          ast.Expr
	Ops        ast.Operations // never 0: insert and update by default
	OnConflict ast.ConflictAction
	Tags       Tags
}

// Unique is a UNIQUE constraint (not a unique index) with its hidden covering structure.
type Unique struct {
	ID         ID
	Name       string // "" when unnamed; StructureName gives the structure's
	Columns    []int
	OnConflict ast.ConflictAction
	Tags       Tags
	// StructureTags are the tags of an exposed covering structure.
	StructureTags Tags
	Incarnation   Incarnation
}

// ForeignKey is a foreign key. The parent is named, not resolved: it may not exist.
type ForeignKey struct {
	Name    string
	Columns []int
	// ParentSchema is "" for the child's own schema.
	ParentSchema, ParentTable string
	// ParentColumns is nil when none are written: the parent's key.
	ParentColumns []string
	OnDelete      ast.FKAction // never FKDefault or FKNoAction: RESTRICT, CASCADE, SET NULL, SET DEFAULT
	OnUpdate      ast.FKAction
	Deferral      ast.Deferral
	Tags          Tags
}

// Index is an index made by CREATE INDEX. A unique one is also a uniqueness rule of its table.
type Index struct {
	ID          ID
	Name        string
	Seq         uint64
	Unique      bool
	Members     []IndexMember
	Where       ast.Expr // nil without a predicate
	Tags        Tags
	Incarnation Incarnation
}

// IndexMember is a member of an index: a column, or an expression (Column −1).
type IndexMember struct {
	Column int
	X      ast.Expr // nil for a column
	// Collation is the effective one: written, else the column's, else BINARY. IsWritten tells that it is the index's own, which a
	// change of the column's leaves alone.
	Collation *types.Collation
	IsWritten bool
	Desc      bool
}

// ModuleArg is an argument of the table's module.
type ModuleArg struct {
	Key   string
	Value types.Value
}

// ContextVar is a declared mutation-context variable.
type ContextVar struct {
	Name     string
	TypeName string
	Type     *types.Type
	NotNull  bool
}

// Maintained is the derivation of a maintained table.
type Maintained struct {
	Columns []string // rename list, nil without one
	Body    *ast.SelectStmt
	// Declared is true for the table form (declared columns), false for CREATE MATERIALIZED VIEW.
	Declared bool
	Stale    bool
}

// Storage is what the table's module recorded about its physical form. Only the module reads or changes it.
type Storage struct {
	Incarnation Incarnation
	// Layouts are the layouts that stored rows may carry; the last one is written. Column ids are in stored order.
	Layouts      []Layout
	NextColumn   ColumnID
	NextLayoutID LayoutID
}

// Layout is the ordered list of columns that rows written under it hold.
type Layout struct {
	ID      LayoutID
	Columns []ColumnID
}

// Tag is one entry of a tag bag; Value is text, a number, a boolean or NULL.
type Tag struct {
	Key   string
	Value types.Value
}

// Tags is a tag bag in the order written; keys are case-sensitive and occur once.
type Tags []Tag

// View is a plain view. Immutable.
type View struct {
	ID      ID
	Schema  string
	Name    string
	Seq     uint64
	Columns []string // nil without a column list
	Body    *ast.SelectStmt
	Tags    Tags
}

// Assertion is a condition over the whole database. Immutable.
type Assertion struct {
	ID     ID
	Schema string
	Name   string
	Seq    uint64
	X      ast.Expr
}
