package pebble

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/invariant"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// Store is a kv.Store on disk. It locks its database directory until it is closed.
type Store struct {
	db      *pebble.DB
	options *pebble.Options
	given   Options
	dir     string // store-N
	root    *root
	health  *health
	fence   *fence
	gate    gate
	iters   atomic.Int64
	snaps   atomic.Int64
	bulks   atomic.Int64
	// maxBatch is the size in bytes at which a batch is refused.
	maxBatch int
}

var _ kv.Store = (*Store)(nil)

// openStore opens the Pebble store in dir, making it if create is set.
func openStore(r *root, dir string, given Options, create bool) (*Store, error) {
	what := "cannot open database " + r.dir
	if !create {
		if err := checkBefore(r, dir, given); err != nil {
			return nil, err
		}
	}
	h := newHealth(r.dir, given.StallLimit)
	s := &Store{given: given, dir: dir, root: r, health: h, fence: &fence{FS: given.FS, dir: dir, health: h}, maxBatch: 1 << 30}
	if err := s.recordSyncs(create); err != nil {
		return nil, wrap(err, what)
	}
	s.options = given.pebbleOptions(s.fence)
	s.options.ErrorIfNotExists = !create
	var failure error // as Pebble gave it
	err := h.run(what, func() (err error) {
		s.db, err = pebble.Open(dir, s.options)
		failure = err
		return nil
	})
	if err != nil {
		s.fence.abandon()
		return nil, err
	}
	if failure != nil {
		s.fence.close()
		return nil, wrapOpen(failure, what)
	}
	s.fence.running.Store(true)
	return s, nil
}

// recordSyncs begins to record what is synced, unless nothing will be.
func (s *Store) recordSyncs(create bool) (err error) {
	if s.given.ReadOnly {
		return nil
	}
	if create {
		if err := s.root.fs.MkdirAll(s.dir, ownerOnly); err != nil {
			return err
		}
	}
	s.fence.synced, err = openSynced(s.root.fs, s.dir)
	return err
}

// checkBefore refuses a store that a newer release wrote, or that has lost what was synced, before Pebble touches it.
func checkBefore(r *root, dir string, given Options) error {
	what := "cannot open database " + r.dir
	desc, err := pebble.Peek(dir, r.fs)
	if err != nil {
		if n, ok := unknownMajorVersion(r.fs, dir); ok {
			return errNewer(r.dir, n)
		}
		return wrapOpen(err, what)
	}
	if !desc.Exists {
		return types.Errorf(types.CORRUPT, "%s: the store is damaged: %s has no manifest", what, dir)
	}
	if desc.FormatMajorVersion > formatMajorVersion {
		return errNewer(r.dir, uint64(desc.FormatMajorVersion))
	}
	if given.AcceptLoss {
		return nil
	}
	return checkSynced(r, dir, desc)
}

func errNewer(dir string, version uint64) error {
	return &types.Error{
		Code: types.CANTOPEN,
		Message: fmt.Sprintf("database %s is of store format %d, this release knows formats up to %d",
			dir, version, uint64(formatMajorVersion)),
		Hint: "use the release that wrote it, or a newer one",
	}
}

// unknownMajorVersion reads the version of a store that Pebble itself is too old for.
func unknownMajorVersion(fs vfs.FS, dir string) (n uint64, ok bool) {
	names, err := fs.List(dir)
	if err != nil {
		return 0, false
	}
	for _, name := range names {
		var iter, v uint64
		if c, _ := fmt.Sscanf(name, "marker.format-version.%d.%d", &iter, &v); c == 2 {
			n = max(n, v)
		}
	}
	return n, n > uint64(pebble.FormatNewest)
}

// enter begins a method; leave ends it when the error is nil.
func (s *Store) enter() error {
	if !s.gate.enter() {
		return errClosed(s.root.dir)
	}
	if err := s.health.check(); err != nil {
		s.gate.leave()
		return err
	}
	return nil
}

// enterWrite is enter for a write.
func (s *Store) enterWrite() error {
	if !s.gate.enter() {
		return errClosed(s.root.dir)
	}
	err := s.health.checkWrite()
	if err == nil && s.given.ReadOnly {
		err = s.errReadOnly()
	}
	if err != nil {
		s.gate.leave()
	}
	return err
}

func (s *Store) errReadOnly() error {
	if s.given.Unwritable != nil {
		return s.given.Unwritable
	}
	return types.Errorf(types.READONLY, "database %s is open to read only", s.root.dir)
}

func (s *Store) what(op string) string { return "database " + s.root.dir + ": " + op }

// wrap is the function wrap with what failed, op, in this database. It costs nothing when nothing failed.
func (s *Store) wrap(err error, op string) error {
	if err == nil {
		return nil
	}
	return wrap(err, s.what(op))
}

// Path is the directory of the database.
func (s *Store) Path() string { return s.root.dir }

