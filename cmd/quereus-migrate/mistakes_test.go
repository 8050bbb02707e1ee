package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A mistake of the page: its heading, its text, and what the tool says.
var mistake = regexp.MustCompile("(?s)### ([^\n]*)\n\n```sql\n(.*?)```\n\n```text\n(.*?)```\n")

// docs/mistakes.md shows what the tool says to mistakes. No mistake passes, and none leads to an error that says it has no place.
func TestMistakes(t *testing.T) {
	const page = "../../docs/mistakes.md"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	session := strings.Index(string(text), "\n## In a session\n")
	require.Positive(t, session)
	count := 0
	var anew strings.Builder
	at := 0
	for _, m := range mistake.FindAllSubmatchIndex(text, -1) {
		title, input, want := string(text[m[2]:m[3]]), string(text[m[4]:m[5]]), string(text[m[6]:m[7]])
		var out output
		if m[0] < session {
			out = runTool(input, "diff", "--from", "mem:", "--to", "-")
			out.stderr = strings.ReplaceAll(out.stderr, "<stdin>", "schema.sql")
		} else {
			out = runTool("", "sql", "--db", "mem:", input)
		}
		require.Equal(t, exitError, out.code, title)
		require.Empty(t, out.stdout, title)
		require.Regexp(t, `:\d+:\d+: error`, out.stderr, title)
		if !*update {
			require.Equal(t, want, out.stderr, title)
		}
		anew.Write(text[at:m[6]])
		anew.WriteString(out.stderr)
		at = m[7]
		count++
	}
	require.Greater(t, count, 60)
	anew.Write(text[at:])
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(anew.String()), 0o644))
	}
}
