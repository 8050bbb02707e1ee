package parse

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
)

// startsQuery reports whether a query that is not in brackets begins with the token.
func (t token) startsQuery() bool {
	switch t.word {
	case wSelect, wValues, wWith, wInsert, wUpdate, wDelete:
		return true
	}
	return false
}

// continuesQuery reports whether the token goes on with a query after a leg in brackets.
func (p *parser) continuesQuery() bool {
	switch p.tok.word {
	case wOrder, wLimit, wWith:
		return true
	}
	_, ok := setOperator(p.tok.word)
	return ok
}

// query parses a query expression. Data changes in it need RETURNING.
func (p *parser) query() *ast.SelectStmt {
	p.enter()
	from, height := p.tok.from, p.height
	p.height = 0
	var with *ast.With
	if p.isWord(wWith) {
		with = p.with()
	}
	q := p.queryAfterWith(from, with)
	p.height = max(p.height, height)
	p.leave()
	return q
}

func (p *parser) queryAfterWith(from ast.Pos, with *ast.With) *ast.SelectStmt {
	return p.queryTail(from, with, p.compound(p.leg()))
}

// continueQuery parses the rest of a query whose first leg is q in brackets. Without a rest it is q itself.
func (p *parser) continueQuery(q *ast.SelectStmt) *ast.SelectStmt {
	if !p.continuesQuery() {
		return q
	}
	p.grow(1)
	return p.queryTail(q.From, nil, p.compound(&ast.ParenQuery{Span: q.Span, Query: q}))
}

// queryTail parses what belongs to the whole of a compound. Brackets around a query that has nothing else are dropped.
func (p *parser) queryTail(from ast.Pos, with *ast.With, body ast.QueryTerm) *ast.SelectStmt {
	q := &ast.SelectStmt{With: with, Body: body}
	q.OrderBy = p.optionalOrderBy()
	p.limit(q)
	if p.isWord(wWith) && p.peek().word == wDefaults {
		p.next()
		p.next()
		q.Defaults = p.assignments("WITH DEFAULTS")
	}
	if inner, ok := body.(*ast.ParenQuery); ok && with == nil && q.OrderBy == nil && q.Limit == nil && q.Defaults == nil {
		return inner.Query
	}
	p.grow(2) // itself and its core
	q.Span = p.span(from)
	return q
}

// limit parses LIMIT count [OFFSET skip] and LIMIT skip, count.
func (p *parser) limit(q *ast.SelectStmt) {
	if !p.acceptWord(wLimit) {
		return
	}
	q.Limit = p.expr()
	switch {
	case p.acceptWord(wOffset):
		q.Offset = p.expr()
	case p.accept(kComma):
		q.Limit, q.Offset = p.expr(), q.Limit
	}
}

func setOperator(w word) (ast.SetOpKind, bool) {
	switch w {
	case wUnion:
		return ast.Union, true
	case wIntersect:
		return ast.Intersect, true
	case wExcept:
		return ast.Except, true
	case wDiff:
		return ast.Diff, true
	}
	return 0, false
}

// compound parses the set operations after the first leg. A leg in brackets groups with what is before it, any other takes
// the rest of the chain to its right (docs/reference/language.md); the pending legs are folded from the end, so that a long chain costs no
// stack.
func (p *parser) compound(leg ast.QueryTerm) ast.QueryTerm {
	var pending []*ast.SetOp
	for terms := 2; ; terms++ {
		op, ok := setOperator(p.tok.word)
		if !ok {
			break
		}
		p.atMost(limit.CompoundTerms, terms, p.tok.from, "queries in one")
		p.next()
		if op == ast.Union && p.acceptWord(wAll) {
			op = ast.UnionAll
		}
		set := &ast.SetOp{Span: leg.Extent(), Op: op, Flags: p.branchFlags(), L: leg}
		bracketed := p.is(kLParen)
		leg = p.leg()
		p.grow(1)
		if p.err != nil {
			return leg
		}
		if bracketed {
			set.R, set.To = leg, p.prev.to
			leg = set
		} else {
			pending = append(pending, set)
		}
	}
	for i := len(pending) - 1; i >= 0; i-- {
		pending[i].R, pending[i].To = leg, p.prev.to
		leg = pending[i]
	}
	return leg
}

// branchFlags parses `exists left as n, exists right as m` after a set operator.
func (p *parser) branchFlags() []ast.BranchFlag {
	var flags []ast.BranchFlag
	for p.acceptWord(wExists) {
		right := p.isWord(wRight)
		if !p.acceptWord(wLeft) && !p.acceptWord(wRight) {
			p.expected("LEFT or RIGHT after EXISTS in set operation")
		}
		p.expectWord(wAs, "'AS' after EXISTS LEFT or RIGHT")
		flags = append(flags, ast.BranchFlag{Right: right, Name: p.name(contextual, "identifier after 'AS'")})
		if !p.accept(kComma) {
			return flags
		}
		if !p.isWord(wExists) {
			p.expected("'EXISTS' after ','")
		}
	}
	return flags
}

