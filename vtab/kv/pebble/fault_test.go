package pebble

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/kvtest"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble/crashtest"
	"github.com/stretchr/testify/require"
)

func isTable(path string) bool { return strings.HasSuffix(path, ".sst") }

func logSync(op errorfs.Op) bool {
	return strings.HasSuffix(op.Path, ".log") && (op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData)
}

// openFaulty makes a database with small memory tables on a file system whose faults are off.
func openFaulty(t *testing.T) (*crashtest.FS, *Store, Options) {
	f := crashtest.New(1)
	o := faultyOptions(f.FS)
	s, err := Open("db", o)
	require.NoError(t, err)
	return f, s, o
}

func faultyOptions(fs vfs.FS) Options {
	return Options{FS: fs, Create: true, MemTableBytes: 256 << 10, StallLimit: 300 * time.Millisecond}
}

func commit(s *Store, sync bool, keys int, size int, tag string) error {
	b := s.NewBatch()
	for i := range keys {
		if err := b.Set(fmt.Appendf(nil, "%s%05d", tag, i), make([]byte, size)); err != nil {
			return err
		}
	}
	return s.Commit(b, sync)
}

func code(err error) string { return types.CodeOf(err).String() }

// requireBroken checks that the store answers everything with its failure, closes, and opens anew with what was durable.
func requireBroken(t *testing.T, f *crashtest.FS, s *Store, o Options, want string, durable []string) *Store {
	t.Helper()
	ctx := context.Background()
	_, _, err := s.Get([]byte("a"), nil)
	require.Equal(t, want, code(err), "%v", err)
	_, err = s.NewIter(kv.IterOptions{})
	require.Equal(t, want, code(err))
	_, err = s.NewSnapshot()
	require.Equal(t, want, code(err))
	require.Equal(t, want, code(commit(s, false, 1, 1, "later")))
	require.Equal(t, want, code(commit(s, true, 1, 1, "later")))
	_, err = s.NewBulkWriter()
	require.Equal(t, want, code(err))
	require.Equal(t, want, code(s.Ingest(ctx, nil)))
	require.Equal(t, want, code(s.Clear(ctx, []kv.Span{{}})))
	require.Equal(t, want, code(s.Checkpoint(ctx, "elsewhere")))
	_, err = s.Size(kv.Span{})
	require.Equal(t, want, code(err))
	f.Heal()
	require.Equal(t, want, code(commit(s, true, 1, 1, "later")), "it stays broken when the disk is well again")
	require.NoError(t, s.Close())

	again, err := Open("db", o)
	require.NoError(t, err)
	got := strings.Join(kvtest.Dump(t, again, kv.Span{}), " ")
	for _, d := range durable {
		require.Contains(t, got, d)
	}
	require.NotContains(t, got, "later")
	kvtest.Put(t, again, "after", "1")
	return again
}

// The log cannot be synced: Pebble would end the process, and show what it never made durable.
func TestLogSyncFails(t *testing.T) {
	f, s, o := openFaulty(t)
	kvtest.Put(t, s, "a", "1")
	it, err := s.NewIter(kv.IterOptions{})
	require.NoError(t, err)
	snap, err := s.NewSnapshot()
	require.NoError(t, err)
	f.Fail(syscall.EIO, 0, logSync)
	err = commit(s, true, 1, 1, "lost")
	require.Equal(t, "IOERR", code(err))
	require.ErrorContains(t, err, "database db: a write failed, and it is not known what of it is on disk")
	require.True(t, it.First(), "an open iterator reads on")
	require.Equal(t, "a", string(it.Key()))
	require.False(t, it.Next(), "and does not show what is in doubt")
	require.NoError(t, it.Err())
	require.Equal(t, []string{"a=1"}, kvtest.Dump(t, snap, kv.Span{}), "so does an open snapshot")
	require.NoError(t, it.Close())
	require.NoError(t, snap.Close())
	require.NoError(t, requireBroken(t, f, s, o, "IOERR", []string{"a=1"}).Close())
}

// The log is full while a batch makes Pebble change to a new one: it would unlock a mutex twice, which nothing can catch.
func TestLogFullInBigBatch(t *testing.T) {
	for name, hit := range map[string]func(op errorfs.Op) bool{
		"write":  func(op errorfs.Op) bool { return strings.HasSuffix(op.Path, ".log") && op.Kind == errorfs.OpFileWrite },
		"create": func(op errorfs.Op) bool { return strings.HasSuffix(op.Path, ".log") && op.Kind == errorfs.OpCreate },
		"directory": func(op errorfs.Op) bool {
			return op.Path == "db/store-1" && op.Kind == errorfs.OpFileSync
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, s, o := openFaulty(t)
			kvtest.Put(t, s, "a", "1")
			f.Fail(syscall.ENOSPC, 0, hit)
			var err error
			for i := 0; err == nil && i < 100; i++ {
				err = commit(s, true, 40, 10_000, "lost")
			}
			require.Equal(t, "FULL", code(err))
			require.NoError(t, requireBroken(t, f, s, o, "FULL", []string{"a=1"}).Close())
		})
	}
}

