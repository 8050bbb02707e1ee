package pebble

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	cockroach "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/kvtest"
	"github.com/stretchr/testify/require"
)

func write(t *testing.T, fs vfs.FS, name, text string) {
	require.NoError(t, fs.MkdirAll(fs.PathDir(name), 0o755))
	f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = f.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func read(t *testing.T, fs vfs.FS, name string) string {
	f, err := fs.Open(name)
	require.NoError(t, err)
	defer f.Close()
	var b strings.Builder
	_, err = bufio.NewReader(f).WriteTo(&b)
	require.NoError(t, err)
	return b.String()
}

func list(t *testing.T, fs vfs.FS, dir string) []string {
	names, err := fs.List(dir)
	require.NoError(t, err)
	slices.Sort(names)
	return names
}

// mustOpen opens a database on fs, making it if need be.
func mustOpen(t *testing.T, fs vfs.FS) *Store {
	s, err := Open("db", Options{FS: fs, Create: true})
	require.NoError(t, err)
	return s
}

func TestLayout(t *testing.T) {
	fs := vfs.NewMem()
	s, err := Open("db", Options{FS: fs, Create: true, Command: "apply\nx"})
	require.NoError(t, err)
	require.Equal(t, "db", s.Path())
	require.Equal(t, []string{"CURRENT", "HOLDER", "LOCK", "store-1", "tmp"}, list(t, fs, "db"))
	require.Equal(t, "quereus-migrate format 1\nstore-1\n", read(t, fs, "db/CURRENT"))
	holder := read(t, fs, "db/HOLDER")
	require.Contains(t, holder, fmt.Sprintf("pid %d\nstarted 2", os.Getpid()))
	require.Contains(t, holder, "\ncommand apply x\n")
	require.Equal(t, uint64(21), uint64(s.db.FormatMajorVersion()), "fixed from the first release on")
	require.Contains(t, read(t, fs, "db/store-1/"+optionsFile(t, fs)), "comparer=leveldb.BytewiseComparator")
	kvtest.Put(t, s, "a", "1")
	kvtest.Bulk(t, s, "never", "ingested")
	require.Len(t, list(t, fs, "db/tmp"), 1)
	require.NoError(t, s.Close())
	require.Empty(t, list(t, fs, "db/tmp"))
	require.NotContains(t, list(t, fs, "db"), "HOLDER")

	write(t, fs, "db/tmp/left", "over")
	write(t, fs, "db/store-7/left", "over")
	write(t, fs, "db/CURRENT.tmp", "half")
	s, err = Open("db", Options{FS: fs})
	require.NoError(t, err)
	require.Equal(t, []string{"CURRENT", "HOLDER", "LOCK", "store-1", "tmp"}, list(t, fs, "db"))
	require.Empty(t, list(t, fs, "db/tmp"))
	require.Equal(t, []string{"a=1"}, kvtest.Dump(t, s, kv.Span{}))
	require.NoError(t, s.Close())
}

// optionsFile returns the newest file of options: Pebble removes the ones before it at leisure.
func optionsFile(t *testing.T, fs vfs.FS) string {
	newest := "none"
	for _, name := range list(t, fs, "db/store-1") {
		if strings.HasPrefix(name, "OPTIONS-") {
			newest = name
		}
	}
	return newest
}

// What is refused is not touched.
func TestRefusals(t *testing.T) {
	healthy := func(t *testing.T, fs vfs.FS) {
		s := mustOpen(t, fs)
		kvtest.Put(t, s, "a", "1")
		require.NoError(t, s.Close())
	}
	current := func(text string) func(*testing.T, vfs.FS) {
		return func(t *testing.T, fs vfs.FS) {
			healthy(t, fs)
			write(t, fs, "db/CURRENT", text)
		}
	}
	for _, test := range []struct {
		name    string
		prepare func(t *testing.T, fs vfs.FS)
		create  bool
		code    types.Code
		message string
	}{
		{"missing", func(*testing.T, vfs.FS) {}, false, types.CANTOPEN, "database db: the directory does not exist; create it first"},
		{"empty", func(t *testing.T, fs vfs.FS) { require.NoError(t, fs.MkdirAll("db", 0o755)) }, false, types.CANTOPEN, "the directory is empty"},
		{"file", func(t *testing.T, fs vfs.FS) { write(t, fs, "db", "x") }, true, types.NOTADB, "it is a file"},
		{"stranger", func(t *testing.T, fs vfs.FS) { write(t, fs, "db/notes.txt", "x") }, true, types.NOTADB, "it has no CURRENT, but notes.txt"},
		{"another database", func(t *testing.T, fs vfs.FS) {
			write(t, fs, "db/CURRENT", "MANIFEST-000001\n")
			write(t, fs, "db/MANIFEST-000001", "x")
		}, true, types.NOTADB, "its CURRENT is not one of ours"},
		{"a bare store", func(t *testing.T, fs vfs.FS) {
			db, err := cockroach.Open("db", &cockroach.Options{FS: fs, Logger: logger{newHealth("", 0)}})
			require.NoError(t, err)
			require.NoError(t, db.Close())
		}, true, types.NOTADB, "it has no CURRENT"},
		{"unfinished", func(t *testing.T, fs vfs.FS) { write(t, fs, "db/store-1/x", "x") }, false, types.CANTOPEN, "its creation was not finished"},
		{"lost CURRENT", func(t *testing.T, fs vfs.FS) {
			healthy(t, fs)
			require.NoError(t, fs.Rename("db/store-1", "db/store-2"))
			require.NoError(t, fs.Remove("db/CURRENT"))
		}, true, types.CORRUPT, "there is store-2, but no CURRENT"},
		{"newer", current("quereus-migrate format 2\nsomething else\n"), true, types.CANTOPEN, "it is of format 2, this release knows formats up to 1"},
		{"bad format", current("quereus-migrate format x\nstore-1\n"), true, types.CORRUPT, "names format"},
		{"no store named", current("quereus-migrate format 1\n../elsewhere\n"), true, types.CORRUPT, "names no store"},
		{"two stores named", current("quereus-migrate format 1\nstore-1\nstore-2\n"), true, types.CORRUPT, "names no store"},
		{"missing store", current("quereus-migrate format 1\nstore-9\n"), true, types.CORRUPT, "damaged"},
	} {
		t.Run(test.name, func(t *testing.T) {
			fs := vfs.NewMem()
			test.prepare(t, fs)
			before := fs.String()
			_, err := Open("db", Options{FS: fs, Create: test.create})
			require.Equal(t, test.code.String(), code(err), "%v", err)
			require.ErrorContains(t, err, test.message)
			if test.name != "missing store" { // that one is locked and looked at
				require.Equal(t, before, fs.String(), "what is refused is not touched")
			}
		})
	}
}

// A lost CURRENT must not cost the store that it named.
func TestLostCurrentKeepsStore(t *testing.T) {
	fs := vfs.NewMem()
	s := mustOpen(t, fs)
	kvtest.Put(t, s, "a", "1")
	require.NoError(t, s.Close())
	require.NoError(t, fs.Remove("db/CURRENT"))
	_, err := Open("db", Options{FS: fs, Create: true})
	require.Equal(t, "CORRUPT", code(err))
	require.ErrorContains(t, err, "there are entries, but no CURRENT")
	write(t, fs, "db/CURRENT", "quereus-migrate format 1\nstore-1\n")
	s = mustOpen(t, fs)
	require.Equal(t, []string{"a=1"}, kvtest.Dump(t, s, kv.Span{}))
	require.NoError(t, s.Close())
}

func TestNewerStoreFormat(t *testing.T) {
	for _, test := range []struct {
		name    string
		version string
		prepare func(t *testing.T, fs vfs.FS)
	}{
		{"known to Pebble", "24", func(t *testing.T, fs vfs.FS) {
			db, err := cockroach.Open("db/store-1", &cockroach.Options{
				FS: fs, Logger: logger{newHealth("", 0)}, FormatMajorVersion: cockroach.FormatNewest,
			})
			require.NoError(t, err)
			require.NoError(t, db.Close())
		}},
		{"unknown to Pebble", "99", func(t *testing.T, fs vfs.FS) {
			write(t, fs, "db/store-1/marker.format-version.000999.099", "")
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			fs := vfs.NewMem()
			require.NoError(t, mustOpen(t, fs).Close())
			test.prepare(t, fs)
			_, err := Open("db", Options{FS: fs})
			require.Equal(t, "CANTOPEN", code(err), "%v", err)
			require.ErrorContains(t, err, "is of store format "+test.version+", this release knows formats up to 21")
		})
	}
}

func TestDamage(t *testing.T) {
	find := func(t *testing.T, fs vfs.FS, pattern string) string {
		last := ""
		for _, name := range list(t, fs, "db/store-1") {
			if ok, _ := filepath.Match(pattern, name); ok {
				last = "db/store-1/" + name
			}
		}
		require.NotEmpty(t, last, pattern)
		return last
	}
	garble := func(pattern string) func(*testing.T, vfs.FS) {
		return func(t *testing.T, fs vfs.FS) {
			name := find(t, fs, pattern)
			text := []byte(read(t, fs, name))
			for i := range text {
				text[i] ^= 0x55
			}
			write(t, fs, name, string(text))
		}
	}
	remove := func(pattern string) func(*testing.T, vfs.FS) {
		return func(t *testing.T, fs vfs.FS) { require.NoError(t, fs.Remove(find(t, fs, pattern))) }
	}
	for name, damage := range map[string]func(*testing.T, vfs.FS){
		"manifest":         garble("MANIFEST-*"),
		"missing manifest": remove("MANIFEST-*"),
		"missing marker":   remove("marker.manifest.*"),
		"missing version":  remove("marker.format-version.*"),
		"missing table":    remove("*.sst"),
		"table":            garble("*.sst"),
		"short table":      func(t *testing.T, fs vfs.FS) { write(t, fs, find(t, fs, "*.sst"), "short") },
	} {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewMem()
			s := mustOpen(t, fs)
			require.NoError(t, s.Ingest(context.Background(), []kv.BulkFile{kvtest.Bulk(t, s, "a", "1")}))
			require.NoError(t, s.Close())
			damage(t, fs)
			s, err := Open("db", Options{FS: fs})
			if err == nil { // the damage is met when it is read
				_, _, err = s.Get([]byte("a"), nil)
				defer s.Close()
			}
			require.Equal(t, "CORRUPT", code(err), "%v", err)
		})
	}
}

