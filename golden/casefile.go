// Package golden runs files of cases on any engine it is handed: the conformance files under conformance/, and
// migration cases. It reads the files itself, so that the tool can ship it.
package golden

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Case is one case of a conformance file: a directive, its input and the expected answer.
type Case struct {
	// File and Line locate the directive.
	File string
	Line int
	// Kind is "exec" or "query"; RowSort says that the order of rows is not part of the answer.
	Kind    string
	RowSort bool
	Input   string
	// Expected are the lines of the answer.
	Expected []string
}

// ID is the case's "file:line".
func (c *Case) ID() string { return fmt.Sprintf("%s:%d", c.File, c.Line) }

// ReadCases reads a file in the format of conformance/README.md (the one that cockroachdb/datadriven reads).
func ReadCases(name string, r io.Reader) ([]*Case, error) {
	in := &caseReader{file: name, scan: bufio.NewScanner(r)}
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
	file string
	scan *bufio.Scanner
	line int
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
		var err error
		if c, err = r.directive(line); err != nil {
			return nil, err
		}
	}
	if err := r.input(c); err != nil {
		return nil, err
	}
	r.answer(c)
	return c, r.scan.Err()
}

func (r *caseReader) directive(line string) (*Case, error) {
	c := &Case{File: r.file, Line: r.line}
	switch line {
	case "exec", "query":
		c.Kind = line
	case "query rowsort":
		c.Kind, c.RowSort = "query", true
	default:
		return nil, fmt.Errorf("%s: unknown directive %q; want exec, query or query rowsort", c.ID(), line)
	}
	return c, nil
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
	line, ok := r.read()
	if ok && line == "----" {
		for {
			if line, ok = r.read(); !ok {
				return
			}
			if line == "----" {
				r.read() // its twin
				return
			}
			c.Expected = append(c.Expected, line)
		}
	}
	for ok && line != "" {
		c.Expected = append(c.Expected, line)
		line, ok = r.read()
	}
}
