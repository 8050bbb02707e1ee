package kv

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"sort"
	"sync"

	"github.com/quereus/quereus-migrate/types"
)

// Run is a finished run: entries in key order in a temporary file. It may be read by any number of goroutines.
type Run struct {
	file        *os.File
	name        string
	unlinked    bool
	blocks      []runBlockInfo
	size        int64
	len         int64
	first, last []byte
	filter      *filter // nil when there is none

	getMu sync.Mutex
	get   *RunIter // keeps the block of the last Get
}

type runBlockInfo struct {
	first []byte // first key
	at    int64
	len   int // with the checksum
}

// Len is the number of entries, tombstones included.
func (r *Run) Len() int64 { return r.len }

// Bytes is the size of the file.
func (r *Run) Bytes() int64 { return r.size }

// Close removes the file. No iterator may be in use.
func (r *Run) Close() error {
	err := r.file.Close()
	if !r.unlinked {
		if e := os.Remove(r.name); err == nil {
			err = e
		}
	}
	if err != nil {
		return spillError("cannot remove a temporary file", err)
	}
	return nil
}

// mayContain reports whether an entry under key can be in the run.
func (r *Run) mayContain(key []byte) bool {
	return r.len > 0 && bytes.Compare(key, r.first) >= 0 && bytes.Compare(key, r.last) <= 0 &&
		(r.filter == nil || r.filter.mayContain(key))
}

// mayOverlap reports whether an entry can lie in the span.
func (r *Run) mayOverlap(s Span) bool {
	return r.len > 0 && bytes.Compare(r.last, s.Lo) >= 0 && (s.Hi == nil || bytes.Compare(r.first, s.Hi) < 0)
}

// lookup finds the first entry under key; value is appended to dst.
func (r *Run) lookup(key, dst []byte) (value []byte, flags uint64, found bool, err error) {
	if !r.mayContain(key) {
		return dst, 0, false, nil
	}
	r.getMu.Lock()
	defer r.getMu.Unlock()
	if r.get == nil {
		r.get = r.NewIter(Span{})
	}
	if !r.get.SeekGE(key) || !bytes.Equal(r.get.Key(), key) {
		return dst, 0, false, r.get.Err()
	}
	return append(dst, r.get.Value()...), r.get.flags(), true, nil
}

// NewIter opens an iterator over the entries in span, tombstones included. It needs about one block of memory.
func (r *Run) NewIter(span Span) *RunIter { return &RunIter{run: r, span: span, block: -1} }

// RunIter walks a run. It keeps the contract of Iterator, and shows tombstones: see Deleted.
type RunIter struct {
	run     *Run
	span    Span
	block   int // index of the loaded block, -1 for none
	buf     []byte
	entries []runEntry // of the loaded block
	pos     int        // index of the present entry in entries
	at      iterState
	err     error
}

type runEntry struct {
	key, value []byte // in buf
	flags      uint64
}

// iterState is where an iterator is.
type iterState uint8

const (
	unpositioned iterState = iota
	onEntry
	beforeFirst
	afterLast
)

// load makes block i the loaded one.
func (it *RunIter) load(i int) bool {
	if it.err != nil {
		return false
	}
	if it.block == i {
		return true
	}
	it.block = -1
	b := it.run.blocks[i]
	if cap(it.buf) < b.len {
		it.buf = make([]byte, b.len)
	}
	it.buf = it.buf[:b.len]
	if _, err := it.run.file.ReadAt(it.buf, b.at); err != nil {
		it.err = spillError("cannot read a temporary file", err)
		return false
	}
	if it.entries, it.err = parseRunBlock(it.buf, it.entries[:0]); it.err != nil {
		return false
	}
	it.block = i
	return true
}

func parseRunBlock(buf []byte, entries []runEntry) ([]runEntry, error) {
	n := len(buf) - runCRC
	if n < 0 || crc32.Checksum(buf[:n], castagnoli) != binary.LittleEndian.Uint32(buf[n:]) {
		return nil, types.Errorf(types.CORRUPT, "a temporary file of this transaction is damaged: checksum mismatch")
	}
	for buf = buf[:n]; len(buf) > 0; {
		klen, a := binary.Uvarint(buf)
		meta, b := binary.Uvarint(buf[max(a, 0):])
		vlen := meta >> runFlagBits
		head := uint64(a + b)
		if a <= 0 || b <= 0 || klen > uint64(len(buf))-head || vlen > uint64(len(buf))-head-klen {
			return nil, types.Errorf(types.CORRUPT, "a temporary file of this transaction is damaged: bad entry")
		}
		end := head + klen + vlen
		entries = append(entries, runEntry{
			key: buf[head : head+klen : head+klen], value: buf[head+klen : end : end], flags: meta & (1<<runFlagBits - 1),
		})
		buf = buf[end:]
	}
	return entries, nil
}

