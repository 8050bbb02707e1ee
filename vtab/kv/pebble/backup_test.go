package pebble

import (
	"context"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/kvtest"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble/crashtest"
	"github.com/stretchr/testify/require"
)

// A backup while commits land is one state of the database.
func TestBackupBesideAWriter(t *testing.T) {
	f := crashtest.New(1)
	o := Options{FS: f.FS, Create: true, MemTableBytes: 64 << 10}
	s, err := Open("db", o)
	require.NoError(t, err)
	for n := range 30 {
		require.NoError(t, step(s, n+1))
	}
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		var err error
		for n := 31; err == nil; n++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
				err = step(s, n)
			}
		}
		stopped <- err
	}()
	require.NoError(t, Backup(context.Background(), "db", "copies/one", o))
	close(stop)
	require.NoError(t, <-stopped)
	last := stateOf(t, s)
	require.NoError(t, s.Close())
	c, err := Open("copies/one", Options{FS: f.FS})
	require.NoError(t, err)
	n := stateOf(t, c)
	require.GreaterOrEqual(t, n, 30)
	require.LessOrEqual(t, n, last)
	require.NoError(t, step(c, n+1))
	require.NoError(t, c.Close())
	require.Equal(t, "MISUSE", code(Backup(context.Background(), "db", "copies/one", o)))
}

// A backup is cut off anywhere: there is none, and it can be begun again, or it is whole. The database stays as it is.
func TestCrashBackup(t *testing.T) {
	ctx := context.Background()
	c := crashtest.New(7)
	s, err := Open("db", Options{FS: c.FS, Create: true})
	require.NoError(t, err)
	kvtest.Put(t, s, "a", "1")
	require.NoError(t, s.Ingest(ctx, []kv.BulkFile{kvtest.Bulk(t, s, "bulk", "1")}))
	require.NoError(t, s.Close())
	c.Record(1)
	require.NoError(t, Backup(ctx, "db", "copy", Options{FS: c.FS}))
	c.Step()
	cuts, _ := c.Stop()
	whole, none := 0, 0
	for _, x := range cuts {
		require.Equal(t, "a=1 bulk=1", strings.Join(reopened(t, x, false), " "), x.What)
		s, err := Open("copy", Options{FS: x.FS})
		if err == nil {
			whole++
			require.Equal(t, []string{"a=1", "bulk=1"}, kvtest.Dump(t, s, kv.Span{}), x.What)
			require.NoError(t, s.Close())
			continue
		}
		none++
		require.Equal(t, "CANTOPEN", code(err), "%s: %v", x.What, err)
		require.Zero(t, x.Step, x.What)
		if _, err := x.FS.Stat("copy/store-1"); err == nil {
			continue // its files are whole, and nobody is to write over them
		}
		require.NoError(t, Backup(ctx, "db", "copy", Options{FS: x.FS}), x.What)
	}
	require.Greater(t, none, 10)
	require.GreaterOrEqual(t, whole, 2)
}

// A disk that fails anywhere in a backup fails the backup alone, and nothing of it is left.
func TestBackupOnFailingDisk(t *testing.T) {
	ctx := context.Background()
	f := crashtest.New(1)
	s, err := Open("db", Options{FS: f.FS, Create: true})
	require.NoError(t, err)
	kvtest.Put(t, s, "a", "1")
	require.NoError(t, s.Ingest(ctx, []kv.BulkFile{kvtest.Bulk(t, s, "bulk", "1")}))
	hit := func(op errorfs.Op) bool { return strings.HasPrefix(op.Path, "copy") && crashtest.Writes(op) }
	f.Fail(nil, 0, hit)
	require.NoError(t, Backup(ctx, "db", "copy", Options{FS: f.FS}))
	operations := f.Heal()
	require.Greater(t, operations, 10)
	require.NoError(t, f.FS.RemoveAll("copy"))
	for n := range operations {
		hits := 0 // only one operation fails, so that what is left can be removed
		f.Fail(syscall.ENOSPC, n, func(op errorfs.Op) bool {
			if !hit(op) {
				return false
			}
			hits++
			return hits <= n+1
		})
		err := Backup(ctx, "db", "copy", Options{FS: f.FS})
		f.Heal()
		_, unfinished := f.FS.Stat("copy/CURRENT")
		if err == nil || unfinished == nil { // what failed only informs, or tidies up
			c, err := Open("copy", Options{FS: f.FS})
			require.NoError(t, err)
			require.Equal(t, []string{"a=1", "bulk=1"}, kvtest.Dump(t, c, kv.Span{}))
			require.NoError(t, c.Close())
		} else {
			require.Contains(t, []string{"FULL", "CANTOPEN"}, code(err), "operation %d: %v", n, err)
			if names, err := f.FS.List("copy"); err == nil {
				require.NotContains(t, names, "store-1", "operation %d", n)
			}
		}
		require.NoError(t, f.FS.RemoveAll("copy"))
	}
	require.Equal(t, []string{"a=1", "bulk=1"}, kvtest.Dump(t, s, kv.Span{}))
	require.NoError(t, s.Close())
}
