package parse

import "github.com/quereus/quereus-migrate/engine/ast"

// expr parses an expression of any level.
func (p *parser) expr() ast.Expr { return p.operand(ast.LevelOr) }

// operand parses an expression whose operators are of level min or tighter: precedence climbing. p.height grows to the
// height of the result if that is larger.
func (p *parser) operand(min ast.Level) ast.Expr {
	p.enter()
	from, height := p.tok.from, p.height
	p.height = 0
	x, most := p.prefixed(min)
	for {
		op, ok := p.infix(min, most)
		if !ok {
			break
		}
		x, most = p.combine(x, from, op)
	}
	p.height = max(p.height, height)
	p.leave()
	return x
}

// wordInfix gives the operators that are words. The op of those without a BinaryOp is not used.
var wordInfix = makeWordInfix()

func makeWordInfix() (table [256]infix) {
	table[wOr] = infix{ast.OpOr, ast.LevelOr}
	table[wXor] = infix{ast.OpXor, ast.LevelOr}
	table[wAnd] = infix{ast.OpAnd, ast.LevelAnd}
	table[wIs] = infix{level: ast.LevelIs}
	table[wIsnull], table[wNotnull] = table[wIs], table[wIs]
	for _, w := range []word{wNot, wBetween, wIn, wLike, wGlob, wRegexp} {
		table[w] = infix{level: ast.LevelCompare}
	}
	table[wCollate] = infix{level: ast.LevelCollate}
	return table
}

// infix tells which operator the token is, if it is one that may stand here: its level between min and most.
func (p *parser) infix(min, most ast.Level) (infix, bool) {
	var op infix
	if p.is(kWord) {
		op = wordInfix[p.tok.word]
	} else {
		op = symbolInfix[p.tok.kind]
	}
	if op.level == 0 || op.level < min || op.level > most {
		return infix{}, false
	}
	switch p.tok.word {
	case wNot:
		switch p.peek().word {
		case wBetween, wIn, wLike, wGlob, wRegexp:
		case wNull:
			return p.nullTestHere(min, most)
		default:
			return infix{}, false
		}
	case wNotnull, wIsnull:
		return p.nullTestHere(min, most)
	case wGlob, wRegexp: // an alias unless an operand follows
		return op, p.peek().startsOperand()
	case wCollate:
		if p.parens == p.defaultParens && p.lookahead(p.collatesColumn) {
			return op, false
		}
		return op, p.parens != p.memberParens || !p.lookahead(p.collatesMember)
	}
	return op, true
}

// startsOperand reports whether an operand of a level above NOT can begin with the token.
func (t token) startsOperand() bool {
	switch t.kind {
	case kWord:
		switch t.word {
		case wNull, wTrue, wFalse, wCase, wCast, wExists, wReplace:
			return true
		}
		return t.word.class() >= contextual
	case kQuoted, kString, kBlob, kInteger, kReal, kLParen, kQuestion, kColon, kDollar, kPlus, kMinus, kTilde:
		return true
	}
	return false
}

// combine parses what follows left and its operator, and tells how tight an operator may come next.
func (p *parser) combine(left ast.Expr, from ast.Pos, op infix) (ast.Expr, ast.Level) {
	if p.is(kWord) {
		switch p.tok.word {
		case wOr, wAnd:
			return p.chain(left, from, op), op.level
		case wIs:
			return p.isTest(left, from), ast.LevelNot
		case wIsnull, wNotnull:
			return p.nullTest(left, from), ast.LevelNot
		case wNot:
			if p.peek().word == wNull {
				return p.nullTest(left, from), ast.LevelNot
			}
			return p.predicate(left, from), op.level
		case wCollate:
			return p.collate(left, from), ast.LevelConcat
		case wXor:
		default:
			return p.predicate(left, from), op.level
		}
	}
	at := p.tok.from
	p.next()
	right := p.operand(op.level + 1)
	p.grow(1)
	if op.op == ast.OpJSONText {
		p.grow(1) // it prints as a cast of a call
	}
	b := p.binaries.new()
	*b = ast.Binary{Span: p.span(from), Op: op.op, OpPos: at, L: left, R: right}
	return b, op.level
}

// term is an operand of a chain, with the place of the operator in front of it.
type term struct {
	x  ast.Expr
	op ast.Pos
	ast.Span
}

// chain parses the rest of `left op x op x …` with one operator, AND or OR.
func (p *parser) chain(left ast.Expr, from ast.Pos, op infix) ast.Expr {
	mark, w := len(p.terms), p.tok.word
	p.terms = append(p.terms, term{x: left, Span: p.span(from)})
	for p.isWord(w) {
		at := p.tok.from
		p.next()
		start := p.tok.from
		right := p.operand(op.level + 1)
		p.terms = append(p.terms, term{right, at, p.span(start)})
	}
	terms := p.terms[mark:]
	var x term
	if len(terms) <= maxLinks {
		x = p.leftDeep(terms, op.op)
	} else {
		x = p.balanced(terms, op.op)
		for n := len(terms) - 1; n > 0; n /= 2 {
			p.grow(1)
		}
	}
	p.terms = p.terms[:mark]
	return x.x
}

func (p *parser) link(l, r term, op ast.BinaryOp) term {
	b := p.binaries.new()
	*b = ast.Binary{Span: ast.Span{From: l.From, To: r.To}, Op: op, OpPos: r.op, L: l.x, R: r.x}
	return term{b, l.op, b.Span}
}

