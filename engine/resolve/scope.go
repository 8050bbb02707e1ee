package resolve

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// scope is what names mean at one place of a text.
type scope struct {
	*walker
	frame *frame
	ctes  *cteList
	path  []string // schemas for unqualified relation names
	// grouped serves the window calls of a grouped query, which see the aliases of its select list; nil elsewhere.
	grouped *scope
	// sources serves the arguments of aggregates where the scope itself shows aliases; nil elsewhere.
	sources *scope
	visit   func(ast.Node) ast.Node // rewrite, bound once
}

func newScope(w *walker, f *frame, ctes *cteList, path []string) *scope {
	s := &scope{walker: w, frame: f, ctes: ctes, path: path}
	s.visit = s.rewrite
	return s
}

// in gives the scope of a frame within s.
func (s *scope) in(f *frame) *scope { return newScope(s.walker, f, s.ctes, s.path) }

// cteList is the list of WITH members in scope, innermost first.
type cteList struct {
	key     string
	columns []refColumn
	outer   *cteList
}

func (l *cteList) find(name string) *cteList {
	for key := types.Fold(name); l != nil; l = l.outer {
		if l.key == key {
			return l
		}
	}
	return nil
}

// frame is one level of names: the sources of a query, the aliases of its select list, or the row that the text is about.
type frame struct {
	sources []*source
	outer   *frame
}

// source is one source of a frame.
type source struct {
	// name qualifies the columns, after is what the name becomes; key and afterKey are both folded. All are "" for a source
	// without name.
	name, after   string
	key, afterKey string
	columns       []refColumn
	// hidden marks the columns that a NATURAL join merged into one on their left; nil when there are none.
	hidden map[int]bool
	// schema is set for a table under its own name, which a schema may qualify.
	schema string
	// table is the source itself where it is one by name; it can be made to keep its old names. home is the schema it is in, folded.
	table *ast.TableRef
	home  string
	// relation is set for a table or view, under whatever name.
	relation *relation
	// qualifiedOnly marks the row images new and old, whose columns never answer to a bare name.
	qualifiedOnly bool
	// row marks the row that the text is about, under any of its qualifiers.
	row bool
}

func namedSource(name string, columns []refColumn) *source {
	key := types.Fold(name)
	return &source{name: name, after: name, key: key, afterKey: key, columns: columns}
}

// origin is the table whose new name the qualifier shows, nil when the name does not change.
func (src *source) origin() *ast.TableRef {
	if src.after == src.name {
		return nil
	}
	return src.table
}

// find gives the position of the column with a folded name, −1 for none.
func (src *source) find(key string, after bool) int {
	for i := range src.columns {
		c := &src.columns[i]
		if k := c.key; !after && k == key || after && c.afterKey == key {
			return i
		}
	}
	return -1
}

// foundColumn is what a reference to a column resolved to; src is nil when nothing has the name.
type foundColumn struct {
	src *source
	i   int
	// several tells that more than one source of the frame has the name.
	several bool
}

func (c foundColumn) column() *refColumn { return &c.src.columns[c.i] }

// same reports whether two references mean one column. The qualifiers of the row all mean the row.
func (c foundColumn) same(d foundColumn) bool {
	if c.src == nil || d.src == nil {
		return c.src == d.src
	}
	return c.i == d.i && (c.src == d.src || c.src.row && d.src.row) && !d.several
}

// bare looks up an unqualified column: the innermost frame with a source that has one decides. Of several sources one
// whose name changes is taken.
func (f *frame) bare(key string, after bool) foundColumn {
	for ; f != nil; f = f.outer {
		var hit foundColumn
		for _, src := range f.sources {
			i := -1
			if !src.qualifiedOnly {
				i = src.find(key, after)
			}
			switch {
			case i < 0 || src.hidden[i]:
			case hit.src == nil:
				hit = foundColumn{src: src, i: i}
			default:
				hit.several = true
				if src.columns[i].changed() {
					hit.src, hit.i = src, i
				}
			}
		}
		if hit.src != nil {
			return hit
		}
	}
	return foundColumn{}
}

// source looks up a qualifier: the innermost frame that has a source of the name decides.
func (f *frame) source(key string, after bool) *source {
	for ; f != nil; f = f.outer {
		if src := f.own(key, after); src != nil {
			return src
		}
	}
	return nil
}

// qualifier looks up what a qualified reference means: the innermost frame whose source of the name has the column. Where none has it,
// it is the innermost source of the name.
func (f *frame) qualifier(key, column string, after bool) *source {
	for g := f; g != nil; g = g.outer {
		if src := g.own(key, after); src != nil && src.find(column, after) >= 0 {
			return src
		}
	}
	return f.source(key, after)
}

