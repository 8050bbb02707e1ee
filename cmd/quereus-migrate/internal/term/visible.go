package term

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible spells out what steers a terminal, breaks a line or turns the direction of text around, so that a name or value is shown in one
// line as what it is. It is the way of foreign text into comments, messages, cells and lists.
func Visible(s string) string { return escape(s, steers) }

// VisibleText is Visible for texts of several lines: line ends and tabs stay.
func VisibleText(s string) string {
	return escape(s, func(r rune) bool { return r != '\n' && r != '\t' && steers(r) })
}

// Text gives a text as Out shows it: a program gets it as it is, a person what is safe to look at.
func (s *Streams) Text(text string) string {
	if s.OutTerminal {
		return VisibleText(text)
	}
	return text
}

// steers reports whether a character has an effect instead of a look: control characters, ends of lines, and those that change the
// direction of text.
func steers(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}

func escape(s string, test func(rune) bool) string {
	if strings.IndexFunc(s, test) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !test(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
