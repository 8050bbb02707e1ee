package pebble

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/kvtest"
	"github.com/stretchr/testify/require"
)

// A database in new folders is there after a crash, however many of them are new.
func TestCreateSyncsEveryNewFolder(t *testing.T) {
	for i, dir := range []string{"db", "a/db", "a/b/c/db"} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			mem := vfs.NewCrashableMem()
			s, err := Open(dir, Options{FS: mem, Create: true})
			require.NoError(t, err)
			kvtest.Put(t, s, "k", "v")
			crashed := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 0, RNG: rand.New(rand.NewPCG(1, 2))})
			require.NoError(t, s.Close())

			s, err = Open(dir, Options{FS: crashed})
			require.NoError(t, err)
			require.Equal(t, []string{"k=v"}, kvtest.Dump(t, s, kv.Span{}))
			require.NoError(t, s.Close())
		})
	}
}

// A directory that its maker did not sync, or was killed before, is synced by who makes the database in it.
func TestCreateSyncsAFolderThatIsThere(t *testing.T) {
	mem := vfs.NewCrashableMem()
	require.NoError(t, mem.MkdirAll("db", 0o700))
	s, err := Open("db", Options{FS: mem, Create: true})
	require.NoError(t, err)
	kvtest.Put(t, s, "k", "v")
	crashed := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 0, RNG: rand.New(rand.NewPCG(1, 2))})
	require.NoError(t, s.Close())

	s, err = Open("db", Options{FS: crashed})
	require.NoError(t, err)
	require.Equal(t, []string{"k=v"}, kvtest.Dump(t, s, kv.Span{}))
	require.NoError(t, s.Close())
}

// Nobody but the owner reaches a file with rows, also where the directory was there before and is open to all.
func TestNewDatabaseIsItsOwnersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are those of Unix")
	}
	open := filepath.Join(t.TempDir(), "open")
	require.NoError(t, os.Mkdir(open, 0o755))
	for _, dir := range []string{filepath.Join(t.TempDir(), "a", "db"), open} {
		s, err := Open(dir, Options{Create: true})
		require.NoError(t, err)
		kvtest.Put(t, s, "k", "v")
		_, err = s.TakeCheckpoint(t.Context())
		require.NoError(t, err)
		require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() || path == open {
				return err
			}
			info, err := d.Info()
			require.Zero(t, info.Mode().Perm()&0o077, "%s is %v", path, info.Mode())
			return err
		}))
		require.NoError(t, s.Close())
	}
}

// Under a link to a folder, a database that is made in new folders has the one name that it has when it is there.
func TestCreateUnderALinkHasOneName(t *testing.T) {
	top := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(top, "real"), 0o755))
	if err := os.Symlink("real", filepath.Join(top, "link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	s, err := Open(filepath.Join(top, "link", "new", "db"), Options{Create: true})
	require.NoError(t, err)
	defer s.Close()
	_, err = Open(filepath.Join(top, "real", "new", "db"), Options{})
	require.ErrorContains(t, err, "already open in this process")
}
