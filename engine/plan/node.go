package plan

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// Node is an operator of a plan: what it does, not how. A node is immutable once it is bound: rules make new ones, and a node may
// stand in several places. A plan may be read by any number of goroutines.
type Node interface {
	// Output lists the columns of the node's rows, in the order in which they lie in a row.
	Output() []Column
	// Expected is what the planner expects of the node; the pointer is never nil.
	Expected() *Estimate
	// derived gives the memory of the node's derived properties.
	derived() *properties
}

// common is what all nodes have.
type common struct {
	Estimate
	properties
}

// Estimate is an expectation: rows coming out, and the cost of all work below and in the node, in rows read.
type Estimate struct{ Rows, Cost float64 }

// Expected gives the Estimate itself, for the nodes that embed one.
func (e *Estimate) Expected() *Estimate { return e }

// Scan reads a table through an access of its module.
type Scan struct {
	common
	Table *catalog.Table
	// Committed reads the last commit instead of the statement's own state.
	Committed bool
	Name      string // the source's name in the query
	// Cols has one column for each of the table's, in their order; Used are those that somebody reads.
	Cols []Column
	Used vtab.ColumnSet
	// Filters are the conjuncts on the table's rows, which may read columns of enclosing queries. Access tells which of them it
	// applies; the others are evaluated on each row.
	Filters []Expr
	// Access is how the table is read; nil for a scan in key order.
	Access *Access
	// Top is the Limit above that cuts the rows that pass the filters, nil for none: nobody reads further.
	Top *Limit
}

// Output lists all of the table's columns; those outside Used are NULL.
func (s *Scan) Output() []Column { return s.Cols }

// Access is a chosen access with the expressions that make its values. They read no column of the table itself.
type Access struct {
	Plan *vtab.AccessPlan
	// Pins hold the values of the leading seek columns, one a column.
	Pins []Pin
	// Ranges bound the seek column behind the pins: none or one for a plain range, several for PlanMultiRange.
	Ranges []Range
	// Residual are the filters that are evaluated on each row all the same.
	Residual []Expr
}

// Pin is what a seek column equals: one of several values, or NULL.
type Pin struct {
	Values []Expr
	IsNull bool
}

// Range is a stretch of values between two bounds, nil for an open end.
type Range struct{ Lower, Upper *Bound }

// Bound is an end of a range.
type Bound struct {
	X         Expr
	Inclusive bool
}

// Values makes rows of expressions. One row without columns is what SELECT without FROM reads.
type Values struct {
	common
	Cols []Column
	Rows [][]Expr
}

// Output lists the columns.
func (v *Values) Output() []Column { return v.Cols }

// TableFunc calls a table-valued function once each time it is opened.
type TableFunc struct {
	common
	Fn   *function.Function
	Rows function.Rows // the implementation for the static arguments
	Args []Expr
	Cols []Column
	Pos  ast.Pos
}

// Output lists the function's columns.
func (t *TableFunc) Output() []Column { return t.Cols }

// Filter passes the rows for which all conditions are true.
type Filter struct {
	common
	Input Node
	Conds []Expr
}

// Output is the input's.
func (f *Filter) Output() []Column { return f.Input.Output() }

// Item is a computed column. A plain column that is passed on keeps its id.
type Item struct {
	Column
	X Expr
}

// Project computes columns.
type Project struct {
	common
	Input Node
	Items []Item
}

// Output lists the computed columns.
func (p *Project) Output() []Column { return itemColumns(p.Items) }

func itemColumns(items []Item) []Column {
	cols := make([]Column, len(items))
	for i := range items {
		cols[i] = items[i].Column
	}
	return cols
}

// JoinKind is a kind of join.
type JoinKind uint8

// The joins. A cross join is an inner join without condition. A semi join passes the left rows that match a right one, an anti join
// those that match none; their rows are the left ones.
const (
	InnerJoin JoinKind = iota
	LeftJoin
	RightJoin
	FullJoin
	SemiJoin
	AntiJoin
)

// JoinMethod is how a join finds matches.
type JoinMethod uint8

// The methods. LoopJoin remembers the right rows and tests all of them for each left row. ApplyJoin opens the right side anew
// for each left row, whose columns it reads: LATERAL, and joins by index seek. HashJoin remembers the right rows by key.
const (
	LoopJoin JoinMethod = iota
	ApplyJoin
	HashJoin
)

// Join joins two inputs; rows come in the order of the left one.
type Join struct {
	common
	Kind JoinKind
	L, R Node
	// On are the conjuncts of the condition that are evaluated on pairs.
	On []Expr
	// Lateral says that the right side reads columns of the left one.
	Lateral bool
	// Set tells of a semi join that stands for an IN whose query does not read the left row.
	Set bool
	// LeftMatched and RightMatched are boolean columns that tell whether the row has a part from that side; ID 0 for none.
	LeftMatched, RightMatched Column
	Method                    JoinMethod
	// Keys are the pairs that a HashJoin looks up by; On then holds the rest of the condition.
	Keys []JoinKey
	// Emit are the columns of the inputs that are passed on; nil for all.
	Emit []Column
}

// JoinKey is a pair of expressions, one over each side, that are equal in matching rows.
type JoinKey struct {
	L, R Expr
	By   Order
}

// Output lists the left columns, the right ones, and the match flags.
func (j *Join) Output() []Column {
	var cols []Column
	if j.Emit != nil {
		cols = append(cols, j.Emit...)
	} else {
		cols = j.inputColumns()
	}
	for _, flag := range []Column{j.LeftMatched, j.RightMatched} {
		if flag.ID != 0 {
			cols = append(cols, flag)
		}
	}
	return cols
}

