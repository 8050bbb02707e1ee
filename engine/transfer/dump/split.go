package dump

import (
	"strings"

	"github.com/quereus/quereus-migrate/engine/transfer/foreign"
)

// statement is a piece of the dump, without the mark that ends it. Of COPY, data are the lines that follow.
type statement struct {
	text string
	data string
}

// splitter goes through a dump statement by statement.
type splitter struct {
	text    string
	at      int
	dialect foreign.Dialect
	// end is what ends a statement: a semicolon, unless MySQL's DELIMITER says otherwise.
	end string
}

// next gives the next statement; ok is false at the end.
func (s *splitter) next() (out statement, ok bool) {
	s.skipLines()
	from := s.at
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch c := rest[0]; {
		case strings.HasPrefix(rest, s.end):
			out.text = s.text[from:s.at]
			s.at += len(s.end)
			if s.isCopy(out.text) {
				out.data = s.copyData()
			}
			return out, true
		case c == '\'' || c == '"' || c == '`':
			s.skipQuoted(c)
		case strings.HasPrefix(rest, "--"), c == '#' && s.dialect == foreign.MySQL:
			s.skipTo("\n")
		case strings.HasPrefix(rest, "/*") && !strings.HasPrefix(rest, "/*!"):
			s.at += 2
			s.skipTo("*/")
		case c == '$' && s.dialect == foreign.Postgres:
			s.skipDollar()
		default:
			s.at++
		}
	}
	out.text = s.text[from:]
	return out, strings.TrimSpace(out.text) != ""
}

// skipLines passes empty lines, lines that only the client reads, and MySQL's change of the mark that ends a statement.
func (s *splitter) skipLines() {
	for s.at < len(s.text) {
		line := s.text[s.at:]
		if i := strings.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		word := strings.TrimSpace(line)
		switch {
		case word == "", strings.HasPrefix(word, "--"), strings.HasPrefix(word, `\`) && s.dialect == foreign.Postgres:
		case s.dialect == foreign.MySQL && len(word) > 10 && strings.EqualFold(word[:10], "delimiter "):
			s.end = strings.TrimSpace(word[10:])
		default:
			return
		}
		s.at += len(line)
	}
}

func (s *splitter) skipTo(end string) {
	if i := strings.Index(s.text[s.at:], end); i >= 0 {
		s.at += i + len(end)
	} else {
		s.at = len(s.text)
	}
}

// skipQuoted passes a string or a quoted name. In PostgreSQL a backslash escapes behind E only.
func (s *splitter) skipQuoted(mark byte) {
	escapes := mark != '`' && s.dialect == foreign.MySQL ||
		mark == '\'' && s.dialect == foreign.Postgres && s.at > 0 && s.text[s.at-1]|0x20 == 'e' && (s.at < 2 || !isNamePart(s.text[s.at-2]))
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '\\' && escapes:
			s.at++
		case c == mark && s.at+1 < len(s.text) && s.text[s.at+1] == mark:
			s.at++
		case c == mark:
			s.at++
			return
		}
	}
}

func isNamePart(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

func (s *splitter) skipDollar() {
	end := s.at + 1
	for end < len(s.text) && isNamePart(s.text[end]) {
		end++
	}
	if end >= len(s.text) || s.text[end] != '$' || s.at > 0 && isNamePart(s.text[s.at-1]) {
		s.at++
		return
	}
	tag := s.text[s.at : end+1]
	s.at = end + 1
	s.skipTo(tag)
}

// isCopy reports whether lines of data follow a statement.
func (s *splitter) isCopy(text string) bool {
	if s.dialect != foreign.Postgres || len(text) < 4 || !strings.EqualFold(text[:4], "copy") {
		return false
	}
	words := foreign.Tokens(text, s.dialect)
	for i, w := range words {
		if w.Is("from") && i+1 < len(words) && words[i+1].Is("stdin") {
			return true
		}
	}
	return false
}

// copyData takes the lines up to the one that ends them.
func (s *splitter) copyData() string {
	s.skipTo("\n")
	from := s.at
	if strings.HasPrefix(s.text[from:], "\\.") {
		s.skipTo("\n")
		return ""
	}
	i := strings.Index(s.text[from:], "\n\\.")
	if i < 0 {
		s.at = len(s.text)
		return s.text[from:]
	}
	s.at = from + i + 1
	s.skipTo("\n")
	return s.text[from : from+i+1]
}
