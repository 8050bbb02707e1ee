package alter

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Tag changes touch the catalog alone.

// edited gives the tags that a verb makes of the present ones. Reserved keys are judged at the place, save for DROP.
func edited(present catalog.Tags, a *ast.TagAction, place catalog.TagPlace) (catalog.Tags, error) {
	if a.Verb == ast.DropTags {
		keys := make([]string, len(a.Keys))
		for i, k := range a.Keys {
			keys[i] = k.Text
		}
		return present.Without(keys...)
	}
	tags := catalog.BuildTags(a.Tags)
	if err := catalog.CheckReservedTags(place, tags); err != nil {
		return nil, err
	}
	if a.Verb == ast.AddTags {
		return present.Merged(tags), nil
	}
	return tags, nil
}

// tableTags edits the tags of a table, of a column or of a named constraint.
func (c *change) tableTags(t *catalog.Table, a *ast.TagAction) error {
	if t.Maintained != nil {
		return types.Errorf(types.ERROR, "'%s' is a materialized view: use ALTER MATERIALIZED VIEW for tags", t.Name)
	}
	switch a.Site {
	case ast.ColumnTags:
		return c.columnTags(t, a)
	case ast.ConstraintTags:
		return c.constraintTags(t, a)
	}
	tags, err := edited(t.Tags, a, catalog.OnTable)
	if err != nil {
		return err
	}
	after := t.Clone()
	after.Tags = tags
	return c.replace(after)
}

func (c *change) columnTags(t *catalog.Table, a *ast.TagAction) error {
	if err := judgeTags(a, catalog.OnColumn); err != nil {
		return err
	}
	col := t.ColumnIndex(a.Name.Text)
	if col < 0 {
		return types.Errorf(types.NOTFOUND, "Column '%s' not found in table '%s'", a.Name.Text, t.Name).WithHint(t.NearColumn(a.Name.Text))
	}
	tags, err := edited(t.Columns[col].Tags, a, catalog.OnColumn)
	if err != nil {
		return err
	}
	return c.replace(t.WithColumn(col, func(x *catalog.Column) { x.Tags = tags }))
}

// judgeTags refuses bad reserved tags before the object is looked up (docs/reference/alter.md).
func judgeTags(a *ast.TagAction, place catalog.TagPlace) error {
	if a.Verb == ast.DropTags {
		return nil
	}
	return catalog.CheckReservedTags(place, catalog.BuildTags(a.Tags))
}

func (c *change) constraintTags(t *catalog.Table, a *ast.TagAction) error {
	if err := judgeTags(a, catalog.OnConstraint); err != nil {
		return err
	}
	ref, err := t.AddressConstraint(a.Name.Text)
	if err != nil {
		return err
	}
	var present catalog.Tags
	switch ref.Class {
	case catalog.CheckClass:
		present = t.Checks[ref.Position].Tags
	case catalog.UniqueClass:
		present = t.Uniques[ref.Position].Tags
	case catalog.ForeignKeyClass:
		present = t.ForeignKeys[ref.Position].Tags
	case catalog.UniqueIndexClass:
		present = t.Indexes[ref.Position].Tags
	}
	tags, err := edited(present, a, catalog.OnConstraint)
	if err != nil {
		return err
	}
	switch ref.Class {
	case catalog.CheckClass:
		return c.replace(t.WithCheck(ref.Position, func(k *catalog.Check) { k.Tags = tags }))
	case catalog.UniqueClass:
		return c.replace(t.WithUnique(ref.Position, func(k *catalog.Unique) { k.Tags = tags }))
	case catalog.ForeignKeyClass:
		return c.replace(t.WithForeignKey(ref.Position, func(k *catalog.ForeignKey) { k.Tags = tags }))
	}
	return c.replace(t.WithIndex(ref.Position, func(ix *catalog.Index) { ix.Tags = tags }))
}

// alterTags edits the tags of a view, materialized view or index.
func (c *change) alterTags(s *ast.AlterStmt) error {
	a, ok := s.Action.(*ast.TagAction)
	if !ok {
		return types.Errorf(types.INTERNAL, "ALTER %s has no action but tags", s.Kind)
	}
	if s.Kind == ast.IndexObject {
		return c.indexTags(s.Name, a)
	}
	if err := judgeTags(a, catalog.OnView); err != nil {
		return err
	}
	r := c.relation(s.Name)
	if v, ok := r.(*catalog.View); ok && s.Kind == ast.ViewObject {
		tags, err := edited(v.Tags, a, catalog.OnView)
		if err != nil {
			return err
		}
		n := *v
		n.Tags = tags
		c.edit(func(e *catalog.Edit) { e.PutView(&n) })
		return nil
	}
	if t, ok := r.(*catalog.Table); ok && s.Kind == ast.MaterializedViewObject && t.Maintained != nil {
		tags, err := edited(t.Tags, a, catalog.OnView)
		if err != nil {
			return err
		}
		after := t.Clone()
		after.Tags = tags
		return c.replace(after)
	}
	kind := "View"
	if s.Kind == ast.MaterializedViewObject {
		kind = "Materialized view"
	}
	return types.Errorf(types.NOTFOUND, "%s '%s' not found in schema '%s'", kind, s.Name.Name.Text, schemaOf(s.Name)).
		WithHint(c.env.Catalog().NearRelation([]string{schemaOf(s.Name)}, s.Name.Name.Text))
}

// indexTags edits the tags of an index, or of the structure of a UNIQUE that its constraint exposes.
func (c *change) indexTags(name ast.QName, a *ast.TagAction) error {
	if err := judgeTags(a, catalog.OnIndex); err != nil {
		return err
	}
	if e := c.index(name); e != nil {
		tags, err := edited(e.Index.Tags, a, catalog.OnIndex)
		if err != nil {
			return err
		}
		return c.replace(e.Table.WithIndex(e.Table.IndexPosition(e.Index.Name), func(ix *catalog.Index) { ix.Tags = tags }))
	}
	schema := schemaOf(name)
	for t := range c.env.Catalog().Tables(schema) {
		i := t.StructurePosition(name.Name.Text)
		if i < 0 || !t.Uniques[i].IsExposed() {
			continue
		}
		tags, err := edited(t.Uniques[i].StructureTags, a, catalog.OnIndex)
		if err != nil {
			return err
		}
		return c.replace(t.WithUnique(i, func(u *catalog.Unique) { u.StructureTags = tags }))
	}
	return types.Errorf(types.NOTFOUND, "Index '%s' not found in schema '%s'", name.Name.Text, schema).
		WithHint(c.env.Catalog().NearIndex(schema, name.Name.Text))
}
