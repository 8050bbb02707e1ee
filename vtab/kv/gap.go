package kv

import "bytes"

// baseProber asks the base of a transaction whether it has a key. It remembers the gaps between base keys that earlier
// questions found, so that inserts in key order ask the base once a gap and not once a key: into a new table, once at all.
//
// A question that no gap answers is a seek, which finds the whole gap, or, where gaps proved useless because keys come at
// random, a probe through the store's filters.
type baseProber struct {
	gaps  []*gap      // at most maxGaps
	clock uint64      // counts questions
	iters [2]Iterator // for probes: of the snapshot, of the live store
	walk  walk        // for values under rising keys
}

// maxGaps is how many gaps are remembered: about one for each table and index that a statement inserts into.
const maxGaps = 8

// gap is a stretch of the base without keys: lo <= key < hi, open above when there is no hi.
type gap struct {
	lo, hi []byte // own memory
	openHi bool
	it     Iterator // that found it
	own    bool     // whether it lies in the live store
	used   uint64   // when it last answered, or was found
	hits   int      // how often it answered
	barren int      // how many gaps before it in its neighbourhood never answered
	spared int      // how many questions near it went to the filters instead
}

const (
	barrenLimit = 4  // so many useless gaps in a row turn to the filters
	spareLimit  = 64 // after so many questions to the filters a gap is tried again
)

// has reports whether b has an entry under key. The same prober must not be used with another base without a reset.
func (p *baseProber) has(b *base, key []byte) (bool, error) {
	p.clock++
	for _, g := range p.gaps {
		if bytes.Compare(g.lo, key) <= 0 && (g.openHi || bytes.Compare(key, g.hi) < 0) {
			g.hits++
			g.used = p.clock
			return false, nil
		}
	}
	reader, within, own := b.part(key)
	near := p.nearest(key, own)
	if near != nil && near.hits == 0 && near.barren >= barrenLimit && near.spared < spareLimit {
		near.spared++
		near.used = p.clock
		it, err := p.iter(reader, own)
		if err != nil {
			return false, err
		}
		return it.Probe(key), it.Err()
	}
	g, err := p.place(near, reader, own)
	if err != nil {
		return false, err
	}
	return g.find(key, within)
}

// get reads a value of b through the filters; the value is appended to dst.
func (p *baseProber) get(b *base, key, dst []byte) ([]byte, bool, error) {
	reader, _, own := b.part(key)
	it, err := p.iter(reader, own)
	if err != nil {
		return dst, false, err
	}
	if !it.Probe(key) {
		return dst, false, it.Err()
	}
	return append(dst, it.Value()...), true, nil
}

func (p *baseProber) iter(r Reader, own bool) (Iterator, error) {
	i := 0
	if own {
		i = 1
	}
	if p.iters[i] == nil {
		it, err := r.NewIter(IterOptions{Probe: true})
		if err != nil {
			return nil, err
		}
		p.iters[i] = it
	}
	return p.iters[i], nil
}

// nearest is the gap that shares the longest beginning with key: most likely the last one of the same table or index.
func (p *baseProber) nearest(key []byte, own bool) *gap {
	var near *gap
	best := -1
	for _, g := range p.gaps {
		if n := commonPrefix(g.lo, key); g.own == own && n > best {
			near, best = g, n
		}
	}
	return near
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// place gives a gap to fill: the neighbour when it was of use, since the keys have left it, else a free one, else the one
// that is longest unused.
func (p *baseProber) place(near *gap, r Reader, own bool) (*gap, error) {
	barren := 0
	if near != nil && near.hits == 0 {
		barren = near.barren + 1
	}
	g := near
	if near == nil || near.hits == 0 {
		if len(p.gaps) < maxGaps {
			g = &gap{own: own}
			p.gaps = append(p.gaps, g)
		} else {
			g = p.oldest()
		}
	}
	if g.it == nil || g.own != own {
		if err := g.close(); err != nil {
			return nil, err
		}
		it, err := r.NewIter(IterOptions{})
		if err != nil {
			return nil, err
		}
		g.it, g.own = it, own
	}
	g.used, g.hits, g.barren, g.spared = p.clock, 0, barren, 0
	return g, nil
}

func (p *baseProber) oldest() *gap {
	g := p.gaps[0]
	for _, other := range p.gaps[1:] {
		if other.used < g.used {
			g = other
		}
	}
	return g
}

// find makes g the gap around key in a part of the base; when there is an entry under key, an empty one.
func (g *gap) find(key []byte, within Span) (exists bool, err error) {
	g.lo = append(g.lo[:0], key...)
	g.hi, g.openHi = append(g.hi[:0], key...), false
	if g.it.SeekGE(key) {
		next := g.it.Key()
		if bytes.Equal(next, key) {
			return true, nil
		}
		if within.Hi == nil || bytes.Compare(next, within.Hi) < 0 {
			g.hi = append(g.hi[:0], next...)
			return false, nil
		}
	} else if err := g.it.Err(); err != nil {
		return false, err
	}
	g.hi, g.openHi = append(g.hi[:0], within.Hi...), within.Hi == nil
	return false, nil
}

func (g *gap) close() error {
	if g.it == nil {
		return nil
	}
	err := g.it.Close()
	g.it = nil
	return err
}

// reset forgets everything, because the base has changed or is no longer used.
func (p *baseProber) reset() error {
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	for _, g := range p.gaps {
		keep(g.close())
	}
	for _, it := range p.iters {
		if it != nil {
			keep(it.Close())
		}
	}
	keep(p.walk.close())
	*p = baseProber{}
	return first
}
