// Command quereus-migrate keeps a database equal to a schema file: it compares the two, shows what it would take, and applies it.
// It is cobra commands over the packages of this module: flags in, library call, printed answer.
package main

import (
	"os"

	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/term"
)

func main() { os.Exit(run(term.System(), os.Args[1:])) }
