package parse

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// admits reports whether the token is a name that may stand where the class is admitted.
func (t token) admits(c class) bool {
	return t.kind == kQuoted || t.kind == kWord && t.word.class() >= c
}

// name takes a name or fails with `Expected <what>.`.
func (p *parser) name(c class, what string) ast.Name {
	if !p.tok.admits(c) && !p.isForeignName(p.tok) && !p.isReservedMember() {
		p.expectedName(what)
		return ast.Name{}
	}
	n := p.takeName()
	if n.IsZero() {
		p.fail(n.From, types.ERROR, "Expected "+what+". A name cannot be empty.", "")
	}
	return n
}

// takeName takes the token, which must be a name. The result is zero for an empty name in quotes.
func (p *parser) takeName() ast.Name {
	t := p.tok
	n := ast.Name{Span: ast.Span{From: t.from, To: t.to}, Text: p.text(t)}
	if t.kind == kQuoted {
		n.Text, n.Quoted = unquote(n.Text, t.escaped), true
	}
	p.next()
	return n
}

// qname takes `[schema .] name` in a place that names a relation.
func (p *parser) qname(what string) ast.QName {
	first := p.name(schemaWord, what)
	if !p.accept(kDot) {
		return ast.QName{Name: first}
	}
	return ast.QName{Schema: first, Name: p.name(schemaWord, what)}
}

// nameList takes `( name, … )` with one name at least; after says what stands before the closing bracket.
func (p *parser) nameList(what, after string) []ast.Name {
	open := p.open(what)
	names := p.nameSequence(contextual, "identifier in list")
	p.close(open, after)
	return names
}

// nameSequence takes `name, …` with one name at least.
func (p *parser) nameSequence(c class, what string) []ast.Name {
	mark := p.names.mark()
	for {
		p.names.push(p.name(c, what))
		if !p.accept(kComma) {
			return p.names.take(mark)
		}
	}
}

// optionalNames takes `( name, … )` if there is one.
func (p *parser) optionalNames() []ast.Name {
	if !p.is(kLParen) {
		return nil
	}
	return p.nameList("'('", "after column list")
}

// isItemAlias reports whether the word begins an item of a declaration and could be an alias: outside all brackets of an
// item it is the former (docs/reference/declarative-schema.md). The other words that begin items are no aliases anywhere.
func isItemAlias(w word) bool {
	switch w {
	case wMaterialized, wSeed, wDomain, wCollation, wImport:
		return true
	}
	return false
}

// atBareAlias reports whether the token is an alias without AS.
func (p *parser) atBareAlias() bool {
	if !p.tok.admits(free) {
		return false
	}
	if p.parens == p.itemParens && isItemAlias(p.tok.word) {
		return false
	}
	return !p.isWord(wWindow) || !p.atWindowClause()
}

// alias takes an alias of a source: `as name` or a bare name. It is zero when there is none.
func (p *parser) alias() ast.Name {
	if p.acceptWord(wAs) {
		return p.name(contextual, "identifier after 'AS'")
	}
	if p.atBareAlias() {
		return p.takeName()
	}
	return ast.Name{}
}

// columnAlias takes an alias of a result column: after AS also a string. An empty one counts as none.
func (p *parser) columnAlias() ast.Name {
	if !p.acceptWord(wAs) {
		if p.atBareAlias() {
			return p.takeName()
		}
		return ast.Name{}
	}
	if p.is(kString) {
		t := p.tok
		p.next()
		return ast.Name{Span: p.span(t.from), Text: unquote(p.text(t), t.escaped), Quoted: true}
	}
	if !p.tok.admits(contextual) {
		p.expected("identifier or string after 'AS'")
		return ast.Name{}
	}
	return p.takeName()
}
