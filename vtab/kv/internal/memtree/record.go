// Package memtree is an ordered map of byte strings in memory with O(1) copy-on-write clones: the overlay of a
// transaction and the tables of the memory store lie in it.
//
// It knows nothing of disks, transactions or budgets.
package memtree

import (
	"math"
	"unsafe"

	"github.com/quereus/quereus-migrate/types"
)

// MaxValue is the longest value a record holds, in bytes; MaxKey the longest key.
const (
	MaxValue = 1<<metaLenBits - 1
	MaxKey   = math.MaxInt32
)

const (
	metaLenBits = 30
	metaDeleted = 1 << 30
	metaNoBase  = 1 << 31
)

// Record is one entry, 16 bytes: a key with its value, or a tombstone. It is immutable and copied by value. The bytes lie
// side by side in memory that nobody writes again.
type Record struct {
	data *byte // the key's bytes, then the value's; never nil in a record of a tree
	klen uint32
	meta uint32 // length of the value in the low bits, flags in the two highest
}

// Key gives the key; it is not to be changed.
func (r Record) Key() []byte { return unsafe.Slice(r.data, r.klen) }

// Value gives the value, empty for a tombstone; it is not to be changed.
func (r Record) Value() []byte {
	n := r.meta & MaxValue
	if n == 0 {
		return []byte{} // data+klen may be the end of the allocation, where a pointer may not go
	}
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(r.data), r.klen)), n)
}

// Deleted reports whether the record is a tombstone.
func (r Record) Deleted() bool { return r.meta&metaDeleted != 0 }

// NoBase reports whether whoever wrote the record knew that nothing lies under its key below the tree.
func (r Record) NoBase() bool { return r.meta&metaNoBase != 0 }

// WithNoBase gives the same record with NoBase as told.
func (r Record) WithNoBase(noBase bool) Record {
	r.meta &^= metaNoBase
	if noBase {
		r.meta |= metaNoBase
	}
	return r
}

// Bytes is the memory that the record takes in a tree, key and value included.
func (r Record) Bytes() int64 { return int64(r.klen) + int64(r.meta&MaxValue) + RecordOverhead }

// RecordOverhead is what a tree needs for a record besides the bytes of its key and value: 16 for the record itself, as
// much again for the free half of a node, and the node's own part.
const RecordOverhead = 40

// probe makes a record that only compares.
func probe(key []byte) Record { return Record{data: unsafe.SliceData(key), klen: uint32(len(key))} }

// checkSize refuses what does not fit into a record.
func checkSize(key, value []byte) error {
	if len(key) > MaxKey || len(value) > MaxValue {
		return types.Errorf(types.TOOBIG, "entry of %d bytes of key and %d bytes of value is too big: at most %d and %d",
			len(key), len(value), MaxKey, MaxValue)
	}
	return nil
}

func fill(data []byte, key, value []byte, deleted bool) Record {
	copy(data, key)
	copy(data[len(key):], value)
	r := Record{data: unsafe.SliceData(data), klen: uint32(len(key)), meta: uint32(len(value))}
	if deleted {
		r.meta |= metaDeleted
	}
	return r
}

// NewRecord copies key and value into a record of its own, so that it is collected when nothing names it any more.
func NewRecord(key, value []byte, deleted bool) (Record, error) {
	if err := checkSize(key, value); err != nil {
		return Record{}, err
	}
	return fill(make([]byte, max(len(key)+len(value), 1)), key, value, deleted), nil
}

const (
	minChunk = 1 << 10
	maxChunk = 256 << 10
)

// Arena makes records with few allocations: their bytes share chunks, which stay in memory as long as any record in them.
// It suits what is dropped as a whole. One goroutine uses it.
type Arena struct {
	chunk []byte // its free part is behind len
	next  int    // size of the next chunk
}

// NewRecord copies key and value into a record.
func (a *Arena) NewRecord(key, value []byte, deleted bool) (Record, error) {
	if err := checkSize(key, value); err != nil {
		return Record{}, err
	}
	return fill(a.take(max(len(key)+len(value), 1)), key, value, deleted), nil
}

func (a *Arena) take(n int) []byte {
	if n > maxChunk/4 {
		return make([]byte, n) // a chunk for it would waste the rest of the present one
	}
	if n > cap(a.chunk)-len(a.chunk) {
		a.next = min(max(2*a.next, minChunk), maxChunk)
		a.chunk = make([]byte, 0, max(a.next, n))
	}
	at := len(a.chunk)
	a.chunk = a.chunk[:at+n]
	return a.chunk[at : at+n : at+n]
}
