package pebble

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/kvtest"
	"github.com/stretchr/testify/require"
)

// crashRecorder takes a clone of a file system, as a crash would leave it, before each operation that makes something durable or
// moves a file, and notes which step of the test was under way.
type crashRecorder struct {
	mem *vfs.MemFS
	rng *rand.Rand
	// nested keeps clones apart from operations in which the file system in memory takes its lock twice: with a clone between
	// the two it would wait for itself.
	nested sync.RWMutex
	mu     sync.Mutex
	step   int // steps that are done
	off    bool
	cuts   []cut
}

type nesting struct {
	vfs.FS
	mu *sync.RWMutex
}

func (n nesting) Link(oldname, newname string) error {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.FS.Link(oldname, newname)
}

func (n nesting) Lock(name string) (io.Closer, error) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.FS.Lock(name)
}

type cut struct {
	fs   *vfs.MemFS
	step int
	what string
}

func newCrashRecorder() *crashRecorder {
	return &crashRecorder{mem: vfs.NewCrashableMem(), rng: rand.New(rand.NewPCG(7, 7))}
}

func (c *crashRecorder) fs() vfs.FS {
	return reusing{errorfs.Wrap(nesting{c.mem, &c.nested}, errorfs.InjectorFunc(func(op errorfs.Op) error {
		switch op.Kind {
		case errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpRename, errorfs.OpLink, errorfs.OpRemove, errorfs.OpRemoveAll:
			c.record(fmt.Sprintf("operation %d of %s", op.Kind, op.Path))
		}
		return nil
	}))}
}

// record takes two clones: one with exactly what was synced, one with some of the rest.
func (c *crashRecorder) record(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.off {
		return
	}
	c.nested.Lock()
	defer c.nested.Unlock()
	for _, percent := range []int{0, 50} {
		fs := c.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: c.rng})
		c.cuts = append(c.cuts, cut{fs: fs, step: c.step, what: fmt.Sprintf("%s with %d%% of what was not synced", what, percent)})
	}
}

func (c *crashRecorder) done() {
	c.record("after a step")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.step++
}

// stop ends the recording and gives the cuts.
func (c *crashRecorder) stop() []cut {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.off = true
	return c.cuts
}

// recovered opens what a crash left and reads it.
func (x cut) recovered(t *testing.T, create bool) []string {
	s, err := Open("db", Options{FS: x.fs, Create: create})
	require.NoError(t, err, x.what)
	got := kvtest.Dump(t, s, kv.Span{})
	require.NoError(t, s.Close())
	return got
}

// Synced commits, ingests and clears are there after a crash, and what was under way is there as a whole or not at all.
func TestCrash(t *testing.T) {
	ctx := context.Background()
	c := newCrashRecorder()
	s, err := Open("db", Options{FS: c.fs(), Create: true, MemTableBytes: 64 << 10})
	require.NoError(t, err)
	states := []string{""} // after each step
	step := func(f func() error) {
		require.NoError(t, f())
		states = append(states, strings.Join(kvtest.Dump(t, s, kv.Span{}), " "))
		c.done()
	}
	c.mu.Lock()
	c.cuts = nil // those of the creation have a test of their own
	c.mu.Unlock()
	for i := range 8 {
		step(func() error {
			b := s.NewBatch()
			for j := range 3 {
				if err := b.Set(fmt.Appendf(nil, "commit%d-%d", i, j), []byte(strings.Repeat("x", 100))); err != nil {
					return err
				}
			}
			if i > 0 {
				if err := b.Delete(fmt.Appendf(nil, "commit%d-0", i-1)); err != nil {
					return err
				}
			}
			return s.Commit(b, true)
		})
		step(func() error {
			return s.Ingest(ctx, []kv.BulkFile{
				kvtest.Bulk(t, s, fmt.Sprintf("bulk%d-a", i), "1", fmt.Sprintf("bulk%d-b", i), "2"),
				kvtest.Bulk(t, s, fmt.Sprintf("commit%d-1", i), "over", fmt.Sprintf("-commit%d-2", i), ""),
			})
		})
		step(func() error { return s.Clear(ctx, []kv.Span{kv.PrefixSpan(fmt.Appendf(nil, "bulk%d-a", i))}) })
		if i == 4 {
			step(func() error { return commit(s, true, 40, 4000, "large") }) // bigger than the memory table
			step(func() error { return s.Clear(ctx, []kv.Span{kv.PrefixSpan([]byte("large"))}) })
		}
	}
	cuts := c.stop()
	require.NoError(t, s.Close())
	require.Greater(t, len(cuts), 100)
	for _, x := range cuts {
		got := strings.Join(x.recovered(t, false), " ")
		if got != states[x.step] && (x.step+1 == len(states) || got != states[x.step+1]) {
			t.Errorf("step %d, %s:\n got %s\nwant %s", x.step, x.what, got, states[x.step])
		}
	}
}

