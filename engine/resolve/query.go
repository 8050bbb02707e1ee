package resolve

import (
	"slices"
	"strconv"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// query renames the references in a query. With want it also gives the columns that the query yields. member is the WITH
// member that the query is the body of, which may read itself: its columns are known once the first leg is.
func (s *scope) query(q *ast.SelectStmt, want bool, member *cteList) (*ast.SelectStmt, []refColumn) {
	c := *q
	in := s.in(s.frame)
	in.setPath(LeadingPath(q.Body))
	if q.With != nil {
		c.With = in.with(q.With)
	}
	want = want || len(q.OrderBy) > 0 || len(q.Defaults) > 0
	body := in.termOf(q.Body, want, member)
	c.Body = body.term

	sl := ast.Mapper{Map: body.order.visit, Changed: c.With != q.With || c.Body != q.Body}
	sl.OrderBy(&c.OrderBy)
	sl.Map = in.visit
	ast.MapOne(&sl, &c.Limit)
	ast.MapOne(&sl, &c.Offset)
	sl.Assignments(&c.Defaults)
	renameTargets(&sl, &c.Defaults, body.sources, body.columns)
	return ast.Keep(&sl, q, c), body.columns
}

// LeadingPath is the WITH SCHEMA clause of the first leg of a query, in parentheses or not, which covers the whole compound and its
// WITH; nil for none.
func LeadingPath(t ast.QueryTerm) []ast.Name {
	for {
		switch n := t.(type) {
		case *ast.SetOp:
			t = n.L
		case *ast.ParenQuery:
			t = n.Query.Body
		case *ast.SelectCore:
			return n.SchemaPath
		default:
			return nil
		}
	}
}

func (s *scope) setPath(path []ast.Name) {
	if len(path) == 0 {
		return
	}
	s.path = make([]string, len(path))
	for i, n := range path {
		s.path[i] = n.Text
	}
}

// with renames the references in the members of a WITH, each of which sees the earlier ones, and puts them in scope.
func (s *scope) with(w *ast.With) *ast.With {
	c := *w
	sl := ast.Mapper{Map: func(n ast.Node) ast.Node {
		m := n.(*ast.CTE)
		x := *m
		entry := &cteList{key: types.Fold(m.Name.Text), columns: keptColumns(nameTexts(m.Columns)), outer: s.ctes}
		in := s.in(s.frame)
		if w.Recursive {
			in.ctes = entry
		}
		if m.Columns != nil {
			x.Query, _ = in.query(m.Query, false, nil)
		} else {
			x.Query, entry.columns = in.query(m.Query, true, entry)
		}
		s.ctes = entry
		if x.Query == m.Query {
			return m
		}
		return &x
	}}
	ast.MapParts(&sl, &c.Members)
	return ast.Keep(&sl, w, c)
}

func nameTexts(names []ast.Name) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = n.Text
	}
	return out
}

// termResult is a rewritten term of a query with what the clauses behind it see.
type termResult struct {
	term    ast.QueryTerm
	columns []refColumn // what it yields, if that was wanted
	order   *scope      // of ORDER BY
	sources *frame      // the sources of a plain SELECT, else nil
}

func (s *scope) term(t ast.QueryTerm, want bool, member *cteList) (ast.QueryTerm, []refColumn) {
	r := s.termOf(t, want, member)
	return r.term, r.columns
}

func (s *scope) termOf(t ast.QueryTerm, want bool, member *cteList) termResult {
	r := termResult{term: t}
	switch n := t.(type) {
	case *ast.SelectCore:
		return s.core(n, want)
	case *ast.SetOp:
		r.term, r.columns = s.setOp(n, want, member)
	case *ast.ParenQuery:
		c := *n
		if c.Query, r.columns = s.query(n.Query, want, member); c.Query != n.Query {
			r.term = &c
		}
	case *ast.ValuesClause:
		r.term = ast.MapChildren(n, s.visit).(ast.QueryTerm)
		for i := range n.Rows[0] {
			r.columns = append(r.columns, keptColumn("column_"+strconv.Itoa(i)))
		}
	default:
		r.term, r.columns = s.write(t)
	}
	r.order = s.in(&frame{sources: []*source{{columns: r.columns}}, outer: s.frame})
	return r
}

func (s *scope) setOp(n *ast.SetOp, want bool, member *cteList) (ast.QueryTerm, []refColumn) {
	c := *n
	var columns []refColumn
	c.L, columns = s.term(n.L, want || member != nil, nil)
	for _, f := range n.Flags {
		columns = append(columns[:len(columns):len(columns)], keptColumn(f.Name.Text))
	}
	if member != nil {
		member.columns = columns
	}
	c.R, _ = s.term(n.R, false, nil)
	if c.L == n.L && c.R == n.R {
		return n, columns
	}
	return &c, columns
}

