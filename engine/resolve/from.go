package resolve

import (
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// from renames the references in a table expression and adds its sources to the frame of s, in order. Under lateral the
// source sees those before it.
func (s *scope) from(t ast.TableExpr, lateral bool) ast.TableExpr {
	switch t := t.(type) {
	case *ast.TableRef:
		return s.table(t)
	case *ast.TableFunc:
		x := ast.MapChildren(t, s.beside(lateral).visit).(*ast.TableFunc)
		columns, _ := s.home.Catalog.Function(t.Name.Text, len(t.Args))
		s.derived(t.Alias, t.Columns, keptColumns(columns), t.Name)
		return x
	case *ast.TableSubquery:
		c := *t
		q, columns := s.beside(lateral).query(t.Query, true, nil)
		s.derived(t.Alias, t.Columns, columns, ast.Name{})
		if q == t.Query {
			return t
		}
		c.Query = q
		return &c
	case *ast.ParenTable:
		c := *t
		in := s.in(&frame{outer: s.beside(lateral).frame})
		c.X = in.from(t.X, false)
		s.frame.sources = append(s.frame.sources, in.frame.sources...)
		if c.X == t.X {
			return t
		}
		return &c
	case *ast.Join:
		return s.join(t)
	}
	return t
}

// beside gives the scope of a source: the queries around the one that it belongs to, and under lateral the sources before it.
func (s *scope) beside(lateral bool) *scope {
	if lateral {
		return s
	}
	return s.in(s.frame.outer)
}

func (s *scope) add(src *source) { s.frame.sources = append(s.frame.sources, src) }

// derived adds a subquery or a table function, whose columns an alias list may rename.
func (s *scope) derived(alias ast.Name, list []ast.Name, columns []refColumn, name ast.Name) {
	if !alias.IsZero() {
		name = alias
	}
	if len(list) > 0 {
		columns = append(keptColumns(nameTexts(list)), columns[min(len(list), len(columns)):]...)
	}
	s.add(namedSource(name.Text, columns))
}

// committed is the schema whose tables are those of the last commit.
const committed = "committed"

// resolve gives the relation that a name in FROM means, nil for a WITH member and for one that does not exist. The result
// names it as it has to be spelled if it were not renamed.
func (s *scope) resolve(q ast.QName) (ast.QName, *relation) {
	qualified := !q.Schema.IsZero()
	if !qualified && s.ctes.find(q.Name.Text) != nil {
		return q, nil
	}
	if s.found != nil {
		s.found(q, s.path)
	}
	if qualified && !types.EqualFold(q.Schema.Text, committed) {
		return q, s.relation(q.Schema.Text, q.Name.Text)
	}
	for _, schema := range s.path {
		if r := s.relation(schema, q.Name.Text); r != nil {
			return q, r
		}
	}
	return q, nil
}

// renamed spells a relation under its new name, with its schema where the name alone would mean another one by then.
func (s *scope) renamed(q ast.QName, r *relation) ast.QName {
	if r.after != "" && q.Name.Text != r.after {
		q.Name = ast.Name{Span: q.Name.Span, Text: r.after}
	}
	if q.Schema.IsZero() && s.meansAfter(q.Name.Text) != r {
		q.Schema = ast.Ident(r.schema)
	}
	return q
}

// meansAfter gives the relation that an unqualified name means once the renamings are done, nil for a WITH member or none.
func (s *scope) meansAfter(name string) *relation {
	if s.ctes.find(name) != nil {
		return nil
	}
	for _, schema := range s.path {
		if r := s.existsAfter(schema, name); r != nil {
			return r
		}
	}
	return nil
}

// table adds a relation by name.
func (s *scope) table(t *ast.TableRef) ast.TableExpr {
	q, r := s.resolve(t.Name)
	src := namedSource(t.Name.Name.Text, nil)
	if r == nil {
		if m := s.ctes.find(q.Name.Text); m != nil && q.Schema.IsZero() {
			src.columns = m.columns
		}
		return s.addTable(src, t, t)
	}
	src.table, src.schema, src.home, src.relation = t, r.schema, r.schema, r
	src.columns = slices.Clone(r.columns)
	for i := range src.columns {
		if c := &src.columns[i]; c.changed() {
			c.origin = t
		}
	}
	c := *t
	c.Name = s.renamed(q, r)
	switch kept := s.kept[t]; {
	case kept == keepColumns:
		src.columns = keptColumns(columnTexts(r.columns))
		return s.addTable(src, t, restoring(t, c.Name, r.columns))
	case kept == keepName && c.Alias.IsZero():
		c.Alias = ast.Ident(t.Name.Name.Text)
	case t.Alias.IsZero():
		src.after, src.afterKey = c.Name.Name.Text, types.Fold(c.Name.Name.Text)
	}
	if c == *t {
		return s.addTable(src, t, t)
	}
	return s.addTable(src, t, &c)
}

// addTable adds the source of t under its alias if it has one, and answers what becomes of t.
func (s *scope) addTable(src *source, t *ast.TableRef, x ast.TableExpr) ast.TableExpr {
	if !t.Alias.IsZero() {
		named := namedSource(t.Alias.Text, src.columns)
		named.table, named.home, named.relation = src.table, src.home, src.relation
		src = named
	}
	s.add(src)
	return x
}

func columnTexts(columns []refColumn) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = c.before
	}
	return out
}

