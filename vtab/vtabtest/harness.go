// Package vtabtest holds the suite that any module whose tables take part in transactions must pass. It is for tests only.
//
// The suite drives the module as the engine does, through the contract alone, and keeps beside it a model of what the tables hold: rows in
// Go slices, judged by types.Comparator. After every step the model and every structure of every table are compared.
package vtabtest

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// Module is what a module under test implements.
type Module interface {
	vtab.Module
	vtab.Creator
	vtab.Alterer
	vtab.Transactor
	vtab.AccessPlanner
	vtab.RecordStore
}

// Harness makes modules to be tested.
type Harness struct {
	// Open makes a module without tables. It closes it, and fails the test when that fails, at the end of t.
	Open func(t testing.TB) Module
	// Reopen closes a module that Open made and opens its store again; nil when nothing outlives the module.
	Reopen func(t testing.TB, m Module) Module
	// OpenFaulty makes a module whose storage fails when the switch says so; nil leaves those tests out.
	OpenFaulty func(t testing.TB) (Module, *Faults)
	// Memory is the budget of transactions; small ones make them spill. 0 is 1 MiB.
	Memory int64
	// Share lets the long tests run one case of so many; 0 runs all. It is for variants of a module that was tested in full.
	Share int
}

// skips reports whether case n of a long test is left out.
func (h Harness) skips(n int) bool { return h.Share > 1 && n%h.Share != 0 }

// Faults lets the n-th call of a storage fail. The storage may be called by several goroutines.
type Faults struct {
	mu    sync.Mutex
	left  int
	armed bool
	// Hit is set once a call has failed. It is read when no call is under way.
	Hit bool
}

// Arm lets the n-th call from now on fail, counted from 0, and none after it.
func (f *Faults) Arm(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left, f.armed, f.Hit = n, true, false
}

// Disarm lets all calls succeed.
func (f *Faults) Disarm() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed = false
}

// Call is asked by the storage at each call that can fail; it gives the error to fail with.
func (f *Faults) Call() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.armed {
		return nil
	}
	if f.left--; f.left >= 0 {
		return nil
	}
	f.armed, f.Hit = false, true
	return types.Errorf(types.IOERR, "injected failure")
}

// Run runs the suite.
func Run(t *testing.T, h Harness) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, h Harness)
	}{
		{"rows", testRows},
		{"conflicts", testConflicts},
		{"replace", testReplace},
		{"nulls", testNulls},
		{"empty key", testEmptyKey},
		{"stale rows", testStaleRows},
		{"statements", testStatements},
		{"savepoints", testSavepoints},
		{"views", testViews},
		{"writers", testWriters},
		{"records", testRecords},
		{"interrupt", testInterrupt},
		{"access", testAccess},
		{"stray values", testStrayValues},
		{"access plans", testAccessPlans},
		{"alter", testAlter},
		{"alter failures", testAlterFailures},
		{"pairs of rewrites", testPairs},
		{"random", testRandom},
		{"faults", testFaults},
		{"reopen", testReopen},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, h) })
	}
}

// database is what the module sees of the engine.
type database struct{ memory int64 }

func (d database) Collation(name string) *types.Collation {
	c, _ := types.NewRegistry().Collation(name)
	return c
}
func (d database) Option(string) types.Value { return types.Null }
func (d database) MemoryBudget() int64       { return d.memory }
func (d database) Logger() *slog.Logger      { return slog.New(slog.DiscardHandler) }

func (h Harness) database() database {
	if h.Memory == 0 {
		return database{1 << 20}
	}
	return database{h.Memory}
}

var background = context.Background()

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		require.NoError(t, err)
		return v
	}
}
