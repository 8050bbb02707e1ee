package kv

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/quereus/quereus-migrate/types"
	"github.com/stretchr/testify/require"
)

// writeTestRun makes a run of n entries with keys at even numbers; every tenth is a tombstone.
func writeTestRun(t *testing.T, n int, keys int64) *Run {
	w, err := NewRunWriter(t.TempDir(), keys)
	require.NoError(t, err)
	for i := range n {
		if i%10 == 9 {
			require.NoError(t, w.Delete(runKey(2*i)))
		} else {
			require.NoError(t, w.Set(runKey(2*i), runValue(i)))
		}
	}
	before := w.Bytes()
	r, err := w.Finish()
	require.NoError(t, err)
	require.GreaterOrEqual(t, r.Bytes(), before)
	require.Equal(t, int64(n), r.Len())
	return r
}

func runKey(i int) []byte   { return fmt.Appendf(nil, "key%06d", i) }
func runValue(i int) []byte { return bytes.Repeat([]byte{byte('a' + i%26)}, i%200) }

func TestRun(t *testing.T) {
	const n = 3000
	for _, keys := range []int64{0, n} {
		r := writeTestRun(t, n, keys)
		require.Greater(t, len(r.blocks), 5)
		it := r.NewIter(Span{})
		i := 0
		for ok := it.First(); ok; ok = it.Next() {
			require.Equal(t, string(runKey(2*i)), string(it.Key()))
			require.Equal(t, i%10 == 9, it.Deleted())
			if !it.Deleted() {
				require.Equal(t, string(runValue(i)), string(it.Value()))
			}
			i++
		}
		require.Equal(t, n, i)
		for ok := it.Last(); ok; ok = it.Prev() {
			i--
			require.Equal(t, string(runKey(2*i)), string(it.Key()))
		}
		require.Zero(t, i)
		for i := range 2 * n {
			even := i % 2
			require.Equal(t, i < 2*n-1, it.SeekGE(runKey(i)))
			if it.Valid() {
				require.Equal(t, string(runKey(i+even)), string(it.Key()))
			}
			require.Equal(t, i > 0, it.SeekLT(runKey(i)))
			if it.Valid() {
				require.Equal(t, string(runKey(i-2+even)), string(it.Key()))
			}
			require.Equal(t, even == 0, it.Probe(runKey(i)), i)
			_, flags, found, err := r.lookup(runKey(i), nil)
			require.NoError(t, err)
			require.Equal(t, even == 0, found)
			require.Equal(t, even == 0 && i/2%10 == 9, flags&runDeleted != 0)
		}
		require.NoError(t, it.Err())
		require.NoError(t, it.Close())
		require.NoError(t, r.Close())
	}
}

func TestRunSpan(t *testing.T) {
	r := writeTestRun(t, 3000, 0)
	it := r.NewIter(Span{Lo: runKey(1001), Hi: runKey(4000)})
	require.True(t, it.First())
	require.Equal(t, string(runKey(1002)), string(it.Key()))
	require.False(t, it.Prev())
	require.True(t, it.Next())
	require.Equal(t, string(runKey(1002)), string(it.Key()))
	require.True(t, it.Last())
	require.Equal(t, string(runKey(3998)), string(it.Key()))
	require.False(t, it.Next())
	require.True(t, it.Prev())
	require.Equal(t, string(runKey(3998)), string(it.Key()))
	require.True(t, it.SeekGE(runKey(0)))
	require.Equal(t, string(runKey(1002)), string(it.Key()))
	require.False(t, it.SeekGE(runKey(4000)))
	require.True(t, it.SeekLT(runKey(9999)))
	require.Equal(t, string(runKey(3998)), string(it.Key()))
	require.False(t, it.SeekLT(runKey(1002)))
	require.False(t, it.Probe(runKey(1000)))
	require.True(t, it.Probe(runKey(1002)))
	require.False(t, r.mayOverlap(Span{Lo: []byte("l")}))
	require.False(t, r.mayOverlap(Span{Hi: runKey(0)}))
	require.NoError(t, r.Close())
}

