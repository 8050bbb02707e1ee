package ast

import (
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// Source is a text that trees were read from, with its name for messages ("" for statements given as text). It is safe for
// concurrent use.
type Source struct {
	Name string
	Text string

	once  sync.Once
	lines []Pos // offset of the first byte of each line
}

// NewSource makes a Source.
func NewSource(name, text string) *Source { return &Source{Name: name, Text: text} }

// Position turns an offset into 1-based line and column, columns counted in code points; LF, CRLF and a bare CR each end
// a line once. It gives 0, 0 for NoPos and for a nil Source.
func (s *Source) Position(p Pos) (line, column int) {
	if s == nil || p < 0 {
		return 0, 0
	}
	s.once.Do(s.index)
	p = max(p, s.lines[0])
	i := sort.Search(len(s.lines), func(i int) bool { return s.lines[i] > p }) - 1
	end := min(int(p), len(s.Text))
	return i + 1, utf8.RuneCountInString(s.Text[s.lines[i]:end]) + 1
}

// Line gives the text of a 1-based line without its end, "" when there is none.
func (s *Source) Line(n int) string {
	s.once.Do(s.index)
	if n < 1 || n > len(s.lines) {
		return ""
	}
	from, to := int(s.lines[n-1]), len(s.Text)
	if n < len(s.lines) {
		to = int(s.lines[n])
	}
	for to > from && (s.Text[to-1] == '\n' || s.Text[to-1] == '\r') {
		to--
	}
	return s.Text[from:to]
}

// Offset turns a 1-based line and column, counted as Position does, into an offset: that of the end of the line for a column behind it,
// NoPos for a line that there is not.
func (s *Source) Offset(line, column int) Pos {
	s.once.Do(s.index)
	if line < 1 || line > len(s.lines) {
		return NoPos
	}
	at, text := int(s.lines[line-1]), s.Line(line)
	for ; column > 1 && text != ""; column-- {
		_, size := utf8.DecodeRuneInString(text)
		at, text = at+size, text[size:]
	}
	return Pos(at)
}

// index finds the line starts. A byte order mark in front is not part of the first line.
func (s *Source) index() {
	start := 0
	if strings.HasPrefix(s.Text, "\ufeff") {
		start = len("\ufeff")
	}
	s.lines = append(s.lines, Pos(start))
	for i := start; i < len(s.Text); i++ {
		switch s.Text[i] {
		case '\r':
			if i+1 < len(s.Text) && s.Text[i+1] == '\n' {
				i++
			}
			s.lines = append(s.lines, Pos(i+1))
		case '\n':
			s.lines = append(s.lines, Pos(i+1))
		}
	}
}
