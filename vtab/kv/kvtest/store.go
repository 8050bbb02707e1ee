// Package kvtest holds the suites that any implementation of kv.Store must pass: RunStoreTests for the store itself and
// RunTxnTests for transactions over it. It is for tests only.
package kvtest

import (
	"context"
	"fmt"
	"testing"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/invariant"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/stretchr/testify/require"
)

// Open makes an empty store, which the suite closes.
type Open func(t *testing.T) kv.Store

// RunStoreTests runs the suite of kv.Store.
func RunStoreTests(t *testing.T, open Open) {
	RunStoreCases(t, open)
	t.Run("model", func(t *testing.T) { testStoreModel(t, open) })
}

// RunStoreCases is RunStoreTests without the random part, for a store on a slow disk.
func RunStoreCases(t *testing.T, open Open) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, s kv.Store)
	}{
		{"get", testGet},
		{"batch", testBatch},
		{"iterate", testIterate},
		{"seek outside the span", testSeekOutside},
		{"turn round", testTurn},
		{"snapshot", testSnapshot},
		{"probe", testProbe},
		{"key validity", testValidity},
		{"bulk", testBulk},
		{"bulk misuse", testBulkMisuse},
		{"clear", testClear},
		{"size", testSize},
		{"cancel", testCancel},
		{"close", testClose},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := open(t)
			test.run(t, s)
			if test.name != "close" {
				require.NoError(t, s.Close())
			}
		})
	}
}

// Put commits entries, given as key, value, key, value and so on.
func Put(t require.TestingT, s kv.Store, entries ...string) {
	b := s.NewBatch()
	for i := 0; i < len(entries); i += 2 {
		require.NoError(t, b.Set([]byte(entries[i]), []byte(entries[i+1])))
	}
	require.NoError(t, s.Commit(b, true))
}

// Drop commits deletes.
func Drop(t require.TestingT, s kv.Store, keys ...string) {
	b := s.NewBatch()
	for _, k := range keys {
		require.NoError(t, b.Delete([]byte(k)))
	}
	require.NoError(t, s.Commit(b, true))
}

// Bulk writes a bulk file of entries, given as in Put; a key that begins with "-" is a tombstone for the rest of it.
func Bulk(t require.TestingT, s kv.Store, entries ...string) kv.BulkFile {
	w, err := s.NewBulkWriter()
	require.NoError(t, err)
	for i := 0; i < len(entries); i += 2 {
		if k := entries[i]; k[0] == '-' {
			require.NoError(t, w.Delete([]byte(k[1:])))
		} else {
			require.NoError(t, w.Set([]byte(k), []byte(entries[i+1])))
		}
	}
	f, err := w.Finish()
	require.NoError(t, err)
	return f
}

// Dump reads a span as "k=v" strings, forwards.
func Dump(t require.TestingT, r kv.Reader, span kv.Span) []string {
	it, err := r.NewIter(kv.IterOptions{Span: span})
	require.NoError(t, err)
	out := []string{}
	for ok := it.First(); ok; ok = it.Next() {
		out = append(out, fmt.Sprintf("%s=%s", it.Key(), it.Value()))
	}
	require.NoError(t, it.Err())
	require.NoError(t, it.Close())
	return out
}

func dumpBackwards(t require.TestingT, r kv.Reader, span kv.Span) []string {
	it, err := r.NewIter(kv.IterOptions{Span: span})
	require.NoError(t, err)
	out := []string{}
	for ok := it.Last(); ok; ok = it.Prev() {
		out = append(out, fmt.Sprintf("%s=%s", it.Key(), it.Value()))
	}
	require.NoError(t, it.Err())
	require.NoError(t, it.Close())
	return out
}

func span(lo, hi string) kv.Span {
	s := kv.Span{}
	if lo != "" {
		s.Lo = []byte(lo)
	}
	if hi != "" {
		s.Hi = []byte(hi)
	}
	return s
}

func get(t require.TestingT, r kv.Reader, key string) string {
	v, ok, err := r.Get([]byte(key), nil)
	require.NoError(t, err)
	if !ok {
		require.Empty(t, v)
		return "-"
	}
	return string(v)
}

