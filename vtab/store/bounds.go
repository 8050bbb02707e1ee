package store

import (
	"bytes"
	"slices"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// window is what an access reads of a structure: spans that do not overlap, in key order.
type window struct {
	spans []kv.Span
	// points tells that every span holds at most the entry of its Lo, a whole key.
	points bool
	// local tells that the spans are likely to be short, so that seeking beats opening an iterator for them.
	local bool
}

// afterNull is a byte between NULL and every other value, in both directions (types.KeyPart).
const afterNull = 0x02

// resolve turns the values of a filter into a window. Keys are built in buf, which it gives back; the window shares its memory and
// that of spans.
func (s *structure) resolve(f *vtab.Filter, buf []byte, spans []kv.Span) (window, []byte, error) {
	kind := vtab.PlanScan
	if f.Access != nil {
		kind = f.Access.Kind
	}
	r := resolver{s: s, buf: buf[:0], window: window{spans: spans[:0]}}
	var err error
	switch kind {
	case vtab.PlanEmpty:
	case vtab.PlanScan:
		r.whole()
	case vtab.PlanEqSeek:
		r.local = true
		err = r.tuple(f.Eq)
	case vtab.PlanMultiSeek:
		r.local = true
		err = r.tuples(f.Seeks)
	case vtab.PlanRangeSeek, vtab.PlanPrefixRange:
		err = r.ranges(f.Eq, []vtab.Range{{Lower: f.Lower, Upper: f.Upper}})
	case vtab.PlanMultiRange:
		err = r.ranges(f.Eq, f.Ranges)
	}
	if err != nil {
		return window{}, r.buf, err
	}
	r.normalize()
	return r.window, r.buf, nil
}

// resolver builds a window; its keys lie in buf, one behind the other.
type resolver struct {
	window
	s   *structure
	buf []byte
}

func (r *resolver) whole() {
	r.spans = append(r.spans, kv.Span{Lo: r.s.prefix, Hi: types.PrefixEnd(r.s.prefix)})
}

// encode appends the structure's prefix and the keys of the values to buf, and gives them. held is false when a value has no place
// among the keys: the key ends before it, and the access widens to all keys that begin so.
func (r *resolver) encode(values []types.Value) (key []byte, held bool, err error) {
	from := len(r.buf)
	r.buf = append(r.buf, r.s.prefix...)
	for i, v := range values {
		part := &r.s.members[i].part
		if !part.Holds(v) {
			return r.buf[from:len(r.buf):len(r.buf)], false, nil
		}
		if r.buf, err = part.Append(r.buf, v); err != nil {
			return nil, false, err
		}
	}
	return r.buf[from:len(r.buf):len(r.buf)], true, nil
}

// tuple adds the entries that begin with the values.
func (r *resolver) tuple(values []types.Value) error {
	key, held, err := r.encode(values)
	if err != nil {
		return err
	}
	r.points = held && r.s.identifies(values)
	if r.points {
		r.spans = append(r.spans, kv.Span{Lo: key})
	} else {
		r.spans = append(r.spans, kv.PrefixSpan(key))
	}
	return nil
}

// identifies reports whether the values are the whole key of at most one entry.
func (s *structure) identifies(values []types.Value) bool {
	if !s.unique || len(values) != len(s.members) {
		return false
	}
	return s.kind == primaryKind || !slices.ContainsFunc(values, types.Value.IsNull)
}

// tuples adds the entries of every tuple; only if all are points do they stay points.
func (r *resolver) tuples(seeks [][]types.Value) error {
	all := true
	for _, values := range seeks {
		if err := r.tuple(values); err != nil {
			return err
		}
		all = all && r.points
	}
	r.points = all
	if all {
		return nil
	}
	for i, sp := range r.spans {
		if sp.Hi == nil {
			r.spans[i] = kv.PrefixSpan(sp.Lo)
		}
	}
	return nil
}

// ranges adds the entries that begin with the equality values and go on with a value in one of the ranges.
func (r *resolver) ranges(eq []types.Value, ranges []vtab.Range) error {
	prefix, held, err := r.encode(eq)
	if err != nil {
		return err
	}
	if !held {
		r.spans = append(r.spans, kv.PrefixSpan(prefix))
		return nil
	}
	m := &r.s.members[len(eq)]
	for _, rg := range ranges {
		sp, err := m.span(prefix, rg)
		if err != nil {
			return err
		}
		r.spans = append(r.spans, sp)
	}
	return nil
}

// span gives the keys behind prefix whose member lies in the range. Bounds are in value order; in a descending member the lower one ends the span.
// NULL lies in no range. A bound without a place among the keys is left out.
func (m *member) span(prefix []byte, rg vtab.Range) (kv.Span, error) {
	first, last := rg.Lower, rg.Upper
	if m.desc {
		first, last = last, first
	}
	sp := kv.Span{Lo: append(bytes.Clone(prefix), afterNull), Hi: types.PrefixEnd(prefix)}
	if first != nil && m.part.Holds(first.Value) {
		key, err := m.part.Append(bytes.Clone(prefix), first.Value)
		if err != nil {
			return sp, err
		}
		sp.Lo = key
		if !first.Inclusive {
			sp.Lo = types.PrefixEnd(key)
		}
	}
	if last != nil && m.part.Holds(last.Value) {
		key, err := m.part.Append(bytes.Clone(prefix), last.Value)
		if err != nil {
			return sp, err
		}
		sp.Hi = key
		if last.Inclusive {
			sp.Hi = types.PrefixEnd(key)
		}
	}
	return sp, nil
}

// normalize sorts the spans and joins those that overlap or are the same.
func (r *resolver) normalize() {
	if len(r.spans) < 2 {
		if len(r.spans) == 1 && !r.points && r.spans[0].Empty() {
			r.spans = nil
		}
		return
	}
	slices.SortFunc(r.spans, func(a, b kv.Span) int { return bytes.Compare(a.Lo, b.Lo) })
	if r.points {
		r.spans = slices.CompactFunc(r.spans, func(a, b kv.Span) bool { return bytes.Equal(a.Lo, b.Lo) })
		return
	}
	out := r.spans[:0]
	for _, sp := range r.spans {
		switch n := len(out); {
		case sp.Empty():
		case n > 0 && bytes.Compare(sp.Lo, out[n-1].Hi) <= 0:
			if bytes.Compare(sp.Hi, out[n-1].Hi) > 0 {
				out[n-1].Hi = sp.Hi
			}
		default:
			out = append(out, sp)
		}
	}
	r.spans = out
}
