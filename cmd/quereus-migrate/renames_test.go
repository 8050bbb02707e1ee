package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// At a terminal a likely rename is a question: yes writes the hint into the file, no drops and creates, which the policy judges.
func TestRenameIsAskedAtATerminal(t *testing.T) {
	const target = "declare schema main { table t { id integer primary key, title text null } } -- end\n"
	for name, c := range map[string]struct {
		answers []string
		code    int
		shown   string
		file    string
	}{
		"yes": {[]string{"y\n", "y\n"}, exitOK, "ALTER TABLE t RENAME COLUMN name TO title",
			"declare schema main { table t { id integer primary key, title text null with tags (\"quereus.previous_name\" = 'name') } } -- end\n"},
		"no":        {[]string{"n\n", "y\n"}, exitOK, "ALTER TABLE t DROP COLUMN name", target},
		"interrupt": {[]string{ctrlC}, exitError, "nothing was changed", target},
	} {
		t.Run(name, func(t *testing.T) {
			db, schema := filepath.Join(t.TempDir(), "db"), schemaFile(t, target)
			mustTool(t, "apply", "--db", db, "--create", "--yes", schemaFile(t, "create table t (id integer primary key, name text null);"))
			s := atScreen(t, 80, false, nil, "apply", "--db", db, schema)
			for i, answer := range c.answers {
				if i == 0 {
					s.expect("column name goes and title comes: is it renamed? [y/N] ")
				} else {
					s.expect("[y/N] ")
				}
				s.send(answer)
			}
			code, text := s.end()
			require.Equal(t, c.code, code, text)
			require.Contains(t, text, c.shown)
			written, err := os.ReadFile(schema)
			require.NoError(t, err)
			require.Equal(t, c.file, string(written))
		})
	}
}
