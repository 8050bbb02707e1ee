package kv

import "bytes"

// mergeIter shows an overlay over its base: of one key the overlay's record, and nothing where that is a tombstone.
//
// Moving forwards, over and base stand at their first entries at or after the present key, moving backwards at their last
// ones at or before it. Which of the two shows is fromOver; if both have the key they move together (tie).
type mergeIter struct {
	over     layerCursor
	base     Iterator
	state    layers // pinned until Close
	fromOver bool
	tie      bool
	forward  bool
	at       iterState
	err      error

	// The keys of the two, kept because asking for them through the interfaces at each step costs more than comparing.
	overKey, baseKey   []byte
	overHere, baseHere bool // whether the two stand on an entry
}

func (m *mergeIter) setOver(ok bool) {
	if m.overHere = ok; ok {
		m.overKey = m.over.Key()
	} else if m.err == nil {
		m.err = m.over.Err()
	}
}

func (m *mergeIter) setBase(ok bool) {
	if m.baseHere = ok; ok {
		m.baseKey = m.base.Key()
	} else if m.err == nil {
		m.err = m.base.Err()
	}
}

func (m *mergeIter) First() bool {
	m.err = nil
	m.setOver(m.over.First())
	m.setBase(m.base.First())
	return m.showForward()
}

func (m *mergeIter) Last() bool {
	m.err = nil
	m.setOver(m.over.Last())
	m.setBase(m.base.Last())
	return m.showBackward()
}

func (m *mergeIter) SeekGE(key []byte) bool {
	m.err = nil
	m.setOver(m.over.SeekGE(key))
	m.setBase(m.base.SeekGE(key))
	return m.showForward()
}

func (m *mergeIter) SeekLT(key []byte) bool {
	m.err = nil
	m.setOver(m.over.SeekLT(key))
	m.setBase(m.base.SeekLT(key))
	return m.showBackward()
}

// showForward picks the smaller key of the two and goes past tombstones.
func (m *mergeIter) showForward() bool {
	m.forward = true
	for m.err == nil && (m.overHere || m.baseHere) {
		if !m.pick(1) {
			m.at = onEntry
			return true
		}
		m.advance()
	}
	return m.off(afterLast)
}

// showBackward picks the greater key of the two and goes past tombstones.
func (m *mergeIter) showBackward() bool {
	m.forward = false
	for m.err == nil && (m.overHere || m.baseHere) {
		if !m.pick(-1) {
			m.at = onEntry
			return true
		}
		m.retreat()
	}
	return m.off(beforeFirst)
}

// pick chooses what shows, the smaller key with sign 1 and the greater one with -1, and reports whether it is a tombstone.
func (m *mergeIter) pick(sign int) (tombstone bool) {
	order := 1
	switch {
	case !m.baseHere:
		order = -1
	case m.overHere:
		order = sign * bytes.Compare(m.overKey, m.baseKey)
	}
	m.fromOver, m.tie = order <= 0, order == 0
	return m.fromOver && m.over.Deleted()
}

// advance moves what shows one on, forwards.
func (m *mergeIter) advance() {
	if m.fromOver {
		m.setOver(m.over.Next())
	}
	if !m.fromOver || m.tie {
		m.setBase(m.base.Next())
	}
}

// retreat moves what shows one on, backwards.
func (m *mergeIter) retreat() {
	if m.fromOver {
		m.setOver(m.over.Prev())
	}
	if !m.fromOver || m.tie {
		m.setBase(m.base.Prev())
	}
}

func (m *mergeIter) off(at iterState) bool {
	if m.err != nil {
		at = unpositioned
	}
	m.at = at
	return false
}

func (m *mergeIter) Next() bool {
	if m.at != onEntry {
		return m.at == beforeFirst && m.First()
	}
	if !m.forward {
		m.turn()
	}
	m.advance()
	return m.showForward()
}

func (m *mergeIter) Prev() bool {
	if m.at != onEntry {
		return m.at == afterLast && m.Last()
	}
	if m.forward {
		m.turn()
	}
	m.retreat()
	return m.showBackward()
}

// turn prepares for a step against the direction. What shows, and in a tie both, stays; the other stands beyond the
// present key as seen from the new direction's side, or ran off that end, and one step brings it to the nearest entry on
// the other side: no entry of it can lie between.
func (m *mergeIter) turn() {
	if m.tie {
		return
	}
	if m.fromOver {
		m.setBase(step(m.base, m.forward))
	} else {
		m.setOver(step(m.over, m.forward))
	}
}

// stepper is what an Iterator and a layerCursor have in common here.
type stepper interface {
	Next() bool
	Prev() bool
}

// step goes against the direction told. From beyond an end both kinds come back to the entry there.
func step(s stepper, wasForward bool) bool {
	if wasForward {
		return s.Prev()
	}
	return s.Next()
}

func (m *mergeIter) Valid() bool { return m.at == onEntry }

func (m *mergeIter) Key() []byte {
	if m.fromOver {
		return m.overKey
	}
	return m.baseKey
}

func (m *mergeIter) Value() []byte {
	if m.fromOver {
		return m.over.Value()
	}
	return m.base.Value()
}

func (m *mergeIter) Probe([]byte) bool { return false }
func (m *mergeIter) Err() error        { return m.err }

func (m *mergeIter) Close() error {
	m.state.release()
	return m.base.Close()
}

// probeIter answers probes from an overlay over its base.
type probeIter struct {
	base  Iterator // opened with Probe
	state layers   // pinned until Close
	span  Span
	key   []byte
	value []byte // of the overlay's record
	from  found
	here  bool
	err   error
}

func (p *probeIter) Probe(key []byte) bool {
	p.here = false
	if !p.span.Contains(key) {
		return false
	}
	if p.value, p.from, p.err = p.state.get(key, p.value[:0]); p.err != nil {
		return false
	}
	switch p.from {
	case written:
		p.key = append(p.key[:0], key...)
		p.here = true
	case notWritten:
		p.here = p.base.Probe(key)
		p.err = p.base.Err()
	}
	return p.here
}

func (p *probeIter) Valid() bool { return p.here }

func (p *probeIter) Key() []byte {
	if p.from == written {
		return p.key
	}
	return p.base.Key()
}

func (p *probeIter) Value() []byte {
	if p.from == written {
		return p.value
	}
	return p.base.Value()
}

func (p *probeIter) First() bool        { return false }
func (p *probeIter) Last() bool         { return false }
func (p *probeIter) SeekGE([]byte) bool { return false }
func (p *probeIter) SeekLT([]byte) bool { return false }
func (p *probeIter) Next() bool         { return false }
func (p *probeIter) Prev() bool         { return false }
func (p *probeIter) Err() error         { return p.err }

func (p *probeIter) Close() error {
	p.state.release()
	return p.base.Close()
}

// newIter opens an iterator over l, which is pinned for as long as that lives, over b. Where l has nothing it is b's alone.
func newIter(l layers, b *base, o IterOptions) (Iterator, error) {
	if l.emptyIn(o.Span) {
		return b.NewIter(o)
	}
	it, err := b.NewIter(o)
	if err != nil {
		return nil, err
	}
	state := l.pin()
	if o.Probe {
		return Checked(&probeIter{base: it, state: state, span: o.Span}, o), nil
	}
	return Checked(&mergeIter{over: state.cursor(o.Span), base: it, state: state}, o), nil
}
