package store

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/mem"
)

// fakeDB is the engine as the module sees it.
type fakeDB struct{ memory int64 }

func (fakeDB) Collation(string) *types.Collation { return nil }
func (fakeDB) Option(string) types.Value         { return types.Null }
func (d fakeDB) MemoryBudget() int64             { return d.memory }
func (fakeDB) Logger() *slog.Logger              { return slog.New(slog.DiscardHandler) }

// allocator numbers objects.
type allocator struct{ id, seq uint64 }

func (a *allocator) NewID() catalog.ID { a.id++; return catalog.ID(a.id) }
func (a *allocator) NewSeq() uint64    { a.seq++; return a.seq }

var numbers allocator

func parseStmt(t testing.TB, sql string) ast.Stmt {
	list, err := parse.Stmts(ast.NewSource("test", sql))
	require.NoError(t, err)
	return list[0]
}

func buildTable(t testing.TB, sql string) *catalog.Table {
	def, err := catalog.BuildTable(parseStmt(t, sql).(*ast.CreateTableStmt), buildEnv())
	require.NoError(t, err)
	return def
}

func buildEnv() catalog.BuildEnv {
	return catalog.BuildEnv{Types: types.NewRegistry(), Module: "test", IDs: &numbers}
}

// withIndex gives the definition with another index.
func withIndex(t testing.TB, def *catalog.Table, sql string) *catalog.Table {
	ix, err := catalog.BuildIndex(parseStmt(t, sql).(*ast.CreateIndexStmt), def, buildEnv())
	require.NoError(t, err)
	def = def.Clone()
	def.Indexes = append(def.Indexes, ix)
	return def
}

func begin(t testing.TB, m *Module, memory int64) *Conn {
	p, err := m.Pin(background)
	require.NoError(t, err)
	c, err := m.Begin(background, fakeDB{memory}, p)
	require.NoError(t, err)
	return c.(*Conn)
}

func commit(t testing.TB, c *Conn, before, after *catalog.Table) {
	require.NoError(t, c.Prepare(background, &vtab.Commit{Tables: []vtab.TableChange{{Before: before, After: after}}}))
	require.NoError(t, c.Commit(background))
}

const bigTable = `create table big (id integer primary key, name text, n integer, r real, note text null, flag boolean, d date, code text)`

// bigRow is row i of the big table.
func bigRow(row types.Row, i int) {
	row[0], row[1], row[2] = types.Int(int64(i)), types.Text(fmt.Sprintf("name %d", i*7919%100_003)), types.Int(int64(i*31%1000))
	row[3], row[4], row[5] = types.Real(float64(i)/8), types.Null, types.Bool(i%2 == 0)
	row[6], row[7] = types.Text("2024-02-29"), types.Text(fmt.Sprintf("c%07d", i))
}

// createBig makes the table with n rows and commits it.
func createBig(t testing.TB, m *Module, n int) *catalog.Table {
	c := begin(t, m, 64<<20)
	def, err := m.Create(background, c, buildTable(t, bigTable))
	require.NoError(t, err)
	insertBig(t, m, c, def, 0, n)
	commit(t, c, nil, def)
	return def
}

func insertBig(t testing.TB, m *Module, c *Conn, def *catalog.Table, from, n int) {
	table, err := m.Connect(background, vtab.ConnectRequest{Table: def, Conn: c, Spec: &vtab.TableSpec{}})
	require.NoError(t, err)
	op := vtab.RowOp{Kind: vtab.OpInsert, New: make(types.Row, len(def.Columns))}
	for i := from; i < from+n; i++ {
		bigRow(op.New, i)
		r, err := table.Update(background, &op)
		if err != nil || r.Status != vtab.Done {
			t.Fatalf("row %d: %v, %v", i, r.Status, err)
		}
	}
	require.NoError(t, table.Close())
}

