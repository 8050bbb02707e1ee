package pebble

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/quereus/quereus-migrate/types"
)

// A database can be read beside the process that has it open, and where nothing can be written: from its files as they are at one moment, in a
// directory of the reader's own, under readers/ or, where that cannot be, among the temporary files of the operating system. The lock of the
// database is not taken.
//
// Tables never change, so they are hard links, or copies where there can be no links. The manifest and the logs grow, and are copied: first the
// manifest, then the logs, the newest first, then tables that came meanwhile. If the manifest is the same afterwards, nothing was flushed,
// ingested, compacted or switched in between, and what was copied is the state in which the newest log was read: like what a crash of that
// moment leaves. Else it begins again.

// readersName is the directory that holds those of readers.
const readersName = "readers"

// places numbers the directories of the readers of this process.
var places atomic.Uint64

// openBeside opens a moment of the database in dir to read only.
func openBeside(dir string, o Options) (*Store, error) {
	o.ReadOnly = true
	r := &root{fs: o.FS, dir: dir, readOnly: true, beside: true, refs: 1}
	if _, err := r.look(false); err != nil {
		return nil, err
	}
	p, err := r.makePlace()
	if err != nil {
		return nil, err
	}
	r.lock = p
	m := &moment{r: r, to: p.dir, linked: map[string]bool{}}
	copied, err := m.take(o.StallLimit)
	var s *Store
	if err == nil {
		s, err = openStore(r, copied, o, false)
	}
	if err != nil {
		_ = r.release() // the first error is the one to tell
		return nil, err
	}
	return s, nil
}

// cannotCopy reports whether it may be the copy alone that cannot be made.
func cannotCopy(err error) bool {
	switch types.CodeOf(err) {
	case types.FULL, types.READONLY, types.IOERR:
		return true
	}
	return errors.Is(err, fs.ErrPermission)
}

// place is a locked directory of one reader; Close removes it.
type place struct {
	fs   vfs.FS
	dir  string
	lock io.Closer
}

func (p *place) Close() error {
	err := p.fs.RemoveAll(p.dir)
	if e := p.lock.Close(); err == nil {
		err = e
	}
	_ = p.fs.Remove(p.fs.PathDir(p.dir)) // the last reader leaves nothing; others keep it
	return err
}

// makePlace makes a directory for a reader, after removing those of readers that were killed.
func (r *root) makePlace() (*place, error) {
	r.sweepReaders()
	var first error
	for range 10 { // another reader may remove readers/ between two steps, or take our directory for one that was left
		dir := r.path(readersName, fmt.Sprintf("%d-%d", os.Getpid(), places.Add(1)))
		p, err := lockedPlace(r.fs, dir)
		if err == nil {
			return p, nil
		}
		if first == nil {
			first = err
		}
		if !errors.Is(err, fs.ErrNotExist) && !isLocked(err) {
			break
		}
	}
	if vfs.Root(r.fs) != vfs.Default {
		return nil, wrapOpen(first, "cannot open database "+r.dir)
	}
	dir, err := os.MkdirTemp("", "quereus-migrate-read-")
	if err != nil {
		return nil, wrapOpen(first, "cannot open database "+r.dir)
	}
	p, err := lockedPlace(r.fs, r.fs.PathJoin(dir, "0"))
	return p, wrapOpen(err, "cannot open database "+r.dir)
}

// lockedPlace makes a directory and locks it, so that nobody takes it for one that was left over.
func lockedPlace(fs vfs.FS, dir string) (*place, error) {
	if err := fs.MkdirAll(dir, ownerOnly); err != nil {
		return nil, err
	}
	name := fs.PathJoin(dir, lockName)
	lock, err := fs.Lock(name)
	if err != nil {
		return nil, err
	}
	if _, err := fs.Stat(name); err != nil { // it was removed between the two
		return nil, errors.Join(err, lock.Close())
	}
	return &place{fs: fs, dir: dir, lock: lock}, nil
}

// sweepReaders removes the directories of readers that were killed: those that nobody locks.
func (r *root) sweepReaders() {
	names, err := r.fs.List(r.path(readersName))
	if err != nil {
		return
	}
	for _, name := range names {
		dir := r.path(readersName, name)
		lock, err := r.fs.Lock(r.fs.PathJoin(dir, lockName))
		if err != nil {
			continue
		}
		_ = (&place{fs: r.fs, dir: dir, lock: lock}).Close() // what cannot go is tried by the next one
	}
	_ = r.fs.Remove(r.path(readersName)) // if it is empty
}

// moment is the making of a copy.
type moment struct {
	r      *root
	to     string
	linked map[string]bool // tables in the copy, by the paths that they have in the database
}

// take copies the live store and gives the directory of the copy. BUSY when the store does not stay the same for long enough.
func (m *moment) take(limit time.Duration) (dir string, err error) {
	for start := time.Now(); ; {
		dir, done, err := m.try()
		if done || err != nil {
			return dir, err
		}
		if time.Since(start) > limit {
			return "", &types.Error{
				Code:    types.BUSY,
				Message: fmt.Sprintf("database %s is in use by %s, which changes it too fast to read it meanwhile", m.r.dir, m.r.readHolder()),
				Hint:    "try again later",
			}
		}
	}
}

