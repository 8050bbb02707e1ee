package differ

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

// simulator carries schema statements out on a catalog without rows: enough of each to see whether a plan reaches its target. It
// refuses what names nothing, what takes a name twice and drops of what is still read, so that a plan in a wrong order
// fails.
type simulator struct {
	snapshot *catalog.Snapshot
	env      catalog.BuildEnv
	// leaving are the steps still to run: drops do not look at what these drop.
	leaving []Step
}

func newSimulator() *simulator {
	return &simulator{snapshot: catalog.NewSnapshot(), env: catalog.BuildEnv{Types: types.NewRegistry(), Module: "memory"}}
}

func parseStmts(t testing.TB, sql string) []ast.Stmt {
	t.Helper()
	stmts, err := parse.Stmts(ast.NewSource("", sql))
	require.NoError(t, err, sql)
	return stmts
}

// run executes statements given as text.
func (s *simulator) run(t testing.TB, sql string) {
	t.Helper()
	for _, stmt := range parseStmts(t, sql) {
		require.NoError(t, s.exec(stmt), ast.Format(stmt))
	}
}

// apply runs a plan, from its texts.
func (s *simulator) apply(t testing.TB, p *Plan) error {
	t.Helper()
	e := s.snapshot.Edit()
	e.AddSchema(p.Schema)
	s.snapshot = e.Done()
	for i := range p.Steps {
		s.leaving = p.Steps[i+1:]
		stmts := parseStmts(t, p.Steps[i].SQL)
		if err := s.exec(stmts[0]); err != nil {
			return types.Wrapf(types.ERROR, err, "step %d: %s", i, p.Steps[i].SQL)
		}
	}
	s.leaving = nil
	return nil
}

func (s *simulator) names() *catalog.Names {
	return catalog.NewNames(s.snapshot, []string{catalog.MainSchema}, nil)
}

func schemaOf(q ast.QName) string {
	if q.Schema.IsZero() {
		return catalog.MainSchema
	}
	return types.Fold(q.Schema.Text)
}

func (s *simulator) edit(f func(e *catalog.Edit)) {
	e := s.snapshot.Edit()
	f(e)
	s.snapshot = e.Done()
}

func (s *simulator) put(t *catalog.Table) { s.edit(func(e *catalog.Edit) { e.PutTable(t) }) }

func refused(format string, args ...any) error { return types.Errorf(types.ERROR, format, args...) }

func (s *simulator) exec(stmt ast.Stmt) error {
	e := s.snapshot.Edit()
	s.env.IDs, s.env.Resolver = e, s.names()
	defer func() { s.edit(func(later *catalog.Edit) { later.SetAllocators(e.Done().Allocators()) }) }()
	switch n := stmt.(type) {
	case *ast.CreateTableStmt:
		return s.createTable(n)
	case *ast.CreateViewStmt:
		if err := s.readable(n.Query, schemaOf(n.Name)); err != nil {
			return err
		}
		v := catalog.BuildView(n, s.env)
		return s.relation(v.Schema, v.Name, func(e *catalog.Edit) { e.PutView(v) })
	case *ast.CreateMaterializedViewStmt:
		return s.createMaterialized(n)
	case *ast.CreateIndexStmt:
		return s.createIndex(n)
	case *ast.CreateAssertionStmt:
		a := catalog.BuildAssertion(n, s.env)
		if s.snapshot.Assertion(a.Schema, a.Name) != nil {
			return refused("assertion %s exists", a.Name)
		}
		s.edit(func(e *catalog.Edit) { e.PutAssertion(a) })
	case *ast.DropStmt:
		return s.drop(n)
	case *ast.AlterStmt:
		return s.alter(n)
	default:
		return refused("cannot simulate %T", stmt)
	}
	return nil
}

func (s *simulator) relation(schema, name string, put func(*catalog.Edit)) error {
	if s.snapshot.Relation(schema, name) != nil {
		return refused("%s exists", name)
	}
	s.edit(put)
	return nil
}

