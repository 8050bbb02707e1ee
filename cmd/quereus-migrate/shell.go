package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
)

// shell reads statements from a person. An interrupt from the keyboard ends the statement that runs, or forgets what was typed; the
// end of the input ends the shell.
type shell struct {
	*app
	conn   *engine.Conn
	format string
	// typed are the lines of a statement that is not complete yet.
	typed strings.Builder
}

func newShell(a *app, conn *engine.Conn, format string) *shell {
	return &shell{app: a, conn: conn, format: format}
}

func (s *shell) run(ctx context.Context) error {
	fmt.Fprintln(s.Err, `End a statement with ";". Commands: .help, .quit`)
	lines := readLines(s.In)
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	for {
		fmt.Fprint(s.Err, s.prompt())
		select {
		case <-interrupts:
			s.typed.Reset()
			fmt.Fprintln(s.Err)
		case line, ok := <-lines:
			if !ok {
				fmt.Fprintln(s.Err)
				return nil
			}
			if quit := s.line(ctx, line); quit {
				return nil
			}
			drainSignals(interrupts) // one that ended a statement has done its work
		}
	}
}

// readLines hands the lines of the input over one by one, and closes the channel at its end.
func readLines(in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		r := bufio.NewReader(in)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

func drainSignals(c <-chan os.Signal) {
	select {
	case <-c:
	default:
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
	if command := strings.TrimSpace(line); s.typed.Len() == 0 && strings.HasPrefix(command, ".") {
		return s.command(command)
	}
	s.typed.WriteString(line)
	text := s.typed.String()
	src := ast.NewSource("", text)
	stmts, err := parse.Stmts(src)
	if parse.Incomplete(err) || err == nil && len(stmts) > 0 && !endsWithSemicolon(src, stmts) {
		return false
	}
	s.typed.Reset()
	_ = s.runSource(ctx, s.conn, src, s.format) // the error has been told, and the shell goes on
	return false
}

// endsWithSemicolon reports whether the last statement is closed. A semicolon in a comment behind it counts, too.
func endsWithSemicolon(src *ast.Source, stmts []ast.Stmt) bool {
	return strings.Contains(src.Text[stmts[len(stmts)-1].End():], ";")
}

// command runs a command of the shell's own.
func (s *shell) command(command string) (quit bool) {
	switch command {
	case ".quit", ".exit":
		return true
	case ".help":
		fmt.Fprint(s.Err, shellHelp)
	default:
		fmt.Fprintf(s.Err, "there is no command %s; .help tells which there are\n", command)
	}
	return false
}

const shellHelp = `A statement may take several lines; it runs when a line ends it with ";". A prompt with * tells that a transaction is open;
it is rolled back if you leave without commit. Ctrl-C ends the statement that runs, Ctrl-D the shell.
  select * from schema();    lists tables, views, indexes, functions
  .quit                      ends the shell
`
