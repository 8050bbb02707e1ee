package plan

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
)

// PrepareAssertion plans the condition of an assertion as a query of one row and one column. Names in it mean the assertion's own
// schema first, then the session's path.
func PrepareAssertion(a *catalog.Assertion, env *Env) (*Plan, error) {
	own := *env
	own.SchemaPath = bodyPath(a.Schema, env)
	own.Source = nil
	return Prepare(&ast.SelectStmt{Body: &ast.SelectCore{Items: []ast.SelectItem{{X: a.X}}}}, &own)
}

// Tables lists the tables that a plan reads, by their ids.
func (p *Plan) Tables() []catalog.ID {
	var ids []catalog.ID
	WalkNode(p.Root, func(n Node) {
		if s, ok := n.(*Scan); ok && !slices.Contains(ids, s.Table.ID) {
			ids = append(ids, s.Table.ID)
		}
	})
	return ids
}