func (s *simulator) createTable(n *ast.CreateTableStmt) error {
	t, err := catalog.BuildTable(n, s.env)
	if err != nil {
		return err
	}
	if t.Maintained != nil {
		if err := s.readable(t.Maintained.Body, t.Schema); err != nil {
			return err
		}
	}
	if err := s.resolves(t); err != nil {
		return err
	}
	return s.relation(t.Schema, t.Name, func(e *catalog.Edit) { e.PutTable(t) })
}

// readable refuses bodies over a relation that is missing, and plain references to columns that no relation of the body has.
func (s *simulator) readable(body *ast.SelectStmt, schema string) error {
	names := s.names()
	path := names.HomeOf(schema).Path
	known := map[string]bool{}
	for _, q := range ast.Sources(body) {
		at := ""
		for _, p := range path {
			if q.Schema.IsZero() && s.snapshot.Relation(p, q.Name.Text) != nil && at == "" {
				at = p
			}
		}
		if !q.Schema.IsZero() {
			at = types.Fold(q.Schema.Text)
		}
		columns, ok := names.Columns(at, q.Name.Text)
		if !ok {
			return refused("no such relation: %s", q.Name.Text)
		}
		for _, c := range columns {
			known[types.Fold(c)] = true
		}
	}
	return columnsKnown(body, known, aliases(body))
}

// aliases are the names that a query makes itself.
func aliases(n ast.Node) map[string]bool {
	own := map[string]bool{}
	ast.Walk(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectItem:
			own[types.Fold(n.Alias.Text)] = true
		case *ast.CTE:
			for _, c := range n.Columns {
				own[types.Fold(c.Text)] = true
			}
		}
		return true
	})
	return own
}

func columnsKnown(n ast.Node, known, own map[string]bool) (err error) {
	ast.Walk(n, func(n ast.Node) bool {
		if r, ok := n.(*ast.ColumnRef); ok && err == nil {
			if f := types.Fold(r.Column.Text); !known[f] && !own[f] {
				err = refused("no such column: %s", r.Column.Text)
			}
		}
		return true
	})
	return err
}

// resolves refuses expressions of a table that name unknown columns; a table that a subquery names may be missing.
func (s *simulator) resolves(t *catalog.Table) error {
	for e := range t.Expressions() {
		known := map[string]bool{}
		for _, c := range t.Columns {
			known[types.Fold(c.Name)] = true
		}
		for _, v := range t.Context {
			known[types.Fold(v.Name)] = true
		}
		isMissing := false
		for _, q := range ast.Sources(e.X) {
			columns, ok := s.names().Columns(t.Schema, q.Name.Text)
			isMissing = isMissing || !ok
			for _, c := range columns {
				known[types.Fold(c)] = true
			}
		}
		if isMissing {
			continue
		}
		if err := columnsKnown(e.X, known, aliases(e.X)); err != nil {
			return err
		}
	}
	return nil
}

func (s *simulator) createMaterialized(n *ast.CreateMaterializedViewStmt) error {
	schema := schemaOf(n.Name)
	if err := s.readable(n.Query, schema); err != nil {
		return err
	}
	columns, key := s.shape(n.Query, schema)
	t, err := catalog.BuildMaterializedView(n, columns, key, s.env)
	if err != nil {
		return err
	}
	return s.relation(t.Schema, t.Name, func(e *catalog.Edit) { e.PutTable(t) })
}

// shape derives the columns of a body: those of a single source where it passes them on, else of any type; the key is the source's if
// the whole of it comes through.
func (s *simulator) shape(body *ast.SelectStmt, schema string) ([]*catalog.Column, []catalog.KeyColumn) {
	var source *catalog.Table
	if all := ast.Sources(body); len(all) == 1 {
		source = s.snapshot.Table(schema, all[0].Name.Text)
	}
	var columns []*catalog.Column
	passed := map[int]int{}
	core, _ := body.Body.(*ast.SelectCore)
	for i, p := range ast.PublishedColumns(body, s.names().HomeOf(schema)) {
		col := &catalog.Column{Name: p.Name, Type: types.TypeAny, Collation: types.Binary}
		if source != nil && core != nil {
			from := -1
			if i < len(core.Items) && !core.Items[i].Star {
				if r, ok := core.Items[i].X.(*ast.ColumnRef); ok {
					from = source.ColumnIndex(r.Column.Text)
				}
			} else if p.Bare {
				from = source.ColumnIndex(p.Name)
			}
			if from >= 0 {
				c := *source.Columns[from]
				col = &catalog.Column{Name: p.Name, Type: c.Type, TypeName: c.TypeName, NotNull: c.NotNull, Collation: c.Collation}
				passed[from] = i
			}
		}
		columns = append(columns, col)
	}
	var key []catalog.KeyColumn
	if source != nil {
		for _, k := range source.Key.Columns {
			at, ok := passed[k.Column]
			if !ok {
				key = nil
				break
			}
			key = append(key, catalog.KeyColumn{Column: at, Desc: k.Desc})
		}
	}
	if key == nil {
		for i := range columns {
			key = append(key, catalog.KeyColumn{Column: i})
		}
	}
	return columns, key
}

