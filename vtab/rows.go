package vtab

import (
	"context"
	"iter"

	"github.com/quereus/quereus-migrate/types"
)

// Rows adapts a cursor for range loops. Each row is valid until the next one and as wide as the table, width columns. An error is the
// last pair. The caller still closes the cursor, also after leaving the loop early.
func Rows(ctx context.Context, c Cursor, width int) iter.Seq2[types.Row, error] {
	return func(yield func(types.Row, error) bool) {
		b := NewBatch(BatchRows, width)
		for {
			n, err := c.Next(ctx, b)
			if err != nil {
				yield(nil, err)
				return
			}
			if n == 0 {
				return
			}
			for _, r := range b.Rows[:n] {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}
