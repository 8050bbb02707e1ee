package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
)

var update = flag.Bool("update", false, "rewrite what scripts compare output with")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"quereus-migrate": main, "hold": hold})
}

// TestScripts runs the tool as its users do, one script a behaviour. $SCHEMAS is the folder of the schemas that are shipped.
func TestScripts(t *testing.T) {
	schemas, err := filepath.Abs("../../schemas")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("SCHEMAS", schemas)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exitcode": exitCodeIs, "awaitfile": awaitFile, "edit": edit, "flip": flip, "sqlite": sqliteRun},
	})
}

// exitCodeIs is the command `exitcode N program arguments…`: the program must end with just that code.
func exitCodeIs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode N program [arguments]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%s: %s", args[1], err)
	}
	if got != want {
		ts.Fatalf("%s ended with exit code %d, want %d", args[1], got, want)
	}
}

// awaitFile is the command `awaitfile name`: it waits until a program in the background has made the file.
func awaitFile(ts *testscript.TestScript, neg bool, args []string) {
	for range 1000 {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s does not appear", args[0])
}

// edit is the command `edit file text`: it writes a file, the escapes of Go's strings in the text carried out.
func edit(ts *testscript.TestScript, neg bool, args []string) {
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(args[1], `"`, `\"`) + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

// flip is the command `flip pattern`: it damages the files in their middle.
func flip(ts *testscript.TestScript, neg bool, args []string) {
	names, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(names) == 0 {
		ts.Fatalf("there is no %s", args[0])
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		ts.Check(err)
		b[len(b)/2] ^= 0xff
		ts.Check(os.WriteFile(name, b, 0o644))
	}
}

// hold is the program `hold DIR FILE [DURATION]`: it opens the database, makes the file to tell so, and keeps the database open for
// that long, or until it is killed.
func hold() {
	store, err := pebble.Open(os.Args[1], pebble.Options{Command: "somebody else"})
	if err == nil {
		err = os.WriteFile(os.Args[2], nil, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	keep := time.Hour
	if len(os.Args) > 3 {
		keep, _ = time.ParseDuration(os.Args[3])
	}
	time.Sleep(keep)
	store.Close()
}