func (s *simulator) createIndex(n *ast.CreateIndexStmt) error {
	t := s.snapshot.Table(schemaOf(n.Table), n.Table.Name.Text)
	if t == nil {
		return refused("no such table: %s", n.Table.Name.Text)
	}
	if _, err := s.snapshot.CheckIndexName(t, n.Name.Name.Text, false); err != nil {
		return err
	}
	ix, err := catalog.BuildIndex(n, t, s.env)
	if err != nil {
		return err
	}
	t = t.Clone()
	t.Indexes = append(t.Indexes, ix)
	s.put(t)
	return nil
}

func (s *simulator) drop(n *ast.DropStmt) error {
	schema, name := schemaOf(n.Name), n.Name.Name.Text
	switch n.Kind {
	case ast.AssertionObject:
		s.edit(func(e *catalog.Edit) { e.DropAssertion(schema, name) })
	case ast.IndexObject:
		if e := s.snapshot.Index(schema, name); e != nil {
			t := e.Table.Clone()
			t.Indexes = slices.DeleteFunc(t.Indexes, func(ix *catalog.Index) bool { return ix == e.Index })
			s.put(t)
		}
	case ast.ViewObject, ast.TableObject:
		if s.snapshot.Relation(schema, name) == nil {
			return nil
		}
		if by := s.readerOf(schema, name, ""); by != "" {
			return refused("cannot drop %s: %s reads it", name, by)
		}
		s.edit(func(e *catalog.Edit) { e.DropRelation(schema, name) })
	}
	return nil
}

// isLeaving reports whether the plan drops a table, or a constraint of it, later on.
func (s *simulator) isLeaving(t *catalog.Table, constraint string) bool {
	for _, step := range s.leaving {
		switch n := step.Stmt.(type) {
		case *ast.DropStmt:
			if n.Kind == ast.TableObject && types.EqualFold(n.Name.Name.Text, t.Name) {
				return true
			}
		case *ast.AlterStmt:
			a, ok := n.Action.(*ast.DropConstraint)
			if ok && constraint != "" && types.EqualFold(n.Name.Name.Text, t.Name) && types.EqualFold(a.Name.Text, constraint) {
				return true
			}
		}
	}
	return false
}

// readerOf gives what stands in the way of dropping a relation, or a column of it: expressions of tables and assertions, directly or
// through views.
func (s *simulator) readerOf(schema, name, column string) string {
	names := s.names()
	for _, at := range s.snapshot.Schemas() {
		for t := range s.snapshot.Tables(at) {
			isOwn := at == schema && types.EqualFold(t.Name, name)
			if isOwn && column == "" {
				continue
			}
			for e := range t.Expressions() {
				if isOwn && e.Column >= 0 && types.EqualFold(t.Columns[e.Column].Name, column) {
					continue
				}
				if column == "" && (s.isLeaving(t, "") || e.Check >= 0 && s.isLeaving(t, t.Checks[e.Check].Name)) {
					continue
				}
				if s.reads(e.X, names.RowHome(t, e.Kind), schema, name, column) {
					return t.Describe(e)
				}
			}
		}
		for a := range s.snapshot.Assertions(at) {
			if s.reads(a.X, names.HomeOf(at), schema, name, column) {
				return "assertion " + a.Name
			}
		}
	}
	return ""
}

