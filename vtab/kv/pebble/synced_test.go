package pebble

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	cockroach "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/kvtest"
)

// killed is what a process leaves that is killed: everything it wrote, synced or not.
func killed(fs *vfs.MemFS) *vfs.MemFS {
	return fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))})
}

// unclosed gives a store whose process was killed, with acknowledged commits in its logs, and the name of the last log.
func unclosed(t *testing.T, commits int) (left func() *vfs.MemFS, log string) {
	fs := vfs.NewCrashableMem()
	s, err := Open("db", Options{FS: fs, Create: true})
	require.NoError(t, err)
	kvtest.Put(t, s, "first", "1")
	require.NoError(t, s.Close())
	s, err = Open("db", Options{FS: fs})
	require.NoError(t, err)
	for i := range commits {
		require.NoError(t, commit(s, true, 1, 50, fmt.Sprintf("commit%04d-", i)))
	}
	image := killed(fs)
	require.NoError(t, s.Close())
	for _, name := range list(t, image, "db/store-1") {
		if isLog(name) {
			log = "db/store-1/" + name
		}
	}
	return func() *vfs.MemFS { return killed(image) }, log
}

// A log that ends before what was synced has lost commits that were acknowledged: wherever it is cut, and when it is gone.
func TestCutLogIsTold(t *testing.T) {
	const commits = 400
	left, log := unclosed(t, commits)
	whole := read(t, left(), log)
	fs := left()
	s, err := Open("db", Options{FS: fs})
	require.NoError(t, err)
	require.Len(t, kvtest.Dump(t, s, kv.Span{}), commits+1)
	require.NoError(t, s.Close())

	step := len(whole)/60 + 1
	for cut := 0; cut < len(whole); cut += step {
		fs := left()
		write(t, fs, log, whole[:cut])
		_, err := Open("db", Options{FS: fs})
		require.Equal(t, "CORRUPT", code(err), "cut at %d of %d: %v", cut, len(whole), err)
		require.ErrorContains(t, err, "commits are lost")
		_, err = Open("db", Options{FS: fs, ReadOnly: true})
		require.Equal(t, "CORRUPT", code(err))
	}
	for at := 7; at < len(whole); at += step {
		fs := left()
		write(t, fs, log, whole[:at]+"\xff"+whole[at+1:])
		_, err := Open("db", Options{FS: fs})
		require.Equal(t, "CORRUPT", code(err), "damaged at %d of %d: %v", at, len(whole), err)
	}

	fs = left()
	require.NoError(t, fs.Remove(log))
	_, err = Open("db", Options{FS: fs})
	require.Equal(t, "CORRUPT", code(err))
	require.ErrorContains(t, err, fs.PathBase(log)+" is missing: commits are lost")

	// Who accepts the loss gets what is left.
	fs = left()
	write(t, fs, log, whole[:len(whole)/2])
	s, err = Open("db", Options{FS: fs, AcceptLoss: true})
	require.NoError(t, err)
	n := len(kvtest.Dump(t, s, kv.Span{}))
	require.Greater(t, n, commits/3)
	require.Less(t, n, commits)
	require.NoError(t, s.Close())
	s, err = Open("db", Options{FS: fs})
	require.NoError(t, err, "it is accepted once and for all")
	require.NoError(t, s.Close())
}

// What lies behind the last sync, and was never acknowledged, may be lost like in any crash.
func TestUnsyncedEndMayBeLost(t *testing.T) {
	left, log := unclosed(t, 100)
	whole := read(t, left(), log)
	half := len(whole) / 2
	for cut := half; cut < len(whole); cut += len(whole)/50 + 1 {
		fs := left()
		record, err := openSynced(fs, "db/store-1")
		require.NoError(t, err)
		at, found := slices.BinarySearchFunc(record.state.files, fs.PathBase(log), compareSynced)
		require.True(t, found)
		require.Equal(t, int64(len(whole)), record.state.files[at].synced)
		record.state.files[at].synced = int64(half) // as if the other half had not been synced
		require.NoError(t, record.write())
		require.NoError(t, record.close())
		write(t, fs, log, whole[:cut])
		s, err := Open("db", Options{FS: fs})
		require.NoError(t, err, "cut at %d of %d", cut, len(whole))
		require.Greater(t, len(kvtest.Dump(t, s, kv.Span{})), 40)
		require.NoError(t, s.Close())
	}
}

