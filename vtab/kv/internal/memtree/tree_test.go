package memtree

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/quereus/quereus-migrate/types"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func record(t require.TestingT, key, value string, deleted bool) Record {
	r, err := NewRecord([]byte(key), []byte(value), deleted)
	require.NoError(t, err)
	return r
}

func dump(tree *Tree, lo, hi []byte) []string {
	out := []string{}
	var c Cursor
	c.Init(tree, lo, hi)
	for ok := c.First(); ok; ok = c.Next() {
		out = append(out, fmt.Sprintf("%s=%s", c.Record().Key(), c.Record().Value()))
	}
	return out
}

func dumpBackwards(tree *Tree, lo, hi []byte) []string {
	out := []string{}
	var c Cursor
	c.Init(tree, lo, hi)
	for ok := c.Last(); ok; ok = c.Prev() {
		out = append(out, fmt.Sprintf("%s=%s", c.Record().Key(), c.Record().Value()))
	}
	slices.Reverse(out)
	return out
}

func TestRecord(t *testing.T) {
	var a Arena
	for _, make := range []func(key, value []byte, deleted bool) (Record, error){NewRecord, a.NewRecord} {
		key, value := []byte("key"), []byte("value")
		r, err := make(key, value, false)
		require.NoError(t, err)
		key[0], value[0] = 'x', 'x'
		require.Equal(t, "key", string(r.Key()))
		require.Equal(t, "value", string(r.Value()))
		require.Equal(t, int64(8+RecordOverhead), r.Bytes())
		require.False(t, r.Deleted() || r.NoBase())
		require.True(t, r.WithNoBase(true).NoBase())
		require.False(t, r.WithNoBase(true).WithNoBase(false).NoBase())
		require.Equal(t, "value", string(r.WithNoBase(true).Value()))

		r, err = make([]byte("k"), nil, true)
		require.NoError(t, err)
		require.True(t, r.Deleted())
		require.NotNil(t, r.Value())
		require.Empty(t, r.Value())
		r, err = make(nil, nil, false)
		require.NoError(t, err)
		require.Empty(t, r.Key())
	}
}

func TestRecordTooBig(t *testing.T) {
	huge := make([]byte, MaxValue+1) // never touched, so it costs no memory
	var a Arena
	_, err := a.NewRecord([]byte("k"), huge, false)
	require.ErrorIs(t, err, types.TOOBIG)
	_, err = NewRecord([]byte("k"), huge, false)
	require.ErrorIs(t, err, types.TOOBIG)
}

// Records of an arena keep their bytes while others are made, of all sizes.
func TestArena(t *testing.T) {
	var a Arena
	var all []Record
	for i := range 5000 {
		r, err := a.NewRecord(fmt.Appendf(nil, "%d", i), bytes.Repeat([]byte{byte(i)}, i*7%(maxChunk/3)), false)
		require.NoError(t, err)
		all = append(all, r)
	}
	for i, r := range all {
		require.Equal(t, fmt.Sprint(i), string(r.Key()))
		require.Equal(t, i*7%(maxChunk/3), len(r.Value()))
		require.Equal(t, len(r.Value()), bytes.Count(r.Value(), []byte{byte(i)}))
	}
}