// What was committed before a clean close lies in tables: no damage of the log can take it back.
func TestClosedNeedsNoLog(t *testing.T) {
	fs := vfs.NewMem()
	s := mustOpen(t, fs)
	require.NoError(t, commit(s, true, 100, 10, "a"))
	require.NoError(t, s.Close())
	for _, name := range list(t, fs, "db/store-1") {
		if strings.HasSuffix(name, ".log") {
			write(t, fs, "db/store-1/"+name, "garbage")
		}
	}
	s = mustOpen(t, fs)
	require.Len(t, kvtest.Dump(t, s, kv.Span{}), 100)
	require.NoError(t, s.Close())
}

func TestSecondOpenerInProcess(t *testing.T) {
	fs := vfs.NewMem()
	s, err := Open("db", Options{FS: fs, Create: true, Command: "first"})
	require.NoError(t, err)
	for _, readOnly := range []bool{false, true} {
		_, err = Open("db", Options{FS: fs, ReadOnly: readOnly})
		require.Equal(t, "BUSY", code(err))
		require.ErrorContains(t, err, fmt.Sprintf("database db is in use by process %d (first, since ", os.Getpid()))
	}
	kvtest.Put(t, s, "a", "1")
	require.NoError(t, s.Close())
	require.NoError(t, mustOpen(t, fs).Close())
}

