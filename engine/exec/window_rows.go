package exec

import (
	bigendian "encoding/binary"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// windowRows are the rows of one partition, read by number: the first ones from memory, those beyond the budget from a temporary
// file, by pages. starts needs eight bytes a group of peers besides.
type windowRows struct {
	mem    rowStore
	budget int64
	dir    spillDir
	out    *kv.RunWriter // being written
	run    *kv.Run       // finished
	it     *kv.RunIter
	count  int
	// starts are the numbers of the rows that begin a group of peers; without an order all rows are one group.
	starts []int
	// last is the row added last, valid until the next is.
	last    types.Row
	arena   types.Arena
	scratch types.Row
	buf     []byte
	key     [8]byte
	pages   [windowPages]windowPage
	clock   int
}

// windowPage holds rows of the file, from a number on that pageRows divides.
type windowPage struct {
	from  int
	used  int // when it was last asked
	rows  rowStore
	valid bool
}

const (
	// windowPages serves the places that calls read a partition at: both ends of a frame, the row itself, a row before.
	windowPages = 16
	pageRows    = 128
)

// start empties the partition for rows of a width.
func (w *windowRows) start(ec *Context, width int) error {
	err := w.close()
	if w.mem.width == width {
		w.mem.recycle()
	} else {
		w.mem.reset(width)
	}
	w.budget, w.dir = ec.budget(), ec.spillDir()
	if len(w.scratch) != width {
		w.scratch = make(types.Row, width)
	}
	return err
}

// add appends a copy of a row.
func (w *windowRows) add(row types.Row, peers types.RowComparator) error {
	if w.count == 0 || peers != nil && peers(w.last, row) != 0 {
		w.starts = append(w.starts, w.count)
	}
	w.count++
	if w.out == nil && w.mem.bytes < w.budget {
		w.last = w.mem.add(row)
		return nil
	}
	return w.spill(row)
}

// spill appends a row to the file.
func (w *windowRows) spill(row types.Row) error {
	if w.out == nil {
		var err error
		if w.out, err = w.dir.create(0); err != nil {
			return err
		}
		w.last = make(types.Row, len(row))
	}
	w.buf = appendRow(w.buf[:0], row)
	bigendian.BigEndian.PutUint64(w.key[:], uint64(w.count-1))
	if err := w.out.Set(w.key[:], w.buf); err != nil {
		return err
	}
	w.arena.Reset()
	return decodeRow(w.last, w.buf, &w.arena)
}

// finish ends the adding; rows may be read from now on.
func (w *windowRows) finish() (err error) {
	if w.out != nil {
		w.run, err = w.out.Finish()
		w.out = nil
		if err == nil {
			w.it = w.run.NewIter(kv.Span{})
		}
	}
	return err
}

func (w *windowRows) len() int { return w.count }

// at gives a row. One from the file is valid while no more than windowPages-1 others are asked for.
func (w *windowRows) at(i int) (types.Row, error) {
	if i < len(w.mem.rows) {
		return w.mem.rows[i], nil
	}
	w.clock++
	from := i - i%pageRows
	oldest := &w.pages[0]
	for p := range w.pages {
		page := &w.pages[p]
		if page.valid && page.from == from {
			page.used = w.clock
			return page.rows.rows[i-max(from, len(w.mem.rows))], nil
		}
		if page.used < oldest.used || !page.valid && oldest.valid {
			oldest = page
		}
	}
	if err := w.fill(oldest, max(from, len(w.mem.rows))); err != nil {
		return nil, err
	}
	oldest.from, oldest.valid, oldest.used = from, true, w.clock
	return oldest.rows.rows[i-max(from, len(w.mem.rows))], nil
}

// fill reads a page from row first on.
func (w *windowRows) fill(page *windowPage, first int) error {
	page.valid = false
	page.rows.reset(w.mem.width)
	bigendian.BigEndian.PutUint64(w.key[:], uint64(first))
	for ok := w.it.SeekGE(w.key[:]); ok; ok = w.it.Next() {
		n := int(bigendian.BigEndian.Uint64(w.it.Key()))
		if n/pageRows != first/pageRows {
			break
		}
		w.arena.Reset()
		if err := decodeRow(w.scratch, w.it.Value(), &w.arena); err != nil {
			return err
		}
		page.rows.add(w.scratch)
	}
	return w.it.Err()
}

// close drops the rows and the file.
func (w *windowRows) close() (err error) {
	if w.out != nil {
		err = w.out.Abort()
		w.out = nil
	}
	if w.run != nil {
		err = firstError(err, w.run.Close())
		w.run, w.it = nil, nil
	}
	for p := range w.pages {
		w.pages[p].valid = false
	}
	w.count, w.starts, w.last = 0, w.starts[:0], nil
	return err
}
