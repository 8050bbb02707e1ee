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
