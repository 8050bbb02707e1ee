package parse

import "github.com/quereus/quereus-migrate/engine/ast"

// selectCore parses one SELECT, up to what belongs to the whole of a compound.
func (p *parser) selectCore() *ast.SelectCore {
	from := p.tok.from
	p.next()
	s := &ast.SelectCore{}
	if s.Distinct = p.acceptWord(wDistinct); !s.Distinct {
		s.All = p.acceptWord(wAll)
	}
	s.Items = p.selectItems()
	if p.acceptWord(wFrom) {
		s.From = p.fromClause()
	}
	if p.acceptWord(wWhere) {
		s.Where = p.expr()
	}
	if p.acceptWord(wGroup) {
		p.expectWord(wBy, "'BY' after 'GROUP'")
		if s.GroupAll = p.acceptWord(wAll); !s.GroupAll {
			s.GroupBy = p.exprSequence()
		}
	}
	if p.acceptWord(wHaving) {
		s.Having = p.expr()
	}
	if p.isWord(wWindow) && p.atWindowClause() {
		s.Windows = p.windowClause()
	}
	if p.isWord(wWith) && p.peek().word == wSchema {
		s.SchemaPath = p.schemaPath()
	}
	s.Span = p.span(from)
	return s
}

// schemaPath parses WITH SCHEMA name, ….
func (p *parser) schemaPath() []ast.Name {
	p.next()
	p.next()
	return p.nameSequence(schemaWord, "schema name after WITH SCHEMA")
}

func (p *parser) selectItems() []ast.SelectItem {
	mark := p.items.mark()
	for {
		item := p.item()
		if p.isWord(wWith) && p.peek().word == wInverse {
			p.next()
			p.next()
			item.Inverse = p.assignments("WITH INVERSE")
			item.To = p.prev.to
		}
		p.items.push(item)
		if !p.accept(kComma) {
			return p.items.take(mark)
		}
	}
}

// returning parses RETURNING if it is there.
func (p *parser) returning() []ast.SelectItem {
	if !p.acceptWord(wReturning) {
		return nil
	}
	mark := p.items.mark()
	for {
		p.items.push(p.item())
		if !p.accept(kComma) {
			return p.items.take(mark)
		}
	}
}

// item parses `*`, `t.*`, `s.t.*`, or an expression with an alias.
func (p *parser) item() ast.SelectItem {
	from := p.tok.from
	item := ast.SelectItem{}
	switch {
	case p.accept(kStar):
		item.Star = true
	case p.tok.admits(schemaWord) && p.peek().kind == kDot && p.starBehindDot():
		item.Star, item.Table = true, p.takeName()
		p.next()
		if !p.accept(kStar) {
			item.Schema, item.Table = item.Table, p.takeName()
			p.next()
			p.next()
		}
	default:
		item.X = p.expr()
		item.Alias = p.columnAlias()
	}
	item.Span = p.span(from)
	return item
}

// starBehindDot reports whether `*` or `name . *` stands behind the dot that has just been peeked at.
func (p *parser) starBehindDot() bool {
	scan := p.scan
	var t token
	scan.scan(&t)
	if t.admits(schemaWord) {
		scan.scan(&t)
		if t.kind != kDot {
			return false
		}
		scan.scan(&t)
	}
	return t.kind == kStar
}

// optionalOrderBy parses ORDER BY if it is there.
func (p *parser) optionalOrderBy() []ast.OrderTerm {
	if !p.acceptWord(wOrder) {
		return nil
	}
	p.expectWord(wBy, "'BY' after 'ORDER'")
	var terms []ast.OrderTerm
	for {
		t := ast.OrderTerm{X: p.expr(), Desc: p.direction()}
		if p.acceptWord(wNulls) {
			switch {
			case p.acceptWord(wFirst):
				t.Nulls = ast.NullsFirst
			case p.acceptWord(wLast):
				t.Nulls = ast.NullsLast
			default:
				p.expected("'FIRST' or 'LAST' after 'NULLS'")
			}
		}
		terms = append(terms, t)
		if !p.accept(kComma) {
			return terms
		}
	}
}

// direction parses ASC or DESC if one is there, and reports whether it was DESC.
func (p *parser) direction() (desc bool) {
	if p.acceptWord(wDesc) {
		return true
	}
	p.acceptWord(wAsc)
	return false
}

// assignments parses the list in brackets after WITH INVERSE and WITH DEFAULTS.
func (p *parser) assignments(clause string) []ast.Assignment {
	open := p.open("'(' after " + clause)
	list := p.assignmentSequence("column name in "+clause, "'=' after column name in "+clause)
	p.close(open, "after "+clause+" list")
	return list
}

// assignmentSequence parses `name = expr, …`.
func (p *parser) assignmentSequence(name, equals string) []ast.Assignment {
	var list []ast.Assignment
	for {
		a := ast.Assignment{Column: p.name(contextual, name)}
		p.expect(kEq, equals)
		a.X = p.expr()
		list = append(list, a)
		if !p.accept(kComma) {
			return list
		}
	}
}
