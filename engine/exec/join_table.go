package exec

import "github.com/quereus/quereus-migrate/types"

// matchTable holds right rows of a join in memory, and finds those that may match a left row: by key, or all of them.
type matchTable struct {
	rows    rowStore
	keyed   bool
	byKey   map[string]int32
	next    []int32  // the next row of the same key, -1 for none
	last    []int32  // of the first row of a key: its last one
	matched []uint64 // bits of rows that matched; used where unmatched right rows are wanted
	bytes   int64
}

func (t *matchTable) reset(width int, keyed bool) {
	t.rows.reset(width)
	t.keyed = keyed
	t.byKey = emptied(t.byKey)
	t.next, t.last = t.next[:0], t.last[:0]
	clear(t.matched)
	t.bytes = 0
}

// weight is the number of bytes that the table holds.
func (t *matchTable) weight() int64 { return t.rows.bytes + t.bytes }

// add takes a copy of a row. key is nil for one that can match nothing.
func (t *matchTable) add(row types.Row, key []byte) {
	i := int32(len(t.rows.rows))
	t.rows.add(row)
	if n := int(i)/64 + 1; n > len(t.matched) {
		t.matched = append(t.matched, 0)
	}
	if !t.keyed {
		return
	}
	t.next, t.last = append(t.next, -1), append(t.last, i)
	t.bytes += 8
	if key == nil {
		return
	}
	first, ok := t.byKey[string(key)]
	if ok {
		t.next[t.last[first]] = i
		t.last[first] = i
		return
	}
	if t.byKey == nil {
		t.byKey = map[string]int32{}
	}
	t.byKey[string(key)] = i
	t.bytes += int64(len(key)) + keyOverhead
}

// first gives the first candidate for a key, -1 for none.
func (t *matchTable) first(key []byte) int32 {
	switch {
	case !t.keyed && len(t.rows.rows) > 0:
		return 0
	case !t.keyed || key == nil:
		return -1
	}
	if i, ok := t.byKey[string(key)]; ok {
		return i
	}
	return -1
}

// after gives the candidate behind i, -1 for none.
func (t *matchTable) after(i int32) int32 {
	if t.keyed {
		return t.next[i]
	}
	if int(i)+1 < len(t.rows.rows) {
		return i + 1
	}
	return -1
}

func (t *matchTable) mark(i int32)          { t.matched[i/64] |= 1 << (i % 64) }
func (t *matchTable) isMarked(i int32) bool { return t.matched[i/64]&(1<<(i%64)) != 0 }
func (t *matchTable) row(i int32) types.Row { return t.rows.rows[i] }
func (t *matchTable) len() int32            { return int32(len(t.rows.rows)) }

// bitset is a set of row numbers.
type bitset []uint64

func (s *bitset) add(i int64) {
	for int64(len(*s)) <= i/64 {
		*s = append(*s, 0)
	}
	(*s)[i/64] |= 1 << (i % 64)
}

func (s bitset) has(i int64) bool { return i/64 < int64(len(s)) && s[i/64]&(1<<(i%64)) != 0 }
