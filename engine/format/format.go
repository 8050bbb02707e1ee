// Package format lays SQL texts out: one look for line ends, indentation, spaces and the case of keywords. It changes nothing else:
// every token and every comment of the text is in the answer, in the same order.
package format

import (
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

// Source lays out a text of statements. Laid out again, its answer stays as it is; parsed, it means the same. The error is that of
// parse.Stmts for a text that does not parse. Time and memory are linear in the text, for each word of the grammar at worst.
func Source(src *ast.Source) (string, error) {
	stmts, err := parse.Stmts(src)
	if err != nil {
		return "", err
	}
	lexemes, err := parse.Lexemes(src)
	if err != nil {
		return "", err
	}
	names := namesAmong(src, stmts, lexemes)
	l := newLayout(src, stmts, lexemes, func(word string) bool { return !names[word] })
	if text := l.write(); same(text, src.Name, stmts) && l.keeps(text) {
		return text, nil
	}
	return "", types.Errorf(types.INTERNAL, "%s cannot be laid out without changing what it says", src.Name)
}

// namesAmong finds the words of the grammar that are names somewhere in the text, which must keep their letters there. Only the grammar
// knows where they are: where to lower a word changes what the text says, it is one.
func namesAmong(src *ast.Source, stmts []ast.Stmt, lexemes []parse.Lexeme) map[string]bool {
	candidates := map[string]bool{}
	for _, x := range lexemes {
		text := src.Text[x.From:x.To]
		if lower := strings.ToLower(text); x.Kind == parse.LexKeyword && !x.Reserved && lower != text {
			candidates[lower] = true
		}
	}
	names := map[string]bool{}
	if same(lowered(src, lexemes, candidates), src.Name, stmts) {
		return names
	}
	for word := range candidates {
		if !same(lowered(src, lexemes, map[string]bool{word: true}), src.Name, stmts) {
			names[word] = true
		}
	}
	return names
}

// lowered gives the text with those words in lower case.
func lowered(src *ast.Source, lexemes []parse.Lexeme, words map[string]bool) string {
	b := []byte(src.Text)
	for _, x := range lexemes {
		if x.Kind != parse.LexKeyword {
			continue
		}
		if lower := strings.ToLower(src.Text[x.From:x.To]); words[lower] {
			copy(b[x.From:x.To], lower)
		}
	}
	return string(b)
}

// same reports whether a text parses to the statements.
func same(text, name string, stmts []ast.Stmt) bool {
	again, err := parse.Stmts(ast.NewSource(name, text))
	if err != nil || len(again) != len(stmts) {
		return false
	}
	for i, s := range stmts {
		if !ast.SameText(s, again[i]) {
			return false
		}
	}
	return true
}

// keeps reports whether the text holds the lexemes of the source, but for the case of keywords.
func (l *layout) keeps(text string) bool {
	src := ast.NewSource("", text)
	again, err := parse.Lexemes(src)
	if err != nil || len(again) != len(l.lexemes) {
		return false
	}
	for i, was := range l.lexemes {
		a, b := l.text(was), text[again[i].From:again[i].To]
		if was.Kind == parse.LexComment {
			a = l.comment(i)
		}
		if a != b && (was.Kind != parse.LexKeyword || !strings.EqualFold(a, b)) {
			return false
		}
	}
	return true
}
