package exec

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// windowRecipe is a compiled Window. A row that is kept has the input's columns and then what the calls read of it: arguments,
// offsets of frames, and whether a filter takes it, each evaluated once.
type windowRecipe struct {
	in       int // width of the input's rows
	width    int // of kept rows
	computed []Expr
	// part compares rows by the keys of the partition, peers by those of the order; nil without any.
	part, peers types.RowComparator
	// rangeKey is the first key of the order, which RANGE measures on; nil without an order.
	rangeKey *types.OrderTerm
	calls    []*windowCallRecipe
}

// windowCallRecipe is one call.
type windowCallRecipe struct {
	*plan.WindowCall
	make   func(o *windowOp, c *windowCallRecipe) windowFunc
	args   []int // their columns in a kept row
	filter int   // -1 for none
	frame  frameRecipe
	fail   func(error) error
	// distinct keys the arguments; nil without DISTINCT.
	distinct *types.KeyEncoder
}

// frameRecipe is a call's frame. The offsets are columns of a kept row, -1 for none.
type frameRecipe struct {
	unit       ast.FrameUnit
	start, end frameEnd
	exclude    ast.FrameExclude
	at         func(error) error
}

type frameEnd struct {
	kind   ast.BoundKind
	offset int
	// shift moves a key by an offset, against the order of the window (0) or along it (1).
	shift [2]func(key, offset types.Value) (types.Value, error)
	fixed bool // the offset is the same for all rows
}

// windowFunc computes a call for the rows of one partition after the other. It is asked for the rows in their order.
type windowFunc interface {
	// begin prepares for the rows of op.rows.
	begin() error
	value(i int) (types.Value, error)
}

func (b *builder) window(n *plan.Window) recipe {
	in := b.node(n.Input)
	c := b.over(n.Input.Output())
	r := &windowRecipe{in: len(n.Input.Output())}
	r.width = r.in
	r.part = c.partition(n.Partition)
	if len(n.Order) > 0 {
		terms := make([]types.OrderTerm, len(n.Order))
		for i, k := range n.Order {
			terms[i] = c.windowTerm(k)
		}
		r.peers, r.rangeKey = types.NewRowComparator(terms...), &terms[0]
	}
	for _, call := range n.Calls {
		r.calls = append(r.calls, b.windowCall(c, r, n, call))
	}
	return func() Operator { return newWindowOp(r, in()) }
}

// partition compares rows by columns as grouping does; nil without any.
func (c *compiler) partition(cols []*plan.Col) types.RowComparator {
	if len(cols) == 0 {
		return nil
	}
	terms := make([]types.OrderTerm, len(cols))
	for i, col := range cols {
		terms[i] = c.windowTerm(plan.WindowKey{Col: col})
	}
	return types.NewRowComparator(terms...)
}

func (c *compiler) windowTerm(k plan.WindowKey) types.OrderTerm {
	s := k.Col.Static()
	return types.OrderTerm{
		Column: c.at[k.Col.ID], Cmp: types.NewComparator(s.Type, s.Collation.Effective()), Desc: k.Desc, NullsLast: k.NullsLast,
	}
}

// windowCall compiles a call.
func (b *builder) windowCall(c *compiler, r *windowRecipe, n *plan.Window, call *plan.WindowCall) *windowCallRecipe {
	w := &windowCallRecipe{WindowCall: call, filter: -1, make: windowMaker(call), fail: b.callError("Function", call.Fn.Name, call.Pos)}
	for _, x := range call.Args {
		w.args = append(w.args, r.compute(c.expr(x)))
	}
	if call.Filter != nil {
		pred := c.pred(call.Filter)
		w.filter = r.compute(func(ec *Context, row types.Row) (types.Value, error) {
			ok, err := pred(ec, row)
			return types.Bool(ok), err
		})
	}
	if call.Distinct {
		cols := make([]plan.Column, len(call.Args))
		for i, x := range call.Args {
			cols[i] = plan.Column{Type: x.Static().Type, Collation: x.Static().Collation}
		}
		w.distinct = b.groupKeys(cols)
	}
	f := call.Frame
	w.frame = frameRecipe{unit: f.Unit, exclude: f.Exclude, at: b.located(call.Pos)}
	w.frame.start, w.frame.end = r.frameEnd(c, n, f.Start), r.frameEnd(c, n, f.End)
	return w
}

// compute adds a column to kept rows.
func (r *windowRecipe) compute(x Expr) int {
	r.computed = append(r.computed, x)
	r.width++
	return r.width - 1
}

