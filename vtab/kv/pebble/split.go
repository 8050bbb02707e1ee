package pebble

import (
	"bytes"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/quereus/quereus-migrate/vtab/kv"
)

// Split implements kv.Splitter: pieces end where tables do. What is not in tables yet is not counted.
func (s *Store) Split(span kv.Span, pieceBytes uint64) ([][]byte, error) {
	if err := kv.CheckSpan(span); err != nil {
		return nil, err
	}
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.gate.leave()
	r, any, err := s.keyRange(span)
	if err != nil || !any {
		return nil, err
	}
	levels, err := s.db.SSTables(pebble.WithKeyRangeFilter(r.Start, r.End))
	if err != nil {
		return nil, s.wrap(err, "list the tables")
	}
	tables := slices.Concat(levels...)
	slices.SortFunc(tables, func(a, b pebble.SSTableInfo) int {
		return bytes.Compare(a.Largest.UserKey, b.Largest.UserKey)
	})
	var keys [][]byte
	var size uint64
	for i := range tables {
		size += tables[i].Size
		end := tables[i].Largest.UserKey
		if size < pieceBytes || bytes.Compare(end, span.Lo) <= 0 || !span.Contains(end) {
			continue
		}
		if n := len(keys); n == 0 || !bytes.Equal(keys[n-1], end) {
			keys = append(keys, bytes.Clone(end))
			size = 0
		}
	}
	return keys, nil
}
