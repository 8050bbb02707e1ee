// Package kv is the ordered key-value interface that tables are built on: get, seek, iterate, write batch, snapshot, bulk
// ingest, and one transaction on top of them (Txn). kv/mem and kv/pebble implement Store; kvtest holds the suite that any
// implementation must pass.
//
// Keys order by bytes and are not empty. The package knows nothing of tables, rows or values.
//
// What always holds:
//   - A Store is written by one goroutine at a time and read by any number.
//   - A Snapshot, a View and an iterator show the state of the moment they were made, whatever is written later.
//   - Key and value slices belong to whom they came from. An iterator's are valid until it moves; whoever keeps them copies
//     them. Builds with the tag "invariants" overwrite them at the next move (see Checked).
//   - Every error is a *types.Error.
//
// The shape of a writing transaction:
//
//	snap, err := store.NewSnapshot()
//	txn := kv.NewTxn(store, snap, kv.TxnOptions{})
//	defer txn.Close()
//	existed, err := txn.Insert(key, value)
//	err = txn.Commit(ctx, kv.CommitOptions{Sync: true})
package kv

import "context"

// Store is an ordered key-value store. Its Reader methods read the live state: what the last Commit or Ingest left.
//
// All methods are safe for concurrent use, but writes (Commit, Ingest, Clear) come from one goroutine at a time. After a
// failure that leaves in doubt what is durable, every method but Close answers with that failure (IOERR, FULL) until the
// store is opened anew; snapshots and iterators that were there before it can still be read, and show nothing that is in doubt. A
// method called after Close answers MISUSE.
type Store interface {
	Reader

	// NewSnapshot pins the live state. It costs O(1).
	NewSnapshot() (Snapshot, error)

	// NewBatch gives an empty batch of this store.
	NewBatch() Batch
	// Commit applies the batch atomically and closes it. With sync it is durable when Commit returns; without, a crash
	// may lose it as a whole, never in part.
	Commit(b Batch, sync bool) error

	// NewBulkWriter begins a file of sorted entries beside the store. Several may be written at once.
	NewBulkWriter() (BulkWriter, error)
	// Ingest adds the entries of finished files to the live state, all at once, atomically and durably. The files must
	// not overlap each other, else MISUSE; entries replace what the store holds under their keys. Snapshots taken before
	// do not see them. Ingest takes the files over, also when it fails.
	Ingest(ctx context.Context, files []BulkFile) error

	// Clear removes every entry in the spans and gives their space back; it is durable when it returns. No snapshot that
	// may still read there can be open: the caller sees to it (a snapshot loses cleared entries; iterators that are open
	// keep them). Spans are cleared one after the other, so a failure may leave some of them. An inverted span is MISUSE.
	Clear(ctx context.Context, spans []Span) error

	// Size estimates the bytes that a span takes on disk or in memory. It is near for small spans, may count entries that
	// were overwritten, and is 0 only for an empty span.
	Size(s Span) (uint64, error)
	// FreeSpace is how many bytes the store's disk still has; math.MaxUint64 for a store in memory.
	FreeSpace() (uint64, error)
	// Checkpoint writes a copy of the durable state into dir, which must not exist; UNSUPPORTED for a store in memory.
	Checkpoint(ctx context.Context, dir string) error
	// Durable reports whether the store outlives the process.
	Durable() bool
	// TempDir is a directory of the operating system for spill files of transactions; it is emptied when the store is
	// opened and closed.
	TempDir() string
	// Close releases the store. While iterators, snapshots or bulk writers are open it answers MISUSE, naming how many,
	// and leaves the store open.
	Close() error
}

// Splitter is a Store that can tell where a long span is cut into pieces of about one size. Absent: spans are read as a whole.
type Splitter interface {
	// Split gives rising keys inside the span, which need not be those of entries, so that about pieceBytes lie between one and the next.
	// It costs by the number of the store's files, and gives none for a span that is not worth it. The keys are the caller's.
	Split(s Span, pieceBytes uint64) ([][]byte, error)
}

// Verifier is a Store that can tell whether its files are as they were written.
type Verifier interface {
	// Verify reads all files of the live state and reports those that are damaged. The error is for what keeps it from that. It hinders
	// nobody, and takes as long as reading the files.
	Verify(ctx context.Context, report func(file string, err error)) error
}

// Snapshot is a pinned state. It is safe for concurrent use and must be closed.
type Snapshot interface {
	Reader
	Close() error
}

// Reader reads one state of a store.
type Reader interface {
	// Get gives the value under key, appended to dst; found is false when there is none.
	Get(key, dst []byte) (value []byte, found bool, err error)
	// NewIter opens an iterator over a span. It must be closed.
	NewIter(o IterOptions) (Iterator, error)
}

// IterOptions are the options of an iterator.
type IterOptions struct {
	Span
	// Probe makes the iterator serve Iterator.Probe through the store's filters; such an iterator only probes.
	Probe bool
}

// Iterator walks the entries of a span in key order. It is used by one goroutine, and positioned before anything else.
//
// Key and Value are valid until the next move of the iterator; whoever keeps them copies them. A positioning method
// that gives false means "no such entry, or an error": ask Err. An iterator that ran off one end comes back with the
// opposite step: Prev after the last entry moves to the last one, Next before the first one to the first.
type Iterator interface {
	First() bool
	Last() bool
	// SeekGE moves to the first entry at or after key, SeekLT to the last one before it. key may lie outside the span.
	SeekGE(key []byte) bool
	SeekLT(key []byte) bool
	Next() bool
	Prev() bool
	// Probe moves to exactly key, and reports whether it is there. It is the fast way to ask for absent keys, on an
	// iterator opened with IterOptions.Probe.
	Probe(key []byte) bool
	Valid() bool
	Key() []byte
	Value() []byte
	Err() error
	Close() error
}

// Batch collects writes; of two to one key the later holds. It is used by one goroutine, and copies what it is given.
type Batch interface {
	Set(key, value []byte) error
	Delete(key []byte) error
	// Bytes is the size the batch has in memory.
	Bytes() int
	// Close drops a batch that is not committed.
	Close() error
}

// Reserver is a Batch that can make room ahead.
type Reserver interface {
	// Reserve tells an empty batch about how many bytes are to come.
	Reserve(bytes int)
}

// BulkWriter writes a file of entries in strictly rising key order, else MISUSE; the first error stays and is the answer of
// every later call. It is used by one goroutine and ends with Finish or Abort; it copies what it is given.
type BulkWriter interface {
	Set(key, value []byte) error
	Delete(key []byte) error
	// Bytes estimates the size of the file so far.
	Bytes() uint64
	// Finish ends the file. On an error, which an empty file is too (MISUSE), the file is removed.
	Finish() (BulkFile, error)
	// Abort removes the file; after Finish it does nothing.
	Abort() error
}

// BulkFile is a finished file that waits for Ingest. Span covers its keys.
type BulkFile interface {
	Span() Span
	// Bytes is the size of the file.
	Bytes() uint64
	// Remove drops a file that is not ingested; it does nothing to one that is.
	Remove() error
}
