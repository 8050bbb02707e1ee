package golden

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	updatePending = flag.Bool("update-pending", false, "take cases that pass now out of conformance/pending.txt")
	writePending  = flag.Bool("write-pending", false, "write conformance/pending.txt anew from the cases that fail; only for its first version")
	showFailures  = flag.String("show", "", "print the answers of failing cases, pending or not, of files whose path contains this")
)

const conformanceDir = "conformance"

// runs are the three ways in which every file must give the same answers.
var runs = []struct {
	name string
	open func(context.Context) (Session, error)
	opts RunOptions
}{
	{"memory", MemorySession, RunOptions{}},
	{"pebble", PebbleSession, RunOptions{}},
	{"reopen", PebbleSession, RunOptions{Reopen: true}},
}

// TestConformance runs every conformance file in all three ways. A case passes when it passes in each. A pending case that passes
// fails the run, so that the list only shrinks.
func TestConformance(t *testing.T) {
	board := &scoreboard{}
	t.Run("files", func(t *testing.T) {
		for _, name := range testFiles(t, conformanceDir) {
			t.Run(strings.TrimSuffix(name, ".test"), func(t *testing.T) {
				t.Parallel()
				runConformanceFile(t, name, board)
			})
		}
	})
	board.judge(t)
}

// testFiles lists the files of cases below a directory, named as seen from it.
func testFiles(t *testing.T, dir string) []string {
	var names []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".test") {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	require.NoError(t, err)
	require.NotEmpty(t, names)
	return names
}

func runConformanceFile(t *testing.T, name string, board *scoreboard) {
	f, err := os.Open(filepath.Join(conformanceDir, name))
	require.NoError(t, err)
	defer f.Close()
	cases, err := ReadCases(name, f)
	require.NoError(t, err)
	for _, r := range runs {
		board.add(r.name, runCases(t, cases, r.open, r.opts))
	}
}

func runCases(t *testing.T, cases []*Case, open func(context.Context) (Session, error), opts RunOptions) []Result {
	ctx := context.Background()
	s, err := open(ctx)
	require.NoError(t, err)
	results, err := RunFile(ctx, cases, s, opts)
	require.NoError(t, err)
	requireSoundSession(t, s)
	require.NoError(t, s.Close())
	return results
}

// scoreboard collects the outcome of all runs.
type scoreboard struct {
	mu    sync.Mutex
	cases map[string]*score
}

type score struct {
	c      *Case
	failed []string // how the failing runs differ
}

// String shows the case with how the failing runs differ from what was wanted.
func (s *score) String() string {
	return fmt.Sprintf("%s\n%s\n%s", s.c.ID(), s.c.Input, strings.Join(s.failed, ""))
}

func (b *scoreboard) add(run string, results []Result) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cases == nil {
		b.cases = map[string]*score{}
	}
	for _, r := range results {
		s := b.cases[r.Case.ID()]
		if s == nil {
			s = &score{c: r.Case}
			b.cases[r.Case.ID()] = s
		}
		if !r.Pass {
			s.failed = append(s.failed, fmt.Sprintf("%s:\n%s", run, r.Difference()))
		}
	}
}

func (b *scoreboard) judge(t *testing.T) {
	var failing, passing []string
	for _, id := range slices.SortedFunc(maps.Keys(b.cases), comparePlaces) {
		s := b.cases[id]
		if len(s.failed) == 0 {
			passing = append(passing, id)
			continue
		}
		failing = append(failing, id)
		if *showFailures != "" && strings.Contains(id, *showFailures) {
			t.Logf("%s", s)
		}
	}
	pending, wrong := readList(t, "pending.txt"), readList(t, "wrong.txt")
	t.Logf("%d cases pass, %d fail, %d are pending, %d are wrong", len(passing), len(failing), len(pending), len(wrong))
	failing = slices.DeleteFunc(failing, func(id string) bool { return wrong[id] })
	checkWrong(t, wrong, passing)
	if *writePending || *updatePending {
		keep := failing
		if !*writePending {
			keep = slices.DeleteFunc(failing, func(id string) bool { return !pending[id] })
			for id := range pending {
				if !b.ran(id) {
					keep = append(keep, id)
				}
			}
			slices.SortFunc(keep, comparePlaces)
		}
		writePendingFile(t, keep)
		return
	}
	for _, id := range failing {
		if !pending[id] {
			t.Errorf("fails: %s", b.cases[id])
		}
		delete(pending, id)
	}
	for _, id := range passing {
		if pending[id] {
			t.Errorf("%s passes and is still pending: take it out with -update-pending", id)
		}
		delete(pending, id)
	}
	for id := range pending {
		if b.ran(id) {
			t.Errorf("%s is pending, but there is no such case", id)
		}
	}
}

// ran reports whether cases of the file of a case have run: -run may choose files.
func (b *scoreboard) ran(id string) bool {
	file, _, _ := strings.Cut(id, ":")
	for _, s := range b.cases {
		if f, _, _ := strings.Cut(s.c.ID(), ":"); f == file {
			return true
		}
	}
	return false
}

// checkWrong sees to it that a case which is believed wrong is argued for, and does not pass.
func checkWrong(t *testing.T, wrong map[string]bool, passing []string) {
	notes, err := os.ReadFile("../docs/conformance-notes.md")
	require.NoError(t, err)
	for id := range wrong {
		if !strings.Contains(string(notes), id) {
			t.Errorf("%s is in wrong.txt and docs/conformance-notes.md does not argue for it", id)
		}
		if slices.Contains(passing, id) {
			t.Errorf("%s passes and stands in wrong.txt: take it out", id)
		}
	}
}

// readList reads a list of cases, one "file:line" a line.
func readList(t *testing.T, name string) map[string]bool {
	f, err := os.Open(filepath.Join(conformanceDir, name))
	require.NoError(t, err)
	defer f.Close()
	list := map[string]bool{}
	for scan := bufio.NewScanner(f); scan.Scan(); {
		if line := strings.TrimSpace(scan.Text()); line != "" && !strings.HasPrefix(line, "#") {
			list[line] = true
		}
	}
	return list
}

func writePendingFile(t *testing.T, ids []string) {
	text := "# Cases that do not pass yet, one a line. The list only shrinks: go test ./golden -run Conformance -update-pending\n"
	require.NoError(t, os.WriteFile(filepath.Join(conformanceDir, "pending.txt"), []byte(text+strings.Join(ids, "\n")+"\n"), 0o644))
}

// comparePlaces orders "file:line" by file, then by number.
func comparePlaces(a, b string) int {
	fileA, lineA, _ := strings.Cut(a, ":")
	fileB, lineB, _ := strings.Cut(b, ":")
	if fileA != fileB {
		return strings.Compare(fileA, fileB)
	}
	if len(lineA) != len(lineB) {
		return len(lineA) - len(lineB)
	}
	return strings.Compare(lineA, lineB)
}