// A tree and its copies behave as maps do, whatever is done to any of them.
func TestTreeModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type version struct {
			tree  *Tree
			model map[string]string
		}
		all := []version{{New(), map[string]string{}}}
		keys := rapid.Custom(func(t *rapid.T) string { return fmt.Sprintf("%03d", rapid.IntRange(0, 400).Draw(t, "key")) })
		pick := func() version { return all[rapid.IntRange(0, len(all)-1).Draw(t, "version")] }
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				v, k, x := pick(), keys.Draw(t, "k"), fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "v"))
				prev, replaced := v.tree.Set(record(t, k, x, false))
				old, had := v.model[k]
				require.Equal(t, had, replaced)
				require.Equal(t, had, replaced && string(prev.Value()) == old)
				v.model[k] = x
			},
			"fill": func(t *rapid.T) { // so that trees become deep
				v, from := pick(), rapid.IntRange(0, 300).Draw(t, "from")
				for i := from; i < from+100; i++ {
					k := fmt.Sprintf("%03d", i)
					v.tree.Set(record(t, k, "f", false))
					v.model[k] = "f"
				}
			},
			"delete": func(t *rapid.T) {
				v, k := pick(), keys.Draw(t, "k")
				prev, found := v.tree.Delete([]byte(k))
				old, had := v.model[k]
				require.Equal(t, had, found)
				require.Equal(t, had, found && string(prev.Value()) == old)
				delete(v.model, k)
			},
			"delete range": func(t *rapid.T) {
				v, lo, hi := pick(), []byte(keys.Draw(t, "lo")), []byte(keys.Draw(t, "hi"))
				if rapid.IntRange(0, 4).Draw(t, "open end") == 0 {
					hi = nil
				}
				v.tree.DeleteRange(lo, hi)
				maps.DeleteFunc(v.model, func(k, _ string) bool { return k >= string(lo) && (hi == nil || k < string(hi)) })
			},
			"copy": func(t *rapid.T) {
				v := pick()
				all = append(all, version{v.tree.Copy(), maps.Clone(v.model)})
				if len(all) > 4 {
					all = all[1:]
				}
			},
			"": func(t *rapid.T) {
				v := pick()
				want := []string{}
				sorted := slices.Sorted(maps.Keys(v.model))
				for _, k := range sorted {
					want = append(want, k+"="+v.model[k])
				}
				require.Equal(t, len(want), v.tree.Len())
				k := keys.Draw(t, "looked up")
				x, has := v.model[k]
				for _, get := range []func([]byte) (Record, bool){v.tree.Get, v.tree.Find} {
					r, ok := get([]byte(k))
					require.Equal(t, has, ok)
					require.True(t, !ok || string(r.Value()) == x)
				}
				rank, _ := slices.BinarySearch(sorted, k)
				require.Equal(t, rank, v.tree.Rank([]byte(k)))
				if rank < len(sorted) {
					require.Equal(t, sorted[rank], string(v.tree.At(rank).Key()))
				}
				got := append(dumpBackwards(v.tree, nil, []byte(k)), dump(v.tree, []byte(k), nil)...)
				require.True(t, slices.Equal(want, got), "want %q, got %q", want, got)
			},
		})
	})
}

// A cursor may turn round at every place, the ends included, and a seek after an end was passed starts afresh.
func TestCursor(t *testing.T) {
	tree := New()
	for i := range 200 {
		tree.Set(record(t, fmt.Sprintf("%03d", i), "", false))
	}
	var c Cursor
	c.Init(tree, []byte("010"), []byte("190"))
	at := func(ok bool) string {
		require.Equal(t, ok, c.Valid())
		if !ok {
			return "-"
		}
		return string(c.Record().Key())
	}
	require.Equal(t, "-", at(c.Next()), "not yet positioned")
	require.Equal(t, "010", at(c.First()))
	require.Equal(t, "-", at(c.Prev()))
	require.Equal(t, "-", at(c.Prev()))
	require.Equal(t, "010", at(c.Next()))
	require.Equal(t, "011", at(c.Next()))
	require.Equal(t, "189", at(c.Last()))
	require.Equal(t, "-", at(c.Next()))
	require.Equal(t, "-", at(c.Next()))
	require.Equal(t, "189", at(c.Prev()))
	require.Equal(t, "010", at(c.SeekGE([]byte("000"))))
	require.Equal(t, "189", at(c.SeekLT([]byte("999"))))
	require.Equal(t, "-", at(c.SeekGE([]byte("190"))))
	require.Equal(t, "189", at(c.Prev()))
	require.Equal(t, "-", at(c.SeekLT([]byte("010"))))
	require.Equal(t, "010", at(c.Next()))

	// The iterator below remembers an end that it passed and would wrap around.
	c.Init(tree, nil, nil)
	require.Equal(t, "199", at(c.Last()))
	require.Equal(t, "-", at(c.Next()))
	require.Equal(t, "001", at(c.SeekGE([]byte("001"))))
	require.Equal(t, "000", at(c.Prev()))
	require.Equal(t, "-", at(c.Prev()))
	require.Equal(t, "-", at(c.Prev()))
	require.Equal(t, "000", at(c.Next()))

	var empty Cursor
	empty.Init(New(), nil, nil)
	require.False(t, empty.First() || empty.Last() || empty.SeekGE([]byte("a")) || empty.SeekLT([]byte("a")) || empty.Next() || empty.Prev())
}
