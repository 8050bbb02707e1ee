package function

import (
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// epochs are the epoch functions and the checks of ISO spellings (docs/reference/functions.md).
func epochs() []*Function {
	return []*Function{
		sinceEpoch("epoch_s", types.TypeInteger, func(m *moment) types.Value { return types.Int(m.unixSeconds()) }),
		sinceEpoch("epoch_ms", types.TypeInteger, func(m *moment) types.Value { return types.Int(m.at.UnixMilli()) }),
		sinceEpoch("epoch_s_frac", types.TypeReal, func(m *moment) types.Value {
			return types.Real(float64(m.at.UnixMilli()) / 1e3)
		}),
		checksText("isisodate", hasDateShape),
		checksText("isisodatetime", func(s string) bool { return hasDateTimeShape(s, "T") }),
	}
}

func sinceEpoch(name string, t *types.Type, count func(*moment) types.Value) *Function {
	return &Function{
		Name: name, Args: -1, Max: -1, Type: resultAlways(t),
		Eval: func(c *Call, args []types.Value) (types.Value, error) {
			m, ok := readStrictly(c, args)
			if !ok {
				return types.Null, nil
			}
			return count(&m), nil
		},
	}
}

// checksText reports whether a text, trimmed, has a shape and is a real date and time.
func checksText(name string, hasShape func(string) bool) *Function {
	return &Function{
		Name: name, Args: 1, Deterministic: true, Type: resultNever(types.TypeBoolean),
		Eval: func(_ *Call, args []types.Value) (types.Value, error) {
			s := types.TrimSpace(args[0].Str())
			if !hasShape(s) {
				return types.False, nil
			}
			_, ok := types.ParseDateTime(s)
			return types.Bool(ok), nil
		},
	}
}

// hasDateShape reports whether s is spelled YYYY-MM-DD.
func hasDateShape(s string) bool {
	rest, ok := cutShape(s, "0000-00-00")
	return ok && rest == ""
}

// hasDateTimeShape reports whether s is spelled YYYY-MM-DD, one of separators, and HH:MM[:SS[.f{1,9}]] with an optional Z or ±HH:MM.
func hasDateTimeShape(s, separators string) bool {
	s, ok := cutShape(s, "0000-00-00")
	if !ok || s == "" || strings.IndexByte(separators, s[0]) < 0 {
		return false
	}
	if s, ok = cutShape(s[1:], "00:00"); !ok {
		return false
	}
	if rest, seconds := cutShape(s, ":00"); seconds {
		s = rest
		if fraction, pointed := strings.CutPrefix(s, "."); pointed {
			s = strings.TrimLeft(fraction, "0123456789")
			if n := len(fraction) - len(s); n < 1 || n > 9 {
				return false
			}
		}
	}
	if s == "" || s == "Z" {
		return true
	}
	rest, ok := cutShape(s[1:], "00:00")
	return ok && rest == "" && (s[0] == '+' || s[0] == '-')
}

// cutShape cuts a prefix off s that is spelled as shape, in which 0 stands for any digit.
func cutShape(s, shape string) (rest string, ok bool) {
	if len(s) < len(shape) {
		return s, false
	}
	for i := range len(shape) {
		if shape[i] == '0' && !isDigits(s[i:i+1]) || shape[i] != '0' && s[i] != shape[i] {
			return s, false
		}
	}
	return s[len(shape):], true
}
