package function

import (
	"strings"
	"unicode/utf8"
)

// Matcher is a compiled pattern of LIKE, GLOB or REGEXP. It is immutable and safe for concurrent use; matching a text of ordinary length
// allocates nothing.
type Matcher interface {
	// Match reports whether the pattern matches a text, which must be valid UTF-8. It fails with INTERRUPT when the call's statement is not
	// wanted any more.
	Match(c *Call, text string) (bool, error)
}

// Pattern is a compiled LIKE or GLOB pattern, matched against the whole of a text.
//
// Between two stars stands a run, of fixed length in code points. Each run is taken where it first occurs, which is never wrong, so
// nothing is tried twice: time is linear in the text for runs that are literal, and bounded by the length of the text times the
// longest run for all others.
type Pattern struct {
	head, tail run
	middle     []run
	exact      bool // no star: head is all
	never      bool // matches nothing
}

// run is a part of a pattern without stars.
type run struct {
	// skip is the number of code points that precede the tokens, whatever they are; it serves find.
	skip   int
	tokens []token
	points int // of the tokens
}

// token is a part of a run: a literal text, a class of code points, or neither, which is any one code point.
type token struct {
	literal string
	class   *class
}

// MatchString reports whether the pattern matches the whole of text, which must be valid UTF-8.
func (p *Pattern) MatchString(text string) bool {
	ok, _ := p.Match(nil, text)
	return ok
}

// Match is MatchString for a statement that may end before its answer.
func (p *Pattern) Match(c *Call, text string) (ok bool, err error) {
	if p.never {
		return false, nil
	}
	rest, ok := p.head.match(text)
	if !ok || p.exact {
		return ok && rest == "", nil
	}
	for i := range p.middle {
		if rest, ok, err = p.middle[i].find(c, rest); !ok {
			return false, err
		}
	}
	return p.tail.matchEnd(rest), nil
}

// match consumes the run at the start of s.
func (r *run) match(s string) (rest string, ok bool) {
	if s, ok = dropExactly(s, r.skip); !ok {
		return "", false
	}
	return r.matchTokens(s)
}

func (r *run) matchTokens(s string) (rest string, ok bool) {
	for i := range r.tokens {
		t := &r.tokens[i]
		if t.literal != "" {
			if s, ok = strings.CutPrefix(s, t.literal); !ok {
				return "", false
			}
			continue
		}
		if s == "" {
			return "", false
		}
		c, n := utf8.DecodeRuneInString(s)
		if t.class != nil && !t.class.has(c) {
			return "", false
		}
		s = s[n:]
	}
	return s, true
}

// find consumes s up to the end of the first occurrence of the run.
func (r *run) find(c *Call, s string) (rest string, ok bool, err error) {
	if s, ok = dropExactly(s, r.skip); !ok || len(r.tokens) == 0 {
		return s, ok, nil
	}
	literal, tries := r.tokens[0].literal, 0
	for s != "" {
		if tries += 1 + len(r.tokens); tries >= manyTries && c != nil {
			if tries = 0; c.Interrupted() != nil {
				return "", false, c.Interrupted()
			}
		}
		if literal != "" {
			at := strings.Index(s, literal)
			if at < 0 {
				return "", false, nil
			}
			s = s[at:]
		}
		if rest, ok = r.matchTokens(s); ok {
			return rest, true, nil
		}
		_, n := utf8.DecodeRuneInString(s)
		s = s[n:]
	}
	return "", false, nil
}

// manyTries is the number of tokens that are tried between two looks at the statement's context.
const manyTries = 1 << 20

// matchEnd reports whether s ends with the run.
func (r *run) matchEnd(s string) bool {
	at := len(s)
	for range r.skip + r.points {
		if at == 0 {
			return false
		}
		_, n := utf8.DecodeLastRuneInString(s[:at])
		at -= n
	}
	_, ok := r.match(s[at:])
	return ok
}

// dropExactly drops the first n code points of s; ok is false when there are fewer.
func dropExactly(s string, n int) (rest string, ok bool) {
	for ; n > 0; n-- {
		if s == "" {
			return "", false
		}
		_, size := utf8.DecodeRuneInString(s)
		s = s[size:]
	}
	return s, true
}

// patternBuilder collects the parts of a pattern from left to right.
type patternBuilder struct {
	runs []run // complete ones
	run  run   // the one being built
	text []byte
}

func (b *patternBuilder) literal(r rune) { b.text = utf8.AppendRune(b.text, r) }

func (b *patternBuilder) flush() {
	if len(b.text) > 0 {
		b.add(token{literal: string(b.text)}, utf8.RuneCount(b.text))
		b.text = b.text[:0]
	}
}

func (b *patternBuilder) add(t token, points int) {
	b.run.tokens = append(b.run.tokens, t)
	b.run.points += points
}

// any adds one code point, whatever it is.
func (b *patternBuilder) any() {
	if len(b.text) == 0 && len(b.run.tokens) == 0 {
		b.run.skip++
		return
	}
	b.flush()
	b.add(token{}, 1)
}

func (b *patternBuilder) oneOf(c *class) {
	b.flush()
	b.add(token{class: c}, 1)
}

func (b *patternBuilder) star() {
	b.flush()
	b.runs = append(b.runs, b.run)
	b.run = run{}
}

func (b *patternBuilder) pattern() *Pattern {
	b.flush()
	if len(b.runs) == 0 {
		return &Pattern{head: b.run, exact: true}
	}
	p := &Pattern{head: b.runs[0], tail: b.run}
	for _, r := range b.runs[1:] {
		if r.skip > 0 || len(r.tokens) > 0 {
			p.middle = append(p.middle, r)
		}
	}
	return p
}

// NoEscape compiles a LIKE pattern without ESCAPE.
const NoEscape rune = -1

// CompileLike compiles the pattern of LIKE: % is any run of code points, _ any one of them, and escape makes the one behind it
// literal, wherever it stands; at the end it matches nothing (docs/reference/language.md).
func CompileLike(pattern string, escape rune) *Pattern {
	var b patternBuilder
	escaped := false
	for _, r := range pattern {
		switch {
		case escaped:
			b.literal(r)
			escaped = false
		case r == escape:
			escaped = true
		case r == '%':
			b.star()
		case r == '_':
			b.any()
		default:
			b.literal(r)
		}
	}
	if escaped {
		return &Pattern{never: true}
	}
	return b.pattern()
}
