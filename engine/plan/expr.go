package plan

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/types"
)

// Expr is a bound expression: names are columns, operators and functions are resolved, conversions that comparisons call for
// are written out. Expressions are immutable and may be shared.
type Expr interface {
	// Static gives what is known of the value before any row is read.
	Static() *Info
}

// Info is what is known of an expression's value before any row is read, and where the expression stands.
type Info struct {
	Type     *types.Type
	Nullable bool
	// Collation is what the expression contributes to a comparison.
	Collation types.Contribution
	// Pos is the place in the statement's source, ast.NoPos for what comes from a stored text.
	Pos ast.Pos
}

// Static gives the Info itself, for the nodes that embed one.
func (i *Info) Static() *Info { return i }

// Const is a value known at prepare.
type Const struct {
	Info
	Value types.Value
}

// Param is a bind parameter, by its position in Plan.Params.
type Param struct {
	Info
	Index int
}

// Col is a column of the rows at hand, or of an enclosing query's.
type Col struct {
	Info
	ID   ColID
	Name string // as declared, for explain
	// Facts are the column's.
	Facts *catalog.ColumnFacts
}

// Clock is the value of a clock word: one value throughout a run.
type Clock struct {
	Info
	Word ast.ClockWord
}

// Sign is unary minus or plus.
type Sign struct {
	Info
	Minus bool
	X     Expr
}

// BitNot is ~x.
type BitNot struct {
	Info
	X Expr
}

// Arith is one of + - * / %.
type Arith struct {
	Info
	Op   types.ArithOp
	L, R Expr
}

// Bits is one of & | << >>.
type Bits struct {
	Info
	Op   ast.BinaryOp
	L, R Expr
}

// Concat is l || r.
type Concat struct {
	Info
	L, R Expr
}

// CompareOp is the operator of a comparison.
type CompareOp uint8

// The comparisons. Is and IsNot are the null-safe forms of Eq and Ne.
const (
	Eq CompareOp = iota
	Ne
	Lt
	Le
	Gt
	Ge
	Is
	IsNot
)

// Mirror gives the operator with its sides exchanged.
func (op CompareOp) Mirror() CompareOp {
	switch op {
	case Lt:
		return Gt
	case Le:
		return Ge
	case Gt:
		return Lt
	case Ge:
		return Le
	}
	return op
}

// Order says how two values that are not NULL compare.
type Order struct {
	// Type is the type whose own order rules, nil for storage class and collation.
	Type *types.Type
	// Collation is never nil.
	Collation *types.Collation
}

// Match is one comparison of a probe with a member: IN, BETWEEN, simple CASE. The member's cast is part of its expression, the
// probe's is told here because one probe serves several members.
type Match struct {
	Order
	// CastProbe is what the probe is cast to first, nil for nothing.
	CastProbe *types.Type
}

// Compare is a comparison. Casts are part of the operands.
type Compare struct {
	Info
	Op   CompareOp
	L, R Expr
	By   Order
}

// LogicOp is AND, OR or XOR.
type LogicOp uint8

// The connectives.
const (
	And LogicOp = iota
	Or
	Xor
)

// Logic joins truth values. An operand that holds a subquery is not evaluated once the ones before it have decided.
type Logic struct {
	Info
	Op   LogicOp
	Args []Expr
}

// Not negates a truth value.
type Not struct {
	Info
	X Expr
}

// Test is IS [NOT] NULL, TRUE or FALSE: never NULL.
type Test struct {
	Info
	Op  ast.IsOp
	Not bool
	X   Expr
}

// Between is x [not] between lo and hi; X is evaluated once.
type Between struct {
	Info
	X, Lo, Hi  Expr
	ByLo, ByHi Match
	Not        bool
}

// In is x [not] in (list). X and each item have one member, or as many as the row value that is looked up.
type In struct {
	Info
	X     []Expr
	Items [][]Expr
	By    [][]Match // by item, then member
	Not   bool
}

// Like is LIKE, GLOB or REGEXP.
type Like struct {
	Info
	Op     ast.MatchOp
	X, P   Expr
	Escape Expr // nil when not written
	// Call carries out GLOB and REGEXP, which are functions of the registry; nil for LIKE.
	Call function.Eval
}

// CaseWhen is an arm of CASE. By is used by a simple CASE only.
type CaseWhen struct {
	Cond, Then Expr
	By         Match
}

// Case is CASE. Operand is nil for a searched one, Else for none.
type Case struct {
	Info
	Operand Expr
	Whens   []CaseWhen
	Else    Expr
}

// Cast converts leniently to Info.Type.
type Cast struct {
	Info
	X Expr
}

// Collate gives its operand another collation; the value stays.
type Collate struct {
	Info
	X Expr
}

// Coalesce gives the first argument that is not NULL and evaluates none behind it.
type Coalesce struct {
	Info
	Args []Expr
}

// Iif evaluates the chosen branch only.
type Iif struct {
	Info
	Cond, Then, Else Expr
}

// Call is a call of a scalar function, bound to its implementation for the static types of the arguments.
type Call struct {
	Info
	Fn   *function.Function
	Args []Expr
	Eval function.Eval
}

// Subquery is a scalar subquery: one column, at most one row.
type Subquery struct {
	Info
	Plan *Subplan
}

// Exists is exists (query).
type Exists struct {
	Info
	Plan *Subplan
}

// InQuery is x [not] in (query): X has as many members as the query has columns.
type InQuery struct {
	Info
	X    []Expr
	Plan *Subplan
	By   []Match // by member
	Not  bool
}

// Subplan is the plan of a subquery that stands in an expression. It is immutable.
type Subplan struct {
	Root Node
	// Outer are the columns that it reads from enclosing queries, in order of their ids. Without any, the subquery runs once an
	// execution.
	Outer []ColID
	// Varies is set when the subquery reads a working table of a recursion around it, so that no result outlives a round.
	Varies bool
	// outside is what Root reads from outside.
	outside *outside
}

// newSubplan makes the plan of a subquery of a tree that is complete.
func newSubplan(root Node) *Subplan {
	o := readsOutside(root)
	return &Subplan{Root: root, Outer: o.cols.Sorted(), Varies: len(o.works) > 0, outside: o}
}

// newSubplan makes the plan of a subquery. After a fault its tree may be incomplete, and nobody looks at it any more.
func (b *Binder) newSubplan(root Node) *Subplan {
	if b.err != nil {
		return &Subplan{Root: root, outside: readsNothing}
	}
	return newSubplan(root)
}

// over gives the plan with another tree.
func (s *Subplan) over(root Node) *Subplan {
	if root == s.Root {
		return s
	}
	return newSubplan(root)
}
