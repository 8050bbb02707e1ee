package foreign

import (
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// Render writes tokens as a text that the parser of this dialect reads: names in its quotes, strings in its escapes, and the spellings
// that only the other system has replaced. isColumn tells names of columns from words and from texts in the wrong quotes, in any
// case; nil where nobody can tell.
func Render(tokens []Token, d Dialect, isColumn func(string) bool) string {
	r := renderer{tokens: tokens, dialect: d, isColumn: isColumn, known: isColumn != nil}
	if !r.known {
		r.isColumn = func(string) bool { return false }
	}
	var b strings.Builder
	for i := 0; i < len(tokens); i++ {
		if i > 0 && tokens[i-1].To < tokens[i].From {
			b.WriteByte(' ')
		}
		if n := castLength(tokens[i:], d); n > 0 {
			i += n - 1
			continue
		}
		if members, n := anyOf(tokens[i:], d); n > 0 {
			b.WriteString("in (" + Render(members, d, isColumn) + ")")
			i += n - 1
			continue
		}
		if d == Postgres && tokens[i].Is("public") && i+1 < len(tokens) && tokens[i+1].Is(".") {
			i++ // the schema, of which there is one here
			continue
		}
		b.WriteString(r.token(i))
	}
	return strings.TrimSpace(b.String())
}

type renderer struct {
	tokens   []Token
	dialect  Dialect
	isColumn func(string) bool
	known    bool
}

func (r *renderer) token(i int) string {
	t := r.tokens[i]
	switch t.Kind {
	case Quoted:
		if r.known && r.dialect == SQLite && t.Quote == '"' && !r.isColumn(t.Text) && !r.isQualified(i) {
			return string(ast.AppendString(nil, t.Text)) // SQLite takes it for one
		}
		return string(ast.AppendQuoted(nil, t.Text))
	case String:
		return string(ast.AppendString(nil, t.Text))
	case Blob:
		return "x'" + t.Text + "'"
	case Word:
		return r.word(i)
	}
	if spelled, ok := operators[t.Text]; ok && r.dialect == Postgres {
		return spelled
	}
	return t.Text
}

// operators are those of PostgreSQL that are words here.
var operators = map[string]string{"~~": "like", "!~~": "not like"}

// anyOf reads = ANY (ARRAY[…]) of PostgreSQL, with all casts and parentheses around the array. It gives the members, and the number of
// the tokens; 0 when it is something else.
func anyOf(tokens []Token, d Dialect) (members []Token, n int) {
	if d != Postgres || len(tokens) < 6 || !tokens[0].Is("=") || !tokens[1].Is("any") {
		return nil, 0
	}
	n = 2
	for n < len(tokens) && tokens[n].Is("(") {
		n++
	}
	open := n - 2
	if open == 0 || n+1 >= len(tokens) || !tokens[n].Is("array") || !tokens[n+1].Is("[") {
		return nil, 0
	}
	from := n + 2
	for n = from; n < len(tokens) && !tokens[n].Is("]"); n++ {
		if tokens[n].Is("[") {
			n++ // of a cast to an array
		}
	}
	to := n
	for n++; open > 0 && n < len(tokens); {
		switch skip := castLength(tokens[n:], d); {
		case skip > 0:
			n += skip
		case tokens[n].Is(")"):
			n, open = n+1, open-1
		default:
			return nil, 0
		}
	}
	return tokens[from:min(to, len(tokens))], n
}

// isQualified reports whether a name stands before or behind a dot.
func (r *renderer) isQualified(i int) bool {
	return i > 0 && r.tokens[i-1].Is(".") || i+1 < len(r.tokens) && r.tokens[i+1].Is(".")
}

func (r *renderer) word(i int) string {
	t := r.tokens[i]
	nextIs := func(w string) bool { return i+1 < len(r.tokens) && r.tokens[i+1].Is(w) }
	switch {
	case t.Is("notnull"):
		return "is not null"
	case t.Is("isnull"):
		return "is null"
	case t.Is("not") && nextIs("null") && i > 0 && !r.tokens[i-1].Is("is"):
		return "is not"
	case ast.IsReserved(t.Text) && !nextIs("(") && r.isColumn(t.Text):
		return string(ast.AppendQuoted(nil, t.Text))
	}
	return t.Text
}

// castLength is the number of tokens of a PostgreSQL cast that begins here, which is left out: ::type, ::type(n), ::type[].
func castLength(tokens []Token, d Dialect) int {
	if d != Postgres || !tokens[0].Is("::") {
		return 0
	}
	n := 1
	for n < len(tokens) && (tokens[n].IsName() || tokens[n].Is(".")) {
		isMore := n == 1 || tokens[n-1].Is(".") || tokens[n].Is(".") || tokens[n].IsAny("varying", "precision", "without", "with", "time", "zone")
		if !isMore {
			break
		}
		n++
	}
	if n < len(tokens) && tokens[n].Is("(") {
		for n < len(tokens) && !tokens[n].Is(")") {
			n++
		}
		n++
	}
	for n+1 < len(tokens) && tokens[n].Is("[") && tokens[n+1].Is("]") {
		n += 2
	}
	return min(n, len(tokens))
}
