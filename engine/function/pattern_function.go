package function

import (
	"regexp"

	"github.com/quereus/quereus-migrate/types"
)

// patterns are the pattern operators as functions, pattern first (spec 41 §5).
func patterns() []*Function {
	return []*Function{
		matches("like", func(p string) (Matcher, error) { return CompileLike(p, NoEscape), nil }),
		matches("glob", func(p string) (Matcher, error) { return CompileGlob(p), nil }),
		matches("regexp", func(p string) (Matcher, error) { return CompileRegexp(p) }),
	}
}

// CompileRegexp compiles the pattern of REGEXP, an RE2 expression that matches anywhere in a text. A malformed one is ERROR.
func CompileRegexp(pattern string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, types.Errorf(types.ERROR, "malformed regular expression '%s': %v", pattern, err)
	}
	return re, nil
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
				m := prepare(types.ToText(p.Const))
				return func(_ *Call, args []types.Value) (types.Value, error) { return m.apply(args[1]) }, nil
			}
			last := newMemo(prepare)
			return func(_ *Call, args []types.Value) (types.Value, error) {
				return last.get(types.ToText(args[0])).apply(args[1])
			}, nil
		},
	}
}

func (m compiled) apply(x types.Value) (types.Value, error) {
	if m.err != nil {
		return types.Null, m.err
	}
	return types.Bool(m.MatchString(types.ToText(x))), nil
}
