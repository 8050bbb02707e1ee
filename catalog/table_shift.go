package catalog

// DropShift is what dropping a column makes of a table's structures (docs/reference/modules.md).
type DropShift struct {
	// Table is the definition without the column, all positions moved over the gap.
	Table *Table
	// Removed are the constraints that go with the column, as they were.
	RemovedUniques     []*Unique
	RemovedForeignKeys []*ForeignKey
	// RemovedIndexes go with the column: unique ones that have it, and plain ones that have nothing else. Narrowed ones lose
	// the member and have to be written anew.
	RemovedIndexes  []*Index
	NarrowedIndexes []*Index
}

// ShiftForDrop takes a column out of the table. Key members, UNIQUE constraints, unique indexes and own foreign keys that have
// the column go; plain indexes lose it. Whether the column may go, and what reads it in expressions, was judged before.
func (t *Table) ShiftForDrop(column int) DropShift {
	n := t.Clone()
	s := DropShift{Table: n}
	n.Columns = append(n.Columns[:column:column], n.Columns[column+1:]...)
	n.Key.Columns = keep(n.Key.Columns, func(k KeyColumn) (KeyColumn, bool) {
		c, ok := over(k.Column, column)
		return KeyColumn{Column: c, Desc: k.Desc}, ok
	})
	n.Uniques = keep(t.Uniques, func(u *Unique) (*Unique, bool) {
		cols, ok := allOver(u.Columns, column)
		if !ok {
			s.RemovedUniques = append(s.RemovedUniques, u)
			return nil, false
		}
		c := *u
		c.Columns = cols
		return &c, true
	})
	n.ForeignKeys = keep(t.ForeignKeys, func(fk *ForeignKey) (*ForeignKey, bool) {
		cols, ok := allOver(fk.Columns, column)
		if !ok {
			s.RemovedForeignKeys = append(s.RemovedForeignKeys, fk)
			return nil, false
		}
		c := *fk
		c.Columns = cols
		return &c, true
	})
	n.Indexes = keep(t.Indexes, func(ix *Index) (*Index, bool) { return s.shiftIndex(ix, column) })
	return s
}

func (s *DropShift) shiftIndex(ix *Index, column int) (*Index, bool) {
	c := *ix
	c.Members = keep(ix.Members, func(m IndexMember) (IndexMember, bool) {
		if m.X != nil {
			return m, true
		}
		pos, ok := over(m.Column, column)
		m.Column = pos
		return m, ok
	})
	isNarrowed := len(c.Members) < len(ix.Members)
	switch {
	case isNarrowed && (ix.Unique || len(c.Members) == 0):
		s.RemovedIndexes = append(s.RemovedIndexes, ix)
		return nil, false
	case isNarrowed:
		s.NarrowedIndexes = append(s.NarrowedIndexes, &c)
	}
	return &c, true
}

// over moves a position over the gap of a removed one; ok is false for the removed position itself.
func over(pos, removed int) (moved int, ok bool) {
	if pos > removed {
		return pos - 1, true
	}
	return pos, pos != removed
}

func allOver(positions []int, removed int) ([]int, bool) {
	out := make([]int, len(positions))
	for i, p := range positions {
		moved, ok := over(p, removed)
		if !ok {
			return nil, false
		}
		out[i] = moved
	}
	return out, true
}

// keep maps the entries of a list and leaves out those that f does not keep.
func keep[T any](list []T, f func(T) (T, bool)) []T {
	var out []T
	for _, x := range list {
		if y, ok := f(x); ok {
			out = append(out, y)
		}
	}
	return out
}
