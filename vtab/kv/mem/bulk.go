package mem

import (
	"context"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/internal/memtree"
)

// bulkFile is a "file" in memory: sorted records that wait for Ingest, and the writer that collects them.
type bulkFile struct {
	store   *Store // nil once it is finished, aborted, removed or ingested
	records []memtree.Record
	bytes   uint64
}

// NewBulkWriter implements kv.Store.
func (s *Store) NewBulkWriter() (kv.BulkWriter, error) {
	if _, err := s.live(); err != nil {
		return nil, err
	}
	s.bulks.Add(1)
	return &bulkWriter{file: &bulkFile{store: s}}, nil
}

type bulkWriter struct {
	file *bulkFile
	err  error
	done bool
}

func (w *bulkWriter) Set(key, value []byte) error { return w.add(key, value, false) }
func (w *bulkWriter) Delete(key []byte) error     { return w.add(key, nil, true) }

func (w *bulkWriter) add(key, value []byte, deleted bool) error {
	if w.err == nil {
		w.err = w.append(key, value, deleted)
	}
	return w.err
}

func (w *bulkWriter) append(key, value []byte, deleted bool) error {
	f := w.file
	if w.done {
		return types.Errorf(types.MISUSE, "the bulk file is finished")
	}
	prev := []byte{} // an empty key does not come after it
	if n := len(f.records); n > 0 {
		prev = f.records[n-1].Key()
	}
	if err := kv.CheckRising(prev, key); err != nil {
		return err
	}
	r, err := memtree.NewRecord(key, value, deleted)
	if err != nil {
		return err
	}
	f.records = append(f.records, r)
	f.bytes += uint64(r.Bytes())
	return nil
}

func (w *bulkWriter) Bytes() uint64 { return w.file.bytes }

func (w *bulkWriter) Finish() (kv.BulkFile, error) {
	if w.err == nil && w.done {
		w.err = types.Errorf(types.MISUSE, "the bulk file is finished")
	}
	if w.err == nil && len(w.file.records) == 0 {
		w.err = types.Errorf(types.MISUSE, "the bulk file is empty")
	}
	w.end()
	if w.err != nil {
		return nil, w.err
	}
	return w.file, nil
}

func (w *bulkWriter) Abort() error {
	w.end()
	return nil
}

func (w *bulkWriter) end() {
	if !w.done {
		w.done = true
		w.file.store.bulks.Add(-1)
	}
}

func (f *bulkFile) Span() kv.Span {
	return kv.Span{Lo: f.records[0].Key(), Hi: kv.Successor(f.records[len(f.records)-1].Key())}
}

func (f *bulkFile) Bytes() uint64 { return f.bytes }

func (f *bulkFile) Remove() error {
	f.store = nil
	return nil
}

// Ingest implements kv.Store.
func (s *Store) Ingest(ctx context.Context, files []kv.BulkFile) error {
	own := make([]*bulkFile, len(files))
	spans := make([]kv.Span, len(files))
	for i, file := range files {
		f, ok := file.(*bulkFile)
		if !ok || f.store != s {
			return types.Errorf(types.MISUSE, "the bulk file belongs to another store, or is ingested or removed")
		}
		own[i], spans[i] = f, f.Span()
	}
	defer func() {
		for _, f := range own {
			f.store = nil
		}
	}()
	if err := kv.CheckDisjoint(spans); err != nil {
		return err
	}
	if err := kv.Interrupted(ctx); err != nil {
		return err
	}
	return s.publish(func(t *memtree.Tree) {
		for _, f := range own {
			apply(t, f.records)
		}
	})
}