// countRows reads an access to its end and checks that the first column asked for is not NULL.
func countRows(t testing.TB, m *Module, def *catalog.Table, pin vtab.Pin, f *vtab.Filter) (n int) {
	table, err := m.Connect(background, vtab.ConnectRequest{Table: def, Pin: pin})
	require.NoError(t, err)
	c, err := table.Scan(background, f)
	require.NoError(t, err)
	b := vtab.NewBatch(vtab.BatchRows, len(def.Columns))
	for {
		k, err := c.Next(background, b)
		require.NoError(t, err)
		if k == 0 {
			break
		}
		n += k
	}
	require.NoError(t, c.Close())
	require.NoError(t, table.Close())
	return n
}

// TestBigRewrites sends a table of several megabytes, committed rows and staged ones, through bulk files with spilling sorts.
func TestBigRewrites(t *testing.T) {
	m := openModule(t, mem.Open(), Options{Overlay: 64 << 10})
	const rows, staged = 12_000, 3_000
	before := createBig(t, m, rows)
	c := begin(t, m, 256<<10)
	insertBig(t, m, c, before, rows, staged)

	after := withIndex(t, withIndex(t, before, `create unique index by_name on big (name desc, id)`), `create index by_n on big (n)`)
	after = after.WithColumn(2, func(col *catalog.Column) { col.Type = types.TypeText })
	var told int64
	def, err := m.Alter(background, c, &vtab.Alteration{
		Before: before, After: after, Changed: []int{2}, AfterSpec: &vtab.TableSpec{},
		Progress: func(n int64) { told = n },
		Convert: func(dst, src types.Row) error {
			copy(dst, src)
			dst[2] = types.Text(types.ToText(src[2]))
			return nil
		},
	})
	require.NoError(t, err)
	require.EqualValues(t, rows+staged, told)
	require.Len(t, c.own.ingested, 3, "all three ranges went through bulk files")
	rekeyed, err := def.WithKey([]catalog.KeyColumn{{Column: 7, Desc: true}})
	require.NoError(t, err)
	rekeyed, err = m.Alter(background, c, &vtab.Alteration{Before: def, After: rekeyed, AfterSpec: &vtab.TableSpec{}})
	require.NoError(t, err)
	require.Equal(t, def.Storage.Layouts, rekeyed.Storage.Layouts, "a change of the key leaves the stored rows as they are")

	one := withIndex(t, rekeyed, `create unique index one on big (n)`)
	_, err = m.Alter(background, c, &vtab.Alteration{Before: rekeyed, After: one, AfterSpec: &vtab.TableSpec{}})
	require.ErrorContains(t, err, "UNIQUE constraint failed: big (n)")
	commit(t, c, before, rekeyed)

	pin, err := m.Pin(background)
	require.NoError(t, err)
	for _, ref := range []*vtab.IndexRef{nil, {Unique: -1, Index: 0}, {Unique: -1, Index: 1}} {
		n := countRows(t, m, rekeyed, pin, &vtab.Filter{Access: &vtab.AccessPlan{Index: ref}, Columns: vtab.AllColumns(8)})
		require.Equal(t, rows+staged, n)
	}
	require.NoError(t, pin.Close())
	require.Empty(t, m.retired)
	requireOnly(t, m.store, rekeyed)
	require.NoError(t, m.Close())
}

// requireOnly checks that the store holds no data, intents, retired records or counts but those of the tables.
func requireOnly(t testing.TB, s kv.Reader, tables ...*catalog.Table) {
	named := map[catalog.Incarnation]bool{}
	for _, def := range tables {
		for _, inc := range incarnations(def) {
			named[inc] = true
		}
	}
	it, err := s.NewIter(kv.IterOptions{Span: kv.Span{Lo: []byte{spaceIntents}}})
	require.NoError(t, err)
	defer it.Close()
	for ok := it.First(); ok; {
		key := it.Key()
		require.Contains(t, []byte{spaceCounts, spaceData}, key[0], formatKey(key))
		inc, isKey := readIncarnation(key[1 : 2+int(key[1])])
		require.True(t, isKey)
		require.True(t, named[inc], "nothing names %s", formatKey(key))
		ok = it.SeekGE(types.PrefixEnd(key[:2+int(key[1])]))
	}
	require.NoError(t, it.Err())
}

