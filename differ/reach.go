package differ

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/types"
)

// closure is what a live text reads, through any chain of views: the guards of DROP look that far (docs/reference/alter.md).
type closure struct {
	tables []*catalog.Table // maintained ones included; what those read is no concern of their readers
	views  []*catalog.View
}

// reach gives what the queries at or below n read in the live schema. path are the schemas that its unqualified names are looked up in.
func (c *comparison) reach(n ast.Node, path []string) closure {
	var out closure
	for _, q := range resolve.Sources(n) {
		switch r := c.source(c.live, q, path).(type) {
		case *catalog.Table:
			out.addTable(r)
		case *catalog.View:
			out.addView(r)
			inner := c.viewReach(r)
			for _, t := range inner.tables {
				out.addTable(t)
			}
			for _, v := range inner.views {
				out.addView(v)
			}
		}
	}
	return out
}

// viewReach is reach of a view's body, remembered. A view that reads itself reaches nothing by it.
func (c *comparison) viewReach(v *catalog.View) closure {
	if known, ok := c.reachable[v]; ok {
		return known
	}
	c.reachable[v] = closure{}
	out := c.reach(v.Body, c.liveNames.HomeOf(v.Schema).Path)
	c.reachable[v] = out
	return out
}

func (c *comparison) source(s *catalog.Snapshot, q ast.QName, path []string) catalog.Relation {
	if !q.Schema.IsZero() {
		return s.Relation(q.Schema.Text, q.Name.Text)
	}
	return s.Resolve(path, q.Name.Text)
}

func (x *closure) addTable(t *catalog.Table) {
	for _, known := range x.tables {
		if known == t {
			return
		}
	}
	x.tables = append(x.tables, t)
}

func (x *closure) addView(v *catalog.View) {
	for _, known := range x.views {
		if known == v {
			return
		}
	}
	x.views = append(x.views, v)
}

// reachesAny reports whether a live text reads a relation of the schema that test accepts.
func (c *comparison) reachesAny(x closure, test func(name string) bool) bool {
	for _, t := range x.tables {
		if t.Schema == c.schema && test(t.Name) {
			return true
		}
	}
	for _, v := range x.views {
		if v.Schema == c.schema && test(v.Name) {
			return true
		}
	}
	return false
}

// isGone reports whether phases 4 and 5 drop a live relation.
func (c *comparison) isGone(name string) bool {
	_, gone := c.gone[types.Fold(name)]
	return gone
}

// isRecreated reports whether a live relation is dropped and created again under its name.
func (c *comparison) isRecreated(name string) bool { return c.recreated[types.Fold(name)] }

// rowReach is reach of an expression over a table's row, whose subqueries see the schema of the table only.
func (c *comparison) rowReach(t *catalog.Table, x ast.Expr) closure {
	return c.reach(x, []string{t.Schema})
}

// rowReads gives what an expression over the row of live table t reads and the plan takes away.
func (c *comparison) rowReads(t *catalog.Table, kind catalog.ExpressionKind, x ast.Expr) []resource {
	return c.endedReads(c.rowReach(t, x), t, reader{x, c.liveNames.RowHome(t, kind)})
}

// reader is a live text with its home.
type reader struct {
	node ast.Node
	home resolve.Home
}

// endedReads gives the resources in reach of a text that steps of the plan end: dropped relations, and columns that go or are
// rebuilt. own is the table whose row the text is about, nil for none.
func (c *comparison) endedReads(x closure, own *catalog.Table, text reader) []resource {
	var out []resource
	for _, t := range x.tables {
		if t.Schema == c.schema && c.isGone(t.Name) {
			out = append(out, relationResource(c.gone[types.Fold(t.Name)]))
		}
	}
	for _, v := range x.views {
		if v.Schema == c.schema && c.isGone(v.Name) {
			out = append(out, relationResource(c.gone[types.Fold(v.Name)]))
		}
	}
	tables := x.tables
	if own != nil {
		tables = append([]*catalog.Table{own}, tables...)
	}
	texts := c.readers(x, text)
	for _, t := range tables {
		out = append(out, c.endedColumnReads(t, texts)...)
	}
	return out
}

// readers gives a text and the bodies of the views in its reach.
func (c *comparison) readers(x closure, text reader) []reader {
	texts := []reader{text}
	for _, v := range x.views {
		texts = append(texts, reader{v.Body, c.liveNames.HomeOf(v.Schema)})
	}
	return texts
}

// endedColumnReads gives the columns of a live table that the plan takes away and one of the texts mentions.
func (c *comparison) endedColumnReads(t *catalog.Table, texts []reader) []resource {
	p := c.byLive[t]
	if p == nil || !p.isMatched() {
		return nil
	}
	var out []resource
	for _, i := range p.endedColumns() {
		if mentionsColumn(texts, t, t.Columns[i].Name) {
			out = append(out, columnResource(p.name, p.after.Columns[i].Name))
		}
	}
	return out
}

// endedColumns are the positions of the live columns that DROP COLUMN takes away.
func (p *tablePair) endedColumns() []int {
	out := p.lost
	for _, q := range p.columns {
		if q.rebuilt {
			out = append(out[:len(out):len(out)], q.live)
		}
	}
	return out
}

func mentionsColumn(texts []reader, t *catalog.Table, column string) bool {
	for _, x := range texts {
		if resolve.Mentions(x.node, x.home, t.Schema, t.Name, column) {
			return true
		}
	}
	return false
}
