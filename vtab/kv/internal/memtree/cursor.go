package memtree

import (
	"bytes"

	"github.com/tidwall/btree"
)

// Cursor walks the records of a tree within bounds, both ways. The tree must not be written while it is in use.
//
// A cursor that ran off one end comes back with the opposite step: Prev after the last record, Next before the first.
type Cursor struct {
	it     btree.IterG[Record]
	tree   *Tree
	lo, hi []byte // a nil bound is open
	cur    Record
	at     position
}

type position uint8

const (
	nowhere  position = iota // not yet moved
	onRecord                 // cur holds
	before                   // before the first record in bounds
	after                    // after the last one
)

// Init opens the cursor over the records of t with lo <= key < hi. Nil bounds are open.
func (c *Cursor) Init(t *Tree, lo, hi []byte) {
	*c = Cursor{tree: t, lo: lo, hi: hi}
	c.it.Init(t.bt, false)
}

// Valid reports whether the cursor is on a record.
func (c *Cursor) Valid() bool { return c.at == onRecord }

// Record gives the present record; only after a move that gave true.
func (c *Cursor) Record() Record { return c.cur }

// First moves to the first record in bounds.
func (c *Cursor) First() bool {
	if c.lo != nil {
		return c.forward(c.it.Seek(probe(c.lo)))
	}
	return c.forward(c.it.First())
}

// Last moves to the last record in bounds.
func (c *Cursor) Last() bool {
	if c.hi != nil {
		return c.seekLT(c.hi)
	}
	return c.backward(c.it.Last())
}

// SeekGE moves to the first record at or after key.
func (c *Cursor) SeekGE(key []byte) bool {
	if c.lo != nil && bytes.Compare(key, c.lo) < 0 {
		key = c.lo
	}
	return c.forward(c.it.Seek(probe(key)))
}

// SeekLT moves to the last record before key.
func (c *Cursor) SeekLT(key []byte) bool {
	if c.hi != nil && bytes.Compare(key, c.hi) > 0 {
		key = c.hi
	}
	return c.seekLT(key)
}

func (c *Cursor) seekLT(key []byte) bool {
	// The iterator below has no seek backwards: find the successor and step back, or start from the end. It must not be
	// stepped once it ran off an end, where it remembers an older end and would wrap around.
	if c.it.Seek(probe(key)) {
		return c.backward(c.it.Prev())
	}
	return c.backward(c.it.Last())
}

// Next moves to the next record.
func (c *Cursor) Next() bool {
	switch c.at {
	case onRecord:
		return c.forward(c.it.Next())
	case before:
		return c.First()
	}
	return false
}

// Prev moves to the record before.
func (c *Cursor) Prev() bool {
	switch c.at {
	case onRecord:
		return c.backward(c.it.Prev())
	case after:
		return c.Last()
	}
	return false
}

func (c *Cursor) forward(ok bool) bool {
	if ok {
		c.cur = c.it.Item()
		if c.hi == nil || bytes.Compare(c.cur.Key(), c.hi) < 0 {
			c.at = onRecord
			return true
		}
	}
	c.at = after
	return false
}

func (c *Cursor) backward(ok bool) bool {
	if ok {
		c.cur = c.it.Item()
		if c.lo == nil || bytes.Compare(c.cur.Key(), c.lo) >= 0 {
			c.at = onRecord
			return true
		}
	}
	c.at = before
	return false
}
