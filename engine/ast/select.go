package ast

// SelectStmt is a query expression: WITH, a compound, ORDER BY, LIMIT, WITH DEFAULTS. It stands as a statement, as a
// subquery, as a view body and as a leg in parentheses.
type SelectStmt struct {
	Span
	With    *With
	Body    QueryTerm
	OrderBy []OrderTerm
	Limit   Expr // nil when not written
	Offset  Expr
	// Defaults are the entries of `with defaults (c = e, …)`.
	Defaults []Assignment
}

// With is a WITH clause.
type With struct {
	Span
	Recursive bool
	Members   []CTE
	// MaxRecursion is the text of option (maxrecursion n), "" when not written.
	MaxRecursion string
}

// Materialized is the hint of a CTE.
type Materialized uint8

// The hints.
const (
	MaterializeDefault Materialized = iota
	MaterializeYes
	MaterializeNo
)

// CTE is one member of WITH. Its query's body may be a data change with RETURNING.
type CTE struct {
	Span
	Name         Name
	Columns      []Name
	Materialized Materialized
	Query        *SelectStmt
}

// SelectCore is one SELECT without its compound's clauses.
type SelectCore struct {
	Span
	Distinct bool
	All      bool // written ALL; prints as nothing
	Items    []SelectItem
	From     TableExpr // nil without FROM
	Where    Expr
	GroupBy  []Expr
	GroupAll bool // GROUP BY ALL: by every item that calls no aggregate
	Having   Expr
	Windows  []NamedWindow
	// SchemaPath is `with schema a, b`.
	SchemaPath []Name
}

// NamedWindow is a definition of the WINDOW clause.
type NamedWindow struct {
	Name   Name
	Window *Window
}

// SelectItem is an item of a select list or RETURNING. Star items have X nil: `*`, or `Table.*`, `Schema.Table.*`.
type SelectItem struct {
	Span
	Star          bool
	Schema, Table Name // of a qualified star
	X             Expr
	Alias         Name         // zero when not written (or written empty)
	Inverse       []Assignment // with inverse (…)
}

// Assignment is `name = expr` of SET, WITH INVERSE, WITH DEFAULTS and WITH CONTEXT.
type Assignment struct {
	Column Name
	X      Expr
}

// ValuesClause is VALUES (…), ….
type ValuesClause struct {
	Span
	Rows [][]Expr
}

// SetOpKind is a set operator.
type SetOpKind uint8

// The set operators.
const (
	Union SetOpKind = iota
	UnionAll
	Intersect
	Except
	Diff
)

// BranchFlag is `exists left as name` of a set operation.
type BranchFlag struct {
	Right bool
	Name  Name
}

// SetOp is a set operation. A chain without parentheses groups to the right (docs/reference/language.md).
type SetOp struct {
	Span
	Op    SetOpKind
	Flags []BranchFlag
	L, R  QueryTerm
}

// ParenQuery is a query expression in parentheses as an operand.
type ParenQuery struct {
	Span
	Query *SelectStmt
}

func (*SelectStmt) stmt()        {}
func (*SelectCore) queryTerm()   {}
func (*ValuesClause) queryTerm() {}
func (*SetOp) queryTerm()        {}
func (*ParenQuery) queryTerm()   {}
func (*InsertStmt) queryTerm()   {}
func (*UpdateStmt) queryTerm()   {}
func (*DeleteStmt) queryTerm()   {}

// TableRef is a table, view or CTE by name. The schema "committed" is the state of the last commit.
type TableRef struct {
	Span
	Name  QName
	Alias Name
}

// TableFunc is a table-valued function call in FROM.
type TableFunc struct {
	Span
	Name    Name
	Args    []Expr
	Alias   Name
	Columns []Name
}

// TableSubquery is a query in parentheses in FROM.
type TableSubquery struct {
	Span
	Query   *SelectStmt
	Alias   Name
	Columns []Name
}

// JoinKind is a kind of join.
type JoinKind uint8

// The join kinds. CommaJoin is the comma, a cross join on the level of the others.
const (
	InnerJoin JoinKind = iota
	LeftJoin
	RightJoin
	FullJoin
	CrossJoin
	CommaJoin
)

// FlagSide is the side word of a match flag.
type FlagSide uint8

// The sides: not written, left, right.
const (
	FlagDefault FlagSide = iota
	FlagLeft
	FlagRight
)

// MatchFlag is `exists [left|right] as name` of a join.
type MatchFlag struct {
	Side FlagSide
	Name Name
	Pos  Pos
}

// Join is a join of two sources.
type Join struct {
	Span
	Kind    JoinKind
	Natural bool
	Lateral bool
	L, R    TableExpr
	On      Expr
	Using   []Name
	Flags   []MatchFlag
}

// ParenTable is a source in parentheses.
type ParenTable struct {
	Span
	X TableExpr
}

func (*TableRef) tableExpr()      {}
func (*TableFunc) tableExpr()     {}
func (*TableSubquery) tableExpr() {}
func (*Join) tableExpr()          {}
func (*ParenTable) tableExpr()    {}