// Tables cannot be written: Pebble tries without end. Commits are refused with nothing done, and work again later.
func TestTablesFull(t *testing.T) {
	f, s, _ := openFaulty(t)
	var hits atomic.Int64
	f.Fail(syscall.ENOSPC, 0, func(op errorfs.Op) bool {
		hit := isTable(op.Path) && strings.HasPrefix(op.Path, "db/store-1") && crashtest.Writes(op)
		if hit {
			hits.Add(1)
		}
		return hit
	})
	var err error
	done := 0
	for ; err == nil && done < 200; done++ {
		err = commit(s, true, 5, 20_000, fmt.Sprintf("batch%03d-", done))
		time.Sleep(time.Millisecond)
	}
	done-- // the last one was refused
	require.Equal(t, "FULL", code(err))
	require.ErrorContains(t, err, "nothing was changed")
	require.Len(t, kvtest.Dump(t, s, kv.Span{}), 5*done, "reads go on")
	before := hits.Load()
	time.Sleep(3 * retryPause)
	require.Less(t, hits.Load()-before, int64(20), "attempts are slowed down")

	f.Heal()
	require.Eventually(t, func() bool { return commit(s, true, 5, 20_000, "after") == nil }, 10*time.Second, 10*time.Millisecond)
	require.Len(t, kvtest.Dump(t, s, kv.Span{}), 5*done+5)
	require.NoError(t, s.Close())
}

// A close that finds no room for tables leaves what was committed in the log.
func TestCloseOnFullDisk(t *testing.T) {
	f, s, o := openFaulty(t)
	require.NoError(t, commit(s, true, 100, 10, "a"))
	f.Fail(syscall.ENOSPC, 0, func(op errorfs.Op) bool { return isTable(op.Path) && crashtest.Writes(op) })
	require.NoError(t, s.Close())
	f.Heal()
	s, err := Open("db", o)
	require.NoError(t, err)
	require.Len(t, kvtest.Dump(t, s, kv.Span{}), 100)
	require.NoError(t, s.Close())
}

// A commit already waits for room in memory when tables begin to fail: it gives up after the stall limit.
func TestStalledCommitGivesUp(t *testing.T) {
	var gate sync.WaitGroup
	gate.Add(1)
	var on atomic.Bool
	f := crashtest.New(1)
	o := faultyOptions(errorfs.Wrap(f.FS, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if !on.Load() || !isTable(op.Path) || op.Kind != errorfs.OpCreate {
			return nil
		}
		gate.Wait() // flushes hang until commits wait for them
		return syscall.ENOSPC
	})))
	s, err := Open("db", o)
	require.NoError(t, err)
	kvtest.Put(t, s, "a", "1")
	on.Store(true)
	result := make(chan error, 1)
	go func() {
		var err error
		for i := 0; err == nil && i < 1000; i++ {
			err = commit(s, true, 5, 20_000, "x")
		}
		result <- err
	}()
	time.Sleep(200 * time.Millisecond)
	select {
	case err := <-result:
		t.Fatalf("the commits did not wait: %v", err)
	default:
	}
	gate.Done()
	select {
	case err := <-result:
		require.Equal(t, "FULL", code(err))
		require.ErrorContains(t, err, "not known")
	case <-time.After(20 * time.Second):
		t.Fatal("the commit hangs")
	}
	on.Store(false)
	require.NoError(t, requireBroken(t, f, s, o, "FULL", []string{"a=1"}).Close())
}

// The manifest cannot be written, by an ingest of ours and by a flush in the background.
func TestManifestFails(t *testing.T) {
	manifest := func(op errorfs.Op) bool { return strings.Contains(op.Path, "MANIFEST") && crashtest.Writes(op) }
	t.Run("ingest", func(t *testing.T) {
		f, s, o := openFaulty(t)
		kvtest.Put(t, s, "a", "1")
		file := kvtest.Bulk(t, s, "k", "1", "l", "1")
		f.Fail(syscall.EIO, 0, manifest)
		require.Equal(t, "IOERR", code(s.Ingest(context.Background(), []kv.BulkFile{file})))
		again := requireBroken(t, f, s, o, "IOERR", []string{"a=1"})
		got := kvtest.Dump(t, again, kv.Span{Lo: []byte("k"), Hi: []byte("m")})
		require.Contains(t, []int{0, 2}, len(got), "a file is there as a whole or not at all")
		require.NoError(t, again.Close())
	})
	t.Run("flush", func(t *testing.T) {
		f, s, o := openFaulty(t)
		kvtest.Put(t, s, "a", "1")
		f.Fail(syscall.EIO, 0, manifest)
		var err error
		for i := 0; err == nil && i < 1000; i++ {
			err = commit(s, true, 5, 20_000, "x")
			time.Sleep(time.Millisecond)
		}
		require.Equal(t, "IOERR", code(err))
		require.NoError(t, requireBroken(t, f, s, o, "IOERR", []string{"a=1", "x00000="}).Close())
	})
}