// core renames the references in one SELECT.
func (s *scope) core(n *ast.SelectCore, want bool) termResult {
	c := *n
	f := &frame{outer: s.frame}
	in := s.in(f)
	in.setPath(n.SchemaPath)
	sl := ast.Mapper{}
	if n.From != nil {
		c.From = in.from(n.From, false)
		in.keepApart()
		sl.Changed = c.From != n.From
	}
	if in.isGrouped(n) {
		in.grouped = in.withAliases(n, true)
	}
	sl.Map = in.visit
	ast.MapOne(&sl, &c.Where)
	ast.MapList(&sl, &c.GroupBy)
	columns := in.items(&sl, &c.Items, want)
	if in.grouped != nil {
		sl.Map = in.grouped.visit
	}
	ast.MapOne(&sl, &c.Having)
	ast.MapEach(&sl, &c.Windows, func(s *ast.Mapper, w ast.NamedWindow) ast.NamedWindow { ast.MapOne(s, &w.Window); return w })
	return termResult{term: ast.Keep(&sl, n, c), columns: columns, order: in.withAliases(n, false), sources: f}
}

// isGrouped reports whether a SELECT groups: by GROUP BY, HAVING or an aggregate in its list.
func (s *scope) isGrouped(n *ast.SelectCore) bool {
	if len(n.GroupBy) > 0 || n.GroupAll || n.Having != nil {
		return true
	}
	found := false
	for i := range n.Items {
		ast.Walk(&n.Items[i], func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.SelectStmt:
				return false
			case *ast.Call:
				found = found || x.Over == nil && s.isAggregate(x)
			}
			return !found
		})
	}
	return found
}

// withAliases gives the scope of clauses that see the aliases of the select list before the sources. In a grouped query the
// name of a grouping key comes before an alias.
func (s *scope) withAliases(n *ast.SelectCore, grouped bool) *scope {
	var keys map[string]bool
	if grouped {
		keys = s.groupingKeys(n)
	}
	var aliases []refColumn
	for i := range n.Items {
		if a := keptColumn(n.Items[i].Alias.Text); a.key != "" && !keys[a.key] {
			aliases = append(aliases, a)
		}
	}
	in := s.in(&frame{sources: []*source{{columns: aliases}}, outer: s.frame})
	in.grouped, in.sources = s.grouped, s
	return in
}

// groupingKeys gives the names, folded, of the plain columns that a SELECT groups by: those listed, those at a listed position, and with
// GROUP BY ALL those of the select list.
func (s *scope) groupingKeys(n *ast.SelectCore) map[string]bool {
	keys := make(map[string]bool)
	add := func(x ast.Expr) {
		if c, ok := x.(*ast.ColumnRef); ok {
			keys[types.Fold(c.Column.Text)] = true
		}
	}
	items := s.listed(n)
	for _, x := range n.GroupBy {
		if l, ok := x.(*ast.Literal); ok && l.Kind == ast.IntegerLit {
			if i, err := strconv.Atoi(l.Text); err == nil && i > 0 && i <= len(items) {
				x = items[i-1]
			}
		}
		add(x)
	}
	if n.GroupAll {
		for _, x := range items {
			add(x)
		}
	}
	return keys
}

// listed gives the expressions of a select list, its stars written out.
func (s *scope) listed(n *ast.SelectCore) (list []ast.Expr) {
	for i := range n.Items {
		it := &n.Items[i]
		if !it.Star {
			list = append(list, it.X)
			continue
		}
		for _, c := range s.itemColumns(it, it) {
			list = append(list, &ast.ColumnRef{Column: ast.Ident(c.before)})
		}
	}
	return list
}

// items renames the references in a select list and gives the columns that it yields if they are wanted.
func (s *scope) items(sl *ast.Mapper, slot *[]ast.SelectItem, want bool) []refColumn {
	hasInverse := slices.ContainsFunc(*slot, func(it ast.SelectItem) bool { return len(it.Inverse) > 0 })
	var columns []refColumn
	own := ast.Mapper{Map: func(n ast.Node) ast.Node {
		old := n.(*ast.SelectItem)
		s.origin = nil
		it := s.item(old)
		if want || hasInverse {
			columns = append(columns, s.itemColumns(old, it)...)
		}
		return it
	}}
	ast.MapParts(&own, slot)
	distinguish(columns)
	if hasInverse {
		s.inverses(&own, slot, columns)
	}
	sl.Changed = sl.Changed || own.Changed
	return columns
}