// One directory under several names is one database.
func TestAliases(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(filepath.Join(dir, "db"), Options{Create: true})
	require.NoError(t, err)
	require.NoError(t, os.Symlink(filepath.Join(dir, "db"), filepath.Join(dir, "link")))
	t.Chdir(dir)
	for _, alias := range []string{"db", "./db/../db/", "link", filepath.Join(dir, "link")} {
		_, err := Open(alias, Options{})
		require.Equal(t, "BUSY", code(err), alias)
		require.ErrorContains(t, err, "already open in this process")
	}
	require.NoError(t, s.Close())
	s, err = Open("link", Options{})
	require.NoError(t, err)
	require.Equal(t, filepath.Join(s.Path(), "tmp"), s.TempDir())
	require.NoError(t, s.Close())
}

// TestHolderProcess is the other process of TestOtherProcess.
func TestHolderProcess(t *testing.T) {
	dir := os.Getenv("KV_HOLD")
	if dir == "" {
		t.Skip("runs as the other process of TestOtherProcess")
	}
	s, err := Open(dir, Options{Create: true, Command: "holder"})
	if err != nil {
		fmt.Println("failed:", err)
		return
	}
	kvtest.Put(t, s, "durable", "1")
	fmt.Println("holding")
	select {}
}

func TestOtherProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	other := exec.Command(os.Args[0], "-test.run=^TestHolderProcess$", "-test.v")
	other.Env = append(os.Environ(), "KV_HOLD="+dir)
	var printed bytes.Buffer
	other.Stderr = &printed
	out, err := other.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, other.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "holding" {
		require.NotContains(t, lines.Text(), "failed")
	}

	for range 3 { // asking does not take the lock away
		_, err = Open(dir, Options{})
		require.Equal(t, "BUSY", code(err), "%v", err)
		require.ErrorContains(t, err, fmt.Sprintf("is in use by process %d (holder, since ", other.Process.Pid))
	}
	require.NoError(t, other.Process.Kill())
	_ = other.Wait() // it was killed
	require.Empty(t, printed.String(), "Pebble prints nothing")
	s, err := Open(dir, Options{})
	require.NoError(t, err, "the lock ends with its process")
	require.Equal(t, []string{"durable=1"}, kvtest.Dump(t, s, kv.Span{}))
	require.NoError(t, s.Close())
}