// IsSemi reports whether the join is a semi or an anti join.
func (j *Join) IsSemi() bool { return j.Kind == SemiJoin || j.Kind == AntiJoin }

// inputColumns lists the columns of both inputs, or of the left one where the join passes no right one on; those of a null-extended side are nullable.
func (j *Join) inputColumns() []Column {
	if j.IsSemi() {
		return j.L.Output()
	}
	l, r := j.L.Output(), j.R.Output()
	if j.Kind == RightJoin || j.Kind == FullJoin {
		l = nullable(l)
	}
	if j.Kind == LeftJoin || j.Kind == FullJoin {
		r = nullable(r)
	}
	return append(append(make([]Column, 0, len(l)+len(r)+2), l...), r...)
}

// Agg is an aggregate over the rows of a group.
type Agg struct {
	Column
	Fn       *function.Function
	Args     []Expr
	New      func() function.State
	Distinct bool
	OrderBy  []SortKey // the order in which rows go in; nil for the order of the input
	Filter   Expr      // nil for all rows
	Pos      ast.Pos
}

// Aggregate groups its input; groups come in order of their first row. Without keys there is exactly one group.
type Aggregate struct {
	common
	Input Node
	Keys  []Item
	Aggs  []*Agg
}

// Output lists the keys and then the aggregates.
func (a *Aggregate) Output() []Column {
	cols := itemColumns(a.Keys)
	for _, g := range a.Aggs {
		cols = append(cols, g.Column)
	}
	return cols
}

// SortKey is a key of an order, with the comparison that its type and collation call for.
type SortKey struct {
	X         Expr
	Desc      bool
	NullsLast bool
}

// Sort orders its input, equal rows in the order they came.
type Sort struct {
	common
	Input Node
	Keys  []SortKey
	// Top is the Limit above that cuts the sorted rows, nil for none: the first ones are enough.
	Top *Limit
}

// Output is the input's.
func (s *Sort) Output() []Column { return s.Input.Output() }

// Limit passes Count rows after skipping Offset. Either may be nil.
type Limit struct {
	common
	Input         Node
	Count, Offset Expr
	// KeepsFirst tells that the first rows are asked for, in the order that the input would have as it is written.
	KeepsFirst bool
}

// Output is the input's.
func (l *Limit) Output() []Column { return l.Input.Output() }

// Distinct passes the first of the rows that are equal in their first Width columns.
type Distinct struct {
	common
	Input Node
	Width int
	// KeepsFirst tells that it matters which of equal rows is the first.
	KeepsFirst bool
}

// Output is the input's.
func (d *Distinct) Output() []Column { return d.Input.Output() }

// SetOp is a set operation over the first len(Cols) columns of both inputs.
type SetOp struct {
	common
	Op   ast.SetOpKind
	L, R Node
	Cols []Column
	// Flags are the membership columns behind the data columns.
	Flags []SetFlag
}

// SetFlag is a column that tells whether the row occurs in the left or the right operand.
type SetFlag struct {
	Column
	Right bool
}

// Output lists the data columns and then the flags.
func (s *SetOp) Output() []Column {
	cols := s.Cols[:len(s.Cols):len(s.Cols)]
	for _, f := range s.Flags {
		cols = append(cols, f.Column)
	}
	return cols
}

// CTE is a member of WITH that is read through CTERead nodes. It is what its With and its readers know it by; the With holds its body.
type CTE struct {
	Name string
	// outside is what the body reads from outside, and so what every reader depends on.
	outside *outside
	// Reads counts the nodes that read it, Nested those among them that stand in a subquery or a lateral source, where they may
	// run many times.
	Reads, Nested int
	// Change is set for a data change, which runs once, before the body, whoever reads it.
	Change       bool
	Materialized ast.Materialized
}

// With makes its members readable in Body. A member's rows are computed when the first reader asks, at most once each time the
// node is opened.
type With struct {
	common
	CTEs   []*CTE
	Bodies []Node // of the members, in the order of CTEs
	Body   Node
}

// add appends a member with its body.
func (w *With) add(members ...*member) {
	for _, m := range members {
		w.CTEs, w.Bodies = append(w.CTEs, m.cte), append(w.Bodies, m.body)
	}
}

// Output is the body's.
func (w *With) Output() []Column { return w.Body.Output() }

// CTERead reads the rows of a member.
type CTERead struct {
	common
	CTE  *CTE
	Cols []Column // by position those of the member
}

// Output lists the columns.
func (c *CTERead) Output() []Column { return c.Cols }

// WorkTable holds the rows of the round before, in a recursion.
type WorkTable struct{ Name string }

// Recursive evaluates Base, then Step over the rows of the round before until a round adds nothing (docs/reference/language.md).
type Recursive struct {
	common
	Work       *WorkTable
	Base, Step Node
	Cols       []Column
	// All keeps duplicates.
	All bool
	// MaxRounds is the number of rounds behind which the recursion fails, 0 for none.
	MaxRounds     int64
	Count, Offset Expr // LIMIT and OFFSET of the whole, nil for none
}

// Output lists the columns.
func (r *Recursive) Output() []Column { return r.Cols }

// WorkRead reads the working table of an enclosing Recursive.
type WorkRead struct {
	common
	Work *WorkTable
	Cols []Column
}

// Output lists the columns.
func (w *WorkRead) Output() []Column { return w.Cols }

// Comparator gives the total order that sorting by the key follows, NULLs aside.
func (k *SortKey) Comparator() types.Comparator {
	s := k.X.Static()
	return types.NewComparator(s.Type, s.Collation.Effective())
}

// KeyType gives the type by which values that compare so are keyed: group keys, hash joins, distinct.
func (o Order) KeyType() *types.Type {
	if o.Type != nil {
		return o.Type
	}
	return types.TypeAny
}
