package store

import (
	"context"

	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/vtabtest"
)

// faultyStore fails at the calls that its switch says.
type faultyStore struct {
	kv.Store
	faults *vtabtest.Faults
}

func (s *faultyStore) Get(key, dst []byte) ([]byte, bool, error) {
	if err := s.faults.Call(); err != nil {
		return dst, false, err
	}
	return s.Store.Get(key, dst)
}

func (s *faultyStore) NewIter(o kv.IterOptions) (kv.Iterator, error) {
	return faultyIter(s.faults, func() (kv.Iterator, error) { return s.Store.NewIter(o) })
}

func (s *faultyStore) NewSnapshot() (kv.Snapshot, error) {
	if err := s.faults.Call(); err != nil {
		return nil, err
	}
	snap, err := s.Store.NewSnapshot()
	return &faultySnapshot{snap, s.faults}, err
}

func (s *faultyStore) Commit(b kv.Batch, sync bool) error {
	if err := s.faults.Call(); err != nil {
		_ = b.Close()
		return err
	}
	return s.Store.Commit(b, sync)
}

func (s *faultyStore) Ingest(ctx context.Context, files []kv.BulkFile) error {
	if err := s.faults.Call(); err != nil {
		for _, f := range files {
			_ = f.Remove()
		}
		return err
	}
	return s.Store.Ingest(ctx, files)
}

func (s *faultyStore) Clear(ctx context.Context, spans []kv.Span) error {
	if err := s.faults.Call(); err != nil {
		return err
	}
	return s.Store.Clear(ctx, spans)
}

func (s *faultyStore) Size(span kv.Span) (uint64, error) {
	if err := s.faults.Call(); err != nil {
		return 0, err
	}
	return s.Store.Size(span)
}

func (s *faultyStore) FreeSpace() (uint64, error) {
	if err := s.faults.Call(); err != nil {
		return 0, err
	}
	return s.Store.FreeSpace()
}

func (s *faultyStore) NewBulkWriter() (kv.BulkWriter, error) {
	if err := s.faults.Call(); err != nil {
		return nil, err
	}
	w, err := s.Store.NewBulkWriter()
	return &faultyWriter{w, s.faults}, err
}

type faultySnapshot struct {
	kv.Snapshot
	faults *vtabtest.Faults
}

func (s *faultySnapshot) Get(key, dst []byte) ([]byte, bool, error) {
	if err := s.faults.Call(); err != nil {
		return dst, false, err
	}
	return s.Snapshot.Get(key, dst)
}

func (s *faultySnapshot) NewIter(o kv.IterOptions) (kv.Iterator, error) {
	return faultyIter(s.faults, func() (kv.Iterator, error) { return s.Snapshot.NewIter(o) })
}

type faultyWriter struct {
	kv.BulkWriter
	faults *vtabtest.Faults
}

func (w *faultyWriter) Set(key, value []byte) error {
	if err := w.faults.Call(); err != nil {
		return err
	}
	return w.BulkWriter.Set(key, value)
}

func (w *faultyWriter) Finish() (kv.BulkFile, error) {
	if err := w.faults.Call(); err != nil {
		_ = w.Abort()
		return nil, err
	}
	return w.BulkWriter.Finish()
}

// failingIter is an iterator whose moves fail. As with real ones, the next move forgets the error.
type failingIter struct {
	kv.Iterator
	faults *vtabtest.Faults
	err    error
}

func faultyIter(f *vtabtest.Faults, open func() (kv.Iterator, error)) (kv.Iterator, error) {
	if err := f.Call(); err != nil {
		return nil, err
	}
	it, err := open()
	if err != nil {
		return nil, err
	}
	return &failingIter{Iterator: it, faults: f}, nil
}

func (i *failingIter) move(step func() bool) bool {
	i.err = i.faults.Call()
	return i.err == nil && step()
}

func (i *failingIter) First() bool { return i.move(i.Iterator.First) }
func (i *failingIter) Last() bool  { return i.move(i.Iterator.Last) }
func (i *failingIter) Next() bool  { return i.move(i.Iterator.Next) }
func (i *failingIter) Prev() bool  { return i.move(i.Iterator.Prev) }
func (i *failingIter) Valid() bool { return i.err == nil && i.Iterator.Valid() }

func (i *failingIter) SeekGE(key []byte) bool {
	return i.move(func() bool { return i.Iterator.SeekGE(key) })
}

func (i *failingIter) SeekLT(key []byte) bool {
	return i.move(func() bool { return i.Iterator.SeekLT(key) })
}

func (i *failingIter) Probe(key []byte) bool {
	return i.move(func() bool { return i.Iterator.Probe(key) })
}

func (i *failingIter) Err() error {
	if i.err != nil {
		return i.err
	}
	return i.Iterator.Err()
}
