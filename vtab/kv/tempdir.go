package kv

import (
	"os"
	"path/filepath"
	"sync"
)

// TempDir is a directory of the operating system's for spill files, made when it is first asked for. The zero value is ready; its
// methods may be called from any goroutine.
type TempDir struct {
	mu   sync.Mutex
	path string // empty until it is asked for
}

// Path gives the directory. Where it cannot be made the answer is one that does not exist, so that whoever makes a file in it
// learns the reason.
func (d *TempDir) Path() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.path == "" {
		path, err := os.MkdirTemp("", "quereus-migrate-")
		if err != nil {
			return filepath.Join(os.TempDir(), "quereus-migrate-missing")
		}
		d.path = path
	}
	return d.path
}

// Remove removes the directory with all that is in it, if it was made.
func (d *TempDir) Remove() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.path == "" {
		return nil
	}
	if err := os.RemoveAll(d.path); err != nil {
		return err
	}
	d.path = ""
	return nil
}
