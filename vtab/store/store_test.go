package store

import (
	"bytes"
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

// splittingStore cuts every span behind each of its entries but some.
type splittingStore struct{ kv.Store }

func (s splittingStore) Split(span kv.Span, _ uint64) (keys [][]byte, err error) {
	it, err := s.NewIter(kv.IterOptions{Span: span})
	if err != nil {
		return nil, err
	}
	defer it.Close()
	n := 0
	for ok := it.First() && it.Next(); ok; ok = it.Next() {
		if n++; n%3 != 0 {
			keys = append(keys, bytes.Clone(it.Key()))
		}
	}
	return keys, it.Err()
}

func TestMemoryInParts(t *testing.T) {
	t.Parallel()
	h := memoryHarness(Options{})
	h.Share, h.OpenFaulty = 6, nil
	h.Open = func(t testing.TB) vtabtest.Module {
		m := openModule(t, splittingStore{mem.Open()}, Options{})
		t.Cleanup(func() { require.NoError(t, m.Close()) })
		return m
	}
	vtabtest.Run(t, h)
}

func TestMemorySpilling(t *testing.T) {
	t.Parallel()
	h := memoryHarness(bulkOptions)
	h.Memory, h.Share = 4<<10, 6
	h.OpenFaulty = nil
	vtabtest.Run(t, h)
}
