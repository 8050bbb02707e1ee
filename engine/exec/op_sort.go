package exec

import (
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// sortRecipe is a compiled Sort. Keys that are columns are compared where they lie; computed ones stand behind the row's columns.
type sortRecipe struct {
	width    int    // of the input's rows
	computed []Expr // keys behind them
	compare  types.RowComparator
	top      *limitRecipe
}

func (b *builder) sort(n *plan.Sort) recipe {
	in := b.node(n.Input)
	r := b.sortRecipe(n.Input.Output(), n.Keys)
	r.top = b.limits(n.Top)
	return func() Operator { return &sortOp{sortRecipe: r, in: in()} }
}

func (b *builder) sortRecipe(cols []plan.Column, keys []plan.SortKey) *sortRecipe {
	c := b.over(cols)
	r := &sortRecipe{width: len(cols)}
	terms := make([]types.OrderTerm, len(keys))
	for i := range keys {
		k := &keys[i]
		terms[i] = types.OrderTerm{Cmp: k.Comparator(), Desc: k.Desc, NullsLast: k.NullsLast}
		if col, ok := k.X.(*plan.Col); ok {
			if at, inRow := c.at[col.ID]; inRow {
				terms[i].Column = at
				continue
			}
		}
		terms[i].Column = r.width + len(r.computed)
		r.computed = append(r.computed, c.expr(k.X))
	}
	r.compare = types.NewRowComparator(terms...)
	return r
}

// extend writes a row and its computed keys to dst, whose width is that of both.
func (r *sortRecipe) extend(ec *Context, dst, row types.Row, keep func(types.Value) types.Value) error {
	for i := range r.width {
		dst[i] = keep(row[i])
	}
	for i, x := range r.computed {
		v, err := x(ec, row)
		if err != nil {
			return err
		}
		dst[r.width+i] = keep(v)
	}
	return nil
}

// sortOp orders its input. It remembers all rows, up to the budget in memory, or the first ones only where a limit cuts them.
type sortOp struct {
	*sortRecipe
	in     Operator
	ec     *Context
	batch  Batch
	sorter sorter
	block  rowBlock
	// limit is the number of rows wanted, negative for all; bound is a row that limit rows come before.
	limit   int
	bound   types.Row
	scratch types.Row
	sorted  bool
}

// maxTop is the largest limit for which rows behind it are dropped while they come.
const maxTop = 10_000

// Open opens the input; rows are read when the first is asked for.
func (o *sortOp) Open(ec *Context) error {
	o.ec, o.sorted, o.limit, o.bound = ec, false, -1, nil
	if o.top != nil {
		count, skip, err := o.top.eval(ec)
		if err != nil {
			return err
		}
		if n := saturatingAdd(count, skip); n <= maxTop {
			o.limit = int(n)
		}
	}
	if err := o.sorter.start(ec, o.width+len(o.computed), o.compare); err != nil {
		return err
	}
	return o.in.Open(ec)
}

// Next gives the next rows in order.
func (o *sortOp) Next(b *Batch) error {
	if !o.sorted {
		if err := o.fill(); err != nil {
			return err
		}
		o.sorted = true
	}
	if !o.sorter.spilled() {
		b.Rows = o.nextInMemory()
		return nil
	}
	return o.block.fill(o.ec, o.width, o.sorter.next, b)
}

// nextInMemory gives a stretch of the sorted rows themselves.
func (o *sortOp) nextInMemory() []types.Row {
	s := &o.sorter
	from := s.at
	s.at = min(from+batchRows, len(s.mem.rows))
	return s.mem.rows[from:s.at]
}

// fill reads and sorts the input.
func (o *sortOp) fill() error {
	if err := drain(o.in, &o.batch, o.take); err != nil {
		return err
	}
	return o.sorter.finish()
}

// take adds a row, unless a limit makes it sure that it is not wanted.
func (o *sortOp) take(row types.Row) error {
	s := &o.sorter
	if o.limit < 0 {
		if err := o.extend(o.ec, s.mem.blank(), row, s.mem.keep); err != nil {
			return err
		}
		return s.added()
	}
	if o.scratch == nil {
		o.scratch = make(types.Row, s.mem.width)
	}
	if err := o.extend(o.ec, o.scratch, row, func(v types.Value) types.Value { return v }); err != nil {
		return err
	}
	if o.limit == 0 || o.bound != nil && o.compare(o.scratch, o.bound) >= 0 {
		return nil
	}
	s.mem.add(o.scratch)
	if len(s.mem.rows) < 2*o.limit+batchRows {
		return nil
	}
	return o.shrink()
}

// shrink drops all but the first rows, and notes the last of these as the bound for what is yet to come.
func (o *sortOp) shrink() error {
	s := &o.sorter
	s.sortMemory()
	kept := s.mem.rows[:o.limit]
	fresh := rowStore{width: s.mem.width}
	for _, row := range kept {
		fresh.add(row)
	}
	s.mem = fresh
	o.bound = s.mem.rows[o.limit-1]
	return nil
}

// Close drops all rows and closes the input.
func (o *sortOp) Close() error {
	return firstError(o.in.Close(), o.sorter.close())
}
