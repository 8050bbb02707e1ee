package parse

import (
	"strings"
	"unicode/utf8"
)

// TokenEnd gives the end of the token that begins at an offset of a text, for messages that mark it: a name with all its parts, a string with its
// quotes. The offset itself for white space and for the end of the text. It is cheap wherever the text begins.
func TokenEnd(text string, from int) int {
	if from < 0 || from >= len(text) || byteClass[text[from]] == space {
		return from
	}
	s := scanner{text: text, pos: from, unicode: true}
	var t token
	s.scan(&t)
	switch {
	case t.kind == kEOF || int(t.from) != from:
		return from
	case t.kind == kBad && s.bad.open:
		return len(text)
	case t.kind == kBad:
		s.pos = from
		_, size := utf8.DecodeRuneInString(text[from:])
		return max(s.skip(from, letter|digit), from+size)
	case strings.HasPrefix(text[from:], "::"):
		return from + len("::")
	}
	for end := s.pos; ; end = s.pos {
		if t.kind != kWord && t.kind != kQuoted || s.at(end) != '.' {
			return end
		}
		s.pos++
		if s.scan(&t); int(t.from) != end+1 || t.kind != kWord && t.kind != kQuoted {
			return end
		}
	}
}
