package export

import (
	"bufio"
	"io"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// jsonLines writes an object for each row, values as in answers of --jsonl (docs/json.md).
type jsonLines struct {
	w     *bufio.Writer
	names [][]byte
	line  []byte
}

func newJSONLines(w io.Writer, columns []engine.Column) *jsonLines {
	j := &jsonLines{w: bufio.NewWriter(w)}
	for _, c := range columns {
		j.names = append(j.names, append(types.AppendWire(nil, types.Text(c.Name)), ':'))
	}
	return j
}

func (j *jsonLines) Row(r types.Row) error {
	j.line = append(j.line[:0], '{')
	for i, v := range r {
		if i > 0 {
			j.line = append(j.line, ',')
		}
		j.line = append(j.line, j.names[i]...)
		j.line = types.AppendWire(j.line, v)
	}
	j.line = append(j.line, "}\n"...)
	_, err := j.w.Write(j.line)
	return err
}

func (j *jsonLines) Close() error { return j.w.Flush() }
