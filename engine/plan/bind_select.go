package plan

import (
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
)

// selection is a SELECT being bound, clause by clause in logical order.
type selection struct {
	b    *Binder
	core *ast.SelectCore
	// node is what is built so far.
	node Node
	// from is the scope of the sources, after what the select list, HAVING and ORDER BY see: from itself, or the groups.
	from, after *Scope
	// listScope is after with window calls: what the select list and ORDER BY see.
	listScope *Scope
	group     *grouping
	list      []listItem
	names     []string
	exprs     []Expr
}

// listItem is an entry of the select list, stars expanded: an item or a column.
type listItem struct {
	item *ast.SelectItem // nil for a column of a star
	col  Column
	at   ast.Pos
}

// selectCore binds one SELECT with the ORDER BY and LIMIT of q, its query expression.
func (b *Binder) selectCore(core *ast.SelectCore, q *ast.SelectStmt, outer *Scope) Node {
	defer b.enterPath(core.SchemaPath)()
	s := &selection{b: b, core: core}
	s.sources(outer)
	s.where()
	s.expandList()
	s.grouping(q)
	s.windows()
	s.selectList()
	s.having()
	return s.finish(q)
}

func (s *selection) sources(outer *Scope) {
	if s.core.From == nil {
		s.node, s.from = oneRow(), &Scope{outer: outer}
		return
	}
	p := s.b.from(s.core.From, outer, outer)
	s.node, s.from = p.node, p.scope(outer)
}

func (s *selection) where() {
	if s.core.Where != nil {
		s.node = filter(s.node, Conjuncts(s.b.expr(s.core.Where, s.from)))
	}
}

// expandList replaces stars by columns and names the output.
func (s *selection) expandList() {
	for i := range s.core.Items {
		it := &s.core.Items[i]
		s.b.checkInverse(it, s)
		if !it.Star {
			s.list = append(s.list, listItem{item: it, at: it.Pos()})
			s.names = append(s.names, ast.ItemName(it))
			continue
		}
		for _, c := range s.star(it) {
			s.list = append(s.list, listItem{col: c, at: it.Pos()})
			s.names = append(s.names, c.Name)
		}
		if s.isTooWide(it) {
			return
		}
	}
	if n := len(s.core.Items); n > 0 && s.isTooWide(&s.core.Items[n-1]) {
		return
	}
	ast.UniqueNames(s.names)
}

// isTooWide fails when the items so far make more columns than there may be.
func (s *selection) isTooWide(it *ast.SelectItem) bool {
	most := s.b.env.Limits.Of(limit.Columns)
	if int64(len(s.list)) <= most {
		return false
	}
	s.b.failWith(it.Pos(), s.b.env.Limits.Exceeded(limit.Columns, "more than %d columns of a query", most))
	return true
}

// star lists the columns of `*`, `t.*` or `s.t.*`.
func (s *selection) star(it *ast.SelectItem) []Column {
	if it.Table.IsZero() {
		cols := make([]Column, len(s.from.visible))
		for i, v := range s.from.visible {
			cols[i] = v.col
		}
		return cols
	}
	src := s.from.source(it.Schema, it.Table)
	if src == nil {
		s.b.fail(it.Pos(), types.ERROR, "Table '%s' not found in FROM clause for qualified SELECT *", it.Table.Text)
		return nil
	}
	return src.cols
}

// selectList binds the items where they are evaluated.
func (s *selection) selectList() {
	s.exprs = make([]Expr, len(s.list))
	for i, l := range s.list {
		if l.item != nil {
			s.exprs[i] = s.b.expr(l.item.X, s.listScope)
		} else {
			s.exprs[i] = s.starColumn(l)
		}
	}
}

// starColumn reads a column of a star, which in a grouped query must be a key.
func (s *selection) starColumn(l listItem) Expr {
	if s.group == nil {
		return s.b.ref(l.col, l.at)
	}
	if key, ok := s.group.key(l.col); ok {
		return s.b.ref(key, l.at)
	}
	s.group.refuse(s.b, l.col.Name, l.at)
	return s.b.bad(l.at)
}

// finish orders, removes duplicates, cuts, and drops what only the order needed.
func (s *selection) finish(q *ast.SelectStmt) Node {
	p := s.b.project(s.node, s.names, s.exprs)
	keys := s.orderKeys(q.OrderBy, p)
	p.Input = s.listScope.windows.above(p.Input)
	hidden := s.b.passKeyColumns(p, keys)
	s.node = p
	if s.core.Distinct && !hidden {
		s.node = &Distinct{Input: s.node, Width: len(s.exprs)}
	}
	s.node = sorted(s.node, keys)
	if s.core.Distinct && hidden {
		s.node = &Distinct{Input: s.node, Width: len(s.exprs)}
	}
	return s.b.narrow(s.b.limit(s.node, q), len(s.exprs))
}

// passKeyColumns makes a projection pass on what the keys of an order read besides its items, and reports whether there is any.
func (b *Binder) passKeyColumns(p *Project, keys []SortKey) bool {
	have := ColSet{}
	have.AddColumns(p.Output())
	need := ColSet{}
	for _, k := range keys {
		addExprColumns(need, k.X)
	}
	hidden := false
	for _, c := range p.Input.Output() {
		if need.Has(c.ID) && !have.Has(c.ID) {
			p.Items = append(p.Items, Item{Column: c, X: b.ref(c, ast.NoPos)})
			hidden = true
		}
	}
	return hidden
}

// orderKeys binds ORDER BY over the output and, behind that, the sources.
func (s *selection) orderKeys(terms []ast.OrderTerm, p *Project) []SortKey {
	cols := p.Output()
	scope := *s.listScope
	scope.aliases, scope.ahead = s.outputAliases(cols), true
	var keys []SortKey
	for _, t := range terms {
		if s.sortsInput(t.X, scope.aliases) {
			continue // bound with the grouping
		}
		if x, isConstant := s.b.position(t.X, cols); x != nil {
			keys = append(keys, sortKey(x, t))
		} else if !isConstant {
			keys = append(keys, sortKey(s.b.expr(t.X, &scope), t))
		}
	}
	return keys
}

// outputAliases makes the aliases of the select list stand for their output columns.
func (s *selection) outputAliases(cols []Column) []alias {
	var out []alias
	for i, l := range s.list {
		if l.item == nil || l.item.Alias.IsZero() {
			continue
		}
		c := cols[i]
		out = append(out, alias{types.Fold(l.item.Alias.Text), func(at ast.Pos) Expr { return s.b.ref(c, at) }})
	}
	return out
}

// sortsInput reports whether an ORDER BY key of an aggregate query without GROUP BY names neither an output alias nor an
// aggregate: it then orders the rows that go into the aggregates (docs/reference/language.md).
func (s *selection) sortsInput(x ast.Expr, aliases []alias) bool {
	if s.group == nil || s.hasGroupBy() || s.b.hasAggregate(x) {
		return false
	}
	if _, isPosition := integerLiteral(x); isPosition || isConstantKey(x) {
		return false
	}
	named := false
	ast.Walk(x, func(n ast.Node) bool {
		if ref, ok := n.(*ast.ColumnRef); ok && ref.Table.IsZero() {
			fold := types.Fold(ref.Column.Text)
			named = named || slices.ContainsFunc(aliases, func(a alias) bool { return a.fold == fold })
		}
		return !named
	})
	return !named
}
