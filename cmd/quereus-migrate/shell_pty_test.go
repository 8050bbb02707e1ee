package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShellAtATerminal(t *testing.T) {
	rows := writeFile(t, "rows.csv", "id,note\n7,seven\n8,\n")
	bad := writeFile(t, "bad.csv", "id,note\n9,nine\nx,ten\n")
	script := writeFile(t, "script.sql", "insert into t values (20, 'twenty'); select count(*) as n from t;")
	eachScreen(t, func(t *testing.T, columns int, color bool) {
		s := atScreen(t, columns, color, nil, "sql", "--db", "mem:")
		enter := func(line string, shown ...string) {
			s.expect("> ")
			s.send(line + "\r")
			for _, text := range shown {
				s.expect(text)
			}
		}
		enter("create table t (id integer primary key,")
		enter("note text null);")
		enter("insert into t values (1, 'one'), (2, null);", "(2 rows changed)")
		enter("select * from t;", "id  note\r\n", " 1  one\r\n", " 2  NULL\r\n", "(2 rows)")
		enter("select 1 +", "...> ")
		s.send("two")
		s.expect("two") // the editor has the terminal now: before that Ctrl-C is a signal
		s.send(ctrlC)   // forgets what was typed
		enter("begin;")
		s.expect("quereus*> ")
		s.send("rollback;\r")
		enter(".tables", "t")
		enter(`\d t`, "create table t (\r\n", "  id integer", ");\r\n")
		enter(`\d nope`, "there is no table or view nope")
		enter(".import "+rows+" t", "(2 rows inserted)")
		enter(".import "+bad+" t", "row 2")
		enter(".mode line")
		enter("select count(*) as n, max(id) as m from t;", "-- row 1\r\n", "n = 4\r\n", "m = 8\r\n")
		enter(".mode nope", "usage: .mode")
		enter(".mode json")
		enter("select id from t where id = 7;", `{"id": 7}`)
		enter(".mode table")
		enter(".read "+script, "(1 row changed)", "n\r\n", "5\r\n")
		enter(".explain select * from t where id = 1", "(")
		enter(".timer on")
		enter("select 1 as one;", "(1 row, ")
		enter(".nope", "there is no command .nope")
		s.expect("> ")
		s.send("sel\t") // there is one word only
		s.expect("select")
		s.send(" 42 as x;\r")
		s.expect("42\r\n")
		enter("select 'begun' as b; with recursive c(i) as (select 1 union all select i + 1 from c) option (maxrecursion 2000000000) select count(*) from c;")
		s.expect("\r\nbegun\r\n")
		s.send(ctrlC) // ends the statement, and not the shell
		s.expect("error")
		enter("select 'still here' as s;", "still here\r\n")
		s.expect("> ")
		s.send("\x04")
		code, text := s.end()
		require.Zero(t, code, text)
		if !color {
			require.NotContains(t, text, "\x1b[3", "no colours")
		}
	})
}

// TestShellKeepsItsHistory: what was typed is there again in the next shell, and for its owner alone.
func TestShellKeepsItsHistory(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_STATE_HOME", home)
	s := atScreen(t, 80, false, nil, "sql", "--db", "mem:")
	s.expect("> ")
	s.send("select 'from long ago' as s;\r")
	s.expect("from long ago\r\n")
	s.expect("> ")
	s.send(".quit\r")
	code, _ := s.end()
	require.Zero(t, code)
	info, err := os.Stat(filepath.Join(home, "quereus-migrate", "history"))
	require.NoError(t, err)
	require.Zero(t, info.Mode().Perm()&0o077)

	s = atScreen(t, 80, false, nil, "sql", "--db", "mem:")
	s.expect("> ")
	s.send("\x1b[A\x1b[A\r") // up, up
	s.expect("from long ago' as s;")
	s.expect("from long ago\r\n")
	s.expect("> ")
	s.send("\x04")
	code, _ = s.end()
	require.Zero(t, code)
}

func TestWideRowsAtATerminal(t *testing.T) {
	for columns, want := range map[int]string{40: "-- row 1\n", 80: "a                      b\n"} {
		code, text := atScreen(t, columns, false, nil, "sql", "--db", "mem:", "select 'a text of 22 letters.' as a, 'another of 22 letters' as b").end()
		require.Zero(t, code)
		require.Contains(t, text, want)
	}
}
