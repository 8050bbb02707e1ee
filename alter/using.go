package alter

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// setUsing moves a table to another module, rows and all; within one module its arguments alone change.
func (c *change) setUsing(t *catalog.Table, a *ast.SetUsing) error {
	after := t.Clone()
	build := c.buildEnv(c.env.Catalog().Edit())
	after.Module, after.ModuleArgs = build.ModuleOf(a.Using)
	from, to := c.env.Module(t.Module), c.env.Module(after.Module)
	switch {
	case to == nil:
		return types.Errorf(types.ERROR, "No virtual table module named '%s'", after.Module)
	case from != nil && from.Name == to.Name:
		return c.replace(after)
	case to.Creator == nil:
		return types.Errorf(types.UNSUPPORTED, "module %s cannot create tables", to.Name)
	case from != nil && from.IsDurable && !to.IsDurable:
		if err := c.checkNoRows(t, to); err != nil {
			return err
		}
	}
	after.Storage = catalog.Storage{NextColumn: t.Storage.NextColumn}
	for i := range after.Columns { // the rows are written anew, with all columns
		after = after.WithColumn(i, func(x *catalog.Column) { x.Fill = types.Null })
	}
	conn, err := c.env.Conn(c.ctx, to.Name)
	if err != nil {
		return err
	}
	if after, err = to.Creator.Create(c.ctx, conn, after); err != nil {
		return err
	}
	if err := c.env.CopyRows(c.ctx, t, after); err != nil {
		return err
	}
	c.put(after)
	return nil
}

// checkNoRows refuses to move rows to where they would be lost.
func (c *change) checkNoRows(t *catalog.Table, to *Module) error {
	n, err := c.env.Count(c.ctx, selectRows(t, nil), 1)
	if err != nil || n == 0 {
		return err
	}
	return types.Errorf(types.CONSTRAINT, "Cannot move table '%s' to module %s: it holds rows, and what that module keeps does not outlive the process", t.Name, to.Name)
}
