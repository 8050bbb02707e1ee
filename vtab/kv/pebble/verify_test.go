package pebble

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/kvtest"
)

// A flipped bit anywhere in a table that its checksums cover is found, also where no read would look.
func TestVerify(t *testing.T) {
	fs := vfs.NewMem()
	s := mustOpen(t, fs)
	var entries []string
	for i := range 500 {
		entries = append(entries, fmt.Sprintf("key%04d", i), strings.Repeat(fmt.Sprint(i), 10))
	}
	require.NoError(t, s.Ingest(context.Background(), []kv.BulkFile{kvtest.Bulk(t, s, entries...)}))
	require.NoError(t, s.Close())
	name := ""
	for _, n := range list(t, fs, "db/store-1") {
		if isTable(n) {
			name = "db/store-1/" + n
		}
	}
	whole := read(t, fs, name)
	verify := func() (faults []string) {
		s := mustOpen(t, fs)
		require.NoError(t, s.Verify(context.Background(), func(file string, err error) { faults = append(faults, file+": "+err.Error()) }))
		require.NoError(t, s.Close())
		return faults
	}
	require.Empty(t, verify())
	for at := 0; at < len(whole); at += len(whole)/40 + 1 {
		bytes := []byte(whole)
		bytes[at] ^= 0x10
		write(t, fs, name, string(bytes))
		faults := verify()
		require.Len(t, faults, 1, "byte %d of %d", at, len(whole))
		require.Contains(t, faults[0], strings.TrimPrefix(name, "db/"))
	}
}
