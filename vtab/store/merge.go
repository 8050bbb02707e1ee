package store

import (
	"bytes"
	"context"
	"sort"

	"github.com/quereus/quereus-migrate/vtab/kv"
)

// source is a sorted stream of entries, on an entry.
type source interface {
	Next() bool
	Key() []byte
	Value() []byte
	Err() error
}

// segmentSource is the stream of a part of a sorted segment.
type segmentSource struct {
	s     *segment
	items []item
}

func (s *segmentSource) Next() bool {
	s.items = s.items[1:]
	return len(s.items) > 0
}
func (s *segmentSource) Key() []byte   { return s.s.key(s.items[0]) }
func (s *segmentSource) Value() []byte { return s.s.value(s.items[0]) }
func (s *segmentSource) Err() error    { return nil }

// merger is a heap of sources by their present keys, which are alike up to skip; of one key by their age.
type merger struct {
	skip int
	heap []mergeSource
}

type mergeSource struct {
	head uint64 // of the present key behind skip
	age  int
	source
}

func newMerger(skip int) *merger { return &merger{skip: skip} }

// less compares the keys that two sources are on.
func (m *merger) less(i, j int) bool {
	a, b := &m.heap[i], &m.heap[j]
	if a.head != b.head {
		return a.head < b.head
	}
	if c := bytes.Compare(a.Key()[m.skip:], b.Key()[m.skip:]); c != 0 {
		return c < 0
	}
	return a.age < b.age
}

// addRun puts a run in.
func (m *merger) addRun(it *kv.RunIter) error {
	if !it.First() {
		return it.Err()
	}
	m.add(it)
	return nil
}

// addSegments puts in what of sorted segments lies in a span.
func (m *merger) addSegments(segments []*segment, span kv.Span) {
	for _, s := range segments {
		before := func(key []byte) int {
			return sort.Search(len(s.items), func(i int) bool { return bytes.Compare(s.key(s.items[i]), key) >= 0 })
		}
		from, to := before(span.Lo), len(s.items)
		if span.Hi != nil {
			to = before(span.Hi)
		}
		if from < to {
			m.add(&segmentSource{s: s, items: s.items[from:to]})
		}
	}
}

// add puts in a source that is on its first entry. Those added first come first under one key.
func (m *merger) add(s source) {
	m.heap = append(m.heap, mergeSource{head: headOf(s.Key()[m.skip:]), age: len(m.heap), source: s})
	for i := len(m.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !m.less(i, parent) {
			break
		}
		m.heap[i], m.heap[parent] = m.heap[parent], m.heap[i]
		i = parent
	}
}

// each visits all entries. It looks at ctx now and then.
func (m *merger) each(ctx context.Context, visit func(key, value []byte) error) error {
	for n := 1; len(m.heap) > 0; n++ {
		if n%1024 == 0 {
			if err := kv.Interrupted(ctx); err != nil {
				return err
			}
		}
		top := m.heap[0].source
		if err := visit(top.Key(), top.Value()); err != nil {
			return err
		}
		if err := m.next(); err != nil {
			return err
		}
	}
	return nil
}

// next moves the source at the top on.
func (m *merger) next() error {
	top := &m.heap[0]
	if top.Next() {
		top.head = headOf(top.Key()[m.skip:])
	} else {
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
			if child < len(m.heap) && m.less(child, least) {
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
