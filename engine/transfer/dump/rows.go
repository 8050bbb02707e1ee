package dump

import (
	"context"
	"encoding/hex"
	"strings"

	"github.com/quereus/quereus-migrate/engine/transfer"
	"github.com/quereus/quereus-migrate/engine/transfer/foreign"
	"github.com/quereus/quereus-migrate/types"
)

// Profile counts the values of each column by their kind.
func (s *Source) Profile(ctx context.Context, t *foreign.Table) (*transfer.Profile, error) {
	p := &transfer.Profile{Columns: make([]transfer.ColumnProfile, len(t.Columns)), Orphans: make([]int64, len(t.ForeignKeys))}
	var seen map[uint64]bool
	if t.Key == nil {
		seen = map[uint64]bool{}
	}
	err := s.each(ctx, t, func(row []types.Value) error {
		p.Rows++
		for i, v := range row {
			p.Columns[i].Count(t.Columns[i].Type, v)
		}
		if seen != nil {
			h := transfer.HashRow(row) // two rows that only seem equal cost a number that was not needed
			p.HasEqualRows = p.HasEqualRows || seen[h]
			seen[h] = true
		}
		return nil
	})
	return p, err
}

const batchRows = 1000

// Rows reads the rows in the order of the dump.
func (s *Source) Rows(ctx context.Context, t *foreign.Table, columns []string, numbered bool, f func([][]types.Value) error) error {
	var at []int
	for _, c := range columns {
		for i, d := range t.Columns {
			if strings.EqualFold(c, d.Name) {
				at = append(at, i)
			}
		}
	}
	var rows [][]types.Value
	number := int64(0)
	err := s.each(ctx, t, func(row []types.Value) error {
		out := make([]types.Value, len(at), len(at)+1)
		for i, k := range at {
			out[i] = row[k]
		}
		if number++; numbered {
			out = append(out, types.Int(number))
		}
		if rows = append(rows, out); len(rows) < batchRows {
			return nil
		}
		full := rows
		rows = nil
		return f(full)
	})
	if err != nil || rows == nil {
		return err
	}
	return f(rows)
}

// each reads the rows of a table, with a value for every column. A row is f's until it returns.
func (s *Source) each(ctx context.Context, t *foreign.Table, f func([]types.Value) error) error {
	for _, g := range s.rows[t] {
		r := &rowReader{source: s, table: t, row: make([]types.Value, len(t.Columns))}
		r.place(g.columns)
		read := r.inserts
		if g.isCopy {
			read = r.lines
		}
		if err := read(ctx, g.text, f); err != nil {
			return err
		}
	}
	return nil
}

type rowReader struct {
	source *Source
	table  *foreign.Table
	at     []int // the column of each value
	row    []types.Value
}

func (r *rowReader) place(columns []string) {
	if columns == nil {
		for i, c := range r.table.Columns {
			if c.Generated == nil || r.source.dialect == foreign.MySQL {
				r.at = append(r.at, i)
			}
		}
		return
	}
	for _, name := range columns {
		for i, c := range r.table.Columns {
			if strings.EqualFold(c.Name, name) {
				r.at = append(r.at, i)
			}
		}
	}
}

func (r *rowReader) fault(format string, args ...any) error {
	e := types.Errorf(types.CORRUPT, format, args...)
	e.Message = r.source.name + ": rows of table " + r.table.Name + ": " + e.Message
	return e
}

// lines reads the lines of a COPY.
func (r *rowReader) lines(ctx context.Context, text string, f func([]types.Value) error) error {
	for line := range strings.Lines(text) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		for n := range r.at {
			field, rest, more := strings.Cut(line, "\t")
			if more != (n < len(r.at)-1) {
				return r.fault("a line has not %d fields", len(r.at))
			}
			r.row[r.at[n]] = r.field(r.table.Columns[r.at[n]], field)
			line = rest
		}
		if err := f(r.row); err != nil {
			return err
		}
	}
	return nil
}

