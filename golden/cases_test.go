package golden

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var updateCases = flag.Bool("update-cases", false, "rewrite the answers of cases/**/*.test with those of the engine in memory")

const casesDir = "cases"

// TestCases runs every file of migration cases in memory, on Pebble, and on Pebble with a reopen behind each step. A case passes when it
// passes in each. cases/pending.txt lists those that do not pass yet, each with its reason; it only shrinks.
func TestCases(t *testing.T) {
	pending := &pendingCases{reasons: readPendingCases(t), failed: map[string]bool{}}
	t.Run("files", func(t *testing.T) {
		for _, path := range testFiles(t, casesDir) {
			t.Run(strings.TrimSuffix(path, ".test"), func(t *testing.T) {
				t.Parallel()
				runCaseFile(t, path, pending)
			})
		}
	})
	for id := range pending.reasons {
		if !pending.failed[id] {
			t.Errorf("%s is pending and passes, or is not there: take it out of pending.txt", id)
		}
	}
}

func runCaseFile(t *testing.T, name string, pending *pendingCases) {
	path := filepath.Join(casesDir, name)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	cases, err := ReadMigrations(name, bytes.NewReader(text))
	require.NoError(t, err)
	for _, r := range runs {
		results, err := RunMigrations(context.Background(), cases, r.open, r.opts)
		require.NoError(t, err, r.name)
		if *updateCases {
			require.NoError(t, os.WriteFile(path, []byte(UpdateCases(string(text), results)), 0o644))
			return
		}
		for _, result := range results {
			pending.judge(t, r.name, result)
		}
	}
}

// pendingCases are the cases that may fail.
type pendingCases struct {
	mu      sync.Mutex
	reasons map[string]string
	failed  map[string]bool
}

func (p *pendingCases) judge(t *testing.T, run string, r Result) {
	if r.Pass {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	id := r.Case.ID()
	p.failed[id] = true
	if p.reasons[id] == "" {
		t.Errorf("%s (%s)\n%s\n%s\n%s", id, run, r.Case.Kind, r.Case.Input, r.Difference())
	}
}

// readPendingCases reads pending.txt: a place and a reason a line.
func readPendingCases(t *testing.T) map[string]string {
	text, err := os.ReadFile(filepath.Join(casesDir, "pending.txt"))
	require.NoError(t, err)
	list := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, reason, _ := strings.Cut(line, " ")
		require.NotEmpty(t, reason, "%s needs a reason", id)
		list[id] = reason
	}
	return list
}
