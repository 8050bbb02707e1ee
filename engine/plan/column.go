package plan

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
)

// ColID identifies a column within a statement. Whatever node passes a column on, renames or filters it keeps its id; whatever
// computes a value gives it a new one. 0 is no column.
type ColID int32

// Column is one column of a node's rows.
type Column struct {
	ID        ColID
	Name      string
	Type      *types.Type
	Nullable  bool
	Collation types.Contribution
	// Facts are what is known of a table's column, nil for nothing.
	Facts *catalog.ColumnFacts
}

// findColumn gives the position of a column in a list, -1 when it is not there.
func findColumn(cols []Column, id ColID) int {
	return slices.IndexFunc(cols, func(c Column) bool { return c.ID == id })
}

// columnNames lists the names of columns.
func columnNames(cols []Column) []string {
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = c.Name
	}
	return names
}

// nullable gives copies of columns that may be NULL: the null-extended side of an outer join.
func nullable(cols []Column) []Column {
	out := slices.Clone(cols)
	for i := range out {
		out[i].Nullable = true
	}
	return out
}

// ColSet is a set of columns.
type ColSet map[ColID]struct{}

// Add puts columns into the set.
func (s ColSet) Add(ids ...ColID) {
	for _, id := range ids {
		s[id] = struct{}{}
	}
}

// AddColumns puts the columns of a list into the set.
func (s ColSet) AddColumns(cols []Column) {
	for _, c := range cols {
		s[c.ID] = struct{}{}
	}
}

// Has reports whether the set holds the column.
func (s ColSet) Has(id ColID) bool { _, ok := s[id]; return ok }

// Meets reports whether the sets share a column.
func (s ColSet) Meets(other ColSet) bool {
	for id := range s {
		if other.Has(id) {
			return true
		}
	}
	return false
}

// Sorted lists the columns in order of their ids, for whatever must not depend on the order of a map.
func (s ColSet) Sorted() []ColID {
	ids := make([]ColID, 0, len(s))
	for id := range s {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