// item renames the references of an item but for its inverse.
func (s *scope) item(n *ast.SelectItem) *ast.SelectItem {
	c := *n
	if n.Star && (s.starred != nil || s.read != nil) {
		s.tellStarred(n)
	}
	switch {
	case !n.Star:
		c.X = s.rewrite(n.X).(ast.Expr)
	case !n.Table.IsZero():
		src := s.starSource(n)
		if src == nil {
			return n
		}
		if s.kept[src.table] != keepNothing {
			c.Schema = ast.Name{}
		}
		s.requalify(&c.Schema, &c.Table, ast.Name{}, src)
	}
	if c.X == n.X && c.Table == n.Table && c.Schema == n.Schema {
		return n
	}
	return &c
}

// tellStarred tells the sources that a star stands for.
func (s *scope) tellStarred(n *ast.SelectItem) {
	sources := s.frame.sources
	if !n.Table.IsZero() {
		sources = nil
		if src := s.starSource(n); src != nil {
			sources = append(sources, src)
		}
	}
	for _, src := range sources {
		if s.starred != nil {
			s.starred(src)
		}
	}
	s.tellSources(sources)
}

// starSource gives the source that a qualified star means, nil for none.
func (s *scope) starSource(n *ast.SelectItem) *source {
	if n.Schema.IsZero() {
		return s.frame.source(types.Fold(n.Table.Text), false)
	}
	return s.frame.table(keyOf(n.Schema.Text, n.Table.Text))
}

// itemColumns gives the columns that an item yields, from its old and its new form.
func (s *scope) itemColumns(old, it *ast.SelectItem) []refColumn {
	if !old.Star {
		c := refColumn{before: ast.ItemName(old), after: ast.ItemName(it)}
		if c.changed() {
			c.origin = s.origin
		}
		_, isRef := old.X.(*ast.ColumnRef)
		c.bare = isRef && old.Alias.IsZero()
		return []refColumn{c}
	}
	var out []refColumn
	sources := s.frame.sources
	if !old.Table.IsZero() {
		sources = nil
		if src := s.starSource(old); src != nil {
			out = slices.Clone(src.columns)
		}
	}
	for _, src := range sources {
		for i, c := range src.columns {
			if !src.hidden[i] {
				out = append(out, c)
			}
		}
	}
	for i := range out {
		out[i].bare = true
	}
	return out
}

// distinguish numbers duplicate names, before and after, and completes the columns of a select list.
func distinguish(columns []refColumn) {
	before, after := make([]string, len(columns)), make([]string, len(columns))
	var origin *ast.TableRef
	for i, c := range columns {
		before[i], after[i] = c.before, c.after
		if origin == nil {
			origin = c.origin
		}
	}
	ast.UniqueNames(before)
	ast.UniqueNames(after)
	for i := range columns {
		c := &columns[i]
		c.before, c.after = before[i], after[i]
		c.key, c.afterKey = types.Fold(c.before), types.Fold(c.after)
		if c.changed() && c.origin == nil { // numbered otherwise because of another column
			c.origin = origin
		}
	}
}

// inverses renames the references in WITH INVERSE: its targets are columns of the sources, and its expressions read the
// columns of the query through new.
func (s *scope) inverses(sl *ast.Mapper, slot *[]ast.SelectItem, columns []refColumn) {
	image := namedSource("new", columns)
	image.qualifiedOnly = true
	in := s.in(&frame{sources: []*source{image}, outer: s.frame.outer})
	ast.MapParts(&ast.Mapper{Map: func(n ast.Node) ast.Node {
		it := n.(*ast.SelectItem)
		c := *it
		own := ast.Mapper{Map: in.visit}
		own.Assignments(&c.Inverse)
		renameTargets(&own, &c.Inverse, s.frame, nil)
		sl.Changed = sl.Changed || own.Changed
		return ast.Keep(&own, it, c)
	}}, slot)
}

// renameTargets renames the left sides of assignments: columns of the sources, else columns that the query yields.
func renameTargets(sl *ast.Mapper, slot *[]ast.Assignment, sources *frame, columns []refColumn) {
	in := &frame{sources: []*source{{columns: columns}}}
	if sources != nil {
		in = &frame{sources: sources.sources, outer: in}
	}
	ast.MapEach(sl, slot, func(sl *ast.Mapper, a ast.Assignment) ast.Assignment {
		if hit := in.bare(types.Fold(a.Column.Text), false); hit.src != nil && hit.column().changed() {
			a.Column = ast.Name{Span: a.Column.Span, Text: hit.column().after}
			sl.Changed = true
		}
		return a
	})
}
