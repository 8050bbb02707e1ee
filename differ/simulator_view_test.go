package differ

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/types"
)

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
	if all := resolve.Sources(body); len(all) == 1 {
		source = s.snapshot.Table(schema, all[0].Name.Text)
	}
	var columns []*catalog.Column
	passed := map[int]int{}
	core, _ := body.Body.(*ast.SelectCore)
	for i, p := range resolve.Columns(body, s.names().HomeOf(schema)) {
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

// readable refuses bodies over a relation that is missing, and plain references to columns that no relation of the body has.
func (s *simulator) readable(body *ast.SelectStmt, schema string) error {
	names := s.names()
	path := names.HomeOf(schema).Path
	known := map[string]bool{}
	for _, q := range resolve.Sources(body) {
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
		for _, q := range resolve.Sources(e.X) {
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

func (s *simulator) reads(n ast.Node, home resolve.Home, schema, name, column string) bool {
	if resolve.Mentions(n, home, schema, name, column) {
		return true
	}
	for _, q := range resolve.Sources(n) {
		if v, ok := s.snapshot.Resolve(home.Path, q.Name.Text).(*catalog.View); ok && q.Schema.IsZero() {
			if s.reads(v.Body, s.names().HomeOf(v.Schema), schema, name, column) {
				return true
			}
		}
	}
	return false
}