// state is what must stay the same.
type state struct {
	current, manifest string
	size              int64
}

// look gives the present state. A manifest that is missing has no size.
func (m *moment) look() (state, error) {
	current, err := m.r.readCurrent()
	if err != nil {
		return state{}, err
	}
	s := state{current: current, size: -1}
	desc, err := pebble.Peek(m.r.path(current), m.r.fs)
	if err != nil || !desc.Exists {
		return s, nil // whoever opens the copy tells what is wrong
	}
	s.manifest = m.r.fs.PathBase(desc.ManifestFilename)
	if info, err := m.r.fs.Stat(desc.ManifestFilename); err == nil {
		s.size = info.Size()
	}
	return s, nil
}

// try copies the store; done is false when it has changed meanwhile.
func (m *moment) try() (dir string, done bool, err error) {
	before, err := m.look()
	if err != nil {
		return "", false, err
	}
	from, to := m.r.path(before.current), m.r.fs.PathJoin(m.to, before.current)
	if err := m.copyFiles(from, to, before); err != nil {
		return "", false, wrap(err, "cannot read database "+m.r.dir+" beside another process")
	}
	after, err := m.look()
	if err == nil && before != after {
		err = m.reset(to)
		return "", false, wrap(err, "cannot read database "+m.r.dir+" beside another process")
	}
	return to, true, err
}

// reset removes what may be outdated from a copy.
func (m *moment) reset(to string) error {
	names, err := m.r.fs.List(to)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".sst") {
			continue
		}
		if err := m.r.fs.Remove(m.r.fs.PathJoin(to, name)); err != nil {
			return err
		}
	}
	return nil
}

func (m *moment) copyFiles(from, to string, s state) error {
	fs := m.r.fs
	if err := fs.MkdirAll(to, ownerOnly); err != nil {
		return err
	}
	// The record of what was synced comes first: it may say less than what is copied after it, never more.
	if err := m.copy(from, to, syncedName); err != nil {
		return err
	}
	names, err := fs.List(from)
	if err != nil {
		return err
	}
	slices.Sort(names)
	if s.manifest != "" {
		if err := m.copy(from, to, s.manifest); err != nil {
			return err
		}
	}
	flushed := minUnflushed(fs, fs.PathJoin(to, s.manifest))
	for _, name := range slices.Backward(names) {
		if isLog(name) && logNumber(name) >= flushed {
			if err := m.copy(from, to, name); err != nil {
				return err
			}
		}
	}
	if err := m.tables(from, to); err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasPrefix(name, "marker.") || strings.HasPrefix(name, "OPTIONS-") {
			if err := m.copy(from, to, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// tables links all tables that are there and were not linked before.
func (m *moment) tables(from, to string) error {
	names, err := m.r.fs.List(from)
	if err != nil {
		return err
	}
	for _, name := range names {
		src := m.r.fs.PathJoin(from, name)
		if !strings.HasSuffix(name, ".sst") || m.linked[src] {
			continue
		}
		err := m.r.fs.Link(src, m.r.fs.PathJoin(to, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			err = m.copy(from, to, name)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		m.linked[src] = err == nil
	}
	return nil
}

// copy copies a file; one that is not there any more is left out. Unlike vfs.Copy it syncs nothing.
func (m *moment) copy(from, to, name string) error {
	src, err := m.r.fs.Open(m.r.fs.PathJoin(from, name), vfs.SequentialReadsOption)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	dst, err := m.r.fs.Create(m.r.fs.PathJoin(to, name), vfs.WriteCategoryUnspecified)
	if err == nil {
		_, err = io.Copy(dst, src)
		if e := dst.Close(); err == nil {
			err = e
		}
	}
	if e := src.Close(); err == nil {
		err = e
	}
	return err
}

// logNumber is the number of a log by its name.
func logNumber(name string) (n uint64) {
	_, _ = fmt.Sscanf(name, "%d.log", &n)
	return n
}

// Fields of an edit of the manifest; these come first in it.
const (
	editComparer     = 1
	editMinUnflushed = 2
)

// minUnflushed reads from a manifest the number of the first log that is needed; 0 when it cannot be told.
func minUnflushed(fs vfs.FS, manifest string) (number uint64) {
	f, err := fs.Open(manifest)
	if err != nil {
		return 0
	}
	defer f.Close()
	r := newRecordReader(record.NewReader, f, 0)
	for {
		edit, err := r.Next()
		if err != nil {
			return number
		}
		head := make([]byte, 256)
		n, err := io.ReadFull(edit, head)
		if err != nil && err != io.ErrUnexpectedEOF {
			return number
		}
		fields := slotReader{rest: head[:n]}
		field := fields.number()
		if field == editComparer {
			fields.text()
			field = fields.number()
		}
		if field != editMinUnflushed {
			continue
		}
		if v := fields.number(); !fields.bad {
			number = v
		}
	}
}
