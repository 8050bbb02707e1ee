package catalog

import (
	"slices"
	"strconv"
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// ColumnIndex gives the position of the column of that name, in any case; -1 when there is none. It is linear and allocates
// nothing.
func (t *Table) ColumnIndex(name string) int {
	for i, c := range t.Columns {
		if types.EqualFold(c.Name, name) {
			return i
		}
	}
	return -1
}

// ColumnNames lists the names of the columns at the positions.
func (t *Table) ColumnNames(columns []int) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = t.Columns[c].Name
	}
	return names
}

// KeyColumns lists the positions of the key's members in key order. It is empty for the empty key.
func (t *Table) KeyColumns() []int {
	cols := make([]int, len(t.Key.Columns))
	for i, k := range t.Key.Columns {
		cols[i] = k.Column
	}
	return cols
}

// InKey reports whether the column is a member of the primary key.
func (t *Table) InKey(column int) bool {
	return slices.ContainsFunc(t.Key.Columns, func(k KeyColumn) bool { return k.Column == column })
}

// IsEngineManaged reports whether the table is invisible to the differ and to export.
func (t *Table) IsEngineManaged() bool { return t.Tags.isSet(TagEngineManaged) }

// IsHiddenName reports whether a constraint's name is none that a user addresses in a declaration: absent, or one that begins
// with an underscore, which belong to the engine (docs/reference/declarative-schema.md).
func IsHiddenName(name string) bool { return name == "" || name[0] == '_' }

// CheckName gives the name that messages show for check i: its own, or for an unnamed one `_check_<i>` (docs/reference/language.md).
func (t *Table) CheckName(i int) string {
	if name := t.Checks[i].Name; name != "" {
		return name
	}
	return t.constraintNames().mint("_check_" + strconv.Itoa(i))
}

// StructureName gives the name of the structure behind a UNIQUE constraint: the constraint's own, else `_uc_<columns>`.
func (t *Table) StructureName(u *Unique) string {
	if u.Name != "" {
		return u.Name
	}
	return "_uc_" + strings.Join(t.ColumnNames(u.Columns), "_")
}

// collated lists the positions of the members with a collation of their own.
func (ix *Index) collated() (members []int) {
	for i, m := range ix.Members {
		if m.IsWritten {
			members = append(members, i)
		}
	}
	return members
}

// Recollated gives the index's members once the collation of a column has changed: those over it follow, except where they have
// one of their own.
func (ix *Index) Recollated(column int, from, to *types.Collation) []IndexMember {
	out := slices.Clone(ix.Members)
	for i := range out {
		if m := &out[i]; m.Column == column && !m.IsWritten && m.Collation == from {
			m.Collation = to
		}
	}
	return out
}

// IsExposed reports whether the structure behind the constraint is listed among the indexes.
func (u *Unique) IsExposed() bool { return u.Tags.isSet(TagExposeImplicitIndex) }

// UniqueRule is one uniqueness rule of a table beside its key: a UNIQUE constraint or a unique index. Exactly one field is set.
type UniqueRule struct {
	Unique *Unique
	Index  *Index
}

// Name gives the rule's name, "" for an unnamed constraint.
func (r UniqueRule) Name() string {
	if r.Index != nil {
		return r.Index.Name
	}
	return r.Unique.Name
}

// Columns lists the positions of the rule's columns; a member that is an expression is -1.
func (r UniqueRule) Columns() []int {
	if r.Index == nil {
		return r.Unique.Columns
	}
	cols := make([]int, len(r.Index.Members))
	for i, m := range r.Index.Members {
		cols[i] = m.Column
	}
	return cols
}

// UniqueRules lists the uniqueness rules beside the key: the UNIQUE constraints, then the unique indexes, each in catalog order.
func (t *Table) UniqueRules() []UniqueRule {
	var rules []UniqueRule
	for _, u := range t.Uniques {
		rules = append(rules, UniqueRule{Unique: u})
	}
	for _, ix := range t.Indexes {
		if ix.Unique {
			rules = append(rules, UniqueRule{Index: ix})
		}
	}
	return rules
}

// IndexPosition gives the position of the user's index of that name, -1 when there is none.
func (t *Table) IndexPosition(name string) int {
	return slices.IndexFunc(t.Indexes, func(ix *Index) bool { return types.EqualFold(ix.Name, name) })
}

// StructurePosition gives the position of the UNIQUE constraint whose structure has the name, -1 when there is none.
func (t *Table) StructurePosition(name string) int {
	return slices.IndexFunc(t.Uniques, func(u *Unique) bool { return types.EqualFold(t.StructureName(u), name) })
}

