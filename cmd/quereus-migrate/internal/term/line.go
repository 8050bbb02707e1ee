package term

import (
	"fmt"
	"io"
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// lineWriter writes a line for each value, for rows that are wider than the terminal.
type lineWriter struct {
	w       io.Writer
	columns []string
	widest  int
	rows    int
}

func (l *lineWriter) Begin(columns []string) error {
	for _, c := range columns {
		l.columns = append(l.columns, Visible(c))
	}
	return nil
}

func (l *lineWriter) Row(r types.Row) error {
	cells := make([]string, len(r))
	for i, v := range r {
		cells[i] = cell(v)
	}
	return l.write(cells)
}

func (l *lineWriter) write(cells []string) error {
	if l.rows == 0 {
		for _, c := range l.columns {
			l.widest = max(l.widest, textWidth(c))
		}
	}
	l.rows++
	var b strings.Builder
	fmt.Fprintf(&b, "-- row %d\n", l.rows)
	for i, c := range cells {
		fmt.Fprintf(&b, "%s%s = %s\n", strings.Repeat(" ", l.widest-textWidth(l.columns[i])), l.columns[i], c)
	}
	_, err := io.WriteString(l.w, b.String())
	return err
}

func (l *lineWriter) End() error { return nil }
