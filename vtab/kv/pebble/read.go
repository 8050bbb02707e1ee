package pebble

import (
	"errors"
	"io"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// reader is what pebble.DB and pebble.Snapshot have in common here.
type reader interface {
	Get(key []byte) ([]byte, io.Closer, error)
	NewIter(o *pebble.IterOptions) (*pebble.Iterator, error)
}

// Get implements kv.Reader.
func (s *Store) Get(key, dst []byte) ([]byte, bool, error) {
	if err := s.enter(); err != nil {
		return dst, false, err
	}
	defer s.gate.leave()
	return s.get(s.db, key, dst)
}

func (s *Store) get(r reader, key, dst []byte) ([]byte, bool, error) {
	value, closer, err := r.Get(key)
	if err != nil {
		if errors.Is(err, pebble.ErrNotFound) {
			return dst, false, nil
		}
		return dst, false, s.wrap(err, "read")
	}
	dst = append(dst, value...)
	return dst, true, s.wrap(closer.Close(), "read")
}

// NewIter implements kv.Reader.
func (s *Store) NewIter(o kv.IterOptions) (kv.Iterator, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.gate.leave()
	return s.newIter(s.db, o)
}

func (s *Store) newIter(r reader, o kv.IterOptions) (kv.Iterator, error) {
	p := pebble.IterOptions{LowerBound: lowerBound(o.Lo), UpperBound: o.Hi}
	if o.Empty() {
		p.LowerBound = o.Hi // an inverted span is an empty one
	}
	// Probes ask for keys that mostly are not there; without this the filters of the bottom level, which has nearly all of
	// them, are not asked.
	p.UseL6Filters = o.Probe
	it, err := r.NewIter(&p)
	if err != nil {
		return nil, s.wrap(err, "read")
	}
	s.iters.Add(1)
	return kv.Checked(&iterator{it: it, store: s, span: o.Span}, o), nil
}

// lowerBound is the bound that Pebble takes for a span's: it does not expect empty keys.
func lowerBound(lo []byte) []byte {
	if len(lo) == 0 {
		return nil
	}
	return lo
}

// NewSnapshot implements kv.Store. A broken store gives none: what is in doubt would show in it.
func (s *Store) NewSnapshot() (kv.Snapshot, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.gate.leave()
	s.snaps.Add(1)
	return &snapshot{store: s, snap: s.db.NewSnapshot()}, nil
}

// snapshot can be read also when its store is broken since: what it shows was there before the write that failed, and an abandoned Pebble
// still has all of it, in memory and in files that nobody can remove (fence).
type snapshot struct {
	store  *Store
	snap   *pebble.Snapshot
	closed atomic.Bool
}

func (n *snapshot) check() error {
	if n.closed.Load() {
		return types.Errorf(types.MISUSE, "the snapshot is closed")
	}
	return nil
}

func (n *snapshot) Get(key, dst []byte) ([]byte, bool, error) {
	if err := n.check(); err != nil {
		return dst, false, err
	}
	return n.store.get(n.snap, key, dst)
}

func (n *snapshot) NewIter(o kv.IterOptions) (kv.Iterator, error) {
	if err := n.check(); err != nil {
		return nil, err
	}
	return n.store.newIter(n.snap, o)
}

func (n *snapshot) Close() error {
	if n.closed.Swap(true) {
		return types.Errorf(types.MISUSE, "the snapshot is closed")
	}
	n.store.snaps.Add(-1)
	// Closing the oldest snapshot looks for compactions, and for that waits for the manifest, which a write that hangs may hold for ever.
	// The caller has nothing to lose by a store that breaks meanwhile.
	err := n.store.health.run(n.store.what("close a snapshot"), n.snap.Close)
	if n.store.health.gone.Load() {
		return nil
	}
	return err
}

// iterator is a pebble.Iterator. Like a snapshot it reads on when its store breaks.
type iterator struct {
	it      *pebble.Iterator
	store   *Store
	span    kv.Span
	outside bool // the last probe was for a key outside the span
}

func (it *iterator) First() bool            { return it.it.First() }
func (it *iterator) Last() bool             { return it.it.Last() }
func (it *iterator) SeekLT(key []byte) bool { return it.it.SeekLT(key) }
func (it *iterator) Next() bool             { return it.it.Next() }
func (it *iterator) Prev() bool             { return it.it.Prev() }
func (it *iterator) Valid() bool            { return !it.outside && it.it.Valid() }
func (it *iterator) Key() []byte            { return it.it.Key() }
func (it *iterator) Value() []byte          { return it.it.Value() }

// SeekGE implements kv.Iterator.
func (it *iterator) SeekGE(key []byte) bool {
	if len(key) == 0 {
		return it.First() // Pebble does not expect empty keys
	}
	return it.it.SeekGE(key)
}

// Probe implements kv.Iterator. A key is its own prefix here, so what SeekPrefixGE finds is the key or nothing; a key
// outside the span Pebble would take for an error.
func (it *iterator) Probe(key []byte) bool {
	it.outside = len(key) == 0 || !it.span.Contains(key)
	return !it.outside && it.it.SeekPrefixGE(key)
}

func (it *iterator) Err() error {
	return it.store.wrap(it.it.Error(), "read")
}

func (it *iterator) Close() error {
	if it.it == nil {
		return nil
	}
	p := it.it
	it.it = nil
	it.store.iters.Add(-1)
	if it.store.health.gone.Load() {
		go func() { _ = p.Close() }() // an abandoned Pebble may hold its locks for ever
		return nil
	}
	return it.store.wrap(p.Close(), "read")
}
