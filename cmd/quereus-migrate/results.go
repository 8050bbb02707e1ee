package main

import (
	"bufio"

	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/term"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

// resultWriter writes the rows of the statements of one text, in JSON as one document.
type resultWriter struct {
	out    *bufio.Writer
	format string
	// columns is how wide a table may be, 0 for any width.
	columns int
	// isListed is set where the document is a list of the results.
	isListed bool
	results  int
}

func (a *app) newResultWriter(format string, src *ast.Source) *resultWriter {
	w := &resultWriter{out: bufio.NewWriter(a.Out), format: format, isListed: format == "json" && countAnswers(src) > 1}
	if format == "table" && a.OutTerminal {
		w.columns = a.OutColumns()
	}
	return w
}

// result is what a statement did.
type result struct {
	hasColumns bool
	rows       int64
	changes    int64 // how many were inserted, updated and deleted
}

// countAnswers tells how many statements of a text can answer with rows, up to the first that does not parse, where the run ends.
func countAnswers(src *ast.Source) (n int) {
	_ = parse.Each(src, func(s ast.Stmt, _ bool) error {
		if answers(s) {
			n++
		}
		return nil
	})
	return n
}

// answers reports whether a statement can answer with rows.
func answers(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.InsertStmt:
		return len(s.Returning) > 0
	case *ast.UpdateStmt:
		return len(s.Returning) > 0
	case *ast.DeleteStmt:
		return len(s.Returning) > 0
	case *ast.SelectStmt, *ast.ExplainStmt, *ast.DiffSchemaStmt, *ast.ExplainSchemaStmt:
		return true
	case *ast.PragmaStmt:
		return s.Value == nil
	}
	return false
}

// write writes the rows of a statement, or runs one that has none to its end.
func (w *resultWriter) write(r *engine.Rows) (result, error) {
	columns := r.Columns()
	if len(columns) == 0 {
		err := eachRow(r, func(types.Row) error { return nil })
		return result{changes: r.Changes()}, err
	}
	out := result{hasColumns: true}
	rows, ok := term.NewRowWriter(w.format, w.out, w.columns)
	if !ok {
		return out, types.Errorf(types.INTERNAL, "there is no format %s for rows", w.format)
	}
	w.separate()
	if err := rows.Begin(columns); err != nil {
		return out, err
	}
	err := eachRow(r, func(row types.Row) error {
		out.rows++
		return rows.Row(row)
	})
	if err != nil {
		return out, err
	}
	return out, rows.End()
}

// separate begins a result in a list of them.
func (w *resultWriter) separate() {
	switch {
	case !w.isListed:
	case w.results == 0:
		w.out.WriteString("[\n")
	default:
		w.out.WriteString(",\n")
	}
	w.results++
}

// close ends the document, unless it is not whole.
func (w *resultWriter) close(isWhole bool) error {
	switch {
	case !w.isListed || !isWhole:
	case w.results == 0:
		w.out.WriteString("[]\n")
	default:
		w.out.WriteString("]\n")
	}
	return w.out.Flush()
}