// own gives the source of a name in the frame itself, nil for none.
func (f *frame) own(key string, after bool) *source {
	for _, src := range f.sources {
		if k := src.key; key != "" && (!after && k == key || after && src.afterKey == key) {
			return src
		}
	}
	return nil
}

// table looks up a qualifier with a schema: a table of that schema under its own name.
func (f *frame) table(k relationKey) *source {
	for ; f != nil; f = f.outer {
		for _, src := range f.sources {
			if src.key == k.name && src.schema == k.schema {
				return src
			}
		}
	}
	return nil
}

// rowFrame is the outermost frame of a text about a row: its columns under their bare names, the table's name, and new and
// old; in front of them the mutation-context variables. It is nil for other texts.
func (w *walker) rowFrame() *frame {
	row := w.home.Row
	if row == nil {
		return nil
	}
	r := w.relation(row.Schema, row.Name)
	if r == nil {
		r = w.rename(keyOf(row.Schema, row.Name), nil)
	}
	own := namedSource(row.Name, r.columns)
	own.schema, own.row = r.schema, true
	if r.after != "" {
		own.after, own.afterKey = r.after, types.Fold(r.after)
	}
	f := &frame{sources: []*source{own}}
	for _, image := range []string{"new", "old"} {
		src := namedSource(image, r.columns)
		src.qualifiedOnly, src.row = true, true
		f.sources = append(f.sources, src)
	}
	if len(row.Variables) == 0 {
		return f
	}
	return &frame{sources: []*source{namedSource("context", keptColumns(row.Variables))}, outer: f}
}

// rewrite renames the references in any node.
func (s *scope) rewrite(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.ColumnRef:
		return s.column(n)
	case *ast.Call:
		return s.call(n)
	case *ast.In:
		return s.membership(n)
	case *ast.SelectStmt:
		q, _ := s.query(n, false, nil)
		return q
	case ast.QueryTerm:
		t, _ := s.term(n, false, nil)
		return t
	case ast.TableExpr:
		return s.in(&frame{outer: s.frame}).from(n, false)
	}
	return ast.MapChildren(n, s.visit)
}

// call picks the scope that a call's arguments stand in.
func (s *scope) call(n *ast.Call) ast.Node {
	in := s
	switch {
	case n.Over != nil && s.grouped != nil:
		in = s.grouped
	case n.Over == nil && s.sources != nil && s.isAggregate(n):
		in = s.sources
	}
	return ast.MapChildren(n, in.visit)
}

func (w *walker) isAggregate(n *ast.Call) bool {
	_, is := w.home.Catalog.Function(n.Name.Text, len(n.Args))
	return is
}

// tellRead tells of a column of a source that is read, if the source is a relation by name or the row of the text.
func (w *walker) tellRead(at *ast.ColumnRef, src *source, column int) {
	switch {
	case w.read == nil:
	case src.row:
		own := w.home.Row
		w.read(Read{At: at, Schema: types.Fold(own.Schema), Relation: types.Fold(own.Name), Column: src.columns[column].before})
	case src.relation != nil:
		w.read(Read{At: at, Schema: src.relation.schema, Relation: src.relation.name, Column: src.columns[column].before})
	}
}

// tellAll tells that all columns of a relation are read; nil for none.
func (w *walker) tellAll(r *relation) {
	if w.read == nil || r == nil {
		return
	}
	for _, c := range r.columns {
		w.read(Read{Schema: r.schema, Relation: r.name, Column: c.before})
	}
}

// membership renames the relation of `x in t`.
func (s *scope) membership(n *ast.In) ast.Node {
	if n.Table != nil {
		if q, r := s.resolve(*n.Table); r != nil {
			s.tellAll(r)
			if name := s.renamed(q, r); name != q {
				c := *n
				c.Table = &name
				n = &c
			}
		}
	}
	return ast.MapChildren(n, s.visit)
}

// column renames a reference to a column.
func (s *scope) column(n *ast.ColumnRef) ast.Node {
	switch {
	case n.Table.IsZero():
		return s.bareColumn(n)
	case n.Schema.IsZero():
		return s.qualified(n, s.frame.qualifier(types.Fold(n.Table.Text), types.Fold(n.Column.Text), false))
	}
	src := s.frame.table(keyOf(n.Schema.Text, n.Table.Text))
	if src != nil && s.kept[src.table] != keepNothing { // it has an alias now, which hides the name of the table
		c := *n
		c.Schema = ast.Name{}
		return s.qualified(&c, src)
	}
	return s.qualified(n, src)
}

