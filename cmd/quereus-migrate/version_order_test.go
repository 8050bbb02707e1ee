package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestIsOlder(t *testing.T) {
	for _, c := range []struct{ older, newer string }{
		{"1", "2"}, {"9", "10"}, {"1.9", "1.10"}, {"1", "1.1"}, {"2024-01-05", "2024-02-01"}, {"v1.2.3", "1.2.4"}, {"2.0-rc1", "2.0"},
		{"2.0-rc1", "2.0-rc2"}, {"1.0.0a", "1.0.0b"},
	} {
		require.True(t, isOlder(c.older, c.newer), "%v", c)
		require.False(t, isOlder(c.newer, c.older), "%v", c)
	}
	for _, c := range [][2]string{{"", "1"}, {"1", ""}, {"", ""}, {"1", "1"}, {"01", "1"}} {
		require.False(t, isOlder(c[0], c[1]), "%v", c)
	}
}

func TestVersionsAreOrdered(t *testing.T) {
	version := rapid.StringMatching(`[0-9a-c.-]{1,5}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := version.Draw(t, "a"), version.Draw(t, "b")
		require.False(t, isOlder(a, a))
		require.False(t, isOlder(a, b) && isOlder(b, a))
	})
}
