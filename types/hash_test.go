package types

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHashKeySpreads(t *testing.T) {
	part := mustPart(t, TypeInteger, nil, false)
	const keys, buckets = 64_000, 64
	for shift := 0; shift <= 58; shift += 29 { // every part of the hash is good
		var count [buckets]int
		for i := range keys {
			count[HashKey(mustKey(t, part, Int(int64(i))), 7)>>shift%buckets]++
		}
		for bucket, n := range count {
			require.InDelta(t, keys/buckets, n, keys/buckets/4, "bits from %d, bucket %d", shift, bucket)
		}
	}
	a, b := []byte("same key"), []byte("same key")
	require.Equal(t, HashKey(a, 1), HashKey(b, 1))
	require.NotEqual(t, HashKey(a, 1), HashKey(a, 2))
	require.NotEqual(t, HashKey([]byte{0}, 1), HashKey([]byte{0, 0}, 1))
}
