package invariant_test

import (
	"testing"

	"github.com/quereus/quereus-migrate/types/invariant"
	"github.com/stretchr/testify/require"
)

func TestSometimes(t *testing.T) {
	const tosses = 10_000
	for _, percent := range []int{-1, 0, 1, 30, 100, 200} {
		hits := 0
		for range tosses {
			if invariant.Sometimes(percent) {
				hits++
			}
		}
		want := 0
		if invariant.Enabled {
			want = tosses / 100 * min(max(percent, 0), 100)
		}
		require.InDelta(t, want, hits, tosses/50, "percent %d", percent)
	}
}

func TestCloser(t *testing.T) {
	check := require.NotPanics
	if invariant.Enabled {
		check = require.Panics
	}
	var c invariant.Closer
	require.NotPanics(t, func() { c.MustBeOpen("cursor") })
	require.NotPanics(t, func() { c.Close("cursor") })
	check(t, func() { c.MustBeOpen("cursor") })
	check(t, func() { c.Close("cursor") })
}

func TestViolation(t *testing.T) {
	require.EqualError(t, invariant.Violation("key %x after %x", []byte{1}, []byte{2}), "invariant violated: key 01 after 02")
}
