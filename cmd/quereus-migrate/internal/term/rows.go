package term

import (
	"encoding/csv"
	"encoding/hex"
	"io"

	"github.com/quereus/quereus-migrate/types"
)

// RowWriter writes the rows of one answer. End must be called behind the last row.
type RowWriter interface {
	Begin(columns []string) error
	Row(types.Row) error
	End() error
}

// NewRowWriter gives the writer of a format: table, line, csv or json. ok is false for any other. A table that would be wider than
// columns cells is written as lines; 0 is any width.
func NewRowWriter(format string, w io.Writer, columns int) (rw RowWriter, ok bool) {
	switch format {
	case "table":
		return &tableWriter{w: w, most: columns}, true
	case "line":
		return &lineWriter{w: w}, true
	case "csv":
		return &csvWriter{csv.NewWriter(w)}, true
	case "json":
		return &jsonWriter{w: w}, true
	}
	return nil, false
}

// csvWriter writes RFC 4180. NULL is an empty field, as an empty text is; a blob is hexadecimal.
type csvWriter struct{ w *csv.Writer }

func (c *csvWriter) Begin(columns []string) error { return c.w.Write(columns) }

func (c *csvWriter) Row(r types.Row) error {
	fields := make([]string, len(r))
	for i, v := range r {
		switch v.Kind() {
		case types.KindNull:
		case types.KindBlob:
			fields[i] = hex.EncodeToString(v.Bytes())
		default:
			fields[i] = types.ToText(v)
		}
	}
	return c.w.Write(fields)
}

func (c *csvWriter) End() error {
	c.w.Flush()
	return c.w.Error()
}

// jsonWriter writes one array of objects, values as in answers of --jsonl.
type jsonWriter struct {
	w       io.Writer
	columns [][]byte
	rows    int
}

func (j *jsonWriter) Begin(columns []string) error {
	for _, c := range columns {
		j.columns = append(j.columns, types.AppendWire(nil, types.Text(c)))
	}
	_, err := io.WriteString(j.w, "[")
	return err
}

func (j *jsonWriter) Row(r types.Row) error {
	b := []byte("\n  {")
	if j.rows > 0 {
		b = []byte(",\n  {")
	}
	j.rows++
	for i, v := range r {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(append(b, j.columns[i]...), ": "...)
		b = types.AppendWire(b, v)
	}
	_, err := j.w.Write(append(b, '}'))
	return err
}

func (j *jsonWriter) End() error {
	tail := "]\n"
	if j.rows > 0 {
		tail = "\n]\n"
	}
	_, err := io.WriteString(j.w, tail)
	return err
}
