package parse

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// TestParse runs the files of testdata. `file` reads a schema file and answers with its statements as they print, its notes and its faults. `stmts`, `expr` and `query` answer with the tree, or with the error: code, position,
// message, hint, and whether more text could mend it. `errors` takes one text a line and answers with one error a line.
func TestParse(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			src := ast.NewSource("", d.Input)
			switch d.Cmd {
			case "stmts":
				stmts, err := Stmts(src)
				if err != nil {
					return errorText(err) + "\n"
				}
				var b strings.Builder
				for _, s := range stmts {
					b.WriteString(dump(s))
				}
				return b.String()
			case "expr":
				x, err := Expr(src)
				if err != nil {
					return errorText(err) + "\n"
				}
				return dump(x)
			case "query":
				q, err := Query(src)
				if err != nil {
					return errorText(err) + "\n"
				}
				return dump(q)
			case "file":
				return fileText(src)
			case "errors":
				var b strings.Builder
				for line := range strings.Lines(d.Input) {
					line = strings.TrimSuffix(line, "\n")
					_, err := Stmts(ast.NewSource("", line))
					fmt.Fprintf(&b, "%s\n    %s\n", line, errorText(err))
				}
				return b.String()
			}
			d.Fatalf(t, "unknown command %q", d.Cmd)
			return ""
		})
	})
}

func errorText(err error) string {
	var e *types.Error
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	s := fmt.Sprintf("%s %d:%d: %s", e.Code, e.Line, e.Column, e.Message)
	if e.Hint != "" {
		s += " | " + e.Hint
	}
	if Incomplete(err) {
		s += " | incomplete"
	}
	return s
}

// TestHintsAreReached: testdata/dialects shows every hint.
func TestHintsAreReached(t *testing.T) {
	shown, err := os.ReadFile("testdata/dialects")
	if err != nil {
		t.Fatal(err)
	}
	for key, hint := range dialectHints {
		if !strings.Contains(string(shown), " | "+hint+"\n") {
			t.Errorf("no text of testdata/dialects provokes the hint for %q: %s", key, hint)
		}
	}
}

// deep builds texts of n levels.
var deep = map[string]func(n int) string{
	"parentheses": func(n int) string { return "select " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) },
	"minus":       func(n int) string { return "select " + strings.Repeat("- ", n) + "1" },
	"not":         func(n int) string { return "select " + strings.Repeat("not ", n) + "1" },
	"case": func(n int) string {
		return "select " + strings.Repeat("case when 1 then ", n) + "1" + strings.Repeat(" end", n)
	},
	"subqueries": func(n int) string { return "select " + strings.Repeat("(select ", n) + "1" + strings.Repeat(")", n) },
	"from": func(n int) string {
		return "select * from " + strings.Repeat("(select * from ", n) + "t" + strings.Repeat(")", n)
	},
	"sources": func(n int) string { return "select * from " + strings.Repeat("(", n) + "t" + strings.Repeat(")", n) },
	"queries": func(n int) string { return strings.Repeat("(", n) + "select 1" + strings.Repeat(")", n) },
	"calls":   func(n int) string { return "select " + strings.Repeat("f(", n) + "1" + strings.Repeat(")", n) },
	"ctes": func(n int) string {
		return strings.Repeat("with c as (", n) + "select 1" + strings.Repeat(") select 1", n)
	},
	"seed": func(n int) string {
		return "declare schema main { seed t ((" + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) + ")) }"
	},
	"plus": func(n int) string { return "select 1" + strings.Repeat(" + 1", n) },
	"minus to the right": func(n int) string {
		return "select " + strings.Repeat("1 - (", n) + "1" + strings.Repeat(")", n)
	},
	"concatenation": func(n int) string { return "select 1" + strings.Repeat(" || 1", n) },
	"comparisons":   func(n int) string { return "select 1" + strings.Repeat(" < 1", n) },
	"not like":      func(n int) string { return "select 1" + strings.Repeat(" not like 1", n) },
	"not in":        func(n int) string { return "select 1" + strings.Repeat(" not in (1)", n) },
	"between":       func(n int) string { return "select 1" + strings.Repeat(" between 1 and 2", n) },
	"arrows":        func(n int) string { return "select d" + strings.Repeat(" ->> 'a'", n) },
	"xor":           func(n int) string { return "select 1" + strings.Repeat(" xor 1", n) },
	"and, or":       func(n int) string { return "select 1" + strings.Repeat(" xor 1 or 1", n/2) },
	"legs":          func(n int) string { return "select 1" + strings.Repeat(" union all select 1", n) },
	"legs in parentheses": func(n int) string {
		return "(select 1)" + strings.Repeat(" union all (select 1)", n)
	},
	"joins": func(n int) string { return "select * from t" + strings.Repeat(" join t on true", n) },
	"joins in on": func(n int) string {
		return "select * from t" + strings.Repeat(" join (t", n) + strings.Repeat(") on true", n)
	},
	"comment": func(n int) string { return "select 1 " + strings.Repeat("/*", n) + strings.Repeat("*/", n) },
}
