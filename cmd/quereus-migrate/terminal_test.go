package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/term"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// atTerminal runs the tool as if a person typed at a terminal without colours.
func atTerminal(typed string, args ...string) (code int, out, errs string) {
	var o, e strings.Builder
	s := &term.Streams{In: strings.NewReader(typed), Out: &o, Err: &e, InTerminal: true, OutTerminal: true, ErrTerminal: true}
	code = run(s, args)
	return code, o.String(), e.String()
}

func schemaFile(t *testing.T, text string) string {
	name := filepath.Join(t.TempDir(), "schema.sql")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	return name
}

func TestApplyAsks(t *testing.T) {
	db, schema := filepath.Join(t.TempDir(), "db"), schemaFile(t, "create table t (id integer primary key); create view v as select id from t;")
	code, out, errs := atTerminal("n\n", "apply", "--db", db, "--create", schema)
	require.Equal(t, exitError, code)
	require.Contains(t, out, "create table t (id integer primary key);")
	require.Equal(t, "apply 2 statements to "+db+"? [y/N] nothing was changed\n", errs)
	require.NoDirExists(t, db)

	code, _, errs = atTerminal("yes\n", "apply", "--db", db, "--create", schema)
	require.Equal(t, exitOK, code)
	require.Contains(t, errs, "applied 2 statements in ")
	require.DirExists(t, db)

	code, _, errs = atTerminal("", "apply", "--db", db, schema)
	require.Equal(t, exitOK, code)
	require.Equal(t, "in sync\n", errs, "there is nothing to ask about")

	require.Equal(t, exitOK, run(&term.Streams{In: strings.NewReader(""), Out: new(strings.Builder), Err: new(strings.Builder)},
		[]string{"sql", "--db", db, "insert into t values (1)"}))
	code, _, errs = atTerminal("y\n", "apply", "--db", db, schemaFile(t, "declare schema main { }"))
	require.Equal(t, exitRefused, code)
	require.NotContains(t, errs, "[y/N]", "what is refused is not asked about")
}

func TestShell(t *testing.T) {
	typed := strings.Join([]string{
		"create table t (id integer primary key,",
		"  v text null);",
		"insert into t values (1, 'a;b'), (2, null);",
		"select * from t",
		"order by id;",
		"",
		"-- a comment alone",
		"select 'open",
		"string' as s; select 2 as two;",
		"selekt 1;",
		"begin;",
		"delete from t where nope = 1;",
		".nope",
		".help",
		"rollback;",
		".quit",
		"select 'not reached';",
	}, "\n") + "\n"
	code, out, errs := atTerminal(typed, "sql", "--db", "mem:")
	require.Equal(t, exitOK, code)
	require.Equal(t, strings.Join([]string{
		"id  v", "--  ----", " 1  a;b", " 2  NULL",
		"s", "------------", `open\nstring`, "two", "---", "  2", "",
	}, "\n"), out)
	require.Contains(t, errs, "quereus>     ...> quereus> ", "a statement over two lines")
	require.Contains(t, errs, "<statement>:1:1: error: ")
	require.Contains(t, errs, "  selekt 1;\n  ^^^^^^\n")
	require.Contains(t, errs, "quereus*> <statement>:1:21: error: ")
	require.Contains(t, errs, "quereus*> there is no command .nope")
	require.Contains(t, errs, "Ctrl-D")

	code, out, _ = atTerminal("select 1 as one;\nselect 2", "sql", "--db", "mem:", "--format", "csv")
	require.Equal(t, exitOK, code)
	require.Equal(t, "one\n1\n", out, "what is not ended with a semicolon does not run")
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("any"), 1},
		{types.Errorf(types.CONSTRAINT, "no"), 1},
		{&engine.MigrateError{Failures: []engine.Failure{{Err: types.Errorf(types.MISMATCH, "no")}}}, 1},
		{errDiffers, 2},
		{&engine.PolicyError{}, 3},
		{fmt.Errorf("outer: %w", &engine.StalePlanError{}), 4},
		{types.Errorf(types.BUSY, "in use"), 5},
		{&reportedError{types.Errorf(types.BUSY, "in use")}, 5},
	} {
		require.Equal(t, c.want, exitCode(c.err), "%v", c.err)
	}
}
