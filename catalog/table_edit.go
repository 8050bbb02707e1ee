package catalog

import (
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Clone gives a copy of the table whose lists may be changed: the entries of Columns, Key, Checks, Uniques, ForeignKeys and
// Indexes can be replaced, added and removed. The entries themselves stay shared and immutable.
func (t *Table) Clone() *Table {
	c := *t
	c.Columns = slices.Clone(t.Columns)
	c.Key.Columns = slices.Clone(t.Key.Columns)
	c.Checks = slices.Clone(t.Checks)
	c.Uniques = slices.Clone(t.Uniques)
	c.ForeignKeys = slices.Clone(t.ForeignKeys)
	c.Indexes = slices.Clone(t.Indexes)
	return &c
}

// The With methods give the table with one entry changed; change gets a copy of the entry at i.

// WithColumn changes column i.
func (t *Table) WithColumn(i int, change func(*Column)) *Table {
	c := t.Clone()
	replace(c.Columns, i, change)
	return c
}

// WithCheck changes CHECK i.
func (t *Table) WithCheck(i int, change func(*Check)) *Table {
	c := t.Clone()
	replace(c.Checks, i, change)
	return c
}

// WithUnique changes UNIQUE i.
func (t *Table) WithUnique(i int, change func(*Unique)) *Table {
	c := t.Clone()
	replace(c.Uniques, i, change)
	return c
}

// WithForeignKey changes foreign key i.
func (t *Table) WithForeignKey(i int, change func(*ForeignKey)) *Table {
	c := t.Clone()
	replace(c.ForeignKeys, i, change)
	return c
}

// WithIndex changes index i.
func (t *Table) WithIndex(i int, change func(*Index)) *Table {
	c := t.Clone()
	replace(c.Indexes, i, change)
	return c
}

// WithExpression puts another expression in the place of e, which Expressions gave.
func (t *Table) WithExpression(e Expression, x ast.Expr) *Table {
	switch e.Kind {
	case DefaultExpression:
		return t.WithColumn(e.Column, func(c *Column) { c.Default = x })
	case GeneratedExpression:
		return t.WithColumn(e.Column, func(c *Column) { c.Generated = x })
	case CheckExpression:
		return t.WithCheck(e.Check, func(c *Check) { c.X = x })
	case IndexPredicate:
		return t.WithIndex(e.Index, func(ix *Index) { ix.Where = x })
	}
	return t.WithIndex(e.Index, func(ix *Index) {
		ix.Members = slices.Clone(ix.Members)
		ix.Members[e.Member].X = x
	})
}

func replace[T any](list []*T, i int, change func(*T)) {
	x := *list[i]
	change(&x)
	list[i] = &x
}

// WithoutConstraint removes a constraint that FindConstraint gave, a unique index included.
func (t *Table) WithoutConstraint(ref ConstraintRef) *Table {
	c := t.Clone()
	switch i := ref.Position; ref.Class {
	case CheckClass:
		c.Checks = slices.Delete(c.Checks, i, i+1)
	case UniqueClass:
		c.Uniques = slices.Delete(c.Uniques, i, i+1)
	case ForeignKeyClass:
		c.ForeignKeys = slices.Delete(c.ForeignKeys, i, i+1)
	case UniqueIndexClass:
		c.Indexes = slices.Delete(c.Indexes, i, i+1)
	}
	return c
}

// WithAddedColumn appends a column, which takes the next column id. A key that no one declared stays over the columns it had
// and counts as declared from then on.
func (t *Table) WithAddedColumn(col *Column) *Table {
	c := t.Clone()
	added := *col
	added.ID = c.Storage.NextColumn
	c.Storage.NextColumn++
	c.Columns = append(c.Columns, &added)
	c.Key.Declared = true
	return c
}

// WithKey gives the table another primary key: ALTER PRIMARY KEY. No members is the empty key. The key's conflict action stays.
// A position that is no column or occurs twice is INTERNAL: names were judged before.
func (t *Table) WithKey(key []KeyColumn) (*Table, error) {
	for i, k := range key {
		isRepeated := slices.ContainsFunc(key[:i], func(o KeyColumn) bool { return o.Column == k.Column })
		if k.Column < 0 || k.Column >= len(t.Columns) || isRepeated {
			return nil, types.Errorf(types.INTERNAL, "table %s: column %d cannot be member %d of a key", t.Name, k.Column, i)
		}
	}
	c := t.Clone()
	c.Key.Columns, c.Key.Declared = slices.Clone(key), true
	return c, nil
}
