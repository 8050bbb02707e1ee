// Command quereus-migrate keeps a database equal to a schema file: it compares the two, shows what it would take, and applies it.
// It is cobra commands over the packages of this module: flags in, library call, printed answer.
package main

import (
	"os"
	"runtime/debug"

	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/term"
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // a run is short, and most of what it makes lives to its end
	}
	os.Exit(run(term.System(), os.Args[1:]))
}
