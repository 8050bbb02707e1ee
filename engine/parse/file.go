package parse

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Part is a statement of a schema file and what its reader should know of it.
type Part struct {
	Stmt ast.Stmt
	// Notes say where a form of another dialect was read as something that is not the same in every case.
	Notes []Note
}

// Note is a remark on a place of the text.
type Note struct {
	ast.Span
	Message string
	// SQLite tells that the form is SQLite's.
	SQLite bool
}

// File parses the text of a schema file: statements as Stmts knows them, and the forms of SQLite's schemas that mean something here
// (see foreign.go). After a fault the parse goes on with the next statement, or the next item of a declaration or element of a table,
// so that one reading shows all faults: in the order of their places, each as Stmts would return it. What a fault leads to is not
// reported, and the statements that hold one are left out. Time and memory are linear in the text.
func File(src *ast.Source) ([]Part, []*types.Error) { return Bounds{}.File(src) }

// File is the function File within bounds.
func (b Bounds) File(src *ast.Source) ([]Part, []*types.Error) {
	p := newFileParser(src, b)
	p.file = &fileState{}
	var parts []Part
	for p.nextStatement() {
		begin, faults := p.here(), len(p.file.faults)
		p.bounds.begin = p.tok.from
		s := p.fileStatement()
		p.endStatement()
		if p.err != nil {
			p.noteFault()
			p.resume(begin, p.statementEnd(begin))
		}
		if s != nil && len(p.file.faults) == faults {
			parts = append(parts, Part{Stmt: s, Notes: p.file.notes})
		}
		p.file.notes = nil
	}
	p.noteFault()
	return parts, p.file.faults
}

// fileState is what a parser keeps beyond a fault while it reads a schema file.
type fileState struct {
	faults []*types.Error
	// at is where the last fault was found.
	at    ast.Pos
	notes []Note
	// column is the column that is being defined, numbered the one of its table that is marked AUTOINCREMENT.
	column, numbered ast.Name
}

// errAbandoned ends the parse of something that holds a fault which has been noted.
var errAbandoned = errors.New("a fault that was noted before")

// noteFault keeps the fault that ended the parse, if one did, and clears the way to go on.
func (p *parser) noteFault() {
	if p.err == nil {
		return
	}
	if e := (*types.Error)(nil); errors.As(p.err, &e) {
		p.file.faults = append(p.file.faults, e)
	}
	p.file.at, p.err = p.tok.from, nil
}

// abandon gives up what is being parsed up to the next token: it holds a fault, and the token is for others to judge.
func (p *parser) abandon() {
	p.err = errAbandoned
	p.tok = token{kind: kEOF, from: p.tok.from, to: p.tok.from}
}

// note adds a remark on the stretch from a position to the last token taken.
func (p *parser) note(from ast.Pos, message string) {
	p.file.notes = append(p.file.notes, Note{Span: p.span(from), Message: message, SQLite: true})
}

// place is a state of the parser to come back to: before a statement, an item or an element.
type place struct {
	scan                                    scanner
	tok, prev                               token
	nesting, parens                         int
	itemParens, memberParens, defaultParens int
}

// here is the place before the next token.
func (p *parser) here() place {
	at := place{
		scan: p.scan, tok: p.tok, prev: p.prev, nesting: p.nesting, parens: p.parens,
		itemParens: p.itemParens, memberParens: p.memberParens, defaultParens: p.defaultParens,
	}
	at.scan.pos = int(p.tok.from)
	return at
}

// resume goes on after a fault that was noted, at the first token from there on at which stop holds; depth counts the brackets that are
// open since begin. Without one, or where the text ends inside quotes or a comment, it goes on at the end of the text.
func (p *parser) resume(begin place, stop func(depth int) bool) {
	p.scan, p.prev, p.peeked = begin.scan, begin.prev, false
	p.nesting, p.parens, p.height = begin.nesting, begin.parens, 0
	p.itemParens, p.memberParens, p.defaultParens = begin.itemParens, begin.memberParens, begin.defaultParens
	for depth := 0; ; p.prev = p.tok {
		p.scanOn()
		if p.is(kEOF) || p.tok.from >= p.file.at && stop(depth) {
			return
		}
		switch p.tok.kind {
		case kLParen, kLBrace:
			depth++
		case kRParen, kRBrace:
			depth--
		}
	}
}

// scanOn reads the next token over everything that is none, and over texts in dollars, which other systems write functions in.
func (p *parser) scanOn() {
	for {
		p.scan.scan(&p.tok)
		switch {
		case p.is(kBad) && p.scan.bad.open:
			p.scan.pos = len(p.src.Text)
		case p.is(kBad):
			_, size := utf8.DecodeRuneInString(p.src.Text[p.scan.bad.pos:])
			p.scan.pos = p.scan.bad.pos + size
		case p.is(kDollar):
			p.scan.pos = afterDollars(p.src.Text, int(p.tok.from))
		default:
			return
		}
	}
}

