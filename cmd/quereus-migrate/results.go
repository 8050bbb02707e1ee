package main

import (
	"bufio"
	"io"

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
	// isListed is set where the document is a list of the results.
	isListed bool
	results  int
}

func newResultWriter(w io.Writer, format string, src *ast.Source) *resultWriter {
	return &resultWriter{out: bufio.NewWriter(w), format: format, isListed: format == "json" && countAnswers(src) > 1}
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
func (w *resultWriter) write(r *engine.Rows) error {
	columns := r.Columns()
	if len(columns) == 0 {
		return eachRow(r, func(types.Row) error { return nil })
	}
	rows, ok := term.NewRowWriter(w.format, w.out)
	if !ok {
		return types.Errorf(types.INTERNAL, "there is no format %s for rows", w.format)
	}
	w.separate()
	if err := rows.Begin(columns); err != nil {
		return err
	}
	if err := eachRow(r, rows.Row); err != nil {
		return err
	}
	return rows.End()
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
