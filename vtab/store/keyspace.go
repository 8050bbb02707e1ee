package store

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// The key space. The first byte of a key says what it is:
//
//	0x01  the store's own facts: 0x01 "next" → next incarnation (uvarint)
//	0x02  meta records of the engine
//	0x03  catalog records
//	0x04  history records
//	0x05  intents:  [incarnation from] → [incarnation to]: ranges that an open transaction may have ingested into
//	0x06  retired:  [incarnation] → nothing: ranges that no catalog names any more and that are still to be cleared
//	0x07  counts:   [incarnation] → rows in it (uvarint)
//	0x10  data:     [incarnation][key] → rows and index entries
//
// An incarnation is an order-preserving varint: the number of its bytes, then the bytes, most significant first. What stands
// behind it in the data is described in structure.go. This is on disk: it never changes.
const (
	spaceSystem    = 0x01
	spaceMeta      = 0x02
	spaceCatalog   = 0x03
	spaceHistory   = 0x04
	spaceIntents   = 0x05
	spaceRetired   = 0x06
	spaceCounts    = 0x07
	spaceData      = 0x10
	spaceDataEnd   = spaceData + 1
	nextName       = "next"
	maxIncarnation = 9 // bytes that appendIncarnation may append
)

// nextKey is the key of the next unused incarnation.
var nextKey = append([]byte{spaceSystem}, nextName...)

// recordPrefix gives the first byte of the records of a space.
func recordPrefix(s vtab.RecordSpace) (byte, error) {
	switch s {
	case vtab.MetaRecords:
		return spaceMeta, nil
	case vtab.CatalogRecords:
		return spaceCatalog, nil
	case vtab.HistoryRecords:
		return spaceHistory, nil
	}
	return 0, types.Errorf(types.INTERNAL, "no record space %d", s)
}

// appendIncarnation appends the order-preserving form of inc.
func appendIncarnation(dst []byte, inc catalog.Incarnation) []byte {
	n := (bits.Len64(uint64(inc)) + 7) / 8
	dst = append(dst, byte(n))
	for i := n - 1; i >= 0; i-- {
		dst = append(dst, byte(uint64(inc)>>(8*i)))
	}
	return dst
}

// readIncarnation reads what appendIncarnation wrote; ok is false when b is no incarnation.
func readIncarnation(b []byte) (inc catalog.Incarnation, ok bool) {
	if len(b) == 0 || b[0] > 8 || len(b) != 1+int(b[0]) {
		return 0, false
	}
	for _, c := range b[1:] {
		inc = inc<<8 | catalog.Incarnation(c)
	}
	return inc, true
}

// incarnationKey gives the key of a fact about an incarnation: spaceIntents, spaceRetired, spaceCounts.
func incarnationKey(space byte, inc catalog.Incarnation) []byte {
	return appendIncarnation(append(make([]byte, 0, 1+maxIncarnation), space), inc)
}

// dataPrefix gives what the keys of an incarnation begin with.
func dataPrefix(inc catalog.Incarnation) []byte { return incarnationKey(spaceData, inc) }

// dataSpan gives the range of the incarnations from from up to, not including, to.
func dataSpan(from, to catalog.Incarnation) kv.Span {
	return kv.Span{Lo: dataPrefix(from), Hi: dataPrefix(to)}
}

// readUvarint reads a value that is one uvarint and nothing else.
func readUvarint(b []byte) (uint64, error) {
	n, size := binary.Uvarint(b)
	if size <= 0 || size != len(b) {
		return 0, types.Errorf(types.CORRUPT, "stored number %x is damaged", b)
	}
	return n, nil
}

// formatKey spells a key for people: /data/3/1/"abc" for row or entry (1, 'abc') of incarnation 3, /02/hex for anything else.
func formatKey(key []byte) string {
	if len(key) > 1 && key[0] == spaceData {
		if n := 2 + int(key[1]); n <= len(key) {
			if inc, ok := readIncarnation(key[1:n]); ok {
				return fmt.Sprintf("/data/%d%s", inc, types.FormatKey(key[n:]))
			}
		}
	}
	if len(key) == 0 {
		return "/"
	}
	return fmt.Sprintf("/%02x/%x", key[0], key[1:])
}
