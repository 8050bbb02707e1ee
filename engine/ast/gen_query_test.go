package ast_test

import "github.com/quereus/quereus-migrate/engine/ast"

func (g *gen) query() *ast.SelectStmt {
	q := &ast.SelectStmt{Body: g.term()}
	q.With = maybe(g, 6, g.with)
	q.OrderBy = maybe(g, 3, g.orderBy)
	if g.chance(4) {
		q.Limit = g.expr()
		q.Offset = g.optionalExpr(2)
	}
	q.Defaults = maybe(g, 8, g.assignments)
	if paren, ok := q.Body.(*ast.ParenQuery); ok && q.With == nil && q.OrderBy == nil && q.Limit == nil && q.Defaults == nil {
		return paren.Query // the parser drops the parentheses
	}
	return q
}

func (g *gen) with() *ast.With {
	w := &ast.With{Recursive: g.chance(2)}
	w.Members = some(g, 2, func() ast.CTE {
		return ast.CTE{Name: g.name(), Columns: g.optionalNames(), Materialized: ast.Materialized(g.upTo(3)), Query: g.query()}
	})
	if g.chance(4) {
		w.MaxRecursion = "12"
	}
	return w
}

func (g *gen) term() ast.QueryTerm {
	if !g.spend() {
		return &ast.SelectCore{Items: []ast.SelectItem{{X: g.leaf()}}}
	}
	switch g.upTo(10) {
	case 0, 1:
		return g.values()
	case 2, 3, 4:
		return &ast.SetOp{Op: ast.SetOpKind(g.upTo(5)), Flags: maybe(g, 4, g.branchFlags), L: g.term(), R: g.term()}
	case 5:
		return &ast.ParenQuery{Query: g.query()}
	case 6:
		if g.chance(2) {
			return g.write(true)
		}
	}
	return g.core()
}

func (g *gen) branchFlags() []ast.BranchFlag {
	return some(g, 2, func() ast.BranchFlag { return ast.BranchFlag{Right: g.chance(2), Name: g.name()} })
}

func (g *gen) values() *ast.ValuesClause {
	row := g.exprs(2)
	v := &ast.ValuesClause{Rows: [][]ast.Expr{row}}
	for g.chance(3) {
		var next []ast.Expr
		for range row {
			next = append(next, g.leaf())
		}
		v.Rows = append(v.Rows, next)
	}
	return v
}

func (g *gen) core() *ast.SelectCore {
	c := &ast.SelectCore{Distinct: g.chance(4), Items: some(g, 3, func() ast.SelectItem { return g.item(true) })}
	if g.chance(2) {
		c.From = g.source()
	}
	c.Where = g.optionalExpr(3)
	c.GroupBy = maybe(g, 5, func() []ast.Expr { return g.exprs(2) })
	c.GroupAll = len(c.GroupBy) == 0 && g.chance(8)
	c.Having = g.optionalExpr(6)
	c.Windows = maybe(g, 6, func() []ast.NamedWindow {
		return some(g, 2, func() ast.NamedWindow { return ast.NamedWindow{Name: g.name(), Window: g.window()} })
	})
	c.SchemaPath = maybe(g, 6, g.names)
	return c
}

func (g *gen) item(inverse bool) ast.SelectItem {
	it := ast.SelectItem{}
	if it.Star = g.chance(4); it.Star {
		if it.Table = g.optionalName(); !it.Table.IsZero() {
			it.Schema = g.optionalName()
		}
	} else {
		it.X = g.expr()
		it.Alias = g.optionalName()
	}
	if inverse {
		it.Inverse = maybe(g, 8, g.assignments)
	}
	return it
}

