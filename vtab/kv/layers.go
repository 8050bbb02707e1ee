package kv

import (
	"sync/atomic"

	"github.com/quereus/quereus-migrate/vtab/kv/internal/memtree"
)

// layers is one immutable state of a transaction's overlay: what the transaction wrote, newest layer first. A record, tombstones
// among them, hides those of its key in the layers below and in the base.
type layers struct {
	tree *sharedTree
	runs []*sharedRun // newest first; the slice is never changed in place
}

// sharedTree is a tree that its owner may write while no pin is on it.
type sharedTree struct {
	*memtree.Tree
	bytes int64        // memory of the records that went in, overwritten ones included
	pins  atomic.Int32 // readers that the tree must not change under
}

// sharedRun is a run whose file goes when the last state that holds it does.
type sharedRun struct {
	*Run
	refs atomic.Int32
}

func newSharedRun(r *Run) *sharedRun {
	s := &sharedRun{Run: r}
	s.refs.Store(1)
	return s
}

func (r *sharedRun) release() {
	if r.refs.Add(-1) == 0 {
		// The file has no name any more, or goes with the directory at the next open: nothing is lost if it resists.
		_ = r.Close()
	}
}

// pin keeps the state readable until release, whatever its owner writes. Only the owner's goroutine pins, or one that
// holds a pin of the same state.
func (l layers) pin() layers {
	l.tree.pins.Add(1)
	for _, r := range l.runs {
		r.refs.Add(1)
	}
	return l
}

// release ends a pin; any goroutine may do it, once.
func (l layers) release() {
	l.tree.pins.Add(-1)
	for _, r := range l.runs {
		r.release()
	}
}

// empty reports whether nothing was written at all.
func (l layers) empty() bool { return l.tree.Len() == 0 && len(l.runs) == 0 }

// emptyIn reports whether nothing was written in a span. Of runs it asks only their ends, so it may say false in vain.
func (l layers) emptyIn(s Span) bool {
	for _, r := range l.runs {
		if r.mayOverlap(s) {
			return false
		}
	}
	if l.tree.Len() == 0 {
		return true
	}
	var c memtree.Cursor
	c.Init(l.tree.Tree, s.Lo, s.Hi)
	return !c.First()
}

// found is what a lookup in the overlay gives.
type found uint8

const (
	notWritten found = iota // the overlay has no record: the base decides
	written                 // a value
	deleted                 // a tombstone
)

func foundRecord(r memtree.Record) found {
	if r.Deleted() {
		return deleted
	}
	return written
}

// get looks a key up; a value is appended to dst. Any goroutine may call it on a pinned state.
func (l layers) get(key, dst []byte) ([]byte, found, error) {
	if r, ok := l.tree.Get(key); ok {
		return append(dst, r.Value()...), foundRecord(r), nil
	}
	value, f, _, err := l.getRuns(key, dst)
	return value, f, err
}

// getRuns looks a key up in the runs only.
func (l layers) getRuns(key, dst []byte) (value []byte, f found, noBase bool, err error) {
	for _, r := range l.runs {
		value, flags, ok, err := r.lookup(key, dst)
		if err != nil {
			return dst, notWritten, false, err
		}
		if ok && flags&runDeleted != 0 {
			return dst, deleted, flags&runNoBase != 0, nil
		}
		if ok {
			return value, written, flags&runNoBase != 0, nil
		}
	}
	return dst, notWritten, false, nil
}

// cursor opens a cursor over all records in a span, newest of each key, tombstones included.
func (l layers) cursor(s Span) layerCursor {
	t := &treeCursor{}
	t.Init(l.tree.Tree, s.Lo, s.Hi)
	all := []layerCursor{t}
	for _, r := range l.runs {
		if r.mayOverlap(s) {
			all = append(all, runCursor{r.NewIter(s)})
		}
	}
	if len(all) == 1 {
		return t
	}
	return newStackCursor(all)
}

// layerCursor walks records of one or several layers. Keys and values are valid until the next move.
type layerCursor interface {
	First() bool
	Last() bool
	SeekGE(key []byte) bool
	SeekLT(key []byte) bool
	Next() bool
	Prev() bool
	Valid() bool
	Key() []byte
	Value() []byte
	Deleted() bool
	NoBase() bool
	Err() error
}

// treeCursor is the layerCursor of a tree.
type treeCursor struct{ memtree.Cursor }

func (c *treeCursor) Key() []byte   { return c.Record().Key() }
func (c *treeCursor) Value() []byte { return c.Record().Value() }
func (c *treeCursor) Deleted() bool { return c.Record().Deleted() }
func (c *treeCursor) NoBase() bool  { return c.Record().NoBase() }
func (c *treeCursor) Err() error    { return nil }

// runCursor is the layerCursor of a run.
type runCursor struct{ *RunIter }

func (c runCursor) NoBase() bool { return c.flags()&runNoBase != 0 }
