// Package golden runs files of cases on any engine it is handed: the conformance files under conformance/, and
// migration cases. It reads the files itself, so that the tool can ship it.
package golden

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Case is one case of a file: a directive, its input and the expected answer.
type Case struct {
	// File and Line locate the directive.
	File string
	Line int
	// Kind is the directive, in conformance files "exec" or "query"; Args are the words behind it in migration files.
	Kind string
	Args []string
	// RowSort says of a query that the order of rows is not part of the answer.
	RowSort bool
	Input   string
	// Expected are the lines of the answer.
	Expected []string
	// The answer, with the lines that fence it in, is lines [answer, end) of the file, from 0.
	answer, end int
}

// ID is the case's "file:line".
func (c *Case) ID() string { return fmt.Sprintf("%s:%d", c.File, c.Line) }

// ReadCases reads a file in the format of conformance/README.md (the one that cockroachdb/datadriven reads).
func ReadCases(name string, r io.Reader) ([]*Case, error) {
	return readCases(name, r, conformanceDirective)
}

func readCases(name string, r io.Reader, directive func(*Case, string) error) ([]*Case, error) {
	in := &caseReader{file: name, scan: bufio.NewScanner(r), directive: directive}
	in.scan.Buffer(nil, 64<<20)
	var cases []*Case
	for {
		c, err := in.next()
		if err != nil || c == nil {
			return cases, err
		}
		cases = append(cases, c)
	}
}

type caseReader struct {
	file      string
	scan      *bufio.Scanner
	line      int
	directive func(*Case, string) error // sets what a directive line says
}

func (r *caseReader) read() (string, bool) {
	if !r.scan.Scan() {
		return "", false
	}
	r.line++
	return r.scan.Text(), true
}

// next gives the next case, nil at the end of the file.
func (r *caseReader) next() (*Case, error) {
	var c *Case
	for c == nil {
		line, ok := r.read()
		if !ok {
			return nil, r.scan.Err()
		}
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c = &Case{File: r.file, Line: r.line}
		if err := r.directive(c, line); err != nil {
			return nil, fmt.Errorf("%s: %w", c.ID(), err)
		}
	}
	if err := r.input(c); err != nil {
		return nil, err
	}
	r.answer(c)
	return c, r.scan.Err()
}

func conformanceDirective(c *Case, line string) error {
	switch line {
	case "exec", "query":
		c.Kind = line
	case "query rowsort":
		c.Kind, c.RowSort = "query", true
	default:
		return fmt.Errorf("unknown directive %q; want exec, query or query rowsort", line)
	}
	return nil
}

func (r *caseReader) input(c *Case) error {
	var b strings.Builder
	for {
		line, ok := r.read()
		if !ok {
			return fmt.Errorf("%s: the case has no ---- line", c.ID())
		}
		if line == "----" {
			c.Input = strings.TrimSuffix(b.String(), "\n")
			return nil
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
}

// answer reads to the blank line that ends the case, or, after a doubled ----, to the doubled ---- that does.
func (r *caseReader) answer(c *Case) {
	c.answer = r.line
	line, ok := r.read()
	if ok && line == "----" {
		for line, ok = r.read(); ok && line != "----"; line, ok = r.read() {
			c.Expected = append(c.Expected, line)
		}
		r.read() // its twin
		c.end = r.line
		return
	}
	for ok && line != "" {
		c.Expected = append(c.Expected, line)
		line, ok = r.read()
	}
	c.end = c.answer + len(c.Expected)
}

// UpdateCases gives the text of a file with the answers of the cases that did not pass replaced by those they gave.
func UpdateCases(text string, results []Result) string {
	lines := strings.Split(text, "\n")
	var out []string
	at := 0
	for _, r := range results {
		if r.Pass {
			continue
		}
		out = append(out, lines[at:r.Case.answer]...)
		out = append(out, fenced(r.Got)...)
		at = r.Case.end
	}
	return strings.Join(append(out, lines[at:]...), "\n")
}

// fenced puts an answer that holds blank lines between doubled ----.
func fenced(answer []string) []string {
	if !slices.Contains(answer, "") && (len(answer) == 0 || answer[0] != "----") {
		return answer
	}
	return slices.Concat([]string{"----"}, answer, []string{"----", "----"})
}
