package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// collector takes the entries of one new range in any order and gives them in key order. It holds them in memory up to a budget, in
// segments that are sorted in the background as each is full, and beyond that in sorted runs on disk. One goroutine fills it; then any
// number may read it.
type collector struct {
	prefix []byte // of all keys; it is left out of the comparisons
	dir    func() string
	budget int64

	filling segment
	full    []*segment
	held    int64 // bytes of full
	sorting sync.WaitGroup
	runs    []*kv.Run
	total   int64 // bytes of keys and values that were added
}

// maxSegment is the size at which a segment is full, unless the budget calls for smaller ones.
const maxSegment = 8 << 20

// add takes an entry; it copies what it is given.
func (c *collector) add(key, value []byte) error {
	size := c.filling.bytes()
	if size > 0 && c.held+size > c.budget {
		if err := c.spill(); err != nil {
			return err
		}
	} else if size > 0 && size >= min(c.budget/8, maxSegment) {
		c.handOver()
	}
	c.filling.add(key, value)
	c.total += int64(len(key) + len(value))
	return nil
}

// handOver has the segment that is being filled sorted, and begins another of its size.
func (c *collector) handOver() {
	s := c.filling
	c.full, c.held = append(c.full, &s), c.held+s.bytes()
	c.filling = segment{buf: make([]byte, 0, cap(s.buf)), items: make([]item, 0, cap(s.items))}
	skip := len(c.prefix)
	c.sorting.Go(func() { s.sort(s.items, skip) })
}

// seal ends the filling: after it all segments are full and sorted.
func (c *collector) seal() {
	if len(c.filling.items) > 0 {
		s := c.filling
		c.filling = segment{}
		c.full, c.held = append(c.full, &s), c.held+s.bytes()
		s.sort(s.items, len(c.prefix))
	}
	c.sorting.Wait()
}

// spill writes what is in memory to a run.
func (c *collector) spill() error {
	c.seal()
	w, err := kv.NewRunWriter(c.dir(), 0)
	if err != nil {
		return err
	}
	m := newMerger(len(c.prefix) + c.common())
	m.addSegments(c.full, kv.Span{})
	if err := m.each(context.Background(), w.Set); err != nil {
		_ = w.Abort() // the first error is the one to tell
		return err
	}
	run, err := w.Finish()
	if err != nil {
		return err
	}
	c.runs = append(c.runs, run)
	c.full, c.held = nil, 0
	return nil
}

// common is how many bytes behind the prefix all keys in memory begin with. All segments are sorted.
func (c *collector) common() int {
	if len(c.full) == 0 {
		return 0
	}
	s := c.full[0]
	first := s.key(s.items[0])[len(c.prefix):]
	n := len(first)
	for _, s := range c.full {
		for _, it := range []item{s.items[0], s.items[len(s.items)-1]} {
			n = min(n, sharedPrefix(first, s.key(it)[len(c.prefix):]))
		}
	}
	return n
}

func sharedPrefix(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// each visits all entries in key order. Keys and values are valid during the visit.
func (c *collector) each(ctx context.Context, visit func(key, value []byte) error) error {
	c.seal()
	return c.eachIn(ctx, kv.Span{}, visit)
}

// eachIn visits the entries in a span of a collector that is sealed, in key order, those of one key as they came. Several
// goroutines may do so at once.
func (c *collector) eachIn(ctx context.Context, span kv.Span, visit func(key, value []byte) error) error {
	skip := len(c.prefix)
	if len(c.runs) == 0 {
		skip += c.common()
	}
	m := newMerger(skip)
	for _, r := range c.runs {
		if err := m.addRun(r.NewIter(span)); err != nil {
			return err
		}
	}
	m.addSegments(c.full, span)
	return m.each(ctx, visit)
}

// samples is how many keys of a segment are looked at to cut the keys of all.
const samples = 32

// spans cuts the keys of a collector that is sealed into up to n spans, of about as many entries each where what is in memory tells.
func (c *collector) spans(n int) []kv.Span {
	var keys [][]byte
	for _, s := range c.full {
		for i := range samples {
			keys = append(keys, s.key(s.items[i*len(s.items)/samples]))
		}
	}
	slices.SortFunc(keys, bytes.Compare)
	spans := []kv.Span{{}}
	for i := 1; i < n && len(keys) > 0; i++ {
		cut := keys[i*len(keys)/n]
		last := &spans[len(spans)-1]
		if bytes.Compare(cut, last.Lo) > 0 {
			last.Hi = cut
			spans = append(spans, kv.Span{Lo: cut})
		}
	}
	return spans
}

// close removes the runs.
func (c *collector) close() error {
	c.sorting.Wait()
	var first error
	for _, r := range c.runs {
		if err := r.Close(); first == nil {
			first = err
		}
	}
	c.runs, c.full, c.filling, c.held = nil, nil, segment{}, 0
	return first
}

// segment is entries in memory, one behind the other.
type segment struct {
	buf   []byte
	items []item
}

// item is an entry of a segment. head is eight bytes of its key, which decide most comparisons.
type item struct {
	head       uint64
	at         int
	klen, vlen uint32
}

const itemBytes = 24

func (s *segment) bytes() int64 { return int64(len(s.buf) + len(s.items)*itemBytes) }

func (s *segment) key(it item) []byte { return s.buf[it.at : it.at+int(it.klen)] }
func (s *segment) value(it item) []byte {
	return s.buf[it.at+int(it.klen) : it.at+int(it.klen)+int(it.vlen)]
}

func (s *segment) add(key, value []byte) {
	s.items = append(s.items, item{at: len(s.buf), klen: uint32(len(key)), vlen: uint32(len(value))})
	s.buf = append(append(s.buf, key...), value...)
}

// headOf gives the first eight bytes of a key; missing ones are zero.
func headOf(key []byte) uint64 {
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var b [8]byte
	copy(b[:], key)
	return binary.BigEndian.Uint64(b[:])
}

const (
	// fewTies is how many keys with one head are compared as a whole rather than by their next heads.
	fewTies = 16
	// mostHeads is how many bytes of keys are looked at by heads; keys that are alike for longer are compared as a whole.
	mostHeads = 128
)

// sort brings items of the segment into key order, which are alike up to skip; entries under one key stay in the order in which they came. It
// sorts by eight bytes of the keys, then those that are alike there by the next eight: numbers beside the items, where whole keys would be
// fetched from everywhere for each comparison.
func (s *segment) sort(items []item, skip int) {
	for i := range items {
		items[i].head = headOf(s.key(items[i])[skip:])
	}
	slices.SortFunc(items, func(a, b item) int { return cmp.Compare(a.head, b.head) })
	for from := 0; from < len(items); {
		to := from + 1
		for to < len(items) && items[to].head == items[from].head {
			to++
		}
		if to-from > 1 {
			s.sortTies(items[from:to], skip+8)
		}
		from = to
	}
}

// sortTies sorts items whose keys have one head, which ends at skip.
func (s *segment) sortTies(items []item, skip int) {
	ended := func(it item) bool { return int(it.klen) < skip } // missing bytes look like zeros
	if len(items) > fewTies && skip < mostHeads && !slices.ContainsFunc(items, ended) {
		s.sort(items, skip)
		return
	}
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(bytes.Compare(s.key(a), s.key(b)), cmp.Compare(a.at, b.at))
	})
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