func testGet(t *testing.T, s kv.Store) {
	require.Equal(t, "-", get(t, s, "a"))
	Put(t, s, "a", "1", "b", "", "\x00\xff", "2")
	require.Equal(t, "1", get(t, s, "a"))
	require.Equal(t, "", get(t, s, "b"))
	require.Equal(t, "2", get(t, s, "\x00\xff"))
	require.Equal(t, "-", get(t, s, "aa"))
	v, ok, err := s.Get([]byte("a"), []byte("pre"))
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "pre1", string(v), "the value is appended")
	v, ok, err = s.Get([]byte("zz"), []byte("pre"))
	require.NoError(t, err)
	require.False(t, ok)
	require.Equal(t, "pre", string(v))
	Put(t, s, "a", "3")
	Drop(t, s, "b", "never there")
	require.Equal(t, "3", get(t, s, "a"))
	require.Equal(t, "-", get(t, s, "b"))
}

func testBatch(t *testing.T, s kv.Store) {
	key, value := []byte("k"), []byte("v")
	b := s.NewBatch()
	require.NoError(t, b.Set(key, value))
	before := b.Bytes()
	key[0], value[0] = 'x', 'x' // the batch copies
	require.NoError(t, b.Set([]byte("l"), []byte("1")))
	require.NoError(t, b.Delete([]byte("l")))
	require.NoError(t, b.Delete([]byte("m")))
	require.Equal(t, types.MISUSE, types.CodeOf(b.Set(nil, value)), "an empty key")
	require.Equal(t, types.MISUSE, types.CodeOf(b.Delete(nil)))
	require.NoError(t, b.Set([]byte("m"), []byte("2")))
	require.Greater(t, b.Bytes(), before)
	require.Empty(t, Dump(t, s, kv.Span{}), "nothing is seen before the commit")
	require.NoError(t, s.Commit(b, false))
	require.Equal(t, []string{"k=v", "m=2"}, Dump(t, s, kv.Span{}))
	require.Equal(t, types.MISUSE, types.CodeOf(s.Commit(b, true)), "a batch commits once")

	dropped := s.NewBatch()
	require.NoError(t, dropped.Set([]byte("d"), nil))
	require.NoError(t, dropped.Close())
	require.Equal(t, types.MISUSE, types.CodeOf(dropped.Set([]byte("d"), nil)))
	require.Equal(t, types.MISUSE, types.CodeOf(s.Commit(dropped, true)))
	empty := s.NewBatch()
	require.NoError(t, s.Commit(empty, true))
	require.Equal(t, []string{"k=v", "m=2"}, Dump(t, s, kv.Span{}))
}

func testIterate(t *testing.T, s kv.Store) {
	Put(t, s, "a", "1", "c", "3", "e", "5", "g", "7")
	Drop(t, s, "e")
	for _, test := range []struct {
		span kv.Span
		want []string
	}{
		{span("", ""), []string{"a=1", "c=3", "g=7"}},
		{span("a", ""), []string{"a=1", "c=3", "g=7"}},
		{span("b", "g"), []string{"c=3"}},
		{span("", "c"), []string{"a=1"}},
		{span("c", "c\x00"), []string{"c=3"}},
		{span("d", "f"), []string{}},
		{span("c", "c"), []string{}},
		{span("h", ""), []string{}},
	} {
		require.Equal(t, test.want, Dump(t, s, test.span), "%q", test.span)
		backwards := dumpBackwards(t, s, test.span)
		for i, e := range test.want {
			require.Equal(t, e, backwards[len(backwards)-1-i], "%q", test.span)
		}
		require.Len(t, backwards, len(test.want), "%q", test.span)
	}
}

// at reads where an iterator is.
func at(it kv.Iterator, ok bool) string {
	if ok != it.Valid() {
		return "validity differs"
	}
	if !ok {
		return "-"
	}
	return string(it.Key())
}