// NewBatch implements kv.Store.
func (s *Store) NewBatch() kv.Batch { return &batch{store: s, b: s.db.NewBatch()} }

type batch struct {
	store *Store
	b     *pebble.Batch // nil once it is committed or closed
}

// Reserve implements kv.Reserver: Pebble would double a batch again and again, which copies it as a whole each time.
func (b *batch) Reserve(bytes int) {
	const worth = 64 << 10 // Pebble keeps small batches for the next one
	if b.b == nil || !b.b.Empty() || bytes < worth {
		return
	}
	_ = b.b.Close() // it is empty
	b.b = b.store.db.NewBatchWithSize(min(bytes, b.store.maxBatch))
}

// admit reports whether an entry with that key and n bytes of value may be added.
func (b *batch) admit(key []byte, n int) error {
	if b.b == nil {
		return types.Errorf(types.MISUSE, "the batch is committed or closed")
	}
	if err := kv.CheckKey(key); err != nil {
		return err
	}
	// Pebble panics above 4 GiB, and holds several times the batch meanwhile.
	if b.b.Len()+len(key)+n > b.store.maxBatch {
		return types.Errorf(types.TOOBIG, "a batch of more than %d bytes is too big: write bulk files instead", b.store.maxBatch)
	}
	return nil
}

func (b *batch) Set(key, value []byte) error {
	if err := b.admit(key, len(value)); err != nil {
		return err
	}
	return wrap(b.b.Set(key, value, nil), "cannot add to a batch")
}

func (b *batch) Delete(key []byte) error {
	if err := b.admit(key, 0); err != nil {
		return err
	}
	return wrap(b.b.Delete(key, nil), "cannot add to a batch")
}

func (b *batch) Bytes() int {
	if b.b == nil {
		return 0
	}
	return b.b.Len()
}

func (b *batch) Close() error {
	if b.b == nil {
		return nil
	}
	err := b.b.Close()
	b.b = nil
	return wrap(err, "cannot close a batch")
}

// Commit implements kv.Store.
func (s *Store) Commit(kb kv.Batch, sync bool) error {
	b, ok := kb.(*batch)
	if !ok || b.store != s || b.b == nil {
		return types.Errorf(types.MISUSE, "the batch belongs to another store, or is committed or closed")
	}
	if err := s.enterWrite(); err != nil {
		_ = b.Close()
		return err
	}
	defer s.gate.leave()
	pb := b.b
	b.b = nil // from here on the goroutine below owns it
	return s.health.run(s.what("commit"), func() error {
		if err := s.db.Apply(pb, &pebble.WriteOptions{Sync: sync}); err != nil {
			return err
		}
		return pb.Close()
	})
}

// Clear implements kv.Store.
func (s *Store) Clear(ctx context.Context, spans []kv.Span) error {
	if err := s.enterWrite(); err != nil {
		return err
	}
	defer s.gate.leave()
	for _, span := range spans {
		if err := kv.CheckSpan(span); err != nil {
			return err
		}
		if err := kv.Interrupted(ctx); err != nil {
			return err
		}
		r, any, err := s.keyRange(span)
		if err != nil {
			return err
		}
		if !any {
			continue
		}
		if err := s.health.run(s.what("clear"), func() error { return s.db.Excise(ctx, r) }); err != nil {
			return err
		}
	}
	return nil
}

// keyRange bounds a span on both sides, as Pebble wants it; any is false when no key lies in it.
func (s *Store) keyRange(span kv.Span) (r pebble.KeyRange, any bool, err error) {
	r = pebble.KeyRange{Start: span.Lo, End: span.Hi}
	if r.Start == nil {
		r.Start = []byte{}
	}
	if r.End == nil {
		it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: lowerBound(r.Start)})
		if err != nil {
			return r, false, s.wrap(err, "read")
		}
		if it.Last() {
			r.End = kv.Successor(it.Key())
		} else {
			r.End = r.Start
		}
		if err := it.Close(); err != nil {
			return r, false, s.wrap(err, "read")
		}
	}
	return r, bytes.Compare(r.Start, r.End) < 0, nil
}

// measured is up to how many bytes Size reads: what lies in memory is in no estimate of Pebble's.
const measured = 1 << 20

// Size implements kv.Store: a small span is read, a big one estimated from its tables.
func (s *Store) Size(span kv.Span) (uint64, error) {
	if err := kv.CheckSpan(span); err != nil {
		return 0, err
	}
	if err := s.enter(); err != nil {
		return 0, err
	}
	defer s.gate.leave()
	r, any, err := s.keyRange(span)
	if err != nil || !any {
		return 0, err
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: lowerBound(r.Start), UpperBound: r.End})
	if err != nil {
		return 0, s.wrap(err, "read")
	}
	var n uint64
	for ok := it.First(); ok && n < measured; ok = it.Next() {
		n += uint64(len(it.Key()) + len(it.Value()))
	}
	if err := it.Close(); err != nil || n < measured {
		return n, s.wrap(err, "read")
	}
	estimate, err := s.db.EstimateDiskUsage(r.Start, r.End)
	return max(estimate, n), s.wrap(err, "estimate the size")
}