// First implements Iterator.
func (it *RunIter) First() bool {
	if it.span.Lo != nil {
		return it.seekGE(it.span.Lo)
	}
	return it.enter(0, false)
}

// Last implements Iterator.
func (it *RunIter) Last() bool {
	if it.span.Hi != nil {
		return it.seekLT(it.span.Hi)
	}
	return it.enter(len(it.run.blocks)-1, true)
}

// SeekGE implements Iterator; of equal keys it finds the first.
func (it *RunIter) SeekGE(key []byte) bool {
	if bytes.Compare(key, it.span.Lo) < 0 {
		key = it.span.Lo
	}
	return it.seekGE(key)
}

// SeekLT implements Iterator.
func (it *RunIter) SeekLT(key []byte) bool {
	if it.span.Hi != nil && bytes.Compare(key, it.span.Hi) > 0 {
		key = it.span.Hi
	}
	return it.seekLT(key)
}

// blockBefore is the last block that begins before key; -1 when there is none.
func (it *RunIter) blockBefore(key []byte) int {
	blocks := it.run.blocks
	return sort.Search(len(blocks), func(i int) bool { return bytes.Compare(blocks[i].first, key) >= 0 }) - 1
}

func (it *RunIter) seekGE(key []byte) bool {
	i := max(it.blockBefore(key), 0)
	if i >= len(it.run.blocks) || !it.load(i) {
		return it.off(afterLast)
	}
	it.pos = it.search(key)
	if it.pos == len(it.entries) {
		return it.enter(i+1, false)
	}
	return it.settle()
}

func (it *RunIter) seekLT(key []byte) bool {
	i := it.blockBefore(key)
	if i < 0 || !it.load(i) {
		return it.off(beforeFirst)
	}
	it.pos = it.search(key) - 1 // at least 0: the block begins before key
	return it.settle()
}

// search is the first entry of the loaded block at or after key.
func (it *RunIter) search(key []byte) int {
	return sort.Search(len(it.entries), func(i int) bool { return bytes.Compare(it.entries[i].key, key) >= 0 })
}

// enter moves to the first or last entry of block i.
func (it *RunIter) enter(i int, last bool) bool {
	if i < 0 {
		return it.off(beforeFirst)
	}
	if i >= len(it.run.blocks) || !it.load(i) {
		return it.off(afterLast)
	}
	it.pos = 0
	if last {
		it.pos = len(it.entries) - 1
	}
	return it.settle()
}

// settle ends a move: the entry at pos may lie outside the span.
func (it *RunIter) settle() bool {
	key := it.entries[it.pos].key
	if bytes.Compare(key, it.span.Lo) < 0 {
		return it.off(beforeFirst)
	}
	if it.span.Hi != nil && bytes.Compare(key, it.span.Hi) >= 0 {
		return it.off(afterLast)
	}
	it.at = onEntry
	return true
}

func (it *RunIter) off(at iterState) bool {
	it.at = at
	return false
}

// Next implements Iterator.
func (it *RunIter) Next() bool {
	switch {
	case it.at == beforeFirst:
		return it.First()
	case it.at != onEntry:
		return false
	case it.pos+1 < len(it.entries):
		it.pos++
		return it.settle()
	}
	return it.enter(it.block+1, false)
}

// Prev implements Iterator.
func (it *RunIter) Prev() bool {
	switch {
	case it.at == afterLast:
		return it.Last()
	case it.at != onEntry:
		return false
	case it.pos > 0:
		it.pos--
		return it.settle()
	}
	return it.enter(it.block-1, true)
}

// Probe implements Iterator.
func (it *RunIter) Probe(key []byte) bool {
	if !it.span.Contains(key) || !it.run.mayContain(key) {
		return it.off(unpositioned)
	}
	if !it.seekGE(key) || !bytes.Equal(it.Key(), key) {
		return it.off(unpositioned)
	}
	return true
}

// Valid implements Iterator.
func (it *RunIter) Valid() bool { return it.at == onEntry }

// Key implements Iterator.
func (it *RunIter) Key() []byte { return it.entries[it.pos].key }

// Value implements Iterator; it is empty for a tombstone.
func (it *RunIter) Value() []byte { return it.entries[it.pos].value }

// Deleted reports whether the present entry is a tombstone.
func (it *RunIter) Deleted() bool { return it.flags()&runDeleted != 0 }

func (it *RunIter) flags() uint64 { return it.entries[it.pos].flags }

// Err implements Iterator.
func (it *RunIter) Err() error { return it.err }

// Close implements Iterator.
func (it *RunIter) Close() error { return nil }