func TestReadOnly(t *testing.T) {
	ctx := context.Background()
	fs := vfs.NewMem()
	_, err := Open("db", Options{FS: fs, Create: true, ReadOnly: true})
	require.Equal(t, "CANTOPEN", code(err), "nothing is made to read it")
	s := mustOpen(t, fs)
	kvtest.Put(t, s, "a", "1")
	require.NoError(t, s.Close())
	write(t, fs, "db/tmp/kept", "x")
	s, err = Open("db", Options{FS: fs, ReadOnly: true})
	require.NoError(t, err)
	require.Equal(t, []string{"a=1"}, kvtest.Dump(t, s, kv.Span{}))
	require.Equal(t, "READONLY", code(commit(s, true, 1, 1, "x")))
	require.Equal(t, "READONLY", code(s.Clear(ctx, []kv.Span{{}})))
	require.Equal(t, "READONLY", code(s.Ingest(ctx, nil)))
	_, err = s.NewBulkWriter()
	require.Equal(t, "READONLY", code(err))
	_, err = s.TakeCheckpoint(ctx)
	require.Equal(t, "READONLY", code(err))
	require.Equal(t, []string{"kept"}, list(t, fs, "db/tmp"))
	require.DirExists(t, s.TempDir())
	temp := s.TempDir()
	require.NoError(t, s.Close())
	require.NoDirExists(t, temp)
}

