package types

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ParseJSON reads one JSON text as RFC 8259 defines it, white space around it allowed (docs/reference/types.md). A scalar document is
// the SQL value of its kind, null is NULL. Numbers spelled as integers are exact INTEGERs at any size, all others REALs. Of
// members with the same key the last value stands in the first one's place. An unpaired surrogate escape reads as U+FFFD.
// The value shares no memory with text, which may come from a buffer that is used again.
//
// It fails with MISMATCH, message "invalid JSON syntax" and where, or with TOOBIG beyond MaxJSONDepth.
func ParseJSON(text string) (Value, error) {
	p := jsonParser{src: text}
	v, err := p.document()
	if err != nil {
		return Null, err
	}
	return v, nil
}

// jsonParser is a recursive descent over src. Its recursion is bounded by MaxJSONDepth.
type jsonParser struct {
	src   string
	owned bool // src is a copy of our own, which strings may share
	pos   int
	depth int
	count int // of values
}

func (p *jsonParser) document() (Value, *Error) {
	v, err := p.value()
	if err != nil {
		return Null, err
	}
	p.skipSpace()
	if p.pos < len(p.src) {
		return Null, p.unexpected("the end of the document")
	}
	return v, nil
}

// value reads one value and the white space before it.
func (p *jsonParser) value() (Value, *Error) {
	if p.count++; p.count > MaxJSONValues {
		return Null, Errorf(TOOBIG, "JSON has more than %d values", MaxJSONValues)
	}
	p.skipSpace()
	switch c := p.peek(); {
	case c == '{':
		return p.nested(p.object)
	case c == '[':
		return p.nested(p.array)
	case c == '"':
		s, err := p.str()
		return Text(s), err
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	}
	for _, word := range jsonWords {
		if strings.HasPrefix(p.src[p.pos:], word.text) {
			p.pos += len(word.text)
			return word.value, nil
		}
	}
	return Null, p.unexpected("a value")
}

var jsonWords = []struct {
	text  string
	value Value
}{{"null", Null}, {"true", True}, {"false", False}}

// nested reads a container after stepping over its opening bracket.
func (p *jsonParser) nested(read func() (*JSON, *Error)) (Value, *Error) {
	if p.depth++; p.depth > MaxJSONDepth {
		return Null, errTooDeep()
	}
	p.pos++
	j, err := read()
	if err != nil {
		return Null, err
	}
	p.depth--
	return FromJSON(j), nil
}

func (p *jsonParser) array() (*JSON, *Error) {
	j := &JSON{}
	if p.skipSpace(); p.accept(']') {
		return j, nil
	}
	for {
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		j.Elems = append(j.Elems, v)
		if more, err := p.separator(']'); !more {
			return j, err
		}
	}
}

func (p *jsonParser) object() (*JSON, *Error) {
	members := memberList{j: &JSON{Object: true}}
	if p.skipSpace(); p.accept('}') {
		return members.j, nil
	}
	for {
		key, err := p.key()
		if err != nil {
			return nil, err
		}
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		members.set(key, v)
		if more, err := p.separator('}'); !more {
			return members.j, err
		}
	}
}

// key reads a member's key and the colon after it.
func (p *jsonParser) key() (string, *Error) {
	if p.skipSpace(); p.peek() != '"' {
		return "", p.unexpected("a key")
	}
	key, err := p.str()
	if err != nil {
		return "", err
	}
	if p.skipSpace(); !p.accept(':') {
		return "", p.unexpected("':'")
	}
	return key, nil
}

// separator reads the comma or the closing bracket after an element; more tells which.
func (p *jsonParser) separator(closing byte) (more bool, err *Error) {
	p.skipSpace()
	if p.accept(',') {
		return true, nil
	}
	if p.accept(closing) {
		return false, nil
	}
	return false, p.unexpected("',' or '" + string(closing) + "'")
}

// memberList collects the members of an object; many are indexed, so that a hostile document costs linear time.
type memberList struct {
	j     *JSON
	index map[string]int // nil for few members
}

func (m *memberList) set(key string, v Value) {
	if i := m.find(key); i >= 0 {
		m.j.Elems[i] = v
		return
	}
	if m.index != nil {
		m.index[key] = len(m.j.Keys)
	}
	m.j.Keys = append(m.j.Keys, key)
	m.j.Elems = append(m.j.Elems, v)
}

// find gives the position of the member with the key, -1 when there is none.
func (m *memberList) find(key string) int {
	const few = 16
	if m.index == nil && len(m.j.Keys) < few {
		return slices.Index(m.j.Keys, key)
	}
	if m.index == nil {
		m.index = make(map[string]int, 2*few)
		for i, k := range m.j.Keys {
			m.index[k] = i
		}
	}
	if i, ok := m.index[key]; ok {
		return i
	}
	return -1
}

