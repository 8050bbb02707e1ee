package pebble

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// Names in the directory of a database; see the package comment.
const (
	lockName    = "LOCK"
	holderName  = "HOLDER"
	currentName = "CURRENT"
	tempName    = "tmp"
	undoName    = "undo"
	storePrefix = "store-"
	newSuffix   = ".tmp" // of a file that is to replace another
)

// formatVersion is the number in CURRENT. A release that knows a higher one still opens every lower one.
const formatVersion = 1

const formatLine = "quereus-migrate format "

// root is the locked directory of a database. The stores opened in it share it, and the last one to close unlocks it.
type root struct {
	fs       vfs.FS
	dir      string
	readOnly bool
	beside   bool // it is not ours: lock is the place of a reader
	lock     io.Closer
	names    atomic.Uint64 // for temporary files
	spill    kv.TempDir    // for spill files, where tmp is no directory of the operating system or must not be written

	mu   sync.Mutex
	ours bool // tmp is ours to empty: the database is open to write
	refs int
}

// Open opens the database in dir and locks it until the store is closed.
//
// What is refused is not touched: a directory that is missing or empty, when o.Create is not set (CANTOPEN, and fs.ErrNotExist); one that holds something
// else (NOTADB); a database of a newer release (CANTOPEN); one that another process or this one has open (BUSY, naming it); a
// damaged one (CORRUPT).
func Open(dir string, o Options) (*Store, error) {
	o = o.withDefaults()
	dir, err := canonical(o.FS, dir)
	if err != nil {
		return nil, err
	}
	if o.Beside {
		s, err := openBeside(dir, o)
		if !cannotCopy(err) {
			return s, err
		}
		o.ReadOnly = true // in its place, if it can be locked
	}
	r := &root{fs: o.FS, dir: dir, readOnly: o.ReadOnly, refs: 1}
	if _, err := r.look(o.Create && !o.ReadOnly); err != nil {
		return nil, err
	}
	if err := r.acquire(o.Command); err != nil {
		return nil, err
	}
	s, err := r.openLocked(o)
	if err != nil {
		_ = r.release() // the first error is the one to tell
		return nil, err
	}
	r.ours = !o.ReadOnly
	return s, nil
}

// IsDatabase reports whether a directory of the operating system bears the mark of a database, CURRENT, or has a store, which has
// lost it or never got it. Whether it can be opened is for Open to tell.
func IsDatabase(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, currentName)); err == nil {
		return true
	}
	entries, _ := os.ReadDir(dir)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		_, isStore := storeNumber(e.Name())
		return isStore && e.IsDir()
	})
}

// canonical gives the one name of a directory of the operating system. Pebble knows the locks of its own process by name: under
// two names a process could open a database twice, and closing one would give away the other's lock.
func canonical(fs vfs.FS, dir string) (string, error) {
	if vfs.Root(fs) != vfs.Default {
		return dir, nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", &types.Error{Code: types.CANTOPEN, Message: "cannot open database " + dir + ": " + err.Error(), Cause: err}
	}
	return resolve(abs), nil
}

// resolve follows the links in the part of an absolute path that is there.
func resolve(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(resolve(parent), filepath.Base(path))
}

// openLocked opens the live store, after what was seen before the lock is looked at again.
func (r *root) openLocked(o Options) (*Store, error) {
	exists, err := r.look(o.Create && !o.ReadOnly)
	if err != nil {
		return nil, err
	}
	if !exists {
		return r.create(o)
	}
	current, err := r.readCurrent()
	if err != nil {
		return nil, err
	}
	dir := r.path(current)
	if _, err := r.fs.Stat(dir); err != nil {
		return nil, wrapOpen(err, "cannot open database "+r.dir)
	}
	if !o.ReadOnly {
		if err := r.sweep(current); err != nil {
			return nil, err
		}
	}
	return openStore(r, dir, o, false)
}

func (r *root) path(elem ...string) string { return r.fs.PathJoin(append([]string{r.dir}, elem...)...) }

// look tells whether the directory holds a database; an error when it does not and may not be made into one.
func (r *root) look(create bool) (exists bool, err error) {
	what := "cannot open database " + r.dir
	info, err := r.fs.Stat(r.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && create:
		return false, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, &types.Error{Code: types.CANTOPEN, Message: what + ": the directory does not exist", Hint: "create it first", Cause: err}
	case err != nil:
		return false, &types.Error{Code: types.CANTOPEN, Message: what + ": " + err.Error(), Cause: err}
	case !info.IsDir():
		return false, types.Errorf(types.NOTADB, "%s: it is a file, a database is a directory", what)
	}
	names, err := r.fs.List(r.dir)
	if err != nil {
		return false, &types.Error{Code: types.CANTOPEN, Message: what + ": " + err.Error(), Cause: err}
	}
	if slices.Contains(names, currentName) {
		_, err := r.readCurrent()
		return err == nil, err
	}
	return false, r.judge(names, create)
}

