package catalog

import (
	"slices"
	"strconv"
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// nameSet is the folded constraint names of one table: CHECK, UNIQUE and FOREIGN KEY share one name space.
type nameSet map[string]bool

func (s nameSet) add(name string) {
	if name != "" {
		s[types.Fold(name)] = true
	}
}

func (s nameSet) has(name string) bool { return s[types.Fold(name)] }

// mint takes the first free of base, base_2, base_3, … (docs/reference/language.md).
func (s nameSet) mint(base string) string {
	name := base
	for n := 2; s.has(name); n++ {
		name = base + "_" + strconv.Itoa(n)
	}
	s.add(name)
	return name
}

// constraintNames gives the names that the table's constraints have.
func (t *Table) constraintNames() nameSet {
	names := nameSet{}
	for _, c := range t.Checks {
		names.add(c.Name)
	}
	for _, u := range t.Uniques {
		names.add(u.Name)
	}
	for _, fk := range t.ForeignKeys {
		names.add(fk.Name)
	}
	return names
}

// CheckUnique refuses a UNIQUE constraint beside those that t has, u itself left aside: CONSTRAINT for an unnamed one over the
// column set of another unnamed one, for a structure whose name an index of t has, and for one whose name another structure
// has. doing opens the messages: "Cannot create table 'x'".
func (t *Table) CheckUnique(u *Unique, doing string) error {
	columns, structure := strings.Join(t.ColumnNames(u.Columns), ", "), t.StructureName(u)
	if t.IndexPosition(structure) >= 0 {
		return types.Errorf(types.CONSTRAINT, "%s: the structure '%s' of the UNIQUE constraint on (%s) would collide with existing index '%s'",
			doing, structure, columns, structure)
	}
	for _, other := range t.Uniques {
		if other == u {
			continue
		}
		if u.Name == "" && other.Name == "" && sameColumnSet(u.Columns, other.Columns) {
			return types.Errorf(types.CONSTRAINT, "%s: an equivalent UNIQUE constraint on (%s) already exists.", doing, columns)
		}
		if types.EqualFold(structure, t.StructureName(other)) {
			return types.Errorf(types.CONSTRAINT, "%s: the UNIQUE constraints on (%s) and (%s) both derive backing structure name '%s'",
				doing, strings.Join(t.ColumnNames(other.Columns), ", "), columns, structure)
		}
	}
	return nil
}

// sameColumnSet reports whether two lists hold the same positions, in any order and however often.
func sameColumnSet(a, b []int) bool { return isColumnSubset(a, b) && isColumnSubset(b, a) }

func isColumnSubset(a, b []int) bool {
	for _, x := range a {
		if !slices.Contains(b, x) {
			return false
		}
	}
	return true
}
