package kv

import (
	"bytes"
	"sort"
	"sync/atomic"

	"github.com/quereus/quereus-migrate/types"
)

// base is what lies under a transaction's overlay: its snapshot, and the live store in the spans that the transaction owns,
// where only it writes. It is immutable; a new one is made when a span is added or files are ingested.
type base struct {
	snap Reader
	live *liveSnapshot // nil while nothing is owned
	own  []Span        // disjoint, in key order
}

// liveSnapshot pins the live store for own spans, so that a View does not see what is ingested after it.
type liveSnapshot struct {
	Snapshot
	refs atomic.Int32
}

func newLiveSnapshot(s Store) (*liveSnapshot, error) {
	snap, err := s.NewSnapshot()
	if err != nil {
		return nil, err
	}
	l := &liveSnapshot{Snapshot: snap}
	l.refs.Store(1)
	return l, nil
}

func (b *base) retain() *base {
	if b.live != nil {
		b.live.refs.Add(1)
	}
	return b
}

func (b *base) release() error {
	if b.live != nil && b.live.refs.Add(-1) == 0 {
		return b.live.Close()
	}
	return nil
}

// part gives the reader that key's neighbourhood has, and how far that goes.
func (b *base) part(key []byte) (r Reader, within Span, own bool) {
	// The first own span that ends after key.
	i := sort.Search(len(b.own), func(i int) bool { return b.own[i].Hi == nil || bytes.Compare(b.own[i].Hi, key) > 0 })
	if i < len(b.own) && bytes.Compare(b.own[i].Lo, key) <= 0 {
		return b.live, b.own[i], true
	}
	if i > 0 {
		within.Lo = b.own[i-1].Hi
	}
	if i < len(b.own) {
		within.Hi = b.own[i].Lo
	}
	return b.snap, within, false
}

// Get reads the base. Any goroutine may call it.
func (b *base) Get(key, dst []byte) ([]byte, bool, error) {
	r, _, _ := b.part(key)
	return r.Get(key, dst)
}

// NewIter opens an iterator over the base. A span of one part, which nearly every one is, costs nothing more than the
// reader's own iterator.
func (b *base) NewIter(o IterOptions) (Iterator, error) {
	r, within, _ := b.part(o.Lo)
	if within.Covers(o.Span) {
		return r.NewIter(o)
	}
	var parts []basePart
	for lo := o.Lo; ; {
		r, within, _ := b.part(lo)
		parts = append(parts, basePart{reader: r, span: Span{Lo: lo, Hi: o.Span.Intersect(within).Hi}})
		if within.Hi == nil || o.Hi != nil && bytes.Compare(within.Hi, o.Hi) >= 0 {
			break
		}
		lo = within.Hi
	}
	return Checked(&concatIter{parts: parts, options: o, cur: -1}, o), nil
}

// basePart is a stretch of a span with one reader.
type basePart struct {
	reader Reader
	span   Span
	it     Iterator // opened when it is first needed
}

// concatIter is the parts of a span one after the other.
type concatIter struct {
	parts   []basePart
	options IterOptions
	cur     int // the part that shows; -1 when none does
	at      iterState
	err     error
}

func (c *concatIter) iter(i int) (Iterator, bool) {
	p := &c.parts[i]
	if p.it == nil && c.err == nil {
		p.it, c.err = p.reader.NewIter(IterOptions{Span: p.span, Probe: c.options.Probe})
	}
	return p.it, c.err == nil
}

// forward shows the first entry of parts[i:], where the first of them is moved by seek.
func (c *concatIter) forward(i int, seek func(Iterator) bool) bool {
	for ; i < len(c.parts); i++ {
		it, ok := c.iter(i)
		if !ok {
			return c.off(unpositioned)
		}
		if seek(it) {
			c.cur, c.at = i, onEntry
			return true
		}
		if c.err = it.Err(); c.err != nil {
			return c.off(unpositioned)
		}
		seek = Iterator.First
	}
	return c.off(afterLast)
}

// backward shows the last entry of parts[:i+1], where the last of them is moved by seek.
func (c *concatIter) backward(i int, seek func(Iterator) bool) bool {
	for ; i >= 0; i-- {
		it, ok := c.iter(i)
		if !ok {
			return c.off(unpositioned)
		}
		if seek(it) {
			c.cur, c.at = i, onEntry
			return true
		}
		if c.err = it.Err(); c.err != nil {
			return c.off(unpositioned)
		}
		seek = Iterator.Last
	}
	return c.off(beforeFirst)
}

func (c *concatIter) off(at iterState) bool {
	c.cur, c.at = -1, at
	return false
}

func (c *concatIter) First() bool { return c.forward(0, Iterator.First) }
func (c *concatIter) Last() bool  { return c.backward(len(c.parts)-1, Iterator.Last) }

func (c *concatIter) SeekGE(key []byte) bool {
	return c.forward(c.partAt(key), func(it Iterator) bool { return it.SeekGE(key) })
}

func (c *concatIter) SeekLT(key []byte) bool {
	return c.backward(c.partAt(key), func(it Iterator) bool { return it.SeekLT(key) })
}

// partAt is the part in which key lies or would, the first one for a key before the span, the last one for one after it.
func (c *concatIter) partAt(key []byte) int {
	i := sort.Search(len(c.parts), func(i int) bool {
		return c.parts[i].span.Hi == nil || bytes.Compare(c.parts[i].span.Hi, key) > 0
	})
	return min(i, len(c.parts)-1)
}

func (c *concatIter) Next() bool {
	if c.at != onEntry {
		return c.at == beforeFirst && c.First()
	}
	return c.forward(c.cur, Iterator.Next)
}

func (c *concatIter) Prev() bool {
	if c.at != onEntry {
		return c.at == afterLast && c.Last()
	}
	return c.backward(c.cur, Iterator.Prev)
}

func (c *concatIter) Probe(key []byte) bool {
	if !c.options.Span.Contains(key) {
		return c.off(unpositioned)
	}
	i := c.partAt(key)
	it, ok := c.iter(i)
	if !ok || !it.Probe(key) {
		if ok {
			c.err = it.Err()
		}
		return c.off(unpositioned)
	}
	c.cur, c.at = i, onEntry
	return true
}

func (c *concatIter) Valid() bool   { return c.at == onEntry }
func (c *concatIter) Key() []byte   { return c.parts[c.cur].it.Key() }
func (c *concatIter) Value() []byte { return c.parts[c.cur].it.Value() }
func (c *concatIter) Err() error    { return c.err }

func (c *concatIter) Close() error {
	err := c.err
	for i := range c.parts {
		if it := c.parts[i].it; it != nil {
			if e := it.Close(); err == nil {
				err = e
			}
			c.parts[i].it = nil
		}
	}
	return err
}

// errTxnDone is the answer of a transaction that was committed, rolled back or closed.
func errTxnDone() error { return types.Errorf(types.MISUSE, "the transaction has ended") }
