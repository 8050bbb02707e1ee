package store

import (
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
	"github.com/quereus/quereus-migrate/vtab/vtabtest"
)

func openPebble(t testing.TB, fs vfs.FS) *pebble.Store {
	s, err := pebble.Open("db", pebble.Options{FS: fs, Create: true, CacheBytes: 1 << 20, MemTableBytes: 1 << 20})
	require.NoError(t, err)
	return s
}

// pebbleHarness runs the suite on Pebble, in a file system in memory.
func pebbleHarness(o Options) vtabtest.Harness {
	type opened struct {
		fs vfs.FS
		m  *Module
	}
	places := map[vtabtest.Module]*opened{}
	return vtabtest.Harness{
		Open: func(t testing.TB) vtabtest.Module {
			fs := vfs.NewMem()
			p := &opened{fs, openModule(t, openPebble(t, fs), o)}
			places[p.m] = p
			t.Cleanup(func() { require.NoError(t, p.m.Close()) })
			return p.m
		},
		Reopen: func(t testing.TB, m vtabtest.Module) vtabtest.Module {
			p := places[m]
			require.NoError(t, p.m.Close())
			p.m = openModule(t, openPebble(t, p.fs), o)
			places[p.m] = p
			return p.m
		},
		OpenFaulty: func(t testing.TB) (vtabtest.Module, *vtabtest.Faults) {
			f := new(vtabtest.Faults)
			m := openModule(t, &faultyStore{Store: openPebble(t, vfs.NewMem()), faults: f}, o)
			t.Cleanup(func() { require.NoError(t, m.Close()) })
			return m, f
		},
	}
}

func TestPebble(t *testing.T) {
	t.Parallel()
	h := pebbleHarness(Options{})
	h.Share = 6
	vtabtest.Run(t, h)
}

func TestPebbleBulk(t *testing.T) {
	t.Parallel()
	vtabtest.Run(t, pebbleHarness(bulkOptions))
}

// TestRetired keeps readers on states that name ranges which commits after them retired.
func TestRetired(t *testing.T) {
	fs := vfs.NewMem()
	m := openModule(t, openPebble(t, fs), bulkOptions)
	first := createBig(t, m, 500)
	reader, err := m.Pin(background)
	require.NoError(t, err)
	def := first
	for i := range 3 {
		c := begin(t, m, 1<<20)
		after, err := m.Alter(background, c, rekeying(t, def, i))
		require.NoError(t, err)
		commit(t, c, def, after)
		def = after
	}
	require.Len(t, m.retired, 3, "the reader may still name the first, and was before the others")
	require.Equal(t, 500, countRows(t, m, first, reader, scanAll(first)))
	require.NoError(t, reader.Close())
	require.Empty(t, m.retired, "the last reader's end clears them")
	requireOnly(t, m.store, def)

	// What could not be cleared before the process ended is cleared at the next open.
	reader, err = m.Pin(background)
	require.NoError(t, err)
	c := begin(t, m, 1<<20)
	after, err := m.Alter(background, c, rekeying(t, def, 1))
	require.NoError(t, err)
	commit(t, c, def, after)
	require.Len(t, m.retired, 1)
	m.retired = nil // as if the process ended now
	require.NoError(t, reader.Close())
	require.NoError(t, m.Close())
	m = openModule(t, openPebble(t, fs), bulkOptions)
	requireOnly(t, m.store, after)
	pin, err := m.Pin(background)
	require.NoError(t, err)
	require.Equal(t, 500, countRows(t, m, after, pin, scanAll(after)))
	require.NoError(t, pin.Close())
	require.NoError(t, m.Close())
}

// TestRollbackClears ingests, rolls back, and looks for what is left.
func TestRollbackClears(t *testing.T) {
	m := openModule(t, openPebble(t, vfs.NewMem()), bulkOptions)
	def := createBig(t, m, 200)
	next := m.next
	c := begin(t, m, 1<<20)
	_, err := m.Alter(background, c, rekeying(t, def, 0))
	require.NoError(t, err)
	require.NotZero(t, c.own.listed, "an intent is durable")
	require.NoError(t, c.Rollback())
	requireOnly(t, m.store, def)
	require.GreaterOrEqual(t, m.next, next+intentAhead, "numbers that an intent listed are not used again")
	require.NoError(t, m.Close())
}

// TestReadersBesideWriter has readers scan while rewrites commit and what they retire is cleared: every scan sees one whole state.
func TestReadersBesideWriter(t *testing.T) {
	const rows, commits, readers = 300, 25, 3
	m := openModule(t, openPebble(t, vfs.NewMem()), bulkOptions)
	var mu sync.Mutex // as the engine does, a definition and a pin are taken together between two commits
	def := createBig(t, m, rows)
	var stop atomic.Bool
	var group sync.WaitGroup
	for range readers {
		group.Go(func() {
			for !stop.Load() {
				mu.Lock()
				seen := def
				pin, err := m.Pin(background)
				mu.Unlock()
				if !assert.NoError(t, err) {
					return
				}
				for range 3 {
					table, err := m.Connect(background, vtab.ConnectRequest{Table: seen, Pin: pin})
					assert.NoError(t, err)
					c, err := table.Scan(background, scanAll(seen))
					assert.NoError(t, err)
					n := 0
					for _, err := range vtab.Rows(background, c, 8) {
						assert.NoError(t, err)
						n++
					}
					assert.Equal(t, rows, n)
					assert.NoError(t, c.Close())
					assert.NoError(t, table.Close())
				}
				assert.NoError(t, pin.Close())
			}
		})
	}
	for i := range commits {
		c := begin(t, m, 1<<20)
		after, err := m.Alter(background, c, rekeying(t, def, i))
		require.NoError(t, err)
		mu.Lock()
		commit(t, c, def, after)
		def = after
		mu.Unlock()
	}
	stop.Store(true)
	group.Wait()
	m.clearRetired()
	requireOnly(t, m.store, def)
	require.NoError(t, m.Close())
}

// TestFailedRewriteLeavesNoFiles looks for temporary files on a real disk.
func TestFailedRewriteLeavesNoFiles(t *testing.T) {
	s, err := pebble.Open(t.TempDir(), pebble.Options{Create: true})
	require.NoError(t, err)
	m := openModule(t, s, Options{Overlay: 4 << 10})
	before := createBig(t, m, 4_000)
	c := begin(t, m, 64<<10)
	after := withIndex(t, withIndex(t, before, `create index by_name on big (name)`), `create unique index one on big (flag)`)
	_, err = m.Alter(background, c, &vtab.Alteration{
		Before: before, After: after, AfterSpec: &vtab.TableSpec{}, Changed: []int{1},
		Convert: func(dst, src types.Row) error { copy(dst, src); return nil },
	})
	require.ErrorIs(t, err, types.CONSTRAINT)
	left, err := os.ReadDir(s.TempDir())
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoError(t, c.Rollback())
	requireOnly(t, m.store, before)
	require.NoError(t, m.Close())
}
