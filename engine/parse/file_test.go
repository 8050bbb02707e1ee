package parse

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

func fileText(src *ast.Source) string {
	parts, faults := File(src)
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintln(&b, ast.Format(p.Stmt))
		for _, n := range p.Notes {
			line, column := src.Position(n.From)
			fmt.Fprintf(&b, "    note %d:%d: %s\n", line, column, n.Message)
		}
	}
	for _, e := range faults {
		fmt.Fprintln(&b, errorText(e))
	}
	return b.String()
}

// TestFileReadsStatements: a schema file that statements could be is read as they are, and its first fault is theirs, unless SQLite's
// form of what is at fault means something.
func TestFileReadsStatements(t *testing.T) {
	n := 0
	for _, text := range conformanceTexts(t) {
		stmts, err := Stmts(ast.NewSource("", text))
		parts, faults := File(ast.NewSource("", text))
		var e *types.Error
		switch {
		case strings.Contains(text, "isnull"): // operators in a file
		case err == nil && len(faults) > 0:
			t.Errorf("%v\nin a file: %s", faults[0], text)
		case errors.As(err, &e) && len(faults) > 0 && faults[0].Line == e.Line && faults[0].Column == e.Column && faults[0].Message != e.Message:
			t.Errorf("%v\nin a file: %v", e, faults[0])
		case err == nil && len(parts) == len(stmts) && !strings.Contains(strings.ToLower(text), "default"):
			for i, s := range stmts {
				n++
				if got, want := ast.Format(parts[i].Stmt), ast.Format(s); got != want {
					t.Errorf("in a file: %s\nelse:      %s", got, want)
				}
			}
		}
	}
	t.Logf("%d statements", n)
}

// TestFileEndsEverywhere: wherever a text is cut or a token of it is doubled or lost, reading it ends, with faults in order.
func TestFileEndsEverywhere(t *testing.T) {
	const text = "create table a (id integer primary key, b text default 'x' collate nocase, check (b not null));\n" +
		"create trigger t after insert on a begin select case when 1 then 2 end; end;\n" +
		"declare schema s { table t { a integer, b text }; view v as select a from t\n index i on t (a) seed t ((1, 'x')) }\n" +
		"create function f() returns int as $x$ begin; end $x$;\ncreate view w as select 1 + @ + 'a"
	for i := range text {
		for _, cut := range []string{text[:i], text[i:], text[:i] + text[i+1:], text[:i] + text[i:i+1] + text[i:]} {
			_, faults := File(ast.NewSource("", cut))
			for j := 1; j < len(faults); j++ {
				if a, b := faults[j-1], faults[j]; a.Line > b.Line || a.Line == b.Line && a.Column >= b.Column {
					t.Fatalf("%v before %v in %s", a, b, cut)
				}
			}
		}
	}
}
