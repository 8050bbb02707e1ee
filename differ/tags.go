package differ

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
)

// sameTags compares two whole sets without regard to order; rename hints are left out (docs/reference/declarative-schema.md).
func sameTags(live, declared catalog.Tags) bool {
	if len(live) == 0 && len(declared) == 0 {
		return true
	}
	return catalog.NormalTags(live) == catalog.NormalTags(declared)
}

// emitTags emits the tags of a table, then of its columns, then of its constraints (step i).
func (c *comparison) emitTags(p *tablePair) {
	if p.retagged {
		c.emitTableTags(p)
	}
	for _, q := range p.columns {
		if q.live >= 0 && !q.rebuilt && !sameTags(q.from.Tags, q.decl.Tags) {
			s := c.alter(p, &ast.TagAction{Verb: ast.SetTags, Site: ast.ColumnTags, Name: q.def.Name, Tags: q.decl.Tags.AST()})
			s.need(columnResource(p.name, q.decl.Name))
		}
	}
	for _, q := range p.constraints {
		if q.live != nil && !q.isRedefined() && !sameTags(q.live.tags, q.tags) {
			s := c.alter(p, &ast.TagAction{Verb: ast.SetTags, Site: ast.ConstraintTags, Name: q.node.Name, Tags: q.tags.AST()})
			s.need(constraintResource(p.name, q.node.Name.Text))
		}
	}
}

// emitTableTags emits the tags of a table itself: those of a table that is maintained then are its view's.
func (c *comparison) emitTableTags(p *tablePair) {
	tags := p.declaredTags()
	if p.live.Maintained == nil || p.detach {
		c.alter(p, &ast.TagAction{Verb: ast.SetTags, Tags: tags.AST()})
		return
	}
	s := c.setTags(ast.MaterializedViewObject, p.name, tags)
	s.table = p.live
	s.need(relationResource(p.name))
}
