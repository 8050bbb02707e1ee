package kv

import (
	"context"
	"slices"

	"github.com/quereus/quereus-migrate/types"
)

// TxnOptions are the options of a transaction. The zero value has sensible ones.
type TxnOptions struct {
	// MemoryBudget is how many bytes of writes stay in memory before they spill to runs on disk; 64 MiB when 0. Savepoints and
	// open views may keep about as much again.
	MemoryBudget int64
	// BulkCommit is the size in bytes from which on Commit writes bulk files instead of one batch; 256 MiB when 0.
	BulkCommit int64
	// BulkFile is the size in bytes at which Commit begins another bulk file; 64 MiB when 0.
	BulkFile int64
}

func (o TxnOptions) withDefaults() TxnOptions {
	if o.MemoryBudget == 0 {
		o.MemoryBudget = 64 << 20
	}
	if o.BulkCommit == 0 {
		o.BulkCommit = 256 << 20
	}
	if o.BulkFile == 0 {
		o.BulkFile = 64 << 20
	}
	return o
}

// Txn is a transaction over a store: it reads its own writes over a base, and leaves the store as it is until Commit.
//
// The base is the snapshot, except in the spans that the transaction owns (Own), new ones that nobody else can name: there it
// is the live store, so that what the transaction bulk-ingests is seen by it. After an Ingest a span changes only through
// the transaction's writes.
//
// One goroutine uses a Txn; a View of it may be read by others meanwhile. Iterators and views show the state of the moment
// they were made. Making them is O(1); the first write after one is made, while it is open, copies a few tree nodes.
//
// Commit or Rollback ends it; Close, which always must be called, is a Rollback when neither was.
type Txn struct {
	store   Store
	options TxnOptions
	over    *overlay
	base    *base
	probes  baseProber
	marks   []*mark
	stmt    statement
	ended   bool
}

// NewTxn begins a transaction over the state that snap pins. The snapshot stays the caller's, who closes it after the
// transaction.
func NewTxn(store Store, snap Snapshot, o TxnOptions) *Txn {
	o = o.withDefaults()
	return &Txn{store: store, options: o, over: newOverlay(store.TempDir, o.MemoryBudget), base: &base{snap: snap}}
}

// Own makes a span the transaction's own: its base is the live store from now on. Spans may be added at any time, and stay
// own over RollbackTo.
func (t *Txn) Own(s Span) error {
	if t.ended {
		return errTxnDone()
	}
	if err := CheckSpan(s); err != nil {
		return err
	}
	return t.setBase(unionSpans(append(slices.Clone(t.base.own), s)))
}

// OwnFrom makes everything at or after lo the transaction's own. It suits callers whose new spans always lie behind all
// older ones.
func (t *Txn) OwnFrom(lo []byte) error { return t.Own(Span{Lo: lo}) }

// Owns reports whether s lies in own spans as a whole.
func (t *Txn) Owns(s Span) bool {
	_, within, own := t.base.part(s.Lo)
	return own && within.Covers(s)
}

// setBase makes a base with the live store as it is now.
func (t *Txn) setBase(own []Span) error {
	live, err := newLiveSnapshot(t.store)
	if err != nil {
		return err
	}
	old := t.base
	t.base = &base{snap: old.snap, live: live, own: own}
	if err := t.probes.reset(); err != nil {
		return err
	}
	return old.release()
}

// Ingest adds finished bulk files to own spans, at once, for this transaction and the store; views and iterators that are
// open do not see them. They must not lie around keys that the transaction wrote, MISUSE: files come first, writes after. Nothing
// takes them back: RollbackTo and Rollback leave entries that nobody names, and the caller must have made durable
// beforehand which spans are to be cleared after a crash.
func (t *Txn) Ingest(ctx context.Context, files []BulkFile) error {
	if t.ended {
		return errTxnDone()
	}
	for _, f := range files {
		if !t.Owns(f.Span()) {
			return types.Errorf(types.MISUSE, "a transaction may ingest only into its own spans, not from key %x", f.Span().Lo)
		}
		c := t.over.now.cursor(f.Span())
		if c.First() {
			return types.Errorf(types.MISUSE, "a transaction may not ingest under what it wrote: key %x", c.Key())
		}
		if err := c.Err(); err != nil {
			return err
		}
	}
	if err := t.store.Ingest(ctx, files); err != nil {
		return err
	}
	return t.setBase(t.base.own)
}

