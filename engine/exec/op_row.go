package exec

import (
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// Operators that look at one row at a time: filter, project, values, table functions. They hold one batch.

func (b *builder) filter(n *plan.Filter) recipe {
	in, pred := b.node(n.Input), b.over(n.Input.Output()).allPreds(n.Conds)
	return func() Operator { return &filterOp{in: in(), pred: pred} }
}

// filterOp passes the rows for which a condition holds, without copying them.
type filterOp struct {
	in    Operator
	pred  Pred
	ec    *Context
	batch Batch
	out   []types.Row
}

// Open opens the input.
func (o *filterOp) Open(ec *Context) error {
	o.ec = ec
	return o.in.Open(ec)
}

// Next reads on until some row passes.
func (o *filterOp) Next(b *Batch) error {
	for {
		b.Rows = nil
		if err := o.in.Next(&o.batch); err != nil || len(o.batch.Rows) == 0 {
			return err
		}
		o.out = o.out[:0]
		for _, row := range o.batch.Rows {
			ok, err := o.pred(o.ec, row)
			if err != nil {
				return err
			}
			if ok {
				o.out = append(o.out, row)
			}
		}
		if len(o.out) > 0 {
			b.Rows = o.out
			return nil
		}
	}
}

// Close closes the input.
func (o *filterOp) Close() error { return o.in.Close() }

func (b *builder) project(n *plan.Project) recipe {
	in := b.node(n.Input)
	c := b.over(n.Input.Output())
	r := &projectRecipe{}
	for _, it := range n.Items {
		col, ok := it.X.(*plan.Col)
		at, inRow := -1, false
		if ok {
			at, inRow = c.at[col.ID]
		}
		if !inRow {
			at = -1
		}
		r.from = append(r.from, at)
		r.exprs = append(r.exprs, c.expr(it.X))
	}
	return func() Operator { return &projectOp{projectRecipe: r, in: in()} }
}

type projectRecipe struct {
	from  []int  // position in the input of a column that is passed on, -1 for one that is computed
	exprs []Expr // of all columns
}

// projectOp computes rows.
type projectOp struct {
	*projectRecipe
	in    Operator
	ec    *Context
	batch Batch
	rest  []types.Row // of the batch, still to be computed
	block rowBlock
}

// Open opens the input.
func (o *projectOp) Open(ec *Context) error {
	o.ec, o.rest = ec, nil
	return o.in.Open(ec)
}

// Next computes a row for each of the input's.
func (o *projectOp) Next(b *Batch) error {
	b.Rows = nil
	if len(o.rest) == 0 {
		if err := o.in.Next(&o.batch); err != nil || len(o.batch.Rows) == 0 {
			return err
		}
		o.rest = o.batch.Rows
	}
	o.block.reset(len(o.exprs))
	for full := o.ec.made + manyMade; len(o.rest) > 0 && o.ec.made < full; o.rest = o.rest[1:] {
		row := o.rest[0]
		out := o.block.add()
		for i, from := range o.from {
			if from >= 0 {
				out[i] = row[from]
				continue
			}
			v, err := o.exprs[i](o.ec, row)
			if err != nil {
				return err
			}
			out[i] = v
		}
	}
	b.Rows = o.block.rows
	return nil
}

// Close closes the input.
func (o *projectOp) Close() error { return o.in.Close() }

func (b *builder) values(n *plan.Values) recipe {
	c := b.over(nil)
	rows := make([]valuesRow, len(n.Rows))
	for i, row := range n.Rows {
		if known, ok := constantRow(row); ok {
			rows[i].known = known
		} else {
			rows[i].exprs = c.exprs(row)
		}
	}
	width := len(n.Cols)
	return func() Operator { return &valuesOp{rows: rows, width: width} }
}

// valuesRow is a row of VALUES: known before the run, or computed.
type valuesRow struct {
	known types.Row
	exprs []Expr
}

// constantRow gives the values of a row that is made of constants alone.
func constantRow(row []plan.Expr) (known types.Row, ok bool) {
	known = make(types.Row, len(row))
	for i, x := range row {
		k, ok := x.(*plan.Const)
		if !ok {
			return nil, false
		}
		known[i] = k.Value
	}
	return known, true
}

// valuesOp gives the rows of VALUES.
type valuesOp struct {
	rows  []valuesRow
	width int
	ec    *Context
	at    int
	block rowBlock
	out   []types.Row
}

// Open begins at the first row.
func (o *valuesOp) Open(ec *Context) error {
	o.ec, o.at = ec, 0
	return nil
}

// Next gives the next rows and computes those that are not known.
func (o *valuesOp) Next(b *Batch) error {
	o.block.reset(o.width)
	o.out = o.out[:0]
	for ; o.at < len(o.rows) && len(o.out) < batchRows; o.at++ {
		row := o.rows[o.at].known
		if row == nil {
			row = o.block.add()
			if err := evalInto(o.ec, row, o.rows[o.at].exprs, nil); err != nil {
				return err
			}
		}
		o.out = append(o.out, row)
	}
	b.Rows = o.out
	return o.ec.canceled()
}

// Close has nothing to give back.
func (o *valuesOp) Close() error { return nil }
