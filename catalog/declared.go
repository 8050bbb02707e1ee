package catalog

import (
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Declared is the description of a whole schema: what DECLARE SCHEMA says, or a set of schema files. Nothing in it is resolved.
// It is built by one goroutine and immutable afterwards.
type Declared struct {
	// Name is the schema's name as written.
	Name       string
	Version    string
	HasVersion bool
	// Items are the tables, indexes, views, materialized views and assertions in the order declared.
	Items []DeclaredItem
	// Seeds are the rows that tables begin with, one entry a table, in the order declared.
	Seeds []DeclaredSeed
	// Notes are what the reader of the declaration should know and is no fault: where a form of another dialect was read as something
	// that is not the same in every case. Their code is NOTICE.
	Notes []*SourceError

	// skipped are the items that were read over.
	skipped []skippedItem
	// defaults are the options of the declaration, which fill the module clause of tables without one.
	defaults DeclaredSettings
}

// DeclaredItem is one object of a declaration.
type DeclaredItem struct {
	// Stmt is *ast.CreateTableStmt, *ast.CreateIndexStmt, *ast.CreateViewStmt, *ast.CreateMaterializedViewStmt or
	// *ast.CreateAssertionStmt, unqualified and without IF NOT EXISTS.
	Stmt   ast.Stmt
	Origin Origin
	// Settings are those of the file that the item stands in; nil for the session's.
	Settings *DeclaredSettings
}

// DeclaredSeed holds the seed rows of a table. Columns is nil for rows over all columns that are not generated.
type DeclaredSeed struct {
	Table   ast.Name
	Columns []ast.Name
	Rows    [][]types.Value
	Origin  Origin

	item *ast.SeedItem
}

type skippedItem struct {
	item   ast.SkippedItem
	origin Origin
}

// NewDeclared gives the empty declaration of a schema.
func NewDeclared(schema string) *Declared { return &Declared{Name: schema} }

// Declare reads a DECLARE SCHEMA statement. UNSUPPORTED for a logical schema; ERROR for a table that is seeded twice. All other
// faults come to light when the declaration is checked (docs/reference/declarative-schema.md).
func Declare(stmt *ast.DeclareSchemaStmt, origin Origin) (*Declared, error) {
	d := NewDeclared(stmt.Name.Text)
	if err := d.Declare(stmt, origin, nil); err != nil {
		return nil, err
	}
	return d, nil
}

// Declare reads a DECLARE SCHEMA statement, which stands under the settings of its file, into an empty declaration; see the function
// Declare.
func (d *Declared) Declare(stmt *ast.DeclareSchemaStmt, origin Origin, settings *DeclaredSettings) error {
	if stmt.Logical {
		return origin.Fault(stmt, types.Errorf(types.UNSUPPORTED, "logical schema '%s': logical schemas are not supported", stmt.Name.Text))
	}
	d.Version, d.HasVersion = stmt.Version, stmt.HasVersion
	for i := range stmt.Using {
		d.defaults.setOption(&stmt.Using[i])
	}
	for _, item := range stmt.Skipped {
		d.skipped = append(d.skipped, skippedItem{item, origin})
	}
	for _, item := range stmt.Items {
		if err := d.Add(item, origin, settings); err != nil {
			return err
		}
	}
	return nil
}

// Schema gives the folded name of the schema.
func (d *Declared) Schema() string { return types.Fold(d.Name) }

// Add appends an item that was read from origin under the settings of its file, nil for none. ERROR for a table that is seeded
// twice, and for seed values that are no literals.
func (d *Declared) Add(item ast.DeclareItem, origin Origin, settings *DeclaredSettings) error {
	if seed, ok := item.(*ast.SeedItem); ok {
		return d.addSeed(seed, origin)
	}
	d.Items = append(d.Items, DeclaredItem{Stmt: item.(ast.Stmt), Origin: origin, Settings: settings})
	return nil
}

func (d *Declared) addSeed(n *ast.SeedItem, origin Origin) error {
	for _, other := range d.Seeds {
		if types.EqualFold(other.Table.Text, n.Table.Text) {
			return origin.Fault(n, types.Errorf(types.ERROR, "Seed data for table '%s' is declared more than once in schema '%s'%s",
				n.Table.Text, d.Schema(), firstAt(other.Origin, other.item)))
		}
	}
	s := DeclaredSeed{Table: n.Table, Columns: n.Columns, Origin: origin, item: n}
	for _, row := range n.Rows {
		values := make([]types.Value, len(row))
		for i, x := range row {
			v, ok := FoldLiteral(x)
			if !ok {
				return origin.Fault(x, types.Errorf(types.ERROR, "Seed data must contain only literal values."))
			}
			values[i] = v
		}
		s.Rows = append(s.Rows, values)
	}
	d.Seeds = append(d.Seeds, s)
	return nil
}

// SeedColumns gives the columns that the values of a seed's rows go to: those that it names, else those of the table that take values, as the
// declaration lists them, since a table that is there may list them in another order. nil for a table that is not declared.
func (d *Declared) SeedColumns(s *DeclaredSeed) []ast.Name {
	if s.Columns != nil {
		return s.Columns
	}
	for _, item := range d.Items {
		n, ok := item.Stmt.(*ast.CreateTableStmt)
		if !ok || !types.EqualFold(n.Name.Name.Text, s.Table.Text) {
			continue
		}
		var columns []ast.Name
		for _, def := range n.Columns {
			if !slices.ContainsFunc(def.Constraints, func(k *ast.ColumnConstraint) bool { return k.Kind == ast.GeneratedClause }) {
				columns = append(columns, def.Name)
			}
		}
		return columns
	}
	return nil
}

// firstAt tells where the first of two declarations stands, if that can be told.
func firstAt(o Origin, n ast.Node) string {
	if at := o.At(n); at != "" {
		return " (first in " + at + ")"
	}
	return ""
}

// ExplainHash gives the documented hash of the declaration.
func (d *Declared) ExplainHash() string {
	items := make([]ast.DeclareItem, len(d.Items))
	for i, item := range d.Items {
		items[i] = item.Stmt.(ast.DeclareItem)
	}
	return ExplainHash(items)
}

// itemName gives the name and the position of what an item declares.
func itemName(stmt ast.Stmt) ast.Name {
	switch n := stmt.(type) {
	case *ast.CreateTableStmt:
		return n.Name.Name
	case *ast.CreateIndexStmt:
		return n.Name.Name
	case *ast.CreateViewStmt:
		return n.Name.Name
	case *ast.CreateMaterializedViewStmt:
		return n.Name.Name
	case *ast.CreateAssertionStmt:
		return n.Name.Name
	}
	return ast.Name{}
}