func TestCheckpoints(t *testing.T) {
	ctx := context.Background()
	fs := vfs.NewMem()
	s := mustOpen(t, fs)
	all, err := s.Checkpoints()
	require.NoError(t, err)
	require.Empty(t, all)
	require.NoError(t, s.Ingest(ctx, []kv.BulkFile{kvtest.Bulk(t, s, "bulk", "1")}))
	kvtest.Put(t, s, "a", "1")
	n, err := s.TakeCheckpoint(ctx)
	require.NoError(t, err)
	require.Equal(t, uint64(1), n)
	kvtest.Put(t, s, "a", "2", "b", "2")
	require.NoError(t, s.Clear(ctx, []kv.Span{kv.PrefixSpan([]byte("bulk"))}))
	n, err = s.TakeCheckpoint(ctx)
	require.NoError(t, err)
	require.Equal(t, uint64(2), n)
	all, err = s.Checkpoints()
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.NotZero(t, all[0].Bytes)

	_, err = s.OpenCheckpoint(ctx, 7)
	require.Equal(t, "NOTFOUND", code(err))
	for range 2 { // the checkpoint stays as it is
		c, err := s.OpenCheckpoint(ctx, 1)
		require.NoError(t, err)
		require.Equal(t, []string{"a=1", "bulk=1"}, kvtest.Dump(t, c, kv.Span{}))
		kvtest.Put(t, c, "history", "undone")
		for i := range 50 {
			require.NoError(t, commit(c, false, 5, 100_000, fmt.Sprint("more", i)))
		}
		require.NoError(t, c.Clear(ctx, []kv.Span{kv.PrefixSpan([]byte("more"))}))
		require.NoError(t, c.Close())
	}
	require.Equal(t, []string{"a=2", "b=2"}, kvtest.Dump(t, s, kv.Span{}), "the live store goes on")
	require.NoError(t, s.Close())

	s = mustOpen(t, fs)
	require.NotContains(t, list(t, fs, "db"), "store-2", "a copy that was not made current is gone")
	require.Equal(t, []string{"a=2", "b=2"}, kvtest.Dump(t, s, kv.Span{}))
	c, err := s.OpenCheckpoint(ctx, 1)
	require.NoError(t, err)
	kvtest.Put(t, c, "history", "undone")
	require.NoError(t, c.MakeCurrent())
	require.NoError(t, s.Close())
	_, err = Open("db", Options{FS: fs})
	require.Equal(t, "BUSY", code(err), "the copy still holds the database")
	require.NoError(t, c.Close())

	s = mustOpen(t, fs)
	require.Equal(t, []string{"a=1", "bulk=1", "history=undone"}, kvtest.Dump(t, s, kv.Span{}))
	require.NotContains(t, list(t, fs, "db"), "store-1")
	require.NoError(t, s.DropCheckpoint(1))
	require.Equal(t, "NOTFOUND", code(s.DropCheckpoint(1)))
	all, err = s.Checkpoints()
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.NoError(t, s.Close())
}

// A cancelled checkpoint, or copy of one, leaves nothing behind.
func TestCheckpointCancelled(t *testing.T) {
	fs := vfs.NewMem()
	s := mustOpen(t, fs)
	n, err := s.TakeCheckpoint(context.Background())
	require.NoError(t, err)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = s.TakeCheckpoint(cancelled)
	require.Equal(t, "INTERRUPT", code(err))
	_, err = s.OpenCheckpoint(cancelled, n)
	require.Equal(t, "INTERRUPT", code(err))
	require.Empty(t, list(t, fs, "db/tmp"))
	require.NoError(t, s.Close())
}

func TestBatchTooBig(t *testing.T) {
	s := mustOpen(t, vfs.NewMem())
	s.maxBatch = 1000
	b := s.NewBatch()
	require.NoError(t, b.Set([]byte("a"), make([]byte, 900)))
	require.Equal(t, "TOOBIG", code(b.Set([]byte("b"), make([]byte, 900))))
	require.NoError(t, s.Commit(b, true))
	require.NoError(t, s.Close())
}

// Tombstones in a bulk file hide what lies below it, wherever Pebble puts the file.
func TestBulkTombstones(t *testing.T) {
	ctx := context.Background()
	s := mustOpen(t, vfs.NewMem())
	for range 3 {
		require.NoError(t, s.Ingest(ctx, []kv.BulkFile{kvtest.Bulk(t, s, "a", "1", "b", "1", "c", "1")}))
		require.NoError(t, s.Ingest(ctx, []kv.BulkFile{kvtest.Bulk(t, s, "-a", "", "-c", "")}))
		snap, err := s.NewSnapshot()
		require.NoError(t, err)
		require.Equal(t, []string{"b=1"}, kvtest.Dump(t, s, kv.Span{}))
		require.Equal(t, []string{"b=1"}, kvtest.Dump(t, snap, kv.Span{}))
		_, found, err := s.Get([]byte("a"), nil)
		require.NoError(t, err)
		require.False(t, found)
		require.NoError(t, snap.Close())
	}
	require.NoError(t, s.Close())
}
