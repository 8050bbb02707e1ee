package store

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/mem"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
)

// Each benchmark stands beside the same work on the bare store, which is its limit: sub-benchmark "raw". Compare the ratios.

const benchRows = 200_000

func diskStore(b *testing.B) *pebble.Store {
	s, err := pebble.Open(b.TempDir(), pebble.Options{Create: true, CacheBytes: 256 << 20})
	require.NoError(b, err)
	return s
}

// engines runs a benchmark on both stores.
func engines(b *testing.B, run func(b *testing.B, m *Module)) {
	b.Run("pebble", func(b *testing.B) { runOn(b, diskStore(b), run) })
	b.Run("mem", func(b *testing.B) { runOn(b, mem.Open(), run) })
}

func runOn(b *testing.B, s kv.Store, run func(b *testing.B, m *Module)) {
	m := openModule(b, s, Options{})
	run(b, m)
	require.NoError(b, m.Close())
}

func BenchmarkScan(b *testing.B) {
	engines(b, func(b *testing.B, m *Module) {
		def := createBig(b, m, benchRows)
		p, err := m.Pin(background)
		require.NoError(b, err)
		b.Run("raw", func(b *testing.B) {
			for b.Loop() {
				it, err := p.(*pin).reader().NewIter(kv.IterOptions{Span: kv.PrefixSpan(dataPrefix(def.Storage.Incarnation))})
				require.NoError(b, err)
				n := 0
				for ok := it.First(); ok; ok = it.Next() {
					n += len(it.Key()) + len(it.Value())
				}
				require.NoError(b, it.Close())
			}
			perRow(b)
		})
		for name, columns := range map[string]vtab.ColumnSet{"2 of 8": vtab.Columns(2, 7), "all": vtab.AllColumns(8), "none": {}} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					require.Equal(b, benchRows, countRows(b, m, def, p, &vtab.Filter{Columns: columns}))
				}
				perRow(b)
			})
		}
		require.NoError(b, p.Close())
	})
}

// perRow reports the time of a row.
func perRow(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
}

func BenchmarkLookup(b *testing.B) {
	engines(b, func(b *testing.B, m *Module) {
		def := createBig(b, m, benchRows)
		p, err := m.Pin(background)
		require.NoError(b, err)
		rng := rand.New(rand.NewPCG(1, 2))
		shape, err := m.shapeOf(def)
		require.NoError(b, err)
		b.Run("raw", func(b *testing.B) {
			var key, value []byte
			row := make(types.Row, 8)
			for b.Loop() {
				row[0] = types.Int(int64(rng.IntN(benchRows)))
				key, _ = shape.primary.appendPrimaryKey(append(key[:0], shape.primary.prefix...), row)
				var found bool
				if value, found, err = p.(*pin).reader().Get(key, value[:0]); err != nil || !found {
					b.Fatal(err)
				}
			}
		})
		plan, err := m.BestAccess(background, def, &vtab.AccessRequest{Filters: []vtab.Constraint{{Column: 0, Op: vtab.OpEq}}, Columns: vtab.AllColumns(8)})
		require.NoError(b, err)
		b.Run("connect and scan", func(b *testing.B) {
			batch := vtab.NewBatch(1, 8)
			f := vtab.Filter{Access: plan, Eq: make([]types.Value, 1), Columns: vtab.AllColumns(8)}
			b.ReportAllocs()
			for b.Loop() {
				f.Eq[0] = types.Int(int64(rng.IntN(benchRows)))
				t, err := m.Connect(background, vtab.ConnectRequest{Table: def, Pin: p})
				if err != nil {
					b.Fatal(err)
				}
				lookup(b, t, &f, batch)
				if err := t.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("scan", func(b *testing.B) {
			batch := vtab.NewBatch(1, 8)
			f := vtab.Filter{Access: plan, Eq: make([]types.Value, 1), Columns: vtab.AllColumns(8)}
			t, err := m.Connect(background, vtab.ConnectRequest{Table: def, Pin: p})
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				f.Eq[0] = types.Int(int64(rng.IntN(benchRows)))
				lookup(b, t, &f, batch)
			}
			require.NoError(b, t.Close())
		})
		require.NoError(b, p.Close())
	})
}

func lookup(b *testing.B, t vtab.Table, f *vtab.Filter, batch *vtab.Batch) {
	c, err := t.Scan(background, f)
	if err != nil {
		b.Fatal(err)
	}
	if n, err := c.Next(background, batch); err != nil || n != 1 {
		b.Fatal(n, err)
	}
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkInsert inserts rows in key order through row operations, the commit included; raw is sorted batches of 10,000 rows.
func BenchmarkInsert(b *testing.B) {
	b.Run("raw", func(b *testing.B) {
		for b.Loop() {
			s := diskStore(b)
			shape, err := newShape(numbered(b))
			require.NoError(b, err)
			row := make(types.Row, 8)
			var key, value []byte
			for i := 0; i < benchRows; {
				batch := s.NewBatch()
				for range 10_000 {
					bigRow(row, i)
					key, _ = shape.primary.appendPrimaryKey(binary.AppendUvarint(key[:0], 1), row)
					value = shape.rows.appendRow(value[:0], row)
					require.NoError(b, batch.Set(key, value))
					i++
				}
				require.NoError(b, s.Commit(batch, false))
			}
			require.NoError(b, s.Close())
		}
		perRow(b)
	})
	b.Run("pebble", func(b *testing.B) {
		for b.Loop() {
			m := openModule(b, diskStore(b), Options{})
			createBig(b, m, benchRows)
			require.NoError(b, m.Close())
		}
		perRow(b)
	})
	b.Run("mem", func(b *testing.B) {
		for b.Loop() {
			m := openModule(b, mem.Open(), Options{})
			createBig(b, m, benchRows)
			require.NoError(b, m.Close())
		}
		perRow(b)
	})
}

func numbered(b *testing.B) *catalog.Table {
	t := numberColumns(buildTable(b, bigTable))
	appendLayout(t)
	return t
}

// BenchmarkRewrite builds an index over the table, and converts a column of it.
func BenchmarkRewrite(b *testing.B) {
	engines(b, func(b *testing.B, m *Module) {
		def := createBig(b, m, benchRows)
		for name, a := range map[string]*vtab.Alteration{
			"index":   {Before: def, After: withIndex(b, def, `create index by_name on big (name)`), AfterSpec: &vtab.TableSpec{}},
			"retype":  retyping(def),
			"new key": rekeying(b, def, 0),
		} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					c := begin(b, m, 64<<20)
					_, err := m.Alter(background, c, a)
					require.NoError(b, err)
					require.NoError(b, c.Rollback())
				}
				perRow(b)
			})
		}
	})
}

// BenchmarkIndexScan fetches rows through an index in an order unlike the key's.
func BenchmarkIndexScan(b *testing.B) {
	engines(b, func(b *testing.B, m *Module) {
		before := createBig(b, m, benchRows)
		c := begin(b, m, 64<<20)
		def, err := m.Alter(background, c, &vtab.Alteration{
			Before: before, After: withIndex(b, before, `create index by_name on big (name)`), AfterSpec: &vtab.TableSpec{},
		})
		require.NoError(b, err)
		commit(b, c, before, def)
		p, err := m.Pin(background)
		require.NoError(b, err)
		for b.Loop() {
			f := &vtab.Filter{Access: &vtab.AccessPlan{Index: &vtab.IndexRef{Unique: -1}}, Columns: vtab.AllColumns(8)}
			require.Equal(b, benchRows, countRows(b, m, def, p, f))
		}
		perRow(b)
		require.NoError(b, p.Close())
	})
}