// field reads a field of COPY.
func (r *rowReader) field(c *foreign.Column, text string) types.Value {
	if text == `\N` {
		return types.Null
	}
	if strings.IndexByte(text, '\\') >= 0 {
		text = unescaped(text)
	}
	return transfer.ValueOf(c.Type, text)
}

// unescaped carries the escapes of COPY out.
func unescaped(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch c := text[i]; {
		case c == 'n':
			b.WriteByte('\n')
		case c == 't':
			b.WriteByte('\t')
		case c == 'r':
			b.WriteByte('\r')
		case c == 'b':
			b.WriteByte('\b')
		case c == 'f':
			b.WriteByte('\f')
		case c == 'v':
			b.WriteByte('\v')
		case c >= '0' && c <= '7':
			v := c - '0'
			for n := 1; n < 3 && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '7'; n++ {
				i++
				v = v<<3 | (text[i] - '0')
			}
			b.WriteByte(v)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// inserts reads the rows of an INSERT: (…), (…).
func (r *rowReader) inserts(ctx context.Context, text string, f func([]types.Value) error) error {
	sc := foreign.NewScanner(text, r.source.dialect)
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if t := sc.Next(); !t.Is("(") {
			return r.fault("expected ( before a row, found %q", t.Text)
		}
		for n, column := range r.at {
			v, end, err := r.value(sc, r.table.Columns[column])
			if err != nil {
				return err
			}
			if end.Is(")") != (n == len(r.at)-1) {
				return r.fault("a row has not %d values", len(r.at))
			}
			r.row[column] = v
		}
		if err := f(r.row); err != nil {
			return err
		}
		if t := sc.Next(); !t.Is(",") { // the end, or ON CONFLICT and the like
			return nil
		}
	}
}

// value reads a value of a row and the mark behind it. What is no literal refuses the dump.
func (r *rowReader) value(sc *foreign.Scanner, c *foreign.Column) (v types.Value, end foreign.Token, err error) {
	t := sc.Next()
	negative := false
	for t.Is("-") || t.Is("+") {
		negative = negative != t.Is("-")
		t = sc.Next()
	}
	next := sc.Next()
	switch {
	case t.Kind == foreign.Number && strings.HasPrefix(strings.ToLower(t.Text), "0x"):
		v = hexadecimal(t.Text[2:])
	case t.Kind == foreign.Number && negative:
		v = transfer.ValueOf(c.Type, "-"+t.Text)
	case t.Kind == foreign.Number, t.Kind == foreign.String:
		v = transfer.ValueOf(c.Type, t.Text)
	case t.Kind == foreign.Blob:
		v = hexadecimal(t.Text)
	case t.Is("null"):
	case t.IsAny("true", "false"):
		v = types.Bool(t.Is("true"))
	case t.Is("_binary") && next.Kind == foreign.String:
		v, next = types.Blob([]byte(next.Text)), sc.Next()
	case t.Kind == foreign.Word && strings.HasPrefix(t.Text, "_") && next.Kind == foreign.String:
		v, next = transfer.ValueOf(c.Type, next.Text), sc.Next()
	case t.IsAny("b") && next.Kind == foreign.String:
		if v, _ = types.ParseIntegerLiteral("0b" + next.Text); v.IsNull() {
			v = bits(next.Text)
		}
		next = sc.Next()
	default:
		return v, next, r.fault("%q is no literal", t.Text)
	}
	for next.Is("::") { // a cast of PostgreSQL
		for next = sc.Next(); !next.Is(",") && !next.Is(")") && next.Kind != foreign.End; next = sc.Next() {
		}
	}
	return v, next, nil
}

func hexadecimal(digits string) types.Value {
	b, err := hex.DecodeString(digits)
	if err != nil {
		return types.Text("0x" + digits)
	}
	return types.Blob(b)
}

// bits reads a bit value of MySQL as a number.
func bits(text string) types.Value {
	n := int64(0)
	for _, c := range text {
		n = n<<1 | int64(c-'0')
	}
	return types.Int(n)
}
