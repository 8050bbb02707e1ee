package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// screen is a run of the tool at a pseudo-terminal.
type screen struct {
	t    testing.TB
	cmd  *exec.Cmd
	file *os.File
	mu   sync.Mutex
	grew *sync.Cond
	text []byte
	read int // how much of the text expect has gone by
	over bool
}

// patience is how long a run at a terminal may take before it counts as hanging.
const patience = 3 * time.Minute

// atScreen starts the tool at a terminal of so many columns. With stdout its standard output goes to that file.
func atScreen(t testing.TB, columns int, color bool, stdout *os.File, args ...string) *screen {
	t.Helper()
	// At an interrupt a terminal throws away what is on its way, which may be what the tool has answered to it by then.
	s := &screen{t: t, cmd: exec.Command("sh", append([]string{"-c", `stty noflsh; exec "$0" "$@"`, toolBinary}, args...)...)}
	s.grew = sync.NewCond(&s.mu)
	s.cmd.Env = append(os.Environ(), "CI=", "NO_COLOR=", "TERM=xterm", "HOME="+t.TempDir())
	if !color {
		s.cmd.Env = append(s.cmd.Env, "NO_COLOR=1")
	}
	if stdout != nil {
		s.cmd.Stdout = stdout
	}
	var err error
	s.file, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 24, Cols: uint16(columns)})
	require.NoError(t, err)
	require.NoError(t, keepOutput(s.file))
	guard := time.AfterFunc(patience, func() { s.cmd.Process.Kill() }) // so that a test that hangs tells what it saw
	t.Cleanup(func() {
		guard.Stop()
		s.cmd.Process.Kill()
		s.file.Close()
	})
	go s.listen()
	return s
}

func (s *screen) listen() {
	buf := make([]byte, 4096)
	for {
		n, err := s.file.Read(buf)
		s.mu.Lock()
		s.text = append(s.text, buf[:n]...)
		s.over = s.over || err != nil // EIO, when the tool has ended
		s.grew.Broadcast()
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// expect waits for a text that comes after those waited for so far, or for the end of the run.
func (s *screen) expect(text string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if i := bytes.Index(s.text[s.read:], []byte(text)); i >= 0 {
			s.read += i + len(text)
			return
		}
		if s.over {
			require.Contains(s.t, string(s.text[s.read:]), text)
		}
		s.grew.Wait()
	}
}

func (s *screen) send(text string) {
	_, err := s.file.WriteString(text)
	require.NoError(s.t, err)
}

// end waits for the end of the run, and gives its exit code and all that was shown.
func (s *screen) end() (code int, text string) {
	s.mu.Lock()
	for !s.over {
		s.grew.Wait()
	}
	text = strings.ReplaceAll(string(s.text), "\r\n", "\n")
	s.mu.Unlock()
	_ = s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode(), text
}

const ctrlC = "\x03"

// eachScreen runs a test at three widths, each with and without colours.
func eachScreen(t *testing.T, f func(t *testing.T, columns int, color bool)) {
	for _, columns := range []int{40, 80, 200} {
		for _, color := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d columns, colour %t", columns, color), func(t *testing.T) { f(t, columns, color) })
		}
	}
}

var ansi = regexp.MustCompile("\x1b\\[[0-9;?]*[a-zA-Z]")

func TestQuestionAtATerminal(t *testing.T) {
	schema := schemaFile(t, "create table t (id integer primary key, note text null);")
	eachScreen(t, func(t *testing.T, columns int, color bool) {
		db := filepath.Join(t.TempDir(), "db")
		for _, answer := range []string{ctrlC, "n\n", "\n", "\x04"} {
			s := atScreen(t, columns, color, nil, "apply", "--db", db, "--create", schema)
			s.expect("create table t")
			s.expect("[y/N] ")
			s.send(answer)
			code, text := s.end()
			require.Equal(t, exitError, code, "%q", answer)
			require.Equal(t, color, ansi.MatchString(text))
			require.NotContains(t, text, "error", "to say no is no fault")
			require.True(t, strings.HasSuffix(text, "\nnothing was changed\n"), "%q", text)
			require.NoDirExists(t, db)
		}
		s := atScreen(t, columns, color, nil, "apply", "--db", db, "--create", schema)
		s.expect("[y/N] ")
		s.send("y\n")
		code, text := s.end()
		require.Zero(t, code, text)
		require.Contains(t, text, "applied 1 statement in ")
	})
}

func TestPlanIsShownBeforeTheQuestionWhereverItIsPrinted(t *testing.T) {
	schema := schemaFile(t, "create table t (id integer primary key);")
	out, err := os.Create(filepath.Join(t.TempDir(), "plan.sql"))
	require.NoError(t, err)
	defer out.Close()
	s := atScreen(t, 80, false, out, "apply", "--db", filepath.Join(t.TempDir(), "db"), "--create", schema)
	s.expect("create table t (id integer primary key);")
	s.expect("[y/N] ")
	s.send("y\n")
	code, text := s.end()
	require.Zero(t, code, text)
	printed, err := os.ReadFile(out.Name())
	require.NoError(t, err)
	require.Equal(t, "create table t (id integer primary key);  -- metadata only\n", string(printed))
}

// TestRowsAtATerminal writes more rows than any buffer of them holds, through the terminal itself.
func TestRowsAtATerminal(t *testing.T) {
	lines := map[string]func(i, width int) string{
		"auto":  func(i, width int) string { return fmt.Sprintf("\n%*d  text %d\n", width, i, i) },
		"table": func(i, width int) string { return fmt.Sprintf("\n%*d  text %d\n", width, i, i) },
		"csv":   func(i, _ int) string { return fmt.Sprintf("\n%d,text %d\n", i, i) },
		"json":  func(i, _ int) string { return fmt.Sprintf("\n  {\"i\": %d, \"s\": \"text %d\"}", i, i) },
	}
	check := func(n, columns int, format string) {
		sql := fmt.Sprintf(`with recursive c(i) as (select 1 union all select i + 1 from c where i < %d) option (maxrecursion 20000)
			select i, 'text ' || i as s from c`, n)
		code, text := atScreen(t, columns, true, nil, "sql", "--db", "mem:", "--format", format, sql).end()
		require.Zero(t, code, text)
		for i := 1; i <= n; i++ {
			width := len(fmt.Sprint(min((i+499)/500*500, n))) // a column is as wide as the blocks of 500 rows so far need
			line := lines[format](i, width)
			if !strings.Contains(text, line) {
				t.Fatalf("%s in %d columns has no line %q", format, columns, line)
			}
		}
	}
	for format := range lines {
		for _, columns := range []int{40, 80, 200} {
			check(257, columns, format)
		}
		check(10_000, 80, format)
	}
}
