package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// keepOutput keeps the terminal from throwing away what was written to it when Ctrl-C is pressed: the key's signal reaches the tool before
// the terminal does so, and what the tool answers could be lost.
func keepOutput(terminal *os.File) error {
	mode, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err != nil {
		return err
	}
	mode.Lflag |= unix.NOFLSH
	return unix.IoctlSetTermios(int(terminal.Fd()), unix.TCSETS, mode)
}
