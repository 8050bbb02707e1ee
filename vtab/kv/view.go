package kv

import "sync/atomic"

// View is an immutable reading of a transaction at one moment: what it wrote until then over its base. Any number of
// goroutines may read it, while the transaction goes on writing, ingesting and rolling back; the transaction and its
// snapshot must not end before it is closed.
type View struct {
	state  layers
	base   *base
	closed atomic.Bool
}

// View gives the present state of the transaction, in O(1). It must be closed; any goroutine may do that.
func (t *Txn) View() (*View, error) {
	if t.ended {
		return nil, errTxnDone()
	}
	return &View{state: t.over.now.pin(), base: t.base.retain()}, nil
}

// Get implements Reader.
func (v *View) Get(key, dst []byte) ([]byte, bool, error) {
	value, f, err := v.state.get(key, dst)
	if err != nil || f != notWritten {
		return value, f == written, err
	}
	return v.base.Get(key, dst)
}

// NewIter implements Reader.
func (v *View) NewIter(o IterOptions) (Iterator, error) { return newIter(v.state, v.base, o) }

// Close releases the view. Its iterators stay good. Calling it again does nothing.
func (v *View) Close() error {
	if v.closed.Swap(true) {
		return nil
	}
	v.state.release()
	return v.base.release()
}
