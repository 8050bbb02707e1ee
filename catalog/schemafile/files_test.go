package schemafile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/quereus/quereus-migrate/catalog/schemafile"
	"github.com/quereus/quereus-migrate/types"
	"github.com/stretchr/testify/require"
)

// A folder is read without what may lead out of it or has no end; nothing is passed over in silence.
func TestFolderReadsRegularFilesOnly(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside.sql")
	require.NoError(t, os.WriteFile(outside, []byte("create table secret (a integer);"), 0o600))
	for name, target := range map[string]string{"file": outside, "device": "/dev/zero", "loop": "b.sql", "nothing": "gone"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "a.sql"), []byte("create table t (a integer primary key);"), 0o600))
			if err := os.Symlink(target, filepath.Join(dir, "b.sql")); err != nil {
				t.Skip("no symbolic links here:", err)
			}
			_, err := schemafile.Sources(os.DirFS(dir), ".")
			require.Equal(t, types.CANTOPEN, types.CodeOf(err), "%v", err)
			require.ErrorContains(t, err, "b.sql is no regular file")
		})
	}
	t.Run("a link to a folder is not followed", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a.sql"), []byte("create table t (a integer primary key);"), 0o600))
		if err := os.Symlink(".", filepath.Join(dir, "again")); err != nil {
			t.Skip("no symbolic links here:", err)
		}
		sources, err := schemafile.Sources(os.DirFS(dir), ".")
		require.NoError(t, err)
		require.Len(t, sources, 1)
	})
}

type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	e.read += len(p)
	return len(p), nil
}

// What has no end is read up to the limit.
func TestReadSourceEnds(t *testing.T) {
	var e endless
	_, err := schemafile.ReadSource("pipe.sql", &e)
	require.Equal(t, types.TOOBIG, types.CodeOf(err), "%v", err)
	require.ErrorContains(t, err, "schema file pipe.sql is larger than 67108864 bytes")
	require.LessOrEqual(t, e.read, schemafile.MaxFileBytes+1<<20)
}
