package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestCollector sorts random entries under random budgets and compares with a sort in memory: as a whole, and cut into spans. Keys are short, or
// alike for long, and many are equal; values tell in which order they came.
func TestCollector(t *testing.T) {
	dir := t.TempDir()
	letters := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 255}), 0, 4)
	key := rapid.OneOf(rapid.SliceOfN(rapid.Byte(), 0, 12), rapid.Custom(func(t *rapid.T) []byte {
		shared := bytes.Repeat([]byte{7}, rapid.SampledFrom([]int{0, 5, 8, 30, 2 * mostHeads}).Draw(t, "shared"))
		return append(shared, letters.Draw(t, "rest")...)
	}))
	rapid.Check(t, func(t *rapid.T) {
		budget := rapid.OneOf(rapid.Int64Range(1, 5000), rapid.Just(int64(1<<20))).Draw(t, "budget")
		c := collector{prefix: []byte{1}, dir: func() string { return dir }, budget: budget}
		defer c.close()
		type pair struct{ key, value string }
		var want []pair
		for i, k := range rapid.SliceOfN(key, 0, 200).Draw(t, "keys") {
			p := pair{"\x01" + string(k), fmt.Sprint(i)}
			want = append(want, p)
			require.NoError(t, c.add([]byte(p.key), []byte(p.value)))
		}
		slices.SortStableFunc(want, func(a, b pair) int { return strings.Compare(a.key, b.key) })
		var got []pair
		collect := func(key, value []byte) error {
			got = append(got, pair{string(key), string(value)})
			return nil
		}
		require.NoError(t, c.each(background, collect))
		require.Equal(t, want, got)
		got = nil
		for _, span := range c.spans(rapid.IntRange(1, 4).Draw(t, "spans")) {
			require.NoError(t, c.eachIn(background, span, collect))
		}
		require.Equal(t, want, got)
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