// CheckIndexName refuses an index name that is taken in the schema of t: CONSTRAINT. With ifNotExists a name taken on t itself
// is no error; skip then says that there is nothing to do. A unique index shares the name space of the table's constraints.
func (s *Snapshot) CheckIndexName(t *Table, n *ast.CreateIndexStmt, ifNotExists bool) (skip bool, err error) {
	name := n.Name.Name.Text
	if t.IndexPosition(name) >= 0 || t.StructurePosition(name) >= 0 {
		if ifNotExists {
			return true, nil
		}
		return false, types.Errorf(types.CONSTRAINT, "Index %s already exists on table %s", name, t.Name)
	}
	if e := s.Index(t.Schema, name); e != nil {
		return false, types.Errorf(types.CONSTRAINT, "Index '%s' already exists in schema '%s' on table '%s'", name, t.Schema, e.Table.Name)
	}
	if n.Unique && len(t.constraintsNamed(name)) > 0 {
		return false, types.Errorf(types.CONSTRAINT, "Cannot create unique index '%s': table '%s' has a constraint with that name", name, t.Name)
	}
	return false, nil
}

// ConstraintClass is a class of constraints that share a table's name space, in the order in which names are looked up.
type ConstraintClass uint8

// The classes. A unique index is addressed as a UNIQUE constraint of its name.
const (
	CheckClass ConstraintClass = iota
	UniqueClass
	ForeignKeyClass
	UniqueIndexClass
)

// ConstraintRef addresses a constraint: its class and its position in Checks, Uniques, ForeignKeys or Indexes.
type ConstraintRef struct {
	Class    ConstraintClass
	Position int
}

// FindConstraint resolves a constraint's name across the classes. NOTFOUND for none; ERROR for a name that is in more than one. A written
// constraint goes before a unique index, which older databases may have under the same name.
func (t *Table) FindConstraint(name string) (ConstraintRef, error) {
	found := t.constraintsNamed(name)
	switch len(found) {
	case 0:
		return ConstraintRef{}, types.Errorf(types.NOTFOUND, "Named constraint '%s' not found in table '%s'", name, t.Name).WithHint(t.nearConstraint(name))
	case 1:
		return found[0], nil
	}
	return ConstraintRef{}, types.Errorf(types.ERROR, "Constraint name '%s' is ambiguous in table '%s'", name, t.Name)
}

// AddressConstraint is FindConstraint, which also takes the name that messages show for a constraint without one: `_check_<n>` for the
// CHECK at position n, the name of its structure for a UNIQUE. Written names come first.
func (t *Table) AddressConstraint(name string) (ConstraintRef, error) {
	ref, err := t.FindConstraint(name)
	if types.CodeOf(err) != types.NOTFOUND || name == "" || name[0] != '_' {
		return ref, err
	}
	for i, c := range t.Checks {
		if c.Name == "" && types.EqualFold(t.CheckName(i), name) {
			return ConstraintRef{CheckClass, i}, nil
		}
	}
	for i, u := range t.Uniques {
		if u.Name == "" && types.EqualFold(t.StructureName(u), name) {
			return ConstraintRef{UniqueClass, i}, nil
		}
	}
	return ref, err
}

// ConstraintAddress gives the name under which AddressConstraint finds a constraint.
func (t *Table) ConstraintAddress(ref ConstraintRef) string {
	switch i := ref.Position; ref.Class {
	case CheckClass:
		return t.CheckName(i)
	case UniqueClass:
		return t.StructureName(t.Uniques[i])
	case ForeignKeyClass:
		return t.ForeignKeys[i].Name
	default:
		return t.Indexes[i].Name
	}
}

// HasConstraint reports whether a constraint goes by the name, also one that has no name of its own.
func (t *Table) HasConstraint(name string) bool {
	_, err := t.AddressConstraint(name)
	return types.CodeOf(err) != types.NOTFOUND
}

// constraintsNamed finds every constraint of the name; without a name, none.
func (t *Table) constraintsNamed(name string) []ConstraintRef {
	var found []ConstraintRef
	if name == "" {
		return nil
	}
	for i, c := range t.Checks {
		if types.EqualFold(c.Name, name) {
			found = append(found, ConstraintRef{CheckClass, i})
		}
	}
	for i, u := range t.Uniques {
		if types.EqualFold(u.Name, name) {
			found = append(found, ConstraintRef{UniqueClass, i})
		}
	}
	for i, fk := range t.ForeignKeys {
		if types.EqualFold(fk.Name, name) {
			found = append(found, ConstraintRef{ForeignKeyClass, i})
		}
	}
	for i, ix := range t.Indexes {
		if len(found) == 0 && ix.Unique && types.EqualFold(ix.Name, name) {
			found = append(found, ConstraintRef{UniqueIndexClass, i})
		}
	}
	return found
}

// ParentName gives the schema and the name under which the foreign key looks for its parent.
func (fk *ForeignKey) ParentName(child *Table) (schema, table string) {
	if fk.ParentSchema != "" {
		return fk.ParentSchema, fk.ParentTable
	}
	return child.Schema, fk.ParentTable
}

// IsDeferred reports whether the foreign key was declared INITIALLY DEFERRED, which introspection shows and nothing else reads.
func (fk *ForeignKey) IsDeferred() bool { return fk.Deferral == ast.DeferrableDeferred }
