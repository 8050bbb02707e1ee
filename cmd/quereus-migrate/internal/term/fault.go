package term

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

// PrintFault writes an error to Err. One that stands in a source is told as file:line:column with the source line and a caret
// below the place. An error without a source of its own is looked up in src, which may be nil. Errors that are joined are told one
// by one.
func (s *Streams) PrintFault(err error, src *ast.Source) {
	if several, ok := err.(interface{ Unwrap() []error }); ok { // one deeper within may be of another library's making
		for _, e := range several.Unwrap() {
			s.PrintFault(e, src)
		}
		return
	}
	var inFile *catalog.SourceError
	var plain *types.Error
	switch {
	case errors.As(err, &inFile):
		s.printAt(inFile.Source, inFile.Err, relatedTo(inFile.Source, inFile.Err, inFile.Related))
	case src != nil && errors.As(err, &plain) && plain.Line > 0:
		s.printAt(src, plain, relatedTo(src, plain, nil))
	case errors.As(err, &plain) && err == error(plain):
		fmt.Fprintf(s.Err, "%s: %s\n", s.ErrorWord(plain.Code), Visible(plain.Message))
		s.printHint(plain)
	default:
		fmt.Fprintf(s.Err, "%s: %s\n", s.ErrorWord(types.CodeOf(err)), VisibleText(err.Error()))
	}
}

// ErrorWord gives the word error with its code, unless that says no more.
func (s *Streams) ErrorWord(code types.Code) string {
	word := "error"
	if code != types.ERROR {
		word += " " + code.String()
	}
	return s.ErrPalette().Red(word)
}

func (s *Streams) printHint(e *types.Error) {
	if e.Hint != "" {
		fmt.Fprintf(s.Err, "  %s %s\n", s.ErrPalette().Yellow("hint:"), Visible(e.Hint))
	}
}

func (s *Streams) printAt(src *ast.Source, e *types.Error, related []catalog.SourcePlace) {
	s.printPlace("", src, e.Line, e.Column, s.ErrorWord(e.Code)+": "+Visible(e.Message))
	for _, place := range related {
		s.printPlace("  ", place.Source, place.Line, place.Column, s.ErrPalette().Yellow("note")+": "+Visible(place.Message))
	}
	s.printHint(e)
}

// relatedTo lists the other places that an error in a source speaks of.
func relatedTo(src *ast.Source, e *types.Error, more []catalog.SourcePlace) []catalog.SourcePlace {
	var out []catalog.SourcePlace
	for _, place := range e.Related {
		out = append(out, catalog.SourcePlace{Source: src, Place: place})
	}
	return append(out, more...)
}

// PrintFailure tells one of several faults in a file, indented, with its code and a message in place of the fault's own.
func (s *Streams) PrintFailure(indent string, e *catalog.SourceError, message string) {
	s.printPlace(indent, e.Source, e.Err.Line, e.Err.Column, e.Err.Code.String()+": "+Visible(message))
}

// PrintFinding tells something about a place in a file, which may be nil, with the line and the token marked.
func (s *Streams) PrintFinding(src *ast.Source, line, column int, message string) {
	if src == nil {
		fmt.Fprintln(s.Err, message)
		return
	}
	s.printPlace("", src, line, column, message)
}

// printPlace writes a message behind its place, and below it the line with the token that stands there marked.
func (s *Streams) printPlace(indent string, src *ast.Source, line, column int, message string) {
	name := Visible(src.Name)
	if name == "" {
		name = "<statement>"
	}
	if line == 0 {
		fmt.Fprintf(s.Err, "%s%s: %s\n", indent, name, message)
		return
	}
	text, mark := excerpt(src.Line(line), column, tokenWidth(src, line, column))
	fmt.Fprintf(s.Err, "%s%s:%d:%d: %s\n", indent, name, line, column, message)
	fmt.Fprintf(s.Err, "%s  %s\n%s  %s\n", indent, text, indent, s.ErrPalette().Red(mark))
}

// tokenWidth counts the code points of the token at a place, up to the end of its line, 1 at least.
func tokenWidth(src *ast.Source, line, column int) int {
	from := int(src.Offset(line, column))
	token := src.Text[min(max(from, 0), len(src.Text)):max(parse.TokenEnd(src.Text, from), 0)]
	if end := strings.IndexAny(token, "\r\n"); end >= 0 {
		token = token[:end]
	}
	return max(utf8.RuneCountInString(token), 1)
}

// What is shown of a long line, in code points before and behind the place.
const (
	shownBefore = 60
	shownBehind = 60
)

// excerpt gives the part of a line around a 1-based column, and the carets to stand below as many code points from there on as are to be
// marked. Tabs stay tabs in both.
func excerpt(line string, column, marked int) (text, carets string) {
	runes := []rune(strings.ToValidUTF8(line, "\ufffd"))
	at := min(max(column-1, 0), len(runes))
	from, to := max(at-shownBefore, 0), min(at+shownBehind, len(runes))
	var b, blank strings.Builder
	width := 0
	if from > 0 {
		b.WriteString("…")
		blank.WriteByte(' ')
	}
	for i := from; i < to; i++ {
		shown := string(runes[i])
		if runes[i] != '\t' {
			shown = Visible(shown)
		}
		b.WriteString(shown)
		switch {
		case i >= at+marked:
		case i >= at:
			width += max(textWidth(shown), 1)
		case runes[i] == '\t':
			blank.WriteByte('\t')
		default:
			blank.WriteString(strings.Repeat(" ", textWidth(shown)))
		}
	}
	if to < len(runes) {
		b.WriteString("…")
	}
	return b.String(), blank.String() + strings.Repeat("^", max(width, 1))
}
