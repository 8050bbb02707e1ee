package ast

// AlterStmt is ALTER TABLE with any action, or ALTER VIEW, MATERIALIZED VIEW or INDEX with a TagAction.
type AlterStmt struct {
	Span
	Kind   ObjectKind
	Name   QName
	Action AlterAction
}

// AlterAction is one of the actions below. The set is closed.
type AlterAction interface {
	Node
	alterAction()
}

// RenameTable is RENAME TO.
type RenameTable struct {
	Span
	To Name
}

// RenameColumn is RENAME COLUMN.
type RenameColumn struct {
	Span
	From, To Name
}

// RenameConstraint is RENAME CONSTRAINT.
type RenameConstraint struct {
	Span
	From, To Name
}

// AddColumn is ADD [COLUMN].
type AddColumn struct {
	Span
	Column *ColumnDef
}

// DropColumn is DROP [COLUMN].
type DropColumn struct {
	Span
	Column Name
}

// AddConstraint is ADD [CONSTRAINT n] ….
type AddConstraint struct {
	Span
	Constraint *TableConstraint
}

// DropConstraint is DROP CONSTRAINT.
type DropConstraint struct {
	Span
	Name Name
}

// AlterPrimaryKey is ALTER PRIMARY KEY (…).
type AlterPrimaryKey struct {
	Span
	Key []KeyColumn
}

// SetNotNull is ALTER COLUMN c SET NOT NULL, or DROP NOT NULL.
type SetNotNull struct {
	Span
	Column Name
	Drop   bool
}

// SetDataType is ALTER COLUMN c SET DATA TYPE.
type SetDataType struct {
	Span
	Column Name
	Type   TypeName
}

// SetDefault is ALTER COLUMN c SET DEFAULT e; X nil is DROP DEFAULT.
type SetDefault struct {
	Span
	Column Name
	X      Expr
}

// SetCollate is ALTER COLUMN c SET COLLATE.
type SetCollate struct {
	Span
	Column    Name
	Collation Name
}

// SetGenerated is ALTER COLUMN c SET GENERATED ALWAYS AS (x) [STORED]; X nil is DROP GENERATED, which leaves the values.
type SetGenerated struct {
	Span
	Column Name
	X      Expr
	Stored bool
}

// SetConflict is ALTER COLUMN c SET ON CONFLICT a, for its NOT NULL, or without a column ALTER PRIMARY KEY SET ON CONFLICT a.
type SetConflict struct {
	Span
	Column Name
	Action ConflictAction
}

// SetDeferral is ALTER CONSTRAINT f SET [NOT] DEFERRABLE [INITIALLY …], of a foreign key.
type SetDeferral struct {
	Span
	Name     Name
	Deferral Deferral
}

// SetContext is SET CONTEXT (…): the table's mutation-context variables, none for an empty list.
type SetContext struct {
	Span
	Vars []ContextVar
}

// SetUsing is SET USING module [(args)].
type SetUsing struct {
	Span
	Using *UsingClause
}

// SetColumnOrder is SET COLUMN ORDER (…), which names every column.
type SetColumnOrder struct {
	Span
	Columns []Name
}

// SetMaintained is SET MAINTAINED [(cols)] AS query.
type SetMaintained struct {
	Span
	Columns []Name
	Query   *SelectStmt
}

// DropMaintained is DROP MAINTAINED.
type DropMaintained struct{ Span }

// TagVerb is SET, ADD or DROP of TAGS.
type TagVerb uint8

// The tag verbs.
const (
	SetTags TagVerb = iota
	AddTags
	DropTags
)

// TagSite is what a tag action edits.
type TagSite uint8

// The sites: the object itself, a column of it, a constraint of it.
const (
	ObjectTags TagSite = iota
	ColumnTags
	ConstraintTags
)

// TagAction is {SET|ADD|DROP} TAGS of an object, a column or a constraint. Tags serve SET and ADD, Keys serves DROP.
type TagAction struct {
	Span
	Verb TagVerb
	Site TagSite
	Name Name // of the column or constraint
	Tags []Tag
	Keys []Name
}

func (*AlterStmt) stmt() {}

func (*RenameTable) alterAction()      {}
func (*RenameColumn) alterAction()     {}
func (*RenameConstraint) alterAction() {}
func (*AddColumn) alterAction()        {}
func (*DropColumn) alterAction()       {}
func (*AddConstraint) alterAction()    {}
func (*DropConstraint) alterAction()   {}
func (*AlterPrimaryKey) alterAction()  {}
func (*SetNotNull) alterAction()       {}
func (*SetDataType) alterAction()      {}
func (*SetDefault) alterAction()       {}
func (*SetCollate) alterAction()       {}
func (*SetGenerated) alterAction()     {}
func (*SetConflict) alterAction()      {}
func (*SetDeferral) alterAction()      {}
func (*SetContext) alterAction()       {}
func (*SetUsing) alterAction()         {}
func (*SetColumnOrder) alterAction()   {}
func (*SetMaintained) alterAction()    {}
func (*DropMaintained) alterAction()   {}
func (*TagAction) alterAction()        {}