func testSeekOutside(t *testing.T, s kv.Store) {
	Put(t, s, "a", "", "c", "", "e", "", "g", "")
	it, err := s.NewIter(kv.IterOptions{Span: span("b", "f")})
	require.NoError(t, err)
	seekGE := func(k string) string { return at(it, it.SeekGE([]byte(k))) }
	seekLT := func(k string) string { return at(it, it.SeekLT([]byte(k))) }
	require.Equal(t, "c", seekGE("a"))
	require.Equal(t, "c", seekGE(""))
	require.Equal(t, "-", seekLT(""))
	require.Equal(t, "c", seekGE("c"))
	require.Equal(t, "e", seekGE("c\x00"))
	require.Equal(t, "-", seekGE("e\x00"))
	require.Equal(t, "-", seekGE("z"))
	require.Equal(t, "e", seekLT("z"))
	require.Equal(t, "e", seekLT("f"))
	require.Equal(t, "c", seekLT("e"))
	require.Equal(t, "-", seekLT("c"))
	require.Equal(t, "-", seekLT("a"))
	require.NoError(t, it.Err())
	require.NoError(t, it.Close())
}

func testTurn(t *testing.T, s kv.Store) {
	Put(t, s, "a", "", "b", "", "c", "")
	it, err := s.NewIter(kv.IterOptions{Span: span("a", "c")})
	require.NoError(t, err)
	next := func() string { return at(it, it.Next()) }
	prev := func() string { return at(it, it.Prev()) }
	require.Equal(t, "a", at(it, it.First()))
	require.Equal(t, "b", next())
	require.Equal(t, "a", prev())
	require.Equal(t, "-", prev())
	require.Equal(t, "-", prev())
	require.Equal(t, "a", next(), "back from before the first")
	require.Equal(t, "b", next())
	require.Equal(t, "-", next())
	require.Equal(t, "-", next())
	require.Equal(t, "b", prev(), "back from after the last")
	require.Equal(t, "-", at(it, it.SeekGE([]byte("x"))))
	require.Equal(t, "b", prev())
	require.Equal(t, "-", at(it, it.SeekLT([]byte("a"))))
	require.Equal(t, "a", next())
	require.NoError(t, it.Close())
}

func testSnapshot(t *testing.T, s kv.Store) {
	Put(t, s, "a", "1", "b", "2")
	snap, err := s.NewSnapshot()
	require.NoError(t, err)
	it, err := s.NewIter(kv.IterOptions{})
	require.NoError(t, err)
	Put(t, s, "a", "9", "c", "3")
	Drop(t, s, "b")
	require.NoError(t, s.Ingest(context.Background(), []kv.BulkFile{Bulk(t, s, "a", "8", "d", "4")}))
	require.Equal(t, []string{"a=1", "b=2"}, Dump(t, snap, kv.Span{}))
	require.Equal(t, []string{"b=2", "a=1"}, dumpBackwards(t, snap, kv.Span{}))
	require.Equal(t, "1", get(t, snap, "a"))
	require.Equal(t, "-", get(t, snap, "c"))
	require.Equal(t, "-", get(t, snap, "d"))
	require.Equal(t, []string{"a=8", "c=3", "d=4"}, Dump(t, s, kv.Span{}))
	require.Equal(t, "a", at(it, it.First()))
	require.Equal(t, "1", string(it.Value()), "an iterator keeps the state of its making")
	require.Equal(t, "b", at(it, it.Next()))
	require.Equal(t, "-", at(it, it.Next()))
	require.NoError(t, it.Close())
	after, err := snap.NewIter(kv.IterOptions{})
	require.NoError(t, err)
	require.NoError(t, snap.Close())
	require.Equal(t, "a", at(after, after.First()), "an iterator outlives its snapshot")
	require.NoError(t, after.Close())
}