// FreeSpace implements kv.Store.
func (s *Store) FreeSpace() (uint64, error) {
	if err := s.enter(); err != nil {
		return 0, err
	}
	defer s.gate.leave()
	usage, err := s.given.FS.GetDiskUsage(s.root.dir)
	if errors.Is(err, vfs.ErrUnsupported) {
		return math.MaxUint64, nil
	}
	return usage.AvailBytes, s.wrap(err, "ask for free space")
}

// Checkpoint implements kv.Store; dir lies on the store's file system. It is a Pebble store, not a database directory; see
// TakeCheckpoint for those that belong to the database.
func (s *Store) Checkpoint(ctx context.Context, dir string) error {
	if err := s.enterWrite(); err != nil {
		return err
	}
	defer s.gate.leave()
	if err := kv.Interrupted(ctx); err != nil {
		return err
	}
	return s.health.run(s.what("checkpoint"), func() error { return s.db.Checkpoint(dir, pebble.WithFlushedWAL()) })
}

// Durable implements kv.Store.
func (s *Store) Durable() bool { return true }

// TempDir implements kv.Store.
func (s *Store) TempDir() string { return s.root.tempDir() }

// Close implements kv.Store. A broken store closes, too.
func (s *Store) Close() error {
	if !s.gate.shut() {
		return errClosed(s.root.dir)
	}
	if i, n, b := s.iters.Load(), s.snaps.Load(), s.bulks.Load(); i+n+b > 0 && !s.health.gone.Load() {
		s.gate.reopen()
		return types.Errorf(types.MISUSE, "database %s cannot close: %s", s.root.dir, kv.OpenHandles(i, n, b))
	}
	err := s.closeDB()
	if e := s.root.release(); err == nil {
		err = e
	}
	return err
}

// closeDB closes Pebble, or leaves it behind the fence when it is broken.
func (s *Store) closeDB() error {
	var err error
	if !s.health.gone.Load() && s.settle() {
		s.fence.synced.settle()
	}
	if !s.health.gone.Load() {
		s.fence.running.Store(false)
		err = s.health.run(s.what("close"), s.db.Close)
	}
	if s.health.gone.Load() {
		abandoned.keep(s.db)
		s.fence.abandon()
	} else {
		s.fence.close()
	}
	return err
}

// settle moves what lies in the log alone into tables before the store is closed. Tables have checksums for all they hold, while a
// damaged end of the log is taken for the trace of a crash. It reports whether that is done: what
// cannot be moved now is as durable where it is.
func (s *Store) settle() (done bool) {
	if s.given.ReadOnly || s.health.checkWrite() != nil {
		return false
	}
	var flushed <-chan struct{}
	if err := s.health.guard(func() (err error) { flushed, err = s.db.AsyncFlush(); return err }); err != nil {
		return false
	}
	look := time.NewTicker(firstLook)
	defer look.Stop()
	for {
		select {
		case <-flushed:
			return true
		case <-s.health.broken:
			return false
		case <-look.C:
			if s.health.checkWrite() != nil { // Pebble would try for ever
				return false
			}
		}
	}
}

// abandoned holds broken stores in builds in which Pebble ends the process when one is collected without having been closed.
// Closing them is not possible: they hang.
var abandoned graveyard

type graveyard struct {
	mu  sync.Mutex
	dbs []*pebble.DB
}

func (g *graveyard) keep(db *pebble.DB) {
	if !invariant.Enabled {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.dbs = append(g.dbs, db)
}

// gate counts the calls that are inside the store, and keeps others out once it is shut.
type gate struct{ n atomic.Int64 }

const gateShut = math.MinInt64 / 2

func (g *gate) enter() bool {
	if g.n.Add(1) < 0 {
		g.n.Add(-1)
		return false
	}
	return true
}

func (g *gate) leave() { g.n.Add(-1) }

// shut keeps new calls out and waits for those inside. It gives false when the gate is shut already.
func (g *gate) shut() bool {
	for {
		n := g.n.Load()
		if n < 0 {
			return false
		}
		if g.n.CompareAndSwap(n, n+gateShut) {
			break
		}
	}
	for g.n.Load() != gateShut {
		time.Sleep(100 * time.Microsecond)
	}
	return true
}

func (g *gate) reopen() { g.n.Add(-gateShut) }

// writerOptions are the options of bulk files.
func (s *Store) writerOptions() sstable.WriterOptions {
	w := s.options.MakeWriterOptions(len(s.options.Levels)-1, s.db.TableFormat())
	// Not even at the bottom is a bulk file the lowest: with this set its tombstones would count as hiding nothing, and be
	// skipped while there are entries below them.
	w.WritingToLowestLevel = false
	return w
}
