package vtab

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/types"
)

func TestColumnSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.SliceOf(rapid.IntRange(0, 200)).Draw(t, "columns")
		s := Columns(columns...)
		greatest, model := -1, map[int]bool{}
		for _, c := range columns {
			greatest, model[c] = max(greatest, c), true
		}
		require.Equal(t, greatest, s.Max())
		for c := range 210 {
			require.Equal(t, model[c], s.Has(c))
		}
		c := s.Clone()
		require.True(t, s.Equal(c))
		c.Add(201)
		require.False(t, s.Equal(c))
		require.False(t, c.Equal(s))
		require.False(t, s.Has(201), "a clone shares nothing")
	})
	require.True(t, AllColumns(3).Equal(Columns(2, 1, 0)))
	require.True(t, ColumnSet{}.Equal(Columns()))
}

func TestNewBatch(t *testing.T) {
	b := NewBatch(3, 2)
	require.Len(t, b.Rows, 3)
	_ = append(b.Rows[0], types.Int(7))
	require.True(t, b.Rows[1][0].IsNull(), "rows do not run into each other")
}

// countdown is a cursor over falling numbers that ends with an error if there is one.
type countdown struct {
	left int
	err  error
}

func (c *countdown) Next(_ context.Context, b *Batch) (n int, err error) {
	for n < len(b.Rows) && c.left > 0 {
		b.Rows[n][0] = types.Int(int64(c.left))
		c.left--
		n++
	}
	if n == 0 {
		return 0, c.err
	}
	return n, nil
}

func (c *countdown) Close() error { return nil }

func TestRows(t *testing.T) {
	ctx := context.Background()
	n := 0
	for r, err := range Rows(ctx, &countdown{left: 600}, 1) {
		require.NoError(t, err)
		i, _ := r[0].Int64()
		require.EqualValues(t, 600-n, i)
		n++
	}
	require.Equal(t, 600, n)

	bad := errors.New("bad")
	var last error
	for _, last = range Rows(ctx, &countdown{left: 3, err: bad}, 1) {
	}
	require.Equal(t, bad, last)

	for range Rows(ctx, &countdown{left: 9}, 1) {
		break // the rest is not read
	}
}
