package store

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// tableOf makes a definition of integer columns with the given ids, and the layouts.
func tableOf(ids []catalog.ColumnID, layouts ...catalog.Layout) *catalog.Table {
	t := &catalog.Table{Name: "t"}
	for _, id := range ids {
		t.Columns = append(t.Columns, &catalog.Column{ID: id, Name: "c", Type: types.TypeInteger, Collation: types.Binary})
	}
	t.Storage.Layouts = layouts
	return t
}

func layout(id catalog.LayoutID, columns ...catalog.ColumnID) catalog.Layout {
	return catalog.Layout{ID: id, Columns: columns}
}

func format(t *testing.T, def *catalog.Table) *rowFormat {
	f, err := newRowFormat(def)
	require.NoError(t, err)
	return f
}

func ints(values ...int64) types.Row {
	r := make(types.Row, len(values))
	for i, v := range values {
		r[i] = types.Int(v)
	}
	return r
}

// TestRowLayouts reads rows of old layouts as rows of today.
func TestRowLayouts(t *testing.T) {
	old := format(t, tableOf([]catalog.ColumnID{1, 2, 3}, layout(1, 1, 2, 3)))
	stored := old.appendRow(nil, ints(10, 20, 30))

	// Column 2 went, 4 came with a fill, and the rest changed places.
	def := tableOf([]catalog.ColumnID{3, 4, 1}, layout(1, 1, 2, 3), layout(200, 3, 4, 1))
	def.Columns[1].Fill = types.Int(7)
	now := format(t, def)
	read := func(stored []byte, columns ...int) types.Row {
		row := ints(-1, -1, -1)
		require.NoError(t, now.newDecoder(vtab.Columns(columns...)).decode(row, stored, new(types.Arena)))
		return row
	}
	require.Equal(t, ints(30, 7, 10), read(stored, 0, 1, 2))
	require.Equal(t, ints(-1, 7, 10), read(stored, 1, 2))
	require.Equal(t, ints(30, -1, -1), read(stored, 0))
	require.Equal(t, ints(-1, -1, -1), read(stored))
	fresh := now.appendRow(nil, ints(1, 2, 3))
	require.Equal(t, ints(1, 2, 3), read(fresh, 0, 1, 2))
	require.Equal(t, []byte{0xC8, 1}, fresh[:2], "the newest layout is written")

	// A fill of NULL is put in place of what the row held before.
	def.Columns[1].Fill = types.Null
	now = format(t, def)
	require.Equal(t, types.Row{types.Int(30), types.Null, types.Int(10)}, read(stored, 0, 1, 2))
}

func TestRowDamage(t *testing.T) {
	f := format(t, tableOf([]catalog.ColumnID{1, 2}, layout(1, 1, 2)))
	stored := f.appendRow(nil, ints(1000, 2000))
	d := f.newDecoder(vtab.AllColumns(2))
	for n := range stored {
		require.ErrorIs(t, d.decode(make(types.Row, 2), stored[:n], new(types.Arena)), types.CORRUPT, "cut at %d", n)
	}
	require.ErrorIs(t, d.decode(make(types.Row, 2), []byte{9, 0, 0}, new(types.Arena)), types.CORRUPT, "unknown layout")
	for _, bad := range []*catalog.Table{
		tableOf([]catalog.ColumnID{1}),
		tableOf([]catalog.ColumnID{1}, layout(1, 1, 2)),
		tableOf([]catalog.ColumnID{1, 2}, layout(1, 1)),
	} {
		_, err := newRowFormat(bad)
		require.ErrorIs(t, err, types.CORRUPT)
	}
}

func TestDecodeAllocatesNothing(t *testing.T) {
	f := format(t, tableOf([]catalog.ColumnID{1, 2, 3, 4}, layout(1, 1, 2, 3, 4)))
	stored := f.appendRow(nil, types.Row{types.Int(1), types.Text("skipped"), types.Text("read"), types.Real(1)})
	d, row, arena := f.newDecoder(vtab.Columns(0, 2)), make(types.Row, 4), new(types.Arena)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		arena.Reset()
		if err := d.decode(row, stored, arena); err != nil {
			t.Fatal(err)
		}
	}))
	require.Equal(t, "read", row[2].Str())
}
