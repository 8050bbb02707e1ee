package ast

import (
	"slices"
	"strconv"

	"github.com/quereus/quereus-migrate/types"
)

// query renames the references in a query. With want it also gives the columns that the query yields. member is the WITH
// member that the query is the body of, which may read itself: its columns are known once the first leg is.
func (s *scope) query(q *SelectStmt, want bool, member *cteList) (*SelectStmt, []refColumn) {
	c := *q
	in := s.in(s.frame)
	in.setPath(LeadingPath(q.Body))
	if q.With != nil {
		c.With = in.with(q.With)
	}
	want = want || len(q.OrderBy) > 0 || len(q.Defaults) > 0
	body := in.termOf(q.Body, want, member)
	c.Body = body.term

	sl := slots{f: body.order.visit, changed: c.With != q.With || c.Body != q.Body}
	sl.orderBy(&c.OrderBy)
	sl.f = in.visit
	one(&sl, &c.Limit)
	one(&sl, &c.Offset)
	sl.assignments(&c.Defaults)
	renameTargets(&sl, &c.Defaults, body.sources, body.columns)
	return keep(&sl, q, c), body.columns
}

// LeadingPath is the WITH SCHEMA clause of the first leg of a query, in parentheses or not, which covers the whole compound and its
// WITH; nil for none.
func LeadingPath(t QueryTerm) []Name {
	for {
		switch n := t.(type) {
		case *SetOp:
			t = n.L
		case *ParenQuery:
			t = n.Query.Body
		case *SelectCore:
			return n.SchemaPath
		default:
			return nil
		}
	}
}

func (s *scope) setPath(path []Name) {
	if len(path) == 0 {
		return
	}
	s.path = make([]string, len(path))
	for i, n := range path {
		s.path[i] = n.Text
	}
}

// with renames the references in the members of a WITH, each of which sees the earlier ones, and puts them in scope.
func (s *scope) with(w *With) *With {
	c := *w
	sl := slots{f: func(n Node) Node {
		m := n.(*CTE)
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
	parts(&sl, &c.Members)
	return keep(&sl, w, c)
}

func nameTexts(names []Name) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = n.Text
	}
	return out
}

// termResult is a rewritten term of a query with what the clauses behind it see.
type termResult struct {
	term    QueryTerm
	columns []refColumn // what it yields, if that was wanted
	order   *scope      // of ORDER BY
	sources *frame      // the sources of a plain SELECT, else nil
}

func (s *scope) term(t QueryTerm, want bool, member *cteList) (QueryTerm, []refColumn) {
	r := s.termOf(t, want, member)
	return r.term, r.columns
}

func (s *scope) termOf(t QueryTerm, want bool, member *cteList) termResult {
	r := termResult{term: t}
	switch n := t.(type) {
	case *SelectCore:
		return s.core(n, want)
	case *SetOp:
		r.term, r.columns = s.setOp(n, want, member)
	case *ParenQuery:
		c := *n
		if c.Query, r.columns = s.query(n.Query, want, member); c.Query != n.Query {
			r.term = &c
		}
	case *ValuesClause:
		r.term = mapChildren(n, s.visit).(QueryTerm)
		for i := range n.Rows[0] {
			r.columns = append(r.columns, keptColumn("column_"+strconv.Itoa(i)))
		}
	default:
		r.term, r.columns = s.write(t)
	}
	r.order = s.in(&frame{sources: []*refSource{{columns: r.columns}}, outer: s.frame})
	return r
}