// judge tells what a directory without CURRENT is; nil when a database may be made in it.
func (r *root) judge(names []string, create bool) error {
	what := "cannot open database " + r.dir
	for _, name := range names {
		n, isStore := storeNumber(name)
		switch {
		case name == undoName, isStore && n != 1:
			return types.Errorf(types.CORRUPT, "%s: the store is damaged: there is %s, but no %s", what, name, currentName)
		case isStore, name == lockName, name == holderName, name == tempName, name == readersName, strings.HasSuffix(name, newSuffix):
			// What an interrupted creation leaves.
		default:
			return types.Errorf(types.NOTADB, "%s: the directory is no database: it has no %s, but %s", what, currentName, name)
		}
	}
	if create {
		return nil
	}
	e := &types.Error{Code: types.CANTOPEN, Message: what + ": the directory is empty", Hint: "create the database first", Cause: fs.ErrNotExist}
	if len(names) > 0 {
		e.Message = what + ": its creation was not finished"
	}
	return e
}

// storeNumber takes N from store-N.
func storeNumber(name string) (uint64, bool) {
	n, ok := strings.CutPrefix(name, storePrefix)
	if !ok {
		return 0, false
	}
	return number(n)
}

// number reads a plain decimal number without signs and leading zeros.
func number(s string) (uint64, bool) {
	n, err := strconv.ParseUint(s, 10, 63)
	return n, err == nil && strconv.FormatUint(n, 10) == s
}

// readCurrent gives the name of the live store's directory.
func (r *root) readCurrent() (string, error) {
	what := "cannot open database " + r.dir
	f, err := r.fs.Open(r.path(currentName))
	if err != nil {
		return "", wrapOpen(err, what)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 4<<10))
	if err != nil {
		return "", wrapOpen(err, what)
	}
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	version, ok := bytes.CutPrefix(first, []byte(formatLine))
	if !ok {
		return "", types.Errorf(types.NOTADB, "%s: the directory is no database: its %s is not one of ours", what, currentName)
	}
	n, ok := number(string(version))
	switch {
	case ok && n > formatVersion:
		return "", &types.Error{
			Code:    types.CANTOPEN,
			Message: fmt.Sprintf("%s: it is of format %d, this release knows formats up to %d", what, n, formatVersion),
			Hint:    "use the release that wrote it, or a newer one",
		}
	case !ok || n == 0:
		return "", types.Errorf(types.CORRUPT, "%s: the store is damaged: %s names format %q", what, currentName, version)
	}
	name, end, _ := strings.Cut(string(rest), "\n")
	if _, isStore := storeNumber(name); !isStore || end != "" {
		return "", types.Errorf(types.CORRUPT, "%s: the store is damaged: %s names no store", what, currentName)
	}
	return name, nil
}

// writeCurrent makes a store the live one: a crash leaves the old one or the new one.
func (r *root) writeCurrent(store string) error {
	return r.replace(currentName, fmt.Sprintf("%s%d\n%s\n", formatLine, formatVersion, store), true)
}

// replace puts a file with text in the place of another.
func (r *root) replace(name, text string, durable bool) error {
	what := "cannot write " + r.path(name)
	f, err := r.fs.Create(r.path(name+newSuffix), vfs.WriteCategoryUnspecified)
	if err != nil {
		return wrap(err, what)
	}
	_, err = f.Write([]byte(text))
	if err == nil && durable {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = r.fs.Rename(r.path(name+newSuffix), r.path(name))
	}
	if err == nil && durable {
		err = syncDir(r.fs, r.dir)
	}
	return wrap(err, what)
}

func syncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}

// create makes the database in its directory, where an earlier try may have been interrupted.
func (r *root) create(o Options) (*Store, error) {
	const first = storePrefix + "1"
	if err := r.sweep(first); err != nil {
		return nil, err
	}
	// Who made the directory may not have synced its name, or was killed before.
	if err := syncDir(r.fs, r.fs.PathDir(r.dir)); err != nil && !errors.Is(err, fs.ErrPermission) {
		return nil, wrap(err, "cannot create database "+r.dir)
	}
	if _, err := r.fs.Stat(r.path(first)); errors.Is(err, fs.ErrNotExist) {
		if err := r.makeStore(first, o); err != nil {
			return nil, err
		}
	}
	s, err := openStore(r, r.path(first), o, false)
	if err != nil {
		return nil, err
	}
	// A store that was written to had a CURRENT, which is lost then: nothing that is there is given up for an empty database.
	_, any, err := s.keyRange(kv.Span{})
	if any {
		err = types.Errorf(types.CORRUPT, "cannot open database %s: the store is damaged: there are entries, but no %s",
			r.dir, currentName)
	}
	if err == nil {
		err = r.writeCurrent(first)
	}
	if err != nil {
		_ = s.closeDB() // the error that matters is the first
		return nil, err
	}
	return s, nil
}

// makeStore makes an empty store in tmp and moves it to its place: a store that a crash leaves half made does not open, and
// could not be told from a damaged one.
func (r *root) makeStore(name string, o Options) error {
	temp := r.tempName("store", "")
	s, err := openStore(r, temp, o, true)
	if err != nil {
		return err
	}
	if err := s.closeDB(); err != nil {
		return err
	}
	what := "cannot create database " + r.dir
	if err := syncDir(r.fs, temp); err != nil {
		return wrap(err, what)
	}
	return wrap(r.moveDir(temp, name), what)
}

