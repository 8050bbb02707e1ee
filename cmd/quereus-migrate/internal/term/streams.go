// Package term is the tool's terminal: streams, colours, errors with their source line, tables, progress, questions. It decides
// nothing and knows no command.
package term

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Streams are where the tool reads and writes. Results go to Out, everything else to Err.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// InTerminal, OutTerminal and ErrTerminal say which of them a person sits at. CI counts as nobody.
	InTerminal, OutTerminal, ErrTerminal bool
	// Color allows colours on those of Out and Err that are terminals.
	Color bool
	// Columns is the width to write for, in cells; 0 asks the terminal each time.
	Columns int
}

// defaultColumns is the width of terminals that do not tell theirs.
const defaultColumns = 80

// ErrColumns is the width of the terminal at Err, in cells.
func (s *Streams) ErrColumns() int { return s.columns(s.Err) }

// OutColumns is the width of the terminal at Out, in cells.
func (s *Streams) OutColumns() int { return s.columns(s.Out) }

func (s *Streams) columns(w io.Writer) int {
	if s.Columns > 0 {
		return s.Columns
	}
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return defaultColumns
}

// System gives the process's own streams. The environment variable CI stands for nobody at the terminal; NO_COLOR, or a TERM
// that is dumb, for no colours.
func System() *Streams {
	person := os.Getenv("CI") == ""
	return &Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal:  person && term.IsTerminal(int(os.Stdin.Fd())),
		OutTerminal: person && term.IsTerminal(int(os.Stdout.Fd())),
		ErrTerminal: person && term.IsTerminal(int(os.Stderr.Fd())),
		Color:       os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
	}
}

// CanAsk reports whether a question would reach somebody who can answer it.
func (s *Streams) CanAsk() bool { return s.InTerminal && s.ErrTerminal }

// Palette colours words, or leaves them as they are.
type Palette bool

// OutPalette and ErrPalette give the palettes of the two outputs.
func (s *Streams) OutPalette() Palette { return Palette(s.Color && s.OutTerminal) }

// ErrPalette is the palette of Err.
func (s *Streams) ErrPalette() Palette { return Palette(s.Color && s.ErrTerminal) }

// Red marks what went wrong or would lose something.
func (p Palette) Red(text string) string { return p.paint("31;1", text) }

// Yellow marks what deserves a look.
func (p Palette) Yellow(text string) string { return p.paint("33", text) }

// Faint marks what explains.
func (p Palette) Faint(text string) string { return p.paint("2", text) }

func (p Palette) paint(code, text string) string {
	if !p {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