// held is a file system on which the operations that hit chooses wait until release, and then fail.
type held struct {
	vfs.FS
	waiting chan struct{} // closed when the first one waits
	failure chan error
}

func hold(fs vfs.FS, hit func(errorfs.Op) bool) *held {
	h := &held{waiting: make(chan struct{}), failure: make(chan error)}
	var once sync.Once
	h.FS = errorfs.Wrap(fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if !hit(op) {
			return nil
		}
		once.Do(func() { close(h.waiting) })
		return <-h.failure
	}))
	return h
}

// awaitStack waits until some goroutine is in a function of that name.
func awaitStack(t *testing.T, function string) {
	require.Eventually(t, func() bool {
		stacks := make([]byte, 1<<20)
		return strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), function)
	}, time.Minute, time.Millisecond)
}

// A snapshot that is closed waits for the manifest, whose writer is never heard of again: Close comes back all the same.
func TestSnapshotClosesWhileManifestHangs(t *testing.T) {
	var on atomic.Bool
	fs := hold(vfs.NewCrashableMem(), func(op errorfs.Op) bool {
		return on.Load() && strings.Contains(op.Path, "MANIFEST") && op.Kind == errorfs.OpFileSync
	})
	s, err := Open("db", faultyOptions(fs.FS))
	require.NoError(t, err)
	kvtest.Put(t, s, "a", "1")
	snap, err := s.NewSnapshot()
	require.NoError(t, err)
	kvtest.Put(t, s, "b", "2")
	file := kvtest.Bulk(t, s, "k", "1", "l", "1")
	on.Store(true)
	ingested := make(chan error, 1)
	go func() { ingested <- s.Ingest(context.Background(), []kv.BulkFile{file}) }()
	<-fs.waiting
	closed := make(chan error, 1)
	go func() { closed <- snap.Close() }()
	awaitStack(t, ".logLock")
	fs.failure <- syscall.EIO
	require.Equal(t, "IOERR", code(<-ingested))
	select {
	case err := <-closed:
		require.NoError(t, err)
	case <-time.After(time.Minute):
		t.Fatal("Close waits for a write that hangs for ever")
	}
	on.Store(false)
	require.NoError(t, s.Close())
}

// What is abandoned must not write when its successor has opened the directory.
func TestAbandonedStoreIsFenced(t *testing.T) {
	f, s, o := openFaulty(t)
	for i := range 20 {
		require.NoError(t, commit(s, false, 5, 20_000, fmt.Sprintf("b%02d-", i)))
	}
	f.Fail(syscall.EIO, 0, logSync)
	require.Equal(t, "IOERR", code(commit(s, true, 1, 1, "lost")))
	again := requireBroken(t, f, s, o, "IOERR", nil)
	require.NoError(t, again.Close())
	for range 3 {
		again, err := Open("db", o)
		require.NoError(t, err)
		require.Equal(t, []string{"after=1"}, kvtest.Dump(t, again, kv.Span{Lo: []byte("after"), Hi: []byte("b")}))
		require.NoError(t, again.Close())
	}
}

// A log that has to be written to tables when the database is opened, and cannot be.
func TestOpenOnFullDisk(t *testing.T) {
	f, s, o := openFaulty(t)
	f.Fail(syscall.ENOSPC, 0, func(op errorfs.Op) bool { return isTable(op.Path) && crashtest.Writes(op) })
	var err error
	for i := 0; err == nil && i < 1000; i++ {
		err = commit(s, true, 5, 20_000, fmt.Sprintf("b%03d-", i))
	}
	require.Equal(t, "FULL", code(err))
	_ = s.Close() // what it could not write it reports

	start := time.Now()
	_, err = Open("db", o)
	require.Equal(t, "FULL", code(err), "%v", err)
	require.Less(t, time.Since(start), 10*time.Second)
	f.Heal()
	s, err = Open("db", o)
	require.NoError(t, err)
	require.NotEmpty(t, kvtest.Dump(t, s, kv.Span{}))
	require.NoError(t, s.Close())
}