func (s *scope) setOp(n *SetOp, want bool, member *cteList) (QueryTerm, []refColumn) {
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
func (s *scope) core(n *SelectCore, want bool) termResult {
	c := *n
	f := &frame{outer: s.frame}
	in := s.in(f)
	in.setPath(n.SchemaPath)
	sl := slots{}
	if n.From != nil {
		c.From = in.from(n.From, false)
		in.keepApart()
		sl.changed = c.From != n.From
	}
	if in.isGrouped(n) {
		in.grouped = in.withAliases(n, true)
	}
	sl.f = in.visit
	one(&sl, &c.Where)
	list(&sl, &c.GroupBy)
	columns := in.items(&sl, &c.Items, want)
	if in.grouped != nil {
		sl.f = in.grouped.visit
	}
	one(&sl, &c.Having)
	each(&sl, &c.Windows, func(s *slots, w NamedWindow) NamedWindow { one(s, &w.Window); return w })
	return termResult{term: keep(&sl, n, c), columns: columns, order: in.withAliases(n, false), sources: f}
}

// isGrouped reports whether a SELECT groups: by GROUP BY, HAVING or an aggregate in its list.
func (s *scope) isGrouped(n *SelectCore) bool {
	if len(n.GroupBy) > 0 || n.GroupAll || n.Having != nil {
		return true
	}
	found := false
	for i := range n.Items {
		Walk(&n.Items[i], func(x Node) bool {
			switch x := x.(type) {
			case *SelectStmt:
				return false
			case *Call:
				found = found || x.Over == nil && s.isAggregate(x)
			}
			return !found
		})
	}
	return found
}

// withAliases gives the scope of clauses that see the aliases of the select list before the sources. In a grouped query the
// name of a grouping key comes before an alias.
func (s *scope) withAliases(n *SelectCore, grouped bool) *scope {
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
	in := s.in(&frame{sources: []*refSource{{columns: aliases}}, outer: s.frame})
	in.grouped, in.sources = s.grouped, s
	return in
}

// groupingKeys gives the names, folded, of the plain columns that a SELECT groups by: those listed, those at a listed position, and with
// GROUP BY ALL those of the select list.
func (s *scope) groupingKeys(n *SelectCore) map[string]bool {
	keys := make(map[string]bool)
	add := func(x Expr) {
		if c, ok := x.(*ColumnRef); ok {
			keys[types.Fold(c.Column.Text)] = true
		}
	}
	items := s.listed(n)
	for _, x := range n.GroupBy {
		if l, ok := x.(*Literal); ok && l.Kind == IntegerLit {
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
func (s *scope) listed(n *SelectCore) (list []Expr) {
	for i := range n.Items {
		it := &n.Items[i]
		if !it.Star {
			list = append(list, it.X)
			continue
		}
		for _, c := range s.itemColumns(it, it) {
			list = append(list, &ColumnRef{Column: Ident(c.before)})
		}
	}
	return list
}

// items renames the references in a select list and gives the columns that it yields if they are wanted.
func (s *scope) items(sl *slots, slot *[]SelectItem, want bool) []refColumn {
	hasInverse := slices.ContainsFunc(*slot, func(it SelectItem) bool { return len(it.Inverse) > 0 })
	var columns []refColumn
	own := slots{f: func(n Node) Node {
		old := n.(*SelectItem)
		s.origin = nil
		it := s.item(old)
		if want || hasInverse {
			columns = append(columns, s.itemColumns(old, it)...)
		}
		return it
	}}
	parts(&own, slot)
	distinguish(columns)
	if hasInverse {
		s.inverses(&own, slot, columns)
	}
	sl.changed = sl.changed || own.changed
	return columns
}

// item renames the references of an item but for its inverse.
func (s *scope) item(n *SelectItem) *SelectItem {
	c := *n
	if n.Star && s.starred != nil {
		s.tellStarred(n)
	}
	switch {
	case !n.Star:
		c.X = s.rewrite(n.X).(Expr)
	case !n.Table.IsZero():
		src := s.starSource(n)
		if src == nil {
			return n
		}
		if s.kept[src.table] != keepNothing {
			c.Schema = Name{}
		}
		s.requalify(&c.Schema, &c.Table, Name{}, src)
	}
	if c.X == n.X && c.Table == n.Table && c.Schema == n.Schema {
		return n
	}
	return &c
}

// tellStarred tells the sources that a star stands for.
func (s *scope) tellStarred(n *SelectItem) {
	sources := s.frame.sources
	if !n.Table.IsZero() {
		sources = nil
		if src := s.starSource(n); src != nil {
			sources = append(sources, src)
		}
	}
	for _, src := range sources {
		s.starred(src)
	}
}

// starSource gives the source that a qualified star means, nil for none.
func (s *scope) starSource(n *SelectItem) *refSource {
	if n.Schema.IsZero() {
		return s.frame.source(types.Fold(n.Table.Text), false)
	}
	return s.frame.table(keyOf(n.Schema.Text, n.Table.Text))
}

// itemColumns gives the columns that an item yields, from its old and its new form.
func (s *scope) itemColumns(old, it *SelectItem) []refColumn {
	if !old.Star {
		c := refColumn{before: ItemName(old), after: ItemName(it)}
		if c.changed() {
			c.origin = s.origin
		}
		_, isRef := old.X.(*ColumnRef)
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
	var origin *TableRef
	for i, c := range columns {
		before[i], after[i] = c.before, c.after
		if origin == nil {
			origin = c.origin
		}
	}
	UniqueNames(before)
	UniqueNames(after)
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
func (s *scope) inverses(sl *slots, slot *[]SelectItem, columns []refColumn) {
	image := namedSource("new", columns)
	image.qualifiedOnly = true
	in := s.in(&frame{sources: []*refSource{image}, outer: s.frame.outer})
	parts(&slots{f: func(n Node) Node {
		it := n.(*SelectItem)
		c := *it
		own := slots{f: in.visit}
		own.assignments(&c.Inverse)
		renameTargets(&own, &c.Inverse, s.frame, nil)
		sl.changed = sl.changed || own.changed
		return keep(&own, it, c)
	}}, slot)
}

// renameTargets renames the left sides of assignments: columns of the sources, else columns that the query yields.
func renameTargets(sl *slots, slot *[]Assignment, sources *frame, columns []refColumn) {
	in := &frame{sources: []*refSource{{columns: columns}}}
	if sources != nil {
		in = &frame{sources: sources.sources, outer: in}
	}
	each(sl, slot, func(sl *slots, a Assignment) Assignment {
		if hit := in.bare(types.Fold(a.Column.Text), false); hit.src != nil && hit.column().changed() {
			a.Column = Name{Span: a.Column.Span, Text: hit.column().after}
			sl.changed = true
		}
		return a
	})
}
