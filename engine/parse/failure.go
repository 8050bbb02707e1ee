package parse

import (
	"cmp"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
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

// failHere fails at the token with a message of its own, and the hint if no dialect has one.
func (p *parser) failHere(message string, hint ...string) {
	if p.err == nil {
		p.fail(p.tok.from, types.ERROR, message, cmp.Or(append([]string{p.dialectHint()}, hint...)...))
	}
}

// expected fails at the token with `Expected <what>.`.
func (p *parser) expected(what string) {
	if p.err == nil {
		p.failHere("Expected "+what+"."+p.got(), p.nearWord(p.tok, keywordsIn(what)))
	}
}

// expectedName fails at the token, where a name must stand.
func (p *parser) expectedName(what string) {
	if p.err == nil {
		p.failHere("Expected "+what+"."+p.got(), p.reservedHint())
	}
}

// reservedHint says how to use the token as a name, if it is a reserved word.
func (p *parser) reservedHint() string {
	if !p.is(kWord) || p.tok.word.class() == free {
		return ""
	}
	if hint := p.definitionHint(); hint != "" {
		return hint
	}
	word := p.text(p.tok)
	return "'" + word + "' is a reserved word; as a name it stands in quotes: " + string(ast.AppendQuoted(nil, word))
}

// definitionHint says what keeps a definition that begins here from being read as one, "" where none begins.
func (p *parser) definitionHint() string {
	if p.isWord(wCreate) && isDefinitionWord(p.peek().word) {
		return "the brackets of what stands before it are not closed"
	}
	return ""
}

// reservedOperandHint is reservedHint for a word in the place of an operand, if what follows makes it plain that a name is meant.
func (p *parser) reservedOperandHint() string {
	if !p.is(kWord) {
		return ""
	}
	t := p.peek()
	isOperator := symbolInfix[t.kind].level != 0 && t.kind != kStar || t.kind == kWord && wordInfix[t.word].level != 0
	if isOperator || t.endsCell() || t.kind == kDot || t.word == wFrom {
		return p.reservedHint()
	}
	return ""
}

// keywordsIn lists the keywords that a message names, in capitals or quotes.
func keywordsIn(message string) []string {
	var words []string
	for _, w := range strings.FieldsFunc(message, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if lookupWord(w) != noWord && (w == strings.ToUpper(w) || strings.Contains(message, "'"+w+"'")) {
			words = append(words, strings.ToLower(w))
		}
	}
	return words
}

// nearWord gives the hint with the keyword that a token which is none may mean, "" when none is near.
func (p *parser) nearWord(t token, words []string) string {
	const shortest = 3 // of less, everything is near to something
	if t.kind != kWord || t.word != noWord || int(t.to-t.from) < shortest {
		return ""
	}
	return types.NearHint(p.text(t), words)
}

// The words that may be meant where one stands that is none of them: at the beginning of a statement, as a clause of a column, and after
// an operand, where it was read as an alias.
var (
	statementWords = strings.Fields("select values insert update delete with create drop alter declare diff apply explain begin commit " +
		"rollback savepoint release pragma analyze refresh")
	elementWords = strings.Fields("primary not null unique check default collate references generated constraint foreign autoincrement " +
		"conflict with deferrable on")
	operandWords = strings.Fields("from where group order having limit offset join left right inner cross natural union except intersect and " +
		"or between like is collate on using as with returning window")
)

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

func (p *parser) tooDeep(levels int) {
	e := p.bounds.Limits.Exceeded(limit.StatementDepth, "statement is nested deeper than the limit of %d levels", levels)
	p.fail(p.tok.from, e.Code, e.Message, "split it, or write a long list of alternatives as IN (…); "+e.Hint)
}
