package differ

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
)

// Views and indexes have no rename: a hint makes a drop and a create. Where nothing else changed, the create stands in phase 7, before
// the columns have their new names, and so must say the old ones; it follows the column renames then (docs/reference/declarative-schema.md).

// undoneColumns gives the renamings that take the new names of columns back. Tables have their new names by then.
func (c *comparison) undoneColumns() []resolve.Renaming {
	var out []resolve.Renaming
	for _, n := range c.renames.list {
		if n.Column != "" {
			out = append(out, resolve.Renaming{Schema: n.Schema, Name: c.renames.table(n.Schema, n.Name), Column: n.To, To: n.Column})
		}
	}
	return out
}

// undoneBody gives a declared body with the old names of columns.
func (c *comparison) undoneBody(body *ast.SelectStmt) *ast.SelectStmt {
	body, _ = resolve.Rename(body, c.targetNames.HomeOf(c.schema), c.undoneColumns()...)
	return body
}

// undoneMembers gives a declared index with the old names of columns.
func (c *comparison) undoneMembers(p *indexPair) *ast.CreateIndexStmt {
	stmt, undo := *p.stmt, c.undoneColumns()
	home := c.targetNames.HomeOf(c.schema)
	home.Row = &resolve.Row{Schema: c.schema, Name: p.stmt.Table.Name.Text}
	stmt.Columns = make([]ast.IndexColumn, len(p.stmt.Columns))
	for i, m := range p.stmt.Columns {
		m.X = renamed(m.X, home, undo)
		stmt.Columns[i] = m
	}
	if stmt.Where != nil {
		stmt.Where = renamed(stmt.Where, home, undo)
	}
	return &stmt
}

// plain takes the schema off names in FROM that lie in their own: a rename puts one there where a new name would be captured, which
// is no difference to the plain spelling.
func (c *comparison) plain(n ast.Node) ast.Node {
	return ast.Rewrite(n, func(n ast.Node) ast.Node {
		ref, ok := n.(*ast.TableRef)
		if !ok || !isNamed(ref.Name.Schema, c.schema) {
			return n
		}
		bare := *ref
		bare.Name.Schema = ast.Name{}
		return &bare
	})
}
