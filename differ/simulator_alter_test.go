package differ

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/types"
)

func (s *simulator) alter(n *ast.AlterStmt) error {
	schema, name := schemaOf(n.Name), n.Name.Name.Text
	tags, isTags := n.Action.(*ast.TagAction)
	switch n.Kind {
	case ast.ViewObject:
		v := *s.snapshot.View(schema, name)
		v.Tags = catalog.BuildTags(tags.Tags)
		s.edit(func(e *catalog.Edit) { e.PutView(&v) })
		return nil
	case ast.IndexObject:
		e := s.snapshot.Index(schema, name)
		s.put(e.Table.WithIndex(e.Table.IndexPosition(name), func(ix *catalog.Index) { ix.Tags = catalog.BuildTags(tags.Tags) }))
		return nil
	}
	t := s.snapshot.Table(schema, name)
	if t == nil {
		return refused("no such table: %s", name)
	}
	if isTags {
		return s.alterTags(t, n, tags)
	}
	if t.Maintained != nil {
		switch n.Action.(type) {
		case *ast.RenameTable, *ast.SetMaintained, *ast.DropMaintained:
		default:
			return refused("%s is maintained", name)
		}
	}
	return s.alterTable(t, n.Action)
}

func (s *simulator) alterTags(t *catalog.Table, n *ast.AlterStmt, a *ast.TagAction) error {
	tags := catalog.BuildTags(a.Tags)
	if (n.Kind == ast.MaterializedViewObject) != (t.Maintained != nil) {
		return refused("wrong kind of table for tags: %s", t.Name)
	}
	switch a.Site {
	case ast.ColumnTags:
		i := t.ColumnIndex(a.Name.Text)
		if i < 0 {
			return refused("no such column: %s", a.Name.Text)
		}
		s.put(t.WithColumn(i, func(c *catalog.Column) { c.Tags = tags }))
	case ast.ConstraintTags:
		ref, err := t.FindConstraint(a.Name.Text)
		if err != nil {
			return err
		}
		switch i := ref.Position; ref.Class {
		case catalog.CheckClass:
			t = t.WithCheck(i, func(k *catalog.Check) { k.Tags = tags })
		case catalog.UniqueClass:
			t = t.WithUnique(i, func(k *catalog.Unique) { k.Tags = tags })
		case catalog.ForeignKeyClass:
			t = t.WithForeignKey(i, func(k *catalog.ForeignKey) { k.Tags = tags })
		}
		s.put(t)
	default:
		t = t.Clone()
		t.Tags = tags
		s.put(t)
	}
	return nil
}

func (s *simulator) alterTable(t *catalog.Table, action ast.AlterAction) error {
	switch a := action.(type) {
	case *ast.RenameTable:
		if s.snapshot.Relation(t.Schema, a.To.Text) != nil {
			return refused("%s exists", a.To.Text)
		}
		return s.rename(t, resolve.Renaming{Schema: t.Schema, Name: t.Name, To: a.To.Text})
	case *ast.RenameColumn:
		i := t.ColumnIndex(a.From.Text)
		if j := t.ColumnIndex(a.To.Text); i < 0 || j >= 0 && j != i {
			return refused("cannot rename %s", a.From.Text)
		}
		return s.rename(t, resolve.Renaming{Schema: t.Schema, Name: t.Name, Column: a.From.Text, To: a.To.Text})
	case *ast.AddColumn:
		return s.addColumn(t, a.Column)
	case *ast.DropColumn:
		return s.dropColumn(t, a.Column.Text)
	case *ast.AddConstraint:
		n := t.Clone()
		if err := s.addConstraint(n, a.Constraint, ""); err != nil {
			return err
		}
		s.put(n)
	case *ast.DropConstraint:
		ref, err := t.AddressConstraint(a.Name.Text)
		if err != nil {
			return err
		}
		s.put(t.WithoutConstraint(ref))
	case *ast.RenameConstraint:
		return s.renameConstraint(t, a)
	case *ast.AlterPrimaryKey:
		var key []catalog.KeyColumn
		for _, k := range a.Key {
			i := t.ColumnIndex(k.Name.Text)
			if i < 0 {
				return refused("no such column: %s", k.Name.Text)
			}
			key = append(key, catalog.KeyColumn{Column: i, Desc: k.Desc})
		}
		n, err := t.WithKey(key)
		if err != nil {
			return err
		}
		s.put(n)
	case *ast.DropMaintained:
		if t.Maintained == nil {
			return refused("%s is not maintained", t.Name)
		}
		n := t.Clone()
		n.Maintained = nil
		s.put(n)
	case *ast.SetMaintained:
		return s.attach(t, a)
	default:
		return s.alterColumn(t, action)
	}
	return nil
}

