package exec

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/types"
)

// spillContext is a context for structures that spill.
func spillContext(t testing.TB, budget int64) *Context {
	return &Context{ctx: t.Context(), rt: &Runtime{MemoryBudget: budget, TempDir: t.TempDir()}}
}

// drawSpillRows draws rows of a number that repeats, a text that may be long, and the row's place.
func drawSpillRows(t *rapid.T) []types.Row {
	n := rapid.IntRange(0, 60).Draw(t, "n")
	rows := make([]types.Row, n)
	for i := range rows {
		text := strings.Repeat("é", rapid.IntRange(0, 40).Draw(t, "len"))
		v := types.Text(text)
		if rapid.Bool().Draw(t, "blob") {
			v = types.Blob([]byte(text))
		}
		rows[i] = types.Row{types.Int(rapid.Int64Range(0, 5).Draw(t, "k")), v, types.Int(int64(i))}
	}
	return rows
}

func places(rows []types.Row) []int64 {
	out := []int64{}
	for _, r := range rows {
		at, _ := r[2].Int64()
		out = append(out, at)
	}
	return out
}

// readAll copies what next gives.
func readAll(t require.TestingT, next func() (types.Row, error)) []types.Row {
	var out []types.Row
	for {
		row, err := next()
		require.NoError(t, err)
		if row == nil {
			return out
		}
		out = append(out, row.Clone())
	}
}

var byNumber = types.NewRowComparator(types.OrderTerm{Column: 0, Cmp: types.NewComparator(types.TypeInteger, nil)})

// TestSorter sorts as a stable sort does, whatever the budget, and gives its rows twice.
func TestSorter(t *testing.T) {
	ec := spillContext(t, 0)
	var s sorter
	rapid.Check(t, func(rt *rapid.T) {
		rows := drawSpillRows(rt)
		ec.rt.MemoryBudget = rapid.SampledFrom([]int64{1, 500, 2000, 1 << 20}).Draw(rt, "budget")
		require.NoError(rt, s.start(ec, 3, byNumber))
		for _, r := range rows {
			require.NoError(rt, s.add(r))
		}
		require.NoError(rt, s.finish())
		slices.SortStableFunc(rows, byNumber)
		require.Equal(rt, places(rows), places(readAll(rt, s.next)))
		require.NoError(rt, s.rewind())
		again := readAll(rt, s.next)
		require.Equal(rt, places(rows), places(again))
		for i := range rows {
			require.Equal(rt, types.ToText(rows[i][1]), types.ToText(again[i][1]))
		}
	})
	require.NoError(t, s.close())
}

// TestSorterInterrupt ends what reads a sorter within a batch of rows, in memory and from disk.
func TestSorterInterrupt(t *testing.T) {
	for _, budget := range []int64{1 << 12, 1 << 30} {
		ec := spillContext(t, budget)
		ctx, cancel := context.WithCancel(t.Context())
		ec.ctx = ctx
		var s sorter
		require.NoError(t, s.start(ec, 3, byNumber))
		for i := range 4 * batchRows {
			require.NoError(t, s.add(types.Row{types.Int(int64(i)), types.Null, types.Int(int64(i))}))
		}
		require.NoError(t, s.finish())
		require.Equal(t, budget == 1<<12, s.spilled())
		cancel()
		read := 0
		for row, err := s.next(); ; row, err = s.next() {
			if err != nil {
				require.Equal(t, types.INTERRUPT, types.CodeOf(err))
				break
			}
			require.NotNil(t, row)
			read++
		}
		require.LessOrEqual(t, read, batchRows)
		require.NoError(t, s.close())
	}
}

// TestManyRuns merges more runs than are merged at once.
func TestManyRuns(t *testing.T) {
	ec := spillContext(t, 1)
	var s sorter
	require.NoError(t, s.start(ec, 3, byNumber))
	const n = 3*maxMerge + 5
	for i := range n {
		require.NoError(t, s.add(types.Row{types.Int(int64((i * 7) % 10)), types.Null, types.Int(int64(i))}))
	}
	require.Less(t, len(s.runs), maxMerge)
	require.NoError(t, s.finish())
	rows := readAll(t, s.next)
	require.Len(t, rows, n)
	require.True(t, slices.IsSortedFunc(rows, func(a, b types.Row) int {
		if c := byNumber(a, b); c != 0 {
			return c
		}
		x, _ := a[2].Int64()
		y, _ := b[2].Int64()
		return int(x - y)
	}))
	require.NoError(t, s.close())
}

