package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	rawpebble "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
)

// The benchmarks of the whole engine, over a million rows of eight columns in a directory. "raw" beside each is the limit: the same
// bytes by the same work on a bare Pebble store with the same settings. docs/benchmarks.md tells how to run them and what they gave.

const (
	benchRows   = 1_000_000
	benchBatch  = 1000
	benchCache  = 256 << 20
	benchTable  = `create table big (id integer primary key, name text, n integer, r real, note text null, flag boolean, day date, code text)`
	benchInsert = `insert into big values (?, ?, ?, ?, ?, ?, ?, ?)`
)

func benchRow(i int) []types.Value {
	return []types.Value{
		types.Int(int64(i)), types.Text(fmt.Sprintf("name %d", i*7919%1_000_003)), types.Int(int64(i * 31 % 1000)), types.Real(float64(i) / 8),
		types.Null, types.Bool(i%2 == 0), types.Text("2024-02-29"), types.Text(fmt.Sprintf("c%07d", i)),
	}
}

// benchBatches gives n rows as parameters, benchBatch at a time. They are made once.
func benchBatches(n int) [][][]types.Value {
	made.Do(func() {
		for i := range benchRows {
			if i%benchBatch == 0 {
				batches = append(batches, nil)
			}
			batches[len(batches)-1] = append(batches[len(batches)-1], benchRow(i))
		}
	})
	if n < benchBatch {
		return [][][]types.Value{batches[0][:n]}
	}
	return batches[:n/benchBatch]
}

var (
	made    sync.Once
	batches [][][]types.Value
)

func benchOpen(b *testing.B, dir string) *engine.DB {
	db, err := engine.OpenDir(ctx, dir, pebble.Options{Create: true, CacheBytes: benchCache}, engine.Options{})
	require.NoError(b, err)
	return db
}

// fillBench inserts rows in key order by prepared batches: each committed on its own, or all in one transaction.
func fillBench(b *testing.B, c *engine.Conn, rows int, oneTransaction bool) {
	exec := func(sql string) {
		_, err := c.Exec(ctx, sql, engine.Params{})
		require.NoError(b, err)
	}
	exec(benchTable)
	s, err := c.Prepare(benchInsert)
	require.NoError(b, err)
	if oneTransaction {
		exec("begin")
	}
	for _, batch := range benchBatches(rows) {
		if _, err := s.ExecBatch(ctx, batch); err != nil {
			b.Fatal(err)
		}
	}
	if oneTransaction {
		exec("commit")
	}
}

// benchDir gives a directory with a database of so many rows, closed. They are made once a run.
func benchDir(b *testing.B, rows int) string {
	if benchDirs[rows] == "" {
		dir, err := os.MkdirTemp(benchHome(b), "rows")
		require.NoError(b, err)
		db := benchOpen(b, dir)
		fillBench(b, db.Conn(), rows, true)
		require.NoError(b, db.Close())
		benchDirs[rows] = dir
	}
	return benchDirs[rows]
}

var (
	benchDirs = map[int]string{}
	benchRoot string
)

// benchHome is a folder that TestMain removes.
func benchHome(b *testing.B) string {
	if benchRoot == "" {
		var err error
		benchRoot, err = os.MkdirTemp("", "quereus-bench")
		require.NoError(b, err)
	}
	return benchRoot
}

func TestMain(m *testing.M) {
	code := m.Run()
	if benchRoot != "" {
		os.RemoveAll(benchRoot)
	}
	os.Exit(code)
}

// rawOpen opens a bare store with the settings that pebble.Open uses.
func rawOpen(b *testing.B, dir string) *rawpebble.DB {
	o := &rawpebble.Options{
		FormatMajorVersion:          rawpebble.FormatTableFormatV6,
		CacheSize:                   benchCache,
		MemTableSize:                16 << 20,
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       2,
		L0StopWritesThreshold:       32,
		WALBytesPerSync:             1 << 20,
		CompactionConcurrencyRange:  func() (int, int) { return 1, 2 },
		Logger:                      silent{},
	}
	for i := range o.Levels {
		o.Levels[i] = rawpebble.LevelOptions{
			BlockSize: 32 << 10, IndexBlockSize: 256 << 10, FilterPolicy: bloom.FilterPolicy(10),
			Compression: func() *sstable.CompressionProfile { return sstable.FastestCompression },
		}
	}
	db, err := rawpebble.Open(dir, o)
	require.NoError(b, err)
	return db
}

