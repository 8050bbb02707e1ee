package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/term"
)

// Schemas as SQLite's applications and shells write them. Beside each stands what the tool says to it: the statements that make it, or
// one sentence for each object that cannot be had. What is accepted is the same when it is read back.
func TestSQLiteSchemas(t *testing.T) {
	files, err := filepath.Glob("testdata/sqlite/*.sql")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			out := runTool(string(text), "diff", "--from", "mem:", "--to", "-")
			goldenText(t, strings.TrimSuffix(file, ".sql")+".out", strings.ReplaceAll(out.all(), "<stdin>", name))
			if out.code != exitOK {
				return
			}
			db := filepath.Join(t.TempDir(), "db")
			require.Zero(t, runTool(string(text), "apply", "--db", db, "--create", "--yes", "--with-seed", "-").code)
			require.Contains(t, runTool(string(text), "diff", "--db", db, "-").stderr, "in sync")
			declared := runTool("", "inspect", "--db", db)
			require.Contains(t, runTool(declared.stdout, "diff", "--db", db, "-").stderr, "in sync")
		})
	}
}

// output is what a run of the tool wrote, and its exit code.
type output struct {
	stdout, stderr string
	code           int
}

func (o output) all() string { return o.stdout + o.stderr }

// runTool runs the tool within the test, where nobody sits at a terminal.
func runTool(stdin string, args ...string) output {
	var out, err strings.Builder
	s := &term.Streams{In: strings.NewReader(stdin), Out: &out, Err: &err}
	code := run(s, args)
	return output{out.String(), err.String(), code}
}

// golden compares a text with a file, or rewrites it with -update.
func goldenText(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), text)
}
