package differ

import "github.com/quereus/quereus-migrate/engine/ast"

// emitKey emits ALTER PRIMARY KEY (step f).
func (c *comparison) emitKey(p *tablePair) {
	if !p.rekeyed {
		return
	}
	action := &ast.AlterPrimaryKey{}
	var columns []string
	for _, k := range p.decl.Key.Columns {
		name := p.decl.Columns[k.Column].Name
		columns = append(columns, name)
		action.Key = append(action.Key, ast.KeyColumn{Name: ast.Ident(name), Desc: k.Desc})
	}
	s := c.alter(p, action)
	s.need(columnResources(p.name, columns)...)
	s.give(uniqueResource(p.name, columns))
	for _, k := range p.after.Key.Columns {
		if name := p.after.Columns[k.Column].Name; p.decl.ColumnIndex(name) < 0 || !p.decl.InKey(p.decl.ColumnIndex(name)) {
			s.let(columnResource(p.name, name), typeResource(p.name, name))
		}
	}
}
