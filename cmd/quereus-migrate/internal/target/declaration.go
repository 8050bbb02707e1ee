package target

import (
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Declarations gives the schemas of a database as the statements that declare them: main, and every other one that holds something,
// but for the temporary one.
func Declarations(db *engine.DB) ([]*ast.DeclareSchemaStmt, error) {
	cat, err := db.Catalog()
	if err != nil {
		return nil, err
	}
	conn := db.Conn()
	defer conn.Close()
	home := conn.Option("default_vtab_module").Str()
	var out []*ast.DeclareSchemaStmt
	for _, schema := range Inhabited(cat) {
		out = append(out, Declaration(cat, schema, home))
	}
	return out, nil
}

// Inhabited lists main and every other schema that holds something of the user's, but for the temporary one.
func Inhabited(cat *catalog.Snapshot) []string {
	var names []string
	for _, schema := range cat.Schemas() {
		if schema == catalog.MainSchema || schema != catalog.TempSchema && len(Declaration(cat, schema, "").Items) > 0 {
			names = append(names, schema)
		}
	}
	return names
}

// Declaration gives the statement that declares a schema as it is. Everything that the settings of a session could decide is
// written out, but for the module of tables that lie in the home module. Constraints without a name of the user's stay without.
// Tables that the engine manages are left out, and so are hints of renames, which have been carried out.
func Declaration(cat *catalog.Snapshot, schema, home string) *ast.DeclareSchemaStmt {
	s := &ast.DeclareSchemaStmt{Name: ast.Ident(schema)}
	add := func(item ast.DeclareItem) { s.Items = append(s.Items, item) }
	for _, t := range cat.TablesInOrder(schema) {
		if t.IsEngineManaged() {
			continue
		}
		add(tableItem(t, home))
		for _, ix := range t.Indexes {
			add(indexItem(t, ix))
		}
	}
	for _, v := range cat.ViewsInOrder(schema) {
		n := v.Stmt()
		n.Tags = withoutHints(n.Tags)
		add(n)
	}
	for _, a := range cat.AssertionsInOrder(schema) {
		add(a.Stmt())
	}
	return s
}

func tableItem(t *catalog.Table, home string) ast.DeclareItem {
	n := t.Stmt()
	n.Tags = withoutHints(n.Tags)
	for _, c := range n.Columns {
		c.Type.Name = strings.ToLower(c.Type.Name)
		c.Tags = withoutHints(c.Tags)
	}
	if len(n.Using.Args) == 0 && t.Module == home {
		n.Using = nil
	}
	if t.Maintained != nil && !t.Maintained.Declared {
		return &ast.CreateMaterializedViewStmt{
			Name: n.Name, Columns: n.Maintained.Columns, Using: n.Using, Query: n.Maintained.Query, Tags: n.Tags, HasTags: n.HasTags,
		}
	}
	for _, c := range n.Constraints {
		tidyConstraint(c)
	}
	putKey(t, n)
	return n
}

// tidyConstraint writes a constraint as users do: no name of the engine's, and nothing that goes without saying.
func tidyConstraint(c *ast.TableConstraint) {
	if catalog.IsHiddenName(c.Name.Text) {
		c.Name = ast.Name{}
	}
	if c.Ops == ast.OnInsert|ast.OnUpdate {
		c.Ops = 0
	}
	if r := c.References; r != nil {
		r.OnDelete, r.OnUpdate = withoutRestrict(r.OnDelete), withoutRestrict(r.OnUpdate)
	}
	c.Tags = withoutHints(c.Tags)
}

// withoutRestrict leaves out the action that a foreign key has without one.
func withoutRestrict(a ast.FKAction) ast.FKAction {
	if a == ast.FKRestrict {
		return ast.FKDefault
	}
	return a
}

// withoutHints leaves the former names of an object out.
func withoutHints(tags []ast.Tag) []ast.Tag {
	return slices.DeleteFunc(tags, func(t ast.Tag) bool { return t.Key.Text == catalog.TagPreviousName })
}

// indexItem leaves out the collations that the members have anyway.
func indexItem(t *catalog.Table, ix *catalog.Index) *ast.CreateIndexStmt {
	n := ix.Stmt(t)
	n.Tags = withoutHints(n.Tags)
	for i, m := range ix.Members {
		implied := types.Binary
		if m.X == nil {
			implied = t.Columns[m.Column].Collation
		}
		if m.Collation == implied {
			n.Columns[i].Collation = ast.Name{}
		}
	}
	return n
}

// putKey writes the key where users do: at its column if it has one only, and not at all if it is what a table without one gets.
func putKey(t *catalog.Table, n *ast.CreateTableStmt) {
	clause, rest := n.Constraints[0], n.Constraints[1:]
	switch {
	case !t.Key.Declared && isWholeRow(t):
		n.Constraints = rest
	case len(t.Key.Columns) == 1:
		k := t.Key.Columns[0]
		c := n.Columns[k.Column]
		inline := &ast.ColumnConstraint{Kind: ast.PrimaryKeyClause, Desc: k.Desc, OnConflict: clause.OnConflict}
		c.Constraints = slices.Insert(c.Constraints, 1, inline) // behind the nullability
		n.Constraints = rest
	}
}

// isWholeRow reports whether the key is all columns in their order.
func isWholeRow(t *catalog.Table) bool {
	if len(t.Key.Columns) != len(t.Columns) {
		return false
	}
	for i, k := range t.Key.Columns {
		if k.Column != i || k.Desc {
			return false
		}
	}
	return true
}
