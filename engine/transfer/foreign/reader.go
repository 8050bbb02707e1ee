package foreign

import (
	"fmt"
	"strings"
)

// reader goes through the tokens of one statement.
type reader struct {
	text    string
	tokens  []Token
	at      int
	dialect Dialect
}

func newReader(text string, d Dialect) *reader {
	return &reader{text: text, tokens: Tokens(text, d), dialect: d}
}

// peek gives the nth token from here; one of kind End behind the last.
func (r *reader) peek(n int) Token {
	if r.at+n < len(r.tokens) {
		return r.tokens[r.at+n]
	}
	return Token{Kind: End, From: len(r.text), To: len(r.text)}
}

func (r *reader) next() Token {
	t := r.peek(0)
	r.at++
	return t
}

func (r *reader) done() bool { return r.at >= len(r.tokens) }

// take passes the words if they come next.
func (r *reader) take(words ...string) bool {
	for i, w := range words {
		if !r.peek(i).Is(w) {
			return false
		}
	}
	r.at += len(words)
	return true
}

// expect is take for what must come.
func (r *reader) expect(words ...string) error {
	if !r.take(words...) {
		return r.fault("expected " + strings.Join(words, " "))
	}
	return nil
}

func (r *reader) fault(what string) error {
	t := r.peek(0)
	found := "the end"
	if t.Kind != End {
		found = fmt.Sprintf("%q", t.Text)
	}
	return fmt.Errorf("%s, found %s", what, found)
}

// name reads a name; a string serves as one in SQLite.
func (r *reader) name() (string, error) {
	t := r.peek(0)
	if !t.IsName() && (t.Kind != String || r.dialect != SQLite) {
		return "", r.fault("expected a name")
	}
	r.at++
	return t.Text, nil
}

// qualified reads a name that may stand behind that of a schema, which is dropped.
func (r *reader) qualified() (string, error) {
	name, err := r.name()
	for err == nil && r.take(".") {
		name, err = r.name()
	}
	return name, err
}

// group reads what stands in parentheses, without them.
func (r *reader) group() ([]Token, error) {
	if err := r.expect("("); err != nil {
		return nil, err
	}
	from, depth := r.at, 1
	for !r.done() {
		switch t := r.next(); {
		case t.Is("("):
			depth++
		case t.Is(")"):
			if depth--; depth == 0 {
				return r.tokens[from : r.at-1], nil
			}
		}
	}
	return nil, r.fault("a parenthesis is not closed")
}

// until reads tokens outside of parentheses up to one that stop wants, at least one.
func (r *reader) until(stop func(Token) bool) []Token {
	from, depth := r.at, 0
	for !r.done() {
		t := r.peek(0)
		if depth == 0 && r.at > from && stop(t) {
			break
		}
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		}
		r.at++
	}
	return r.tokens[from:r.at]
}

// within gives a reader of a part of the tokens.
func (r *reader) within(tokens []Token) *reader {
	return &reader{text: r.text, tokens: tokens, dialect: r.dialect}
}

// split parts tokens at the commas outside of parentheses.
func split(tokens []Token) [][]Token {
	var out [][]Token
	from, depth := 0, 0
	for i, t := range tokens {
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case t.Is(",") && depth == 0:
			out = append(out, tokens[from:i])
			from = i + 1
		}
	}
	if from < len(tokens) {
		out = append(out, tokens[from:])
	}
	return out
}

// names reads a list of names in parentheses.
func (r *reader) names() ([]string, error) {
	group, err := r.group()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, item := range split(group) {
		in := r.within(item)
		name, err := in.name()
		if err != nil {
			return nil, err
		}
		out = append(out, name)
	}
	return out, nil
}

// written gives the tokens as they stand in the text.
func (r *reader) written(tokens []Token) string {
	if len(tokens) == 0 {
		return ""
	}
	return r.text[tokens[0].From:tokens[len(tokens)-1].To]
}

func equalFold(a, b string) bool { return strings.EqualFold(a, b) }
