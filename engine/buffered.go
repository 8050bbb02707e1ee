package engine

import (
	"context"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// bufferedTable is a table of a module that is no vtab.Transactor, read by a statement that may write it. Nothing keeps the state from before
// the statement, so a scan takes all rows into memory before it gives the first: what is written for a row cannot be met again.
type bufferedTable struct {
	vtab.Table
	width int
}

// Scan implements vtab.Table. Memory grows with the rows of the access.
func (t *bufferedTable) Scan(ctx context.Context, f *vtab.Filter) (vtab.Cursor, error) {
	c, err := t.Table.Scan(ctx, f)
	if err != nil {
		return nil, err
	}
	b := &bufferedCursor{}
	for row, err := range vtab.Rows(ctx, c, t.width) {
		if err != nil {
			c.Close()
			return nil, err
		}
		b.rows = append(b.rows, row.Clone())
	}
	return b, c.Close()
}

// bufferedCursor gives rows from memory.
type bufferedCursor struct{ rows []types.Row }

func (c *bufferedCursor) Next(ctx context.Context, b *vtab.Batch) (int, error) {
	if err := kv.Interrupted(ctx); err != nil {
		return 0, err
	}
	b.Filled.By, b.Filled.Rows = nil, 0
	n := min(len(b.Rows), len(c.rows))
	for i, row := range c.rows[:n] {
		copy(b.Rows[i], row)
	}
	c.rows = c.rows[n:]
	return n, nil
}

func (c *bufferedCursor) Close() error {
	c.rows = nil
	return nil
}
