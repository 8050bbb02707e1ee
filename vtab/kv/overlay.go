package kv

import (
	"context"

	"github.com/quereus/quereus-migrate/vtab/kv/internal/memtree"
)

// overlay is what a transaction wrote: a tree in memory over runs on disk. The transaction's goroutine uses it; others read
// pinned states of it.
type overlay struct {
	now    layers
	arena  *memtree.Arena // of new records
	epoch  uint64         // of now.tree: trees of one epoch come from each other and share records
	epochs uint64         // the last epoch that was begun
	held   int64          // bytes of trees of other epochs, which savepoints keep in memory
	budget int64
	dir    func() string // where runs go; asked only when one is needed
}

// maxRuns is how many runs a state has at most: a lookup may have to ask each.
const maxRuns = 8

// mergeGrowth is how much bigger than all newer ones a run may be to be merged with them. It keeps the work of merging
// proportional to the logarithm of what is written.
const mergeGrowth = 2

func newOverlay(dir func() string, budget int64) *overlay {
	return &overlay{now: layers{tree: newSharedTree()}, arena: new(memtree.Arena), dir: dir, budget: budget}
}

func newSharedTree() *sharedTree { return &sharedTree{Tree: memtree.New()} }

// find looks a key up without its value.
func (o *overlay) find(key []byte) (f found, noBase bool, err error) {
	if r, ok := o.now.tree.Find(key); ok {
		return foundRecord(r), r.NoBase(), nil
	}
	_, f, noBase, err = o.now.getRuns(key, nil)
	return f, noBase, err
}

// writable is the tree, after whoever pinned it has got it for himself.
func (o *overlay) writable() *sharedTree {
	if t := o.now.tree; t.pins.Load() > 0 {
		o.now.tree = &sharedTree{Tree: t.Copy(), bytes: t.bytes}
	}
	return o.now.tree
}

// set puts a record in and gives what undoes that.
func (o *overlay) set(key, value []byte, isDeleted, noBase bool) (undoRecord, error) {
	r, err := o.arena.NewRecord(key, value, isDeleted)
	if err != nil {
		return undoRecord{}, err
	}
	r = r.WithNoBase(noBase)
	t := o.writable()
	t.bytes += r.Bytes()
	if prev, replaced := t.Set(r); replaced {
		return undoRecord{prev, true}, nil
	}
	return undoRecord{r, false}, nil
}

// remove takes the tree's record under key, which there is, out, so that the layers below decide again.
func (o *overlay) remove(key []byte) undoRecord {
	prev, _ := o.writable().Delete(key)
	return undoRecord{prev, true}
}

// bytes is an upper bound of the size of all records.
func (o *overlay) bytes() int64 {
	n := o.now.tree.bytes
	for _, r := range o.now.runs {
		n += r.Bytes()
	}
	return n
}

// full reports whether the records in memory passed the budget.
func (o *overlay) full() bool { return o.now.tree.bytes+o.held > o.budget && o.now.tree.Len() > 0 }

// crowded reports whether a savepoint would keep too much in memory.
func (o *overlay) crowded() bool { return o.now.tree.bytes+o.held > o.budget/2 && o.now.tree.Len() > 0 }

// replace makes l, of that epoch and pinned for it, the present state. The old one keeps its runs as long as others hold them.
func (o *overlay) replace(l layers, epoch uint64) {
	old := o.now
	l.tree.pins.Add(-1) // the overlay holds its own tree without a pin; savepoints that share it have theirs
	o.now, o.epoch = l, epoch
	for _, r := range old.runs {
		r.release()
	}
}

// close drops the state.
func (o *overlay) close() {
	for _, r := range o.now.runs {
		r.release()
	}
	o.now = layers{tree: newSharedTree()}
}

// spill writes the tree to a run and begins a new one.
func (o *overlay) spill(ctx context.Context) error {
	c := &treeCursor{}
	c.Init(o.now.tree.Tree, nil, nil)
	run, err := o.writeRun(ctx, int64(o.now.tree.Len()), c, false)
	if err != nil {
		return err
	}
	o.now = layers{tree: newSharedTree(), runs: append([]*sharedRun{newSharedRun(run)}, o.now.runs...)}
	o.arena = new(memtree.Arena)
	o.epochs++
	o.epoch = o.epochs
	if len(o.now.runs) > maxRuns {
		return o.merge(ctx)
	}
	return nil
}

// merge makes one run of the newest ones, of so many that sizes keep growing with age.
func (o *overlay) merge(ctx context.Context) error {
	runs := o.now.runs
	n, size := 1, runs[0].Bytes()
	for n < len(runs) && (n < 2 || runs[n].Bytes() <= mergeGrowth*size) {
		size += runs[n].Bytes()
		n++
	}
	var keys int64
	cursors := make([]layerCursor, n)
	for i, r := range runs[:n] {
		keys += r.Len()
		cursors[i] = runCursor{r.NewIter(Span{})}
	}
	merged, err := o.writeRun(ctx, keys, newStackCursor(cursors), n == len(runs))
	if err != nil {
		return err
	}
	o.now.runs = append([]*sharedRun{newSharedRun(merged)}, runs[n:]...)
	for _, r := range runs[:n] {
		r.release()
	}
	return nil
}

// checkEvery is how many records a long loop handles between two looks at its context.
const checkEvery = 1 << 10

// writeRun writes what a cursor shows to a run. In the oldest run a tombstone that hides nothing is of no use.
func (o *overlay) writeRun(ctx context.Context, keys int64, c layerCursor, oldest bool) (*Run, error) {
	w, err := NewRunWriter(o.dir(), keys)
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	n := 0
	for ok := c.First(); ok; ok = c.Next() {
		if n++; n%checkEvery == 0 {
			if err := Interrupted(ctx); err != nil {
				return nil, err
			}
		}
		if oldest && idle(c) {
			continue
		}
		if err := w.add(c.Key(), c.Value(), runFlags(c)); err != nil {
			return nil, err
		}
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	return w.Finish()
}

// idle reports whether the record a cursor is on hides nothing of the base.
func idle(c layerCursor) bool { return c.Deleted() && c.NoBase() }

func runFlags(c layerCursor) (flags uint64) {
	if c.Deleted() {
		flags |= runDeleted
	}
	if c.NoBase() {
		flags |= runNoBase
	}
	return flags
}
