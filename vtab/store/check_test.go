package store

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/mem"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
)

// checkedTable has every kind of structure, one with a predicate and one with an expression.
func checkedTable(t testing.TB) (*catalog.Table, *vtab.TableSpec) {
	def := buildTable(t, `create table item (id integer primary key, code text, n integer null, unique (code))`)
	def = withIndex(t, def, `create index by_n on item (n desc)`)
	def = withIndex(t, def, `create unique index few on item (n) where n < 5`)
	def = withIndex(t, def, `create index sum on item (id + n)`)
	return def, &vtab.TableSpec{
		Predicates: []func(types.Row) (bool, error){nil, func(r types.Row) (bool, error) {
			n, _ := r[2].Int64()
			return !r[2].IsNull() && n < 5, nil
		}, nil},
		Members: [][]func(types.Row) (types.Value, error){{nil}, {nil}, {func(r types.Row) (types.Value, error) {
			return types.Add(r[0], r[2]), nil
		}}},
	}
}

// fillChecked commits the table with rows 0 to 9, the last one with a NULL.
func fillChecked(t testing.TB, m *Module) (*catalog.Table, *vtab.TableSpec) {
	def, spec := checkedTable(t)
	c := begin(t, m, 1<<20)
	def, err := m.Create(background, c, def)
	require.NoError(t, err)
	table, err := m.Connect(background, vtab.ConnectRequest{Table: def, Conn: c, Spec: spec})
	require.NoError(t, err)
	for i := range int64(10) {
		row := types.Row{types.Int(i), types.Text(fmt.Sprintf("c%d", i)), types.Int(i)}
		if i == 9 {
			row[2] = types.Null
		}
		r, err := table.Update(background, &vtab.RowOp{Kind: vtab.OpInsert, New: row})
		require.NoError(t, err)
		require.Equal(t, vtab.Done, r.Status)
	}
	require.NoError(t, table.Close())
	commit(t, c, nil, def)
	return def, spec
}

// faultsOf checks a module with one table.
func faultsOf(t testing.TB, m *Module, def *catalog.Table, spec *vtab.TableSpec) (vtab.CheckResult, []string) {
	pin, err := m.Pin(background)
	require.NoError(t, err)
	defer pin.Close()
	faults := []string{}
	result, err := m.Check(background, &vtab.CheckRequest{
		Pin: pin, Tables: []*catalog.Table{def}, Specs: []*vtab.TableSpec{spec},
		Report: func(t *catalog.Table, fault vtab.CheckFault) {
			text := fault.String()
			if t != nil {
				text = t.Name + ": " + text
			}
			faults = append(faults, text)
		},
	})
	require.NoError(t, err)
	return result, faults
}

