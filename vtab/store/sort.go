package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// collector takes the entries of one new range in any order and gives them in key order. It holds them in memory up to a budget,
// and beyond that in sorted runs on disk.
type collector struct {
	prefix []byte // of all keys; it is left out of the comparisons
	dir    func() string
	budget int64

	buf   []byte
	items []item
	runs  []*kv.Run
	total int64 // bytes of keys and values that were added
}

// item is an entry in the collector's memory. head is the beginning of the key behind the prefix, which decides most comparisons.
type item struct {
	head       uint64
	at         int
	klen, vlen int
}

const itemBytes = 32

// add takes an entry; it copies what it is given.
func (c *collector) add(key, value []byte) error {
	if len(c.items) > 0 && int64(len(c.buf)+len(c.items)*itemBytes) > c.budget {
		if err := c.spill(); err != nil {
			return err
		}
	}
	c.items = append(c.items, item{head: headOf(key[len(c.prefix):]), at: len(c.buf), klen: len(key), vlen: len(value)})
	c.buf = append(append(c.buf, key...), value...)
	c.total += int64(len(key) + len(value))
	return nil
}

func headOf(key []byte) uint64 {
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var b [8]byte
	copy(b[:], key)
	return binary.BigEndian.Uint64(b[:])
}

func (c *collector) key(it item) []byte   { return c.buf[it.at : it.at+it.klen] }
func (c *collector) value(it item) []byte { return c.buf[it.at+it.klen : it.at+it.klen+it.vlen] }

// sort brings what is in memory into key order; entries under one key stay in the order in which they came.
func (c *collector) sort() {
	compare := func(a, b item) int {
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		return bytes.Compare(c.key(a), c.key(b))
	}
	if !slices.IsSortedFunc(c.items, compare) {
		slices.SortStableFunc(c.items, compare)
	}
}

// spill writes what is in memory to a run.
func (c *collector) spill() error {
	c.sort()
	w, err := kv.NewRunWriter(c.dir(), 0)
	if err != nil {
		return err
	}
	for _, it := range c.items {
		if err := w.Set(c.key(it), c.value(it)); err != nil {
			_ = w.Abort() // the first error is the one to tell
			return err
		}
	}
	run, err := w.Finish()
	if err != nil {
		return err
	}
	c.runs = append(c.runs, run)
	c.buf, c.items = c.buf[:0], c.items[:0]
	return nil
}

// each visits all entries in key order. Keys and values are valid during the visit.
func (c *collector) each(ctx context.Context, visit func(key, value []byte) error) error {
	c.sort()
	m := merger{}
	for _, r := range c.runs {
		if err := m.add(r.NewIter(kv.Span{})); err != nil {
			return err
		}
	}
	if err := m.add(&memorySource{c: c, at: -1}); err != nil {
		return err
	}
	n := 0
	for len(m.heap) > 0 {
		if n++; n%1024 == 0 {
			if err := kv.Interrupted(ctx); err != nil {
				return err
			}
		}
		top := m.heap[0]
		if err := visit(top.Key(), top.Value()); err != nil {
			return err
		}
		if err := m.next(); err != nil {
			return err
		}
	}
	return nil
}

// close removes the runs.
func (c *collector) close() error {
	var first error
	for _, r := range c.runs {
		if err := r.Close(); first == nil {
			first = err
		}
	}
	c.runs, c.buf, c.items = nil, nil, nil
	return first
}

// source is a sorted stream of entries.
type source interface {
	Next() bool
	Key() []byte
	Value() []byte
	Err() error
}

// memorySource is the stream of what a collector has in memory.
type memorySource struct {
	c  *collector
	at int
}

func (s *memorySource) Next() bool    { s.at++; return s.at < len(s.c.items) }
func (s *memorySource) Key() []byte   { return s.c.key(s.c.items[s.at]) }
func (s *memorySource) Value() []byte { return s.c.value(s.c.items[s.at]) }
func (s *memorySource) Err() error    { return nil }

// merger is a heap of sources by their present keys.
type merger struct{ heap []source }

// add puts a source in, moved to its first entry.
func (m *merger) add(s source) error {
	ok := false
	if it, isRun := s.(*kv.RunIter); isRun {
		ok = it.First()
	} else {
		ok = s.Next()
	}
	if !ok {
		return s.Err()
	}
	m.heap = append(m.heap, s)
	for i := len(m.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if bytes.Compare(m.heap[i].Key(), m.heap[parent].Key()) >= 0 {
			break
		}
		m.heap[i], m.heap[parent] = m.heap[parent], m.heap[i]
		i = parent
	}
	return nil
}

// next moves the source at the top on.
func (m *merger) next() error {
	top := m.heap[0]
	if !top.Next() {
		if err := top.Err(); err != nil {
			return err
		}
		last := len(m.heap) - 1
		m.heap[0] = m.heap[last]
		m.heap = m.heap[:last]
	}
	m.sink()
	return nil
}

// sink brings the top down to its place.
func (m *merger) sink() {
	for i := 0; ; {
		least := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < len(m.heap) && bytes.Compare(m.heap[child].Key(), m.heap[least].Key()) < 0 {
				least = child
			}
		}
		if least == i {
			return
		}
		m.heap[i], m.heap[least] = m.heap[least], m.heap[i]
		i = least
	}
}

// duplicates watches a stream of sorted keys for equal ones.
type duplicates struct {
	last    []byte
	started bool
	keys    []string
}

// maxDuplicates is how many duplicate keys are found before a rewrite gives up.
const maxDuplicates = 5

// see looks at the next key behind the prefix; it reports whether enough was seen.
func (d *duplicates) see(key []byte, prefix int) (enough bool) {
	if d.started && bytes.Equal(d.last, key) {
		if text := types.FormatKey(key[prefix:]); !slices.Contains(d.keys, text) {
			d.keys = append(d.keys, text)
		}
		return len(d.keys) == maxDuplicates
	}
	d.last, d.started = append(d.last[:0], key...), true
	return false
}