// leg parses an operand of a set operation.
func (p *parser) leg() ast.QueryTerm {
	height := p.height
	p.height = 0
	term := p.legTerm()
	p.height = max(p.height, height)
	return term
}

func (p *parser) legTerm() ast.QueryTerm {
	from := p.tok.from
	switch p.tok.word {
	case wSelect:
		return p.selectCore()
	case wValues:
		return p.values(false)
	case wInsert:
		return p.relation(p.insert(from, nil))
	case wUpdate:
		return p.relation(p.update(from, nil))
	case wDelete:
		return p.relation(p.delete(from, nil))
	}
	if !p.is(kLParen) {
		p.expected("SELECT, VALUES, INSERT, UPDATE, or DELETE in query expression")
		return &ast.SelectCore{}
	}
	p.open("'('")
	q := p.query()
	p.close(from, "after subquery")
	p.grow(1)
	return &ast.ParenQuery{Span: p.span(from), Query: q}
}

// relation refuses a data change without RETURNING where rows are wanted.
func (p *parser) relation(term ast.QueryTerm) ast.QueryTerm {
	var kind string
	var returning []ast.SelectItem
	switch s := term.(type) {
	case *ast.InsertStmt:
		kind, returning = "INSERT", s.Returning
	case *ast.UpdateStmt:
		kind, returning = "UPDATE", s.Returning
	case *ast.DeleteStmt:
		kind, returning = "DELETE", s.Returning
	}
	if returning == nil {
		p.fail(term.Pos(), types.ERROR, kind+" in a relation position must have a RETURNING clause.", "")
	}
	return term
}

// with parses WITH and its members.
func (p *parser) with() *ast.With {
	from := p.tok.from
	p.next()
	w := &ast.With{Recursive: p.acceptWord(wRecursive)}
	for {
		w.Members = append(w.Members, p.cte())
		if !p.accept(kComma) {
			break
		}
	}
	if p.acceptWord(wOption) {
		open := p.open("'(' after OPTION")
		p.expectWord(wMaxrecursion, "MAXRECURSION in OPTION")
		if p.is(kInteger) {
			w.MaxRecursion = p.text(p.tok)
		}
		p.expect(kInteger, "number after MAXRECURSION")
		p.close(open, "after OPTION")
	}
	w.Span = p.span(from)
	return w
}

func (p *parser) cte() ast.CTE {
	from := p.tok.from
	c := ast.CTE{Name: p.name(contextual, "CTE name"), Columns: p.optionalNames()}
	p.expectWord(wAs, "'AS' after CTE name")
	if p.acceptWord(wNot) {
		p.expectWord(wMaterialized, "'MATERIALIZED' after NOT")
		c.Materialized = ast.MaterializeNo
	} else if p.acceptWord(wMaterialized) {
		c.Materialized = ast.MaterializeYes
	}
	open := p.open("'(' before CTE query")
	c.Query = p.query()
	p.close(open, "after CTE query")
	p.grow(1)
	c.Span = p.span(from)
	return c
}

// values parses VALUES. In the source of an INSERT a cell may be the word DEFAULT.
func (p *parser) values(defaults bool) *ast.ValuesClause {
	from := p.tok.from
	p.next()
	v := &ast.ValuesClause{}
	for {
		at := p.tok.from
		row := p.valuesRow(defaults)
		if len(v.Rows) > 0 && len(row) != len(v.Rows[0]) {
			p.fail(at, types.SYNTAX, "All rows must have the same number of columns.", "")
		}
		v.Rows = append(v.Rows, row)
		if !p.accept(kComma) {
			break
		}
	}
	v.Span = p.span(from)
	return v
}

func (p *parser) valuesRow(defaults bool) []ast.Expr {
	open := p.open("'(' before values")
	mark := p.exprs.mark()
	for {
		if defaults && p.isWord(wDefault) && p.peek().endsCell() {
			p.next()
			p.exprs.push(&ast.DefaultCell{Span: ast.Span{From: p.prev.from, To: p.prev.to}})
		} else {
			p.exprs.push(p.expr())
		}
		if !p.accept(kComma) {
			break
		}
	}
	p.close(open, "after values")
	return p.exprs.take(mark)
}

func (t token) endsCell() bool { return t.kind == kComma || t.kind == kRParen }
