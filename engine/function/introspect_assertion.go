package function

import (
	"slices"
	"strconv"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/types"
)

// assertionFacts is assertion_info() (docs/reference/functions.md).
func assertionFacts() []*Function {
	return []*Function{lists("assertion_info", 0, []Column{
		textColumn("schema_name"), textColumn("name"), textColumn("violation_sql"), integerColumn("deferrable"),
		integerColumn("initially_deferred"), textColumn("dependent_tables"),
	}, listAssertions)}
}

// listAssertions emits the assertions of each schema. All are checked at commit.
func listAssertions(c *Call, _ []types.Value, emit emitter) error {
	for _, schema := range c.Catalog.Schemas() {
		for _, a := range c.Catalog.AssertionsInOrder(schema) {
			tables, err := dependentTables(c, a)
			if err != nil {
				return err
			}
			if !emit(types.Text(a.Schema), types.Text(a.Name), types.Text(ViolationSQL(a)), flag(true), flag(true), tables) {
				return nil
			}
		}
	}
	return nil
}

// ViolationSQL gives the query that finds a row exactly when an assertion is violated.
func ViolationSQL(a *catalog.Assertion) string { return "select 1 where not (" + ast.Format(a.X) + ")" }

// dependentTables gives one {relationKey, base} for each mention of a table, in the assertion or in a view that it reads, as the
// text of a JSON array.
func dependentTables(c *Call, a *catalog.Assertion) (types.Value, error) {
	var list []types.Value
	for i, base := range baseTables(c, a.X, a.Schema, nil) {
		entry, err := types.NewObject([]string{"relationKey", "base"},
			[]types.Value{types.Text(base + "#" + strconv.Itoa(i)), types.Text(base)})
		if err != nil {
			return types.Null, err
		}
		list = append(list, entry)
	}
	doc, err := types.NewArray(list)
	return types.Text(types.FormatJSON(doc)), err
}

// baseTables lists the tables that a text in a schema reads, folded `schema.table`, one entry a mention. Views on the way are
// looked through; open are those being looked through.
func baseTables(c *Call, text ast.Node, schema string, open []*catalog.View) []string {
	home := resolve.Home{Catalog: relationNames{c.Catalog}, Path: append([]string{schema}, c.searchPath()...)}
	var bases []string
	for _, q := range resolve.SourceMentions(text, home) {
		switch r := c.Catalog.Relation(q.Schema.Text, q.Name.Text).(type) {
		case *catalog.Table:
			bases = append(bases, r.Schema+"."+types.Fold(r.Name))
		case *catalog.View:
			if !slices.Contains(open, r) {
				bases = append(bases, baseTables(c, r.Body, r.Schema, append(slices.Clip(open), r))...)
			}
		}
	}
	return bases
}

func (c *Call) searchPath() []string {
	if c.SchemaPath == nil {
		return []string{catalog.MainSchema}
	}
	return c.SchemaPath
}

// relationNames resolves the relations that a text names, and none of their columns.
type relationNames struct{ snapshot *catalog.Snapshot }

// Columns reports whether the relation exists.
func (r relationNames) Columns(schema, name string) (columns []string, ok bool) {
	return nil, r.snapshot.Relation(schema, name) != nil
}

// Function knows none.
func (r relationNames) Function(string, int) (columns []string, aggregate bool) { return nil, false }
