package store

import (
	"bytes"
	"slices"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// fetcher fetches the rows that a batch of index entries leads to. Rows are looked up in the order of their keys, which one iterator
// does several times as fast as a lookup for each, and are put where their entries were.
type fetcher struct {
	prefix []byte
	buf    []byte // the keys, one behind the other
	ends   []int  // where each ends in buf
	order  []int  // positions, to be sorted by key
	value  []byte
	it     kv.Iterator
}

// reset begins a batch of rows under a primary key.
func (f *fetcher) reset(primary *structure) {
	f.prefix = primary.prefix
	f.buf, f.ends, f.order = f.buf[:0], f.ends[:0], f.order[:0]
}

// add takes the next entry of structure s.
func (f *fetcher) add(s *structure, key, value []byte) error {
	pk, err := s.primaryKeyOf(key, value)
	if err != nil {
		return err
	}
	f.buf = append(append(f.buf, f.prefix...), pk...)
	f.order = append(f.order, len(f.ends))
	f.ends = append(f.ends, len(f.buf))
	return nil
}

func (f *fetcher) key(i int) []byte {
	from := 0
	if i > 0 {
		from = f.ends[i-1]
	}
	return f.buf[from:f.ends[i]]
}

// run decodes the rows into the batch.
func (f *fetcher) run(c *cursor, b *vtab.Batch) (err error) {
	for i := range f.ends {
		c.blank(b, i)
	}
	if len(f.ends) == 1 {
		return f.single(c, b)
	}
	if f.it == nil {
		if f.it, err = c.t.borrow(c.t.shape.primary); err != nil {
			return err
		}
	}
	byKey := func(i, j int) int { return bytes.Compare(f.key(i), f.key(j)) }
	if !slices.IsSortedFunc(f.order, byKey) {
		slices.SortFunc(f.order, byKey)
	}
	for _, i := range f.order {
		key := f.key(i)
		if !f.it.SeekGE(key) || !bytes.Equal(f.it.Key(), key) {
			return lostRow(f.it.Err(), key)
		}
		if err := c.decoder.decode(b.Rows[i], f.it.Value(), &b.Arena); err != nil {
			return err
		}
	}
	return nil
}

// single fetches one row without an iterator.
func (f *fetcher) single(c *cursor, b *vtab.Batch) error {
	var found bool
	var err error
	f.value, found, err = c.t.reader.Get(f.key(0), f.value[:0])
	if err != nil || !found {
		return lostRow(err, f.key(0))
	}
	return c.decoder.decode(b.Rows[0], f.value, &b.Arena)
}

// lostRow is the error of an entry without its row.
func lostRow(err error, key []byte) error {
	if err != nil {
		return err
	}
	return types.Errorf(types.CORRUPT, "an index entry leads to no row: %s", formatKey(key))
}

// close gives the iterator back to the table.
func (f *fetcher) close(t *table) error {
	it := f.it
	f.it = nil
	if it == nil {
		return nil
	}
	return t.giveBack(t.shape.primary, it)
}
