package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"strings"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// serveRequests answers the requests of --jsonl until the input ends: a line each, flushed before the next request is read. A
// request that fails, or is none, is answered with its error. Lines without anything in them are skipped.
func serveRequests(ctx context.Context, conn *engine.Conn, in io.Reader, out io.Writer) error {
	r, w := bufio.NewReader(in), bufio.NewWriter(out)
	for {
		line, readErr := r.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			w.Write(answer(ctx, conn, line))
			if err := w.Flush(); err != nil {
				return err
			}
		}
		if errors.Is(readErr, io.EOF) {
			return nil
		}
		if readErr != nil {
			return types.Wrapf(types.IOERR, readErr, "reading requests")
		}
	}
}

// answer runs one request.
func answer(ctx context.Context, conn *engine.Conn, line []byte) []byte {
	sql, params, err := readRequest(line)
	if err != nil {
		return appendError(nil, err)
	}
	last := []byte(`{"columns": [], "rows": [], "changes": 0}` + "\n") // that of a text without statements
	err = conn.Each(ctx, ast.NewSource("", sql), params, func(r *engine.Rows) (err error) {
		last, err = appendAnswer(last[:0], r)
		return err
	})
	if err != nil {
		return appendError(nil, err)
	}
	return last
}

// readRequest takes a request apart. What is no request is MISUSE.
func readRequest(line []byte) (sql string, p engine.Params, err error) {
	v, err := types.ParseJSON(string(line))
	if err != nil {
		return "", p, types.Errorf(types.MISUSE, "the request is no JSON: %s", err)
	}
	request := v.JSON()
	if request == nil || !request.Object {
		return "", p, types.Errorf(types.MISUSE, `a request is an object: {"sql": "...", "params": [...]}`)
	}
	hasSQL := false
	for i, key := range request.Keys {
		switch member := request.Elems[i]; key {
		case "sql":
			if hasSQL = member.Kind() == types.KindText; hasSQL {
				sql = member.Str()
			}
		case "params":
			if p, err = readParams(member); err != nil {
				return "", p, err
			}
		default:
			return "", p, types.Errorf(types.MISUSE, `a request has no "%s", only "sql" and "params"`, key)
		}
	}
	if !hasSQL {
		return "", p, types.Errorf(types.MISUSE, `the request has no text as "sql"`)
	}
	return sql, p, nil
}

// readParams reads the values of parameters: by position from a list, by name from an object. A name may stand with its prefix.
func readParams(v types.Value) (p engine.Params, err error) {
	j := v.JSON()
	switch {
	case v.IsNull():
		return p, nil
	case j == nil:
		return p, types.Errorf(types.MISUSE, `"params" is a list, or an object by name`)
	}
	if j.Object {
		p.Named = make(map[string]types.Value, len(j.Elems))
	}
	for i, x := range j.Elems {
		value, err := readValue(x)
		if err != nil {
			return p, err
		}
		if j.Object {
			p.Named[strings.TrimLeft(j.Keys[i], ":$")] = value
		} else {
			p.Positional = append(p.Positional, value)
		}
	}
	return p, nil
}

// readValue reads a value as answers spell it (types.AppendWire).
func readValue(v types.Value) (types.Value, error) {
	j := v.JSON()
	if j == nil || !j.Object || len(j.Keys) != 1 {
		return v, nil
	}
	text := j.Elems[0].Str()
	switch j.Keys[0] {
	case "$blob":
		b, err := hex.DecodeString(text)
		if err != nil || j.Elems[0].Kind() != types.KindText {
			return types.Null, types.Errorf(types.MISUSE, `{"$blob": …} wants hexadecimal digits, two a byte`)
		}
		return types.Blob(b), nil
	case "$real":
		switch text {
		case "Infinity":
			return types.Real(math.Inf(1)), nil
		case "-Infinity":
			return types.Real(math.Inf(-1)), nil
		case "NaN":
			return types.Real(math.NaN()), nil
		}
		return types.Null, types.Errorf(types.MISUSE, `{"$real": …} wants "Infinity", "-Infinity" or "NaN"`)
	}
	return v, nil
}

// appendAnswer appends the answer of a statement, its rows read to the end.
func appendAnswer(dst []byte, r *engine.Rows) ([]byte, error) {
	columns := r.Columns()
	names := make(types.Row, len(columns))
	for i, c := range columns {
		names[i] = types.Text(c)
	}
	dst = appendRow(append(dst, `{"columns": `...), names)
	dst = append(dst, `, "rows": [`...)
	first := true
	err := eachRow(r, func(row types.Row) error {
		if len(columns) == 0 {
			return nil
		}
		if !first {
			dst = append(dst, ", "...)
		}
		first = false
		dst = appendRow(dst, row)
		return nil
	})
	dst = append(dst, `], "changes": `...)
	dst = types.AppendInteger(dst, types.Int(r.Changes()))
	return append(dst, "}\n"...), err
}

func appendRow(dst []byte, row types.Row) []byte {
	dst = append(dst, '[')
	for i, v := range row {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = types.AppendWire(dst, v)
	}
	return append(dst, ']')
}

// appendError appends the answer of a request that failed. Line and column are 0 where it has no place.
func appendError(dst []byte, err error) []byte {
	e := &types.Error{Code: types.CodeOf(err), Message: err.Error()}
	var own *types.Error
	if errors.As(err, &own) {
		e.Message, e.Line, e.Column = own.Message, own.Line, own.Column
		if own.Hint != "" {
			e.Message = strings.TrimSuffix(e.Message, ".") + "; " + own.Hint
		}
	}
	dst = append(dst, `{"error": {"code": `...)
	dst = types.AppendWire(dst, types.Text(e.Code.String()))
	dst = append(dst, `, "message": `...)
	dst = types.AppendWire(dst, types.Text(e.Message))
	dst = types.AppendInteger(append(dst, `, "line": `...), types.Int(int64(e.Line)))
	dst = types.AppendInteger(append(dst, `, "column": `...), types.Int(int64(e.Column)))
	return append(dst, "}}\n"...)
}
