package alter

import (
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// relation finds the table or view that a name in a statement means: in the schema it names, else along the schema path. nil
// when there is none.
func (c *change) relation(name ast.QName) catalog.Relation {
	if !name.Schema.IsZero() {
		return c.env.Catalog().Relation(name.Schema.Text, name.Name.Text)
	}
	return c.env.Catalog().Resolve(c.env.SchemaPath(), name.Name.Text)
}

// alteredTable finds the table of an ALTER TABLE; a plain view is none (docs/reference/alter.md).
func (c *change) alteredTable(name ast.QName) (*catalog.Table, error) {
	if isCommitted(name) {
		return nil, errCommitted(name)
	}
	if t, ok := c.relation(name).(*catalog.Table); ok {
		return t, nil
	}
	if !name.Schema.IsZero() {
		return nil, types.Errorf(types.NOTFOUND, "Table not found: %s.%s", name.Schema.Text, name.Name.Text).WithHint(c.nearRelation(name))
	}
	return nil, types.Errorf(types.NOTFOUND, "Table '%s' not found in schema path: %s", name.Name.Text, strings.Join(c.env.SchemaPath(), ", ")).
		WithHint(c.nearRelation(name))
}

// nearRelation gives the hint that names the table or view which a mistyped name may mean, "" when none is near.
func (c *change) nearRelation(name ast.QName) string {
	if !name.Schema.IsZero() {
		return c.env.Catalog().NearRelation([]string{name.Schema.Text}, name.Name.Text)
	}
	return c.env.Catalog().NearRelation(c.env.SchemaPath(), name.Name.Text)
}

// schemaOf gives the folded schema in which an unqualified definition or DROP takes place: main.
func schemaOf(name ast.QName) string {
	if name.Schema.IsZero() {
		return catalog.MainSchema
	}
	return types.Fold(name.Schema.Text)
}

// checkSchema refuses definitions in a schema that does not exist, or in the read-only one of the last commit.
func (c *change) checkSchema(name ast.QName, code types.Code) error {
	if isCommitted(name) {
		return errCommitted(name)
	}
	if !c.env.Catalog().HasSchema(schemaOf(name)) {
		return types.Errorf(code, "Schema not found: %s (Schema '%s' does not exist)", name.Schema.Text, name.Schema.Text)
	}
	return nil
}

func isCommitted(name ast.QName) bool { return types.EqualFold(name.Schema.Text, "committed") }

func errCommitted(name ast.QName) error {
	return types.Errorf(types.ERROR, "Cannot change '%s.%s': the schema committed shows the last commit and is read-only",
		name.Schema.Text, name.Name.Text)
}

// column finds a column of an altered table.
func column(t *catalog.Table, name ast.Name) (int, error) {
	if i := t.ColumnIndex(name.Text); i >= 0 {
		return i, nil
	}
	return -1, types.Errorf(types.ERROR, "Column '%s' not found in table '%s'", name.Text, t.Name).WithHint(t.NearColumn(name.Text))
}

// permitted answers whether the session lets the definition of a table change now.
func (c *change) permitted(t *catalog.Table) error {
	if m := c.env.Module(t.Module); m != nil {
		return m.Refused
	}
	return nil
}

// alterer finds the module of a table, which must be able to do what is asked.
func (c *change) alterer(t *catalog.Table, what string) (*Module, error) {
	m := c.env.Module(t.Module)
	if m == nil || m.Alterer == nil {
		return nil, types.Errorf(types.UNSUPPORTED, "module %s of table '%s' does not support %s", t.Module, t.Name, what)
	}
	return m, nil
}
