package parse

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// scanner cuts a text into tokens, each when it is asked for, without copying. It knows nothing of grammar. Copying a
// scanner remembers a place to come back to.
type scanner struct {
	text string
	pos  int
	bad  lexicalError // describes the last kBad
	// unicode lets bare names hold letters and digits beyond ASCII, as schema files do.
	unicode bool
}

// lexicalError says what is wrong with the text at pos. open tells that the text ended inside quotes or a comment.
type lexicalError struct {
	pos     int
	message string
	hint    string
	open    bool
}

const byteOrderMark = "\ufeff"

const (
	letter = 1 << iota // and the underscore
	digit
	hexDigit
	space
)

// byteClass classifies the bytes of names, numbers and white space.
var byteClass = makeByteClass()

func makeByteClass() (table [256]uint8) {
	for c := 'a'; c <= 'z'; c++ {
		table[c], table[c-'a'+'A'] = letter, letter
	}
	table['_'] = letter
	for c := '0'; c <= '9'; c++ {
		table[c] = digit | hexDigit
	}
	for c := 'a'; c <= 'f'; c++ {
		table[c] |= hexDigit
		table[c-'a'+'A'] |= hexDigit
	}
	for _, c := range " \t\r\n" {
		table[c] = space
	}
	return table
}

func (s *scanner) at(i int) byte {
	if i < len(s.text) {
		return s.text[i]
	}
	return 0
}

// scan reads the next token into t. At the end of the text it gives kEOF for ever.
func (s *scanner) scan(t *token) {
	s.pos = s.skip(s.pos, space)
	if c := s.at(s.pos); (c == '-' || c == '/') && !s.skipComments() {
		*t = token{kind: kBad, from: ast.Pos(s.bad.pos), to: ast.Pos(len(s.text))}
		return
	}
	from := s.pos
	*t = token{from: ast.Pos(from)}
	if from == len(s.text) {
		t.to = t.from
		return
	}
	c := s.text[from]
	switch byteClass[c] &^ hexDigit {
	case letter:
		if c|0x20 == 'x' && s.at(from+1) == '\'' {
			t.kind = s.blob()
		} else {
			s.pos = s.skip(from+1, letter|digit)
			if s.at(s.pos) >= utf8.RuneSelf && s.unicode {
				s.pos = s.skipName(s.pos, true)
			}
			t.kind, t.word = kWord, lookupWord(s.text[from:s.pos])
		}
	case digit:
		t.kind = s.number()
	default:
		switch c {
		case '\'':
			t.kind = s.quoted(kString, '\'', "string", &t.escaped)
		case '"':
			t.kind = s.quoted(kQuoted, '"', "identifier", &t.escaped)
		case '`':
			t.kind = s.bracketed('`')
		case '[':
			t.kind = s.bracketed(']')
		default:
			t.kind = s.other(c)
		}
	}
	t.to = ast.Pos(s.pos)
}

// other scans a token that begins with c: a name in another script, an operator or a mark of punctuation.
func (s *scanner) other(c byte) kind {
	if s.unicode && c >= utf8.RuneSelf {
		if end := s.skipName(s.pos, false); end > s.pos {
			s.pos = end
			return kWord
		}
	}
	return s.symbol(c)
}

// skip gives the first position from i on whose byte is in none of the classes.
func (s *scanner) skip(i int, classes uint8) int {
	text := s.text
	for i < len(text) && byteClass[text[i]]&classes != 0 {
		i++
	}
	return i
}

// skipName gives the end of a name, of letters and digits of all scripts, that begins at i, or goes on there if it has begun.
func (s *scanner) skipName(i int, begun bool) int {
	for {
		r, size := utf8.DecodeRuneInString(s.text[i:])
		isLetter := r == '_' || unicode.IsLetter(r)
		if !isLetter && (!begun || !unicode.IsDigit(r) && !unicode.IsMark(r)) {
			return i
		}
		i, begun = i+size, true
	}
}

// skipComments moves to the next token, over comments and white space. It reports false for a comment without an end.
func (s *scanner) skipComments() bool {
	for {
		c, next := s.at(s.pos), s.at(s.pos+1)
		switch {
		case c == next && (c == '-' || c == '/'):
			end := strings.IndexAny(s.text[s.pos:], "\r\n")
			if end < 0 {
				s.pos = len(s.text)
				return true
			}
			s.pos += end
		case c == '/' && next == '*':
			if !s.skipComment() {
				return false
			}
		default:
			return true
		}
		s.pos = s.skip(s.pos, space)
	}
}

// skipComment moves behind a block comment, with those nested in it.
func (s *scanner) skipComment() bool {
	depth, i := 1, s.pos+2
	for depth > 0 {
		next := strings.IndexAny(s.text[i:], "*/")
		if next < 0 || i+next+1 >= len(s.text) {
			s.fail(s.pos, "Unterminated comment.")
			s.bad.open = true
			return false
		}
		i += next
		switch s.text[i : i+2] {
		case "/*":
			depth++
			i += 2
		case "*/":
			depth--
			i += 2
		default:
			i++
		}
	}
	s.pos = i
	return true
}

// fail describes a lexical error at pos and ends the text there.
func (s *scanner) fail(pos int, message string) kind {
	s.bad = lexicalError{pos: pos, message: "Lexer error: " + message}
	s.pos = len(s.text)
	return kBad
}

func (s *scanner) unterminated(from int, what string) kind {
	s.fail(from, "Unterminated "+what+".")
	s.bad.open = true
	return kBad
}

