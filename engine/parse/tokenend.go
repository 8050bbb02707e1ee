package parse

// TokenEnd gives the end of the token that begins at an offset of a text, for messages that mark it: a name with all its parts, a string with its
// quotes. The offset itself for white space and for the end of the text. It is cheap wherever the text begins.
func TokenEnd(text string, from int) int {
	if from < 0 || from >= len(text) || byteClass[text[from]] == space {
		return from
	}
	s := scanner{text: text, pos: from}
	var t token
	s.scan(&t)
	switch {
	case t.kind == kEOF || int(t.from) != from:
		return from
	case t.kind == kBad:
		return from
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
