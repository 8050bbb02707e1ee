package pebble

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// NewBulkWriter implements kv.Store. The file is a table in the database's tmp directory, on the store's file system, so that
// Ingest only moves it.
func (s *Store) NewBulkWriter() (kv.BulkWriter, error) {
	if err := s.enterWrite(); err != nil {
		return nil, err
	}
	defer s.gate.leave()
	path := s.root.tempName("bulk", ".sst")
	f, err := s.root.fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, s.wrap(err, "make a bulk file")
	}
	// Written at the speed of the processor, the file would else be synced all at once at its end.
	f = vfs.NewSyncingFile(f, vfs.SyncingFileOptions{BytesPerSync: s.options.BytesPerSync})
	watched := &watchedFile{File: f}
	s.bulks.Add(1)
	return &bulkWriter{
		store: s, path: path, file: watched,
		w: sstable.NewWriter(objstorageprovider.NewFileWritable(watched), s.writerOptions()),
	}, nil
}

// watchedFile remembers that a write failed. Pebble's writer, which writes in the background, tells of it only when it is
// closed, perhaps many gigabytes later.
type watchedFile struct {
	vfs.File
	failed atomic.Pointer[error]
}

func (f *watchedFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	if err != nil {
		f.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

type bulkWriter struct {
	store       *Store
	path        string
	file        *watchedFile
	w           *sstable.Writer
	first, last []byte
	any         bool
	err         error // the first error; Pebble's writer would forget it and leave a shorter file
	done        bool
}

func (b *bulkWriter) Set(key, value []byte) error {
	if b.admit(key) {
		b.keep(b.w.Set(key, value))
	}
	return b.err
}

func (b *bulkWriter) Delete(key []byte) error {
	if b.admit(key) {
		b.keep(b.w.Delete(key))
	}
	return b.err
}

// admit reports whether key may come next.
func (b *bulkWriter) admit(key []byte) bool {
	switch {
	case b.err != nil:
		return false
	case b.done:
		b.err = types.Errorf(types.MISUSE, "the bulk file is finished")
	case b.any:
		b.err = kv.CheckRising(b.last, key)
	default:
		b.err = kv.CheckKey(key)
	}
	if b.err != nil {
		return false
	}
	if !b.any {
		b.any, b.first = true, bytes.Clone(key)
	}
	b.last = append(b.last[:0], key...)
	return true
}

func (b *bulkWriter) keep(err error) {
	if failed := b.file.failed.Load(); failed != nil {
		err = *failed
	}
	if b.err == nil {
		b.err = b.store.wrap(err, "write a bulk file")
	}
}

func (b *bulkWriter) Bytes() uint64 { return b.w.Raw().EstimatedSize() }

func (b *bulkWriter) Finish() (kv.BulkFile, error) {
	switch {
	case b.err != nil:
	case b.done:
		b.err = types.Errorf(types.MISUSE, "the bulk file is finished")
	case !b.any:
		b.err = types.Errorf(types.MISUSE, "the bulk file is empty")
	}
	if b.err == nil {
		b.end()
	}
	if b.err != nil {
		_ = b.Abort() // the error that matters is the first
		return nil, b.err
	}
	f := &bulkFile{store: b.store, path: b.path, span: kv.Span{Lo: b.first, Hi: kv.Successor(b.last)}}
	if meta, err := b.w.Metadata(); err == nil {
		f.bytes = meta.Size
	}
	return f, nil
}

// end closes the file, which Pebble's writer syncs.
func (b *bulkWriter) end() {
	b.done = true
	b.store.bulks.Add(-1)
	b.keep(b.w.Close())
}

func (b *bulkWriter) Abort() error {
	if !b.done {
		b.end()
	} else if b.err == nil {
		return nil // finished: the file is another's
	}
	return b.store.removeTemp(b.path)
}

// removeTemp removes a file that may be gone.
func (s *Store) removeTemp(path string) error {
	err := s.root.fs.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return s.wrap(err, "remove a bulk file")
}

type bulkFile struct {
	store *Store
	path  string
	span  kv.Span
	bytes uint64
	gone  bool // ingested or removed
}

func (f *bulkFile) Span() kv.Span { return f.span }
func (f *bulkFile) Bytes() uint64 { return f.bytes }

func (f *bulkFile) Remove() error {
	if f.gone {
		return nil
	}
	f.gone = true
	return f.store.removeTemp(f.path)
}

// Ingest implements kv.Store.
func (s *Store) Ingest(ctx context.Context, files []kv.BulkFile) error {
	if err := s.enterWrite(); err != nil {
		return err
	}
	defer s.gate.leave()
	paths := make([]string, len(files))
	spans := make([]kv.Span, len(files))
	for i, file := range files {
		f, ok := file.(*bulkFile)
		if !ok || f.store != s || f.gone {
			return types.Errorf(types.MISUSE, "the bulk file belongs to another store, or is ingested or removed")
		}
		paths[i], spans[i] = f.path, f.span
	}
	err := s.ingest(ctx, paths, spans)
	for _, file := range files {
		f := file.(*bulkFile)
		f.gone = true
		if err != nil {
			_ = s.removeTemp(f.path) // goes with tmp at the next open, else
		}
	}
	return err
}

func (s *Store) ingest(ctx context.Context, paths []string, spans []kv.Span) error {
	if len(paths) == 0 {
		return nil
	}
	if err := kv.CheckDisjoint(spans); err != nil {
		return err
	}
	if err := kv.Interrupted(ctx); err != nil {
		return err
	}
	return s.health.run(s.what("ingest"), func() error { return s.db.Ingest(ctx, paths) })
}
