package vtab

import (
	"slices"

	"github.com/quereus/quereus-migrate/types"
)

// Batch is a reusable block of rows between a cursor and its reader. Rows are full width; columns that the filter does not
// ask for are NULL. Texts and blobs of the rows live in Arena and share its life: until the batch is filled again.
type Batch struct {
	Rows  []types.Row
	Arena types.Arena
	// Filled is the module's: what filled the batch last, and how many rows have NULL where that leaves columns out, so that this is done once.
	Filled struct {
		By   any
		Rows int
	}
}

// BatchRows is the number of rows a batch holds unless a reader asks for fewer.
const BatchRows = 256

// NewBatch makes a batch of n rows, each width columns, in one allocation of values.
func NewBatch(n, width int) *Batch {
	slab := make([]types.Value, n*width)
	b := &Batch{Rows: make([]types.Row, n)}
	for i := range b.Rows {
		b.Rows[i] = slab[i*width : (i+1)*width : (i+1)*width]
	}
	return b
}

// ColumnSet is a set of column positions.
type ColumnSet struct{ bits []uint64 }

// Columns makes a set of the given positions.
func Columns(cols ...int) ColumnSet {
	var s ColumnSet
	for _, c := range cols {
		s.Add(c)
	}
	return s
}

// AllColumns makes the set of positions below n.
func AllColumns(n int) ColumnSet {
	var s ColumnSet
	for c := range n {
		s.Add(c)
	}
	return s
}

// Add puts a position into the set.
func (s *ColumnSet) Add(col int) {
	for len(s.bits) <= col/64 {
		s.bits = append(s.bits, 0)
	}
	s.bits[col/64] |= 1 << (col % 64)
}

// Has reports whether the position is in the set.
func (s ColumnSet) Has(col int) bool {
	return col/64 < len(s.bits) && s.bits[col/64]&(1<<(col%64)) != 0
}

// Equal reports whether both sets have the same positions.
func (s ColumnSet) Equal(o ColumnSet) bool {
	long, short := s.bits, o.bits
	if len(long) < len(short) {
		long, short = short, long
	}
	for i, w := range long {
		if i >= len(short) && w != 0 || i < len(short) && w != short[i] {
			return false
		}
	}
	return true
}

// Clone gives a set of its own memory.
func (s ColumnSet) Clone() ColumnSet { return ColumnSet{bits: slices.Clone(s.bits)} }

// Max gives the highest position in the set, -1 when it is empty.
func (s ColumnSet) Max() int {
	for i := len(s.bits)*64 - 1; i >= 0; i-- {
		if s.Has(i) {
			return i
		}
	}
	return -1
}
