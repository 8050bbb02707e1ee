package ast

import "slices"

// write renames the references in a data change and gives the columns that its RETURNING yields.
func (s *scope) write(t QueryTerm) (QueryTerm, []refColumn) {
	switch n := t.(type) {
	case *InsertStmt:
		return s.insert(n)
	case *UpdateStmt:
		return s.update(n)
	case *DeleteStmt:
		return s.delete(n)
	}
	return t, nil
}

// writing begins a data change: its WITH in scope, its target as the only source. The target of a statement cannot be made to
// keep its old names; what stored texts hold are queries, which never write.
func (s *scope) writing(w *With, path []Name, t *Target) (in *scope, with *With, target Target) {
	in, with, target = s.in(s.frame), w, *t
	in.setPath(path)
	if w != nil {
		with = in.with(w)
	}
	in.frame = &frame{outer: s.frame}
	if t.Query != nil {
		q, columns := in.beside(false).query(t.Query, true, nil)
		target.Query = q
		in.derived(t.Alias, nil, columns, Name{})
		return in, with, target
	}
	ref := &TableRef{Name: t.Name, Alias: t.Alias}
	if x, ok := in.table(ref).(*TableRef); ok {
		target.Name = x.Name
	}
	row := in.frame.sources[0]
	row.table, row.columns = nil, slices.Clone(row.columns)
	for i := range row.columns {
		row.columns[i].origin = nil
	}
	return in, with, target
}

func (s *scope) insert(n *InsertStmt) (QueryTerm, []refColumn) {
	c := *n
	in, with, target := s.writing(n.With, n.SchemaPath, &n.Table)
	c.With, c.Table = with, target
	sl := slots{f: in.beside(false).visit, changed: with != n.With || target != n.Table}
	renameColumns(&sl, &c.Columns, in.frame)
	one(&sl, &c.Source)
	sl.assignments(&c.Context)
	row := in.frame.sources[0]
	excluded := namedSource("excluded", row.columns)
	excluded.qualifiedOnly = true
	upsert := in.in(&frame{sources: []*refSource{row, excluded}, outer: s.frame})
	each(&sl, &c.Upserts, func(sl *slots, u Upsert) Upsert {
		renameColumns(sl, &u.Columns, in.frame)
		sl.f = upsert.visit
		sl.assignments(&u.Set)
		renameTargets(sl, &u.Set, in.frame, nil)
		one(sl, &u.Where)
		return u
	})
	columns := in.returning(&sl, &c.Returning)
	return keep(&sl, n, c), columns
}

func (s *scope) update(n *UpdateStmt) (QueryTerm, []refColumn) {
	c := *n
	in, with, target := s.writing(n.With, n.SchemaPath, &n.Table)
	c.With, c.Table = with, target
	sl := slots{f: in.visit, changed: with != n.With || target != n.Table}
	row := *in.frame
	if n.From != nil {
		c.From = in.from(n.From, false)
		sl.changed = sl.changed || c.From != n.From
	}
	sl.assignments(&c.Set)
	renameTargets(&sl, &c.Set, &row, nil)
	one(&sl, &c.Where)
	sl.assignments(&c.Context)
	in.frame = &row
	columns := in.returning(&sl, &c.Returning)
	return keep(&sl, n, c), columns
}

func (s *scope) delete(n *DeleteStmt) (QueryTerm, []refColumn) {
	c := *n
	in, with, target := s.writing(n.With, n.SchemaPath, &n.Table)
	c.With, c.Table = with, target
	sl := slots{f: in.visit, changed: with != n.With || target != n.Table}
	one(&sl, &c.Where)
	sl.assignments(&c.Context)
	columns := in.returning(&sl, &c.Returning)
	return keep(&sl, n, c), columns
}

// returning renames the references in RETURNING, which sees the target and its row images.
func (s *scope) returning(sl *slots, items *[]SelectItem) []refColumn {
	f := &frame{sources: s.frame.sources[:1:1], outer: s.frame.outer}
	for _, image := range []string{"new", "old"} {
		src := namedSource(image, f.sources[0].columns)
		src.qualifiedOnly = true
		f.sources = append(f.sources, src)
	}
	return s.in(f).items(sl, items, true)
}

// renameColumns renames a list of columns of the sources.
func renameColumns(sl *slots, names *[]Name, sources *frame) {
	assignments := make([]Assignment, len(*names))
	for i, n := range *names {
		assignments[i].Column = n
	}
	own := slots{}
	if renameTargets(&own, &assignments, sources, nil); !own.changed {
		return
	}
	*names = make([]Name, len(assignments))
	for i, a := range assignments {
		(*names)[i] = a.Column
	}
	sl.changed = true
}