func (s *simulator) addColumn(t *catalog.Table, def *ast.ColumnDef) error {
	if t.ColumnIndex(def.Name.Text) >= 0 {
		return refused("column %s exists", def.Name.Text)
	}
	col, err := catalog.BuildColumn(def, s.env)
	if err != nil {
		return err
	}
	n := t.WithAddedColumn(col)
	for _, k := range catalog.InlineConstraints(def) {
		if err := s.addConstraint(n, k, def.Name.Text); err != nil {
			return err
		}
	}
	if err := s.resolves(n); err != nil {
		return err
	}
	s.put(n)
	return nil
}

func (s *simulator) dropColumn(t *catalog.Table, name string) error {
	i := t.ColumnIndex(name)
	switch {
	case i < 0:
		return refused("no such column: %s", name)
	case t.InKey(i):
		return refused("%s is in the key", name)
	case len(t.Columns) == 1:
		return refused("%s is the last column", name)
	}
	if by := s.readerOf(t.Schema, t.Name, t.Columns[i].Name); by != "" {
		return refused("cannot drop column %s: %s reads it", name, by)
	}
	for _, child := range s.snapshot.Children(t.Schema, t.Name) {
		for _, fk := range child.ForeignKeys {
			_, parent := fk.ParentName(child)
			isOwn := child.ID == t.ID && slices.Contains(fk.Columns, i)
			if types.EqualFold(parent, t.Name) && !isOwn && slices.ContainsFunc(fk.ParentColumns, func(c string) bool { return types.EqualFold(c, name) }) {
				return refused("cannot drop column %s: foreign key %s references it", name, fk.Name)
			}
		}
	}
	s.put(t.ShiftForDrop(i).Table)
	return nil
}

func (s *simulator) alterColumn(t *catalog.Table, action ast.AlterAction) error {
	switch a := action.(type) {
	case *ast.SetNotNull:
		return s.editColumn(t, a.Column.Text, func(c *catalog.Column) error { c.NotNull = !a.Drop; return nil })
	case *ast.SetDefault:
		return s.editColumn(t, a.Column.Text, func(c *catalog.Column) error {
			c.Default = a.X
			_, _, err := c.LiteralDefault()
			return err
		})
	case *ast.SetDataType:
		return s.retype(t, a)
	case *ast.SetCollate:
		return s.collate(t, a)
	}
	return refused("cannot simulate %T", action)
}

// editColumn puts the table with one column changed, unless its expressions do not fit it then.
func (s *simulator) editColumn(t *catalog.Table, name string, change func(c *catalog.Column) error) (err error) {
	i := t.ColumnIndex(name)
	if i < 0 {
		return refused("no such column: %s", name)
	}
	n := t.WithColumn(i, func(c *catalog.Column) { err = change(c) })
	if err != nil {
		return err
	}
	if err := s.resolves(n); err != nil {
		return err
	}
	s.put(n)
	return nil
}

