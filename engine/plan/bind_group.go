package plan

import (
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/types"
)

// grouping is what may be read behind the grouping of a query: keys, and aggregates, which it collects as they are met.
type grouping struct {
	node  *Aggregate
	input *Scope // where keys and arguments of aggregates are bound
	// texts are the keys that are no plain columns, by the text that recognises them.
	texts map[string]int
	aggs  map[string]*Agg
	// clause is what is being bound, for the message of refuse.
	clause groupClause
}

// groupClause tells the places whose refusals are worded apart.
type groupClause uint8

const (
	inGrouped    groupClause = iota // select list and ORDER BY of a query with GROUP BY
	inAggregated                    // select list and ORDER BY beside an aggregate, without GROUP BY
	inHaving
)

// grouping groups the query if it has GROUP BY, HAVING, or an aggregate in the select list.
func (s *selection) grouping(q *ast.SelectStmt) {
	s.after = s.from
	if !s.isGrouped() {
		return
	}
	g := &grouping{input: s.from, texts: map[string]int{}, aggs: map[string]*Agg{}}
	g.node = &Aggregate{}
	for _, k := range s.core.GroupBy {
		key, text := s.groupItem(k)
		s.groupKey(g, key, text)
	}
	s.groupAll(g)
	s.group = g
	g.node.Input = sorted(s.node, s.inputOrder(q.OrderBy))
	s.node = g.node
	if !s.hasGroupBy() && s.listAggregates() {
		g.clause = inAggregated
	}
	grouped := *s.from
	grouped.group = g
	s.after = &grouped
}

func (s *selection) isGrouped() bool {
	return s.hasGroupBy() || s.core.Having != nil || s.listAggregates()
}

func (s *selection) hasGroupBy() bool { return len(s.core.GroupBy) > 0 || s.core.GroupAll }

// groupAll groups by every item of the select list that calls neither an aggregate nor a window function, for GROUP BY ALL.
func (s *selection) groupAll(g *grouping) {
	if !s.core.GroupAll {
		return
	}
	for i, l := range s.list {
		if l.item == nil || !s.b.hasAggregate(l.item.X) && !hasWindow(l.item.X) {
			key, text := s.listKey(i)
			s.groupKey(g, key, text)
		}
	}
}

// hasWindow reports whether an expression calls a window function of its own query.
func hasWindow(x ast.Expr) bool { return callsOwn(x, func(c *ast.Call) bool { return c.Over != nil }) }

// callsOwn reports whether an expression makes a call of a kind outside its subqueries.
func callsOwn(x ast.Expr, isKind func(*ast.Call) bool) bool {
	found := false
	ast.Walk(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectStmt:
			return false
		case *ast.Call:
			found = found || isKind(n)
		}
		return !found
	})
	return found
}

// listAggregates reports whether the select list calls an aggregate.
func (s *selection) listAggregates() bool {
	return slices.ContainsFunc(s.list, func(l listItem) bool { return l.item != nil && s.b.hasAggregate(l.item.X) })
}

// inputOrder binds the ORDER BY keys that order the rows that go into the aggregates.
func (s *selection) inputOrder(terms []ast.OrderTerm) []SortKey {
	aliases := s.outputAliases(make([]Column, len(s.list)))
	var keys []SortKey
	for _, t := range terms {
		if s.sortsInput(t.X, aliases) {
			keys = append(keys, sortKey(s.b.expr(t.X, s.from), t))
		}
	}
	return keys
}

// groupKey adds a key of GROUP BY. A plain column is recognised by what it is, anything else by its text.
func (s *selection) groupKey(g *grouping, key Expr, text string) {
	b := s.b
	if c, ok := key.(*Col); ok && text == "" {
		if _, found := g.key(Column{ID: c.ID}); !found {
			item := Item{Column: b.column(c.Name, c.Static()), X: c}
			if findColumn(s.node.Output(), c.ID) >= 0 {
				item.ID = c.ID
			}
			g.node.Keys = append(g.node.Keys, item)
		}
		return
	}
	g.texts[text] = len(g.node.Keys)
	g.node.Keys = append(g.node.Keys, Item{Column: b.column(text, key.Static()), X: key})
}

// groupItem binds a key or the select item at the position that it is. text is "" for a plain column.
func (s *selection) groupItem(x ast.Expr) (key Expr, text string) {
	if n, ok := integerLiteral(x); ok {
		i, fits := n.Int64()
		if !fits || i < 1 || i > int64(len(s.list)) {
			s.b.fail(x.Pos(), types.ERROR, "GROUP BY position %s is not in the SELECT list (1..%d)", types.ToText(n), len(s.list))
			return s.b.bad(x.Pos()), "?"
		}
		return s.listKey(int(i - 1))
	}
	return s.boundKey(x)
}

// listKey binds the item of the select list that a key is.
func (s *selection) listKey(i int) (key Expr, text string) {
	l := s.list[i]
	if l.item == nil {
		return s.b.ref(l.col, l.at), ""
	}
	return s.boundKey(l.item.X)
}

