package types

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Equal tuples hash alike, and their group keys are equal exactly when they are.
func TestHashAgreesWithEquality(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := genColumn.Draw(t, "column")
		h := NewHasher(rapid.Uint64().Draw(t, "seed"), mustPart(t, c.typ, c.coll, false))
		p := genPair.Draw(t, "pair")
		x, key, err := h.Hash(p[0])
		require.NoError(t, err)
		key = bytes.Clone(key)
		y, other, err := h.Hash(p[1])
		require.NoError(t, err)
		equal := NewComparator(c.typ, c.coll)(p[0], p[1]) == 0
		require.Equal(t, equal, bytes.Equal(key, other))
		if equal {
			require.Equal(t, x, y)
		}
	})
}

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

func TestHashRefusesDeepJSON(t *testing.T) {
	h := NewHasher(0, mustPart(t, TypeJSON, nil, false))
	_, _, err := h.Hash(deepArray(MaxJSONDepth + 1))
	require.ErrorIs(t, err, TOOBIG)
}