// restoring wraps a table into a subquery that gives its columns their old names back.
func restoring(t *ast.TableRef, name ast.QName, columns []refColumn) ast.TableExpr {
	items := make([]ast.SelectItem, len(columns))
	for i, c := range columns {
		items[i].X = &ast.ColumnRef{Column: ast.Ident(c.after)}
		if c.changed() {
			items[i].Alias = ast.Ident(c.before)
		}
	}
	alias := t.Alias
	if alias.IsZero() {
		alias = t.Name.Name
	}
	body := &ast.SelectCore{Items: items, From: &ast.TableRef{Name: name}}
	return &ast.TableSubquery{Span: t.Span, Query: &ast.SelectStmt{Body: body}, Alias: alias}
}

// keepApart sees to it that no two sources of the frame have one name because of the renamings.
func (s *scope) keepApart() {
	for i, a := range s.frame.sources {
		for _, b := range s.frame.sources[:i] {
			if a.afterKey == "" || a.afterKey != b.afterKey || a.key == b.key {
				continue
			}
			if t := a.origin(); t != nil {
				s.keep(t, keepName)
			} else {
				s.keep(b.origin(), keepName)
			}
		}
	}
}

// join renames the references in a join and adds its sources, left ones first.
func (s *scope) join(j *ast.Join) ast.TableExpr {
	c := *j
	start := len(s.frame.sources)
	c.L = s.from(j.L, false)
	middle := len(s.frame.sources)
	c.R = s.from(j.R, j.Lateral)
	left, right := s.frame.sources[start:middle], s.frame.sources[middle:]
	if j.Natural {
		s.tellSources(s.frame.sources[start:])
		s.merge(left, right)
	}
	if len(j.Using) > 0 {
		c.Using, c.On = s.using(j.Using, left, right)
	}
	if j.On != nil {
		c.On = s.rewrite(j.On).(ast.Expr)
	}
	if len(j.Flags) > 0 {
		flags := make([]refColumn, len(j.Flags))
		for i, f := range j.Flags {
			flags[i] = keptColumn(f.Name.Text)
		}
		s.add(&source{columns: flags})
	}
	if c.L == j.L && c.R == j.R && c.On == j.On && slices.Equal(c.Using, j.Using) {
		return j
	}
	return &c
}

// within looks an unqualified name up in some sources: the first that has it.
func within(sources []*source, key string, after bool) foundColumn {
	for _, src := range sources {
		if i := src.find(key, after); i >= 0 && !src.hidden[i] {
			return foundColumn{src: src, i: i}
		}
	}
	return foundColumn{}
}

// merge hides the columns of the right side that a NATURAL join finds on the left. Tables whose new column names would make
// the join another one keep their old ones.
func (s *scope) merge(left, right []*source) {
	for _, src := range right {
		for i := range src.columns {
			c := &src.columns[i]
			was, is := within(left, c.key, false), within(left, c.afterKey, true)
			if !was.same(is) || was.src != nil && was.column().after != c.after {
				s.keepJoined(c, was)
				s.keepJoined(c, is)
			}
			if was.src != nil {
				if src.hidden == nil {
					src.hidden = make(map[int]bool)
				}
				src.hidden[i] = true
			}
		}
	}
}

// tellSources tells that all columns of some sources are read.
func (s *scope) tellSources(sources []*source) {
	for _, src := range sources {
		s.tellAll(src.relation)
	}
}

// keepJoined makes the tables of a column and of its partner, which may be none, keep their columns.
func (s *scope) keepJoined(c *refColumn, partner foundColumn) {
	s.keep(c.origin, keepColumns)
	if partner.src != nil {
		s.keep(partner.column().origin, keepColumns)
	}
}

// using renames the columns of a USING. Where a name stops being that of both sides, the condition becomes an ON.
func (s *scope) using(names []ast.Name, left, right []*source) ([]ast.Name, ast.Expr) {
	out := slices.Clone(names)
	var on ast.Expr
	apart := false
	for i, n := range names {
		key := types.Fold(n.Text)
		l, r := within(left, key, false), within(right, key, false)
		if l.src == nil || r.src == nil {
			return names, nil
		}
		s.tellRead(nil, l.src, l.i)
		s.tellRead(nil, r.src, r.i)
		out[i] = s.newColumn(n, l.column())
		if a := l.column().afterKey; a != r.column().afterKey || !l.same(within(left, a, true)) || !r.same(within(right, a, true)) {
			apart = true
		}
		on = and(on, &ast.Binary{Op: ast.OpEq, L: s.sideColumn(l, n), R: s.sideColumn(r, n)})
	}
	if apart {
		return nil, on
	}
	return out, nil
}

// sideColumn is a column of one side of a join with its qualifier.
func (s *scope) sideColumn(c foundColumn, old ast.Name) ast.Expr {
	if c.src.after == "" { // nothing to tell it apart by
		s.keep(c.column().origin, keepColumns)
	}
	return &ast.ColumnRef{Table: ast.Ident(c.src.after), Column: s.newColumn(old, c.column())}
}

func and(l, r ast.Expr) ast.Expr {
	if l == nil {
		return r
	}
	return &ast.Binary{Op: ast.OpAnd, L: l, R: r}
}
