package kv

import "hash/maphash"

// filter is a Bloom filter in memory: it tells keys that are surely absent.
type filter struct {
	seed maphash.Seed
	bits []uint64
}

const (
	filterBitsPerKey = 10
	filterHashes     = 7         // the best number for 10 bits a key: about one false answer in a hundred
	filterMaxBits    = 128 << 20 // 16 MiB; a bigger run has a coarser filter
)

func newFilter(keys int64) *filter {
	bits := min(max(keys*filterBitsPerKey, 64), filterMaxBits)
	return &filter{seed: maphash.MakeSeed(), bits: make([]uint64, (bits+63)/64)}
}

func (f *filter) add(key []byte) {
	h, step := f.hash(key)
	for range filterHashes {
		bit := h % (uint64(len(f.bits)) * 64)
		f.bits[bit/64] |= 1 << (bit % 64)
		h += step
	}
}

func (f *filter) mayContain(key []byte) bool {
	h, step := f.hash(key)
	for range filterHashes {
		bit := h % (uint64(len(f.bits)) * 64)
		if f.bits[bit/64]&(1<<(bit%64)) == 0 {
			return false
		}
		h += step
	}
	return true
}

// hash gives the two numbers from which all hashes of a key come.
func (f *filter) hash(key []byte) (h, step uint64) {
	h = maphash.Bytes(f.seed, key)
	return h, h>>33 | h<<31 | 1
}
