package parse

import (
	"strconv"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
)

// primary parses an expression that needs no brackets anywhere.
func (p *parser) primary() ast.Expr {
	switch p.tok.kind {
	case kString, kBlob, kInteger, kReal:
		return p.literal()
	case kQuestion, kColon, kDollar:
		return p.param()
	case kLParen:
		return p.bracketed()
	case kQuoted:
		return p.reference()
	case kWord:
		return p.wordPrimary()
	}
	p.expected("expression")
	return nil
}

func (p *parser) wordPrimary() ast.Expr {
	switch p.tok.word {
	case wNull, wTrue, wFalse:
		return p.literal()
	case wCase:
		return p.caseExpr()
	case wCast:
		return p.cast()
	case wExists:
		return p.exists()
	case wReplace:
		if p.peek().kind == kLParen {
			return p.call(p.takeName())
		}
	case wTemp, wTemporary:
		if p.peek().kind == kDot {
			return p.reference()
		}
	}
	if p.tok.word.class() < contextual && !p.isForeignName(p.tok) {
		p.failHere("Expected expression."+p.got(), p.reservedOperandHint())
		return nil
	}
	return p.reference()
}

// literal takes the token, which must be a literal.
func (p *parser) literal() *ast.Literal {
	t := p.tok
	x := p.literals.new()
	x.Span = ast.Span{From: t.from, To: t.to}
	switch t.kind {
	case kString:
		x.Kind, x.Text = ast.TextLit, unquote(p.text(t), t.escaped)
	case kBlob:
		x.Kind, x.Text = ast.BlobLit, blobBytes(p.text(t))
	case kInteger:
		x.Kind, x.Text = ast.IntegerLit, p.text(t)
	case kReal:
		x.Kind, x.Text = ast.RealLit, p.text(t)
	default:
		switch t.word {
		case wTrue:
			x.Kind = ast.TrueLit
		case wFalse:
			x.Kind = ast.FalseLit
		}
	}
	p.checkLiteral(x)
	p.next()
	return x
}

// blobBytes gives the bytes of x'…', which the scanner has checked.
func blobBytes(text string) string {
	out := make([]byte, 0, len(text)/2)
	half, odd := byte(0), false
	for _, c := range []byte(text[2 : len(text)-1]) {
		if byteClass[c]&hexDigit == 0 {
			continue
		}
		value := c - '0'
		if c > '9' {
			value = c | 0x20 - 'a' + 10
		}
		if odd {
			out = append(out, half<<4|value)
		}
		half, odd = value, !odd
	}
	return string(out)
}

// constant takes a literal that may have a sign before a number; the sign becomes part of its text. Blobs are none.
func (p *parser) constant(what string) *ast.Literal {
	from := p.tok.from
	if p.is(kMinus) {
		if k := p.peek().kind; k == kInteger || k == kReal {
			p.next()
			x := p.literal()
			x.Span, x.Text = p.span(from), "-"+x.Text
			return x
		}
	}
	if p.is(kString) || p.is(kInteger) || p.is(kReal) || p.isWord(wNull) || p.isWord(wTrue) || p.isWord(wFalse) {
		return p.literal()
	}
	p.expected(what)
	return &ast.Literal{}
}

// param parses `?`, `:name`, `$name` and `:1`; space may follow the mark.
func (p *parser) param() ast.Expr {
	t := p.tok
	p.next()
	x := &ast.Param{}
	switch {
	case t.kind == kQuestion:
		p.params++
		x.Index, x.Question = p.params, true
	case p.is(kInteger):
		x.Index = p.position()
	default:
		x.Name = p.name(free, "parameter name").Text
	}
	x.Span = p.span(t.from)
	return x
}

// position takes the number of a parameter.
func (p *parser) position() int {
	n, err := strconv.Atoi(p.text(p.tok))
	if err != nil || n < 1 {
		p.expected("parameter position of 1 or more")
	}
	p.next()
	return n
}

// bracketed parses `( … )`: a query, a row value, or an expression, whose brackets are dropped.
func (p *parser) bracketed() ast.Expr {
	from := p.open("'('")
	if p.tok.startsQuery() {
		q := p.query()
		p.close(from, "after subquery")
		p.grow(1)
		return &ast.Subquery{Span: p.span(from), Query: q}
	}
	x := p.expr()
	if sub, ok := x.(*ast.Subquery); ok && p.continuesQuery() {
		q := p.continueQuery(sub.Query)
		p.close(from, "after subquery")
		p.grow(1)
		return &ast.Subquery{Span: p.span(from), Query: q}
	}
	if !p.is(kComma) {
		p.close(from, "after expression")
		return x
	}
	mark := p.exprs.mark()
	p.exprs.push(x)
	p.next()
	p.pushExprs()
	p.close(from, "after row value")
	p.grow(1)
	return &ast.RowExpr{Span: p.span(from), Elems: p.exprs.take(mark)}
}