// A commit of a transaction through bulk files is atomic, deletes and extra records included.
func TestCrashBulkCommit(t *testing.T) {
	ctx := context.Background()
	c := newCrashRecorder()
	s, err := Open("db", Options{FS: c.fs(), Create: true})
	require.NoError(t, err)
	kvtest.Put(t, s, "a", "old", "b", "old", "c", "old")
	before := strings.Join(kvtest.Dump(t, s, kv.Span{}), " ")
	c.mu.Lock()
	c.cuts = nil
	c.mu.Unlock()
	snap, err := s.NewSnapshot()
	require.NoError(t, err)
	txn := kv.NewTxn(s, snap, kv.TxnOptions{BulkCommit: 1, BulkFile: 2000})
	require.NoError(t, txn.Set([]byte("a"), []byte("new")))
	require.NoError(t, txn.Delete([]byte("b")))
	noise := rand.NewChaCha8([32]byte{})
	for i := range 40 {
		value := make([]byte, 1000)
		_, _ = noise.Read(value)
		_, err := txn.Insert(fmt.Appendf(nil, "row%03d", i), []byte(fmt.Sprintf("%x", value)))
		require.NoError(t, err)
	}
	require.NoError(t, txn.Commit(ctx, kv.CommitOptions{Sync: true, Extra: func(b kv.Batch) error {
		return b.Set([]byte("catalog"), []byte("new"))
	}}))
	after := strings.Join(kvtest.Dump(t, s, kv.Span{}), " ")
	c.done()
	require.NoError(t, txn.Close())
	require.NoError(t, snap.Close())
	cuts := c.stop()
	require.NoError(t, s.Close())
	old, fresh := 0, 0
	for _, x := range cuts {
		switch strings.Join(x.recovered(t, false), " ") {
		case before:
			old++
		case after:
			fresh++
		default:
			t.Errorf("%s: neither before nor after", x.what)
		}
	}
	require.Greater(t, old, 5)
	require.Greater(t, fresh, 1)
	last := cuts[len(cuts)-2]
	require.Equal(t, after, strings.Join(last.recovered(t, false), " "), "durable when it returns")
}

// A creation that is cut off can be begun again, and until it is finished there is no database.
func TestCrashCreate(t *testing.T) {
	c := newCrashRecorder()
	s, err := Open("db", Options{FS: c.fs(), Create: true})
	require.NoError(t, err)
	c.done()
	cuts := c.stop()
	require.NoError(t, s.Close())
	unfinished := 0
	for _, x := range cuts {
		if s, err := Open("db", Options{FS: x.fs}); err == nil {
			require.NoError(t, s.Close())
		} else {
			unfinished++
			require.Equal(t, "CANTOPEN", code(err), "%s: %v", x.what, err)
		}
		require.Empty(t, x.recovered(t, true), x.what)
	}
	require.Greater(t, unfinished, 5)
	require.Empty(t, cuts[len(cuts)-2].recovered(t, false), "durable when it returns")
}

// Undo switches CURRENT: a crash leaves the old database or the new one, and the checkpoint in any case.
func TestCrashSwitch(t *testing.T) {
	ctx := context.Background()
	c := newCrashRecorder()
	s, err := Open("db", Options{FS: c.fs(), Create: true})
	require.NoError(t, err)
	require.NoError(t, s.Ingest(ctx, []kv.BulkFile{kvtest.Bulk(t, s, "bulk", "1")}))
	kvtest.Put(t, s, "a", "1")
	_, err = s.TakeCheckpoint(ctx)
	require.NoError(t, err)
	kvtest.Put(t, s, "a", "2")
	require.NoError(t, s.Clear(ctx, []kv.Span{kv.PrefixSpan([]byte("bulk"))}))
	c.mu.Lock()
	c.cuts = nil
	c.mu.Unlock()

	fork, err := s.OpenCheckpoint(ctx, 1)
	require.NoError(t, err)
	kvtest.Put(t, fork, "history", "undone")
	require.NoError(t, fork.MakeCurrent())
	c.done()
	cuts := c.stop()
	require.NoError(t, fork.Close())
	require.NoError(t, s.Close())
	old, fresh := 0, 0
	for _, x := range cuts {
		switch strings.Join(x.recovered(t, false), " ") {
		case "a=2":
			old++
		case "a=1 bulk=1 history=undone":
			fresh++
		default:
			t.Errorf("%s: neither before nor after", x.what)
		}
		again, err := Open("db", Options{FS: x.fs})
		require.NoError(t, err)
		fork, err := again.OpenCheckpoint(ctx, 1)
		require.NoError(t, err, x.what)
		require.Equal(t, []string{"a=1", "bulk=1"}, kvtest.Dump(t, fork, kv.Span{}), x.what)
		require.NoError(t, fork.Close())
		require.NoError(t, again.Close())
	}
	require.Greater(t, old, 5)
	require.Greater(t, fresh, 1)
	require.Equal(t, "a=1 bulk=1 history=undone", strings.Join(cuts[len(cuts)-2].recovered(t, false), " "), "durable when it returns")
}

// A checkpoint that is cut off is not there.
func TestCrashCheckpoint(t *testing.T) {
	ctx := context.Background()
	c := newCrashRecorder()
	s, err := Open("db", Options{FS: c.fs(), Create: true})
	require.NoError(t, err)
	kvtest.Put(t, s, "a", "1")
	c.mu.Lock()
	c.cuts = nil
	c.mu.Unlock()
	_, err = s.TakeCheckpoint(ctx)
	require.NoError(t, err)
	c.done()
	cuts := c.stop()
	require.NoError(t, s.Close())
	whole := 0
	for _, x := range cuts {
		s, err := Open("db", Options{FS: x.fs})
		require.NoError(t, err)
		all, err := s.Checkpoints()
		require.NoError(t, err)
		for _, one := range all {
			fork, err := s.OpenCheckpoint(ctx, one.Number)
			require.NoError(t, err, x.what)
			require.Equal(t, []string{"a=1"}, kvtest.Dump(t, fork, kv.Span{}), x.what)
			require.NoError(t, fork.Close())
			whole++
		}
		require.NoError(t, s.Close())
	}
	require.GreaterOrEqual(t, whole, 2)
}
