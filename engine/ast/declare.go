package ast

// DeclareSchemaStmt is DECLARE [LOGICAL] SCHEMA name { … }.
type DeclareSchemaStmt struct {
	Span
	Logical bool
	Name    Name
	Version string
	// HasVersion tells `version ''` from no version.
	HasVersion bool
	Using      []Option // using (default_vtab_module = '…', …); options other than the two known ones are dropped by the parser
	Items      []DeclareItem
	Skipped    []SkippedItem
}

// SkippedItem is an item of a declaration that is read over: Kind is DOMAIN, COLLATION or IMPORT. It does not print.
type SkippedItem struct {
	Span
	Kind string
}

// DeclareItem is an item of a declaration: *CreateTableStmt, *CreateIndexStmt, *CreateViewStmt,
// *CreateMaterializedViewStmt, *CreateAssertionStmt (all with unqualified names) or *SeedItem. Items that are read
// over are SkippedItem.
type DeclareItem interface {
	Node
	declareItem()
}

// SeedItem is SEED table (…).
type SeedItem struct {
	Span
	Table   Name
	Columns []Name // nil without a column list
	Rows    [][]Expr
}

// Option is key = literal.
type Option struct {
	Span
	Key   Name
	Value *Literal
}

// DeclareLensStmt is DECLARE LENS FOR a OVER b { view … }.
type DeclareLensStmt struct {
	Span
	For, Over Name
	Views     []*CreateViewStmt
}

// DiffSchemaStmt is DIFF SCHEMA.
type DiffSchemaStmt struct {
	Span
	Name Name
}

// RenamePolicy is the rename_policy option of APPLY.
type RenamePolicy uint8

// The rename policies (docs/reference/declarative-schema.md).
const (
	RenameAllow RenamePolicy = iota
	RenameRequireHint
	RenameDeny
)

// ApplySchemaStmt is APPLY SCHEMA.
type ApplySchemaStmt struct {
	Span
	Name             Name
	Version          string
	HasVersion       bool
	WithSeed         bool
	AllowDestructive bool
	Policy           RenamePolicy
	HasDestructive   bool
	HasPolicy        bool
}

// ExplainSchemaStmt is EXPLAIN SCHEMA.
type ExplainSchemaStmt struct {
	Span
	Name       Name
	Version    string
	HasVersion bool
}

func (*CreateTableStmt) declareItem()            {}
func (*CreateIndexStmt) declareItem()            {}
func (*CreateViewStmt) declareItem()             {}
func (*CreateMaterializedViewStmt) declareItem() {}
func (*CreateAssertionStmt) declareItem()        {}
func (*SeedItem) declareItem()                   {}

func (*DeclareSchemaStmt) stmt() {}
func (*DeclareLensStmt) stmt()   {}
func (*DiffSchemaStmt) stmt()    {}
func (*ApplySchemaStmt) stmt()   {}
func (*ExplainSchemaStmt) stmt() {}
