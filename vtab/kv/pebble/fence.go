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
//   - It records how far logs and manifests are synced (synced).
//
// Reads go past it. While the store is being opened or closed, failures go to Pebble, which reports them.
type fence struct {
	vfs.FS
	dir      string // the store's directory
	health   *health
	synced   *synced     // nil when the store is open to read only
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
	f.close()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range f.locks {
		_ = l.Close() // the operating system takes what cannot be given
	}
	f.locks = nil
}

// close closes the record of what is synced.
func (f *fence) close() {
	if f.synced != nil {
		_ = f.synced.close() // it is never more than a help
	}
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
		if f.forget(oldname) != nil {
			file, err = f.FS.Create(newname, c) // the old one is in nobody's way
			return err
		}
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
	return &fenceFile{File: file, fence: f, name: name, recorded: f.isRecorded(name)}, nil
}

func (f *fence) Link(oldname, newname string) error {
	return f.do(newname, func() error { return f.FS.Link(oldname, newname) })
}

func (f *fence) Remove(name string) error {
	return f.quietly(func() error {
		if err := f.forget(name); err != nil {
			return err
		}
		return f.FS.Remove(name)
	})
}

func (f *fence) RemoveAll(name string) error {
	return f.quietly(func() error { return f.FS.RemoveAll(name) })
}

// quietly is do for what may fail: Pebble tries to remove a file again, or leaves it.
func (f *fence) quietly(op func() error) error { return f.do("", op) }

func (f *fence) Rename(oldname, newname string) error {
	return f.do(newname, func() error {
		err := f.FS.Rename(oldname, newname)
		if name := f.PathBase(newname); err == nil && f.synced != nil && strings.HasPrefix(name, "OPTIONS-") {
			f.synced.begin(name)
		}
		return err
	})
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

// forget is for a file that is about to go or to be used again.
func (f *fence) forget(path string) error {
	if f.synced == nil || f.PathDir(path) != f.dir {
		return nil
	}
	return f.synced.forget(f.PathBase(path))
}

// isRecorded reports whether it is recorded how far a file is synced.
func (f *fence) isRecorded(path string) bool {
	name := f.PathBase(path)
	return f.synced != nil && f.PathDir(path) == f.dir && (isLog(name) || isManifest(name))
}

// fenceFile is a file that is written, or a directory that is synced, through the fence.
type fenceFile struct {
	vfs.File
	fence    *fence
	name     string
	recorded bool
	written  atomic.Int64 // bytes, when it is recorded
}

func (f *fenceFile) Write(p []byte) (n int, err error) {
	err = f.fence.do(f.name, func() error {
		n, err = f.File.Write(p)
		f.written.Add(int64(n))
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

func (f *fenceFile) Sync() error     { return f.sync(f.File.Sync) }
func (f *fenceFile) SyncData() error { return f.sync(f.File.SyncData) }

func (f *fenceFile) SyncTo(length int64) (full bool, err error) {
	err = f.fence.do(f.name, func() error {
		full, err = f.File.SyncTo(length)
		return err
	})
	return full, err
}

// sync carries out a sync and records what it has made durable: all that was written before it.
func (f *fenceFile) sync(op func() error) error {
	return f.fence.do(f.name, func() error {
		written := f.written.Load()
		err := op()
		if err == nil && f.recorded {
			f.fence.synced.note(f.fence.PathBase(f.name), written)
		}
		return err
	})
}

// Preallocate may fail without harm: callers take it for advice.
func (f *fenceFile) Preallocate(offset, length int64) error {
	return f.fence.quietly(func() error { return f.File.Preallocate(offset, length) })
}

func (f *fenceFile) Close() error { return f.fence.do(f.name, f.File.Close) }
