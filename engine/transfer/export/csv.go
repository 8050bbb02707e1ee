package export

import (
	"bufio"
	"encoding/hex"
	"io"
	"strings"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// csvWriter writes RFC 4180 with a line of names first. NULL is an empty field and an empty text is two quotes, so that they can be told
// apart; a blob is hexadecimal. The standard library's writer writes both alike.
type csvWriter struct {
	w    *bufio.Writer
	line []byte
	safe bool
}

func newCSV(w io.Writer, columns []engine.Column, o Options) (*csvWriter, error) {
	c := &csvWriter{w: bufio.NewWriter(w), safe: o.CSVSafe}
	for i, k := range columns {
		c.comma(i)
		c.text(k.Name)
	}
	return c, c.end()
}

func (c *csvWriter) Row(r types.Row) error {
	for i, v := range r {
		c.comma(i)
		switch v.Kind() {
		case types.KindNull:
		case types.KindBlob:
			c.line = hex.AppendEncode(c.line, v.Bytes())
		case types.KindText, types.KindJSON:
			c.text(types.ToText(v))
		default:
			c.line = append(c.line, types.ToText(v)...)
		}
	}
	return c.end()
}

func (c *csvWriter) comma(i int) {
	if i > 0 {
		c.line = append(c.line, ',')
	}
}

// text writes a text, quoted where it has to be.
func (c *csvWriter) text(s string) {
	if c.safe {
		s = WithoutFormula(s)
	}
	if s != "" && !strings.ContainsAny(s, ",\"\r\n") && s[0] != ' ' && s[len(s)-1] != ' ' {
		c.line = append(c.line, s...)
		return
	}
	c.line = append(c.line, '"')
	c.line = append(c.line, strings.ReplaceAll(s, `"`, `""`)...)
	c.line = append(c.line, '"')
}

func (c *csvWriter) end() error {
	c.line = append(c.line, '\n')
	_, err := c.w.Write(c.line)
	c.line = c.line[:0]
	return err
}

func (c *csvWriter) Close() error { return c.w.Flush() }

// WithoutFormula puts an apostrophe before a text that a spreadsheet would take for a formula: one that begins with =, +, -, @, a tab or a
// line break.
func WithoutFormula(s string) string {
	if s != "" && strings.IndexByte("=+-@\t\r\n", s[0]) >= 0 {
		return "'" + s
	}
	return s
}