// TestSpool gives rows in the order in which they came, to several readers, whatever the budget.
func TestSpool(t *testing.T) {
	ec := spillContext(t, 0)
	var s spool
	rapid.Check(t, func(rt *rapid.T) {
		rows := drawSpillRows(rt)
		ec.rt.MemoryBudget = rapid.SampledFrom([]int64{1, 700, 1 << 20}).Draw(rt, "budget")
		require.NoError(rt, s.start(ec, 3))
		for _, r := range rows {
			require.NoError(rt, s.add(r))
		}
		require.NoError(rt, s.finish())
		require.EqualValues(rt, len(rows), s.len())
		a, b := s.read(), s.read()
		first, err := a.next()
		require.NoError(rt, err)
		require.Equal(rt, len(rows) == 0, first == nil)
		require.Equal(rt, places(rows), places(readAll(rt, b.next)))
		if len(rows) > 0 {
			require.Equal(rt, places(rows[1:]), places(readAll(rt, a.next)))
		}
	})
	require.NoError(t, s.close())
}

// TestDedup finds the first of equal rows, in the order in which they came, whatever the budget.
func TestDedup(t *testing.T) {
	ec := spillContext(t, 0)
	part, err := types.NewKeyPart(types.TypeInteger, nil, false)
	require.NoError(t, err)
	d := dedup{keys: types.NewKeyEncoder(part), width: 3}
	rapid.Check(t, func(rt *rapid.T) {
		rows := drawSpillRows(rt)
		ec.rt.MemoryBudget = rapid.SampledFrom([]int64{1, 130, 1 << 20}).Draw(rt, "budget")
		require.NoError(rt, d.start(ec))
		var got, want []types.Row
		seen := map[int64]bool{}
		for _, r := range rows {
			isNew, err := d.see(r[:1], r)
			require.NoError(rt, err)
			if isNew {
				got = append(got, r)
			}
			if k, _ := r[0].Int64(); !seen[k] {
				seen[k] = true
				want = append(want, r)
			}
		}
		require.NoError(rt, d.finish())
		got = append(got, readAll(rt, d.next)...)
		require.Equal(rt, places(want), places(got))
	})
	require.NoError(t, d.close())
}

// TestKeySet tells new keys from known ones, whatever the budget.
func TestKeySet(t *testing.T) {
	ec := spillContext(t, 0)
	var s keySet
	rapid.Check(t, func(rt *rapid.T) {
		ec.rt.MemoryBudget = rapid.SampledFrom([]int64{1, 200, 1 << 20}).Draw(rt, "budget")
		require.NoError(rt, s.start(ec))
		seen := map[string]bool{}
		for _, k := range rapid.SliceOfN(rapid.StringMatching(`[a-c]{0,3}`), 0, 40).Draw(rt, "keys") {
			found, err := s.has([]byte(k))
			require.NoError(rt, err)
			require.Equal(rt, seen[k], found, k)
			isNew, err := s.add([]byte(k))
			require.NoError(rt, err)
			require.Equal(rt, !seen[k], isNew, k)
			seen[k] = true
		}
	})
	require.NoError(t, s.close())
}

// TestRowStore checks that rows keep their values while the store grows, and rows without columns count.
func TestRowStore(t *testing.T) {
	var s rowStore
	s.reset(2)
	buf := []byte("mutable")
	for i := range 5000 {
		s.add(types.Row{types.Int(int64(i)), types.Blob(buf)})
	}
	copy(buf, "changed")
	for i, row := range s.rows {
		n, _ := row[0].Int64()
		require.EqualValues(t, i, n)
		require.Equal(t, "mutable", string(row[1].Bytes()))
	}
	require.Greater(t, s.bytes, int64(5000*(2*24+7)))
	s.reset(0)
	require.NotNil(t, s.add(nil))
	require.Len(t, s.rows, 1)
}