func (r *windowRecipe) frameEnd(c *compiler, n *plan.Window, b plan.WindowBound) frameEnd {
	e := frameEnd{kind: b.Kind, offset: -1}
	if b.Offset == nil {
		e.fixed = true
		return e
	}
	e.offset = r.compute(c.expr(b.Offset))
	_, e.fixed = b.Offset.(*plan.Const)
	if len(n.Order) > 0 {
		key, by := n.Order[0].Col.Type, b.Offset.Static().Type
		e.shift = [2]func(key, offset types.Value) (types.Value, error){types.BindArith('-', key, by), types.BindArith('+', key, by)}
	}
	return e
}

// windowOp computes the calls of a window over rows that come in its order. It holds one partition, in a temporary file beyond the
// budget.
type windowOp struct {
	*windowRecipe
	child Operator
	ec    *Context
	batch Batch
	at    int // in batch
	done  bool
	// rows is the partition at hand; first is the row that begins the next, valid if hasFirst.
	rows     windowRows
	first    types.Row
	hasFirst bool
	keep     types.Arena // of first

	funcs []windowFunc
	next  int // row of the partition to give
	group int // of peers that it is in
	block rowBlock
}

func newWindowOp(r *windowRecipe, in Operator) *windowOp {
	o := &windowOp{windowRecipe: r, child: in, first: make(types.Row, r.width)}
	for _, c := range r.calls {
		o.funcs = append(o.funcs, c.make(o, c))
	}
	return o
}

// Open opens the input; rows are read when the first is asked for.
func (o *windowOp) Open(ec *Context) error {
	o.ec, o.done, o.hasFirst, o.next, o.at = ec, false, false, 0, 0
	o.batch.Rows = nil
	if err := o.rows.start(ec, o.width); err != nil {
		return err
	}
	return o.child.Open(ec)
}

// Next gives the next rows: the input's columns and the calls'.
func (o *windowOp) Next(b *Batch) error {
	o.block.reset(o.in + len(o.calls))
	for !o.block.full() {
		if o.next == o.rows.len() {
			if more, err := o.load(); err != nil || !more {
				if err != nil {
					return err
				}
				break
			}
		}
		if err := o.emit(); err != nil {
			return err
		}
	}
	b.Rows = o.block.rows
	return o.ec.canceled()
}

// emit adds the next row of the partition to the block.
func (o *windowOp) emit() error {
	i := o.next
	if starts := o.rows.starts; o.group+1 < len(starts) && i == starts[o.group+1] {
		o.group++
	}
	dst := o.block.add()
	for c, f := range o.funcs {
		v, err := f.value(i)
		if err != nil {
			return err
		}
		dst[o.in+c] = o.block.keep(v)
	}
	row, err := o.rows.at(i)
	if err != nil {
		return err
	}
	for c := range o.in {
		dst[c] = o.block.keep(row[c])
	}
	o.next++
	return nil
}

// load reads the next partition, and reports whether there is one.
func (o *windowOp) load() (more bool, err error) {
	if err := o.rows.start(o.ec, o.width); err != nil {
		return false, err
	}
	o.next, o.group = 0, 0
	if o.hasFirst {
		if err := o.rows.add(o.first, o.peers); err != nil {
			return false, err
		}
		o.hasFirst = false
	}
	for {
		row, err := o.read()
		if err != nil {
			return false, err
		}
		if row == nil {
			break
		}
		if o.part != nil && o.rows.len() > 0 && o.part(row, o.rows.last) != 0 {
			o.setAside(row)
			break
		}
		if err := o.rows.add(row, o.peers); err != nil {
			return false, err
		}
	}
	if err := o.rows.finish(); err != nil || o.rows.len() == 0 {
		return false, err
	}
	for _, f := range o.funcs {
		if err := f.begin(); err != nil {
			return false, err
		}
	}
	return true, nil
}

// read gives the next row of the input with what the calls read of it, nil at the end. It is valid until the next call.
func (o *windowOp) read() (types.Row, error) {
	for o.at == len(o.batch.Rows) {
		if o.done {
			return nil, nil
		}
		o.at = 0
		if err := o.child.Next(&o.batch); err != nil {
			o.batch.Rows = nil
			return nil, err
		}
		if err := o.ec.canceled(); err != nil {
			return nil, err
		}
		o.done = len(o.batch.Rows) == 0
	}
	in := o.batch.Rows[o.at]
	o.at++
	row := o.rows.scratch
	copy(row, in[:o.in])
	for i, x := range o.computed {
		v, err := x(o.ec, in)
		if err != nil {
			return nil, err
		}
		row[o.in+i] = v
	}
	return row, nil
}

// setAside keeps the first row of the next partition.
func (o *windowOp) setAside(row types.Row) {
	o.keep.Reset()
	for i, v := range row {
		o.first[i] = copyInto(&o.keep, v)
	}
	o.hasFirst = true
}

// Close drops the partition and closes the input.
func (o *windowOp) Close() error {
	return firstError(o.child.Close(), o.rows.close())
}