// afterDollars gives the position behind $tag$ … $tag$ that begins at from, or behind the dollar where none does.
func afterDollars(text string, from int) int {
	end := strings.IndexByte(text[from+1:], '$')
	if end < 0 || strings.ContainsFunc(text[from+1:from+1+end], func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		return from + 1
	}
	tag := text[from : from+end+2]
	body := from + len(tag)
	if end = strings.Index(text[body:], tag); end < 0 {
		return body
	}
	return body + end + len(tag)
}

// isCommaMissing reports whether the token begins an element of its own, so that a comma is missing in front of it and nothing else: it
// stands first in its line and is no word of anything that could go on there.
func (p *parser) isCommaMissing() bool {
	if p.file == nil || !p.is(kWord) && !p.is(kQuoted) || !p.startsLine() || p.itemParens >= 0 && beginsItem(p.tok.word) {
		return false
	}
	return p.dialectHint() == "" && p.definitionHint() == "" && p.nearWord(p.tok, elementWords) == ""
}

// resumeAt goes on with the token at which the fault was found.
func (p *parser) resumeAt(at place) {
	p.noteFault()
	p.file.at = at.tok.from
	p.resume(at, func(int) bool { return true })
}

// nextStatement moves to the next statement of a file, false at its end.
func (p *parser) nextStatement() bool {
	for p.accept(kSemicolon) {
	}
	return p.err == nil && !p.is(kEOF)
}

// statementEnd gives what reports where the parse can go on behind a faulty statement: at a semicolon outside brackets, or at words that
// begin a definition and stand first in their line, whatever is open. The body of a trigger holds semicolons.
func (p *parser) statementEnd(begin place) func(depth int) bool {
	isTrigger, cases, ended := p.beginsTrigger(begin), 0, false
	return func(depth int) bool {
		switch {
		case p.isWord(wCase):
			cases++
		case p.isWord(wEnd) && cases > 0:
			cases--
		case p.isWord(wEnd):
			ended = true
		case p.is(kSemicolon):
			return depth <= 0 && (!isTrigger || ended)
		}
		return p.tok.from > begin.tok.from && p.beginsDefinition() && p.startsLine()
	}
}

// beginsTrigger reports whether the statement that begins at a place is CREATE [TEMP] TRIGGER.
func (p *parser) beginsTrigger(at place) bool {
	var words [3]token
	for i := range words {
		at.scan.scan(&words[i])
	}
	return words[0].word == wCreate && (words[1].word == wTrigger || words[2].word == wTrigger)
}

// beginsDefinition reports whether the next words are CREATE and the kind of an object, or DECLARE SCHEMA.
func (p *parser) beginsDefinition() bool {
	if !p.isWord(wCreate) && !p.isWord(wDeclare) {
		return false
	}
	ahead, t := p.scan, token{}
	ahead.scan(&t)
	return isDefinitionWord(t.word)
}

// isDefinitionWord reports whether the word after CREATE or DECLARE names what is defined.
func isDefinitionWord(w word) bool {
	switch w {
	case wTable, wIndex, wUnique, wView, wMaterialized, wAssertion, wTrigger, wVirtual, wTemp, wTemporary, wSchema:
		return true
	}
	return false
}

// startsLine reports whether nothing but white space stands before the next token in its line.
func (p *parser) startsLine() bool {
	text := p.src.Text
	for i := int(p.tok.from) - 1; i >= 0; i-- {
		switch text[i] {
		case ' ', '\t':
		case '\n', '\r':
			return true
		default:
			return false
		}
	}
	return true
}

// resumeItem goes on behind a faulty item of a declaration.
func (p *parser) resumeItem(begin place) {
	p.noteFault()
	p.resume(begin, func(depth int) bool {
		switch {
		case depth < 0:
			return true
		case depth == 0 && (p.is(kSemicolon) || p.is(kRBrace)):
			return true
		}
		return p.tok.from > begin.tok.from && p.startsLine() && (depth == 0 && p.is(kWord) && beginsItem(p.tok.word) || p.beginsOther())
	})
	if p.isWord(wDeclare) || p.is(kEOF) {
		p.abandon()
	}
}

// beginsOther reports whether the next words begin another item or statement even inside brackets that somebody forgot to close.
func (p *parser) beginsOther() bool {
	if p.beginsDefinition() {
		return true
	}
	if !p.isWord(wTable) && !p.isWord(wView) || p.itemParens < 0 {
		return false
	}
	ahead, t := p.scan, token{}
	ahead.scan(&t)
	return t.admits(contextual)
}

// resumeElement goes on behind a faulty element of a table whose brackets end with end: at the comma or bracket behind it. Where another
// statement begins first, the table is given up.
func (p *parser) resumeElement(begin place, end kind) {
	p.noteFault()
	p.resume(begin, func(depth int) bool {
		if depth <= 0 && (p.is(kComma) || p.is(end) || p.is(kSemicolon)) {
			return true
		}
		return depth < 0 || p.startsLine() && p.beginsOther()
	})
	if !p.is(kComma) && !p.is(end) {
		p.abandon()
	}
}