// TestCheck damages a sound table in every way that the check must notice, behind the module's back.
func TestCheck(t *testing.T) {
	key := func(t *testing.T, s *structure, values ...types.Value) []byte {
		key := append([]byte(nil), s.prefix...)
		for i, v := range values {
			part := types.KeyPart{}
			if i < len(s.members) {
				part = s.members[i].part
			}
			var err error
			key, err = part.Append(key, v)
			require.NoError(t, err)
		}
		return key
	}
	row := func(s *shape, values ...types.Value) []byte { return s.rows.appendRow(nil, values) }
	one, code := types.Int(1), types.Text("c1")
	for _, test := range []struct {
		name   string
		damage func(t *testing.T, s *shape, b kv.Batch)
		faults []string
	}{
		{"nothing", func(*testing.T, *shape, kv.Batch) {}, []string{}},
		{"entry lost", func(t *testing.T, s *shape, b kv.Batch) {
			require.NoError(t, b.Delete(key(t, s.others[1], one, one)))
		}, []string{
			"item: index by_n has 9 entries, its rows call for 10",
			"item: index by_n: row /data/1/1 has no entry",
		}},
		{"entry too many", func(t *testing.T, s *shape, b kv.Batch) {
			require.NoError(t, b.Set(key(t, s.others[1], types.Int(77), one), []byte{3}))
		}, []string{
			"item: index by_n has 11 entries, its rows call for 10",
			"item: index by_n: entry /data/3/77 desc/1 is not the one of its row /data/1/1",
		}},
		{"entry beside the predicate", func(t *testing.T, s *shape, b kv.Batch) {
			require.NoError(t, b.Set(key(t, s.others[2], types.Int(7)), key(t, s.primary, types.Int(7))[len(s.primary.prefix):]))
		}, []string{
			"item: index few has 6 entries, its rows call for 5",
			"item: index few: entry /data/4/7 is not the one of its row /data/1/7",
		}},
		{"entry of another row", func(t *testing.T, s *shape, b kv.Batch) {
			require.NoError(t, b.Set(key(t, s.others[0], code), key(t, s.primary, types.Int(2))[len(s.primary.prefix):]))
		}, []string{
			`item: unique constraint _uc_code: entry /data/2/"c1" is not the one of its row /data/1/2`,
			`item: unique constraint _uc_code: row /data/1/1 has the same values as row /2`,
		}},
		{"entry damaged", func(t *testing.T, s *shape, b kv.Batch) {
			require.NoError(t, b.Set(key(t, s.others[3], types.Int(2), one), []byte{200}))
		}, []string{"item: index sum: index entry /data/5/2/1 is damaged"}},
		{"row lost", func(t *testing.T, s *shape, b kv.Batch) {
			require.NoError(t, b.Delete(key(t, s.primary, types.Int(9))))
		}, []string{
			"item: it has 9 rows, and is said to have 10",
			"item: unique constraint _uc_code has 10 entries, its rows call for 9",
			`item: unique constraint _uc_code: entry /data/2/"c9" leads to no row`,
			"item: index by_n has 10 entries, its rows call for 9",
			"item: index by_n: entry /data/3/null/9 leads to no row",
			"item: index sum has 10 entries, its rows call for 9",
			"item: index sum: entry /data/5/null/9 leads to no row",
		}},
		{"row changed", func(t *testing.T, s *shape, b kv.Batch) {
			require.NoError(t, b.Set(key(t, s.primary, one), row(s, one, types.Text("new"), one)))
		}, []string{
			`item: unique constraint _uc_code: entry /data/2/"c1" is not the one of its row /data/1/1`,
			"item: unique constraint _uc_code: row /data/1/1 has no entry",
		}},
		{"row under a foreign key", func(t *testing.T, s *shape, b kv.Batch) {
			require.NoError(t, b.Delete(key(t, s.primary, one)))
			require.NoError(t, b.Set(key(t, s.primary, types.Int(50)), row(s, one, code, one)))
		}, []string{
			"item: row /data/1/50: its values give the key /1",
			"item: unique constraint _uc_code has 10 entries, its rows call for 9",
			`item: unique constraint _uc_code: entry /data/2/"c1" leads to no row`,
			"item: index by_n has 10 entries, its rows call for 9",
			"item: index by_n: entry /data/3/1 desc/1 leads to no row",
			"item: index few has 5 entries, its rows call for 4",
			"item: index few: entry /data/4/1 leads to no row",
			"item: index sum has 10 entries, its rows call for 9",
			"item: index sum: entry /data/5/2/1 leads to no row",
		}},
		{"unknown layout", func(t *testing.T, s *shape, b kv.Batch) {
			require.NoError(t, b.Set(key(t, s.primary, types.Int(20)), []byte{9}))
			require.NoError(t, b.Set(incarnationKey(spaceCounts, s.primary.inc), []byte{11}))
		}, []string{"item: row /data/1/20: a stored row names the unknown layout 9"}},
		{"row too long", func(t *testing.T, s *shape, b kv.Batch) {
			require.NoError(t, b.Set(key(t, s.primary, types.Int(20)), append(row(s, types.Int(20), code, one), 1, 1)))
			require.NoError(t, b.Set(incarnationKey(spaceCounts, s.primary.inc), []byte{11}))
		}, []string{"item: row /data/1/20: a stored row has 2 bytes behind its last value"}},
		{"row too short", func(t *testing.T, s *shape, b kv.Batch) {
			require.NoError(t, b.Set(key(t, s.primary, types.Int(20)), []byte{1, 0x40}))
			require.NoError(t, b.Set(incarnationKey(spaceCounts, s.primary.inc), []byte{11}))
		}, []string{"item: row /data/1/20: a stored value is damaged"}},
		{"no UTF-8", func(t *testing.T, s *shape, b kv.Batch) {
			require.NoError(t, b.Set(key(t, s.primary, types.Int(20)), row(s, types.Int(20), types.Text("\xff"), types.Null)))
			require.NoError(t, b.Set(incarnationKey(spaceCounts, s.primary.inc), []byte{11}))
		}, []string{"item: row /data/1/20: column code holds a text that is no UTF-8"}},
		{"wrong count", func(t *testing.T, s *shape, b kv.Batch) {
			require.NoError(t, b.Set(incarnationKey(spaceCounts, s.primary.inc), []byte{9}))
		}, []string{"item: it has 10 rows, and is said to have 9"}},
		{"count of nothing", func(t *testing.T, s *shape, b kv.Batch) {
			require.NoError(t, b.Set(incarnationKey(spaceCounts, 99), []byte{0}))
			require.NoError(t, b.Set(incarnationKey(spaceCounts, 98), nil))
			require.NoError(t, b.Set([]byte{spaceCounts}, []byte{0}))
		}, []string{
			"key /07/ names no incarnation",
			"row count /07/0162: stored number  is damaged",
			"row count /07/0162 belongs to no table",
			"row count /07/0163 belongs to no table",
		}},
		{"range of nothing", func(t *testing.T, s *shape, b kv.Batch) {
			require.NoError(t, b.Set(append(dataPrefix(70), 1), []byte{0}))
			require.NoError(t, b.Set(append(dataPrefix(70), 2), []byte{0}))
			require.NoError(t, b.Set([]byte{spaceData}, nil))
			require.NoError(t, b.Set([]byte{spaceData, 0x55, 1}, nil))
		}, []string{"key /10/ lies in no range", "range 70 holds entries and belongs to nothing", "key /10/5501 lies in no range"}},
		{"ranges that are listed", func(t *testing.T, s *shape, b kv.Batch) {
			require.NoError(t, b.Set(append(dataPrefix(70), 1), []byte{0}))
			require.NoError(t, b.Set(append(dataPrefix(75), 1), []byte{0}))
			require.NoError(t, b.Set(append(dataPrefix(80), 1), []byte{0}))
			require.NoError(t, b.Set(incarnationKey(spaceIntents, 69), []byte{80}))
			require.NoError(t, b.Set(incarnationKey(spaceRetired, 80), nil))
		}, []string{}},
		{"bad facts", func(t *testing.T, s *shape, b kv.Batch) {
			require.NoError(t, b.Set(incarnationKey(spaceIntents, 69), nil))
			require.NoError(t, b.Set(append(nextKey, 'x'), []byte{0}))
			require.NoError(t, b.Set([]byte{0x08}, []byte{0}))
			require.NoError(t, b.Set([]byte{0x11}, []byte{0}))
		}, []string{
			"key /01/6e65787478 is no fact of the store",
			"intent /05/0145: stored number  is damaged",
			"key /08/ belongs to no part of the key space",
			"key /11/ belongs to no part of the key space",
		}},
		{"allocator behind", func(t *testing.T, s *shape, b kv.Batch) {
			require.NoError(t, b.Set(nextKey, binary.AppendUvarint(nil, 5)))
		}, []string{"range 5 of table item is not among the numbers that were given out"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := openModule(t, mem.Open(), Options{})
			def, spec := fillChecked(t, m)
			s, err := m.shapeOf(def)
			require.NoError(t, err)
			b := m.store.NewBatch()
			test.damage(t, s, b)
			require.NoError(t, m.store.Commit(b, false))
			require.NoError(t, m.pins.dropCurrent())
			result, faults := faultsOf(t, m, def, spec)
			require.Equal(t, test.faults, faults)
			if len(faults) == 0 {
				require.Equal(t, vtab.CheckResult{Rows: 10, Entries: 10 + 10 + 5 + 10}, result)
			}
			require.NoError(t, m.Close())
		})
	}
}

