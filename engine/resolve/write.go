package resolve

import (
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// write renames the references in a data change and gives the columns that its RETURNING yields.
func (s *scope) write(t ast.QueryTerm) (ast.QueryTerm, []refColumn) {
	switch n := t.(type) {
	case *ast.InsertStmt:
		return s.insert(n)
	case *ast.UpdateStmt:
		return s.update(n)
	case *ast.DeleteStmt:
		return s.delete(n)
	}
	return t, nil
}

// writing begins a data change: its WITH in scope, its target as the only source. The target of a statement cannot be made to
// keep its old names; what stored texts hold are queries, which never write.
func (s *scope) writing(w *ast.With, path []ast.Name, t *ast.Target) (in *scope, with *ast.With, target ast.Target) {
	in, with, target = s.in(s.frame), w, *t
	in.setPath(path)
	if w != nil {
		with = in.with(w)
	}
	in.frame = &frame{outer: s.frame}
	if t.Query != nil {
		q, columns := in.beside(false).query(t.Query, true, nil)
		target.Query = q
		in.derived(t.Alias, nil, columns, ast.Name{})
		return in, with, target
	}
	ref := &ast.TableRef{Name: t.Name, Alias: t.Alias}
	if x, ok := in.table(ref).(*ast.TableRef); ok {
		target.Name = x.Name
	}
	row := in.frame.sources[0]
	row.table, row.columns = nil, slices.Clone(row.columns)
	for i := range row.columns {
		row.columns[i].origin = nil
	}
	return in, with, target
}

func (s *scope) insert(n *ast.InsertStmt) (ast.QueryTerm, []refColumn) {
	c := *n
	in, with, target := s.writing(n.With, n.SchemaPath, &n.Table)
	c.With, c.Table = with, target
	sl := ast.Mapper{Map: in.beside(false).visit, Changed: with != n.With || target != n.Table}
	renameColumns(&sl, &c.Columns, in.frame)
	ast.MapOne(&sl, &c.Source)
	sl.Assignments(&c.Context)
	row := in.frame.sources[0]
	excluded := namedSource("excluded", row.columns)
	excluded.qualifiedOnly = true
	upsert := in.in(&frame{sources: []*source{row, excluded}, outer: s.frame})
	ast.MapEach(&sl, &c.Upserts, func(sl *ast.Mapper, u ast.Upsert) ast.Upsert {
		renameColumns(sl, &u.Columns, in.frame)
		sl.Map = upsert.visit
		sl.Assignments(&u.Set)
		renameTargets(sl, &u.Set, in.frame, nil)
		ast.MapOne(sl, &u.Where)
		return u
	})
	columns := in.returning(&sl, &c.Returning)
	return ast.Keep(&sl, n, c), columns
}

func (s *scope) update(n *ast.UpdateStmt) (ast.QueryTerm, []refColumn) {
	c := *n
	in, with, target := s.writing(n.With, n.SchemaPath, &n.Table)
	c.With, c.Table = with, target
	sl := ast.Mapper{Map: in.visit, Changed: with != n.With || target != n.Table}
	row := *in.frame
	if n.From != nil {
		c.From = in.from(n.From, false)
		sl.Changed = sl.Changed || c.From != n.From
	}
	sl.Assignments(&c.Set)
	renameTargets(&sl, &c.Set, &row, nil)
	ast.MapOne(&sl, &c.Where)
	sl.Assignments(&c.Context)
	in.frame = &row
	columns := in.returning(&sl, &c.Returning)
	return ast.Keep(&sl, n, c), columns
}

func (s *scope) delete(n *ast.DeleteStmt) (ast.QueryTerm, []refColumn) {
	c := *n
	in, with, target := s.writing(n.With, n.SchemaPath, &n.Table)
	c.With, c.Table = with, target
	sl := ast.Mapper{Map: in.visit, Changed: with != n.With || target != n.Table}
	ast.MapOne(&sl, &c.Where)
	sl.Assignments(&c.Context)
	columns := in.returning(&sl, &c.Returning)
	return ast.Keep(&sl, n, c), columns
}

// returning renames the references in RETURNING, which sees the target and its row images.
func (s *scope) returning(sl *ast.Mapper, items *[]ast.SelectItem) []refColumn {
	f := &frame{sources: s.frame.sources[:1:1], outer: s.frame.outer}
	for _, image := range []string{"new", "old"} {
		src := namedSource(image, f.sources[0].columns)
		src.qualifiedOnly = true
		f.sources = append(f.sources, src)
	}
	return s.in(f).items(sl, items, true)
}

// renameColumns renames a list of columns of the sources.
func renameColumns(sl *ast.Mapper, names *[]ast.Name, sources *frame) {
	assignments := make([]ast.Assignment, len(*names))
	for i, n := range *names {
		assignments[i].Column = n
	}
	own := ast.Mapper{}
	if renameTargets(&own, &assignments, sources, nil); !own.Changed {
		return
	}
	*names = make([]ast.Name, len(assignments))
	for i, a := range assignments {
		(*names)[i] = a.Column
	}
	sl.Changed = true
}
