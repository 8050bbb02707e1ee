package golden

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble/crashtest"
)

// diskFaults are ways in which a disk fails, from some operation on, for good.
var diskFaults = []struct {
	name string
	err  error
	code types.Code
	hit  func(errorfs.Op) bool
}{
	// A full disk takes no more bytes, but what it took it keeps.
	{"full", syscall.ENOSPC, types.FULL, func(op errorfs.Op) bool {
		switch op.Kind {
		case errorfs.OpCreate, errorfs.OpFileWrite, errorfs.OpFileWriteAt, errorfs.OpFilePreallocate, errorfs.OpMkdirAll:
			return true
		}
		return false
	}},
	// A broken one refuses everything that changes it. Of a write that could not be synced it is not known what is there.
	{"broken", syscall.EIO, types.IOERR, crashtest.Writes},
}

// TestFullDisk lets the disk fail at every place of a migration. The migration tells of it and leaves the old state, unless it says
// that it does not know; readers go on; and once the disk is well, the database opens and the migration works.
func TestFullDisk(t *testing.T) {
	for _, v := range crashVariants {
		for _, f := range diskFaults {
			t.Run(v.name+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				run := &faultRun{at: v.at, err: f.err, code: f.code, hit: f.hit}
				operations := run.rehearse(t)
				require.NotZero(t, operations) // how many depends on what the store does in the background
				for n := 0; n < operations; n += faultsEvery(operations) {
					run.fail(t, n)
				}
				run.fail(t, operations-1)
			})
		}
	}
}

func faultsEvery(operations int) int {
	if isLong() {
		return 1
	}
	return max(1, operations/4)
}

// faultRun is a migration on a disk that fails.
type faultRun struct {
	at            thresholds
	err           error
	code          types.Code
	hit           func(errorfs.Op) bool
	before, after string
}

// start opens a database in the state before.
func (r *faultRun) start(t *testing.T) (*crashtest.FS, *durable) {
	fs := crashtest.New(1)
	d := mustOpenDurable(t, fs, r.at)
	d.exec(t, fmt.Sprintf(crashBefore, crashRows()))
	return fs, d
}

// rehearse migrates on a disk that is well, and counts the operations that could fail.
func (r *faultRun) rehearse(t *testing.T) (operations int) {
	fs, d := r.start(t)
	r.before = d.state(t)
	fs.Fail(nil, 0, r.hit)
	require.NoError(t, d.apply(crashTarget))
	operations = fs.Heal()
	r.after = d.state(t)
	require.NoError(t, d.Close())
	return operations
}

// fail migrates while the disk fails behind the first n operations.
func (r *faultRun) fail(t *testing.T, n int) {
	what := fmt.Sprintf("after %d operations", n)
	fs, d := r.start(t)
	fs.Fail(r.err, n, r.hit)
	err := d.apply(crashTarget)
	allowed := []string{r.before}
	switch {
	case err == nil: // what failed was work in the background that can be done later
		allowed = []string{r.after}
	case strings.Contains(err.Error(), "it is not known what of it is on disk"): // a log may have all of a batch whose sync failed
		allowed = append(allowed, r.after)
		require.Equal(t, r.code, code(err), "%s: %v", what, err)
	default:
		require.Equal(t, r.code, code(err), "%s: %v", what, err)
	}
	c := d.Conn()
	text, err2 := Dump(context.Background(), c)
	require.NoError(t, err2, "%s: readers go on", what)
	require.True(t, strings.HasPrefix(allowed[0], text), "%s: readers see something else", what)
	require.NoError(t, c.Close())
	fs.Heal()
	_ = d.Close() // what it could not write it tells

	d = mustOpenDurable(t, fs, r.at)
	if state := d.state(t); !slices.Contains(allowed, state) {
		requireSameState(t, allowed[0], state, fmt.Sprintf("%s: %v", what, err))
	}
	d.requireSound(t, what)
	require.NoError(t, d.apply(crashTarget), what)
	requireSameState(t, r.after, d.state(t), what)
	require.NoError(t, d.Close())
}