// A manifest that is cut off would lead to tables that are gone, or drop files that were ingested.
func TestCutManifestIsTold(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s, err := Open("db", Options{FS: fs, Create: true})
	require.NoError(t, err)
	for i := range 20 {
		key := fmt.Sprintf("bulk%02d", i)
		require.NoError(t, s.Ingest(context.Background(), []kv.BulkFile{kvtest.Bulk(t, s, key, "1")}))
	}
	image := killed(fs)
	require.NoError(t, s.Close())
	desc, err := cockroach.Peek("db/store-1", image)
	require.NoError(t, err)
	whole := read(t, image, desc.ManifestFilename)
	for cut := 0; cut < len(whole)-manifestHeader; cut += len(whole)/40 + 1 {
		fs := killed(image)
		write(t, fs, desc.ManifestFilename, whole[:cut])
		_, err := Open("db", Options{FS: fs})
		require.Equal(t, "CORRUPT", code(err), "cut at %d of %d: %v", cut, len(whole), err)
	}
}

// A database that an older release wrote has no record: it opens as it did, and has one from then on.
func TestWithoutRecord(t *testing.T) {
	left, log := unclosed(t, 50)
	fs := left()
	require.NoError(t, fs.Remove("db/store-1/"+syncedName))
	write(t, fs, log, read(t, fs, log)[:1000])
	s, err := Open("db", Options{FS: fs})
	require.NoError(t, err)
	require.NotEmpty(t, kvtest.Dump(t, s, kv.Span{}))
	require.Contains(t, list(t, fs, "db/store-1"), syncedName)
	require.NoError(t, s.Close())
}

// A release that knows of no record leaves it as it is, and removes logs that it names.
func TestRecordOutdatedByAnotherRelease(t *testing.T) {
	left, _ := unclosed(t, 50)
	fs := left()
	db, err := cockroach.Open("db/store-1", &cockroach.Options{FS: fs, Logger: logger{newHealth("", 0)}, FormatMajorVersion: formatMajorVersion})
	require.NoError(t, err)
	require.NoError(t, db.Set([]byte("other"), []byte("1"), cockroach.Sync))
	require.NoError(t, db.Flush())
	require.NoError(t, db.Close())
	s, err := Open("db", Options{FS: fs})
	require.NoError(t, err)
	require.Len(t, kvtest.Dump(t, s, kv.Span{}), 52)
	require.NoError(t, s.Close())
}

// Many logs come and go; at no time does the record name one that is gone.
func TestRecordFollowsLogs(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s, err := Open("db", Options{FS: fs, Create: true, MemTableBytes: 64 << 10})
	require.NoError(t, err)
	for i := range 60 {
		require.NoError(t, commit(s, true, 10, 2000, fmt.Sprintf("%03d-", i)))
		image := killed(fs)
		again, err := Open("db", Options{FS: image, ReadOnly: true})
		require.NoError(t, err)
		require.Len(t, kvtest.Dump(t, again, kv.Span{}), 10*(i+1))
		require.NoError(t, again.Close())
	}
	require.NoError(t, s.Close())
}

// The two slots: what is written is read, and when one is torn the other one, the state before, counts.
func TestSyncedSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fs := vfs.NewMem()
		if err := fs.MkdirAll("s", 0o700); err != nil {
			t.Fatal(err)
		}
		s, err := openSynced(fs, "s")
		if err != nil {
			t.Fatal(err)
		}
		var before syncedState
		for range rapid.IntRange(1, 10).Draw(t, "writes") {
			before = s.state
			before.files = append([]syncedFile(nil), s.state.files...)
			switch name := fmt.Sprintf("%06d.log", rapid.IntRange(1, 5).Draw(t, "log")); rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				if _, found := find(before, name); !found {
					continue // nothing is written
				}
				err = s.forget(name)
			case 1:
				s.begin(fmt.Sprintf("OPTIONS-%06d", rapid.IntRange(1, 9).Draw(t, "options")))
			default:
				s.note(name, int64(rapid.IntRange(0, 1<<40).Draw(t, "length")))
			}
			if err != nil {
				t.Fatal(err)
			}
			got, ok, err := readSynced(s.file)
			if err != nil || !ok || !same(got, s.state) {
				t.Fatalf("got %v, want %v (%v)", got, s.state, err)
			}
			torn := rapid.IntRange(0, len(s.buf)-1).Draw(t, "torn")
			at := int64(s.state.generation%2)*slotSize + int64(torn)
			if _, err := s.file.WriteAt([]byte{s.buf[torn] ^ 0x40}, at); err != nil {
				t.Fatal(err)
			}
			got, ok, err = readSynced(s.file)
			if err != nil || ok && !same(got, before) || !ok && before.generation > 1 {
				t.Fatalf("torn: got %v, want %v (%v)", got, before, err)
			}
			if _, err := s.file.WriteAt(s.buf[torn:torn+1], at); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func find(s syncedState, name string) (int64, bool) {
	for _, f := range s.files {
		if f.name == name {
			return f.synced, true
		}
	}
	return 0, false
}

func same(a, b syncedState) bool {
	return fmt.Sprint(a.generation, a.options, a.files) == fmt.Sprint(b.generation, b.options, b.files)
}