// quoted scans to the closing quote; a doubled quote is one inside.
func (s *scanner) quoted(k kind, quote byte, what string, escaped *bool) kind {
	for i := s.pos + 1; ; i++ {
		next := strings.IndexByte(s.text[i:], quote)
		if next < 0 {
			return s.unterminated(s.pos, what)
		}
		i += next + 1
		if s.at(i) != quote {
			s.pos = i
			return k
		}
		*escaped = true
	}
}

// bracketed scans a name that ends at the first closing mark.
func (s *scanner) bracketed(end byte) kind {
	next := strings.IndexByte(s.text[s.pos+1:], end)
	if next < 0 {
		return s.unterminated(s.pos, "identifier")
	}
	s.pos += next + 2
	return kQuoted
}

// blob scans x'…'.
func (s *scanner) blob() kind {
	from, digits := s.pos, 0
	for i := from + 2; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '\'':
			if digits%2 != 0 {
				return s.fail(from, "Blob literal must have an even number of hex digits.")
			}
			s.pos = i + 1
			return kBlob
		case byteClass[c]&hexDigit != 0:
			digits++
		case byteClass[c] != space:
			return s.fail(i, "Invalid character in blob literal.")
		}
	}
	return s.unterminated(from, "blob literal")
}

// number scans an integer or a real. A point is part of it only with a digit behind.
func (s *scanner) number() kind {
	from, k := s.pos, kInteger
	i := from
	if s.text[i] == '0' && s.at(i+1)|0x20 == 'x' {
		i = s.skip(i+2, hexDigit)
		if i == from+2 {
			return s.fail(from, "Invalid number literal: expected hex digits after 0x.")
		}
	} else {
		i = s.skip(i, digit)
		if s.at(i) == '.' && byteClass[s.at(i+1)]&digit != 0 {
			k, i = kReal, s.skip(i+1, digit)
		}
		if s.at(i)|0x20 == 'e' {
			exponent := i + 1
			if c := s.at(exponent); c == '+' || c == '-' {
				exponent++
			}
			i = s.skip(exponent, digit)
			if i == exponent {
				return s.fail(from, "Invalid number literal: expected digits after exponent.")
			}
			k = kReal
		}
	}
	if byteClass[s.at(i)]&(letter|digit) != 0 {
		return s.fail(from, fmt.Sprintf("Invalid number literal: %s.", s.text[from:s.skip(i, letter|digit)]))
	}
	s.pos = i
	return k
}

// symbol scans an operator or a mark of punctuation that begins with c.
func (s *scanner) symbol(c byte) kind {
	next := s.at(s.pos + 1)
	s.pos++
	switch c {
	case ',':
		return kComma
	case ';':
		return kSemicolon
	case '.':
		return kDot
	case '(':
		return kLParen
	case ')':
		return kRParen
	case '{':
		return kLBrace
	case '}':
		return kRBrace
	case '?':
		return kQuestion
	case ':':
		return kColon
	case '$':
		return kDollar
	case '+':
		return kPlus
	case '~':
		return kTilde
	case '*':
		return kStar
	case '/':
		return kSlash
	case '%':
		return kPercent
	case '&':
		return kAmpersand
	case '|':
		return s.longer(kPipe, next == '|', kConcat)
	case '=':
		return s.longer(kEq, next == '=', kEq2)
	case '-':
		return s.longer(s.longer(kMinus, next == '>', kArrow), next == '>' && s.at(s.pos) == '>', kArrowText)
	case '<':
		k := s.longer(kLt, next == '=', kLe)
		k = s.longer(k, next == '>', kNe)
		return s.longer(k, next == '<', kShl)
	case '>':
		return s.longer(s.longer(kGt, next == '=', kGe), next == '>', kShr)
	case '!':
		if next == '=' {
			return s.longer(kBad, true, kNe)
		}
	}
	return s.unexpected(s.pos - 1)
}

// longer takes one more byte, and kind long, if the condition holds; else the kind stays short.
func (s *scanner) longer(short kind, condition bool, long kind) kind {
	if !condition {
		return short
	}
	s.pos++
	return long
}

// unexpected refuses the character at pos, which begins no token.
func (s *scanner) unexpected(pos int) kind {
	r, size := utf8.DecodeRuneInString(s.text[pos:])
	switch {
	case r == '!':
		s.fail(pos, "! is no operator.")
	case r == 0:
		s.fail(pos, "Unexpected NUL byte.")
	case strings.HasPrefix(s.text[pos:], byteOrderMark):
		s.fail(pos, "Unexpected byte order mark (U+FEFF): it may stand only at the start of a text.")
	default:
		s.fail(pos, "Unexpected character: "+s.text[pos:pos+size])
	}
	s.bad.hint = characterHint(r)
	return kBad
}

// checkEncoding refuses a text that is not UTF-8.
func checkEncoding(text string) (lexicalError, bool) {
	const prefix = "Lexer error: "
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return lexicalError{message: prefix + "The text is UTF-16 by its byte order mark, expected UTF-8."}, false
	}
	if at := strings.IndexByte(text[:min(2, len(text))], 0); at == 0 || at == 1 && byteClass[text[0]] != 0 {
		return lexicalError{pos: at, message: prefix + "NUL byte: the text looks like UTF-16, expected UTF-8."}, false
	}
	if utf8.ValidString(text) {
		return lexicalError{}, true
	}
	for i := 0; ; {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size <= 1 {
			return lexicalError{pos: i, message: fmt.Sprintf(prefix+"Invalid UTF-8: byte 0x%02x.", text[i])}, false
		}
		i += size
	}
}
