package kv

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// The rules that every Store keeps, in one place.

// CheckSpan refuses an inverted span: where it does not mean a fault it is no use either. An empty one is fine.
func CheckSpan(s Span) error {
	if s.Hi != nil && bytes.Compare(s.Lo, s.Hi) > 0 {
		return types.Errorf(types.MISUSE, "span begins at %x, after its end %x", s.Lo, s.Hi)
	}
	return nil
}

// CheckKey refuses the empty key: no entry has it.
func CheckKey(key []byte) error {
	if len(key) == 0 {
		return types.Errorf(types.MISUSE, "an entry needs a key")
	}
	return nil
}

// CheckRising refuses a key of a bulk file or a run that does not come after the one before.
func CheckRising(prev, key []byte) error {
	if bytes.Compare(prev, key) >= 0 {
		return types.Errorf(types.MISUSE, "keys of a bulk file must rise: %x after %x", key, prev)
	}
	return nil
}

// CheckDisjoint refuses spans, those of bulk files for one Ingest, that overlap.
func CheckDisjoint(spans []Span) error {
	sorted := slices.Clone(spans)
	slices.SortFunc(sorted, func(a, b Span) int { return bytes.Compare(a.Lo, b.Lo) })
	for i := 1; i < len(sorted); i++ {
		if sorted[i-1].Overlaps(sorted[i]) {
			return types.Errorf(types.MISUSE, "bulk files overlap at key %x", sorted[i].Lo)
		}
	}
	return nil
}

// OpenHandles says how many handles keep a store from closing.
func OpenHandles(iterators, snapshots, bulkWriters int64) string {
	var parts []string
	for _, h := range []struct {
		n    int64
		name string
	}{{iterators, "iterator"}, {snapshots, "snapshot"}, {bulkWriters, "bulk writer"}} {
		switch {
		case h.n == 1:
			parts = append(parts, "1 "+h.name)
		case h.n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", h.n, h.name))
		}
	}
	return strings.Join(parts, ", ") + " still open"
}
