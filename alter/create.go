package alter

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// createTable makes a table, its checks in the documented order (docs/reference/language.md).
func (c *change) createTable(s *ast.CreateTableStmt) error {
	if err := catalog.CheckItemTags(s); err != nil {
		return err
	}
	if err := catalog.CheckColumnNames(s); err != nil {
		return err
	}
	if err := c.checkSchema(s.Name, types.ERROR); err != nil {
		return err
	}
	if done, err := c.checkTableName(s); done || err != nil {
		return err
	}
	edit := c.env.Catalog().Edit()
	build := c.buildEnv(edit)
	name, _ := build.ModuleOf(s.Using)
	m := c.env.Module(name)
	if m == nil {
		return types.Errorf(types.ERROR, "No virtual table module named '%s'", name)
	}
	if m.Refused != nil {
		return m.Refused
	}
	if s.Maintained != nil {
		return unsupported("CREATE TABLE … MAINTAINED")
	}
	t, err := catalog.BuildTable(s, build)
	if err != nil {
		return err
	}
	if err := catalog.CheckForeignKeyCollations(t, edit.Snapshot()); err != nil {
		return err
	}
	if m.Creator == nil {
		return types.Errorf(types.UNSUPPORTED, "module %s cannot create tables", m.Name)
	}
	conn, err := c.env.Conn(c.ctx, m.Name)
	if err != nil {
		return err
	}
	if t, err = m.Creator.Create(c.ctx, conn, t); err != nil {
		return err
	}
	edit.PutTable(t)
	c.env.Install(edit.Done())
	return nil
}

// checkTableName refuses a name that is taken; done is true when IF NOT EXISTS finds a table.
func (c *change) checkTableName(s *ast.CreateTableStmt) (done bool, err error) {
	schema := schemaOf(s.Name)
	switch c.env.Catalog().Relation(schema, s.Name.Name.Text).(type) {
	case *catalog.Table:
		if s.IfNotExists {
			return true, nil
		}
		return false, types.Errorf(types.CONSTRAINT, "Table %s.%s already exists", schema, s.Name.Name.Text)
	case *catalog.View:
		if s.IfNotExists { // which excuses a table only
			return false, types.Errorf(types.CONSTRAINT, "Cannot CREATE TABLE %s.%s: a VIEW with the same name already exists.", schema, s.Name.Name.Text)
		}
		return false, types.Errorf(types.CONSTRAINT, "View %s.%s already exists", schema, s.Name.Name.Text)
	}
	return false, nil
}

// createIndex makes an index over the rows that are there.
func (c *change) createIndex(s *ast.CreateIndexStmt) error {
	if err := catalog.CheckItemTags(s); err != nil {
		return err
	}
	if isCommitted(s.Table) {
		return errCommitted(s.Table)
	}
	t, ok := c.relation(s.Table).(*catalog.Table)
	if !ok {
		return types.Errorf(types.NOTFOUND, "no such table: %s", s.Table.Name.Text).WithHint(c.nearRelation(s.Table))
	}
	if done, err := c.env.Catalog().CheckIndexName(t, s, s.IfNotExists); done || err != nil {
		return err
	}
	if err := c.permitted(t); err != nil {
		return err
	}
	edit := c.env.Catalog().Edit()
	ix, err := catalog.BuildIndex(s, t, c.buildEnv(edit))
	if err != nil {
		return err
	}
	after := t.Clone()
	after.Indexes = append(after.Indexes, ix)
	c.env.Install(edit.Done())
	if err := c.rework(rework{before: t, after: after, what: "CREATE INDEX"}); err != nil {
		return types.Wrapf(types.CodeOf(err), err, "createIndex failed for index '%s' on table '%s'", ix.Name, t.Name)
	}
	return nil
}

// createView makes a view whose body can be planned now.
func (c *change) createView(s *ast.CreateViewStmt) error {
	if err := c.checkSchema(s.Name, types.ERROR); err != nil {
		return err
	}
	schema, name := schemaOf(s.Name), s.Name.Name.Text
	switch c.env.Catalog().Relation(schema, name).(type) {
	case *catalog.View:
		if s.IfNotExists {
			return nil
		}
		return types.Errorf(types.ERROR, "View '%s.%s' already exists", schema, name)
	case *catalog.Table:
		return types.Errorf(types.ERROR, "Schema '%s': Cannot add view '%s', a table with the same name already exists.", schema, name)
	}
	edit := c.env.Catalog().Edit()
	v := catalog.BuildView(s, c.env.BuildEnv(edit))
	if err := c.env.CheckView(c.ctx, edit.Snapshot(), v); err != nil {
		return err
	}
	edit.PutView(v)
	c.env.Install(edit.Done())
	return nil
}

// createAssertion makes a condition that every commit must leave true. The rows that are there are not tested.
func (c *change) createAssertion(s *ast.CreateAssertionStmt) error {
	if err := c.checkSchema(s.Name, types.ERROR); err != nil {
		return err
	}
	schema, name := schemaOf(s.Name), s.Name.Name.Text
	if c.env.Catalog().Assertion(schema, name) != nil {
		return types.Errorf(types.CONSTRAINT, "Assertion %s already exists", name)
	}
	edit := c.env.Catalog().Edit()
	a := catalog.BuildAssertion(s, c.env.BuildEnv(edit))
	if err := c.env.CheckAssertion(c.ctx, edit.Snapshot(), a); err != nil {
		return types.Wrapf(types.ERROR, err, "Cannot create assertion '%s'", name)
	}
	edit.PutAssertion(a)
	c.env.Install(edit.Done())
	return nil
}
