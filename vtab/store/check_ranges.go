package store

import (
	"maps"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// rangeCheck judges the key space outside of the tables' own entries: facts, and ranges that belong to nobody.
type rangeCheck struct {
	*check
	*faults
	next catalog.Incarnation
	// listed are the ranges that intents and retired records give up.
	listed []kv.Span
}

// ranges walks the whole key space, seeking past what lies in one range or record space, and judges what it meets. Facts come before
// the data that they speak of.
func (c *check) ranges() error {
	it, err := c.reader.NewIter(kv.IterOptions{})
	if err != nil {
		return err
	}
	defer it.Close()
	r := &rangeCheck{check: c, faults: c.faults(nil), next: 1}
	for ok := it.First(); ok; {
		if err := kv.Interrupted(c.ctx); err != nil {
			return err
		}
		past := r.judge(it.Key(), it.Value())
		if past == nil {
			ok = it.Next()
		} else {
			ok = it.SeekGE(past)
		}
	}
	if err := it.Err(); err != nil {
		return err
	}
	for _, inc := range slices.Sorted(maps.Keys(c.owners)) {
		if inc >= r.next {
			r.add("range %d of table %s is not among the numbers that were given out", inc, c.owners[inc].Name)
		}
	}
	return nil
}

// judge looks at one key and says where to go on: nil for the next one.
func (r *rangeCheck) judge(key, value []byte) (past []byte) {
	switch key[0] {
	case spaceSystem:
		r.system(key, value)
	case spaceMeta, spaceCatalog, spaceHistory: // the engine's
		return []byte{key[0] + 1}
	case spaceIntents, spaceRetired, spaceCounts:
		inc, ok := readIncarnation(key[1:])
		if !ok {
			r.add("key %s names no incarnation", keyText(key))
			return nil
		}
		r.fact(key, inc, value)
	case spaceData:
		return r.data(key)
	default:
		r.add("key %s belongs to no part of the key space", keyText(key))
	}
	return nil
}

func (r *rangeCheck) system(key, value []byte) {
	n, err := readUvarint(value)
	switch {
	case string(key) != string(nextKey):
		r.add("key %s is no fact of the store", keyText(key))
	case err != nil:
		r.add("the next incarnation: %s", err)
	default:
		r.next = catalog.Incarnation(n)
	}
}

// fact judges what is kept about an incarnation. Counts that nothing owns do no harm but tell of a commit that forgot them.
func (r *rangeCheck) fact(key []byte, inc catalog.Incarnation, value []byte) {
	switch key[0] {
	case spaceIntents:
		to, err := readUvarint(value)
		if err != nil {
			r.add("intent %s: %s", keyText(key), err)
			return
		}
		r.next = max(r.next, catalog.Incarnation(to))
		r.listed = append(r.listed, dataSpan(inc, catalog.Incarnation(to)))
	case spaceRetired:
		r.listed = append(r.listed, kv.PrefixSpan(dataPrefix(inc)))
	case spaceCounts:
		if _, err := readUvarint(value); err != nil {
			r.add("row count %s: %s", keyText(key), err)
		}
		if t := r.owners[inc]; t == nil || t.Storage.Incarnation != inc {
			r.add("row count %s belongs to no table", keyText(key))
		}
	}
}

// data judges the range that a key lies in.
func (r *rangeCheck) data(key []byte) (past []byte) {
	inc, ok := catalog.Incarnation(0), false
	n := 2
	if len(key) > 1 {
		n += int(key[1])
	}
	if n <= len(key) {
		inc, ok = readIncarnation(key[1:n])
	}
	if !ok {
		r.add("key %s lies in no range", keyText(key))
		return nil
	}
	isListed := func(s kv.Span) bool { return s.Contains(key) }
	if r.owners[inc] == nil && !slices.ContainsFunc(r.listed, isListed) {
		r.add("range %d holds entries and belongs to nothing", inc)
	}
	return types.PrefixEnd(key[:n])
}
