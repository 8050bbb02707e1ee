package exec

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/types"
)

// windowAggregate computes an aggregate over frames. A frame that only grows is one running state. A frame that moves takes rows out of the
// state where the aggregate can undo a step exactly, and is put together from a tree of states where states can be merged; only what
// can do neither is computed anew for each frame that differs from the one before.
type windowAggregate struct {
	o    *windowOp
	c    *windowCallRecipe
	args []types.Value
	// last is the frame that result is for.
	last   frameSpans
	result types.Value
	known  bool
	// running holds the rows of reach.
	running function.State
	reach   span
	seen    *distinctArgs
	tree    *stateTree
	// stuck is set when the running state turned out not to be able to undo a step.
	stuck bool
	held  int64 // by the running state, as Call.Held counts it
}

func newWindowAggregate(o *windowOp, c *windowCallRecipe) windowFunc {
	a := &windowAggregate{o: o, c: c, args: make([]types.Value, len(c.args))}
	if c.distinct != nil && c.Fn.Name != "min" && c.Fn.Name != "max" {
		a.seen = &distinctArgs{keys: c.distinct}
	}
	return a
}

func (a *windowAggregate) begin() error {
	a.known, a.stuck, a.tree = false, false, nil
	a.restart(0)
	return nil
}

// restart begins the running state at a row.
func (a *windowAggregate) restart(at int) {
	a.o.ec.call.Release(a.held)
	a.held = 0
	a.running, a.reach = a.c.New(), span{at, at}
	if a.seen != nil {
		a.seen.reset()
	}
}

func (a *windowAggregate) value(i int) (types.Value, error) {
	frame, err := a.o.frame(&a.c.frame, i)
	if err != nil {
		return types.Null, err
	}
	if a.known && frame == a.last {
		return a.result, nil
	}
	state, err := a.state(&frame)
	if err != nil {
		return types.Null, err
	}
	v, err := state.Final(&a.o.ec.call)
	if err == nil {
		err = a.o.ec.countGroup(v)
	}
	if err != nil {
		return types.Null, a.c.fail(err)
	}
	a.last, a.result, a.known = frame, v, true
	return v, nil
}

// state gives a state that holds exactly the rows of a frame.
func (a *windowAggregate) state(frame *frameSpans) (function.State, error) {
	want := span{a.reach.to, a.reach.to}
	if frame.n > 0 {
		want = frame.list[0]
	}
	if a.tree == nil && a.c.frame.exclude <= ast.ExcludeNoOthers {
		if ok, err := a.moveTo(want); ok || err != nil {
			return a.running, err
		}
	}
	if a.canMerge() {
		return a.merged(frame)
	}
	return a.afresh(frame)
}

// moveTo makes the running state hold a stretch of rows; ok is false when putting it together from the tree is better.
func (a *windowAggregate) moveTo(want span) (ok bool, err error) {
	switch {
	case want.len() == 0 || a.reach.len() == 0:
		a.restart(want.from)
	case !a.reaches(want) && a.canMerge():
		return false, nil
	case !a.reaches(want):
		a.restart(want.from)
	}
	for a.reach.to < want.to {
		if err := a.take(a.running, a.reach.to); err != nil {
			return false, err
		}
		a.reach.to++
	}
	for a.reach.from < want.from {
		ok, err := a.undo(a.reach.from)
		if err != nil {
			return false, err
		}
		if !ok {
			return a.giveUpUndo(want)
		}
		a.reach.from++
	}
	return true, nil
}

// reaches reports whether the running state can be moved on to a stretch.
func (a *windowAggregate) reaches(want span) bool {
	_, undoes := a.running.(function.Inverter)
	onward := a.reach.from <= want.from && want.from < a.reach.to && a.reach.to <= want.to
	return onward && (want.from == a.reach.from || undoes && !a.stuck)
}

// giveUpUndo is moveTo after a step that could not be undone: never again in this partition.
func (a *windowAggregate) giveUpUndo(want span) (ok bool, err error) {
	a.stuck = true
	a.restart(want.from)
	if a.canMerge() {
		return false, nil
	}
	return a.moveTo(want)
}

// read loads the arguments of a row; ok is false when the filter leaves it out.
func (a *windowAggregate) read(i int) (ok bool, err error) {
	if i%batchRows == 0 {
		if err := a.o.ec.canceled(); err != nil {
			return false, err
		}
	}
	row, err := a.o.rows.at(i)
	if err != nil {
		return false, err
	}
	if a.c.filter >= 0 && !row[a.c.filter].Bool() {
		return false, nil
	}
	for k, at := range a.c.args {
		a.args[k] = row[at]
	}
	return true, nil
}