func (p *parser) exists() ast.Expr {
	from := p.tok.from
	p.next()
	open := p.open("'(' after EXISTS")
	q := p.query()
	p.close(open, "after EXISTS subquery")
	p.grow(1)
	return &ast.Exists{Span: p.span(from), Query: q}
}

func (p *parser) cast() ast.Expr {
	from := p.tok.from
	p.next()
	x := &ast.Cast{}
	open := p.open("'(' after CAST")
	x.X = p.expr()
	p.expectWord(wAs, "'AS' in CAST expression")
	if !p.tok.admits(contextual) {
		p.expected("type name after 'AS' in CAST expression")
		return x
	}
	x.Type = *p.typeName(p.castArg)
	if len(x.Type.Args) > 2 {
		p.fail(x.Type.From, types.ERROR, "Expected at most two lengths for the type of CAST.", "")
	}
	p.close(open, "after CAST expression type")
	p.grow(1)
	x.Span = p.span(from)
	return x
}

// castArg takes a length of the type of a CAST.
func (p *parser) castArg() {
	p.expect(kInteger, "length of the type")
}

func (p *parser) caseExpr() ast.Expr {
	from := p.tok.from
	p.next()
	x := &ast.Case{}
	if !p.isWord(wWhen) {
		x.Operand = p.expr()
	}
	if !p.isWord(wWhen) {
		p.failHere("CASE expression must have at least one WHEN clause.")
	}
	for p.acceptWord(wWhen) {
		cond := p.expr()
		p.expectWord(wThen, "'THEN' after WHEN condition")
		x.Whens = append(x.Whens, ast.When{Cond: cond, Then: p.expr()})
	}
	if p.acceptWord(wElse) {
		x.Else = p.expr()
	}
	p.expectWord(wEnd, "'END' to terminate CASE expression")
	p.grow(1)
	x.Span = p.span(from)
	return x
}

// reference parses a column or a call: the token is a name.
func (p *parser) reference() ast.Expr {
	from := p.tok.from
	name := p.name(schemaWord, "expression")
	if p.is(kLParen) {
		return p.call(name)
	}
	x := p.columns.new()
	x.Column = name
	for parts := 1; parts < 3 && p.accept(kDot); parts++ {
		x.Schema, x.Table = x.Table, x.Column
		x.Column = p.name(contextual, "column name after '.'")
	}
	x.Span = p.span(from)
	return x
}

// call parses what follows the name of a function.
func (p *parser) call(name ast.Name) ast.Expr {
	x := &ast.Call{Name: name}
	open := p.open("'(' after function name")
	switch {
	case p.accept(kStar):
		x.Star = true
	case !p.is(kRParen):
		if x.Distinct = p.acceptWord(wDistinct); x.Distinct && p.is(kStar) {
			p.failHere("'*' cannot be used with other arguments in function call.")
		}
		if !x.Distinct {
			p.acceptWord(wAll) // the default, as in SELECT ALL
		}
		x.Args = p.exprSequence()
		p.atMost(limit.Arguments, len(x.Args), x.From, "arguments of a function")
		x.OrderBy = p.optionalOrderBy()
	}
	p.close(open, "after function arguments")
	if p.isWord(wFilter) && p.peek().kind == kLParen {
		p.next()
		open = p.open("'('")
		p.expectWord(wWhere, "'WHERE' in FILTER")
		x.Filter = p.expr()
		p.close(open, "after FILTER condition")
	}
	x.Nulls = p.nullTreatment()
	if p.acceptWord(wOver) {
		x.Over = p.over()
	}
	p.grow(1)
	x.Span = p.span(name.From)
	return x
}

// nullTreatment parses IGNORE NULLS or RESPECT NULLS before OVER. Elsewhere RESPECT is a name.
func (p *parser) nullTreatment() ast.NullTreatment {
	isRespect := p.tok.kind == kWord && types.EqualFold(p.src.Text[p.tok.from:p.tok.to], "respect")
	if !p.isWord(wIgnore) && !isRespect || p.peek().word != wNulls {
		return ast.NullsUnsaid
	}
	p.next()
	p.next()
	if isRespect {
		return ast.RespectNulls
	}
	return ast.IgnoreNulls
}

// typeName parses a type, whose name the token must be, and the arguments in brackets behind it.
func (p *parser) typeName(arg func()) *ast.TypeName {
	t := p.typeNames.new()
	name := p.name(contextual, "type name")
	t.Name, t.Quoted = name.Text, name.Quoted
	if p.is(kLParen) {
		p.typeArgs(t, arg)
	}
	t.Span = p.span(name.From)
	return t
}

func (p *parser) typeArgs(t *ast.TypeName, arg func()) {
	open := p.open("'('")
	for {
		from := p.tok.from
		arg()
		t.Args = append(t.Args, p.src.Text[from:max(from, p.prev.to)])
		if !p.accept(kComma) {
			break
		}
	}
	p.close(open, "after type arguments")
}
