package ast

// BeginStmt is BEGIN [TRANSACTION].
type BeginStmt struct{ Span }

// CommitStmt is COMMIT [TRANSACTION].
type CommitStmt struct{ Span }

// RollbackStmt is ROLLBACK, with To set ROLLBACK TO.
type RollbackStmt struct {
	Span
	To Name
}

// SavepointStmt is SAVEPOINT.
type SavepointStmt struct {
	Span
	Name Name
}

// ReleaseStmt is RELEASE.
type ReleaseStmt struct {
	Span
	Name Name
}

// PragmaStmt reads (Value nil) or writes a session setting. A bare word as value is a text literal with Bare set.
type PragmaStmt struct {
	Span
	Name  Name
	Value *Literal
	Bare  bool
}

// AnalyzeStmt is ANALYZE: everything in main (Name zero), a schema (AllOf), or a table.
type AnalyzeStmt struct {
	Span
	Name  QName
	AllOf Name // schema of `s.*`
}

// ExplainStmt is EXPLAIN [QUERY PLAN | ANALYZE] of a query or data change.
type ExplainStmt struct {
	Span
	Analyze bool
	// As is the form in which the plan is shown, zero for rows.
	As   Name
	Stmt Stmt
}

func (*BeginStmt) stmt()     {}
func (*CommitStmt) stmt()    {}
func (*RollbackStmt) stmt()  {}
func (*SavepointStmt) stmt() {}
func (*ReleaseStmt) stmt()   {}
func (*PragmaStmt) stmt()    {}
func (*AnalyzeStmt) stmt()   {}
func (*ExplainStmt) stmt()   {}
