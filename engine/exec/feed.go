package exec

import "github.com/quereus/quereus-migrate/types"

// feed brings rows to the states of one aggregate: at once, or through a sorter for ORDER BY and through a dedup for DISTINCT. A
// fed row is the number of its group, the arguments, and the keys of the order.
type feed struct {
	*aggRecipe
	op     *aggregateOp
	index  int // of the aggregate
	sorter sorter
	dedup  dedup
	row    types.Row
}

// columns of a fed row.
const (
	fedGroup = iota
	fedArgs
)

func newFeed(o *aggregateOp, index int) *feed {
	a := o.aggs[index]
	f := &feed{aggRecipe: a, op: o, index: index, row: make(types.Row, fedArgs+len(a.args)+len(a.order))}
	f.dedup.keys, f.dedup.width = a.distinct, fedArgs+len(a.args)
	return f
}

func (f *feed) start(ec *Context) error {
	if f.compare != nil {
		if err := f.sorter.start(ec, len(f.row), f.compare); err != nil {
			return err
		}
	}
	if f.distinct == nil {
		return nil
	}
	return f.dedup.start(ec)
}

// take brings one row.
func (f *feed) take(group int, args, order []types.Value) error {
	if f.compare == nil && f.distinct == nil {
		return f.step(group, args)
	}
	f.row[fedGroup] = types.Int(int64(group))
	copy(f.row[fedArgs:], args)
	copy(f.row[fedArgs+len(args):], order)
	if f.compare != nil {
		return f.sorter.add(f.row)
	}
	return f.stepNew(f.row)
}

// stepNew brings a fed row to its state, under DISTINCT if it is the first of its kind in the group.
func (f *feed) stepNew(row types.Row) error {
	row = row[:fedArgs+len(f.args)]
	if f.distinct != nil {
		isNew, err := f.dedup.see(row, row)
		if err != nil || !isNew {
			return err
		}
	}
	return f.stepRow(row)
}

func (f *feed) stepRow(row types.Row) error {
	group, _ := row[fedGroup].Int64()
	return f.step(int(group), row[fedArgs:])
}

func (f *feed) step(group int, args []types.Value) error {
	call := &f.op.ec.call
	before := call.Held
	err := f.op.groups.states[group][f.index].Step(call, args)
	if f.op.held += call.Held - before; err != nil {
		return f.fail(err)
	}
	return nil
}

// finish brings the rows that were held back: in order, then those that DISTINCT set aside.
func (f *feed) finish() error {
	if f.compare != nil {
		if err := f.drain(f.sorter.finish, f.sorter.next, f.stepNew); err != nil {
			return err
		}
	}
	if f.distinct == nil {
		return nil
	}
	return f.drain(f.dedup.finish, f.dedup.next, f.stepRow)
}

func (f *feed) drain(finish func() error, next func() (types.Row, error), take func(types.Row) error) error {
	if err := finish(); err != nil {
		return err
	}
	for {
		row, err := next()
		if err != nil || row == nil {
			return err
		}
		if err := take(row); err != nil {
			return err
		}
	}
}

func (f *feed) close() error {
	return firstError(f.sorter.close(), f.dedup.close())
}
