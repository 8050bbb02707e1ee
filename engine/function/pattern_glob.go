package function

import (
	"strings"
	"unicode/utf8"
)

// CompileGlob compiles the pattern of GLOB: * is any run of code points, ? any one of them, [abc] and [a-z] one of those, [^…] one
// of the others. A ] that stands first in a class belongs to it; a [ without an end is literal; nothing escapes (docs/reference/functions.md).
func CompileGlob(pattern string) *Pattern {
	var b patternBuilder
	for pattern != "" {
		r, n := utf8.DecodeRuneInString(pattern)
		pattern = pattern[n:]
		switch r {
		case '*':
			b.star()
		case '?':
			b.any()
		case '[':
			if c, rest, ok := parseClass(pattern); ok {
				b.oneOf(c)
				pattern = rest
				continue
			}
			b.literal(r)
		default:
			b.literal(r)
		}
	}
	return b.pattern()
}

// class is a set of code points.
type class struct {
	negated bool
	ranges  []runeRange
}

type runeRange struct{ lo, hi rune }

func (c *class) has(r rune) bool {
	for _, x := range c.ranges {
		if x.lo <= r && r <= x.hi {
			return !c.negated
		}
	}
	return c.negated
}

// parseClass reads a class behind its opening bracket.
func parseClass(s string) (c *class, rest string, ok bool) {
	c = &class{}
	s, c.negated = strings.CutPrefix(s, "^")
	end := -1
	if s != "" { // the first member may be a bracket
		end = strings.IndexByte(s[1:], ']') + 1
	}
	if end <= 0 {
		return nil, "", false
	}
	members := []rune(s[:end])
	for i := 0; i < len(members); i++ {
		x := runeRange{members[i], members[i]}
		if i+2 < len(members) && members[i+1] == '-' {
			x.hi = members[i+2]
			i += 2
		}
		c.ranges = append(c.ranges, x)
	}
	return c, s[end+1:], true
}
