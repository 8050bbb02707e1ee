package plan

import (
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/function"
)

// Window adds a column a call to its input's rows, which come in the order of Partition and Order. Rows that are equal in the
// columns of Partition, compared as grouping compares, are one partition; rows of it that are equal in Order are peers.
type Window struct {
	common
	Input     Node
	Partition []*Col
	Order     []WindowKey
	Calls     []*WindowCall
}

// WindowKey is a key of a window's order: a column of the input.
type WindowKey struct {
	Col             *Col
	Desc, NullsLast bool
}

// Output lists the input's columns and then the calls'.
func (w *Window) Output() []Column {
	in := w.Input.Output()
	cols := append(make([]Column, 0, len(in)+len(w.Calls)), in...)
	for _, c := range w.Calls {
		cols = append(cols, c.Column)
	}
	return cols
}

// WindowCall is a call with OVER.
type WindowCall struct {
	Column
	Fn *function.Function
	// Args are evaluated for every row of the partition; so are the offsets of Frame.
	Args []Expr
	// New begins an aggregate; nil for the functions that need OVER.
	New         func() function.State
	Distinct    bool
	IgnoreNulls bool
	Filter      Expr // nil for all rows
	Frame       WindowFrame
	Pos         ast.Pos
}

// WindowFrame is the frame of a call, with the defaults filled in.
type WindowFrame struct {
	Unit       ast.FrameUnit
	Start, End WindowBound
	Exclude    ast.FrameExclude
}

// WindowBound is one end of a frame. Offset is set for Preceding and Following.
type WindowBound struct {
	Kind   ast.BoundKind
	Offset Expr
}

// sortKey is the key as a Sort has it.
func (k *WindowKey) sortKey() SortKey { return SortKey{X: k.Col, Desc: k.Desc, NullsLast: k.NullsLast} }

// eachWindowExpr shows f the slots of the expressions that a window's calls hold. Its keys are columns, which keep their place.
func eachWindowExpr(w *Window, f func(slot *Expr)) {
	for _, c := range w.Calls {
		eachOf(c.Args, f)
		one(&c.Filter, f)
		one(&c.Frame.Start.Offset, f)
		one(&c.Frame.End.Offset, f)
	}
}

// partitionColumns lists the columns that a window partitions by: a condition on these alone keeps or drops whole partitions.
func (w *Window) partitionColumns() []Column {
	var cols []Column
	for _, c := range w.Input.Output() {
		if slices.ContainsFunc(w.Partition, func(p *Col) bool { return p.ID == c.ID }) {
			cols = append(cols, c)
		}
	}
	return cols
}

// keyColumns lists the columns that a window partitions and orders by.
func (w *Window) keyColumns() []ColID {
	ids := make([]ColID, 0, len(w.Partition)+len(w.Order))
	for _, c := range w.Partition {
		ids = append(ids, c.ID)
	}
	for _, k := range w.Order {
		ids = append(ids, k.Col.ID)
	}
	return ids
}