func (g *gen) source() ast.TableExpr {
	if !g.spend() {
		return &ast.TableRef{Name: g.qname(), Alias: g.optionalName()}
	}
	switch g.upTo(8) {
	case 0:
		f := &ast.TableFunc{Name: g.name(), Args: maybe(g, 2, func() []ast.Expr { return g.exprs(2) })}
		if f.Alias = g.optionalName(); !f.Alias.IsZero() {
			f.Columns = g.optionalNames()
		}
		return f
	case 1:
		s := &ast.TableSubquery{Query: g.query()}
		if s.Alias = g.optionalName(); !s.Alias.IsZero() {
			s.Columns = g.optionalNames()
		}
		return s
	case 2, 3, 4:
		return g.join()
	case 5:
		x := g.source()
		if sub, ok := x.(*ast.TableSubquery); ok && sub.Alias.IsZero() { // the parser drops the parentheses
			return x
		}
		return &ast.ParenTable{X: x}
	}
	return &ast.TableRef{Name: g.qname(), Alias: g.optionalName()}
}

func (g *gen) join() ast.TableExpr {
	j := &ast.Join{Kind: ast.JoinKind(g.upTo(6)), L: g.source(), R: g.source()}
	switch {
	case j.Kind == ast.CommaJoin:
		return j
	case j.Kind != ast.CrossJoin && g.chance(4):
		j.Natural = true
		return j
	}
	j.Lateral = g.chance(4)
	switch {
	case j.Kind == ast.CrossJoin && g.chance(2):
	case g.chance(3):
		j.Using = g.names()
	default:
		j.On = g.expr()
	}
	j.Flags = maybe(g, 5, func() []ast.MatchFlag {
		return some(g, 2, func() ast.MatchFlag { return ast.MatchFlag{Side: ast.FlagSide(g.upTo(3)), Name: g.name()} })
	})
	return j
}

// write draws a data change; as a term of a query it has RETURNING and no WITH of its own.
func (g *gen) write(term bool) ast.QueryTerm {
	var with *ast.With
	var returning []ast.SelectItem
	if !term {
		with = maybe(g, 4, g.with)
	}
	if term || g.chance(3) {
		returning = some(g, 2, func() ast.SelectItem { return g.item(false) })
	}
	clauses := ast.WriteClauses{Context: maybe(g, 5, g.assignments), Tags: g.tags(), SchemaPath: maybe(g, 5, g.names)}
	switch g.upTo(3) {
	case 0:
		n := g.insert()
		n.With, n.Returning, n.WriteClauses = with, returning, clauses
		return n
	case 1:
		n := &ast.UpdateStmt{With: with, Table: g.target(), Set: g.assignments(), Where: g.optionalExpr(2), WriteClauses: clauses, Returning: returning}
		if g.chance(3) {
			n.From = g.source()
		}
		return n
	}
	return &ast.DeleteStmt{With: with, Table: g.target(), Where: g.optionalExpr(2), WriteClauses: clauses, Returning: returning}
}

func (g *gen) target() ast.Target {
	if g.chance(5) {
		return ast.Target{Query: g.query(), Alias: g.name()}
	}
	return ast.Target{Name: g.qname(), Alias: g.optionalName()}
}

func (g *gen) insert() *ast.InsertStmt {
	n := &ast.InsertStmt{Table: ast.Target{Name: g.qname()}}
	switch g.upTo(4) {
	case 0:
		n.DefaultValues = true
		n.Or = ast.ConflictAction(g.upTo(6))
		return n
	case 1:
		n.Columns = g.optionalNames()
		v := g.values()
		v.Rows[0][0] = &ast.DefaultCell{}
		n.Source = &ast.SelectStmt{Body: v}
	default:
		n.Columns = g.optionalNames()
		n.Source = g.query()
	}
	if g.chance(3) {
		n.Or = ast.ConflictAction(g.upTo(6))
		return n
	}
	n.Upserts = maybe(g, 3, func() []ast.Upsert { return some(g, 2, g.upsert) })
	return n
}

func (g *gen) upsert() ast.Upsert {
	u := ast.Upsert{Columns: g.optionalNames(), Update: g.chance(2)}
	if u.Update {
		u.Set = g.assignments()
		u.Where = g.optionalExpr(3)
	}
	return u
}
