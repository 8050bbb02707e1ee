package parse

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// conformanceFiles gives the conformance files. Their absence is a failure: it would make the tests over them hold of nothing.
func conformanceFiles(tb testing.TB) []string {
	files, err := filepath.Glob("../../golden/conformance/*/*.test")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no conformance files: %v", err)
	}
	return files
}

// conformanceCases calls f with each case of the files: where it stands, its SQL and its answer.
func conformanceCases(tb testing.TB, f func(at, sql, answer string)) {
	for _, file := range conformanceFiles(tb) {
		data, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		lines := strings.Split(string(data), "\n")
		for i := 0; i < len(lines); i++ {
			if lines[i] == "" || lines[i][0] == '#' {
				continue
			}
			at := fmt.Sprintf("%s:%d", file, i+1)
			sql := section(lines[i+1:], "----")
			i += len(sql) + 2
			answer := section(lines[i:], "")
			i += len(answer)
			f(at, strings.Join(sql, "\n"), strings.Join(answer, "\n"))
		}
	}
}

// section gives the lines up to one that is end.
func section(lines []string, end string) []string {
	if n := slices.Index(lines, end); n >= 0 {
		return lines[:n]
	}
	return lines
}

// conformanceTexts gives the SQL of all cases.
func conformanceTexts(t testing.TB) []string {
	var texts []string
	conformanceCases(t, func(_, sql, _ string) { texts = append(texts, sql) })
	return texts
}

// boundLater are the statements that answer `Expected` and yet parse: the fault is the number of values, which only the
// table shows.
var boundLater = map[string]bool{
	"insert into a values (4, 4, 'four')": true,
}

// TestConformance parses the SQL of every conformance case. What answers with rows, with ok or with an error that only
// shows with a catalog must parse; what fails here must fail with the recorded code and text; a recorded syntax error must
// be raised here.
func TestConformance(t *testing.T) {
	var cases, refused int
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	conformanceCases(t, func(at, sql, answer string) {
		cases++
		code, text, fails := recordedError(answer)
		_, err := Stmts(ast.NewSource("", sql))
		switch {
		case boundLater[sql]:
		case err == nil && strings.HasPrefix(text, "Expected"), err == nil && strings.HasPrefix(text, "Lexer error"):
			fault("%s: parses, but must fail with %q:\n%s", at, text, sql)
		case err == nil:
		case !fails:
			fault("%s: %v\n%s", at, err, sql)
		default:
			refused++
			var e *types.Error
			if !errors.As(err, &e) {
				t.Fatalf("%s: %T is no *types.Error", at, err)
			}
			if e.Code.String() != code || !strings.Contains(strings.ToLower(e.Message), strings.ToLower(text)) {
				fault("%s: got %s: %s\nwant %s: %s\n%s", at, e.Code, e.Message, code, text, sql)
			}
		}
	})
	for _, f := range faults {
		t.Error(f)
	}
	t.Logf("%d cases, %d of them refused by the parser", cases, refused)
}

func recordedError(answer string) (code, text string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(answer), "error ")
	if !ok {
		return "", "", false
	}
	code, text, _ = strings.Cut(rest, ": ")
	return code, text, true
}