func testProbe(t *testing.T, s kv.Store) {
	// Some keys in tables, some in memory, some deleted, so that every kind of filter is asked.
	w, err := s.NewBulkWriter()
	require.NoError(t, err)
	for i := 0; i < 2000; i += 2 {
		require.NoError(t, w.Set(fmt.Appendf(nil, "key%05d", i), []byte("bulk")))
	}
	f, err := w.Finish()
	require.NoError(t, err)
	require.NoError(t, s.Ingest(context.Background(), []kv.BulkFile{f}))
	for i := 0; i < 2000; i += 7 {
		Put(t, s, fmt.Sprintf("key%05d", i), "batch")
	}
	for i := 0; i < 2000; i += 30 {
		Drop(t, s, fmt.Sprintf("key%05d", i))
	}
	snap, err := s.NewSnapshot()
	require.NoError(t, err)
	for _, r := range []kv.Reader{s, snap} {
		filtered, err := r.NewIter(kv.IterOptions{Span: span("key00100", "key01900"), Probe: true})
		require.NoError(t, err)
		plain, err := r.NewIter(kv.IterOptions{Span: span("key00100", "key01900")})
		require.NoError(t, err)
		for _, step := range []int{1, -1, 701} { // rising, falling and scattered keys
			for n, i := 0, 0; n < 2000; n, i = n+1, ((i+step)%2000+2000)%2000 {
				key := fmt.Appendf(nil, "key%05d", i)
				hit := filtered.Probe(key)
				want := plain.SeekGE(key) && string(plain.Key()) == string(key)
				require.Equal(t, want, hit, "%s", key)
				require.Equal(t, want, filtered.Valid(), "%s", key)
				if hit {
					require.Equal(t, string(key), string(filtered.Key()))
					require.Equal(t, string(plain.Value()), string(filtered.Value()))
				}
			}
		}
		require.False(t, filtered.Probe([]byte("a")))
		require.False(t, filtered.Probe(nil))
		require.False(t, filtered.Probe([]byte("z")))
		require.NoError(t, filtered.Err())
		require.NoError(t, filtered.Close())
		require.NoError(t, plain.Close())
	}
	require.NoError(t, snap.Close())
}

func testValidity(t *testing.T, s kv.Store) {
	Put(t, s, "a", "11", "b", "22")
	it, err := s.NewIter(kv.IterOptions{})
	require.NoError(t, err)
	require.True(t, it.First())
	key, value := it.Key(), it.Value()
	require.True(t, it.Next())
	require.Equal(t, "b", string(it.Key()))
	if invariant.Enabled {
		require.NotEqual(t, "a", string(key), "a kept key is overwritten")
		require.NotEqual(t, "11", string(value), "a kept value is overwritten")
	}
	key, value = it.Key(), it.Value()
	require.True(t, it.SeekGE(key), "a seek may be given the iterator's own key")
	require.Equal(t, "b", string(it.Key()))
	require.True(t, it.SeekLT(it.Key()))
	require.Equal(t, "a", string(it.Key()))
	if invariant.Enabled {
		require.NotEqual(t, "22", string(value))
	}
	require.NoError(t, it.Close())
	if invariant.Enabled {
		require.Panics(t, func() { it.Next() }, "used after close")
	}
}

func testBulk(t *testing.T, s kv.Store) {
	ctx := context.Background()
	Put(t, s, "a", "old", "b", "old", "x", "old")
	second := Bulk(t, s, "m", "new", "n", "new")
	first := Bulk(t, s, "a", "new", "-b", "", "c", "new")
	require.Equal(t, "a", string(first.Span().Lo))
	require.True(t, first.Span().Contains([]byte("c")))
	require.False(t, first.Span().Contains([]byte("c\x00")))
	require.NotZero(t, first.Bytes())
	require.Equal(t, []string{"a=old", "b=old", "x=old"}, Dump(t, s, kv.Span{}), "nothing is seen before the ingest")
	require.NoError(t, s.Ingest(ctx, []kv.BulkFile{second, first}), "the order of files does not matter")
	require.Equal(t, []string{"a=new", "c=new", "m=new", "n=new", "x=old"}, Dump(t, s, kv.Span{}))
	require.Equal(t, "-", get(t, s, "b"), "a tombstone in a file hides what was there")
	Put(t, s, "a", "newer", "b", "again")
	require.Equal(t, []string{"a=newer", "b=again"}, Dump(t, s, span("a", "c")))
	require.NoError(t, first.Remove(), "removing an ingested file does nothing")
	require.Equal(t, "new", get(t, s, "c"))
	require.NoError(t, s.Ingest(ctx, nil))

	unused := Bulk(t, s, "q", "")
	require.NoError(t, unused.Remove())
	require.NoError(t, unused.Remove())
	w, err := s.NewBulkWriter()
	require.NoError(t, err)
	require.NoError(t, w.Set([]byte("r"), nil))
	require.NotZero(t, w.Bytes())
	require.NoError(t, w.Abort())
	require.NoError(t, w.Abort())
	require.Equal(t, "-", get(t, s, "r"))
}

