package mem

import (
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/internal/memtree"
)

// snapshot is a root that was published once.
type snapshot struct {
	store  *Store
	tree   *memtree.Tree
	closed bool
}

func (s *snapshot) Get(key, dst []byte) ([]byte, bool, error) {
	if s.closed {
		return dst, false, errSnapshotClosed()
	}
	return get(s.tree, key, dst)
}

func (s *snapshot) NewIter(o kv.IterOptions) (kv.Iterator, error) {
	if s.closed {
		return nil, errSnapshotClosed()
	}
	return s.store.newIter(s.tree, o), nil
}

func (s *snapshot) Close() error {
	if s.closed {
		return errSnapshotClosed()
	}
	s.closed = true
	s.store.snaps.Add(-1)
	return nil
}

func errSnapshotClosed() error { return types.Errorf(types.MISUSE, "the snapshot is closed") }

// iterator is a cursor over a root that was published once.
type iterator struct {
	memtree.Cursor
	store *Store
	tree  *memtree.Tree
	span  kv.Span
	hit   memtree.Record // what the last Probe found
	found bool
	probe bool
}

func (s *Store) newIter(t *memtree.Tree, o kv.IterOptions) kv.Iterator {
	it := &iterator{store: s, tree: t, span: o.Span, probe: o.Probe}
	if !o.Probe {
		it.Init(t, o.Lo, o.Hi)
	}
	s.iters.Add(1)
	return kv.Checked(it, o)
}

func (it *iterator) Probe(key []byte) bool {
	it.found = it.span.Contains(key)
	if it.found {
		it.hit, it.found = it.tree.Get(key)
	}
	return it.found
}

func (it *iterator) Valid() bool {
	if it.probe {
		return it.found
	}
	return it.Cursor.Valid()
}

func (it *iterator) record() memtree.Record {
	if it.probe {
		return it.hit
	}
	return it.Record()
}

func (it *iterator) Key() []byte   { return it.record().Key() }
func (it *iterator) Value() []byte { return it.record().Value() }
func (it *iterator) Err() error    { return nil }

func (it *iterator) Close() error {
	if it.store != nil {
		it.store.iters.Add(-1)
		it.store = nil
	}
	return nil
}

// batch is a list of records, tombstones among them.
type batch struct {
	store   *Store
	records []memtree.Record
	bytes   int
	done    bool
}

// NewBatch implements kv.Store.
func (s *Store) NewBatch() kv.Batch { return &batch{store: s} }

func (b *batch) Set(key, value []byte) error { return b.add(key, value, false) }
func (b *batch) Delete(key []byte) error     { return b.add(key, nil, true) }

func (b *batch) add(key, value []byte, deleted bool) error {
	if b.done {
		return types.Errorf(types.MISUSE, "the batch is committed or closed")
	}
	if err := kv.CheckKey(key); err != nil {
		return err
	}
	// A record of its own, not one in an arena: the entries of a table die one by one.
	r, err := memtree.NewRecord(key, value, deleted)
	if err != nil {
		return err
	}
	b.records = append(b.records, r)
	b.bytes += int(r.Bytes())
	return nil
}

func (b *batch) Bytes() int { return b.bytes }

func (b *batch) Close() error {
	b.done, b.records = true, nil
	return nil
}

// Commit implements kv.Store.
func (s *Store) Commit(kb kv.Batch, _ bool) error {
	b, ok := kb.(*batch)
	if !ok || b.store != s || b.done {
		return types.Errorf(types.MISUSE, "the batch belongs to another store, or is committed or closed")
	}
	defer b.Close()
	return s.publish(func(t *memtree.Tree) { apply(t, b.records) })
}

func apply(t *memtree.Tree, records []memtree.Record) {
	for _, r := range records {
		if r.Deleted() {
			t.Delete(r.Key())
		} else {
			t.Set(r)
		}
	}
}