func (s *selection) boundKey(x ast.Expr) (key Expr, text string) {
	key = s.b.expr(x, s.from)
	if _, ok := x.(*ast.ColumnRef); ok {
		if _, isCol := key.(*Col); isCol {
			return key, ""
		}
	}
	return key, exprKey(x)
}

// key gives the grouping key that a source column is.
func (g *grouping) key(c Column) (key Column, ok bool) {
	for _, k := range g.node.Keys {
		if x, isCol := k.X.(*Col); isCol && x.ID == c.ID {
			return k.Column, true
		}
	}
	return Column{}, false
}

// expr gives the grouping key that an expression is by its text, nil for none.
func (g *grouping) expr(b *Binder, x ast.Expr) Expr {
	if len(g.texts) == 0 {
		return nil
	}
	if i, ok := g.texts[exprKey(x)]; ok {
		return b.ref(g.node.Keys[i].Column, x.Pos())
	}
	return nil
}

// exprKey is the text by which expressions are told to be the same: names without regard to case, all else exactly.
func exprKey(x ast.Expr) string {
	folded := ast.Rewrite(x, func(n ast.Node) ast.Node {
		switch n := n.(type) {
		case *ast.ColumnRef:
			c := *n
			c.Schema.Text, c.Table.Text, c.Column.Text = types.Fold(n.Schema.Text), types.Fold(n.Table.Text), types.Fold(n.Column.Text)
			return &c
		case *ast.Call:
			c := *n
			c.Name.Text = types.Fold(n.Name.Text)
			return &c
		}
		return n
	})
	return ast.Format(folded)
}

// refuse raises the fault of reading a column that is no key.
func (g *grouping) refuse(b *Binder, ref string, at ast.Pos) {
	switch g.clause {
	case inHaving:
		b.fail(at, types.ERROR, "HAVING references non-grouped column '%s'", ref)
	case inAggregated:
		b.fail(at, types.ERROR, "Cannot mix aggregate and non-aggregate columns in SELECT list without GROUP BY")
	default:
		b.fail(at, types.ERROR, "Column '%s' must appear in the GROUP BY clause or be used in an aggregate function", ref)
	}
}

// having filters the groups. It sees the aliases of the select list behind the keys.
func (s *selection) having() {
	if s.core.Having == nil {
		return
	}
	scope := *s.after
	scope.aliases = s.itemAliases()
	saved := s.group.clause
	s.group.clause = inHaving
	s.node = filter(s.node, Conjuncts(s.b.expr(s.core.Having, &scope)))
	s.group.clause = saved
}

// itemAliases makes the aliases of the select list stand for their items, over the groups.
func (s *selection) itemAliases() []alias {
	var out []alias
	for _, l := range s.list {
		if l.item != nil && !l.item.Alias.IsZero() {
			out = append(out, alias{types.Fold(l.item.Alias.Text), func(ast.Pos) Expr { return s.b.expr(l.item.X, s.after) }})
		}
	}
	return out
}

// hasAggregate reports whether an expression calls an aggregate of its own query: outside its subqueries and not with OVER.
func (b *Binder) hasAggregate(x ast.Expr) bool {
	return callsOwn(x, func(c *ast.Call) bool { return c.Over == nil && b.aggregateFn(c) != nil })
}

// aggregateFn gives the aggregate that a call names, nil when it names none.
func (b *Binder) aggregateFn(c *ast.Call) *function.Function {
	f := b.env.Functions.Lookup(c.Name.Text, len(c.Args), false)
	if f == nil || f.Kind != function.Aggregate {
		return nil
	}
	return f
}

// aggregate binds a call of an aggregate. One that is spelled alike is the same.
func (b *Binder) aggregate(c *ast.Call, f *function.Function, s *Scope) Expr {
	if s == nil || s.group == nil {
		b.fail(c.Pos(), types.ERROR, "Aggregate function %s not allowed in this context", f.Name)
		return b.bad(c.Pos())
	}
	g := s.group
	text := exprKey(c)
	a := g.aggs[text]
	if a == nil {
		a = b.newAgg(c, f, g.input)
		a.Name = text
		g.aggs[text] = a
		g.node.Aggs = append(g.node.Aggs, a)
	}
	return b.ref(a.Column, c.Pos())
}

// newAgg binds an aggregate's arguments, order and filter over the rows of s.
func (b *Binder) newAgg(c *ast.Call, f *function.Function, s *Scope) *Agg {
	a := &Agg{Fn: f, Args: b.exprs(c.Args, s), Distinct: c.Distinct, Pos: b.pos(c.Pos())}
	for _, t := range c.OrderBy {
		if isConstantKey(t.X) {
			continue
		}
		a.OrderBy = append(a.OrderBy, sortKey(b.expr(t.X, s), t))
	}
	if c.Filter != nil {
		a.Filter = b.expr(c.Filter, s)
	}
	args := b.arguments(c, f, a.Args)
	a.Column = b.column("", b.resultInfo(c, f, args))
	make, err := f.NewState(args)
	if err != nil {
		b.failWith(c.Pos(), err)
		make = nil
	}
	a.New = make
	return a
}