func testBulkMisuse(t *testing.T, s kv.Store) {
	ctx := context.Background()
	for _, second := range []string{"b", "a"} {
		w, err := s.NewBulkWriter()
		require.NoError(t, err)
		require.NoError(t, w.Set([]byte("b"), []byte("1")))
		require.Equal(t, types.MISUSE, types.CodeOf(w.Set([]byte(second), []byte("2"))))
		require.Equal(t, types.MISUSE, types.CodeOf(w.Set([]byte("c"), []byte("3"))), "the first error stays")
		require.Equal(t, types.MISUSE, types.CodeOf(w.Delete([]byte("d"))))
		_, err = w.Finish()
		require.Equal(t, types.MISUSE, types.CodeOf(err), "a refused key spoils the file")
		require.NoError(t, w.Abort())
	}
	w, err := s.NewBulkWriter()
	require.NoError(t, err)
	require.Equal(t, types.MISUSE, types.CodeOf(w.Set([]byte{}, nil)), "an empty key")
	require.NoError(t, w.Abort())
	w, err = s.NewBulkWriter()
	require.NoError(t, err)
	_, err = w.Finish()
	require.Equal(t, types.MISUSE, types.CodeOf(err), "an empty file")

	w, err = s.NewBulkWriter()
	require.NoError(t, err)
	require.NoError(t, w.Set([]byte("b"), nil))
	f, err := w.Finish()
	require.NoError(t, err)
	_, err = w.Finish()
	require.Equal(t, types.MISUSE, types.CodeOf(err), "finished twice")
	require.Equal(t, types.MISUSE, types.CodeOf(w.Set([]byte("c"), nil)))
	require.NoError(t, f.Remove())
	require.Equal(t, types.MISUSE, types.CodeOf(s.Ingest(ctx, []kv.BulkFile{f})), "a removed file")

	overlapping := []kv.BulkFile{Bulk(t, s, "a", "1", "c", "1"), Bulk(t, s, "b", "2")}
	require.Equal(t, types.MISUSE, types.CodeOf(s.Ingest(ctx, overlapping)))
	require.Empty(t, Dump(t, s, kv.Span{}), "nothing of a refused ingest is seen")
	f = Bulk(t, s, "a", "1")
	require.NoError(t, s.Ingest(ctx, []kv.BulkFile{f}))
	require.Equal(t, types.MISUSE, types.CodeOf(s.Ingest(ctx, []kv.BulkFile{f})), "ingested twice")
}

func testClear(t *testing.T, s kv.Store) {
	ctx := context.Background()
	Put(t, s, "a", "", "b", "", "c", "", "d", "", "e", "", "f", "")
	require.NoError(t, s.Ingest(ctx, []kv.BulkFile{Bulk(t, s, "b1", "", "e1", "")}))
	it, err := s.NewIter(kv.IterOptions{})
	require.NoError(t, err)
	require.NoError(t, s.Clear(ctx, []kv.Span{span("b", "c"), span("e", "f"), span("x", "y"), span("m", "m")}))
	require.Equal(t, []string{"a=", "c=", "d=", "f="}, Dump(t, s, kv.Span{}))
	require.True(t, it.SeekGE([]byte("b1")), "an open iterator keeps what is cleared")
	require.Equal(t, "b1", string(it.Key()))
	require.NoError(t, it.Close())
	require.Equal(t, types.MISUSE, types.CodeOf(s.Clear(ctx, []kv.Span{span("d", "a")})))
	require.Len(t, Dump(t, s, kv.Span{}), 4)
	Put(t, s, "b", "back")
	require.Equal(t, "back", get(t, s, "b"))
	require.NoError(t, s.Clear(ctx, []kv.Span{span("c", "")}))
	require.Equal(t, []string{"a=", "b=back"}, Dump(t, s, kv.Span{}))
	require.NoError(t, s.Clear(ctx, []kv.Span{{}}))
	require.Empty(t, Dump(t, s, kv.Span{}))
	require.NoError(t, s.Clear(ctx, []kv.Span{{}}))
}

