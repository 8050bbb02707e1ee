package parse

import (
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// kind is the lexical kind of a token.
type kind uint8

const (
	kEOF    kind = iota
	kBad         // a lexical error, described by scanner.bad
	kWord        // an unquoted word, keyword or name
	kQuoted      // a name in "…", `…` or […]
	kString
	kBlob
	kInteger
	kReal
	kComma
	kSemicolon
	kDot
	kLParen
	kRParen
	kLBrace
	kRBrace
	kQuestion
	kColon
	kDollar
	kPlus
	kMinus
	kTilde
	kStar
	kSlash
	kPercent
	kAmpersand
	kPipe
	kShl
	kShr
	kConcat
	kArrow     // ->
	kArrowText // ->>
	kEq        // =
	kEq2       // ==
	kNe        // <> !=
	kLt
	kLe
	kGt
	kGe
	kindCount
)

// token is a lexeme: where it stands and what it is. Its text is cut from the source when somebody asks.
type token struct {
	kind    kind
	word    word // which keyword a kWord is; noWord for any other name
	escaped bool // a kQuoted or kString holds doubled quotes
	from    ast.Pos
	to      ast.Pos
}

// infix is the operator that a token means between two operands; level 0 for tokens that are none.
type infix struct {
	op    ast.BinaryOp
	level ast.Level
}

var symbolInfix = makeSymbolInfix()

func makeSymbolInfix() (table [kindCount]infix) {
	for k, op := range map[kind]ast.BinaryOp{
		kPlus: ast.OpAdd, kMinus: ast.OpSub, kStar: ast.OpMul, kSlash: ast.OpDiv, kPercent: ast.OpMod,
		kAmpersand: ast.OpBitAnd, kPipe: ast.OpBitOr, kShl: ast.OpShl, kShr: ast.OpShr,
		kConcat: ast.OpConcat, kArrow: ast.OpJSONGet, kArrowText: ast.OpJSONText,
		kEq: ast.OpEq, kEq2: ast.OpEq2, kNe: ast.OpNe, kLt: ast.OpLt, kLe: ast.OpLe, kGt: ast.OpGt, kGe: ast.OpGe,
	} {
		table[k] = infix{op, op.Level()}
	}
	return table
}

// isLiteral reports whether the token alone is a literal other than null, true and false.
func (t token) isLiteral() bool { return t.kind >= kString && t.kind <= kReal }

// unquote gives the content of a token in quotes.
func unquote(text string, escaped bool) string {
	quote := text[:1]
	text = text[1 : len(text)-1]
	if escaped {
		text = strings.ReplaceAll(text, quote+quote, quote)
	}
	return text
}
