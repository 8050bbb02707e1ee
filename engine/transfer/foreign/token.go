package foreign

import (
	"strings"
	"unicode/utf8"
)

// Kind is the kind of a token.
type Kind uint8

// The kinds. End is behind the last token of a text.
const (
	End Kind = iota
	Word
	Quoted // a name in quotes
	String
	Blob
	Number
	Symbol
)

// Token is a piece of a text. Text is what it stands for: the name without quotes, the string's characters, a blob's hex digits; the
// spelling of everything else.
type Token struct {
	Kind Kind
	Text string
	// Quote is the mark that a Quoted name stands in: ", ` or [.
	Quote byte
	// From and To are its place in the text.
	From, To int
}

// Is reports whether the token is the bare word, in any case, or the symbol.
func (t Token) Is(word string) bool {
	return (t.Kind == Word || t.Kind == Symbol) && strings.EqualFold(t.Text, word)
}

// IsAny reports whether the token is one of the words.
func (t Token) IsAny(words ...string) bool {
	for _, w := range words {
		if t.Is(w) {
			return true
		}
	}
	return false
}

// IsName reports whether the token can be a name.
func (t Token) IsName() bool { return t.Kind == Word || t.Kind == Quoted }

// Tokens splits a text. What belongs to no token of the dialect becomes a Symbol of its own; a quote that is not closed reaches to the
// end. Comments are left out.
func Tokens(text string, d Dialect) []Token {
	s := NewScanner(text, d)
	var out []Token
	for {
		t := s.Next()
		if t.Kind == End {
			return out
		}
		out = append(out, t)
	}
}

// Scanner goes through a text token by token, for one that is too long to hold all of them.
type Scanner struct {
	text    string
	at      int
	dialect Dialect
}

func (s *Scanner) peek(n int) byte {
	if s.at+n < len(s.text) {
		return s.text[s.at+n]
	}
	return 0
}

// NewScanner makes a Scanner.
func NewScanner(text string, d Dialect) *Scanner { return &Scanner{text: text, dialect: d} }

// Next gives the next token; one of kind End behind the last.
func (s *Scanner) Next() Token {
	s.skip()
	from := s.at
	if from >= len(s.text) {
		return Token{Kind: End, From: from, To: from}
	}
	t := s.token()
	t.From, t.To = from, s.at
	return t
}

// skip passes white space and comments. The comments of MySQL that hold code for it are code.
func (s *Scanner) skip() {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch {
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\n' || rest[0] == '\r' || rest[0] == '\f' || rest[0] == '\v':
			s.at++
		case strings.HasPrefix(rest, "--"), rest[0] == '#' && s.dialect == MySQL:
			s.to("\n")
		case s.dialect == MySQL && strings.HasPrefix(rest, "/*!"):
			s.at += 3
			for s.at < len(s.text) && isDigit(s.text[s.at]) {
				s.at++
			}
		case s.dialect == MySQL && strings.HasPrefix(rest, "*/"):
			s.at += 2
		case strings.HasPrefix(rest, "/*"):
			s.at += 2
			s.to("*/")
		default:
			return
		}
	}
}

// to goes behind the next end, or to the end of the text.
func (s *Scanner) to(end string) {
	if i := strings.Index(s.text[s.at:], end); i >= 0 {
		s.at += i + len(end)
	} else {
		s.at = len(s.text)
	}
}

func (s *Scanner) token() Token {
	c := s.text[s.at]
	switch {
	case c == '\'':
		return Token{Kind: String, Text: s.quoted('\'', s.dialect == MySQL)}
	case c == '"' && s.dialect == MySQL:
		return Token{Kind: String, Text: s.quoted('"', true)}
	case c == '"', c == '`' && s.dialect != Postgres:
		return Token{Kind: Quoted, Quote: c, Text: s.quoted(c, false)}
	case c == '[' && s.dialect == SQLite:
		from := s.at + 1
		s.to("]")
		return Token{Kind: Quoted, Quote: '[', Text: strings.TrimSuffix(s.text[from:s.at], "]")}
	case (c == 'x' || c == 'X') && s.peek(1) == '\'':
		s.at++
		return Token{Kind: Blob, Text: s.quoted('\'', false)}
	case (c == 'e' || c == 'E') && s.peek(1) == '\'' && s.dialect == Postgres:
		s.at++
		return Token{Kind: String, Text: s.quoted('\'', true)}
	case c == '$' && s.dialect == Postgres:
		if text, ok := s.dollar(); ok {
			return Token{Kind: String, Text: text}
		}
	case isDigit(c), c == '.' && isDigit(s.peek(1)):
		return Token{Kind: Number, Text: s.number()}
	case isLetter(c):
		from := s.at
		for s.at < len(s.text) && (isLetter(s.text[s.at]) || isDigit(s.text[s.at]) || s.text[s.at] == '$') {
			s.at++
		}
		return Token{Kind: Word, Text: s.text[from:s.at]}
	}
	for _, op := range symbols {
		if strings.HasPrefix(s.text[s.at:], op) {
			s.at += len(op)
			return Token{Kind: Symbol, Text: op}
		}
	}
	_, n := utf8.DecodeRuneInString(s.text[s.at:])
	s.at += n
	return Token{Kind: Symbol, Text: s.text[s.at-n : s.at]}
}

