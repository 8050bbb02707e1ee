package ast

// ConflictAction is what a violation does (docs/reference/language.md).
type ConflictAction uint8

// The conflict actions; ConflictDefault is "not written".
const (
	ConflictDefault ConflictAction = iota
	ConflictAbort
	ConflictRollback
	ConflictFail
	ConflictIgnore
	ConflictReplace
)

// Target is what INSERT, UPDATE or DELETE writes to: a name (Query nil), or for UPDATE and DELETE a query with an alias.
type Target struct {
	Span
	Name  QName
	Alias Name
	Query *SelectStmt
}

// WriteClauses are the clauses that every data change may carry.
type WriteClauses struct {
	Context    []Assignment // with context a = e, …
	Tags       []Tag        // with tags (…)
	HasTags    bool
	SchemaPath []Name // with schema a, b
}

// InsertStmt is INSERT. Source is nil for DEFAULT VALUES.
type InsertStmt struct {
	Span
	With          *With
	Or            ConflictAction
	Table         Target
	Columns       []Name // nil when no list is written
	Source        *SelectStmt
	DefaultValues bool
	Upserts       []Upsert
	WriteClauses
	Returning []SelectItem
}

// Upsert is one ON CONFLICT clause.
type Upsert struct {
	Span
	Columns []Name // nil when no target is written
	Update  bool   // do update; false: do nothing
	Set     []Assignment
	Where   Expr
}

// UpdateStmt is UPDATE.
type UpdateStmt struct {
	Span
	With  *With
	Table Target
	Set   []Assignment
	From  TableExpr
	Where Expr
	WriteClauses
	Returning []SelectItem
}

// DeleteStmt is DELETE.
type DeleteStmt struct {
	Span
	With  *With
	Table Target
	Where Expr
	WriteClauses
	Returning []SelectItem
}

func (*InsertStmt) stmt() {}
func (*UpdateStmt) stmt() {}
func (*DeleteStmt) stmt() {}
