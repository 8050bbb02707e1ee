package memtree

import (
	"bytes"

	"github.com/tidwall/btree"
)

// Tree is an ordered map of records. One goroutine writes it; while it is not written any number of goroutines may read
// it. Whoever must read a state while the tree goes on takes a Copy and writes only one of the two.
type Tree struct {
	bt *btree.BTreeG[Record]
	// What only the writer touches: a hint, since its keys come in runs of near ones, and the last record, which keys in order
	// come behind; without data when it is not known.
	hint btree.PathHint
	last Record
}

func less(a, b Record) bool { return bytes.Compare(a.Key(), b.Key()) < 0 }

// New makes an empty tree.
func New() *Tree {
	// Without its own locks: a tree that locks hangs when it is written under an open iterator.
	return &Tree{bt: btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})}
}

// Copy gives a tree with the same records, at once: the two share nodes until either is written. It counts as a write of t.
func (t *Tree) Copy() *Tree { return &Tree{bt: t.bt.Copy()} }

// Len is the number of records, tombstones included.
func (t *Tree) Len() int { return t.bt.Len() }

// Get finds the record under key.
func (t *Tree) Get(key []byte) (Record, bool) { return t.bt.Get(probe(key)) }

// Find is Get for the goroutine that writes the tree: faster for keys near the last one.
func (t *Tree) Find(key []byte) (Record, bool) {
	r := probe(key)
	if t.isBehind(r) {
		return Record{}, false
	}
	return t.bt.GetHint(r, &t.hint)
}

// isBehind reports whether r is known to come behind all records.
func (t *Tree) isBehind(r Record) bool { return t.last.data != nil && less(t.last, r) }

// Set puts r in the place of the record with its key, which it returns if there was one. Records in key order cost least.
func (t *Tree) Set(r Record) (prev Record, replaced bool) {
	if t.isBehind(r) {
		t.last = r
		return t.bt.Load(r)
	}
	prev, replaced = t.bt.SetHint(r, &t.hint)
	if t.last.data == nil {
		t.last, _ = t.bt.Max()
	}
	return prev, replaced
}

// Delete takes the record under key out of the tree.
func (t *Tree) Delete(key []byte) (prev Record, found bool) {
	t.last = Record{}
	return t.bt.Delete(probe(key))
}

// DeleteRange takes the records with lo <= key < hi out of the tree; nil bounds are open.
func (t *Tree) DeleteRange(lo, hi []byte) {
	t.last = Record{}
	last := probe(hi)
	if hi == nil {
		var any bool
		if last, any = t.bt.Max(); !any {
			return
		}
	}
	t.bt.DeleteRange(probe(lo), last, &btree.DeleteRangeOptions{NoReturn: true, MaxInclusive: hi == nil})
}

// At gives the record at a position in key order, 0 <= i < Len, in O(log n).
func (t *Tree) At(i int) Record {
	r, _ := t.bt.GetAt(i)
	return r
}

// Rank is the number of records with keys before key, in O(log² n).
func (t *Tree) Rank(key []byte) int {
	lo, hi := 0, t.Len()
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if bytes.Compare(t.At(mid).Key(), key) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