func (s *scope) bareColumn(n *ast.ColumnRef) ast.Node {
	key := types.Fold(n.Column.Text)
	was := s.frame.bare(key, false)
	if was.src != nil {
		s.tellRead(n, was.src, was.i)
	}
	name := n.Column
	if was.src != nil {
		name = s.newColumn(n.Column, was.column())
		key = types.Fold(name.Text)
	}
	// A name that means nothing yet, or a select-list alias, has no meaning to lose; a clock word has.
	if _, isClock := n.Clock(); !was.several && (was.src != nil || isClock) {
		if is := s.frame.bare(key, true); !was.same(is) {
			return s.uncaptured(n, name, was, is)
		}
	}
	if name == n.Column {
		return n
	}
	c := *n
	c.Column = name
	return &c
}

// newColumn is the name of a column in the place of an old one; it notes where a new one comes from.
func (s *scope) newColumn(old ast.Name, c *refColumn) ast.Name {
	if !c.changed() || old.Text == c.after {
		return old
	}
	s.origin = c.origin
	return ast.Name{Span: old.Span, Text: c.after}
}

// uncaptured qualifies a bare reference whose column is no longer what its name means, or if that does not help makes the
// table that brought the confusion keep its old columns.
func (s *scope) uncaptured(n *ast.ColumnRef, name ast.Name, was, is foundColumn) ast.Node {
	if was.src != nil {
		for _, src := range s.qualifiers(was.src) {
			if src.after != "" && s.frame.source(src.afterKey, true) == src {
				c := *n
				c.Table, c.Column = ast.Ident(src.after), name
				return &c
			}
		}
		s.keep(was.column().origin, keepColumns)
	}
	if is.src != nil {
		s.keep(is.column().origin, keepColumns)
	}
	c := *n
	c.Column = name
	return &c
}

// qualifiers lists the sources whose names reach the columns of src.
func (s *scope) qualifiers(src *source) []*source {
	if !src.row {
		return []*source{src}
	}
	f := s.frame
	for f.outer != nil {
		f = f.outer
	}
	return f.sources // the table's name, new, old
}

// qualified renames a reference whose qualifier means src.
func (s *scope) qualified(n *ast.ColumnRef, src *source) ast.Node {
	if src == nil {
		return n
	}
	c := *n
	at := src.find(types.Fold(n.Column.Text), false)
	if at >= 0 {
		s.tellRead(n, src, at)
		c.Column = s.newColumn(n.Column, &src.columns[at])
	}
	is := s.requalify(&c.Schema, &c.Table, c.Column, src)
	switch {
	case is == src:
	case src.row:
		return s.requalifyRow(&c)
	case at >= 0 && is != nil:
		s.keep(src.columns[at].origin, keepColumns)
		if i := is.find(types.Fold(c.Column.Text), true); i >= 0 {
			s.keep(is.columns[i].origin, keepColumns)
		}
	}
	if c == *n {
		return n
	}
	return &c
}

// requalify puts the new name of a source in the place of its old one, before a column or, with none, a star. Where that name means
// another source by then, one of the two is made to keep its old name, and the answer is that other source.
func (s *scope) requalify(schema, table *ast.Name, column ast.Name, src *source) *source {
	shadowed := s.frame.source(types.Fold(table.Text), false) != src
	if src.after != src.name && table.Text != src.after {
		*table = ast.Name{Span: table.Span, Text: src.after}
		s.origin = src.table
	}
	if !schema.IsZero() {
		return src
	}
	is := s.frame.source(types.Fold(table.Text), true)
	if shadowed && !column.IsZero() { // it has to reach past a source of its name, as it did
		is = s.frame.qualifier(types.Fold(table.Text), types.Fold(column.Text), true)
	}
	if is == src {
		return src
	}
	if t := src.origin(); t != nil {
		s.keep(t, keepName)
	} else if is != nil {
		s.keep(is.origin(), keepName)
	}
	return is
}

// requalifyRow writes a reference to the row that can no longer go by the table's name.
func (s *scope) requalifyRow(c *ast.ColumnRef) ast.Node {
	row := s.qualifiers(&source{row: true})
	if is := s.frame.bare(types.Fold(c.Column.Text), true); is.src == row[0] {
		c.Table = ast.Name{}
	} else {
		c.Table = ast.Ident(row[1].name)
	}
	return c
}