// sweep removes what an earlier process left behind, and makes tmp.
func (r *root) sweep(current string) error {
	what := "cannot open database " + r.dir
	names, err := r.fs.List(r.dir)
	if err != nil {
		return wrap(err, what)
	}
	for _, name := range names {
		_, isStore := storeNumber(name)
		if isStore && name != current || name == tempName || strings.HasSuffix(name, newSuffix) {
			if err := r.fs.RemoveAll(r.path(name)); err != nil {
				return wrap(err, what)
			}
		}
	}
	r.sweepReaders()
	return wrap(r.fs.MkdirAll(r.path(tempName), ownerOnly), what)
}

func (r *root) emptyTemp() error {
	names, err := r.fs.List(r.path(tempName))
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := r.fs.RemoveAll(r.path(tempName, name)); err != nil {
			return err
		}
	}
	return nil
}

// tempName is a name for a new file in tmp.
func (r *root) tempName(kind, suffix string) string {
	return r.path(tempName, kind+"-"+strconv.FormatUint(r.names.Add(1), 10)+suffix)
}

// tempDir is where transactions spill: tmp, or where that is no directory of the operating system or must not be written, one
// made for it.
func (r *root) tempDir() string {
	if vfs.Root(r.fs) == vfs.Default && !r.readOnly {
		return r.path(tempName)
	}
	return r.spill.Path()
}

// acquire takes the lock and tells in HOLDER who has it.
func (r *root) acquire(command string) error {
	what := "cannot open database " + r.dir
	if !r.readOnly {
		if err := makeDir(r.fs, r.dir, ownerOnly); err != nil {
			return wrapOpen(err, what)
		}
	}
	lock, err := r.fs.Lock(r.path(lockName))
	if err != nil {
		if isLocked(err) {
			return r.errBusy(err)
		}
		return errLock(what, err)
	}
	r.lock = lock
	if command == "" {
		command = filepath.Base(os.Args[0])
	}
	holder := fmt.Sprintf("pid %d\nstarted %s\ncommand %s\n",
		os.Getpid(), time.Now().UTC().Format(time.RFC3339), strings.ReplaceAll(command, "\n", " "))
	if host, err := os.Hostname(); err == nil {
		holder += fmt.Sprintf("host %s\n", strings.ReplaceAll(host, "\n", " "))
	}
	_ = r.replace(holderName, holder, false) // it only informs, and a full disk must not keep readers out
	return nil
}

// errLock tells why the lock cannot be taken although nobody holds it.
func errLock(what string, err error) error {
	e := &types.Error{Code: types.CANTOPEN, Message: what + ": " + err.Error(), Cause: err}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		e.Hint = "a database is locked also to be read, so its directory must be writable"
	}
	return e
}

// ownerOnly is the mode of every directory of a database, through which alone its files are reached.
const ownerOnly = 0o700

// makeDir makes a directory durably, with those that it lies in, if it is not there: each new name is synced before the next one
// is made in it.
func makeDir(fs vfs.FS, dir string, mode os.FileMode) error {
	if _, err := fs.Stat(dir); err == nil {
		return nil
	}
	parent := fs.PathDir(dir)
	if parent != dir {
		if err := makeDir(fs, parent, 0o755); err != nil {
			return err
		}
	}
	if err := fs.MkdirAll(dir, mode); err != nil {
		return err
	}
	return syncDir(fs, parent)
}

// errBusy names the process that has the database open, as far as HOLDER tells.
func (r *root) errBusy(cause error) error {
	e := &types.Error{Code: types.BUSY, Message: fmt.Sprintf("database %s is in use by %s", r.dir, r.readHolder()), Cause: cause}
	if isLockedHere(cause) {
		e.Message = fmt.Sprintf("database %s is already open in this process", r.dir)
	}
	return e
}

func (r *root) readHolder() string {
	f, err := r.fs.Open(r.path(holderName))
	if err != nil {
		return "another process"
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 4<<10))
	if err != nil {
		return "another process"
	}
	fields := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		fields[name] = value
	}
	if _, ok := number(fields["pid"]); !ok {
		return "another process"
	}
	host := ""
	if fields["host"] != "" { // holders of earlier releases do not say
		host = ", on host " + fields["host"]
	}
	return fmt.Sprintf("process %s (%s, since %s%s)", fields["pid"], fields["command"], fields["started"], host)
}

func (r *root) retain() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refs++
}

// release unlocks the directory when no store needs it any more.
func (r *root) release() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refs--; r.refs > 0 {
		return nil
	}
	what := "cannot close database " + r.dir
	var first error
	keep := func(err error) {
		if first == nil && !errors.Is(err, fs.ErrNotExist) {
			first = wrap(err, what)
		}
	}
	keep(r.spill.Remove())
	if r.ours {
		keep(r.emptyTemp())
	}
	if !r.beside {
		keep(r.fs.Remove(r.path(holderName)))
	}
	keep(r.lock.Close())
	return first
}
