package pebble

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/kvtest"
	"github.com/stretchr/testify/require"
)

// openMem makes an empty database in a file system in memory.
func openMem(t *testing.T) kv.Store {
	s, err := Open("db", Options{FS: vfs.NewMem(), Create: true})
	require.NoError(t, err)
	return s
}

func openDisk(t *testing.T) kv.Store {
	s, err := Open(t.TempDir(), Options{Create: true})
	require.NoError(t, err)
	return s
}

func TestStoreOnMemFS(t *testing.T) { kvtest.RunStoreTests(t, openMem) }
func TestStoreOnDisk(t *testing.T)  { kvtest.RunStoreCases(t, openDisk) }
func TestTxn(t *testing.T)          { kvtest.RunTxnTests(t, openMem) }

// TestReserve checks that a batch with room ahead takes what is written, not to a copy of itself, and is one batch like any other.
func TestReserve(t *testing.T) {
	s := openMem(t)
	b := s.NewBatch()
	const room = 1 << 20
	b.(kv.Reserver).Reserve(room)
	require.NoError(t, b.Set([]byte("a"), make([]byte, 1000)))
	before := cap(b.(*batch).b.Repr())
	require.GreaterOrEqual(t, before, room)
	for i := range 900 {
		require.NoError(t, b.Set([]byte{'b', byte(i >> 8), byte(i)}, make([]byte, 1000)))
	}
	require.Equal(t, before, cap(b.(*batch).b.Repr()))
	b.(kv.Reserver).Reserve(2 * room) // it is not empty: nothing is lost
	require.NoError(t, s.Commit(b, false))
	for _, key := range []string{"a", "b\x00\x00", "b\x03\x83"} {
		_, found, err := s.Get([]byte(key), nil)
		require.NoError(t, err)
		require.True(t, found, key)
	}
	require.NoError(t, s.Close())
}
