package differ

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// foreignKeyHazards looks at each foreign key that a step brings: whether its parent is there, whether the parent columns are a key of
// it, and whether there are rows to be proved.
func foreignKeyHazards(c *comparison, s *step) []Hazard {
	var out []Hazard
	for _, fk := range broughtForeignKeys(s) {
		out = append(out, c.parentHazards(fk)...)
		if alter, ok := s.Stmt.(*ast.AlterStmt); ok && c.hasRows(s) {
			if _, isAdded := alter.Action.(*ast.AddConstraint); isAdded {
				out = append(out, one(ForeignKeyRows, Warning,
					fmt.Sprintf("rows of %s without a row in %s refuse the foreign key", s.Object, fk.References.Table.Name.Text), "look for them first")...)
			}
		}
	}
	return out
}

func broughtForeignKeys(s *step) []*ast.TableConstraint {
	var all []*ast.TableConstraint
	switch n := s.Stmt.(type) {
	case *ast.CreateTableStmt:
		all = append(all, n.Constraints...)
		for _, def := range n.Columns {
			all = append(all, catalog.InlineConstraints(def)...)
		}
	case *ast.AlterStmt:
		switch a := n.Action.(type) {
		case *ast.AddColumn:
			all = catalog.InlineConstraints(a.Column)
		case *ast.AddConstraint:
			all = append(all, a.Constraint)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(k *ast.TableConstraint) bool { return k.Kind != ast.ForeignKeyClause })
}

func (c *comparison) parentHazards(fk *ast.TableConstraint) []Hazard {
	r := fk.References
	schema := c.schema
	if !r.Table.Schema.IsZero() {
		schema = types.Fold(r.Table.Schema.Text)
	}
	parent := c.target.Table(schema, r.Table.Name.Text)
	switch {
	case parent == nil && c.target.Relation(schema, r.Table.Name.Text) == nil && c.byName[types.Fold(r.Table.Name.Text)] == nil:
		return one(ParentMissing, Warning, fmt.Sprintf("foreign key (%s) references table %s, which is neither declared nor there",
			strings.Join(nameTexts(fk.Columns), ", "), r.Table.Name.Text), "declare the table or correct its name")
	case parent == nil || r.Columns == nil || isKeyOf(parent, nameTexts(r.Columns)):
		return nil
	}
	columns := strings.Join(nameTexts(r.Columns), ", ")
	return one(ParentNotKey, Warning, fmt.Sprintf("foreign key (%s) references %s (%s), which is neither its key nor UNIQUE: several parents may match",
		strings.Join(nameTexts(fk.Columns), ", "), parent.Name, columns), fmt.Sprintf("declare unique (%s) in table %s", columns, parent.Name))
}

// isKeyOf reports whether rows of t differ in the columns: its key, a UNIQUE constraint or a full unique index is over exactly these.
func isKeyOf(t *catalog.Table, columns []string) bool {
	is := func(positions []int) bool {
		return len(positions) == len(columns) && !slices.ContainsFunc(columns, func(name string) bool {
			return !slices.Contains(positions, t.ColumnIndex(name))
		})
	}
	if is(t.KeyColumns()) {
		return true
	}
	return slices.ContainsFunc(t.UniqueRules(), func(r catalog.UniqueRule) bool {
		return (r.Index == nil || r.Index.Where == nil) && is(r.Columns())
	})
}
