package alter

import (
	"fmt"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// drop removes an object of any kind (docs/reference/language.md).
func (c *change) drop(s *ast.DropStmt) error {
	if isCommitted(s.Name) {
		return errCommitted(s.Name)
	}
	switch s.Kind {
	case ast.TableObject:
		return c.dropTable(s)
	case ast.ViewObject:
		return c.dropView(s)
	case ast.MaterializedViewObject:
		return c.dropMaterializedView(s)
	case ast.IndexObject:
		return c.dropIndex(s)
	}
	return c.dropAssertion(s)
}

func (c *change) dropTable(s *ast.DropStmt) error {
	schema, name := schemaOf(s.Name), s.Name.Name.Text
	if !s.IfExists {
		if err := c.checkSchema(s.Name, types.ERROR); err != nil {
			return err
		}
	}
	t, ok := c.env.Catalog().Relation(schema, name).(*catalog.Table)
	if !ok {
		if s.IfExists && c.env.Catalog().Relation(schema, name) == nil {
			return nil
		}
		return types.Errorf(types.NOTFOUND, "Table %s not found in schema %s", name, schema).
			WithHint(c.env.Catalog().NearRelation([]string{schema}, name))
	}
	if err := c.permitted(t); err != nil {
		return err
	}
	if err := c.checkNotRead(t.Schema, t.Name, "table", t); err != nil {
		return err
	}
	if err := c.checkNoReferences(t); err != nil {
		return err
	}
	c.edit(func(e *catalog.Edit) { e.DropRelation(t.Schema, t.Name) })
	return nil
}

// checkNoReferences refuses to drop a table that rows of another table refer to. A row of the child refers to some row when none of
// its foreign-key columns is NULL.
func (c *change) checkNoReferences(t *catalog.Table) error {
	if !c.env.ForeignKeys() {
		return nil
	}
	for _, child := range c.env.Catalog().Children(t.Schema, t.Name) {
		if child.ID == t.ID || c.env.Leaving(child, "") {
			continue
		}
		for _, fk := range child.ForeignKeys {
			schema, parent := fk.ParentName(child)
			if !types.EqualFold(schema, t.Schema) || !types.EqualFold(parent, t.Name) || c.env.Leaving(child, fk.Name) {
				continue
			}
			n, err := c.env.Count(c.ctx, Orphans(child, fk, nil, nil), 1)
			if err != nil {
				return err
			}
			if n > 0 {
				return types.Errorf(types.CONSTRAINT, "FOREIGN KEY constraint failed: cannot drop table '%s' because table '%s' still has rows referencing it (%s)",
					t.Name, child.Name, fk.Name)
			}
		}
	}
	return nil
}

// checkNotRead refuses to drop a relation that an assertion or an expression of another table reaches. owner is the dropped
// table, nil for a view.
func (c *change) checkNotRead(schema, name, kind string, owner *catalog.Table) error {
	g := guard{change: c, schema: schema, name: name, owner: owner, skip: func(x catalog.Text) bool {
		t, isTable := x.Owner.(*catalog.Table)
		if !isTable {
			return false
		}
		return t == owner || c.env.Leaving(t, "") ||
			x.Expression.Kind == catalog.CheckExpression && c.env.Leaving(t, t.CheckName(x.Expression.Check))
	}}
	r := g.first()
	if r == nil {
		return nil
	}
	what := fmt.Sprintf("cannot drop %s '%s.%s'", kind, schema, name)
	if a, ok := r.text.Owner.(*catalog.Assertion); ok && r.path == "" {
		return types.Errorf(types.CONSTRAINT, "%s: assertion '%s' still refers to it; drop or redefine it first", what, a.Name)
	}
	return g.refusal(r, what, "drop or redefine it first")
}

func (c *change) dropView(s *ast.DropStmt) error {
	schema, name := schemaOf(s.Name), s.Name.Name.Text
	switch r := c.env.Catalog().Relation(schema, name).(type) {
	case *catalog.View:
		if err := c.checkNotRead(r.Schema, r.Name, "view", nil); err != nil {
			return err
		}
		c.edit(func(e *catalog.Edit) { e.DropRelation(r.Schema, r.Name) })
		return nil
	case *catalog.Table:
		if r.Maintained != nil {
			return types.Errorf(types.ERROR, "'%s.%s' is a materialized view: use DROP MATERIALIZED VIEW", schema, name)
		}
	default:
		if s.IfExists {
			return nil
		}
	}
	return types.Errorf(types.ERROR, "View '%s.%s' does not exist", schema, name)
}

func (c *change) dropMaterializedView(s *ast.DropStmt) error {
	schema, name := schemaOf(s.Name), s.Name.Name.Text
	switch r := c.env.Catalog().Relation(schema, name).(type) {
	case *catalog.View:
		return types.Errorf(types.ERROR, "'%s.%s' is a view: use DROP VIEW", schema, name)
	case *catalog.Table:
		if r.Maintained == nil {
			return types.Errorf(types.ERROR, "'%s.%s' is a table: use DROP TABLE", schema, name)
		}
		table := *s
		table.Kind = ast.TableObject
		return c.dropTable(&table)
	}
	if s.IfExists {
		return nil
	}
	return types.Errorf(types.ERROR, "Materialized view '%s.%s' does not exist", schema, name)
}

func (c *change) dropIndex(s *ast.DropStmt) error {
	entry := c.index(s.Name)
	if entry == nil {
		if s.IfExists {
			return nil
		}
		return types.Errorf(types.ERROR, "no such index: %s", s.Name.Name.Text).
			WithHint(c.env.Catalog().NearIndex(schemaOf(s.Name), s.Name.Name.Text))
	}
	t := entry.Table
	if err := c.permitted(t); err != nil {
		return err
	}
	after := t.Clone()
	i := t.IndexPosition(entry.Index.Name)
	after.Indexes = append(after.Indexes[:i:i], after.Indexes[i+1:]...)
	return c.rework(rework{before: t, after: after, what: "DROP INDEX"})
}

// index finds an index by name, along the schema path when it is not qualified; nil when there is none.
func (c *change) index(name ast.QName) *catalog.IndexEntry {
	if !name.Schema.IsZero() {
		return c.env.Catalog().Index(name.Schema.Text, name.Name.Text)
	}
	for _, schema := range c.env.SchemaPath() {
		if e := c.env.Catalog().Index(schema, name.Name.Text); e != nil {
			return e
		}
	}
	return nil
}

func (c *change) dropAssertion(s *ast.DropStmt) error {
	schema, name := schemaOf(s.Name), s.Name.Name.Text
	if c.env.Catalog().Assertion(schema, name) == nil {
		if s.IfExists {
			return nil
		}
		return types.Errorf(types.NOTFOUND, "Assertion %s not found in schema %s", name, schema).
			WithHint(c.env.Catalog().NearAssertion(schema, name))
	}
	c.edit(func(e *catalog.Edit) { e.DropAssertion(schema, name) })
	return nil
}