// A table that is wrong throughout is told of in few words.
func TestCheckTellsFew(t *testing.T) {
	m := openModule(t, mem.Open(), Options{})
	def := createBig(t, m, 1_000)
	require.NoError(t, m.Close())

	m = openModule(t, mem.Open(), Options{})
	_ = createBig(t, m, 1_000)
	broken := def.WithColumn(1, func(c *catalog.Column) { c.ID = 99 })
	broken.Storage.Layouts = append(broken.Storage.Layouts, catalog.Layout{ID: 2, Columns: []catalog.ColumnID{1, 99, 3, 4, 5, 6, 7, 8}})
	broken, err := broken.WithKey([]catalog.KeyColumn{{Column: 2}})
	require.NoError(t, err)
	_, faults := faultsOf(t, m, broken, &vtab.TableSpec{})
	require.Len(t, faults, maxTold)
	require.NoError(t, m.Close())
}

// Indexes whose expressions are not known are left out.
func TestCheckWithoutExpressions(t *testing.T) {
	m := openModule(t, mem.Open(), Options{})
	def, _ := fillChecked(t, m)
	_, faults := faultsOf(t, m, def, nil)
	require.Empty(t, faults)
	require.NoError(t, m.Close())
}

// TestReadOnlyLeavesRanges opens what a process that was killed left behind, to read only.
func TestReadOnlyLeavesRanges(t *testing.T) {
	fs := vfs.NewMem()
	m := openModule(t, openPebble(t, fs), bulkOptions)
	def := createBig(t, m, 200)
	c := begin(t, m, 1<<20)
	_, err := m.Alter(background, c, rekeying(t, def, 0))
	require.NoError(t, err)
	require.NoError(t, c.txn.Close()) // as if the process ended now
	require.NoError(t, m.pins.dropCurrent())
	for _, live := range m.pins.live {
		require.NoError(t, live.Close())
	}
	require.NoError(t, m.store.Close())

	s, err := pebble.Open("db", pebble.Options{FS: fs, ReadOnly: true})
	require.NoError(t, err)
	m = openModule(t, s, Options{ReadOnly: true})
	result, faults := faultsOf(t, m, def, &vtab.TableSpec{})
	require.Empty(t, faults, "what is listed is no fault")
	require.Equal(t, int64(200), result.Rows)
	require.NoError(t, m.Close())

	m = openModule(t, openPebble(t, fs), Options{})
	requireOnly(t, m.store, def)
	require.NoError(t, m.Close())
}
