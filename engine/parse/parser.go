// Package parse turns SQL text into syntax trees: a scanner that knows tokens and a recursive-descent parser, with
// precedence climbing for expressions over the table of ast.Level. The grammar that it accepts is grammar.ebnf beside it.
//
// A text is parsed as a whole before anybody acts on it; the first fault ends the parse. The package resolves nothing: names,
// types and functions are as written, and what is only meaningful with a catalog (a row value in an odd place, an unknown
// column) is accepted here and refused by the binder. It must never know catalogs, values or sessions.
//
// The trees share the memory of their text: a name or literal is a piece of Source.Text.
package parse

import (
	"errors"
	"fmt"
	"math"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

const (
	// MaxDepth bounds the trees that the parser builds: no path from the root to a leaf passes more nodes. Printer, binder
	// and walkers may recurse over an accepted tree without a check of their own. A chain of one operator counts a level a
	// term, save for AND and OR, which are built balanced; so do joins and the legs of a set operation.
	MaxDepth = 12_000

	// MaxNesting bounds what may be open at one place of the text: brackets, prefix operators, CASE. It is larger than
	// MaxDepth, as redundant brackets leave no node, and so large that the printed form of an accepted tree is accepted.
	MaxNesting = 3 * MaxDepth

	// maxLinks is how long a chain of AND or OR stays left-deep (see ast.Binary).
	maxLinks = 64

	// outerNodes is what a statement may put around its queries and expressions: statement, definition, clause.
	outerNodes = 8
)

// errIncomplete marks errors that more text could mend.
var errIncomplete = errors.New("the text ends inside a statement")

// Incomplete reports whether err was raised because the text ended inside a statement, a string, a quoted name or a comment:
// a shell then asks for more lines.
func Incomplete(err error) bool { return errors.Is(err, errIncomplete) }

// Stmts parses a text of statements separated by semicolons. Space and comments alone are no statement. Parameters written
// `?` are numbered through the whole text. The error is a *types.Error with line and column: ERROR, SYNTAX for VALUES rows of
// different width, UNSUPPORTED for CREATE TABLE AS. Time and memory are linear in the text.
func Stmts(src *ast.Source) ([]ast.Stmt, error) {
	return Bounds{}.Stmts(src)
}

// Each parses a text as Stmts does and shows its statements one by one, so that no more than a few are held at a time. last is set for the
// last one. A fault ends the text where it stands: what comes before it has been shown. An error of f ends it too.
func Each(src *ast.Source, f func(s ast.Stmt, last bool) error) error {
	return Bounds{}.Each(src, f)
}

// Each is the function Each within bounds.
func (b Bounds) Each(src *ast.Source, f func(s ast.Stmt, last bool) error) error {
	p := newParser(src, b)
	more := func() bool {
		for p.accept(kSemicolon) {
		}
		return p.err == nil && p.tok.kind != kEOF
	}
	for next := more(); next; {
		p.bounds.begin = p.tok.from
		s := p.statement()
		p.endStatement()
		next = more()
		if p.err != nil {
			break
		}
		if err := f(s, !next); err != nil {
			return err
		}
	}
	return p.err
}

// Expr parses a text that is one expression.
func Expr(src *ast.Source) (ast.Expr, error) {
	p := newParser(src, Bounds{})
	x := p.expr()
	return whole(p, x)
}

// Query parses a text that is one query expression: a select, VALUES, a data change with RETURNING.
func Query(src *ast.Source) (*ast.SelectStmt, error) {
	p := newParser(src, Bounds{})
	q := p.query()
	return whole(p, q)
}

// whole refuses text behind x.
func whole[T any](p *parser, x T) (T, error) {
	if p.tok.kind != kEOF {
		p.expected("end of text")
	}
	if p.err != nil {
		var none T
		return none, p.err
	}
	return x, nil
}

// parser reads one text. It keeps the first error and then sees the end of the text only, so that its methods need no error
// of their own: after a failure they return what they have, perhaps nil, and nobody looks at it.
type parser struct {
	src     *ast.Source
	scan    scanner
	tok     token // the token to be judged next
	ahead   token // the one behind it, if peeked
	peeked  bool
	prev    token // the last token taken
	err     error
	params  int // how many ? came so far
	nesting int
	height  int // of the highest tree read since a caller last set it to 0; an upper bound
	parens  int // how many '(' are open
	// Inside an item of a declaration: at how many open '(' the words that begin an item are no aliases. Else -1.
	itemParens int
	// Inside a member of an index: at how many open '(' a trailing COLLATE is the member's. Else -1.
	memberParens int
	// Inside the DEFAULT of a column: at how many open '(' a COLLATE or NOT NULL is the column's. Else -1.
	defaultParens int
	// file is set while a schema file is read, in which forms of other dialects are known (see foreign.go).
	file   *fileState
	bounds bounds

	slabs
}

// slabs are the pools of the nodes and lists that long texts are made of.
type slabs struct {
	literals    slab[ast.Literal]
	columns     slab[ast.ColumnRef]
	binaries    slab[ast.Binary]
	defs        slab[ast.ColumnDef]
	clauses     slab[ast.ColumnConstraint]
	typeNames   slab[ast.TypeName]
	exprs       list[ast.Expr]
	names       list[ast.Name]
	items       list[ast.SelectItem]
	tags        list[ast.Tag]
	members     list[ast.IndexColumn]
	defLists    list[*ast.ColumnDef]
	clauseLists list[*ast.ColumnConstraint]
	terms       []term
}

func newParser(src *ast.Source, b Bounds) *parser {
	return newParserOf(src, b, scanner{text: src.Text})
}

// newFileParser makes a parser of a schema file, whose bare names may hold all letters.
func newFileParser(src *ast.Source, b Bounds) *parser {
	return newParserOf(src, b, scanner{text: src.Text, unicode: true})
}

func newParserOf(src *ast.Source, b Bounds, scan scanner) *parser {
	p := &parser{src: src, bounds: b.start(), scan: scan, itemParens: -1, memberParens: -1, defaultParens: -1}
	if len(src.Text) > math.MaxInt32 {
		p.fail(ast.NoPos, types.TOOBIG, fmt.Sprintf("the text has %d bytes, the limit is %d", len(src.Text), math.MaxInt32), "")
		return p
	}
	if bad, ok := checkEncoding(src.Text); !ok {
		p.failLexical(bad)
		return p
	}
	if len(src.Text) >= len(byteOrderMark) && src.Text[:len(byteOrderMark)] == byteOrderMark {
		p.scan.pos = len(byteOrderMark)
	}
	p.scan.scan(&p.tok)
	p.noteBad()
	return p
}

// next takes the token.
func (p *parser) next() {
	p.prev = p.tok
	if p.err != nil {
		return
	}
	if p.peeked {
		p.tok, p.peeked = p.ahead, false
	} else {
		p.scan.scan(&p.tok)
	}
	p.noteBad()
	p.checkBounds()
}

func (p *parser) noteBad() {
	if p.tok.kind == kBad {
		p.failLexical(p.scan.bad)
	}
}

// peek shows the token behind the next one.
func (p *parser) peek() token {
	if !p.peeked && p.err == nil {
		p.scan.scan(&p.ahead)
		p.peeked = true
	}
	return p.ahead
}

// lookahead runs a test that may take tokens, then goes back to where it was. The test must not fail the parse.
func (p *parser) lookahead(test func() bool) bool {
	if p.err != nil {
		return false
	}
	scan, tok, ahead, peeked, prev := p.scan, p.tok, p.ahead, p.peeked, p.prev
	ok := test() && p.err == nil
	p.scan, p.tok, p.ahead, p.peeked, p.prev, p.err = scan, tok, ahead, peeked, prev, nil
	return ok
}

func (p *parser) is(k kind) bool { return p.tok.kind == k }

func (p *parser) isWord(w word) bool { return p.tok.word == w }

func (p *parser) accept(k kind) bool {
	if p.tok.kind != k || k == kEOF {
		return false
	}
	p.next()
	return true
}

func (p *parser) acceptWord(w word) bool {
	if p.tok.word != w {
		return false
	}
	p.next()
	return true
}

// expect takes a token of the kind or fails with `Expected <what>.`.
func (p *parser) expect(k kind, what string) {
	if !p.accept(k) {
		p.expected(what)
	}
}

func (p *parser) expectWord(w word, what string) {
	if !p.acceptWord(w) {
		p.expected(what)
	}
}

// open takes '(' or fails with what, and gives its place for close.
func (p *parser) open(what string) ast.Pos {
	at := p.tok.from
	p.expect(kLParen, what)
	p.parens++
	return at
}

// close takes the ')' of the '(' at open; what names what stands before it.
func (p *parser) close(open ast.Pos, what string) {
	p.parens--
	if !p.accept(kRParen) {
		p.unclosed(")", open, what)
	}
}

// unclosed fails for a missing closing mark.
func (p *parser) unclosed(mark string, open ast.Pos, what string) {
	if p.err != nil {
		return
	}
	opening := "("
	if mark == "}" {
		opening = "{"
	}
	line, column := p.src.Position(open)
	at := p.tok.from
	where := fmt.Sprintf("'%s' opened at line %d, column %d.", opening, line, column)
	if p.is(kEOF) {
		p.failHere(fmt.Sprintf("Expected '%s' %s. Unterminated %s", mark, what, where))
	} else {
		p.failHere(fmt.Sprintf("Expected '%s' %s. Got '%s'; %s", mark, what, p.shortText(p.tok), where), p.unclosedHint(mark))
	}
	if failed, _ := p.src.Position(at); failed != line {
		p.relate(types.Place{Line: line, Column: column, Message: "'" + opening + "' is opened here"})
	}
}

// unclosedHint gives the keyword that may be meant where a closing mark was expected: a clause of an element, or after an operand.
func (p *parser) unclosedHint(mark string) string {
	if hint := p.nearWord(p.prev, operandWords); hint != "" {
		return hint
	}
	words := operandWords
	if mark == "}" {
		words = elementWords
	}
	return p.nearWord(p.tok, words)
}

// span is the stretch from a position to the end of the last token taken.
func (p *parser) span(from ast.Pos) ast.Span { return ast.Span{From: from, To: p.prev.to} }

// text is the token as written.
func (p *parser) text(t token) string { return p.src.Text[t.from:t.to] }

// enter counts one more level of nesting; whoever calls it must call leave.
func (p *parser) enter() {
	if p.nesting++; p.nesting > p.bounds.nesting {
		p.tooDeep(p.bounds.nesting)
	}
}

func (p *parser) leave() { p.nesting-- }

// grow puts n nodes on top of the highest tree read so far.
func (p *parser) grow(n int) {
	if p.height += n; p.height > p.bounds.depth-outerNodes {
		p.tooDeep(p.bounds.depth)
	}
}
