package parse

import "github.com/quereus/quereus-migrate/engine/ast"

// fromClause parses what follows FROM: sources and joins, grouped to the left.
func (p *parser) fromClause() ast.TableExpr {
	height := p.height
	p.height = 0
	p.enter()
	from := p.tok.from
	x := p.joins(p.source(), from)
	p.leave()
	p.height = max(p.height, height)
	return x
}

func (p *parser) joins(left ast.TableExpr, from ast.Pos) ast.TableExpr {
	for {
		j := p.joinHead()
		if j == nil {
			return left
		}
		j.L, j.R = left, p.source()
		p.joinTail(j)
		p.grow(1)
		j.Span = p.span(from)
		left = j
	}
}

// joinHead parses the words of a join up to its right side. It gives nil when no join comes.
func (p *parser) joinHead() *ast.Join {
	switch p.tok.word {
	case wNatural, wInner, wLeft, wRight, wFull, wCross, wJoin:
	default:
		if p.accept(kComma) {
			return &ast.Join{Kind: ast.CommaJoin}
		}
		return nil
	}
	j := &ast.Join{Natural: p.acceptWord(wNatural)}
	switch {
	case p.acceptWord(wInner):
	case p.acceptWord(wLeft):
		j.Kind = ast.LeftJoin
		p.acceptWord(wOuter)
	case p.acceptWord(wRight):
		j.Kind = ast.RightJoin
		p.acceptWord(wOuter)
	case p.acceptWord(wFull):
		j.Kind = ast.FullJoin
		p.acceptWord(wOuter)
	case !j.Natural && p.acceptWord(wCross):
		j.Kind = ast.CrossJoin
	}
	p.expectWord(wJoin, "'JOIN'")
	j.Lateral = !j.Natural && p.acceptWord(wLateral)
	return j
}

// joinTail parses the condition and the match flags.
func (p *parser) joinTail(j *ast.Join) {
	if j.Natural || j.Kind == ast.CommaJoin {
		return
	}
	switch {
	case p.isWord(wOn) && p.peek().word != wConflict: // `on conflict` belongs to an INSERT around the query
		p.next()
		j.On = p.expr()
	case p.acceptWord(wUsing):
		j.Using = p.nameList("'(' after USING", "after USING columns")
	case j.Kind != ast.CrossJoin:
		p.expected("'ON' or 'USING' after JOIN")
	}
	if p.isWord(wExists) {
		j.Flags = p.matchFlags()
	}
}

// matchFlags parses `exists [left|right] as name, …` after the condition of a join. A comma goes on with the flags only
// when EXISTS follows; else it begins the next source.
func (p *parser) matchFlags() []ast.MatchFlag {
	var flags []ast.MatchFlag
	for {
		f := ast.MatchFlag{Pos: p.tok.from}
		p.next()
		switch {
		case p.acceptWord(wLeft):
			f.Side = ast.FlagLeft
		case p.acceptWord(wRight):
			f.Side = ast.FlagRight
		}
		p.expectWord(wAs, "'AS' after EXISTS in a join")
		f.Name = p.name(contextual, "identifier after 'AS'")
		flags = append(flags, f)
		if !p.is(kComma) || p.peek().word != wExists {
			return flags
		}
		p.next()
	}
}

// source parses one source of FROM.
func (p *parser) source() ast.TableExpr {
	from := p.tok.from
	if p.is(kLParen) {
		return p.bracketedSource()
	}
	if p.tok.admits(contextual) && p.peek().kind == kLParen {
		return p.tableFunc()
	}
	t := &ast.TableRef{Name: p.qname("table name")}
	t.Alias = p.alias()
	t.Span = p.span(from)
	return t
}

func (p *parser) tableFunc() ast.TableExpr {
	f := &ast.TableFunc{Name: p.takeName()}
	open := p.open("'('")
	if !p.is(kRParen) {
		f.Args = p.exprSequence()
	}
	p.close(open, "after function arguments")
	p.grow(1)
	f.Alias, f.Columns = p.sourceAlias()
	f.Span = p.span(f.Name.From)
	return f
}

// sourceAlias parses `[as] name [(columns)]` if it is there.
func (p *parser) sourceAlias() (ast.Name, []ast.Name) {
	alias := p.alias()
	if alias.IsZero() {
		return alias, nil
	}
	return alias, p.optionalNames()
}

// bracketedSource parses `(query) alias` and `(source)`. A source in brackets that turns out to be a query without an alias
// may be the first leg of a longer query.
func (p *parser) bracketedSource() ast.TableExpr {
	from := p.open("'('")
	if p.tok.startsQuery() {
		q := p.query()
		return p.subquerySource(from, q)
	}
	x := p.fromClause()
	if sub, ok := x.(*ast.TableSubquery); ok && sub.Alias.IsZero() && (p.is(kRParen) || p.continuesQuery()) {
		return p.subquerySource(from, p.continueQuery(sub.Query))
	}
	p.close(from, "after FROM source")
	p.grow(1)
	return &ast.ParenTable{Span: p.span(from), X: x}
}

func (p *parser) subquerySource(from ast.Pos, q *ast.SelectStmt) ast.TableExpr {
	p.close(from, "after subquery")
	p.grow(1)
	s := &ast.TableSubquery{Query: q}
	s.Alias, s.Columns = p.sourceAlias()
	s.Span = p.span(from)
	return s
}