func (s *simulator) retype(t *catalog.Table, a *ast.SetDataType) error {
	if i := t.ColumnIndex(a.Column.Text); i >= 0 && t.InKey(i) {
		return refused("Cannot SET DATA TYPE on PRIMARY KEY column")
	}
	return s.editColumn(t, a.Column.Text, func(c *catalog.Column) error {
		n, err := catalog.BuildColumn(&ast.ColumnDef{Name: a.Column, Type: &a.Type}, s.env)
		if err != nil {
			return err
		}
		c.Type, c.TypeName = n.Type, n.TypeName
		if _, err := s.env.Types.CheckCollation(c.Type, c.Collation.Name, c.Name); err != nil {
			return err
		}
		_, _, err = c.LiteralDefault()
		return err
	})
}

// collate gives a column, and the plain members of indexes over it, another collation.
func (s *simulator) collate(t *catalog.Table, a *ast.SetCollate) error {
	err := s.editColumn(t, a.Column.Text, func(c *catalog.Column) (err error) {
		c.Collation, err = s.env.Types.CheckCollation(c.Type, a.Collation.Text, c.Name)
		c.CollationRank = types.RankDeclared
		return err
	})
	if err != nil {
		return err
	}
	n := s.snapshot.Table(t.Schema, t.Name)
	col := n.ColumnIndex(a.Column.Text)
	for j, ix := range n.Indexes {
		for k, m := range ix.Members {
			if m.X == nil && m.Column == col {
				n = n.WithIndex(j, func(ix *catalog.Index) {
					ix.Members = slices.Clone(ix.Members)
					ix.Members[k].Collation = n.Columns[col].Collation
				})
			}
		}
	}
	s.put(n)
	return nil
}

// addConstraint adds a constraint to a table that is not shared yet; column is set for one that comes with a column.
func (s *simulator) addConstraint(n *catalog.Table, k *ast.TableConstraint, column string) error {
	if !k.Name.IsZero() {
		if _, err := n.FindConstraint(k.Name.Text); types.CodeOf(err) != types.NOTFOUND {
			return refused("a constraint %s is there already", k.Name.Text)
		}
	}
	switch k.Kind {
	case ast.CheckClause:
		c := catalog.BuildCheck(k)
		if c.Name == "" && column != "" {
			c.Name = n.InlineCheckName(column)
		} else if c.Name == "" {
			c.Name = n.AddedCheckName()
		}
		n.Checks = append(n.Checks, c)
		return s.resolves(n)
	case ast.UniqueClause:
		u, err := catalog.BuildUnique(k, n)
		if err != nil {
			return err
		}
		if err := n.CheckUnique(u, "test"); err != nil {
			return err
		}
		n.Uniques = append(n.Uniques, u)
	case ast.ForeignKeyClause:
		fk, err := catalog.BuildForeignKey(k, n)
		if err != nil {
			return err
		}
		schema, name := fk.ParentName(n)
		parent := s.snapshot.Table(schema, name)
		if types.EqualFold(name, n.Name) {
			parent = n
		}
		if parent == nil {
			return refused("no parent table %s", name)
		}
		if _, ok := fk.ParentPositions(parent); !ok {
			return refused("no parent columns in %s", name)
		}
		n.ForeignKeys = append(n.ForeignKeys, fk)
	}
	return nil
}

func (s *simulator) renameConstraint(t *catalog.Table, a *ast.RenameConstraint) error {
	ref, err := t.AddressConstraint(a.From.Text)
	if err != nil {
		return err
	}
	if other, err := t.FindConstraint(a.To.Text); other != ref && types.CodeOf(err) != types.NOTFOUND {
		return refused("a constraint %s is there already", a.To.Text)
	}
	switch i := ref.Position; ref.Class {
	case catalog.CheckClass:
		t = t.WithCheck(i, func(k *catalog.Check) { k.Name = a.To.Text })
	case catalog.UniqueClass:
		t = t.WithUnique(i, func(k *catalog.Unique) { k.Name = a.To.Text })
	case catalog.ForeignKeyClass:
		t = t.WithForeignKey(i, func(k *catalog.ForeignKey) { k.Name = a.To.Text })
	}
	s.put(t)
	return nil
}
