package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/term"
)

// TestWorkflowsCallTheTool: the examples of workflows are YAML, and their calls are ones that the tool takes.
func TestWorkflowsCallTheTool(t *testing.T) {
	names, err := filepath.Glob("../../docs/ci/*.yml")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		var document map[string]any
		require.NoError(t, yaml.Unmarshal(text, &document), name)
		calls := 0
		for line := range strings.Lines(string(text)) {
			_, call, ok := strings.Cut(line, "quereus-migrate ")
			if !ok || strings.Contains(line, "go install") {
				continue
			}
			calls++
			call, _, _ = strings.Cut(call, ">")
			args := strings.Fields(strings.ReplaceAll(call, `"`, ""))
			root := newRootCmd(&app{Streams: &term.Streams{}})
			cmd, rest, err := root.Find(args)
			require.NoError(t, err, line)
			require.NotSame(t, root, cmd, line)
			require.NoError(t, cmd.ParseFlags(rest), line)
		}
		require.Positive(t, calls, name)
	}
}
