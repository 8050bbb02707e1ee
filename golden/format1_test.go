package golden

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/catalog/schemafile"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/vtab/kv/mem"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
	"github.com/quereus/quereus-migrate/vtab/store"
)

// The fixture is a database of format 1 (docs/format.md). Every release must read it, so its database is not written anew when the
// code changes: what a later release adds goes into a fixture of its own. Until a release has written format 1, this makes it:
//
//	go test ./golden -run Format -format1 database
//
// What is expected of it is told in the words of today's printer. When those change, and nothing else does:
//
//	go test ./golden -run Format -format1 expected
var writeFormat1 = flag.String("format1", "", "write the database of testdata/format1 anew, or what is expected of it")

const format1Dir = "testdata/format1"

// format1Queries read the fixture in ways that Dump does not.
var format1Queries = []string{
	"select id from child where n > 10",
	"select id from child where word = 'FIVE' and n is null",
	"select id from child where sort + n > 10",
	"select id, half from child order by half, at desc",
	"select id from child order by word collate rtrim, at, doc desc",
	"select name from by_nocase where name >= 'B' order by name",
	"select n from by_rtrim where name = 'x'",
	"select r from by_many where a = 1 and s = 'PT60M' order by j desc",
	"select * from kept order by number",
	"select id, i from kinds where i > 9223372036854775807",
	"select typeof(i), typeof(r), typeof(b), typeof(f), typeof(d), typeof(ts), typeof(j), typeof(a) from kinds where id < 3",
}

func TestFormat1(t *testing.T) {
	if *writeFormat1 == "database" {
		makeFormat1(t)
	}
	dir := filepath.Join(t.TempDir(), "db")
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(format1Dir, "db"))))
	for _, readOnly := range []bool{true, false, false} { // the first one that may write lets Pebble rearrange what is there
		db, err := engine.OpenDir(context.Background(), dir, pebble.Options{ReadOnly: readOnly}, engine.Options{})
		require.NoError(t, err)
		got := describeFormat1(t, db)
		if *writeFormat1 != "" {
			require.NoError(t, os.WriteFile(filepath.Join(format1Dir, "expected.txt"), []byte(got), 0o644))
		}
		requireSameState(t, readFormat1(t, "expected.txt"), got, "the fixture")
		report, err := db.Check(context.Background())
		require.NoError(t, err)
		require.Empty(t, report.Faults)
		for _, name := range []string{"main.sql", "side.sql"} {
			requireInSync(t, db, name)
		}
		if !readOnly {
			requireWritable(t, db)
		}
		require.NoError(t, db.Close())
	}
}

func readFormat1(t *testing.T, name string) string {
	text, err := os.ReadFile(filepath.Join(format1Dir, name))
	require.NoError(t, err)
	return string(text)
}

func readSchema(t *testing.T, name string) *catalog.Declared {
	all, err := schemafile.Read(ast.NewSource(name, readFormat1(t, name)))
	require.NoError(t, err)
	require.Len(t, all, 1)
	return all[0]
}

// describeFormat1 writes down what is in the fixture.
func describeFormat1(t *testing.T, db *engine.DB) string {
	ctx := context.Background()
	c := db.Conn()
	var b strings.Builder
	text, err := Dump(ctx, c)
	require.NoError(t, err)
	b.WriteString(text)
	for _, q := range format1Queries {
		require.NoError(t, dumpRows(ctx, c, &b, q))
	}
	require.NoError(t, c.Close())
	history, err := db.History(ctx)
	require.NoError(t, err)
	for _, h := range history {
		b.WriteString(strings.Join([]string{
			"migration", h.Schema, h.Version, h.From, h.To, h.At.Format(time.RFC3339Nano), h.Duration.String(), h.Tool, h.By,
		}, " ") + "\n  " + strings.Join(h.Statements, "\n  ") + "\n")
	}
	return b.String()
}

// requireInSync compares the fixture with what it was declared as: also the hash, which the history has, must be what it was.
func requireInSync(t *testing.T, db *engine.DB, name string) {
	c := db.Conn()
	d := readSchema(t, name)
	p, err := c.Diff(context.Background(), d, engine.DiffOptions{})
	require.NoError(t, err)
	require.Empty(t, p.Statements())
	require.True(t, p.Empty())
	require.NoError(t, c.Close())
	history, err := db.History(context.Background())
	require.NoError(t, err)
	for _, h := range history {
		if h.Schema == d.Schema() {
			require.Equal(t, h.To, p.From, "an unchanged schema has its hash for ever")
		}
	}
}

// requireWritable writes to all tables of the fixture that have layouts or structures of their own, and takes it back.
func requireWritable(t *testing.T, db *engine.DB) {
	ctx := context.Background()
	c := db.Conn()
	before, err := Dump(ctx, c)
	require.NoError(t, err)
	for _, sql := range []string{
		"update shape set renamed = renamed + 1",
		"update child set sort = sort + 1, n = 77, word = word || '!'",
		"update by_many set r = r + 1",
		"alter table kinds add column more text default 'x'",
		"alter table again alter primary key (id)",
		"create index ix_again on again (w)",
		"delete from late; delete from child",
	} {
		_, err := c.Exec(ctx, "begin; "+sql, engine.Params{})
		require.NoError(t, err, sql)
		_, err = c.Exec(ctx, "rollback", engine.Params{})
		require.NoError(t, err)
	}
	after, err := Dump(ctx, c)
	require.NoError(t, err)
	requireSameState(t, before, after, "what was taken back")
	require.NoError(t, c.Close())
}

// makeFormat1 writes the fixture. A tiny threshold lets even its few rows go through bulk files.
func makeFormat1(t *testing.T) {
	dir := filepath.Join(format1Dir, "db")
	require.NoError(t, os.RemoveAll(dir))
	withFormat1(t, dir, func(c *engine.Conn) {
		_, err := c.Exec(context.Background(), readFormat1(t, "make.sql"), engine.Params{})
		require.NoError(t, err)
		for _, name := range []string{"main.sql", "side.sql"} {
			d := readSchema(t, name)
			p, err := c.Diff(context.Background(), d, engine.DiffOptions{})
			require.NoError(t, err)
			_, err = c.Migrate(context.Background(), p, engine.MigrateOptions{
				Allow: differ.Warning, Version: d.Version, Tool: "quereus-migrate format1", By: "somebody@somewhere",
			})
			require.NoError(t, err)
		}
	})
	withFormat1(t, dir, func(c *engine.Conn) {
		_, err := c.Exec(context.Background(), readFormat1(t, "more.sql"), engine.Params{})
		require.NoError(t, err)
	})
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "tmp")))
}

func withFormat1(t *testing.T, dir string, f func(*engine.Conn)) {
	ctx := context.Background()
	disk, err := pebble.Open(dir, pebble.Options{Create: true})
	require.NoError(t, err)
	lasting, err := store.New(ctx, "store", disk, store.Options{Overlay: 64})
	require.NoError(t, err)
	volatile, err := store.New(ctx, "memory", mem.Open(), store.Options{})
	require.NoError(t, err)
	db, err := engine.New(ctx, engine.Options{
		Modules: []engine.ModuleEntry{{Name: "store", Module: lasting}, {Name: "memory", Module: volatile}},
		Now:     func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
	})
	require.NoError(t, err)
	c := db.Conn()
	f(c)
	require.NoError(t, c.Close())
	require.NoError(t, db.Close())
}