// Get implements Reader.
func (t *Txn) Get(key, dst []byte) ([]byte, bool, error) { return t.get(key, dst, false) }

// GetRising is Get for one who asks for keys of which most come after the one before: it answers the same, and then faster.
func (t *Txn) GetRising(key, dst []byte) ([]byte, bool, error) { return t.get(key, dst, true) }

func (t *Txn) get(key, dst []byte, rising bool) ([]byte, bool, error) {
	if t.ended {
		return dst, false, errTxnDone()
	}
	if r, ok := t.over.now.tree.Find(key); ok {
		if r.Deleted() {
			return dst, false, nil
		}
		return append(dst, r.Value()...), true, nil
	}
	value, f, _, err := t.over.now.getRuns(key, dst)
	if err != nil || f != notWritten {
		return value, f == written, err
	}
	if rising {
		return t.probes.getRising(t.base, key, dst)
	}
	return t.probes.get(t.base, key, dst)
}

// NewIter implements Reader. Where the transaction wrote nothing in the span it is the base's own iterator.
func (t *Txn) NewIter(o IterOptions) (Iterator, error) {
	if t.ended {
		return nil, errTxnDone()
	}
	return newIter(t.over.now, t.base, o)
}

// Set puts value under key.
func (t *Txn) Set(key, value []byte) error {
	if err := t.beforeWrite(key); err != nil {
		return err
	}
	noBase := false
	if r, ok := t.over.now.tree.Find(key); ok {
		noBase = r.NoBase()
	}
	return t.put(key, value, false, noBase)
}

// Delete takes key out; it need not be there.
func (t *Txn) Delete(key []byte) error {
	if err := t.beforeWrite(key); err != nil {
		return err
	}
	f, noBase, err := t.over.find(key)
	if err != nil || f == deleted {
		return err
	}
	if f == written && noBase && len(t.over.now.runs) == 0 {
		t.noteUndo(t.over.remove(key)) // nothing lies below: the record goes without a trace
		return nil
	}
	return t.put(key, nil, true, noBase)
}

// Insert puts value under key if nothing is there, else it changes nothing and answers existed. Inserts in key order, also
// of several spans by turns, ask the store seldom.
func (t *Txn) Insert(key, value []byte) (existed bool, err error) {
	if err := t.beforeWrite(key); err != nil {
		return false, err
	}
	f, noBase, err := t.over.find(key)
	if err != nil || f == written {
		return f == written, err
	}
	if f == notWritten {
		inBase, err := t.probes.has(t.base, key)
		if err != nil || inBase {
			return inBase, err
		}
		noBase = true
	}
	return false, t.put(key, value, false, noBase)
}

// beforeWrite refuses writes of an ended transaction, and makes room in memory.
func (t *Txn) beforeWrite(key []byte) error {
	if t.ended {
		return errTxnDone()
	}
	if err := CheckKey(key); err != nil {
		return err
	}
	if t.over.full() {
		return t.spill(t.stmt.context())
	}
	return nil
}

func (t *Txn) put(key, value []byte, isDeleted, noBase bool) error {
	u, err := t.over.set(key, value, isDeleted, noBase)
	if err != nil {
		return err
	}
	t.noteUndo(u)
	return nil
}

// Rollback drops everything that was written.
func (t *Txn) Rollback() error {
	if t.ended {
		return errTxnDone()
	}
	return t.end()
}

// Close ends the transaction if nothing else did. Calling it again does nothing.
func (t *Txn) Close() error {
	if t.ended {
		return nil
	}
	return t.end()
}

func (t *Txn) end() error {
	t.ended = true
	t.stmt.drop()
	for _, m := range t.marks {
		m.state.release()
	}
	t.marks = nil
	t.over.close()
	err := t.probes.reset()
	if e := t.base.release(); err == nil {
		err = e
	}
	return err
}
