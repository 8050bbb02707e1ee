package ast

// LiteralKind tells what a Literal is.
type LiteralKind uint8

// The kinds of literal.
const (
	NullLit LiteralKind = iota
	TrueLit
	FalseLit
	IntegerLit // Text is the digits as written, or 0x… as written
	RealLit    // Text is as written
	TextLit    // Text is the content, quotes undone
	BlobLit    // Text holds the bytes
)

// Literal is a constant.
type Literal struct {
	Span
	Kind LiteralKind
	Text string
}

// Param is a bind parameter: positional (Name empty, Index ≥ 1; `?` and `:1` alike) or named.
type Param struct {
	Span
	Name  string
	Index int
	// Question is set for `?`, which prints as such; a written `:7` prints as :7.
	Question bool
}

// ColumnRef is c, t.c or s.t.c. The unquoted current_date, current_time and current_timestamp are ColumnRefs that the
// binder reads as clock values when no column has the name.
type ColumnRef struct {
	Span
	Schema, Table Name // zero when not written
	Column        Name
}

// UnaryOp is a prefix operator.
type UnaryOp uint8

// The prefix operators.
const (
	OpNot UnaryOp = iota
	OpNeg
	OpPlus
	OpBitNot
)

// Unary is a prefix operator over an operand.
type Unary struct {
	Span
	Op UnaryOp
	X  Expr
}

// BinaryOp is an infix operator.
type BinaryOp uint8

// The infix operators. OpEq2 is `==`, which prints as written; `<>` and `!=` are both OpNe.
const (
	OpOr BinaryOp = iota
	OpXor
	OpAnd
	OpEq
	OpEq2
	OpNe
	OpLt
	OpLe
	OpGt
	OpGe
	OpBitAnd
	OpBitOr
	OpShl
	OpShr
	OpAdd
	OpSub
	OpMul
	OpDiv
	OpMod
	OpConcat
	OpJSONGet  // ->  ; prints as json_extract
	OpJSONText // ->> ; prints as cast(json_extract(…) as text)
)

// Binary is an infix operator with its operands. OpPos is the operator's own position.
//
// A chain of one associative operator (and, or) longer than the parser's chain limit is built balanced, not left-deep;
// it prints alike.
type Binary struct {
	Span
	Op    BinaryOp
	OpPos Pos
	L, R  Expr
}

// IsOp is the right side of IS.
type IsOp uint8

// The forms of IS.
const (
	IsNull IsOp = iota
	IsTrue
	IsFalse
	IsValue        // x is y
	IsDistinctFrom // x is distinct from y
)

// Is is `x is [not] …`. Y is set for IsValue and IsDistinctFrom only.
type Is struct {
	Span
	X   Expr
	Not bool
	Op  IsOp
	Y   Expr
}

// Between is `x [not] between lo and hi`.
type Between struct {
	Span
	X      Expr
	Not    bool
	Lo, Hi Expr
}

// In is `x [not] in (…)`: exactly one of List (maybe empty), Query and Table is meant. List is used when both others are
// nil.
type In struct {
	Span
	X     Expr
	Not   bool
	List  []Expr
	Query *SelectStmt
	Table *QName // x in t
}

// MatchOp is LIKE, GLOB or REGEXP.
type MatchOp uint8

// The pattern operators.
const (
	OpLike MatchOp = iota
	OpGlob
	OpRegexp
)

// Match is `x [not] like p [escape e]` and its kin.
type Match struct {
	Span
	Op     MatchOp
	X      Expr
	Not    bool
	P      Expr
	Escape Expr // nil when not written
}

// Exists is `exists (query)`.
type Exists struct {
	Span
	Query *SelectStmt
}

// Subquery is a scalar subquery.
type Subquery struct {
	Span
	Query *SelectStmt
}

// RowExpr is a row value `(a, b)`: two members or more.
type RowExpr struct {
	Span
	Elems []Expr
}