// Failures beside the store's own directory leave the store whole.
func TestFaultsBeside(t *testing.T) {
	ctx := context.Background()
	f, s, _ := openFaulty(t)
	full := func(hit func(op errorfs.Op) bool) { f.Fail(syscall.ENOSPC, 0, hit) }
	kvtest.Put(t, s, "a", "1")

	full(func(op errorfs.Op) bool {
		return strings.HasPrefix(op.Path, "db/tmp") && op.Kind == errorfs.OpFileWrite
	})
	w, err := s.NewBulkWriter()
	require.NoError(t, err)
	noise := rand.NewChaCha8([32]byte{})
	for i := 0; err == nil && i < 1000; i++ {
		value := make([]byte, 10_000)
		_, _ = noise.Read(value)
		err = w.Set(fmt.Appendf(nil, "k%05d", i), value)
	}
	require.Equal(t, "FULL", code(err))
	_, err = w.Finish()
	require.Equal(t, "FULL", code(err))
	full(func(op errorfs.Op) bool { return strings.HasPrefix(op.Path, "db/tmp") && op.Kind == errorfs.OpCreate })
	_, err = s.NewBulkWriter()
	require.Equal(t, "FULL", code(err))
	full(func(op errorfs.Op) bool { return strings.HasPrefix(op.Path, "db/tmp/check") && crashtest.Writes(op) })
	_, err = s.TakeCheckpoint(ctx)
	require.Equal(t, "FULL", code(err))
	full(func(op errorfs.Op) bool { return strings.HasSuffix(op.Path, "CURRENT.tmp") && crashtest.Writes(op) })
	require.Equal(t, "FULL", code(s.MakeCurrent()))
	f.Heal()

	kvtest.Put(t, s, "b", "2")
	names, err := s.root.fs.List("db/tmp")
	require.NoError(t, err)
	require.Empty(t, names, "nothing is left of what failed")
	require.NoError(t, s.Close())
}

// Reads that fail are answered as such, and break nothing.
func TestReadFails(t *testing.T) {
	f, s, o := openFaulty(t)
	require.NoError(t, s.Ingest(context.Background(), []kv.BulkFile{kvtest.Bulk(t, s, "a", "1", "b", "2")}))
	require.NoError(t, s.Close())
	s, err := Open("db", o)
	require.NoError(t, err)
	f.Fail(syscall.EIO, 0, func(op errorfs.Op) bool { return isTable(op.Path) && op.Kind == errorfs.OpFileReadAt })
	_, _, err = s.Get([]byte("a"), nil)
	require.Equal(t, "IOERR", code(err))
	it, err := s.NewIter(kv.IterOptions{})
	require.NoError(t, err)
	require.False(t, it.First())
	require.Equal(t, "IOERR", code(it.Err()))
	require.False(t, it.Valid())
	kvtest.Put(t, s, "c", "3") // failures of background work that reads do not refuse writes
	f.Heal()
	// Pebble may keep for a moment that the table could not be opened.
	require.Eventually(t, it.First, 10*time.Second, 10*time.Millisecond)
	require.NoError(t, it.Err())
	require.NoError(t, it.Close())
	require.Equal(t, []string{"a=1", "b=2", "c=3"}, kvtest.Dump(t, s, kv.Span{}))
	require.NoError(t, s.Close())
}

func TestHealth(t *testing.T) {
	h := newHealth("db", time.Millisecond)
	empty, full := errors.New("empty table"), syscall.ENOSPC
	h.flushEnd(empty)
	require.NoError(t, h.checkWrite(), "a flush that had nothing to write")
	h.backgroundError(full)
	require.NoError(t, h.checkWrite(), "some other work failed")
	require.True(t, h.ails())
	h.flushEnd(full)
	h.backgroundError(full)
	require.Equal(t, "FULL", code(h.checkWrite()), "a flush failed")
	h.flushEnd(nil)
	require.NoError(t, h.checkWrite())
	require.False(t, h.ails())

	start := time.Now()
	h.breakIfStalled(start.Add(-time.Hour))
	require.NoError(t, h.check(), "a slow disk is no failure")
	h.backgroundError(full)
	h.breakIfStalled(time.Now())
	require.NoError(t, h.check(), "it failed before the write began")
	h.compactionEnd(nil)
	h.breakIfStalled(start)
	require.NoError(t, h.check())
	h.backgroundError(full)
	time.Sleep(2 * time.Millisecond)
	h.breakIfStalled(start)
	require.Equal(t, "FULL", code(h.check()))
	h.breakDown(errors.New("later"))
	require.Equal(t, "FULL", code(h.check()), "the first reason counts")
}
