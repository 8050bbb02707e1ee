package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
)

// isLong reports whether the long forms of the tests with processes are wanted, which take about an hour:
//
//	QUEREUS_LONG=1 go test ./cmd/quereus-migrate -run 'Killed|Appliers' -timeout 180m -v
func isLong() bool { return os.Getenv("QUEREUS_LONG") != "" }

// pick gives the size of a test in its short and in its long form.
func pick(short, long int) int {
	if isLong() {
		return long
	}
	return short
}

const toolBinary = "quereus-migrate" // TestMain puts the test binary into PATH under this name

// outcome is how a run of the tool ended.
type outcome struct {
	code        int
	stdout, err string
}

// tool runs the tool to its end. The code is -1 when it could not be run.
func tool(args ...string) outcome {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(toolBinary, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		return outcome{-1, "", err.Error()}
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// mustTool runs the tool, which must end well, and gives what it printed.
func mustTool(t testing.TB, args ...string) string {
	t.Helper()
	o := tool(args...)
	require.Zero(t, o.code, "%q: %s", args, o.err)
	return o.stdout
}

// writeFile makes a file in a directory of the test's own.
func writeFile(t testing.TB, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// withDatabase opens a database directory for a while, checks everything in it, and sees to it that no temporary file is there.
func withDatabase(t testing.TB, dir string, f func(*engine.DB, *engine.Conn)) {
	t.Helper()
	ctx := context.Background()
	db, err := engine.OpenDir(ctx, dir, pebble.Options{}, engine.Options{})
	require.NoError(t, err)
	report, err := db.Check(ctx)
	require.NoError(t, err)
	require.Empty(t, report.Faults)
	left, err := os.ReadDir(filepath.Join(dir, "tmp"))
	require.NoError(t, err)
	require.Empty(t, left)
	c := db.Conn()
	f(db, c)
	require.NoError(t, c.Close())
	require.NoError(t, db.Close())
}

// diskUse is the size of everything in a directory.
func diskUse(t testing.TB, dir string) (n int64) {
	require.NoError(t, filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && !d.IsDir() {
			n += info.Size()
		}
		return err
	}))
	return n
}
