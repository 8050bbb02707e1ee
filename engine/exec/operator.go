package exec

import (
	"unsafe"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// Operator produces rows. One goroutine uses it. After Close it may be opened again, and then starts over; Close may be called at
// any time, any number of times, also after a failed Open.
type Operator interface {
	// Open begins a run in a context, which stays the operator's until Close.
	Open(ec *Context) error
	// Next sets b.Rows to the next rows; none is the end, and Next must not be called behind it.
	Next(b *Batch) error
	Close() error
}

// Batch is a view of rows that belong to an operator; see the package comment for how long they are valid.
type Batch struct{ Rows []types.Row }

// drain hands all rows that an open operator still has to take, through the caller's batch.
func drain(in Operator, b *Batch, take func(types.Row) error) error {
	for {
		if err := in.Next(b); err != nil || len(b.Rows) == 0 {
			return err
		}
		for _, row := range b.Rows {
			if err := take(row); err != nil {
				return err
			}
		}
	}
}

// batchRows is the number of rows that operators aim at in a batch.
const batchRows = vtab.BatchRows

// rowBlock is the memory of the rows that an operator makes: one block of values for a batch, and an arena for texts that must
// outlive the row they came from. Both are used again for the next batch.
type rowBlock struct {
	width int // of rows as they are made
	shown int // of rows as they are handed out: the first columns
	slab  []types.Value
	rows  []types.Row
	arena types.Arena
}

// reset empties the block for rows of the given width.
func (b *rowBlock) reset(width int) { b.resetWider(width, width) }

// resetWider empties the block for rows that are made wider than they are shown.
func (b *rowBlock) resetWider(shown, width int) {
	b.width, b.shown = width, shown
	b.rows = b.rows[:0]
	b.arena.Reset()
}

// full reports whether the block holds a whole batch.
func (b *rowBlock) full() bool { return len(b.rows) >= batchRows }

// add appends a row whose values are unset. The slab grows with use, so that small answers stay small.
func (b *rowBlock) add() types.Row {
	n := len(b.rows)
	if (n+1)*b.width > len(b.slab) || b.slab == nil {
		b.grow(n)
	}
	row := types.Row(b.slab[n*b.width : (n+1)*b.width : (n+1)*b.width])
	b.rows = append(b.rows, row[:b.shown:b.shown])
	return row
}

// grow moves to a larger slab; rows that are there already keep the old one.
func (b *rowBlock) grow(n int) {
	rows := min(max(2*n, 8), batchRows)
	if rows <= n {
		rows = 2 * n
	}
	b.slab = make([]types.Value, rows*b.width)
}

// drop takes the last row back.
func (b *rowBlock) drop() { b.rows = b.rows[:len(b.rows)-1] }

// keep copies a value's text or blob into the arena, so that it lives as long as the block.
func (b *rowBlock) keep(v types.Value) types.Value { return copyInto(&b.arena, v) }

// fill shows in out the next rows of a source, copied into the block: next gives rows that are valid until its next call, at
// least as wide as asked for, and nil at the end.
func (b *rowBlock) fill(ec *Context, width int, next func() (types.Row, error), out *Batch) error {
	b.reset(width)
	for !b.full() {
		row, err := next()
		if err != nil {
			return err
		}
		if row == nil {
			break
		}
		dst := b.add()
		for i := range dst {
			dst[i] = b.keep(row[i])
		}
	}
	out.Rows = b.rows
	return ec.canceled()
}

// copyInto copies the memory of texts and blobs into an arena.
func copyInto(arena *types.Arena, v types.Value) types.Value {
	switch v.Kind() {
	case types.KindText:
		return arena.Text(bytesOf(v.Str()))
	case types.KindBlob:
		return arena.Blob(v.Bytes())
	}
	return v
}

// bytesOf gives the bytes of a string without copying; they must not be written to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// firstError gives the first error of several steps that were all taken.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// emptied clears a map for its next use, or gives up one that has grown large.
func emptied[V any](m map[string]V) map[string]V {
	const large = 1 << 12
	if len(m) > large {
		return nil
	}
	clear(m)
	return m
}