// crowdedStore is a store whose disk is nearly full.
type crowdedStore struct{ kv.Store }

func (crowdedStore) FreeSpace() (uint64, error) { return 100 << 10, nil }

func TestRewriteNeedsSpace(t *testing.T) {
	m := openModule(t, crowdedStore{mem.Open()}, Options{Overlay: 64 << 10})
	before := createBig(t, m, 5_000)
	c := begin(t, m, 1<<20)
	after := withIndex(t, before, `create index by_n on big (n)`)
	_, err := m.Alter(background, c, &vtab.Alteration{Before: before, After: after, AfterSpec: &vtab.TableSpec{}})
	require.ErrorIs(t, err, types.FULL)
	require.ErrorContains(t, err, "table big: rewriting it needs about 1 MiB of disk")
	require.NoError(t, c.Rollback())
}

func TestRewriteIsCancelled(t *testing.T) {
	m := openModule(t, mem.Open(), Options{Overlay: 64 << 10})
	before := createBig(t, m, 10_000)
	c := begin(t, m, 1<<20)
	ctx, cancel := context.WithCancel(background)
	_, err := m.Alter(ctx, c, &vtab.Alteration{
		Before: before, After: before.Clone(), AfterSpec: &vtab.TableSpec{}, Changed: []int{2},
		Convert: func(dst, src types.Row) error { copy(dst, src); return nil },
		Progress: func(n int64) {
			require.Less(t, n, int64(5_000), "it went on")
			if n > 1_000 {
				cancel()
			}
		},
	})
	require.ErrorIs(t, err, types.INTERRUPT)
	require.NoError(t, c.Rollback())
	requireOnly(t, m.store, before)
	require.NoError(t, m.Close())
}

// TestRewritePanics has a conversion panic on a worker's goroutine.
func TestRewritePanics(t *testing.T) {
	m := openModule(t, mem.Open(), Options{})
	before := createBig(t, m, 1_000)
	c := begin(t, m, 1<<20)
	a := retyping(before)
	a.Convert = func(dst, src types.Row) error { panic("odd row") }
	_, err := m.Alter(background, c, a)
	require.ErrorIs(t, err, types.INTERNAL)
	require.ErrorContains(t, err, "odd row")
	require.NoError(t, c.Rollback())
	require.NoError(t, m.Close())
}

// TestBigRows reads and rewrites rows of which few fill a batch.
func TestBigRows(t *testing.T) {
	m := openModule(t, mem.Open(), Options{})
	c := begin(t, m, 64<<20)
	def, err := m.Create(background, c, buildTable(t, `create table fat (id integer primary key, body blob)`))
	require.NoError(t, err)
	table, err := m.Connect(background, vtab.ConnectRequest{Table: def, Conn: c})
	require.NoError(t, err)
	const rows = 12
	for i := range rows {
		r, err := table.Update(background, &vtab.RowOp{New: types.Row{types.Int(int64(i)), types.Blob(make([]byte, 1<<20))}})
		require.NoError(t, err)
		require.Equal(t, vtab.Done, r.Status)
	}
	after, err := def.WithKey([]catalog.KeyColumn{{Column: 0, Desc: true}})
	require.NoError(t, err)
	after, err = m.Alter(background, c, &vtab.Alteration{Before: def, After: after, AfterSpec: &vtab.TableSpec{}})
	require.NoError(t, err)
	commit(t, c, nil, after)
	pin, err := m.Pin(background)
	require.NoError(t, err)
	require.Equal(t, rows, countRows(t, m, after, pin, scanAll(after)))
	require.NoError(t, pin.Close())
	require.NoError(t, m.Close())
}