func testSize(t *testing.T, s kv.Store) {
	size := func(sp kv.Span) uint64 {
		n, err := s.Size(sp)
		require.NoError(t, err)
		return n
	}
	require.Zero(t, size(kv.Span{}))
	value := make([]byte, 1000)
	b := s.NewBatch()
	for i := range 100 {
		for j := range value {
			value[j] = byte((i+1)*(j+7)*2654435761>>13) | 1 // bytes that do not compress well
		}
		require.NoError(t, b.Set(fmt.Appendf(nil, "a%03d", i), value))
	}
	require.NoError(t, s.Commit(b, true))
	require.Zero(t, size(span("b", "")))
	require.Zero(t, size(span("a", "a")))
	require.InDelta(t, 100_000, size(kv.Span{}), 20_000)
	require.InDelta(t, 50_000, size(span("a050", "")), 15_000)
	_, err := s.Size(span("b", "a"))
	require.Equal(t, types.MISUSE, types.CodeOf(err))
	free, err := s.FreeSpace()
	require.NoError(t, err)
	require.NotZero(t, free)
	require.DirExists(t, s.TempDir())
	require.Equal(t, s.TempDir(), s.TempDir())
}

func testCancel(t *testing.T, s kv.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	Put(t, s, "a", "1")
	require.Equal(t, types.INTERRUPT, types.CodeOf(s.Clear(ctx, []kv.Span{{}})))
	f := Bulk(t, s, "b", "2")
	require.Equal(t, types.INTERRUPT, types.CodeOf(s.Ingest(ctx, []kv.BulkFile{f})))
	require.Equal(t, []string{"a=1"}, Dump(t, s, kv.Span{}))
}

func testClose(t *testing.T, s kv.Store) {
	Put(t, s, "a", "1")
	it, err := s.NewIter(kv.IterOptions{})
	require.NoError(t, err)
	snap, err := s.NewSnapshot()
	require.NoError(t, err)
	w, err := s.NewBulkWriter()
	require.NoError(t, err)
	err = s.Close()
	require.Equal(t, types.MISUSE, types.CodeOf(err))
	require.ErrorContains(t, err, "1 iterator, 1 snapshot, 1 bulk writer still open")
	require.Equal(t, "1", get(t, s, "a"), "the store is still open")
	require.NoError(t, it.Close())
	require.NoError(t, snap.Close())
	require.NoError(t, w.Abort())
	b := s.NewBatch()
	require.NoError(t, b.Set([]byte("b"), nil))
	temp := s.TempDir()
	require.NoError(t, s.Close())
	if !s.Durable() {
		require.NoDirExists(t, temp)
	}

	ctx := context.Background()
	closed := map[string]error{}
	_, _, closed["get"] = s.Get([]byte("a"), nil)
	_, closed["iter"] = s.NewIter(kv.IterOptions{})
	_, closed["snapshot"] = s.NewSnapshot()
	closed["commit"] = s.Commit(b, true)
	_, closed["bulk"] = s.NewBulkWriter()
	closed["ingest"] = s.Ingest(ctx, nil)
	closed["clear"] = s.Clear(ctx, []kv.Span{{}})
	_, closed["size"] = s.Size(kv.Span{})
	closed["close"] = s.Close()
	if s.Durable() {
		closed["checkpoint"] = s.Checkpoint(ctx, "never")
	}
	for name, err := range closed {
		require.Equal(t, types.MISUSE, types.CodeOf(err), "%s on a closed store: %v", name, err)
	}
	require.NoError(t, b.Close())
}
