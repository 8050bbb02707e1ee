package catalog

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// NearColumn gives the hint that names the column which a mistyped name may mean, "" when none is near.
func (t *Table) NearColumn(name string) string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return types.NearHint(name, names)
}

// noColumn says that the table has no column of the name, and what is near.
func (t *Table) noColumn(name string, format string, args ...any) *types.Error {
	return types.Errorf(types.ERROR, format, args...).WithHint(t.NearColumn(name))
}

// nearConstraint gives the hint that names the constraint of a user's name which a mistyped name may mean, "" when none is near.
func (t *Table) nearConstraint(name string) string {
	var names []string
	add := func(n string) {
		if n != "" && !IsHiddenName(n) {
			names = append(names, n)
		}
	}
	for _, c := range t.Checks {
		add(c.Name)
	}
	for _, c := range t.Uniques {
		add(c.Name)
	}
	for _, c := range t.ForeignKeys {
		add(c.Name)
	}
	return types.NearHint(name, names)
}

// NearRelation gives the hint that names the table or view of some schemas which a mistyped name may mean, "" when none is near. Its
// time is proportional to what they hold.
func (s *Snapshot) NearRelation(schemas []string, name string) string {
	var names []string
	for _, schema := range schemas {
		for t := range s.Tables(types.Fold(schema)) {
			names = append(names, t.Name)
		}
		for v := range s.Views(types.Fold(schema)) {
			names = append(names, v.Name)
		}
	}
	return types.NearHint(name, names)
}

// NearIndex gives the hint that names the index of a schema which a mistyped name may mean, "" when none is near.
func (s *Snapshot) NearIndex(schema, name string) string {
	var names []string
	for t := range s.Tables(types.Fold(schema)) {
		for _, ix := range t.Indexes {
			names = append(names, ix.Name)
		}
	}
	return types.NearHint(name, names)
}

// NearAssertion gives the hint that names the assertion of a schema which a mistyped name may mean, "" when none is near.
func (s *Snapshot) NearAssertion(schema, name string) string {
	var names []string
	for a := range s.Assertions(types.Fold(schema)) {
		names = append(names, a.Name)
	}
	return types.NearHint(name, names)
}

// textHint says how text is written, for a name in double quotes where it may have been meant; "" for one without.
func textHint(n ast.Name) string {
	if !n.Quoted {
		return ""
	}
	return "double quotes hold a name; write text in single quotes: " + string(ast.AppendString(nil, n.Text))
}