// number reads -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE][+-]?[0-9]+)?.
func (p *jsonParser) number() (Value, *Error) {
	start := p.pos
	p.accept('-')
	digits := p.pos
	if p.pos = digitsEnd(p.src, digits); p.pos == digits {
		return Null, p.unexpected("a digit")
	}
	if p.src[digits] == '0' && p.pos > digits+1 {
		p.pos = digits + 1
		return Null, p.unexpected("no digit after a leading zero")
	}
	whole := true
	if p.accept('.') {
		whole = false
		if err := p.digits(); err != nil {
			return Null, err
		}
	}
	if c := p.peek(); c|0x20 == 'e' {
		whole = false
		p.pos++
		if !p.accept('-') {
			p.accept('+')
		}
		if err := p.digits(); err != nil {
			return Null, err
		}
	}
	text := p.src[start:p.pos]
	switch {
	case !whole:
		return Real(parseDecimal(text)), nil
	case tooManyDigits(text):
		return Null, Errorf(TOOBIG, "a number of %d digits is too long: an integer has at most %d", len(text), MaxIntegerDigits)
	}
	return parseDigits(text, 10), nil
}

// digits steps over one digit or more.
func (p *jsonParser) digits() *Error {
	end := digitsEnd(p.src, p.pos)
	if end == p.pos {
		return p.unexpected("a digit")
	}
	p.pos = end
	return nil
}

// str reads a string. One without escapes shares the memory of src.
func (p *jsonParser) str() (string, *Error) {
	if !p.owned {
		p.src, p.owned = strings.Clone(p.src), true
	}
	p.pos++ // the opening quote
	start := p.pos
	var built []byte // what came before start, once an escape has been met
	for {
		switch c := p.peek(); {
		case c == '"':
			s := p.src[start:p.pos]
			p.pos++
			if built == nil {
				return s, nil
			}
			return string(append(built, s...)), nil
		case c == '\\':
			built = append(built, p.src[start:p.pos]...)
			var err *Error
			if built, err = p.escape(built); err != nil {
				return "", err
			}
			start = p.pos
		case c < ' ':
			return "", p.unexpected("the end of the string")
		case c < utf8.RuneSelf:
			p.pos++
		default:
			r, n := utf8.DecodeRuneInString(p.src[p.pos:])
			if r == utf8.RuneError && n == 1 {
				return "", p.unexpected("UTF-8")
			}
			p.pos += n
		}
	}
}

// escape reads one escape sequence and appends its character.
func (p *jsonParser) escape(dst []byte) ([]byte, *Error) {
	p.pos++ // the backslash
	c := p.peek()
	if c == 'u' {
		return p.unicodeEscape(dst)
	}
	short, ok := shortEscape(c)
	if !ok {
		return nil, p.unexpected("an escape")
	}
	p.pos++
	return append(dst, short), nil
}

func shortEscape(letter byte) (c byte, ok bool) {
	switch letter {
	case '"', '\\', '/':
		return letter, true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	}
	return 0, false
}

// unicodeEscape reads uXXXX, or the two that make a surrogate pair.
func (p *jsonParser) unicodeEscape(dst []byte) ([]byte, *Error) {
	r, err := p.hex4()
	if err != nil {
		return nil, err
	}
	if utf16.IsSurrogate(r) && strings.HasPrefix(p.src[p.pos:], `\u`) {
		second := *p
		second.pos++
		low, err := second.hex4()
		if err != nil {
			return nil, err
		}
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			p.pos = second.pos
			r = pair
		}
	}
	return utf8.AppendRune(dst, r), nil // a surrogate left alone becomes U+FFFD
}

// hex4 reads u and four hexadecimal digits.
func (p *jsonParser) hex4() (rune, *Error) {
	p.pos++ // the u
	var r rune
	for range 4 {
		c := p.peek()
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, p.unexpected("a hexadecimal digit")
		}
		p.pos++
	}
	return r, nil
}

func (p *jsonParser) skipSpace() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// peek gives the byte at hand; 0, which no JSON text has outside an error, at the end.
func (p *jsonParser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

// accept steps over c if it is at hand.
func (p *jsonParser) accept(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.pos++
	return true
}

// unexpected makes the syntax error for what is at hand.
func (p *jsonParser) unexpected(want string) *Error {
	if p.pos >= len(p.src) {
		return Errorf(MISMATCH, "invalid JSON syntax: the text ends where %s should be", want)
	}
	found, _ := utf8.DecodeRuneInString(p.src[p.pos:])
	return Errorf(MISMATCH, "invalid JSON syntax: %q at byte %d where %s should be", found, p.pos, want)
}
