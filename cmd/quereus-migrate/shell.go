package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
)

// shell reads statements from a person. An interrupt from the keyboard ends the statement that runs, or forgets what was typed; the
// end of the input ends the shell.
type shell struct {
	*app
	db     *engine.DB
	conn   *engine.Conn
	format string
	// isTimed is set while statements are told how long they took.
	isTimed bool
	// typed are the lines of a statement that is not complete yet.
	typed strings.Builder
}

func newShell(a *app, db *engine.DB, conn *engine.Conn, format string) *shell {
	return &shell{app: a, db: db, conn: conn, format: format}
}

func (s *shell) run(ctx context.Context) error {
	fmt.Fprintln(s.Err, `End a statement with ";". Commands: .help, .quit`)
	lines := s.newLineReader()
	for {
		line, err := lines.Line(s.prompt())
		switch {
		case errors.Is(err, errInterrupted):
			s.typed.Reset()
		case errors.Is(err, io.EOF):
			return lines.Close()
		case err != nil:
			return errors.Join(err, lines.Close())
		default:
			if quit := s.line(ctx, line); quit {
				return lines.Close()
			}
		}
	}
}

// prompt tells whether a transaction is open, and whether more of a statement is expected.
func (s *shell) prompt() string {
	switch {
	case s.typed.Len() > 0:
		return "    ...> "
	case s.conn.InTransaction():
		return "quereus*> "
	}
	return "quereus> "
}

// line takes one line, and runs what is complete with it.
func (s *shell) line(ctx context.Context, line string) (quit bool) {
	if command := strings.TrimSpace(line); s.typed.Len() == 0 && (strings.HasPrefix(command, ".") || strings.HasPrefix(command, `\`)) {
		return s.command(ctx, command)
	}
	s.typed.WriteString(line)
	text := s.typed.String()
	src := ast.NewSource("", text)
	stmts, err := parse.Stmts(src)
	if parse.Incomplete(err) || err == nil && len(stmts) > 0 && !endsWithSemicolon(src, stmts) {
		return false
	}
	s.typed.Reset()
	s.runText(ctx, src)
	return false
}

// endsWithSemicolon reports whether the last statement is closed. A semicolon in a comment after it counts, too.
func endsWithSemicolon(src *ast.Source, stmts []ast.Stmt) bool {
	return strings.Contains(src.Text[stmts[len(stmts)-1].End():], ";")
}

// runText runs statements and tells what each did. An error is told, and the shell goes on.
func (s *shell) runText(ctx context.Context, src *ast.Source) {
	writes, began := findWrites(src), time.Now()
	_ = s.runSource(ctx, s.conn, src, s.format, func(r result) {
		text := ""
		switch {
		case r.hasColumns:
			text = counted(r.rows, "row", "rows")
		case len(writes) > 0 && writes[0]:
			text = counted(r.changes, "row", "rows") + " changed"
		}
		writes = writes[min(1, len(writes)):]
		took := ""
		if s.isTimed {
			took = time.Since(began).Round(10 * time.Microsecond).String()
		}
		if text = strings.Trim(text+", "+took, ", "); text != "" {
			fmt.Fprintf(s.Err, "(%s)\n", text)
		}
		began = time.Now()
	})
}

// findWrites tells of each statement whether it changes rows, up to the first that does not parse, where the run ends.
func findWrites(src *ast.Source) (writes []bool) {
	_ = parse.Each(src, func(s ast.Stmt, _ bool) error {
		isWrite := false
		switch s.(type) {
		case *ast.InsertStmt, *ast.UpdateStmt, *ast.DeleteStmt:
			isWrite = true
		}
		writes = append(writes, isWrite)
		return nil
	})
	return writes
}
