package function

import (
	"io"
	"regexp"
	"sync"
	"unicode/utf8"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
)

// patterns are the pattern operators as functions, pattern first (docs/reference/functions.md).
func patterns() []*Function {
	return []*Function{
		matches("like", func(p string) (Matcher, error) { return CompileLike(p, NoEscape), nil }),
		matches("glob", func(p string) (Matcher, error) { return CompileGlob(p), nil }),
		matches("regexp", func(p string) (Matcher, error) { return compileExpression(p) }),
	}
}

// CompileRegexp compiles the pattern of REGEXP, an RE2 expression that matches anywhere in a text. A malformed one is ERROR.
func CompileRegexp(pattern string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, types.Errorf(types.ERROR, "malformed regular expression '%s': %s", types.Abridge(pattern), types.Abridge(err.Error()))
	}
	return re, nil
}

// expression is a compiled regular expression.
type expression struct {
	*regexp.Regexp
	length int // of its text
}

func compileExpression(pattern string) (*expression, error) {
	re, err := CompileRegexp(pattern)
	return &expression{re, len(pattern)}, err
}

// Match is MatchString. A text whose match may take long is read rune by rune, and ends early when nobody waits for the answer.
func (e *expression) Match(c *Call, text string) (bool, error) {
	const short = 1 << 22 // steps: a state of the expression at a byte of the text
	if e.length*len(text) < short || c.Ctx == nil {
		return e.MatchString(text), nil
	}
	r := &hearingRunes{c: c, text: text, every: max(1, short/4/(e.length+1))}
	ok := e.MatchReader(r)
	return ok && r.err == nil, r.err
}

// hearingRunes are the runes of a text, as long as somebody waits for them.
type hearingRunes struct {
	c                *Call
	text             string
	at, since, every int
	err              error
}

func (h *hearingRunes) ReadRune() (r rune, size int, err error) {
	if h.since++; h.since >= h.every {
		h.since = 0
		if h.err = h.c.Interrupted(); h.err != nil {
			return 0, 0, io.EOF
		}
	}
	if h.at == len(h.text) {
		return 0, 0, io.EOF
	}
	r, size = utf8.DecodeRuneInString(h.text[h.at:])
	h.at += size
	return r, size, nil
}

// compiled is a pattern, or what is wrong with it, which is an error when the pattern is used and not before.
type compiled struct {
	Matcher
	err error
}

// matches is f(pattern, x). A constant pattern is compiled once.
func matches(name string, compile func(pattern string) (Matcher, error)) *Function {
	prepare := func(pattern string) compiled {
		m, err := compile(pattern)
		return compiled{m, err}
	}
	return &Function{
		Name: name, Args: 2, Deterministic: true, NullOnNull: true, Type: resultOf(types.TypeBoolean),
		Bind: func(args []Arg) (Eval, error) {
			if p := args[0]; p.HasConst && !p.Const.IsNull() {
				text := types.ToText(p.Const)
				m := sync.OnceValue(func() compiled { return prepare(text) })
				return func(c *Call, args []types.Value) (types.Value, error) {
					if err := CheckPattern(c, text); err != nil {
						return types.Null, err
					}
					return m().apply(c, args[1])
				}, nil
			}
			last := newMemo(prepare)
			return func(c *Call, args []types.Value) (types.Value, error) {
				text := types.ToText(args[0])
				if err := CheckPattern(c, text); err != nil {
					return types.Null, err
				}
				return last.get(text).apply(c, args[1])
			}, nil
		},
	}
}

// CheckPattern refuses a pattern that is longer than one may be, before anything is made of it: TOOBIG.
func CheckPattern(c *Call, pattern string) error {
	if n := int64(len(pattern)); n > c.Limits().Of(limit.PatternLength) {
		return c.Limits().Exceeded(limit.PatternLength, "the pattern has %d bytes", n)
	}
	return nil
}

func (m compiled) apply(c *Call, x types.Value) (types.Value, error) {
	if m.err != nil {
		return types.Null, m.err
	}
	ok, err := m.Match(c, types.ToText(x))
	return types.Bool(ok), err
}