// Paren is kept only where parentheses carry meaning beyond grouping: an index expression, a DEFAULT. The expression
// parser itself drops parentheses.
type Paren struct {
	Span
	X Expr
}

// Collate is `x collate name`.
type Collate struct {
	Span
	X         Expr
	Collation Name
}

// Cast is `cast(x as type)`.
type Cast struct {
	Span
	X    Expr
	Type TypeName
}

// TypeName is a type as written. Args are the texts between the parentheses, without white space.
type TypeName struct {
	Span
	Name   string
	Quoted bool
	Args   []string
}

// When is one arm of CASE.
type When struct{ Cond, Then Expr }

// Case is a simple (Operand set) or searched CASE.
type Case struct {
	Span
	Operand Expr // nil for a searched CASE
	Whens   []When
	Else    Expr // nil when not written
}

// Call is a function call, with OVER a window call.
type Call struct {
	Span
	Name     Name
	Star     bool // f(*)
	Distinct bool
	Args     []Expr
	OrderBy  []OrderTerm // inside the parentheses
	Filter   Expr        // nil when not written
	Nulls    NullTreatment
	Over     *Window // nil when no OVER
}

// NullTreatment is what a window function that navigates does with NULLs.
type NullTreatment uint8

// The forms; NullsUnsaid is "not written", RespectNulls the written default.
const (
	NullsUnsaid NullTreatment = iota
	RespectNulls
	IgnoreNulls
)

// Window is what follows OVER, or a definition of the WINDOW clause. For `over w` only Base is set and Bare is true; for
// `over (w …)` Base is set and Bare false.
type Window struct {
	Span
	Base        Name
	Bare        bool
	PartitionBy []Expr
	OrderBy     []OrderTerm
	Frame       *Frame // nil when not written
}

// FrameUnit is ROWS, RANGE or GROUPS.
type FrameUnit uint8

// The frame units.
const (
	FrameRows FrameUnit = iota
	FrameRange
	FrameGroups
)

// BoundKind is an end of a frame.
type BoundKind uint8

// The frame ends.
const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow
	Following
	UnboundedFollowing
)

// FrameBound is one end of a frame; Offset is set for Preceding and Following.
type FrameBound struct {
	Kind   BoundKind
	Offset Expr
}

// FrameExclude is the EXCLUDE clause.
type FrameExclude uint8

// The EXCLUDE forms; ExcludeNone is "not written", ExcludeNoOthers the written default.
const (
	ExcludeNone FrameExclude = iota
	ExcludeNoOthers
	ExcludeCurrentRow
	ExcludeGroup
	ExcludeTies
)

// Frame is a frame clause. End is nil for the single-bound form.
type Frame struct {
	Span
	Unit    FrameUnit
	Start   FrameBound
	Last    *FrameBound
	Exclude FrameExclude
}

// OrderTerm is a key of ORDER BY.
type OrderTerm struct {
	X     Expr
	Desc  bool
	Nulls NullsOrder
}

// NullsOrder is the NULLS clause.
type NullsOrder uint8

// The NULLS clauses.
const (
	NullsDefault NullsOrder = iota
	NullsFirst
	NullsLast
)

// DefaultCell is the word DEFAULT as a whole cell of an INSERT's VALUES row.
type DefaultCell struct{ Span }

func (*Literal) expr()     {}
func (*Param) expr()       {}
func (*ColumnRef) expr()   {}
func (*Unary) expr()       {}
func (*Binary) expr()      {}
func (*Is) expr()          {}
func (*Between) expr()     {}
func (*In) expr()          {}
func (*Match) expr()       {}
func (*Exists) expr()      {}
func (*Subquery) expr()    {}
func (*RowExpr) expr()     {}
func (*Paren) expr()       {}
func (*Collate) expr()     {}
func (*Cast) expr()        {}
func (*Case) expr()        {}
func (*Call) expr()        {}
func (*DefaultCell) expr() {}
