package pebble

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/kvtest"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble/crashtest"
	"github.com/stretchr/testify/require"
)

// reopened opens what a crash left and reads it.
func reopened(t *testing.T, x crashtest.Cut, create bool) []string {
	s, err := Open("db", Options{FS: x.FS, Create: create})
	require.NoError(t, err, x.What)
	got := kvtest.Dump(t, s, kv.Span{})
	require.NoError(t, s.Close())
	return got
}

// Synced commits, ingests and clears are there after a crash, and what was under way is there as a whole or not at all.
func TestCrash(t *testing.T) {
	ctx := context.Background()
	c := crashtest.New(7)
	s, err := Open("db", Options{FS: c.FS, Create: true, MemTableBytes: 64 << 10})
	require.NoError(t, err)
	states := []string{""} // after each step
	step := func(f func() error) {
		require.NoError(t, f())
		states = append(states, strings.Join(kvtest.Dump(t, s, kv.Span{}), " "))
		c.Step()
	}
	c.Record(1)
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
	cuts, _ := c.Stop()
	require.NoError(t, s.Close())
	require.Greater(t, len(cuts), 100)
	for _, x := range cuts {
		got := strings.Join(reopened(t, x, false), " ")
		if got != states[x.Step] && (x.Step+1 == len(states) || got != states[x.Step+1]) {
			t.Errorf("step %d, %s:\n got %s\nwant %s", x.Step, x.What, got, states[x.Step])
		}
	}
}

// A commit of a transaction through bulk files is atomic, deletes and extra records included.
func TestCrashBulkCommit(t *testing.T) {
	ctx := context.Background()
	c := crashtest.New(7)
	s, err := Open("db", Options{FS: c.FS, Create: true})
	require.NoError(t, err)
	kvtest.Put(t, s, "a", "old", "b", "old", "c", "old")
	before := strings.Join(kvtest.Dump(t, s, kv.Span{}), " ")
	c.Record(1)
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
	c.Step()
	require.NoError(t, txn.Close())
	require.NoError(t, snap.Close())
	cuts, _ := c.Stop()
	require.NoError(t, s.Close())
	old, fresh := 0, 0
	for _, x := range cuts {
		switch strings.Join(reopened(t, x, false), " ") {
		case before:
			old++
		case after:
			fresh++
		default:
			t.Errorf("%s: neither before nor after", x.What)
		}
	}
	require.Greater(t, old, 5)
	require.Greater(t, fresh, 1)
	last := cuts[len(cuts)-2]
	require.Equal(t, after, strings.Join(reopened(t, last, false), " "), "durable when it returns")
}

// A creation that is cut off can be begun again, and until it is finished there is no database.
func TestCrashCreate(t *testing.T) {
	c := crashtest.New(7)
	c.Record(1)
	s, err := Open("db", Options{FS: c.FS, Create: true})
	require.NoError(t, err)
	c.Step()
	cuts, _ := c.Stop()
	require.NoError(t, s.Close())
	unfinished := 0
	for _, x := range cuts {
		if s, err := Open("db", Options{FS: x.FS}); err == nil {
			require.NoError(t, s.Close())
		} else {
			unfinished++
			require.Equal(t, "CANTOPEN", code(err), "%s: %v", x.What, err)
		}
		require.Empty(t, reopened(t, x, true), x.What)
	}
	require.Greater(t, unfinished, 5)
	require.Empty(t, reopened(t, cuts[len(cuts)-2], false), "durable when it returns")
}

// Undo switches CURRENT: a crash leaves the old database or the new one, and the checkpoint in any case.
func TestCrashSwitch(t *testing.T) {
	ctx := context.Background()
	c := crashtest.New(7)
	s, err := Open("db", Options{FS: c.FS, Create: true})
	require.NoError(t, err)
	require.NoError(t, s.Ingest(ctx, []kv.BulkFile{kvtest.Bulk(t, s, "bulk", "1")}))
	kvtest.Put(t, s, "a", "1")
	_, err = s.TakeCheckpoint(ctx)
	require.NoError(t, err)
	kvtest.Put(t, s, "a", "2")
	require.NoError(t, s.Clear(ctx, []kv.Span{kv.PrefixSpan([]byte("bulk"))}))
	c.Record(1)

	fork, err := s.OpenCheckpoint(ctx, 1)
	require.NoError(t, err)
	kvtest.Put(t, fork, "history", "undone")
	require.NoError(t, fork.MakeCurrent())
	c.Step()
	cuts, _ := c.Stop()
	require.NoError(t, fork.Close())
	require.NoError(t, s.Close())
	old, fresh := 0, 0
	for _, x := range cuts {
		switch strings.Join(reopened(t, x, false), " ") {
		case "a=2":
			old++
		case "a=1 bulk=1 history=undone":
			fresh++
		default:
			t.Errorf("%s: neither before nor after", x.What)
		}
		again, err := Open("db", Options{FS: x.FS})
		require.NoError(t, err)
		fork, err := again.OpenCheckpoint(ctx, 1)
		require.NoError(t, err, x.What)
		require.Equal(t, []string{"a=1", "bulk=1"}, kvtest.Dump(t, fork, kv.Span{}), x.What)
		require.NoError(t, fork.Close())
		require.NoError(t, again.Close())
	}
	require.Greater(t, old, 5)
	require.Greater(t, fresh, 1)
	require.Equal(t, "a=1 bulk=1 history=undone", strings.Join(reopened(t, cuts[len(cuts)-2], false), " "), "durable when it returns")
}

// A checkpoint that is cut off is not there.
func TestCrashCheckpoint(t *testing.T) {
	ctx := context.Background()
	c := crashtest.New(7)
	s, err := Open("db", Options{FS: c.FS, Create: true})
	require.NoError(t, err)
	kvtest.Put(t, s, "a", "1")
	c.Record(1)
	_, err = s.TakeCheckpoint(ctx)
	require.NoError(t, err)
	c.Step()
	cuts, _ := c.Stop()
	require.NoError(t, s.Close())
	whole := 0
	for _, x := range cuts {
		s, err := Open("db", Options{FS: x.FS})
		require.NoError(t, err)
		all, err := s.Checkpoints()
		require.NoError(t, err)
		for _, one := range all {
			fork, err := s.OpenCheckpoint(ctx, one.Number)
			require.NoError(t, err, x.What)
			require.Equal(t, []string{"a=1"}, kvtest.Dump(t, fork, kv.Span{}), x.What)
			require.NoError(t, fork.Close())
			whole++
		}
		require.NoError(t, s.Close())
	}
	require.GreaterOrEqual(t, whole, 2)
}
