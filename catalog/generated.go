package catalog

import (
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/types"
)

// CheckGenerated judges what the generated columns read (docs/reference/language.md): outside subqueries only columns of the own row, by
// any spelling that reaches it, and no column itself, directly or around. ERROR.
func CheckGenerated(t *Table, resolver resolve.Catalog) error {
	for _, c := range t.Columns {
		if c.Generated != nil {
			if err := checkGeneratedReferences(t, c); err != nil {
				return err
			}
		}
	}
	_, err := t.GeneratedOrder(func(column int) []int { return t.ColumnsRead(column, resolver) })
	return err
}

func checkGeneratedReferences(t *Table, c *Column) error {
	for _, r := range t.rowReferences(c.Generated) {
		switch t.qualifierOf(r) {
		case oldImage, otherName:
			return about(r, types.Errorf(types.ERROR, "'%s' referenced by generated column '%s' in table '%s' binds nothing",
				ast.Format(r), c.Name, t.Name))
		}
		if t.ColumnIndex(r.Column.Text) < 0 {
			return about(r, t.noColumn(r.Column.Text, "Column '%s' referenced by generated column '%s' not found in table '%s'",
				r.Column.Text, c.Name, t.Name))
		}
	}
	return nil
}

// ColumnsRead lists the positions of the columns of the own row that a generated column reads, its subqueries included; nil for a plain one.
func (t *Table) ColumnsRead(column int, resolver resolve.Catalog) []int {
	x := t.Columns[column].Generated
	if x == nil {
		return nil
	}
	home := resolve.Home{Catalog: rowResolver{t, resolver}, Path: []string{t.Schema}, Row: t.RowOwner(GeneratedExpression)}
	named := ColumnNamesIn(x)
	var reads []int
	for i, c := range t.Columns {
		if named[types.Fold(c.Name)] && resolve.Mentions(x, home, t.Schema, t.Name, c.Name) {
			reads = append(reads, i)
		}
	}
	return reads
}

// ColumnNamesIn gives the folded names of columns that occur in an expression at any depth: the only candidates for resolve.Mentions, which
// costs more.
func ColumnNamesIn(x ast.Expr) map[string]bool {
	names := map[string]bool{}
	ast.Walk(x, func(n ast.Node) bool {
		if r, ok := n.(*ast.ColumnRef); ok {
			names[types.Fold(r.Column.Text)] = true
		}
		return true
	})
	return names
}

// rowResolver resolves the table that is being defined, and all else through the resolver behind it, which may be nil.
type rowResolver struct {
	table *Table
	rest  resolve.Catalog
}

func (r rowResolver) Columns(schema, name string) ([]string, bool) {
	if types.EqualFold(schema, r.table.Schema) && types.EqualFold(name, r.table.Name) {
		return r.table.columnNames(), true
	}
	if r.rest == nil {
		return nil, false
	}
	return r.rest.Columns(schema, name)
}

func (r rowResolver) Function(name string, args int) (columns []string, aggregate bool) {
	if r.rest == nil {
		return nil, false
	}
	return r.rest.Function(name, args)
}

// GeneratedOrder gives an order in which the generated columns can be computed, each after those it reads; reads tells the
// columns that a generated one reads. ERROR "Cyclic dependency in generated columns" names the columns that go round.
func (t *Table) GeneratedOrder(reads func(column int) []int) ([]int, error) {
	after := make(map[int][]int) // the generated columns that a generated one reads
	var order, open []int
	for i, c := range t.Columns {
		if c.Generated == nil {
			continue
		}
		open = append(open, i)
		for _, r := range reads(i) {
			if t.Columns[r].Generated != nil {
				after[i] = append(after[i], r)
			}
		}
	}
	order, open = peel(open, func(i int, left map[int]bool) bool { return !anyIn(after[i], left) })
	if len(open) == 0 {
		return order, nil
	}
	before := make(map[int][]int)
	for i, rs := range after {
		for _, r := range rs {
			before[r] = append(before[r], i)
		}
	}
	// What only reads a cycle is not part of one.
	_, open = peel(open, func(i int, left map[int]bool) bool { return !anyIn(before[i], left) })
	return nil, types.Errorf(types.ERROR, "Cyclic dependency in generated columns: '%s'", strings.Join(t.ColumnNames(open), "', '"))
}

// peel takes away what is free of the rest, again and again: the taken in order, and those that are left.
func peel(all []int, isFree func(i int, left map[int]bool) bool) (taken, rest []int) {
	left := make(map[int]bool, len(all))
	for _, i := range all {
		left[i] = true
	}
	for again := true; again; {
		again = false
		for _, i := range all {
			if left[i] && isFree(i, left) {
				delete(left, i)
				taken = append(taken, i)
				again = true
			}
		}
	}
	for _, i := range all {
		if left[i] {
			rest = append(rest, i)
		}
	}
	return taken, rest
}

func anyIn(list []int, set map[int]bool) bool {
	for _, i := range list {
		if set[i] {
			return true
		}
	}
	return false
}
