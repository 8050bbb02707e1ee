package store

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestCollector sorts random entries under random budgets and compares with a sort in memory.
func TestCollector(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		c := collector{prefix: []byte{1}, dir: func() string { return dir }, budget: rapid.Int64Range(1, 2000).Draw(t, "budget")}
		defer c.close()
		type pair struct{ key, value string }
		var want []pair
		for i, k := range rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 0, 12)).Draw(t, "keys") {
			p := pair{"\x01" + string(k), string(rune(i))}
			want = append(want, p)
			require.NoError(t, c.add([]byte(p.key), []byte(p.value)))
		}
		slices.SortFunc(want, func(a, b pair) int { return bytes.Compare([]byte(a.key), []byte(b.key)) })
		var got []pair
		require.NoError(t, c.each(background, func(key, value []byte) error {
			got = append(got, pair{string(key), string(value)})
			return nil
		}))
		require.Len(t, got, len(want))
		for i := range want {
			require.Equal(t, want[i].key, got[i].key)
		}
		require.ElementsMatch(t, want, got)
	})
}

func TestCollectorStops(t *testing.T) {
	c := collector{dir: t.TempDir, budget: 100}
	for i := range 50 {
		require.NoError(t, c.add([]byte{byte(50 - i)}, nil))
	}
	stop := errors.New("stop")
	n := 0
	require.ErrorIs(t, c.each(background, func([]byte, []byte) error {
		if n++; n == 3 {
			return stop
		}
		return nil
	}), stop)
	require.NoError(t, c.close())
}

func TestDuplicates(t *testing.T) {
	var d duplicates
	feed := func(keys ...string) (enough bool) {
		for _, k := range keys {
			enough = d.see(append([]byte{9}, k...), 1)
		}
		return enough
	}
	require.False(t, feed("\x01", "\x1c\x05\x00", "\x1c\x05\x00", "\x1c\x05\x00"))
	require.Equal(t, []string{"/5"}, d.keys)
	require.False(t, feed("\x1c\x06\x00", "\x1c\x06\x00", "\x1c\x07\x00", "\x1c\x07\x00", "\x1c\x08\x00", "\x1c\x08\x00"))
	require.True(t, feed("\x1c\x09\x00", "\x1c\x09\x00"))
	require.Len(t, d.keys, maxDuplicates)
}
