//go:build !linux

package main

import "os"

// keepOutput does nothing where nobody has tried.
func keepOutput(*os.File) error { return nil }
