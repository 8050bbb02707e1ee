// Package mem is the key-value store in memory. Its state is one copy-on-write B-tree: readers take the root that is
// published, a commit or an ingest writes a copy and publishes that. So a snapshot costs nothing, and no reader waits.
//
// Nothing outlives the process; a commit cannot fail but by misuse.
package mem

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/internal/memtree"
)

// Store is a kv.Store in memory.
type Store struct {
	root  atomic.Pointer[memtree.Tree] // never written once it is here; nil when the store is closed
	write sync.Mutex                   // held while a new root is made
	iters atomic.Int64
	snaps atomic.Int64
	bulks atomic.Int64
	temp  kv.TempDir
}

var _ kv.Store = (*Store)(nil)

// Open makes an empty store.
func Open() *Store {
	s := &Store{}
	s.root.Store(memtree.New())
	return s
}

func errClosed() error { return types.Errorf(types.MISUSE, "the store in memory is closed") }

// live gives the published state.
func (s *Store) live() (*memtree.Tree, error) {
	if t := s.root.Load(); t != nil {
		return t, nil
	}
	return nil, errClosed()
}

// publish runs change on a copy of the state and makes that the state.
func (s *Store) publish(change func(t *memtree.Tree)) error {
	s.write.Lock()
	defer s.write.Unlock()
	t, err := s.live()
	if err != nil {
		return err
	}
	next := t.Copy()
	change(next)
	s.root.Store(next)
	return nil
}

// Get implements kv.Reader.
func (s *Store) Get(key, dst []byte) ([]byte, bool, error) {
	t, err := s.live()
	if err != nil {
		return dst, false, err
	}
	return get(t, key, dst)
}

func get(t *memtree.Tree, key, dst []byte) ([]byte, bool, error) {
	r, ok := t.Get(key)
	if !ok {
		return dst, false, nil
	}
	return append(dst, r.Value()...), true, nil
}

// NewIter implements kv.Reader.
func (s *Store) NewIter(o kv.IterOptions) (kv.Iterator, error) {
	t, err := s.live()
	if err != nil {
		return nil, err
	}
	return s.newIter(t, o), nil
}

// NewSnapshot implements kv.Store.
func (s *Store) NewSnapshot() (kv.Snapshot, error) {
	t, err := s.live()
	if err != nil {
		return nil, err
	}
	s.snaps.Add(1)
	return &snapshot{store: s, tree: t}, nil
}

// Clear implements kv.Store. Unlike its contract needs, snapshots keep the entries.
func (s *Store) Clear(ctx context.Context, spans []kv.Span) error {
	for _, span := range spans {
		if err := kv.CheckSpan(span); err != nil {
			return err
		}
		if err := kv.Interrupted(ctx); err != nil {
			return err
		}
		if err := s.publish(func(t *memtree.Tree) { t.DeleteRange(span.Lo, span.Hi) }); err != nil {
			return err
		}
	}
	return nil
}

// sizeSample is how many entries Size reads of a span.
const sizeSample = 256

// Size implements kv.Store: the number of entries is exact, their size is that of a sample.
func (s *Store) Size(span kv.Span) (uint64, error) {
	t, err := s.live()
	if err != nil {
		return 0, err
	}
	if err := kv.CheckSpan(span); err != nil {
		return 0, err
	}
	lo, hi := t.Rank(span.Lo), t.Len()
	if span.Hi != nil {
		hi = t.Rank(span.Hi)
	}
	n := hi - lo
	if n <= 0 {
		return 0, nil
	}
	sample := min(n, sizeSample)
	var bytes int64
	for i := range sample {
		bytes += t.At(lo + i*n/sample).Bytes()
	}
	return uint64(float64(bytes) / float64(sample) * float64(n)), nil
}

// FreeSpace implements kv.Store.
func (s *Store) FreeSpace() (uint64, error) { return math.MaxUint64, nil }

// Checkpoint implements kv.Store: a store in memory has none.
func (s *Store) Checkpoint(context.Context, string) error {
	return types.Errorf(types.UNSUPPORTED, "a checkpoint of a store in memory is not supported")
}

// Durable implements kv.Store.
func (s *Store) Durable() bool { return false }

// TempDir implements kv.Store.
func (s *Store) TempDir() string { return s.temp.Path() }

// Close implements kv.Store.
func (s *Store) Close() error {
	s.write.Lock()
	defer s.write.Unlock()
	if s.root.Load() == nil {
		return errClosed()
	}
	if i, n, b := s.iters.Load(), s.snaps.Load(), s.bulks.Load(); i+n+b > 0 {
		return types.Errorf(types.MISUSE, "the store in memory cannot close: %s", kv.OpenHandles(i, n, b))
	}
	s.root.Store(nil)
	if err := s.temp.Remove(); err != nil {
		return &types.Error{Code: types.IOERR, Message: fmt.Sprintf("cannot remove the temporary files: %v", err), Cause: err}
	}
	return nil
}
