package exec

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// changeRecipe is a compiled Insert, Update or Delete.
type changeRecipe struct {
	rules     *rulesRecipe
	or        ast.ConflictAction
	context   []cell
	returning []Expr // over the frame
	in        recipe // nil for a source that the change computes itself
	apply     func(o *changeOp) error
	insert    *insertRecipe // nil for others
	update    *updateRecipe // of UPDATE and DELETE
}

// change compiles a data change.
func (b *builder) change(n plan.Change) recipe {
	w := n.Writing()
	r := &changeRecipe{rules: b.rules(w.Rules), or: w.Or, returning: b.frameOf(w.Rules).items(w.Returning)}
	none := b.over(nil)
	for i, v := range w.Context {
		c := cell{column: i}
		if v.X != nil {
			c.x, c.convert = none.expr(v.X), contextConverter(v)
		}
		r.context = append(r.context, c)
	}
	switch n := n.(type) {
	case *plan.Insert:
		r.apply = b.insert(n, r)
	case *plan.Update:
		r.apply = b.update(n, r)
	case *plan.Delete:
		r.apply = b.delete(n, r)
	}
	return func() Operator { return &changeOp{changeRecipe: r, in: r.source()} }
}

func (c *compiler) items(list []plan.Item) []Expr {
	out := make([]Expr, len(list))
	for i, it := range list {
		out[i] = c.expr(it.X)
	}
	return out
}

// contextConverter gives the conversion of a supplied context value to its variable's type.
func contextConverter(v plan.ContextValue) func(types.Value) (types.Value, error) {
	convert := types.WriteConverter(v.Variable.Type, v.Variable.Name)
	if v.X.Static().Type == v.Variable.Type {
		convert = types.WriteGuard(v.Variable.Type, v.Variable.Name)
	}
	if !v.Variable.NotNull {
		return convert
	}
	return func(x types.Value) (types.Value, error) {
		if x.IsNull() {
			return x, types.Errorf(types.CONSTRAINT, "NOT NULL constraint failed: mutation context variable '%s'", v.Variable.Name)
		}
		return convert(x)
	}
}

func (r *changeRecipe) source() Operator {
	if r.in == nil {
		return nil
	}
	return r.in()
}

// changeOp carries a data change out when it is opened, and then gives the rows of RETURNING in the order in which rows were written.
// They are kept until then, on disk beyond the budget.
type changeOp struct {
	*changeRecipe
	in     Operator // the source; nil for one that the change computes itself
	ec     *Context
	w      *rowWriter
	batch  Batch
	rows   spool
	answer types.Row
	reader spoolReader
	block  rowBlock
	// ordinal is the number of the present source row of an INSERT.
	ordinal int64
	both    types.Row // a stored row and a proposed one, for DO UPDATE
}

// Open makes the change.
func (o *changeOp) Open(ec *Context) error {
	if err := o.begin(ec); err != nil {
		return err
	}
	if err := o.apply(o); err != nil {
		return err
	}
	return o.finish()
}

// begin gets ready for the first row.
func (o *changeOp) begin(ec *Context) error {
	o.ec, o.w, o.ordinal = ec, &ec.write.writer[o.rules.slot], 0
	o.w.lost.reset()
	if len(o.returning) > 0 {
		if err := o.rows.start(ec, len(o.returning)); err != nil {
			return err
		}
		if o.answer == nil {
			o.answer = make(types.Row, len(o.returning))
		}
	}
	ec.call.Ordinal = 1
	defer func() { ec.call.Ordinal = 0 }()
	return evalCells(ec, o.context, nil, o.w.context())
}

// finish makes the answer readable.
func (o *changeOp) finish() error {
	if len(o.returning) == 0 {
		return nil
	}
	err := o.rows.finish()
	o.reader = o.rows.read()
	return err
}

// each calls f for every row of the source; the row is valid during the call. After every batch it deals with what has become due.
func (o *changeOp) each(f func(row types.Row) error) error {
	return o.batches(func(rows []types.Row) error {
		for _, row := range rows {
			if err := f(row); err != nil {
				return err
			}
		}
		return nil
	})
}

func (o *changeOp) batches(f func(rows []types.Row) error) error {
	if err := o.in.Open(o.ec); err != nil {
		return err
	}
	for {
		if err := o.in.Next(&o.batch); err != nil {
			return err
		}
		if len(o.batch.Rows) == 0 {
			return o.in.Close()
		}
		if err := f(o.batch.Rows); err != nil {
			return err
		}
		if err := o.pause(); err != nil {
			return err
		}
	}
}

// pause is called between batches of rows.
func (o *changeOp) pause() error {
	if err := o.ec.canceled(); err != nil {
		return err
	}
	return o.ec.write.due()
}

// written counts a row that the change wrote and computes its answer over the writer's frame.
func (o *changeOp) written() error {
	o.ec.write.changes++
	if len(o.returning) == 0 {
		return nil
	}
	for i, x := range o.returning {
		v, err := x(o.ec, o.w.row)
		if err != nil {
			return err
		}
		o.answer[i] = v
	}
	return o.rows.add(o.answer)
}

// Next gives the rows of RETURNING.
func (o *changeOp) Next(b *Batch) error {
	if len(o.returning) == 0 {
		b.Rows = nil
		return nil
	}
	return nextSpooled(o.ec, &o.reader, &o.block, b)
}

// Close closes the source and drops the answer.
func (o *changeOp) Close() error {
	if o.in == nil {
		return o.rows.close()
	}
	return firstError(o.rows.close(), o.in.Close())
}
