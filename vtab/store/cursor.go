package store

import (
	"bytes"
	"context"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/invariant"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// cursor reads one access. It walks the window's entries and turns them into rows in one of three ways (fill): an entry of the
// primary key is its row, one of another structure leads to it, and when no column is asked for the entry is enough.
type cursor struct {
	t       *table
	s       *structure
	decoder *decoder
	window  window
	reverse bool
	fill    func(c *cursor, b *vtab.Batch, n int) (int, error)
	// left is how many rows the cursor may still give; negative for no limit.
	left int64

	// it walks the span at position at in window.spans, once started, up to end; end is nil when the iterator knows it itself.
	it      kv.Iterator
	shared  bool  // it goes back to the table
	failed  error // it could not be opened
	at      int
	end     []byte
	started bool

	keys, value []byte // memory of the window's keys, and of values that were got
	one         [1]kv.Span
	fetch       fetcher
	closed      bool
	guard       invariant.Closer
}

// open begins an access of the structure.
func (c *cursor) open(t *table, s *structure, f *vtab.Filter) error {
	c.t, c.s = t, s
	c.left = -1
	if f.Limit > 0 {
		c.left = f.Limit
	}
	c.reverse = f.Access != nil && f.Access.Reverse
	var err error
	if c.window, c.keys, err = s.resolve(f, c.keys, c.one[:0]); err != nil {
		return err
	}
	c.decoder = t.shape.decoder(f.Columns)
	switch {
	case s.kind == primaryKind && c.window.points:
		c.fill = (*cursor).fillPoints
	case s.kind == primaryKind:
		c.fill = (*cursor).fillRows
	case f.Columns.Max() < 0:
		c.fill = (*cursor).fillBlank
	default:
		c.fill = (*cursor).fillFetched
	}
	if c.reverse {
		c.at = len(c.window.spans) - 1
	}
	return nil
}

// Next implements vtab.Cursor.
func (c *cursor) Next(ctx context.Context, b *vtab.Batch) (int, error) {
	c.guard.MustBeOpen("cursor")
	if err := kv.Interrupted(ctx); err != nil {
		return 0, err
	}
	b.Arena.Reset()
	if b.Filled.By != c.decoder {
		b.Filled.By, b.Filled.Rows = c.decoder, 0
	}
	want := len(b.Rows)
	if c.left >= 0 {
		want = int(min(int64(want), c.left))
	}
	n, err := c.fill(c, b, want)
	if err != nil {
		return 0, types.Wrapf(types.IOERR, err, "table %s", c.t.shape.table.Name)
	}
	if c.left >= 0 {
		c.left -= int64(n)
	}
	return n, nil
}

// blank gives row i of the batch with NULL in the columns that are not asked for.
func (c *cursor) blank(b *vtab.Batch, i int) types.Row {
	if i >= b.Filled.Rows {
		clear(b.Rows[i])
		b.Filled.Rows = i + 1
	}
	return b.Rows[i]
}

// batchBytes is the size of stored rows at which a batch ends early, so that big rows do not pile up in its arena.
const batchBytes = 4 << 20

// fillRows decodes the rows that it walks over.
func (c *cursor) fillRows(b *vtab.Batch, want int) (n int, err error) {
	size := 0
	for n < want && size < batchBytes && c.advance() {
		stored := c.it.Value()
		if err := c.decoder.decode(c.blank(b, n), stored, &b.Arena); err != nil {
			return 0, err
		}
		size += len(stored)
		n++
	}
	return n, c.err()
}

// fillBlank counts entries.
func (c *cursor) fillBlank(b *vtab.Batch, want int) (n int, err error) {
	if c.window.points {
		return c.eachPoint(want, func(n int, _, _ []byte) error {
			c.blank(b, n)
			return nil
		})
	}
	for n < want && c.advance() {
		c.blank(b, n)
		n++
	}
	return n, c.err()
}

// fillPoints gets whole primary keys.
func (c *cursor) fillPoints(b *vtab.Batch, want int) (int, error) {
	return c.eachPoint(want, func(n int, _, value []byte) error {
		return c.decoder.decode(c.blank(b, n), value, &b.Arena)
	})
}

// fillFetched walks index entries, then fetches their rows.
func (c *cursor) fillFetched(b *vtab.Batch, want int) (n int, err error) {
	c.fetch.reset(c.t.shape.primary)
	if c.window.points {
		n, err = c.eachPoint(want, func(_ int, key, value []byte) error { return c.fetch.add(c.s, key, value) })
	} else {
		for n < want && c.advance() {
			if err := c.fetch.add(c.s, c.it.Key(), c.it.Value()); err != nil {
				return 0, err
			}
			n++
		}
		err = c.err()
	}
	if err != nil || n == 0 {
		return 0, err
	}
	return n, c.fetch.run(c, b)
}

// eachPoint gets the entries of whole keys until want of them were found. Many keys are looked up by one iterator, since they
// come in key order.
func (c *cursor) eachPoint(want int, found func(n int, key, value []byte) error) (n int, err error) {
	step := 1
	if c.reverse {
		step = -1
	}
	for ; n < want && c.at >= 0 && c.at < len(c.window.spans); c.at += step {
		key := c.window.spans[c.at].Lo
		value, ok, err := c.point(key)
		if err != nil {
			return 0, err
		}
		if !ok {
			continue
		}
		if err := found(n, key, value); err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

// point gets the value of one key; it is valid until the next call.
func (c *cursor) point(key []byte) (value []byte, found bool, err error) {
	if len(c.window.spans) == 1 {
		c.value, found, err = c.t.reader.Get(key, c.value[:0])
		return c.value, found, err
	}
	if err := c.openShared(); err != nil {
		return nil, false, err
	}
	if !c.it.SeekGE(key) || !bytes.Equal(c.it.Key(), key) {
		return nil, false, c.it.Err()
	}
	return c.it.Value(), true, nil
}

// openShared takes the table's iterator over the whole structure.
func (c *cursor) openShared() (err error) {
	if c.it == nil {
		c.shared = true
		c.it, err = c.t.borrow(c.s)
	}
	return err
}

// advance moves to the next entry of the window; false at its end and on an error, which err tells.
func (c *cursor) advance() bool {
	for {
		var ok bool
		switch {
		case !c.started:
			if ok = c.enter(); !c.started {
				return false
			}
		case c.reverse:
			ok = c.it.Prev()
		default:
			ok = c.it.Next()
		}
		switch {
		case ok && (c.end == nil || c.inside()):
			return true
		case !ok && c.it.Err() != nil:
			return false
		}
		c.started = false
		if c.reverse {
			c.at--
		} else {
			c.at++
		}
	}
}

// inside reports whether the iterator stands before the end of the span.
func (c *cursor) inside() bool {
	if c.reverse {
		return bytes.Compare(c.it.Key(), c.end) >= 0
	}
	return bytes.Compare(c.it.Key(), c.end) < 0
}

// enter positions the iterator at the beginning of the next span and reports whether it stands on an entry. It leaves started
// unset when there is no next span, or on an error.
func (c *cursor) enter() bool {
	if c.at < 0 || c.at >= len(c.window.spans) {
		return false
	}
	span := c.window.spans[c.at]
	if c.it == nil && !c.openFor(span) {
		return false
	}
	c.started = true
	switch {
	case !c.shared && c.reverse:
		return c.it.Last()
	case !c.shared:
		return c.it.First()
	case c.reverse:
		c.end = span.Lo
		return c.it.SeekLT(span.Hi)
	}
	c.end = span.Hi
	return c.it.SeekGE(span.Lo)
}

// openFor opens the iterator: one span that may be long gets its own, which stops at its ends.
func (c *cursor) openFor(span kv.Span) bool {
	if c.window.local || len(c.window.spans) > 1 {
		c.failed = c.openShared()
	} else {
		c.it, c.failed = c.t.reader.NewIter(kv.IterOptions{Span: span})
	}
	return c.failed == nil
}

// err is why advance gave false: nil at the end.
func (c *cursor) err() error {
	if c.failed != nil || c.it == nil {
		return c.failed
	}
	return c.it.Err()
}

func (c *cursor) closeIter() error {
	it := c.it
	c.it = nil
	switch {
	case it == nil || c.failed != nil:
		return nil
	case c.shared:
		return c.t.giveBack(c.s, it)
	}
	return it.Close()
}

// Close implements vtab.Cursor.
func (c *cursor) Close() error {
	c.guard.Close("cursor")
	if c.closed {
		return nil
	}
	c.closed = true
	err := c.fetch.close(c.t)
	if e := c.closeIter(); err == nil {
		err = e
	}
	c.t.keepBuffers(c)
	return err
}
