package store

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/mem"
	"github.com/quereus/quereus-migrate/vtab/vtabtest"
)

var background = context.Background()

// bulkOptions let every rewrite go through bulk files, however small.
var bulkOptions = Options{Overlay: 1, Truncate: 1}

func openModule(t testing.TB, s kv.Store, o Options) *Module {
	m, err := New(background, "test", s, o)
	require.NoError(t, err)
	return m
}

// memoryHarness runs the suite on the store in memory.
func memoryHarness(o Options) vtabtest.Harness {
	return vtabtest.Harness{
		Open: func(t testing.TB) vtabtest.Module {
			m := openModule(t, mem.Open(), o)
			t.Cleanup(func() { require.NoError(t, m.Close()) })
			return m
		},
		OpenFaulty: func(t testing.TB) (vtabtest.Module, *vtabtest.Faults) {
			f := new(vtabtest.Faults)
			return openModule(t, &faultyStore{Store: mem.Open(), faults: f}, o), f
		},
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	h := memoryHarness(Options{})
	h.Share = 4
	vtabtest.Run(t, h)
}

func TestMemoryBulk(t *testing.T) {
	t.Parallel()
	vtabtest.Run(t, memoryHarness(bulkOptions))
}

func TestMemorySpilling(t *testing.T) {
	t.Parallel()
	h := memoryHarness(bulkOptions)
	h.Memory, h.Share = 4<<10, 6
	h.OpenFaulty = nil
	vtabtest.Run(t, h)
}