type silent struct{}

func (silent) Infof(string, ...any)         {}
func (silent) Errorf(f string, args ...any) { panic(fmt.Sprintf(f, args...)) }
func (silent) Fatalf(f string, args ...any) { panic(fmt.Sprintf(f, args...)) }

// rawRows is the bounds of all rows in a store (docs/format.md §3).
func rawRows() *rawpebble.IterOptions {
	return &rawpebble.IterOptions{LowerBound: []byte{0x10}, UpperBound: []byte{0x11}}
}

// rawEntry is a row as it lies in a store.
type rawEntry struct{ key, value []byte }

func readRaw(b *testing.B, dir string) []rawEntry {
	db := rawOpen(b, filepath.Join(dir, "store-1"))
	defer db.Close()
	it, err := db.NewIter(rawRows())
	require.NoError(b, err)
	defer it.Close()
	var entries []rawEntry
	for ok := it.First(); ok; ok = it.Next() {
		entries = append(entries, rawEntry{append([]byte(nil), it.Key()...), append([]byte(nil), it.Value()...)})
	}
	require.Len(b, entries, benchRows)
	return entries
}

// perBenchRow reports the time of one of the rows that each iteration is about.
func perBenchRow(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
}

// BenchmarkBulkInsert inserts the rows in key order by a prepared INSERT in batches, from the opening of a new database until all of it is
// durable. raw writes the same entries in sorted batches of as many rows. What Pebble still does in the background then is waited for, and
// not counted.
func BenchmarkBulkInsert(b *testing.B) {
	entries := readRaw(b, benchDir(b, benchRows))
	for _, synced := range []bool{false, true} {
		name := map[bool]string{false: "one transaction", true: "a commit for each batch"}[synced]
		b.Run("raw/"+name, func(b *testing.B) {
			for b.Loop() {
				rawInsert(b, entries, synced)
			}
			perBenchRow(b)
		})
		b.Run("engine/"+name, func(b *testing.B) {
			benchBatches(benchRows)
			b.ReportAllocs()
			for b.Loop() {
				db := benchOpen(b, b.TempDir())
				fillBench(b, db.Conn(), benchRows, !synced)
				b.StopTimer()
				require.NoError(b, db.Close())
				b.StartTimer()
			}
			perBenchRow(b)
		})
	}
}

// rawInsert ends with a synced batch, and syncs every one when told to.
func rawInsert(b *testing.B, entries []rawEntry, synced bool) {
	db := rawOpen(b, b.TempDir())
	for i := 0; i < len(entries); i += benchBatch {
		batch := db.NewBatch()
		for _, e := range entries[i : i+benchBatch] {
			if err := batch.Set(e.key, e.value, nil); err != nil {
				b.Fatal(err)
			}
		}
		o := rawpebble.NoSync
		if synced || i+benchBatch == len(entries) {
			o = rawpebble.Sync
		}
		if err := batch.Commit(o); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	require.NoError(b, db.Close())
	b.StartTimer()
}

// BenchmarkFullScan reads two of the eight columns of all rows. raw iterates over the same entries and touches their bytes.
func BenchmarkFullScan(b *testing.B) {
	dir := benchDir(b, benchRows)
	b.Run("raw", func(b *testing.B) {
		db := rawOpen(b, filepath.Join(dir, "store-1"))
		for b.Loop() {
			it, err := db.NewIter(rawRows())
			require.NoError(b, err)
			n, sum := 0, 0
			for ok := it.First(); ok; ok = it.Next() {
				n, sum = n+1, sum+len(it.Key())+int(it.Value()[0])
			}
			require.NoError(b, it.Close())
			require.Equal(b, benchRows, n)
		}
		perBenchRow(b)
		require.NoError(b, db.Close())
	})
	db := benchOpen(b, dir)
	defer db.Close()
	c := db.Conn()
	for _, q := range []struct {
		name, sql string
		rows      int
	}{
		{"filter", "select r from big where n = 500", benchRows / 1000},
		{"filter and count", "select count(*) from big where n < 500 and r >= 1000.0", 1},
		{"filter and sum", "select sum(n) from big where r >= 1000.0", 1},
		{"filter and return half", "select r from big where n < 500", benchRows / 2},
	} {
		b.Run(q.name, func(b *testing.B) {
			s, err := c.Prepare(q.sql)
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				require.Equal(b, q.rows, countAll(b, s, engine.Params{}))
			}
			perBenchRow(b)
		})
	}
}

