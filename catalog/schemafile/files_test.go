package schemafile_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog/schemafile"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
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
	_, err := schemafile.Reader{}.ReadSource("pipe.sql", &e)
	require.Equal(t, types.TOOBIG, types.CodeOf(err), "%v", err)
	require.ErrorContains(t, err, "schema file pipe.sql is larger than 67108864 bytes")
	require.LessOrEqual(t, e.read, 64<<20+1<<20)

	low := limit.Defaults()
	low[limit.SchemaFileLength] = 1000
	_, err = schemafile.Reader{Limits: low}.ReadSource("pipe.sql", &e)
	require.ErrorIs(t, err, types.TOOBIG)
	require.ErrorContains(t, err, "raise it with --limit schema_file_length=N")

	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = schemafile.Reader{Ctx: cancelled}.ReadSource("pipe.sql", &e)
	require.ErrorIs(t, err, types.INTERRUPT)
}

// Aliases that stand for more nodes than they may are refused before any is followed; so is one that stands for itself.
func TestYAMLExpansion(t *testing.T) {
	var b strings.Builder
	b.WriteString("tables:\n  t0:\n    columns: &c\n      id: integer primary key\n")
	for i := range 299 {
		fmt.Fprintf(&b, "      c%d: text\n", i)
	}
	for i := range 20_000 {
		fmt.Fprintf(&b, "  t%d:\n    columns: *c\n", i+1)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := schemafile.Read(ast.NewSource("many.yaml", b.String()))
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, types.TOOBIG)
	require.ErrorContains(t, err, "the aliases of the file stand for more than 1000000 nodes; the limit yaml_expansion is 1000000: raise it with --limit yaml_expansion=N")
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100<<20), "what aliases stand for was made")

	// Some lines stand for as much as one likes.
	bomb := "tables: {t: {columns: {id: integer}}}\nseeds:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 40 {
		bomb += fmt.Sprintf("  a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	_, err = schemafile.Read(ast.NewSource("bomb.yaml", bomb))
	require.ErrorIs(t, err, types.TOOBIG)

	_, err = schemafile.Read(ast.NewSource("self.yaml", "tables: &a\n  t: {columns: {id: *a}}\n"))
	require.ErrorIs(t, err, types.ERROR)
	require.ErrorContains(t, err, "'a' stands for itself")
}
