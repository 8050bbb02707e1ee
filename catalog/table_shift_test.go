package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/types"
)

// Putting a column in and taking it out again is no change, at every place.
func TestShiftsAreInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, sql := drawTable(t)
		at := rapid.IntRange(0, len(table.Columns)).Draw(t, "at")
		wide := shiftForInsert(table, at, &Column{Name: "\x01new", Type: types.TypeText, Collation: types.Binary})
		require.Equal(t, "\x01new", wide.Columns[at].Name)
		s := wide.ShiftForDrop(at)
		require.Equal(t, FormatDefinition(table), FormatDefinition(s.Table), sql)
		require.Empty(t, s.NarrowedIndexes)
		require.Empty(t, s.RemovedIndexes)
		require.Empty(t, s.RemovedUniques)
	})
}

// shiftForInsert puts a column at position at: the mirror of ShiftForDrop.
func shiftForInsert(t *Table, at int, col *Column) *Table {
	n := t.Clone()
	n.Columns = append(n.Columns[:at:at], append([]*Column{col}, n.Columns[at:]...)...)
	for i := range n.Key.Columns {
		n.Key.Columns[i].Column = behind(n.Key.Columns[i].Column, at)
	}
	for i := range n.Uniques {
		replace(n.Uniques, i, func(u *Unique) { u.Columns = allBehind(u.Columns, at) })
	}
	for i := range n.ForeignKeys {
		replace(n.ForeignKeys, i, func(fk *ForeignKey) { fk.Columns = allBehind(fk.Columns, at) })
	}
	for i := range n.Indexes {
		replace(n.Indexes, i, func(ix *Index) { ix.Members = membersBehind(ix.Members, at) })
	}
	return n
}

func membersBehind(members []IndexMember, at int) []IndexMember {
	out := make([]IndexMember, len(members))
	for i, m := range members {
		if m.X == nil {
			m.Column = behind(m.Column, at)
		}
		out[i] = m
	}
	return out
}

// behind moves a position behind one that is inserted.
func behind(pos, inserted int) int {
	if pos >= inserted {
		return pos + 1
	}
	return pos
}

func allBehind(positions []int, inserted int) []int {
	out := make([]int, len(positions))
	for i, p := range positions {
		out[i] = behind(p, inserted)
	}
	return out
}
