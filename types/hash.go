package types

import (
	"encoding/binary"
	"math/bits"
)

// Hasher hashes tuples so that equal tuples, by the types and collations of the parts, hash alike. It holds a buffer: one
// goroutine at a time.
type Hasher struct {
	keys *KeyEncoder
	seed uint64
	buf  []byte
}

// NewHasher makes a hasher of tuples with one part a member. Different seeds give independent hashes of the same tuple.
func NewHasher(seed uint64, parts ...KeyPart) *Hasher {
	return &Hasher{keys: NewKeyEncoder(parts...), seed: seed}
}

// Hash gives the hash of a tuple and its group key: bytes that are equal exactly for equal tuples. The key is valid until the
// next call. Errors are those of KeyPart.Append.
func (h *Hasher) Hash(values ...Value) (hash uint64, key []byte, err error) {
	h.buf, err = h.keys.Append(h.buf[:0], values...)
	if err != nil {
		return 0, nil, err
	}
	return HashKey(h.buf, h.seed), h.buf, nil
}

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
