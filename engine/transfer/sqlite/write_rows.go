package sqlite

import (
	"context"
	"encoding/hex"
	"math"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// insertBytes is about how long an INSERT gets before the next one begins.
const insertBytes = 16 << 10

// rows writes the rows of a table, many to an INSERT.
func (w *writer) rows(ctx context.Context, t *catalog.Table, text *tableText) error {
	var names []string
	for _, i := range text.columns {
		names = append(names, quoted(t.Columns[i].Name))
	}
	if len(names) == 0 {
		return nil
	}
	list := strings.Join(names, ", ")
	rows, err := w.conn.Query(ctx, "select "+list+" from "+quoted(t.Schema)+"."+quoted(t.Name), engine.Params{})
	if err != nil {
		return err
	}
	defer rows.Close()
	head := "INSERT INTO " + quoted(t.Name) + " (" + list + ") VALUES\n"
	var buf []byte
	for n := int64(1); ; n++ {
		row, err := rows.Next()
		if err != nil || row == nil {
			w.flush(buf)
			return firstError(err, w.err)
		}
		if len(buf) == 0 {
			buf = append(buf, head...)
		} else {
			buf = append(buf, ",\n"...)
		}
		if buf, err = appendRow(buf, row); err != nil {
			return types.Wrapf(types.CodeOf(err), err, "table %s", t.Name)
		}
		if len(buf) >= insertBytes {
			w.flush(buf)
			buf = buf[:0]
			if w.options.Progress != nil {
				w.options.Progress(t.Name, n, 0)
			}
		}
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) flush(statement []byte) {
	if len(statement) > 0 {
		w.line(string(statement) + ";")
	}
}

func appendRow(dst []byte, row types.Row) ([]byte, error) {
	dst = append(dst, "  ("...)
	for i, v := range row {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if v.IsBig() {
			return dst, &types.Error{
				Code: types.MISMATCH, Message: "integer " + types.FormatInteger(v) + " is beyond 64 bits, which SQLite has no room for",
				Hint: "export as csv or jsonl, or retype the column to text first",
			}
		}
		dst = appendValue(dst, v)
	}
	return append(dst, ')'), nil
}

// appendValue appends a value as a literal of SQLite.
func appendValue(dst []byte, v types.Value) []byte {
	switch v.Kind() {
	case types.KindNull:
		return append(dst, "NULL"...)
	case types.KindBoolean:
		if v.Bool() {
			return append(dst, '1')
		}
		return append(dst, '0')
	case types.KindInteger:
		return append(dst, types.FormatInteger(v)...)
	case types.KindReal:
		if f := v.Float(); math.IsInf(f, 0) {
			return append(dst, map[bool]string{true: "9e999", false: "-9e999"}[f > 0]...)
		}
		return types.AppendReal(dst, v.Float())
	case types.KindBlob:
		return append(hex.AppendEncode(append(dst, "x'"...), v.Bytes()), '\'')
	}
	text := types.ToText(v)
	if strings.IndexByte(text, 0) >= 0 { // a literal would end there
		return append(hex.AppendEncode(append(dst, "cast(x'"...), []byte(text)), "' as text)"...)
	}
	return ast.AppendString(dst, text)
}