// symbols are those of more than one character, the longest first.
var symbols = []string{"->>", "<=>", "~~*", "!~~", "::", "||", "<>", "!=", "==", "<=", ">=", "<<", ">>", "->", ":=", "~~", "!~", "~*"}

// quoted reads to the mark that closes: one that is not doubled.
func (s *Scanner) quoted(mark byte, escapes bool) string {
	s.at++
	from, plain := s.at, true
	var b strings.Builder
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c == mark && s.peek(1) == mark:
			b.WriteString(s.text[from : s.at+1])
			s.at += 2
			from, plain = s.at, false
			continue
		case c == mark:
			text := s.text[from:s.at]
			s.at++
			if plain {
				return text
			}
			return b.String() + text
		case c == '\\' && escapes && s.at+1 < len(s.text):
			b.WriteString(s.text[from:s.at])
			s.at++
			s.escape(&b)
			from, plain = s.at, false
			continue
		}
		s.at++
	}
	return b.String() + s.text[from:]
}

// escape reads what follows a backslash.
func (s *Scanner) escape(b *strings.Builder) {
	c := s.text[s.at]
	s.at++
	if s.dialect == Postgres && c >= '0' && c <= '7' {
		v := c - '0'
		for n := 1; n < 3 && s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '7'; n++ {
			v, s.at = v<<3|(s.text[s.at]-'0'), s.at+1
		}
		b.WriteByte(v)
		return
	}
	switch c {
	case 'n':
		c = '\n'
	case 't':
		c = '\t'
	case 'r':
		c = '\r'
	case 'b':
		c = '\b'
	case 'f':
		if s.dialect == Postgres {
			c = '\f'
		}
	case '0':
		c = 0
	case 'Z':
		if s.dialect == MySQL {
			c = 0x1a
		}
	case '%', '_':
		if s.dialect == MySQL {
			b.WriteByte('\\')
		}
	}
	b.WriteByte(c)
}

// dollar reads a string between dollars, $tag$…$tag$.
func (s *Scanner) dollar() (string, bool) {
	end := s.at + 1
	for end < len(s.text) && (isLetter(s.text[end]) || isDigit(s.text[end])) {
		end++
	}
	if end >= len(s.text) || s.text[end] != '$' || end > s.at+1 && isDigit(s.text[s.at+1]) {
		return "", false
	}
	tag := s.text[s.at : end+1]
	from := end + 1
	s.at = from
	s.to(tag)
	return strings.TrimSuffix(s.text[from:s.at], tag), true
}

func (s *Scanner) number() string {
	from := s.at
	if s.text[s.at] == '0' && (s.peek(1) == 'x' || s.peek(1) == 'X') {
		s.at += 2
		for s.at < len(s.text) && (isDigit(s.text[s.at]) || s.text[s.at]|0x20 >= 'a' && s.text[s.at]|0x20 <= 'f') {
			s.at++
		}
		return s.text[from:s.at]
	}
	for s.at < len(s.text) {
		c := s.text[s.at]
		isExponent := (c == 'e' || c == 'E') && (isDigit(s.peek(1)) || (s.peek(1) == '+' || s.peek(1) == '-') && isDigit(s.peek(2)))
		if isExponent {
			s.at += 2
			continue
		}
		if !isDigit(c) && c != '.' && c != '_' {
			break
		}
		s.at++
	}
	return s.text[from:s.at]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80 }
