package pebble

import (
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// fence is the file system that one open Pebble store writes through. It does four things:
//
//   - When a write fails that Pebble does not survive, of the log, the manifest, a marker or the directory, it marks the store
//     broken and parks the goroutine: Pebble would end the process, at best by a panic.
//   - Once the store is broken, it parks whoever writes. So an abandoned Pebble cannot touch what its successor has opened.
//   - While writing tables fails, it slows down Pebble's endless attempts.
//   - It syncs the directory before a marker is made, which names a manifest that may be as new: a file system that does not keep the
//     order of names could else lose the manifest and keep the marker.
//
// Reads go past it. While the store is being opened or closed, failures go to Pebble, which reports them.
type fence struct {
	vfs.FS
	dir      string // the store's directory
	health   *health
	running  atomic.Bool // neither being opened nor closed
	inFlight atomic.Int64
	mu       sync.Mutex
	locks    []io.Closer
}

// retryPause is the pause between attempts to write tables while those fail.
const retryPause = 100 * time.Millisecond

// park ends the work of a goroutine whose write must not happen and must not fail.
func park() { select {} }

// do carries out a write of path.
func (f *fence) do(path string, op func() error) error {
	f.inFlight.Add(1)
	if f.health.gone.Load() {
		f.inFlight.Add(-1)
		park()
	}
	err := op()
	f.inFlight.Add(-1)
	if err != nil && f.running.Load() && f.vital(path) {
		f.health.breakDown(err)
		park()
	}
	return err
}

// vital reports whether Pebble cannot do without a write of path: tables it can write again, and what lies elsewhere, as in a
// checkpoint, is not its state.
func (f *fence) vital(path string) bool {
	if path == f.dir {
		return true
	}
	if f.PathDir(path) != f.dir {
		return false
	}
	name := f.PathBase(path)
	return strings.HasSuffix(name, ".log") || strings.HasPrefix(name, "MANIFEST-") || strings.HasPrefix(name, "marker.")
}

// abandon waits, not too long, for writes that had begun when the store broke, and gives Pebble's locks back.
func (f *fence) abandon() {
	for deadline := time.Now().Add(5 * time.Second); f.inFlight.Load() > 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range f.locks {
		_ = l.Close() // the operating system takes what cannot be given
	}
	f.locks = nil
}

func (f *fence) Create(name string, c vfs.DiskWriteCategory) (file vfs.File, err error) {
	if f.health.ails() && strings.HasSuffix(name, ".sst") {
		select {
		case <-f.health.broken:
		case <-time.After(retryPause):
		}
	}
	err = f.do(name, func() error {
		if strings.HasPrefix(f.PathBase(name), "marker.") {
			if err := syncDir(f.FS, f.PathDir(name)); err != nil {
				return err
			}
		}
		file, err = f.FS.Create(name, c)
		return err
	})
	return f.wrap(file, name, err)
}

func (f *fence) ReuseForWrite(oldname, newname string, c vfs.DiskWriteCategory) (file vfs.File, err error) {
	err = f.do(newname, func() error {
		file, err = f.FS.ReuseForWrite(oldname, newname, c)
		return err
	})
	return f.wrap(file, newname, err)
}

func (f *fence) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (file vfs.File, err error) {
	err = f.do(name, func() error {
		file, err = f.FS.OpenReadWrite(name, c, o...)
		return err
	})
	return f.wrap(file, name, err)
}

func (f *fence) OpenDir(name string) (vfs.File, error) {
	file, err := f.FS.OpenDir(name)
	return f.wrap(file, name, err)
}

func (f *fence) wrap(file vfs.File, name string, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return &fenceFile{File: file, fence: f, name: name}, nil
}

func (f *fence) Link(oldname, newname string) error {
	return f.do(newname, func() error { return f.FS.Link(oldname, newname) })
}

func (f *fence) Remove(name string) error {
	return f.quietly(func() error { return f.FS.Remove(name) })
}

func (f *fence) RemoveAll(name string) error {
	return f.quietly(func() error { return f.FS.RemoveAll(name) })
}

// quietly is do for what may fail: Pebble tries to remove a file again, or leaves it.
func (f *fence) quietly(op func() error) error { return f.do("", op) }

func (f *fence) Rename(oldname, newname string) error {
	return f.do(newname, func() error { return f.FS.Rename(oldname, newname) })
}

func (f *fence) MkdirAll(dir string, _ os.FileMode) error {
	return f.do(dir, func() error { return f.FS.MkdirAll(dir, ownerOnly) })
}

func (f *fence) Lock(name string) (l io.Closer, err error) {
	if l, err = f.FS.Lock(name); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	once := &onceCloser{c: l}
	f.locks = append(f.locks, once)
	return once, nil
}

func (f *fence) Unwrap() vfs.FS { return f.FS }

// onceCloser closes once: Pebble's lock may be given back by Pebble or by abandon.
type onceCloser struct {
	c    io.Closer
	done atomic.Bool
}

func (o *onceCloser) Close() error {
	if o.done.Swap(true) {
		return nil
	}
	return o.c.Close()
}

// fenceFile is a file that is written, or a directory that is synced, through the fence.
type fenceFile struct {
	vfs.File
	fence *fence
	name  string
}

func (f *fenceFile) Write(p []byte) (n int, err error) {
	err = f.fence.do(f.name, func() error {
		n, err = f.File.Write(p)
		return err
	})
	return n, err
}

func (f *fenceFile) WriteAt(p []byte, at int64) (n int, err error) {
	err = f.fence.do(f.name, func() error {
		n, err = f.File.WriteAt(p, at)
		return err
	})
	return n, err
}

func (f *fenceFile) Sync() error     { return f.fence.do(f.name, f.File.Sync) }
func (f *fenceFile) SyncData() error { return f.fence.do(f.name, f.File.SyncData) }

func (f *fenceFile) SyncTo(length int64) (full bool, err error) {
	err = f.fence.do(f.name, func() error {
		full, err = f.File.SyncTo(length)
		return err
	})
	return full, err
}

// Preallocate may fail without harm: callers take it for advice.
func (f *fenceFile) Preallocate(offset, length int64) error {
	return f.fence.quietly(func() error { return f.File.Preallocate(offset, length) })
}

func (f *fenceFile) Close() error { return f.fence.do(f.name, f.File.Close) }
