package alter

import (
	"context"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Supported refuses the schema statements that are not carried out yet: UNSUPPORTED, naming them.
func Supported(stmt ast.Stmt) error {
	switch s := stmt.(type) {
	case *ast.CreateTableStmt:
		if s.Maintained != nil {
			return unsupported("CREATE TABLE … MAINTAINED")
		}
	case *ast.CreateMaterializedViewStmt:
		return unsupported("CREATE MATERIALIZED VIEW")
	case *ast.RefreshStmt:
		return unsupported("REFRESH MATERIALIZED VIEW")
	case *ast.AlterStmt:
		if _, ok := s.Action.(*ast.SetMaintained); ok {
			return unsupported("ALTER TABLE … SET MAINTAINED")
		}
	}
	return nil
}

// Run carries out one schema statement: a CREATE, DROP or ALTER. UNSUPPORTED for what is not carried out yet, naming it.
func Run(ctx context.Context, env Env, stmt ast.Stmt) error {
	c := &change{ctx: ctx, env: env}
	switch s := stmt.(type) {
	case *ast.CreateTableStmt:
		return c.createTable(s)
	case *ast.CreateIndexStmt:
		return c.createIndex(s)
	case *ast.CreateViewStmt:
		return c.createView(s)
	case *ast.CreateMaterializedViewStmt:
		return unsupported("CREATE MATERIALIZED VIEW")
	case *ast.CreateAssertionStmt:
		return c.createAssertion(s)
	case *ast.RefreshStmt:
		return unsupported("REFRESH MATERIALIZED VIEW")
	case *ast.DropStmt:
		return c.drop(s)
	case *ast.AlterStmt:
		return c.alter(s)
	}
	return types.Errorf(types.INTERNAL, "%T is no schema statement", stmt)
}

// IsSchemaStmt reports whether Run carries out statements of this kind.
func IsSchemaStmt(stmt ast.Stmt) bool {
	switch stmt.(type) {
	case *ast.CreateTableStmt, *ast.CreateIndexStmt, *ast.CreateViewStmt, *ast.CreateMaterializedViewStmt,
		*ast.CreateAssertionStmt, *ast.RefreshStmt, *ast.DropStmt, *ast.AlterStmt:
		return true
	}
	return false
}

func unsupported(what string) error {
	return types.Errorf(types.UNSUPPORTED, "%s is not supported yet", what)
}

// change is one schema statement under way.
type change struct {
	ctx context.Context
	env Env
}

// alter runs an ALTER of any kind.
func (c *change) alter(s *ast.AlterStmt) error {
	if s.Kind != ast.TableObject {
		return c.alterTags(s)
	}
	t, err := c.alteredTable(s.Name)
	if err != nil {
		return err
	}
	if err := c.permitted(t); err != nil {
		return err
	}
	if tags, ok := s.Action.(*ast.TagAction); ok {
		return c.tableTags(t, tags)
	}
	if err := checkMaintained(t, s.Action); err != nil {
		return err
	}
	ddl := ast.FormatWith(s, ast.Options{Style: ast.Lower, Schema: t.Schema, Implied: catalog.MainSchema})
	switch a := s.Action.(type) {
	case *ast.RenameTable:
		return c.renameTable(t, a)
	case *ast.RenameColumn:
		return c.renameColumn(t, a)
	case *ast.RenameConstraint:
		return c.renameConstraint(t, a, ddl)
	case *ast.AddColumn:
		return c.addColumn(t, a, ddl)
	case *ast.DropColumn:
		return c.dropColumn(t, a, ddl)
	case *ast.AddConstraint:
		return c.addConstraint(t, a, ddl)
	case *ast.DropConstraint:
		return c.dropConstraint(t, a, ddl)
	case *ast.AlterPrimaryKey:
		return c.alterPrimaryKey(t, a, ddl)
	case *ast.SetNotNull:
		return c.setNotNull(t, a, ddl)
	case *ast.SetDataType:
		return c.setDataType(t, a, ddl)
	case *ast.SetDefault:
		return c.setDefault(t, a)
	case *ast.SetCollate:
		return c.setCollate(t, a, ddl)
	case *ast.SetGenerated:
		return c.setGenerated(t, a, ddl)
	case *ast.SetConflict:
		return c.setConflict(t, a)
	case *ast.SetDeferral:
		return c.setDeferral(t, a)
	case *ast.SetContext:
		return c.setContext(t, a)
	case *ast.SetColumnOrder:
		return c.setColumnOrder(t, a)
	case *ast.SetUsing:
		return c.setUsing(t, a)
	case *ast.SetMaintained:
		return unsupported("ALTER TABLE … SET MAINTAINED")
	case *ast.DropMaintained:
		return types.Errorf(types.ERROR, "'%s' is not a maintained table", t.Name)
	}
	return types.Errorf(types.INTERNAL, "%T is no ALTER action", s.Action)
}

// checkMaintained refuses changes of a maintained table's shape (docs/reference/alter.md).
func checkMaintained(t *catalog.Table, a ast.AlterAction) error {
	if t.Maintained == nil {
		return nil
	}
	switch a.(type) {
	case *ast.RenameTable, *ast.SetMaintained, *ast.DropMaintained:
		return nil
	}
	return types.Errorf(types.ERROR, "cannot alter '%s': its shape is defined by the view body", t.Name)
}

// edit changes the pending catalog.
func (c *change) edit(f func(*catalog.Edit)) {
	e := c.env.Catalog().Edit()
	f(e)
	c.env.Install(e.Done())
}

// put replaces a table in the pending catalog.
func (c *change) put(t *catalog.Table) {
	c.edit(func(e *catalog.Edit) { e.PutTable(t) })
}
