package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/peterh/liner"
)

// errInterrupted is that somebody typed Ctrl-C at a prompt.
var errInterrupted = errors.New("interrupted")

// lineReader reads lines from a person. The error is io.EOF at the end, and errInterrupted.
type lineReader interface {
	Line(prompt string) (string, error)
	Close() error
}

// newLineReader gives an editor of lines at a real terminal, else what reads them as they are.
func (s *shell) newLineReader() lineReader {
	if s.In == io.Reader(os.Stdin) && s.InTerminal && s.OutTerminal && liner.TerminalSupported() {
		return newEditor(s)
	}
	return newPlainReader(s.app)
}

// plainReader reads lines without editing them.
type plainReader struct {
	*app
	lines      <-chan string
	interrupts chan os.Signal
}

func newPlainReader(a *app) *plainReader {
	p := &plainReader{app: a, lines: readLines(a.In), interrupts: make(chan os.Signal, 1)}
	signal.Notify(p.interrupts, os.Interrupt)
	return p
}

func (p *plainReader) Line(prompt string) (string, error) {
	select {
	case <-p.interrupts: // one that ended a statement has done its work
	default:
	}
	fmt.Fprint(p.Err, prompt)
	select {
	case <-p.interrupts:
		fmt.Fprintln(p.Err)
		return "", errInterrupted
	case line, ok := <-p.lines:
		if !ok {
			fmt.Fprintln(p.Err)
			return "", io.EOF
		}
		return line, nil
	}
}

func (p *plainReader) Close() error {
	signal.Stop(p.interrupts)
	return nil
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

// editor lets lines be edited, keeps their history in a file, and completes words.
type editor struct {
	state      *liner.State
	history    string
	interrupts chan os.Signal // so that one between two prompts does not end the shell
}

func newEditor(s *shell) *editor {
	e := &editor{state: liner.NewLiner(), history: historyFile(), interrupts: make(chan os.Signal, 1)}
	signal.Notify(e.interrupts, os.Interrupt)
	e.state.SetCtrlCAborts(true)
	e.state.SetTabCompletionStyle(liner.TabPrints)
	e.state.SetWordCompleter(s.complete)
	if f, err := os.Open(e.history); err == nil {
		_, _ = e.state.ReadHistory(f) // what cannot be read is no history
		f.Close()
	}
	return e
}

// historyFile is where the lines of shells are kept; "" where nobody has a home.
func historyFile() string {
	dir := os.Getenv("XDG_STATE_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "quereus-migrate", "history")
}

func (e *editor) Line(prompt string) (string, error) {
	line, err := e.state.Prompt(prompt)
	switch {
	case errors.Is(err, liner.ErrPromptAborted):
		return "", errInterrupted
	case err != nil:
		return "", err
	}
	if line != "" {
		e.state.AppendHistory(line)
	}
	return line + "\n", nil
}

// Close gives the terminal back and keeps the history, which only its owner may read: there may be values of rows in it.
func (e *editor) Close() error {
	signal.Stop(e.interrupts)
	if e.history != "" && os.MkdirAll(filepath.Dir(e.history), 0o700) == nil {
		if f, err := os.OpenFile(e.history, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600); err == nil {
			_, _ = e.state.WriteHistory(f) // a history that is lost is no fault of the work
			f.Close()
		}
	}
	return e.state.Close()
}
