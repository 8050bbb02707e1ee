package parse

import (
	"errors"
	"strings"
	"testing"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

const lineFile = `declare schema main {
  -- first comment
  table c1 {
    id integer primary key, -- key
    t text null default 'two
lines'
  }
}
`

// TestLineEnds: a mark in front and any line ends give the same tree, and an error names its line in each of them.
func TestLineEnds(t *testing.T) {
	forms := map[string]func(string) string{
		"LF":                      func(s string) string { return s },
		"CRLF":                    func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"CR":                      func(s string) string { return strings.ReplaceAll(s, "\n", "\r") },
		"mark, CRLF":              func(s string) string { return byteOrderMark + strings.ReplaceAll(s, "\n", "\r\n") },
		"mark, no final line end": func(s string) string { return byteOrderMark + strings.TrimSuffix(s, "\n") },
	}
	for name, form := range forms {
		stmts, err := Stmts(ast.NewSource("", form(lineFile)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		table := stmts[0].(*ast.DeclareSchemaStmt).Items[0].(*ast.CreateTableStmt)
		if len(table.Columns) != 2 || len(table.Columns[1].Constraints) != 2 {
			t.Errorf("%s: the comment swallowed something", name)
		}
		wantPosition(t, name, form(strings.Replace(lineFile, "key, --", "key b --", 1)), 4, 28)
		wantPosition(t, name+", first line", form("selec 1\n"), 1, 1)
	}
}

func wantPosition(t *testing.T, name, text string, line, column int) {
	t.Helper()
	_, err := Stmts(ast.NewSource("", text))
	var e *types.Error
	if !errors.As(err, &e) || e.Line != line || e.Column != column {
		t.Errorf("%s: %v, want line %d, column %d", name, err, line, column)
	}
}

// TestEncodings: what is not UTF-8 is refused by name and place.
func TestEncodings(t *testing.T) {
	for _, c := range []struct {
		name, text, message string
		line, column        int
	}{
		{"a mark inside", "select 1;\n" + byteOrderMark + "select 2", "byte order mark", 2, 1},
		{"two marks", byteOrderMark + byteOrderMark + "select 2", "byte order mark", 1, 1},
		{"UTF-16, little end first", "\xff\xfes\x00e\x00l\x00", "UTF-16", 1, 1},
		{"UTF-16, big end first", "\xfe\xff\x00s\x00e\x00l", "UTF-16", 1, 1},
		{"UTF-16 without a mark", "s\x00e\x00l\x00", "UTF-16", 1, 2},
		{"a Latin-1 letter", "select 1;\nselect 'caf\xe9'", "Invalid UTF-8: byte 0xe9", 2, 12},
		{"a cut letter in a comment", "-- é \xc3\nselect 1", "Invalid UTF-8: byte 0xc3", 1, 6},
		{"a letter outside quotes", "select é", "Unexpected character: é", 1, 8},
	} {
		_, err := Stmts(ast.NewSource("", c.text))
		var e *types.Error
		if !errors.As(err, &e) || e.Code != types.ERROR || !strings.Contains(e.Message, c.message) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if e.Line != c.line || e.Column != c.column {
			t.Errorf("%s: at %d:%d, want %d:%d", c.name, e.Line, e.Column, c.line, c.column)
		}
	}
	if _, err := Stmts(ast.NewSource("", "select 'é\ufeff\x00', \"ü\" -- 日本")); err != nil {
		t.Errorf("inside quotes and comments any letter may stand: %v", err)
	}
}

// TestIncomplete: only what more text could mend is incomplete.
func TestIncomplete(t *testing.T) {
	for text, want := range map[string]bool{
		"select":                          true,
		"select 1 +":                      true,
		"select (1":                       true,
		"select 'abc":                     true,
		"select \"abc":                    true,
		"select x'00":                     true,
		"select 1 /* and":                 true,
		"create table t (":                true,
		"declare schema main { table t {": true,
		"insert into t values (1),":       true,
		"with c as (select 1)":            true,
		"select case when 1 then 2":       true,
		"select 1; select":                true,
		"selec":                           false,
		"select )":                        false,
		"select 1 2":                      false,
		"select x'0g":                     false,
		"select 1e":                       false,
		"create table t ()":               false,
		"values (1), (2, 3)":              false,
		"create table t as select 1":      false,
		"select " + strings.Repeat("(", MaxNesting+1): false,
	} {
		_, err := Stmts(ast.NewSource("", text))
		if err == nil || Incomplete(err) != want {
			t.Errorf("%.40q: incomplete is %v, error %v", text, Incomplete(err), err)
		}
	}
	if Incomplete(nil) {
		t.Error("no error is not incomplete")
	}
}
