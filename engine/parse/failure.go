package parse

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// fail keeps the first error and makes the parser see the end of the text.
func (p *parser) fail(at ast.Pos, code types.Code, message, hint string) {
	if p.err != nil {
		return
	}
	e := &types.Error{Code: code, Message: message, Hint: hint}
	e.Line, e.Column = p.src.Position(at)
	if p.tok.kind == kEOF && at == p.tok.from {
		e.Cause = errIncomplete
	}
	p.err = e
	p.tok = token{kind: kEOF, from: at, to: at}
}

// relate adds another place to the error that was raised just now.
func (p *parser) relate(place types.Place) {
	if e := (*types.Error)(nil); errors.As(p.err, &e) {
		e.Related = append(e.Related, place)
	}
}

func (p *parser) failLexical(bad lexicalError) {
	if p.err != nil {
		return
	}
	e := &types.Error{Code: types.ERROR, Message: bad.message, Hint: bad.hint}
	e.Line, e.Column = p.src.Position(ast.Pos(bad.pos))
	if bad.open {
		e.Cause = errIncomplete
	}
	p.err = e
	p.tok = token{kind: kEOF, from: ast.Pos(bad.pos), to: ast.Pos(bad.pos)}
}

// failHere fails at the token with a message of its own.
func (p *parser) failHere(message string) {
	if p.err == nil {
		p.fail(p.tok.from, types.ERROR, message, p.dialectHint())
	}
}

// expected fails at the token with `Expected <what>.`.
func (p *parser) expected(what string) {
	if p.err == nil {
		p.failHere("Expected " + what + "." + p.got())
	}
}

// got says what stands in the place of what was expected.
func (p *parser) got() string {
	if p.is(kEOF) {
		return ""
	}
	return " Got '" + p.shortText(p.tok) + "'."
}

// shortText is the token as written, cut when it is long.
func (p *parser) shortText(t token) string {
	const limit = 60
	s := p.text(t)
	if len(s) <= limit {
		return s
	}
	end := limit
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

func (p *parser) tooDeep(limit int) {
	p.fail(p.tok.from, types.ERROR, fmt.Sprintf("statement is nested deeper than the limit of %d levels", limit),
		"split it, or write a long list of alternatives as IN (…)")
}
