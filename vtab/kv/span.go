package kv

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/quereus/quereus-migrate/types"
)

// Span is the key range [Lo, Hi). A nil Lo begins at the first key, a nil Hi has no upper end.
type Span struct{ Lo, Hi []byte }

// PrefixSpan covers the keys that begin with prefix.
func PrefixSpan(prefix []byte) Span { return Span{Lo: prefix, Hi: PrefixEnd(prefix)} }

// PrefixEnd is the first key after all keys that begin with prefix; nil when there is none.
func PrefixEnd(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xFF {
			end := bytes.Clone(prefix[:i+1])
			end[i]++
			return end
		}
	}
	return nil
}

// Successor is the first key after key.
func Successor(key []byte) []byte {
	next := make([]byte, len(key)+1)
	copy(next, key)
	return next
}

// Contains reports whether key lies in s.
func (s Span) Contains(key []byte) bool {
	return bytes.Compare(key, s.Lo) >= 0 && (s.Hi == nil || bytes.Compare(key, s.Hi) < 0)
}

// Covers reports whether o lies in s as a whole. An empty span lies in every span.
func (s Span) Covers(o Span) bool {
	return o.Empty() || bytes.Compare(s.Lo, o.Lo) <= 0 && compareEnds(o.Hi, s.Hi) <= 0
}

// Overlaps reports whether a key can lie in both.
func (s Span) Overlaps(o Span) bool { return !s.Intersect(o).Empty() }

// Intersect is what lies in both.
func (s Span) Intersect(o Span) Span {
	if bytes.Compare(o.Lo, s.Lo) > 0 {
		s.Lo = o.Lo
	}
	if compareEnds(o.Hi, s.Hi) < 0 {
		s.Hi = o.Hi
	}
	return s
}

// Empty reports whether no key can lie in s.
func (s Span) Empty() bool { return s.Hi != nil && bytes.Compare(s.Lo, s.Hi) >= 0 }

// compareEnds compares two upper ends, of which a nil one is the last.
func compareEnds(a, b []byte) int {
	if a == nil || b == nil {
		return cmp.Compare(endRank(a), endRank(b))
	}
	return bytes.Compare(a, b)
}

func endRank(end []byte) int {
	if end == nil {
		return 1
	}
	return 0
}

// unionSpans gives the keys of the spans as disjoint spans in key order, with bytes of their own.
func unionSpans(spans []Span) []Span {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b Span) int { return bytes.Compare(a.Lo, b.Lo) })
	var out []Span
	for _, s := range spans {
		if s.Empty() {
			continue
		}
		if n := len(out); n > 0 && (out[n-1].Hi == nil || bytes.Compare(s.Lo, out[n-1].Hi) <= 0) {
			if compareEnds(s.Hi, out[n-1].Hi) > 0 {
				out[n-1].Hi = bytes.Clone(s.Hi)
			}
			continue
		}
		out = append(out, Span{Lo: bytes.Clone(s.Lo), Hi: bytes.Clone(s.Hi)})
	}
	return out
}

// Interrupted is the INTERRUPT error of a context that is done, its cause where that is one, else nil.
func Interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	if own := (*types.Error)(nil); errors.As(context.Cause(ctx), &own) && own.Code == types.INTERRUPT {
		return own // it says what ended the statement, a limit for one
	}
	return &types.Error{Code: types.INTERRUPT, Message: "interrupted: " + context.Cause(ctx).Error(), Cause: context.Cause(ctx)}
}
