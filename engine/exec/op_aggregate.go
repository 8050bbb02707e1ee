package exec

import (
	"slices"

	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// aggregateRecipe is a compiled Aggregate. Each input row is evaluated into a working row: the keys, then for every aggregate
// whether it takes the row, its arguments, and the keys of its order. What is set aside when memory is short are working rows,
// so that no expression is evaluated twice.
type aggregateRecipe struct {
	keys   []Expr
	key    *types.KeyEncoder
	aggs   []*aggRecipe
	width  int // of the working row
	global bool
}

// aggRecipe is one aggregate.
type aggRecipe struct {
	new    func() function.State
	args   []Expr
	filter Pred // nil for all rows
	order  []Expr
	// at is the place of the aggregate's first value in the working row.
	at   int
	fail func(error) error
	// distinct keys a group's number with the arguments; nil without DISTINCT.
	distinct *types.KeyEncoder
	// compare orders fed rows, see feed; nil without ORDER BY.
	compare types.RowComparator
}

func (b *builder) aggregate(n *plan.Aggregate) recipe {
	in := b.node(n.Input)
	c := b.over(n.Input.Output())
	r := &aggregateRecipe{global: len(n.Keys) == 0, width: len(n.Keys)}
	cols := make([]plan.Column, len(n.Keys))
	for i, k := range n.Keys {
		r.keys = append(r.keys, c.expr(k.X))
		s := k.X.Static()
		cols[i] = plan.Column{Type: s.Type, Collation: s.Collation}
	}
	r.key = b.groupKeys(cols)
	for _, a := range n.Aggs {
		agg := b.agg(c, a)
		agg.at = r.width
		r.width += 1 + len(agg.args) + len(agg.order)
		r.aggs = append(r.aggs, agg)
	}
	return func() Operator { return newAggregateOp(r, in()) }
}

func (b *builder) agg(c *compiler, a *plan.Agg) *aggRecipe {
	r := &aggRecipe{new: a.New, args: c.exprs(a.Args), fail: b.callError("Function", a.Fn.Name, a.Pos)}
	if a.Filter != nil {
		r.filter = c.pred(a.Filter)
	}
	if a.Distinct {
		cols := []plan.Column{{Type: types.TypeInteger}}
		for _, x := range a.Args {
			cols = append(cols, plan.Column{Type: x.Static().Type, Collation: x.Static().Collation})
		}
		r.distinct = b.groupKeys(cols)
	}
	if len(a.OrderBy) == 0 {
		return r
	}
	terms := []types.OrderTerm{{Column: fedGroup, Cmp: types.NewComparator(types.TypeInteger, nil)}}
	for i := range a.OrderBy {
		k := &a.OrderBy[i]
		r.order = append(r.order, c.expr(k.X))
		terms = append(terms, types.OrderTerm{
			Column: fedArgs + len(a.Args) + i, Cmp: k.Comparator(), Desc: k.Desc, NullsLast: k.NullsLast,
		})
	}
	r.compare = types.NewRowComparator(terms...)
	return r
}

// aggregateOp groups its input. Groups come in the order of their first row. It holds the groups, up to the budget; rows of groups
// that do not fit are set aside in partitions by the hash of their key, which are worked off one after the other. Their groups
// come behind the others.
type aggregateOp struct {
	*aggregateRecipe
	in    Operator
	ec    *Context
	batch Batch
	work  types.Row
	buf   []byte
	// column holds an aggregate's arguments of a batch.
	column []types.Value

	groups groupTable
	feeds  []*feed
	held   int64 // by the states of the groups, as Call.Held counts it
	// aside are the partitions being written, pending those that wait, with the number of times their rows were partitioned.
	aside   []*spool
	pending []partition
	level   uint64

	filled bool
	at     int // next group to give
	block  rowBlock
}

type partition struct {
	rows  *spool
	level uint64
}

// partitions is the fan-out of setting rows aside.
const partitions = 16

// groupTable holds groups by key.
type groupTable struct {
	byKey  map[string]int
	keys   rowStore
	states [][]function.State
	bytes  int64
}

// stateBytes is what an aggregate's state of a group is taken to weigh.
const stateBytes = 96

func newAggregateOp(r *aggregateRecipe, in Operator) *aggregateOp {
	o := &aggregateOp{aggregateRecipe: r, in: in, work: make(types.Row, r.width)}
	for i := range r.aggs {
		o.feeds = append(o.feeds, newFeed(o, i))
	}
	return o
}

// Open opens the input; rows are read when the first group is asked for.
func (o *aggregateOp) Open(ec *Context) error {
	o.ec, o.filled, o.level = ec, false, 0
	if err := o.drop(); err != nil {
		return err
	}
	if err := o.reset(); err != nil {
		return err
	}
	return o.in.Open(ec)
}

// reset empties the groups for the input or the next partition.
func (o *aggregateOp) reset() error {
	o.at = 0
	o.dropGroups()
	for _, f := range o.feeds {
		if err := f.start(o.ec); err != nil {
			return err
		}
	}
	if o.global {
		o.newGroup(nil)
	}
	return nil
}

// dropGroups forgets the groups and gives back what their states held.
func (o *aggregateOp) dropGroups() {
	if o.held > 0 {
		o.ec.call.Release(o.held)
		o.held = 0
	}
	o.groups.reset(len(o.keys))
}

func (t *groupTable) reset(width int) {
	t.keys.reset(width)
	t.byKey = emptied(t.byKey)
	t.states = t.states[:0]
	t.bytes = 0
}

func (t *groupTable) len() int { return len(t.states) }

// Next gives the next groups.
func (o *aggregateOp) Next(b *Batch) error {
	b.Rows = nil
	if !o.filled {
		if err := o.fill(); err != nil {
			return err
		}
		o.filled = true
	}
	for o.at == o.groups.len() {
		if len(o.pending) == 0 {
			return nil
		}
		if err := o.fillPartition(); err != nil {
			return err
		}
	}
	o.block.reset(len(o.keys) + len(o.aggs))
	for full := o.ec.made + manyMade; o.at < o.groups.len() && !o.block.full() && o.ec.made < full; o.at++ {
		if err := o.emit(o.block.add(), o.at); err != nil {
			return err
		}
	}
	b.Rows = o.block.rows
	return o.ec.canceled()
}

func (o *aggregateOp) emit(out types.Row, group int) error {
	copy(out, o.groups.keys.rows[group])
	for i, s := range o.groups.states[group] {
		v, err := s.Final(&o.ec.call)
		if err == nil {
			err = o.ec.countGroup(v)
		}
		if err != nil {
			return o.aggs[i].fail(err)
		}
		out[len(o.keys)+i] = v
	}
	return nil
}

// fill reads the input.
func (o *aggregateOp) fill() error {
	take := o.takeRows
	if o.global && !slices.ContainsFunc(o.aggs, func(a *aggRecipe) bool { return !a.plain() }) {
		take = o.takeColumns
	}
	for {
		if err := o.in.Next(&o.batch); err != nil {
			return err
		}
		if len(o.batch.Rows) == 0 {
			return o.settle()
		}
		if err := take(o.batch.Rows); err != nil {
			return err
		}
	}
}

// plain reports whether every row of a group goes to the aggregate, as it comes, with one argument or none.
func (a *aggRecipe) plain() bool {
	return a.filter == nil && a.distinct == nil && a.compare == nil && len(a.args) <= 1
}

// takeColumns brings the arguments of a batch to the one group's states, aggregate by aggregate.
func (o *aggregateOp) takeColumns(rows []types.Row) error {
	for i, a := range o.aggs {
		state := o.groups.states[0][i]
		o.column = o.column[:0]
		for _, row := range rows {
			for _, x := range a.args {
				v, err := x(o.ec, row)
				if err != nil {
					return err
				}
				o.column = append(o.column, v)
			}
		}
		if err := a.stepAll(&o.ec.call, state, o.column, len(rows)); err != nil {
			return err
		}
	}
	return nil
}

// stepAll takes the rows of a plain aggregate.
func (a *aggRecipe) stepAll(call *function.Call, state function.State, column []types.Value, rows int) (err error) {
	if whole, ok := state.(function.Columnar); ok {
		err = whole.StepAll(call, column)
	} else {
		n := len(a.args)
		for i := 0; i < rows && err == nil; i++ {
			err = state.Step(call, column[i*n:(i+1)*n])
		}
	}
	if err != nil {
		return a.fail(err)
	}
	return nil
}

// takeRows brings the rows of a batch to their groups.
func (o *aggregateOp) takeRows(rows []types.Row) error {
	for _, row := range rows {
		if err := o.evaluate(row); err != nil {
			return err
		}
		if err := o.take(o.work); err != nil {
			return err
		}
	}
	return nil
}

// evaluate fills the working row.
func (o *aggregateOp) evaluate(row types.Row) error {
	if err := evalInto(o.ec, o.work, o.keys, row); err != nil {
		return err
	}
	for _, a := range o.aggs {
		passes := true
		if a.filter != nil {
			var err error
			if passes, err = a.filter(o.ec, row); err != nil {
				return err
			}
		}
		w := o.work[a.at:]
		if w[0] = types.Bool(passes); !passes {
			continue
		}
		if err := evalInto(o.ec, w[1:], a.args, row); err != nil {
			return err
		}
		if err := evalInto(o.ec, w[1+len(a.args):], a.order, row); err != nil {
			return err
		}
	}
	return nil
}

func evalInto(ec *Context, dst []types.Value, list []Expr, row types.Row) error {
	for i, x := range list {
		v, err := x(ec, row)
		if err != nil {
			return err
		}
		dst[i] = v
	}
	return nil
}

// take puts a working row into its group, or aside.
func (o *aggregateOp) take(work types.Row) error {
	group := 0
	if !o.global {
		var err error
		if o.buf, err = o.key.Append(o.buf[:0], work[:len(o.keys)]...); err != nil {
			return err
		}
		var ok bool
		if group, ok = o.groups.byKey[string(o.buf)]; !ok {
			if o.groups.bytes+o.groups.keys.bytes+o.held >= o.ec.budget() {
				return o.setAside(work)
			}
			group = o.newGroup(work)
		}
	}
	for i, f := range o.feeds {
		a := o.aggs[i]
		if w := work[a.at:]; w[0].Bool() {
			if err := f.take(group, w[1:1+len(a.args)], w[1+len(a.args):][:len(a.order)]); err != nil {
				return err
			}
		}
	}
	return nil
}

// newGroup adds a group under the key in buf.
func (o *aggregateOp) newGroup(work types.Row) int {
	t := &o.groups
	group := t.len()
	t.keys.add(work)
	states := make([]function.State, len(o.aggs))
	for i, a := range o.aggs {
		states[i] = a.new()
	}
	t.states = append(t.states, states)
	if !o.global {
		if t.byKey == nil {
			t.byKey = map[string]int{}
		}
		t.byKey[string(o.buf)] = group
		t.bytes += int64(len(o.buf)) + keyOverhead + stateBytes*int64(len(states))
	}
	return group
}

// setAside writes a working row, whose key is in buf, to its partition.
func (o *aggregateOp) setAside(work types.Row) error {
	if o.aside == nil {
		o.aside = make([]*spool, partitions)
	}
	i := types.HashKey(o.buf, o.level) % partitions
	if o.aside[i] == nil {
		o.aside[i] = new(spool)
		if err := o.aside[i].start(o.ec, o.width); err != nil {
			return err
		}
		o.aside[i].budget = 0
	}
	return o.aside[i].add(work)
}

// settle ends a pass: what the feeds held back goes into the groups, and partitions that were written wait for their turn.
func (o *aggregateOp) settle() error {
	for _, f := range o.feeds {
		if err := f.finish(); err != nil {
			return err
		}
	}
	for i := len(o.aside) - 1; i >= 0; i-- {
		if s := o.aside[i]; s != nil {
			if err := s.finish(); err != nil {
				return err
			}
			o.pending = append(o.pending, partition{s, o.level + 1})
		}
	}
	o.aside = nil
	return nil
}

// fillPartition groups the rows of the next partition.
func (o *aggregateOp) fillPartition() error {
	p := o.pending[len(o.pending)-1]
	o.pending = o.pending[:len(o.pending)-1]
	defer p.rows.close()
	o.level = p.level
	if err := o.reset(); err != nil {
		return err
	}
	for r := p.rows.read(); ; {
		row, err := r.next()
		if err != nil {
			return err
		}
		if row == nil {
			return o.settle()
		}
		if err := o.take(row); err != nil {
			return err
		}
	}
}

// drop closes the partitions of a run that was not read to its end.
func (o *aggregateOp) drop() error {
	var first error
	for _, s := range o.aside {
		if s != nil {
			first = firstError(first, s.close())
		}
	}
	for _, p := range o.pending {
		first = firstError(first, p.rows.close())
	}
	o.aside, o.pending = nil, nil
	return first
}

// Close drops the groups and closes the input.
func (o *aggregateOp) Close() error {
	err := firstError(o.in.Close(), o.drop())
	for _, f := range o.feeds {
		err = firstError(err, f.close())
	}
	o.dropGroups()
	return err
}
