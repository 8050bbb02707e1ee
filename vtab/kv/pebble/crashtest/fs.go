// Package crashtest is a file system in memory for tests of what a crash or a failing disk leaves of a Pebble store. It is for tests
// only.
//
// While it records, it keeps what a crash would leave, before each operation that makes something durable or moves a file: a Cut. A
// test runs its steps once, and then opens every cut. It can also make chosen operations fail.
package crashtest

import (
	"fmt"
	"io"
	"math/rand/v2"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// FS is the file system. It is safe for concurrent use.
type FS struct {
	// FS is what the store under test is opened with.
	vfs.FS
	mem *vfs.MemFS
	rng *rand.Rand
	// nested keeps clones apart from operations in which the file system in memory takes its lock twice: with a clone between the
	// two it would wait for itself.
	nested sync.RWMutex

	mu     sync.Mutex // guards what follows
	on     bool
	step   int
	every  int
	seen   int // operations since Record
	cuts   []Cut
	err    error
	hit    func(errorfs.Op) bool
	misses int // operations that pass although hit chose them
	hits   int
}

// Cut is what a crash left.
type Cut struct {
	FS *vfs.MemFS
	// Step counts the steps that were done (FS.Step).
	Step int
	// What says before which operation it was, and what of the unsynced data is there.
	What string
}

// New gives an empty file system. The seed decides which unsynced data survive a crash.
func New(seed uint64) *FS { return On(vfs.NewCrashableMem(), seed) }

// On gives a file system that goes on with what a crash left.
func On(left *vfs.MemFS, seed uint64) *FS {
	f := &FS{mem: left, rng: rand.New(rand.NewPCG(seed, 1)), every: 1}
	f.FS = reusing{errorfs.Wrap(nesting{f.mem, &f.nested}, errorfs.InjectorFunc(f.before))}
	return f
}

// before is called before each operation.
func (f *FS) before(op errorfs.Op) error {
	switch op.Kind {
	case errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo, errorfs.OpRename, errorfs.OpLink, errorfs.OpRemove, errorfs.OpRemoveAll:
		f.record(fmt.Sprintf("operation %d on %s", op.Kind, op.Path), false)
	}
	return f.fault(op)
}

// record keeps two crashes: one that lost everything that was not synced, one that lost some of it.
func (f *FS) record(what string, always bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !always {
		f.seen++
	}
	if !f.on || !always && f.seen%f.every != 0 {
		return
	}
	f.nested.Lock()
	defer f.nested.Unlock()
	for _, percent := range []int{0, 50} {
		c := f.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: f.rng})
		f.cuts = append(f.cuts, Cut{c, f.step, fmt.Sprintf("before %s, with %d%% of what was not synced", what, percent)})
	}
}

// Record begins to keep cuts, before every n-th operation, and forgets those that were kept.
func (f *FS) Record(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on, f.every, f.seen, f.step, f.cuts = true, n, 0, 0, nil
}

// Step marks the end of a step: what is durable by now must be there in later cuts, of which two are kept at once.
func (f *FS) Step() {
	f.mu.Lock()
	f.step++
	f.mu.Unlock()
	f.record("the next step", true)
}

// Stop ends the recording and gives the cuts in the order of time, and the number of operations that there were.
func (f *FS) Stop() (cuts []Cut, operations int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on = false
	cuts, f.cuts = f.cuts, nil
	return cuts, f.seen
}

// fault gives the error that an operation fails with.
func (f *FS) fault(op errorfs.Op) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hit == nil || !f.hit(op) {
		return nil
	}
	f.hits++
	if f.hits <= f.misses {
		return nil
	}
	return f.err
}

// Fail makes the operations that hit chooses fail with err from now on, but for the first misses of them. With a nil err they are
// only counted.
func (f *FS) Fail(err error, misses int, hit func(errorfs.Op) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err, f.hit, f.misses, f.hits = err, hit, misses, 0
}

// Heal lets everything succeed again, and gives the number of operations that hit chose.
func (f *FS) Heal() (hits int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hit = nil
	return f.hits
}

// Writes reports whether an operation changes anything.
func Writes(op errorfs.Op) bool { return op.Kind.ReadOrWrite() == errorfs.OpIsWrite }

// nesting is the file system in memory, with the operations guarded that take its lock twice.
type nesting struct {
	vfs.FS
	mu *sync.RWMutex
}

func (n nesting) Link(oldname, newname string) error {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.FS.Link(oldname, newname)
}

func (n nesting) Lock(name string) (io.Closer, error) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.FS.Lock(name)
}

// reusing gives log files to use again through the wrapped file system's other operations: errorfs would inject nothing into
// them, and the file system in memory locks itself out when it is cloned meanwhile.
type reusing struct{ vfs.FS }

func (r reusing) ReuseForWrite(oldname, newname string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := r.Rename(oldname, newname); err != nil {
		return nil, err
	}
	return r.OpenReadWrite(newname, c)
}
