package parse

import (
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// LexemeKind is what a lexeme is to somebody who lays out a text.
type LexemeKind uint8

// The kinds.
const (
	LexName    LexemeKind = iota // a name, in quotes or not, and a word that may be one where it stands
	LexKeyword                   // a word of the grammar
	LexLiteral                   // a number, string or blob
	LexSymbol                    // everything else
	LexComment                   // with its marks, without the end of its line
)

// Lexeme is a piece of a text: a token or a comment.
type Lexeme struct {
	Kind     LexemeKind
	From, To ast.Pos
	// Reserved tells of a keyword that it is nowhere a name without quotes.
	Reserved bool
}

// Lexemes cuts a text into tokens and comments, in order; what lies between them is white space. The error is that of Stmts for a
// text that cannot be cut. Time and memory are linear in the text.
func Lexemes(src *ast.Source) ([]Lexeme, error) {
	p := newParser(src, Bounds{})
	var out []Lexeme
	end := ast.Pos(0)
	if strings.HasPrefix(src.Text, byteOrderMark) {
		end = ast.Pos(len(byteOrderMark))
	}
	for p.err == nil {
		t := p.tok
		out = appendComments(out, src.Text, end, t.from)
		if t.kind == kEOF {
			break
		}
		out = append(out, Lexeme{Kind: lexemeKind(t), From: t.from, To: t.to, Reserved: t.kind == kWord && t.word.class() == reserved})
		end = t.to
		p.next()
	}
	return out, p.err
}

func lexemeKind(t token) LexemeKind {
	switch {
	case t.kind == kQuoted || t.kind == kWord && t.word == noWord:
		return LexName
	case t.kind == kWord:
		return LexKeyword
	case t.isLiteral():
		return LexLiteral
	}
	return LexSymbol
}

// appendComments appends the comments between two tokens.
func appendComments(out []Lexeme, text string, from, to ast.Pos) []Lexeme {
	s := scanner{text: text[:to], pos: int(from)}
	for {
		s.pos = s.skip(s.pos, space)
		begin := s.pos
		if begin >= int(to) {
			return out
		}
		if s.text[begin] == '/' && s.at(begin+1) == '*' {
			if !s.skipComment() {
				return out
			}
		} else {
			n := strings.IndexAny(s.text[begin:], "\r\n")
			if n < 0 {
				n = int(to) - begin
			}
			s.pos = begin + n
		}
		out = append(out, Lexeme{Kind: LexComment, From: ast.Pos(begin), To: ast.Pos(s.pos)})
	}
}