func (s *simulator) reads(n ast.Node, home ast.Home, schema, name, column string) bool {
	if ast.Mentions(n, home, schema, name, column) {
		return true
	}
	for _, q := range ast.Sources(n) {
		if v, ok := s.snapshot.Resolve(home.Path, q.Name.Text).(*catalog.View); ok && q.Schema.IsZero() {
			if s.reads(v.Body, s.names().HomeOf(v.Schema), schema, name, column) {
				return true
			}
		}
	}
	return false
}

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
		return s.rename(t, ast.Renaming{Schema: t.Schema, Name: t.Name, To: a.To.Text})
	case *ast.RenameColumn:
		i := t.ColumnIndex(a.From.Text)
		if j := t.ColumnIndex(a.To.Text); i < 0 || j >= 0 && j != i {
			return refused("cannot rename %s", a.From.Text)
		}
		return s.rename(t, ast.Renaming{Schema: t.Schema, Name: t.Name, Column: a.From.Text, To: a.To.Text})
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
		ref, err := t.FindConstraint(a.Name.Text)
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

func (s *simulator) attach(t *catalog.Table, a *ast.SetMaintained) error {
	if err := s.readable(a.Query, t.Schema); err != nil {
		return err
	}
	n := t.Clone()
	m := &catalog.Maintained{Body: a.Query, Declared: t.Maintained == nil || t.Maintained.Declared}
	for _, c := range a.Columns {
		m.Columns = append(m.Columns, c.Text)
	}
	n.Maintained = m
	if !m.Declared {
		columns, key := s.shape(a.Query, t.Schema)
		for i, c := range columns {
			if m.Columns != nil {
				c.Name = m.Columns[i]
			}
		}
		n.Columns, n.Key.Columns = columns, key
	}
	s.put(n)
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

// addConstraint adds a constraint to a table that is not shared yet; column is set for one that comes with a column.
func (s *simulator) addConstraint(n *catalog.Table, k *ast.TableConstraint, column string) error {
	if !k.Name.IsZero() {
		if err := n.CheckConstraintName(k.Name.Text, nil); err != nil {
			return err
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

func (s *simulator) renameConstraint(t *catalog.Table, a *ast.RenameConstraint) error {
	ref, err := t.FindConstraint(a.From.Text)
	if err != nil {
		return err
	}
	if err := t.CheckConstraintName(a.To.Text, &ref); err != nil {
		return err
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

func (s *simulator) alterColumn(t *catalog.Table, action ast.AlterAction) error {
	change := func(name string, f func(c *catalog.Column) error) (err error) {
		i := t.ColumnIndex(name)
		if i < 0 {
			return refused("no such column: %s", name)
		}
		n := t.WithColumn(i, func(c *catalog.Column) { err = f(c) })
		if err != nil {
			return err
		}
		if err := s.resolves(n); err != nil {
			return err
		}
		s.put(n)
		return nil
	}
	switch a := action.(type) {
	case *ast.SetNotNull:
		return change(a.Column.Text, func(c *catalog.Column) error { c.NotNull = !a.Drop; return nil })
	case *ast.SetDefault:
		return change(a.Column.Text, func(c *catalog.Column) error {
			c.Default = a.X
			_, _, err := c.LiteralDefault()
			return err
		})
	case *ast.SetDataType:
		if i := t.ColumnIndex(a.Column.Text); i >= 0 && t.InKey(i) {
			return refused("Cannot SET DATA TYPE on PRIMARY KEY column")
		}
		return change(a.Column.Text, func(c *catalog.Column) error {
			def := &ast.ColumnDef{Name: a.Column, Type: &a.Type}
			n, err := catalog.BuildColumn(def, s.env)
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
	case *ast.SetCollate:
		i := t.ColumnIndex(a.Column.Text)
		err := change(a.Column.Text, func(c *catalog.Column) (err error) {
			c.Collation, err = s.env.Types.CheckCollation(c.Type, a.Collation.Text, c.Name)
			c.CollationRank = types.RankDeclared
			return err
		})
		if err != nil {
			return err
		}
		n := s.snapshot.Table(t.Schema, t.Name)
		for j, ix := range n.Indexes {
			for k, m := range ix.Members {
				if m.X == nil && m.Column == i {
					n = n.WithIndex(j, func(ix *catalog.Index) {
						ix.Members = slices.Clone(ix.Members)
						ix.Members[k].Collation = n.Columns[i].Collation
					})
				}
			}
		}
		s.put(n)
		return nil
	}
	return refused("cannot simulate %T", action)
}

// rename gives a table or column another name and rewrites every text that names it.
func (s *simulator) rename(t *catalog.Table, first ast.Renaming) error {
	list := s.cascade(first)
	names := s.names()
	e := s.snapshot.Edit()
	for _, schema := range s.snapshot.Schemas() {
		for other := range s.snapshot.Tables(schema) {
			n := renamedTable(names, other, list)
			if other == t && first.Column == "" {
				e.DropRelation(t.Schema, t.Name)
				n.Name, n.Seq = first.To, e.NewSeq()
			}
			e.PutTable(n)
		}
		for v := range s.snapshot.Views(schema) {
			n := *v
			n.Body, _ = ast.RenameRefs(v.Body, names.HomeOf(schema), list...)
			e.PutView(&n)
		}
		for a := range s.snapshot.Assertions(schema) {
			n := *a
			n.X = renamed(a.X, names.HomeOf(schema), list)
			e.PutAssertion(&n)
		}
	}
	s.snapshot = e.Done()
	return nil
}

// cascade adds the columns of views and maintained tables that follow a renamed one.
func (s *simulator) cascade(first ast.Renaming) []ast.Renaming {
	list := []ast.Renaming{first}
	for grown := true; grown; {
		grown = false
		follow := func(schema, name string, columns []string, body *ast.SelectStmt) {
			if columns != nil {
				return
			}
			for _, p := range ast.PublishedColumns(body, s.names().HomeOf(schema), list...) {
				n := ast.Renaming{Schema: schema, Name: name, Column: p.Name, To: p.After}
				if p.Bare && p.Name != p.After && !slices.Contains(list, n) {
					list, grown = append(list, n), true
				}
			}
		}
		for _, schema := range s.snapshot.Schemas() {
			for v := range s.snapshot.Views(schema) {
				follow(schema, v.Name, v.Columns, v.Body)
			}
			for t := range s.snapshot.Tables(schema) {
				if t.Maintained != nil {
					follow(schema, t.Name, t.Maintained.Columns, t.Maintained.Body)
				}
			}
		}
	}
	return list
}

func renamedTable(names *catalog.Names, t *catalog.Table, list []ast.Renaming) *catalog.Table {
	n := t.Clone()
	for e := range t.Expressions() {
		n = n.WithExpression(e, renamed(e.X, names.RowHome(t, e.Kind), list))
	}
	if t.Maintained != nil {
		m := *t.Maintained
		m.Body, _ = ast.RenameRefs(m.Body, names.HomeOf(t.Schema), list...)
		n.Maintained = &m
	}
	for _, r := range list {
		if r.Column != "" && r.Schema == t.Schema && types.EqualFold(r.Name, t.Name) {
			if i := n.ColumnIndex(r.Column); i >= 0 {
				n = n.WithColumn(i, func(c *catalog.Column) { c.Name = r.To })
			}
		}
		for i, fk := range t.ForeignKeys {
			schema, parent := fk.ParentName(t)
			if schema != r.Schema || !types.EqualFold(parent, r.Name) {
				continue
			}
			n = n.WithForeignKey(i, func(fk *catalog.ForeignKey) {
				if r.Column == "" {
					fk.ParentTable = r.To
				}
				fk.ParentColumns = slices.Clone(fk.ParentColumns)
				for j, c := range fk.ParentColumns {
					if r.Column != "" && types.EqualFold(c, r.Column) {
						fk.ParentColumns[j] = r.To
					}
				}
			})
		}
	}
	return n
}

// declare reads a declaration.
func declare(t testing.TB, sql string) *catalog.Declared {
	t.Helper()
	stmts := parseStmts(t, sql)
	require.Len(t, stmts, 1)
	d, err := catalog.Declare(stmts[0].(*ast.DeclareSchemaStmt), catalog.Origin{})
	require.NoError(t, err)
	return d
}