// take steps a state with a row.
func (a *windowAggregate) take(s function.State, i int) error {
	ok, err := a.read(i)
	if err != nil || !ok {
		return err
	}
	if a.seen != nil {
		isNew, err := a.seen.add(a.args)
		if err != nil || !isNew {
			return err
		}
	}
	before := a.o.ec.call.Held
	err = s.Step(&a.o.ec.call, a.args)
	if a.held += a.o.ec.call.Held - before; err != nil {
		return a.c.fail(err)
	}
	return nil
}

// undo takes a row out of the running state, which is of no use any more when that cannot be done (ok is false).
func (a *windowAggregate) undo(i int) (ok bool, err error) {
	if ok, err := a.read(i); err != nil || !ok {
		return err == nil, err
	}
	if a.seen != nil {
		isLast, err := a.seen.remove(a.args)
		if err != nil || !isLast {
			return err == nil, err
		}
	}
	return a.running.(function.Inverter).Undo(a.args), nil
}

func (a *windowAggregate) canMerge() bool {
	_, ok := a.running.(function.Merger)
	return ok && a.seen == nil
}

// afresh computes a frame from its rows.
func (a *windowAggregate) afresh(frame *frameSpans) (function.State, error) {
	a.restart(0)
	for _, s := range frame.list[:frame.n] {
		for i := s.from; i < s.to; i++ {
			if err := a.take(a.running, i); err != nil {
				return nil, err
			}
		}
	}
	return a.running, nil
}

// merged puts a frame together from the tree.
func (a *windowAggregate) merged(frame *frameSpans) (function.State, error) {
	if a.tree == nil {
		a.tree = &stateTree{a: a}
	}
	out := a.c.New()
	for _, s := range frame.list[:frame.n] {
		if err := a.tree.collect(out, s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// stateTree holds states over stretches of treeFan, treeFan², … rows of a partition, made when they are first asked for: about a state
// for each treeFan rows, and a frame takes a logarithm of merges.
type stateTree struct {
	a      *windowAggregate
	levels [][]function.State
}

const treeFan = 16

// collect adds the rows of a stretch to a state, in their order.
func (t *stateTree) collect(out function.State, s span) error {
	for i := s.from; i < s.to; {
		level, size := 0, 1
		for i%(size*treeFan) == 0 && i+size*treeFan <= s.to {
			level++
			size *= treeFan
		}
		if err := t.add(out, level, i/size); err != nil {
			return err
		}
		i += size
	}
	return nil
}

// add adds one row (level 0) or block to a state.
func (t *stateTree) add(out function.State, level, n int) error {
	if level == 0 {
		return t.a.take(out, n)
	}
	block, err := t.block(level, n)
	if err != nil {
		return err
	}
	if err := out.(function.Merger).Merge(block); err != nil {
		return t.a.c.fail(err)
	}
	return nil
}

// block gives the state of block n of a level.
func (t *stateTree) block(level, n int) (function.State, error) {
	for len(t.levels) < level {
		size := treeFan
		for range t.levels {
			size *= treeFan
		}
		t.levels = append(t.levels, make([]function.State, t.a.o.rows.len()/size+1))
	}
	if s := t.levels[level-1][n]; s != nil {
		return s, nil
	}
	s := t.a.c.New()
	for k := range treeFan {
		if err := t.add(s, level-1, n*treeFan+k); err != nil {
			return nil, err
		}
	}
	t.levels[level-1][n] = s
	return s, nil
}

// distinctArgs counts the arguments in a running state, by the key that DISTINCT compares by.
type distinctArgs struct {
	keys  *types.KeyEncoder
	count map[string]int
	buf   []byte
}

func (d *distinctArgs) reset() { d.count = emptied(d.count) }

// add counts arguments, and reports whether they are the first of their kind.
func (d *distinctArgs) add(args []types.Value) (isNew bool, err error) {
	if d.buf, err = d.keys.Append(d.buf[:0], args...); err != nil {
		return false, err
	}
	if d.count == nil {
		d.count = map[string]int{}
	}
	d.count[string(d.buf)]++
	return d.count[string(d.buf)] == 1, nil
}

// remove takes arguments back, and reports whether they were the last of their kind.
func (d *distinctArgs) remove(args []types.Value) (isLast bool, err error) {
	if d.buf, err = d.keys.Append(d.buf[:0], args...); err != nil {
		return false, err
	}
	n := d.count[string(d.buf)] - 1
	if n == 0 {
		delete(d.count, string(d.buf))
		return true, nil
	}
	d.count[string(d.buf)] = n
	return false, nil
}
