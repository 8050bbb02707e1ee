package term

import (
	"encoding/hex"
	"io"
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// tableWriter aligns columns for readers. It holds back a block of rows at a time, so that its memory is bounded; a column never
// gets narrower again.
type tableWriter struct {
	w       io.Writer
	columns []string
	widths  []int
	right   []bool // columns of numbers
	block   [][]string
	started bool
	most    int         // how wide it may be, 0 for any width
	lines   *lineWriter // what writes instead, once the table turns out to be wider
}

// tableBlock is how many rows decide about widths at a time.
const tableBlock = 500

func (t *tableWriter) Begin(columns []string) error {
	t.widths, t.right = make([]int, len(columns)), make([]bool, len(columns))
	for i, c := range columns {
		t.columns = append(t.columns, Visible(c))
		t.widths[i] = max(textWidth(t.columns[i]), 1)
		t.right[i] = true
	}
	return nil
}

func (t *tableWriter) Row(r types.Row) error {
	cells := make([]string, len(r))
	if t.lines != nil {
		for i, v := range r {
			cells[i] = cell(v)
		}
		return t.lines.write(cells)
	}
	for i, v := range r {
		cells[i] = cell(v)
		t.widths[i] = max(t.widths[i], textWidth(cells[i]))
		t.right[i] = t.right[i] && (v.IsNull() || v.IsNumber())
	}
	if t.block = append(t.block, cells); len(t.block) < tableBlock {
		return nil
	}
	return t.flush()
}

// cell is a value in one line, NULL as such.
func cell(v types.Value) string {
	switch v.Kind() {
	case types.KindNull:
		return "NULL"
	case types.KindBlob:
		return "x'" + hex.EncodeToString(v.Bytes()) + "'"
	}
	return Visible(types.ToText(v))
}

// width is that of a line.
func (t *tableWriter) width() int {
	n := 2 * (len(t.widths) - 1)
	for _, w := range t.widths {
		n += w
	}
	return n
}

// flushLines writes the block as lines, and lets the rest be written so.
func (t *tableWriter) flushLines() error {
	t.lines = &lineWriter{w: t.w, columns: t.columns}
	for _, cells := range t.block {
		if err := t.lines.write(cells); err != nil {
			return err
		}
	}
	return nil
}

func (t *tableWriter) flush() error {
	if !t.started && t.most > 0 && len(t.columns) > 1 && len(t.block) > 0 && t.width() > t.most {
		return t.flushLines()
	}
	var b strings.Builder
	if !t.started {
		t.started = true
		t.line(&b, t.columns)
		rule := make([]string, len(t.widths))
		for i, w := range t.widths {
			rule[i] = strings.Repeat("-", w)
		}
		t.line(&b, rule)
	}
	for _, cells := range t.block {
		t.line(&b, cells)
	}
	t.block = t.block[:0]
	_, err := io.WriteString(t.w, b.String())
	return err
}

func (t *tableWriter) line(b *strings.Builder, cells []string) {
	for i, c := range cells {
		if i > 0 {
			b.WriteString("  ")
		}
		pad := strings.Repeat(" ", t.widths[i]-textWidth(c))
		switch {
		case t.right[i] && len(t.block) > 0:
			b.WriteString(pad + c)
		case i == len(cells)-1:
			b.WriteString(c)
		default:
			b.WriteString(c + pad)
		}
	}
	b.WriteByte('\n')
}

func (t *tableWriter) End() error {
	if t.lines != nil {
		return nil
	}
	return t.flush()
}
