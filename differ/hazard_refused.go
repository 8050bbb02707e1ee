package differ

import (
	"fmt"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
)

// refusals finds steps that will be refused whatever the rows are.
func refusals(c *comparison, s *step) []Hazard {
	var out []Hazard
	if s.fault != nil {
		out = append(out, one(Refused, Failure, s.fault.Error(), "")...)
	}
	if c.opts.Supported != nil {
		if err := c.opts.Supported(s.Stmt); err != nil {
			out = append(out, one(Refused, Failure, err.Error(), "")...)
		}
	}
	switch n := s.Stmt.(type) {
	case *ast.CreateIndexStmt:
		if s.pair == nil && s.fault == nil {
			out = append(out, one(Refused, Failure, "no such table: "+n.Table.Name.Text, "declare the table")...)
		}
	case *ast.AlterStmt:
		switch a := n.Action.(type) {
		case *ast.DropColumn:
			if !c.opts.Whole {
				out = append(out, c.heldBack(s, a.Column.Text)...)
			}
		case *ast.SetDataType:
			out = append(out, keyRetype(s)...)
		}
	}
	return out
}

// heldBack finds the CHECKs without any name that read a dropped column: nothing can address them.
func (c *comparison) heldBack(s *step, column string) []Hazard {
	i := s.pair.after.ColumnIndex(column)
	var out []Hazard
	for _, k := range s.pair.live.Checks {
		home := c.liveNames.RowHome(s.pair.live, catalog.CheckExpression)
		if k.Name == "" && resolve.Mentions(k.X, home, s.pair.live.Schema, s.pair.live.Name, s.pair.live.Columns[i].Name) {
			out = append(out, one(Refused, Failure,
				fmt.Sprintf("column %s.%s cannot go: the unnamed CHECK (%s) reads it and cannot be addressed", s.Object, column, ast.Format(k.X)),
				"create the table anew with named constraints")...)
		}
	}
	return out
}

// keyRetype: a member of the key keeps its type.
func keyRetype(s *step) []Hazard {
	i := s.pair.decl.ColumnIndex(s.column.decl.Name)
	if !s.pair.after.InKey(s.column.live) || s.pair.rekeyed && !s.pair.decl.InKey(i) {
		return nil
	}
	return one(Refused, Failure, fmt.Sprintf("the type of %s.%s cannot change while it is part of the primary key", s.Object, s.column.decl.Name),
		"add a column of the new type, move the key there, drop the old column")
}