func countAll(b *testing.B, s *engine.Stmt, p engine.Params) int {
	rows, err := s.Query(ctx, p)
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for {
		row, err := rows.Next()
		if err != nil {
			b.Fatal(err)
		}
		if row == nil {
			break
		}
		n++
	}
	if err := rows.Close(); err != nil {
		b.Fatal(err)
	}
	return n
}

// BenchmarkPointLookup reads one row by its key. raw is Get of the same entry. Keys come in an order that hops through the table.
func BenchmarkPointLookup(b *testing.B) {
	const hop = 611_953
	dir := benchDir(b, benchRows)
	b.Run("raw", func(b *testing.B) {
		entries := readRaw(b, dir)
		db := rawOpen(b, filepath.Join(dir, "store-1"))
		i := 0
		for b.Loop() {
			i = (i + hop) % benchRows
			v, closer, err := db.Get(entries[i].key)
			if err != nil || len(v) == 0 {
				b.Fatal(err)
			}
			closer.Close()
		}
		require.NoError(b, db.Close())
	})
	db := benchOpen(b, dir)
	defer db.Close()
	c := db.Conn()
	for _, inside := range []bool{false, true} {
		b.Run(map[bool]string{false: "statement", true: "in a transaction"}[inside], func(b *testing.B) {
			if inside {
				_, err := c.Exec(ctx, "begin", engine.Params{})
				require.NoError(b, err)
				defer c.Exec(ctx, "rollback", engine.Params{})
			}
			s, err := c.Prepare("select name, n from big where id = ?")
			require.NoError(b, err)
			p := engine.Args(types.Null)
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				i = (i + hop) % benchRows
				p.Positional[0] = types.Int(int64(i))
				if n := countAll(b, s, p); n != 1 {
					b.Fatal(n)
				}
			}
		})
	}
}

// BenchmarkInstant changes a table of ten rows and one of a million, each change there and back, the commits included.
func BenchmarkInstant(b *testing.B) {
	for _, change := range []struct{ name, there, back string }{
		{"add and drop column", "alter table big add column extra integer default 7", "alter table big drop column extra"},
		{"rename column", "alter table big rename column note to remark", "alter table big rename column remark to note"},
		{"rename table", "alter table big rename to large", "alter table large rename to big"},
		{"default", "alter table big alter column n set default 5", "alter table big alter column n drop default"},
	} {
		for _, rows := range []int{10, benchRows} {
			b.Run(fmt.Sprintf("%s/%d", change.name, rows), func(b *testing.B) {
				dir := b.TempDir()
				require.NoError(b, os.CopyFS(filepath.Join(dir, "db"), os.DirFS(benchDir(b, rows))))
				db := benchOpen(b, filepath.Join(dir, "db"))
				c := db.Conn()
				for b.Loop() {
					for _, sql := range []string{change.there, change.back} {
						if _, err := c.Exec(ctx, sql, engine.Params{}); err != nil {
							b.Fatal(err)
						}
					}
				}
				require.NoError(b, db.Close())
			})
		}
	}
}
