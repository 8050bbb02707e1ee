package catalog

import "slices"

// Reordered gives the table with its columns in another order: at position i stands the column that was at order[i]. All positions
// follow; the members of the key keep their order.
func (t *Table) Reordered(order []int) *Table {
	to := make([]int, len(order))
	n := t.Clone()
	for i, from := range order {
		to[from] = i
		n.Columns[i] = t.Columns[from]
	}
	for i := range n.Key.Columns {
		n.Key.Columns[i].Column = to[n.Key.Columns[i].Column]
	}
	moved := func(columns []int) []int {
		out := make([]int, len(columns))
		for i, c := range columns {
			out[i] = to[c]
		}
		return out
	}
	for i := range n.Uniques {
		replace(n.Uniques, i, func(u *Unique) { u.Columns = moved(u.Columns) })
	}
	for i := range n.ForeignKeys {
		replace(n.ForeignKeys, i, func(fk *ForeignKey) { fk.Columns = moved(fk.Columns) })
	}
	for i := range n.Indexes {
		replace(n.Indexes, i, func(ix *Index) {
			ix.Members = slices.Clone(ix.Members)
			for j := range ix.Members {
				if m := &ix.Members[j]; m.X == nil {
					m.Column = to[m.Column]
				}
			}
		})
	}
	return n
}
