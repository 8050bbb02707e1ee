package exec

import (
	"runtime"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// scanRecipe is a compiled Scan.
type scanRecipe struct {
	table     *catalog.Table
	committed bool
	access    *vtab.AccessPlan
	columns   vtab.ColumnSet
	pins      []pinRecipe
	ranges    []rangeRecipe
	pred      Pred // nil when the access applies all filters
	top       *limitRecipe
	unique    bool // the access finds one row at most
	local     bool // pred is evaluated on rows in any order
}

type pinRecipe struct {
	values []Expr
	isNull bool
}

type rangeRecipe struct{ lower, upper *boundRecipe }

type boundRecipe struct {
	x         Expr
	inclusive bool
}

func (b *builder) scan(n *plan.Scan) recipe {
	c := b.over(n.Cols)
	r := &scanRecipe{table: n.Table, committed: n.Committed, columns: n.Used, top: b.limits(n.Top)}
	residual := n.Filters
	if a := n.Access; a != nil {
		residual = a.Residual
		r.access = a.Plan
		for _, p := range a.Pins {
			r.pins = append(r.pins, pinRecipe{c.exprs(p.Values), p.IsNull})
		}
		for _, g := range a.Ranges {
			r.ranges = append(r.ranges, rangeRecipe{c.bound(g.Lower), c.bound(g.Upper)})
		}
		r.unique = a.Plan.Unique
	}
	r.pred = c.allPreds(residual)
	r.local = !slices.ContainsFunc(residual, func(x plan.Expr) bool { return !plan.IsRowLocal(x, n.Cols) })
	return func() Operator { return &scanOp{scanRecipe: r} }
}

func (c *compiler) bound(b *plan.Bound) *boundRecipe {
	if b == nil {
		return nil
	}
	return &boundRecipe{c.expr(b.X), b.Inclusive}
}

// scanOp reads a table. It holds one batch of the cursor.
type scanOp struct {
	*scanRecipe
	ec     *Context
	cursor vtab.Cursor
	filter vtab.Filter
	batch  *vtab.Batch
	out    []types.Row
	// bounds and tuples are the memory of the filter's values.
	bounds [2]vtab.Bound
	empty  bool  // the access can find nothing
	left   int64 // rows that are still wanted, negative for all
	// read counts the batches that came from the cursor, until rest may have been given away: the parts behind the cursor's own.
	read int
	rest *partScan
}

// Open evaluates the access's values and begins the scan.
func (o *scanOp) Open(ec *Context) error {
	if err := o.Close(); err != nil {
		return err
	}
	o.ec, o.left, o.read = ec, -1, 0
	if o.top != nil {
		count, skip, err := o.top.eval(ec)
		if err != nil {
			return err
		}
		o.left = saturatingAdd(count, skip)
	}
	if err := o.fill(); err != nil || o.empty {
		return err
	}
	table, err := ec.openTable(o.table, o.committed)
	if err != nil {
		return err
	}
	o.cursor, err = table.Scan(ec.ctx, &o.filter)
	return err
}

// fill computes the filter of the access.
func (o *scanOp) fill() error {
	f := &o.filter
	f.Access, f.Columns = o.access, o.columns
	f.Eq, f.Seeks, f.Ranges, f.Lower, f.Upper = f.Eq[:0], f.Seeks[:0], f.Ranges[:0], nil, nil
	f.Limit = 0
	o.empty = o.left == 0
	if o.pred == nil && o.left > 0 {
		f.Limit = o.left
	}
	if o.access == nil {
		return nil
	}
	switch o.access.Kind {
	case vtab.PlanEmpty:
		o.empty = true
		return nil
	case vtab.PlanMultiSeek:
		return o.fillSeeks()
	}
	for i := range o.pins {
		v, ok, err := o.pin(&o.pins[i], 0)
		if err != nil {
			return err
		}
		o.empty = o.empty || !ok
		f.Eq = append(f.Eq, v)
	}
	return o.fillRanges()
}

// pin gives value i of a pin; ok is false for a comparison with NULL, which no row satisfies.
func (o *scanOp) pin(p *pinRecipe, i int) (v types.Value, ok bool, err error) {
	if p.isNull {
		return types.Null, true, nil
	}
	v, err = p.values[i](o.ec, nil)
	return v, !v.IsNull(), err
}

// fillSeeks makes the tuples of a multi-seek: every combination of the pins' values.
func (o *scanOp) fillSeeks() error {
	o.filter.Seeks = append(o.filter.Seeks, nil)
	for i := range o.pins {
		p := &o.pins[i]
		n := max(len(p.values), 1)
		var longer [][]types.Value
		for j := range n {
			v, ok, err := o.pin(p, j)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			for _, tuple := range o.filter.Seeks {
				longer = append(longer, append(tuple[:len(tuple):len(tuple)], v))
			}
		}
		o.filter.Seeks = longer
	}
	o.empty = o.empty || len(o.filter.Seeks) == 0
	return nil
}

// fillRanges computes the bounds of the last seek column. A range with a NULL bound holds nothing.
func (o *scanOp) fillRanges() error {
	many := o.access.Kind == vtab.PlanMultiRange
	for i := range o.ranges {
		memory := &o.bounds
		if many {
			memory = new([2]vtab.Bound)
		}
		lower, lok, err := o.evalBound(o.ranges[i].lower, &memory[0])
		if err != nil {
			return err
		}
		upper, uok, err := o.evalBound(o.ranges[i].upper, &memory[1])
		if err != nil {
			return err
		}
		switch {
		case many && lok && uok:
			o.filter.Ranges = append(o.filter.Ranges, vtab.Range{Lower: lower, Upper: upper})
		case !many:
			o.filter.Lower, o.filter.Upper = lower, upper
			o.empty = o.empty || !lok || !uok
		}
	}
	o.empty = o.empty || many && len(o.filter.Ranges) == 0
	return nil
}

func (o *scanOp) evalBound(b *boundRecipe, memory *vtab.Bound) (bound *vtab.Bound, ok bool, err error) {
	if b == nil {
		return nil, true, nil
	}
	v, err := b.x(o.ec, nil)
	if err != nil || v.IsNull() {
		return nil, false, err
	}
	*memory = vtab.Bound{Value: v, Inclusive: b.inclusive}
	return memory, true, nil
}

// Next passes the rows that the residual filters let through.
func (o *scanOp) Next(b *Batch) error {
	b.Rows = nil
	if o.empty || o.left == 0 {
		return nil
	}
	if o.batch == nil {
		o.batch = vtab.NewBatch(o.batchSize(), len(o.table.Columns))
	}
	for {
		n, err := o.cursor.Next(o.ec.ctx, o.batch)
		if err != nil {
			return err
		}
		if n == 0 {
			return o.nextOfRest(b)
		}
		if o.unique {
			o.empty = true // there is no other row to ask for
		}
		rows := o.batch.Rows[:n]
		if o.pred != nil {
			if rows, err = o.passing(rows); err != nil {
				return err
			}
		}
		if err := o.shareRest(); err != nil {
			return err
		}
		if len(rows) > 0 {
			b.Rows = o.cut(rows)
			return nil
		}
		if o.unique {
			return nil
		}
	}
}

// aloneBatches is how many batches a scan reads before it lets others help: most readers want no more.
const aloneBatches = 8

// shareRest lets other goroutines read what is left of a long scan.
func (o *scanOp) shareRest() (err error) {
	if o.read++; o.read != aloneBatches || !o.local || o.left >= 0 || runtime.GOMAXPROCS(0) == 1 {
		return nil
	}
	o.rest, err = o.startParts()
	return err
}

// nextOfRest gives rows that others read.
func (o *scanOp) nextOfRest(b *Batch) (err error) {
	if o.rest != nil {
		b.Rows, err = o.rest.next()
	}
	return err
}

// passing gives the rows for which the residual filters hold.
func (o *scanOp) passing(rows []types.Row) (_ []types.Row, err error) {
	o.out, err = o.pred.passing(o.ec, rows, o.out[:0])
	return o.out, err
}

// passing appends the rows for which the condition holds.
func (p Pred) passing(ec *Context, rows, out []types.Row) ([]types.Row, error) {
	for _, row := range rows {
		ok, err := p(ec, row)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, row)
		}
	}
	return out, nil
}

// cut stops at the limit.
func (o *scanOp) cut(rows []types.Row) []types.Row {
	if o.left < 0 {
		return rows
	}
	if int64(len(rows)) > o.left {
		rows = rows[:o.left]
	}
	o.left -= int64(len(rows))
	return rows
}

// Close ends the scan; the table stays open for the run.
func (o *scanOp) Close() error {
	if o.cursor == nil {
		return nil
	}
	c, rest := o.cursor, o.rest
	o.cursor, o.rest = nil, nil
	if rest == nil {
		return c.Close()
	}
	return firstError(rest.close(), c.Close())
}

// batchSize is the number of rows worth asking for at once.
func (o *scanOp) batchSize() int {
	switch {
	case o.unique:
		return 1
	case o.pred == nil && o.left > 0 && o.top.isConstant:
		return int(min(o.left, batchRows))
	}
	return batchRows
}
