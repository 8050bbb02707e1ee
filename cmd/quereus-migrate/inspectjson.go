package main

import (
	"encoding/json"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// databaseJSON is what inspect prints as JSON. Expressions, bodies and definitions are SQL; what is absent is left out.
type databaseJSON struct {
	Schemas []schemaJSON `json:"schemas"`
}

type schemaJSON struct {
	Name       string       `json:"name"`
	Hash       string       `json:"hash"`
	Tables     []tableJSON  `json:"tables"`
	Views      []objectJSON `json:"views"`
	Assertions []objectJSON `json:"assertions"`
}

// objectJSON is an object whose definition says it all.
type objectJSON struct {
	Name string                     `json:"name"`
	SQL  string                     `json:"sql"`
	Tags map[string]json.RawMessage `json:"tags,omitempty"`
}

type tableJSON struct {
	objectJSON
	Columns     []columnJSON     `json:"columns"`
	PrimaryKey  []string         `json:"primary_key"`
	Constraints []constraintJSON `json:"constraints"`
	Indexes     []objectJSON     `json:"indexes"`
	Module      string           `json:"module"`
	// IsMaintained tells tables whose rows are those of a query.
	IsMaintained bool `json:"maintained,omitempty"`
}

type columnJSON struct {
	Name      string                     `json:"name"`
	Type      string                     `json:"type"`
	Nullable  bool                       `json:"nullable"`
	Collation string                     `json:"collation"`
	Default   string                     `json:"default,omitempty"`
	Generated string                     `json:"generated,omitempty"`
	Stored    bool                       `json:"stored,omitempty"`
	Tags      map[string]json.RawMessage `json:"tags,omitempty"`
}

// constraintJSON has no name if users cannot address it.
type constraintJSON struct {
	Name    string   `json:"name,omitempty"`
	Kind    string   `json:"kind"`
	Columns []string `json:"columns,omitempty"`
	// Parent is the table that a foreign key refers to.
	Parent string `json:"parent,omitempty"`
	SQL    string `json:"sql"`
}

func (a *app) inspectJSON(db *engine.DB) error {
	cat, err := db.Catalog()
	if err != nil {
		return err
	}
	stmts, err := target.Declarations(db)
	if err != nil {
		return err
	}
	out := databaseJSON{Schemas: []schemaJSON{}}
	for _, s := range stmts {
		out.Schemas = append(out.Schemas, newSchemaJSON(cat, s))
	}
	return writeJSON(a.Out, out)
}

// newSchemaJSON describes the objects of a declaration that was made from the catalog, each by its definition there.
func newSchemaJSON(cat *catalog.Snapshot, s *ast.DeclareSchemaStmt) schemaJSON {
	schema := s.Name.Text
	out := schemaJSON{
		Name: schema, Hash: catalog.Hash(cat, schema), Tables: []tableJSON{}, Views: []objectJSON{}, Assertions: []objectJSON{},
	}
	indexes := map[string][]objectJSON{}
	for _, item := range s.Items {
		if n, ok := item.(*ast.CreateIndexStmt); ok {
			table := types.Fold(n.Table.Name.Text)
			indexes[table] = append(indexes[table], newObjectJSON(n, n.Name, n.Tags))
		}
	}
	for _, item := range s.Items {
		switch n := item.(type) {
		case *ast.CreateTableStmt:
			out.Tables = append(out.Tables, newTableJSON(cat, newObjectJSON(n, n.Name, n.Tags), schema, indexes))
		case *ast.CreateMaterializedViewStmt:
			out.Tables = append(out.Tables, newTableJSON(cat, newObjectJSON(n, n.Name, n.Tags), schema, indexes))
		case *ast.CreateViewStmt:
			out.Views = append(out.Views, newObjectJSON(n, n.Name, n.Tags))
		case *ast.CreateAssertionStmt:
			out.Assertions = append(out.Assertions, newObjectJSON(n, n.Name, nil))
		}
	}
	return out
}

func newObjectJSON(n ast.Stmt, name ast.QName, tags []ast.Tag) objectJSON {
	return objectJSON{Name: name.Name.Text, SQL: ast.FormatWith(n, ast.Options{Implied: catalog.MainSchema}), Tags: newTagsJSON(tags)}
}

func newTagsJSON(tags []ast.Tag) map[string]json.RawMessage {
	if len(tags) == 0 {
		return nil
	}
	out := map[string]json.RawMessage{}
	for _, t := range tags {
		out[t.Key.Text] = types.AppendWire(nil, catalog.LiteralValue(t.Value))
	}
	return out
}

func newTableJSON(cat *catalog.Snapshot, o objectJSON, schema string, indexes map[string][]objectJSON) tableJSON {
	t := cat.Table(schema, o.Name)
	out := tableJSON{
		objectJSON: o, PrimaryKey: t.ColumnNames(t.KeyColumns()), Constraints: newConstraintsJSON(t),
		Indexes: indexes[types.Fold(o.Name)], Module: t.Module, IsMaintained: t.Maintained != nil,
	}
	if out.Indexes == nil {
		out.Indexes = []objectJSON{}
	}
	for _, c := range t.Columns {
		out.Columns = append(out.Columns, newColumnJSON(c))
	}
	return out
}

func newColumnJSON(c *catalog.Column) columnJSON {
	out := columnJSON{
		Name: c.Name, Type: strings.ToLower(c.Type.Name), Nullable: !c.NotNull, Collation: strings.ToLower(c.Collation.Name),
		Stored: c.Stored, Tags: newTagsJSON(c.Tags.AST()),
	}
	if c.Default != nil {
		out.Default = ast.Format(c.Default)
	}
	if c.Generated != nil {
		out.Generated = ast.Format(c.Generated)
	}
	return out
}

func newConstraintsJSON(t *catalog.Table) []constraintJSON {
	out := []constraintJSON{}
	add := func(kind string, n *ast.TableConstraint, columns []int, parent string) {
		c := constraintJSON{Kind: kind, Columns: t.ColumnNames(columns), Parent: parent}
		if name := n.Name.Text; catalog.IsHiddenName(name) {
			n.Name = ast.Name{}
		} else {
			c.Name = name
		}
		c.SQL = ast.Format(n)
		out = append(out, c)
	}
	for _, c := range t.Checks {
		add("check", c.Node(), nil, "")
	}
	for _, u := range t.Uniques {
		add("unique", u.Node(t), u.Columns, "")
	}
	for _, fk := range t.ForeignKeys {
		add("foreign key", fk.Node(t), fk.Columns, fk.ParentTable)
	}
	return out
}
