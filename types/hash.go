package types

import (
	"encoding/binary"
	"math/bits"
)

// HashKey hashes key bytes. The result depends on nothing but its arguments, so that runs repeat; keys chosen to collide can
// be found.
func HashKey(key []byte, seed uint64) uint64 {
	const m1, m2 = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93 // odd, bits well spread
	h := mix(seed^m1, uint64(len(key))^m2)
	for len(key) >= 8 {
		h = mix(h^m1, binary.LittleEndian.Uint64(key)^m2)
		key = key[8:]
	}
	if len(key) > 0 {
		var last [8]byte
		copy(last[:], key)
		h = mix(h^m1, binary.LittleEndian.Uint64(last[:])^m2)
	}
	return mix(h, m1)
}

// mix folds the 128-bit product of a and b into 64 bits.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