func (p *parser) leftDeep(terms []term, op ast.BinaryOp) term {
	x := terms[0]
	for _, r := range terms[1:] {
		x = p.link(x, r, op)
		p.grow(1)
	}
	return x
}

func (p *parser) balanced(terms []term, op ast.BinaryOp) term {
	if len(terms) == 1 {
		return terms[0]
	}
	half := len(terms) / 2
	return p.link(p.balanced(terms[:half], op), p.balanced(terms[half:], op), op)
}

// prefixed parses a prefix operator with its operand, or a primary, and tells how tight an operator may come next.
func (p *parser) prefixed(min ast.Level) (ast.Expr, ast.Level) {
	switch {
	case p.isWord(wNot):
		if min <= ast.LevelNot {
			return p.unary(ast.OpNot), ast.LevelAnd
		}
	case p.is(kMinus):
		if min <= ast.LevelSign {
			return p.unary(ast.OpNeg), ast.LevelProduct
		}
	case p.is(kPlus):
		if min <= ast.LevelSign {
			return p.unary(ast.OpPlus), ast.LevelProduct
		}
	case p.is(kTilde):
		if min <= ast.LevelSign {
			return p.unary(ast.OpBitNot), ast.LevelProduct
		}
	default:
		return p.primary(), ast.LevelJSON
	}
	p.expected("expression")
	return nil, ast.LevelJSON
}

func (p *parser) unary(op ast.UnaryOp) ast.Expr {
	from := p.tok.from
	p.next()
	x := p.operand(op.Level())
	p.grow(1)
	return &ast.Unary{Span: p.span(from), Op: op, X: x}
}

// isTest parses IS after its subject. A bare null, true or false keeps its own meaning.
func (p *parser) isTest(left ast.Expr, from ast.Pos) ast.Expr {
	p.next()
	x := &ast.Is{X: left, Not: p.acceptWord(wNot)}
	switch {
	case p.acceptWord(wNull):
		x.Op = ast.IsNull
	case p.acceptWord(wTrue):
		x.Op = ast.IsTrue
	case p.acceptWord(wFalse):
		x.Op = ast.IsFalse
	case p.acceptWord(wDistinct):
		p.expectWord(wFrom, "'FROM' after IS DISTINCT")
		x.Op, x.Y = ast.IsDistinctFrom, p.operand(ast.LevelCompare)
	default:
		x.Op, x.Y = ast.IsValue, p.operand(ast.LevelCompare)
	}
	p.grow(1)
	x.Span = p.span(from)
	return x
}

func (p *parser) collate(left ast.Expr, from ast.Pos) ast.Expr {
	p.next()
	c := p.collationName()
	p.grow(1)
	return &ast.Collate{Span: p.span(from), X: left, Collation: c}
}

func (p *parser) collationName() ast.Name {
	return p.name(contextual, "collation name after COLLATE")
}

// predicate parses [NOT] BETWEEN, IN, LIKE, GLOB or REGEXP after its subject.
func (p *parser) predicate(left ast.Expr, from ast.Pos) ast.Expr {
	not := p.acceptWord(wNot)
	w := p.tok.word
	p.next()
	switch w {
	case wBetween:
		lo := p.operand(ast.LevelBits)
		p.expectWord(wAnd, "'AND' between the bounds of BETWEEN")
		hi := p.operand(ast.LevelBits)
		p.grow(1)
		return &ast.Between{Span: p.span(from), X: left, Not: not, Lo: lo, Hi: hi}
	case wIn:
		return p.in(left, from, not)
	}
	x := &ast.Match{X: left, Not: not}
	switch w {
	case wGlob:
		x.Op = ast.OpGlob
	case wRegexp:
		x.Op = ast.OpRegexp
	}
	x.P = p.operand(ast.LevelBits)
	if w == wLike && p.isWord(wEscape) && p.peek().startsOperand() {
		p.next()
		x.Escape = p.operand(ast.LevelBits)
	}
	p.growPredicate(not)
	x.Span = p.span(from)
	return x
}

// growPredicate counts a predicate, and the NOT around it: `a not in b` prints as `not a in b`.
func (p *parser) growPredicate(not bool) {
	p.grow(1)
	if not {
		p.grow(1)
	}
}

// in parses what follows IN: a list, a query, or the name of a relation.
func (p *parser) in(left ast.Expr, from ast.Pos, not bool) ast.Expr {
	x := &ast.In{X: left, Not: not}
	if !p.is(kLParen) {
		name := p.qname("'(' or table name after IN")
		x.Table = &name
	} else {
		open := p.open("'('")
		if p.tok.startsQuery() {
			x.Query = p.query()
		} else if !p.is(kRParen) {
			x.List = p.exprSequence()
			if sub, ok := soleQuery(x.List); ok {
				x.Query, x.List = p.continueQuery(sub), nil
			}
		}
		p.close(open, "after IN list")
	}
	p.growPredicate(not)
	x.Span = p.span(from)
	return x
}

// soleQuery gives the query of a list that is nothing but a query in brackets: further brackets mean nothing.
func soleQuery(list []ast.Expr) (*ast.SelectStmt, bool) {
	if len(list) != 1 {
		return nil, false
	}
	sub, ok := list[0].(*ast.Subquery)
	if !ok {
		return nil, false
	}
	return sub.Query, true
}

// exprSequence parses `expr, …`.
func (p *parser) exprSequence() []ast.Expr {
	mark := p.exprs.mark()
	p.pushExprs()
	return p.exprs.take(mark)
}

func (p *parser) pushExprs() {
	for {
		p.exprs.push(p.expr())
		if !p.accept(kComma) {
			return
		}
	}
}