// Equal keys, entries bigger than a block, empty keys and values, and a run of nothing.
func TestRunOddities(t *testing.T) {
	w, err := NewRunWriter(t.TempDir(), 0)
	require.NoError(t, err)
	big := bytes.Repeat([]byte("x"), 3*runBlock)
	require.NoError(t, w.Set(nil, nil))
	for i := range 5000 {
		require.NoError(t, w.Set([]byte("same"), fmt.Appendf(nil, "%d", i)))
	}
	require.NoError(t, w.Set([]byte("tall"), big))
	require.NoError(t, w.Set(big, nil))
	r, err := w.Finish()
	require.NoError(t, err)
	it := r.NewIter(Span{})
	require.True(t, it.First())
	require.Empty(t, it.Key())
	require.True(t, it.SeekGE([]byte("same")))
	for i := range 5000 {
		require.Equal(t, fmt.Sprint(i), string(it.Value()), "equal keys stay in the order in which they came")
		require.True(t, it.Next())
	}
	require.Equal(t, big, it.Value())
	require.True(t, it.Next())
	require.Equal(t, big, it.Key())
	require.False(t, it.Next())
	require.True(t, it.SeekLT([]byte("same")))
	require.Empty(t, it.Key())
	require.NoError(t, r.Close())

	w, err = NewRunWriter(t.TempDir(), 1)
	require.NoError(t, err)
	r, err = w.Finish()
	require.NoError(t, err)
	it = r.NewIter(Span{})
	require.False(t, it.First() || it.Last() || it.SeekGE([]byte("a")) || it.SeekLT([]byte("a")) || it.Probe([]byte("a")))
	require.NoError(t, r.Close())
}

func TestRunMisuse(t *testing.T) {
	dir := t.TempDir()
	w, err := NewRunWriter(dir, 0)
	require.NoError(t, err)
	require.NoError(t, w.Set([]byte("b"), nil))
	require.ErrorIs(t, w.Set([]byte("a"), nil), types.MISUSE)
	require.ErrorIs(t, w.Set([]byte("c"), nil), types.MISUSE, "the first error stays")
	_, err = w.Finish()
	require.ErrorIs(t, err, types.MISUSE)
	require.NoError(t, w.Abort())

	w, err = NewRunWriter(dir, 0)
	require.NoError(t, err)
	r, err := w.Finish()
	require.NoError(t, err)
	require.ErrorIs(t, w.Set([]byte("a"), nil), types.MISUSE)
	_, err = w.Finish()
	require.ErrorIs(t, err, types.MISUSE)
	require.NoError(t, r.Close())

	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, names, "nothing is left")
	_, err = NewRunWriter(filepath.Join(dir, "missing"), 0)
	require.ErrorIs(t, err, types.IOERR)
}

// A damaged file is found out, and never read as something else.
func TestRunDamage(t *testing.T) {
	r := writeTestRun(t, 3000, 0)
	at := r.blocks[3].at + 100
	_, err := r.file.WriteAt([]byte{0xFF, 0xFE, 0xFD}, at)
	require.NoError(t, err)
	it := r.NewIter(Span{})
	n := 0
	for ok := it.First(); ok; ok = it.Next() {
		n++
	}
	require.ErrorIs(t, it.Err(), types.CORRUPT)
	require.Less(t, n, 3000)
	_, _, _, err = r.lookup(r.blocks[3].first, nil)
	require.ErrorIs(t, err, types.CORRUPT)
	require.NoError(t, r.file.Truncate(10))
	require.False(t, r.NewIter(Span{}).First())
	_, err = parseRunBlock([]byte{1, 2}, nil)
	require.ErrorIs(t, err, types.CORRUPT)
	require.NoError(t, r.Close())
}

func TestRunConcurrentReads(t *testing.T) {
	const n = 2000
	r := writeTestRun(t, n, n)
	var readers sync.WaitGroup
	for g := range 4 {
		readers.Go(func() {
			it := r.NewIter(Span{})
			for i := g; i < n; i += 3 {
				if _, _, found, err := r.lookup(runKey(2*i), nil); !found || err != nil {
					t.Errorf("key %d: found %v, %v", i, found, err)
				}
				if !it.SeekGE(runKey(2*i)) || !bytes.Equal(it.Key(), runKey(2*i)) {
					t.Errorf("key %d: seek failed", i)
				}
			}
		})
	}
	readers.Wait()
	require.NoError(t, r.Close())
}

func TestFilter(t *testing.T) {
	const n = 10_000
	f := newFilter(n)
	for i := range n {
		f.add(runKey(2 * i))
	}
	wrong := 0
	for i := range n {
		require.True(t, f.mayContain(runKey(2*i)))
		if f.mayContain(runKey(2*i + 1)) {
			wrong++
		}
	}
	require.Less(t, wrong, n/40, "about one in a hundred")
	require.Equal(t, filterMaxBits/64, len(newFilter(1<<40).bits))
}

// Runs stay few, and merging is not paid again and again for old ones.
func TestMergePolicy(t *testing.T) {
	o := newOverlay(t.TempDir, 1)
	written := int64(0)
	for i := range 200 {
		for j := range 50 {
			_, err := o.set(runKey(i*1000+j), runValue(j), false, false)
			require.NoError(t, err)
		}
		before := o.bytes()
		require.NoError(t, o.spill(t.Context()))
		require.LessOrEqual(t, len(o.now.runs), maxRuns)
		if len(o.now.runs) == 1 || o.now.runs[0].Bytes() > before/10 {
			written += o.now.runs[0].Bytes()
		}
	}
	require.Less(t, written, 12*o.bytes(), "the cost grows with the logarithm")
	o.close()
}
