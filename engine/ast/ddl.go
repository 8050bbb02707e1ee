package ast

// CreateTableStmt is CREATE TABLE, and the table item of a declaration.
type CreateTableStmt struct {
	Span
	IfNotExists bool
	Name        QName
	Columns     []*ColumnDef
	Constraints []*TableConstraint
	Using       *UsingClause
	Maintained  *MaintainedClause
	Context     []ContextVar
	Tags        []Tag
	// HasColumns is false for a declared `materialized view` only.
	HasContext, HasTags bool
}

// ColumnDef is a column of a table definition. Clauses stand in source order; of a repeated clause the last counts.
type ColumnDef struct {
	Span
	Name        Name
	Type        *TypeName // nil when left out
	Constraints []*ColumnConstraint
	Tags        []Tag
	HasTags     bool
}

// ConstraintKind tells the clauses of columns and tables apart.
type ConstraintKind uint8

// The clauses. ColNull and ColNotNull, ColDefault, ColCollate, ColGenerated and ColReferences occur on columns, TabForeignKey on
// tables, the rest on both.
const (
	PrimaryKeyClause ConstraintKind = iota
	NotNullClause
	NullClause
	UniqueClause
	CheckClause
	DefaultClause
	CollateClause
	ReferencesClause // on a column
	GeneratedClause
	ForeignKeyClause // on a table
)

// Operations is the set of operations of a CHECK; 0 means "not written" (insert and update).
type Operations uint8

// The operations.
const (
	OnInsert Operations = 1 << iota
	OnUpdate
	OnDelete
)

// ColumnConstraint is one clause of a column definition.
type ColumnConstraint struct {
	Span
	Name       Name // constraint name, zero when not written
	Kind       ConstraintKind
	Desc       bool // primary key desc
	OnConflict ConflictAction
	Ops        Operations // check
	Stored     bool       // generated … stored
	Virtual    bool       // virtual was written; prints as nothing
	HasTags    bool
	OpsOrder   []Operations
	X          Expr // check, default, generated
	Collation  Name
	References *References
	Tags       []Tag
}

// TableConstraint is a table-level clause, and the body of ALTER TABLE … ADD.
type TableConstraint struct {
	Span
	Name       Name
	Kind       ConstraintKind
	Key        []KeyColumn // primary key
	Columns    []Name      // unique, foreign key
	OnConflict ConflictAction
	Ops        Operations
	OpsOrder   []Operations
	X          Expr
	References *References
	Tags       []Tag
	HasTags    bool
}

// KeyColumn is a member of a primary key.
type KeyColumn struct {
	Name Name
	Desc bool
}

// FKAction is a referential action.
type FKAction uint8

// The actions; FKDefault is "not written" and means RESTRICT, as FKNoAction does.
const (
	FKDefault FKAction = iota
	FKRestrict
	FKNoAction
	FKCascade
	FKSetNull
	FKSetDefault
)

// Deferral is the deferrability as written.
type Deferral uint8

// The deferrability clauses.
const (
	DeferralNone Deferral = iota
	Deferrable
	NotDeferrable
	DeferrableDeferred     // deferrable initially deferred
	DeferrableImmediate    // deferrable initially immediate
	NotDeferrableDeferred  // not deferrable initially deferred
	NotDeferrableImmediate // not deferrable initially immediate
)

// References is the parent side of a foreign key.
type References struct {
	Span
	Table    QName
	Columns  []Name // nil when not written: the parent's key
	OnDelete FKAction
	OnUpdate FKAction
	Deferral Deferral
}

// UsingClause is USING module(args).
type UsingClause struct {
	Span
	Module Name
	Args   []ModuleArg
}

// ModuleArg is an argument of a module. Unnamed ones get the keys "0", "1", …. true and false are 1 and 0, a bare word is its text.
type ModuleArg struct {
	Key   Name
	Named bool
	Value *Literal
}

// MaintainedClause is MAINTAINED [(cols)] AS query.
type MaintainedClause struct {
	Span
	Columns []Name
	Query   *SelectStmt
}

// ContextVar declares a mutation-context variable.
type ContextVar struct {
	Name Name
	Type *TypeName
	Null bool
}

// Tag is key = literal. Value is a string, number (a sign is part of Text), boolean or null literal.
type Tag struct {
	Key   Name
	Value *Literal
}

// CreateIndexStmt is CREATE INDEX, and the index item of a declaration.
type CreateIndexStmt struct {
	Span
	Unique      bool
	IfNotExists bool
	Name        QName
	Table       QName
	Columns     []IndexColumn
	Where       Expr
	Tags        []Tag
	HasTags     bool
}

// IndexColumn is a member of an index: a column (X a bare ColumnRef) or an expression. A column in parentheses is a column.
type IndexColumn struct {
	Span
	X         Expr
	Collation Name // zero when not written
	Desc      bool
}

// CreateViewStmt is CREATE VIEW.
type CreateViewStmt struct {
	Span
	IfNotExists bool
	Name        QName
	Columns     []Name
	Query       *SelectStmt
	Tags        []Tag
	HasTags     bool
}

// CreateMaterializedViewStmt is CREATE MATERIALIZED VIEW.
type CreateMaterializedViewStmt struct {
	Span
	IfNotExists bool
	Name        QName
	Columns     []Name
	Using       *UsingClause
	Query       *SelectStmt
	Tags        []Tag
	HasTags     bool
}

// CreateAssertionStmt is CREATE ASSERTION.
type CreateAssertionStmt struct {
	Span
	Name QName
	X    Expr
}

// ObjectKind is a kind of catalog object in DROP and ALTER.
type ObjectKind uint8

// The object kinds.
const (
	TableObject ObjectKind = iota
	ViewObject
	MaterializedViewObject
	IndexObject
	AssertionObject
)

func (k ObjectKind) String() string {
	return [...]string{"table", "view", "materialized view", "index", "assertion"}[k]
}

// DropStmt is DROP of any kind.
type DropStmt struct {
	Span
	Kind     ObjectKind
	IfExists bool
	Name     QName
}

// RefreshStmt is REFRESH MATERIALIZED VIEW.
type RefreshStmt struct {
	Span
	Name QName
}

func (*CreateTableStmt) stmt()            {}
func (*CreateIndexStmt) stmt()            {}
func (*CreateViewStmt) stmt()             {}
func (*CreateMaterializedViewStmt) stmt() {}
func (*CreateAssertionStmt) stmt()        {}
func (*DropStmt) stmt()                   {}
func (*RefreshStmt) stmt()                {}
