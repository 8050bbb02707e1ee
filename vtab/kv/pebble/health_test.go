package pebble

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"
)

// A flush that an ingest has cancelled is done again, and refuses no write; one that fails does until one goes well.
func TestCancelledFlushesRefuseNothing(t *testing.T) {
	h := newHealth("db", time.Second)
	cancelled := fmt.Errorf("flush: %w", pebble.ErrCancelledCompaction)
	h.flushEnd(cancelled)
	h.backgroundError(cancelled)
	require.NoError(t, h.checkWrite())
	require.False(t, h.ails())
	full := errors.New("no space left on device")
	h.flushEnd(full)
	h.backgroundError(full)
	require.ErrorIs(t, h.checkWrite(), full)
	h.flushEnd(nil)
	require.NoError(t, h.checkWrite())
}
