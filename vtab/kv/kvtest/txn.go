package kvtest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/stretchr/testify/require"
)

// RunTxnTests runs the suite of kv.Txn over a store.
func RunTxnTests(t *testing.T, open Open) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, s kv.Store)
	}{
		{"ended", testTxnEnded},
		{"marks and statements", testTxnMisuse},
		{"long statement", testLongStatement},
		{"spill", testSpill},
		{"cancel", testTxnCancel},
		{"own spans", testOwn},
		{"concurrent views", testConcurrentViews},
		{"tombstones without a base", testTombstones},
		{"random inserts", testRandomInserts},
		{"commit again", testCommitAgain},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := open(t)
			test.run(t, s)
			require.NoError(t, s.Close(), "a transaction leaves no handle open")
		})
	}
	t.Run("model", func(t *testing.T) { testTxnModel(t, open) })
}

// inTxn runs f in a transaction and closes that.
func inTxn(t *testing.T, s kv.Store, o kv.TxnOptions, f func(txn *kv.Txn)) {
	snap, err := s.NewSnapshot()
	require.NoError(t, err)
	txn := kv.NewTxn(s, snap, o)
	f(txn)
	require.NoError(t, txn.Close())
	require.NoError(t, txn.Close())
	require.NoError(t, snap.Close())
}

var background = context.Background()

func key(i int) []byte { return fmt.Appendf(nil, "key%06d", i) }

func testTxnEnded(t *testing.T, s kv.Store) {
	for _, end := range []func(*kv.Txn) error{
		(*kv.Txn).Rollback,
		(*kv.Txn).Close,
		func(txn *kv.Txn) error { return txn.Commit(background, kv.CommitOptions{Sync: true}) },
	} {
		inTxn(t, s, kv.TxnOptions{}, func(txn *kv.Txn) {
			require.NoError(t, txn.Set([]byte("a"), []byte("1")))
			mark, err := txn.Savepoint(background)
			require.NoError(t, err)
			require.NoError(t, end(txn))
			errs := map[string]error{}
			_, _, errs["get"] = txn.Get([]byte("a"), nil)
			_, errs["iter"] = txn.NewIter(kv.IterOptions{})
			_, errs["view"] = txn.View()
			errs["set"] = txn.Set([]byte("a"), nil)
			errs["delete"] = txn.Delete([]byte("a"))
			_, errs["insert"] = txn.Insert([]byte("a"), nil)
			_, errs["savepoint"] = txn.Savepoint(background)
			errs["rollback to"] = txn.RollbackTo(mark)
			errs["release"] = txn.Release(mark)
			errs["begin statement"] = txn.BeginStatement(background)
			errs["undo statement"] = txn.UndoStatement()
			errs["own"] = txn.OwnFrom([]byte("z"))
			errs["ingest"] = txn.Ingest(background, nil)
			errs["commit"] = txn.Commit(background, kv.CommitOptions{})
			errs["rollback"] = txn.Rollback()
			for name, err := range errs {
				require.Equal(t, types.MISUSE, types.CodeOf(err), name)
			}
		})
	}
	require.Equal(t, []string{"a=1"}, Dump(t, s, kv.Span{}))
}

func testTxnMisuse(t *testing.T, s kv.Store) {
	inTxn(t, s, kv.TxnOptions{}, func(txn *kv.Txn) {
		misuse := func(err error) { require.Equal(t, types.MISUSE, types.CodeOf(err), "%v", err) }
		misuse(txn.RollbackTo(kv.Mark{}))
		misuse(txn.EndStatement())
		misuse(txn.UndoStatement())
		misuse(txn.Own(span("b", "a")))
		misuse(txn.Set(nil, nil))
		_, err := txn.Insert(nil, nil)
		misuse(err)
		mark, err := txn.Savepoint(background)
		require.NoError(t, err)
		require.NoError(t, txn.BeginStatement(background))
		misuse(txn.BeginStatement(background))
		_, err = txn.Savepoint(background)
		misuse(err)
		misuse(txn.RollbackTo(mark))
		misuse(txn.Release(mark))
		misuse(txn.Commit(background, kv.CommitOptions{}))
		require.NoError(t, txn.Set([]byte("a"), []byte("1")))
		require.NoError(t, txn.UndoStatement())
		require.Equal(t, "-", get(t, txn, "a"))
		require.NoError(t, txn.RollbackTo(mark))
		require.NoError(t, txn.RollbackTo(mark), "the mark stays")
		require.NoError(t, txn.Release(mark))
		misuse(txn.RollbackTo(mark))
	})
}

// testLongStatement undoes more writes than an undo list keeps, with a spill among them and without.
func testLongStatement(t *testing.T, s kv.Store) {
	for _, budget := range []int64{64 << 20, 64 << 10} {
		inTxn(t, s, kv.TxnOptions{MemoryBudget: budget}, func(txn *kv.Txn) {
			for i := range 100 {
				require.NoError(t, txn.Set(key(i*100), []byte("before")))
			}
			want := Dump(t, txn, kv.Span{})
			require.NoError(t, txn.BeginStatement(background))
			for i := range 10_000 {
				require.NoError(t, txn.Set(key(i), []byte("in")))
				if i%3 == 0 {
					require.NoError(t, txn.Delete(key(i)))
				}
			}
			require.Len(t, Dump(t, txn, kv.Span{}), 6666)
			require.NoError(t, txn.UndoStatement())
			require.Equal(t, want, Dump(t, txn, kv.Span{}))
			require.NoError(t, txn.Set(key(1), []byte("after")))
			require.Len(t, Dump(t, txn, kv.Span{}), 101)
		})
	}
}

// testSpill writes far more than the budget, in three orders, and reads it all back.
func testSpill(t *testing.T, s kv.Store) {
	const n = 20_000
	value := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i%26)}, 20+i%50) }
	b := s.NewBatch()
	for i := 0; i < n; i += 4 {
		require.NoError(t, b.Set(key(i), []byte("base")))
	}
	require.NoError(t, s.Commit(b, true))
	order := rand.New(rand.NewPCG(1, 2)).Perm(n)
	inTxn(t, s, kv.TxnOptions{MemoryBudget: 64 << 10, BulkCommit: 256 << 10, BulkFile: 100 << 10}, func(txn *kv.Txn) {
		mark, err := txn.Savepoint(background)
		require.NoError(t, err)
		for _, i := range order {
			require.NoError(t, txn.Set(key(i), []byte("first")))
		}
		for i := range n {
			if i%5 == 0 {
				require.NoError(t, txn.Delete(key(i)))
			} else {
				require.NoError(t, txn.Set(key(i), value(i)))
			}
		}
		check := func(r kv.Reader) {
			it, err := r.NewIter(kv.IterOptions{})
			require.NoError(t, err)
			ok := it.First()
			for i := range n {
				if i%5 == 0 {
					continue
				}
				require.True(t, ok)
				require.Equal(t, string(key(i)), string(it.Key()))
				require.Equal(t, string(value(i)), string(it.Value()))
				ok = it.Next()
			}
			require.False(t, ok)
			require.NoError(t, it.Err())
			require.NoError(t, it.Close())
		}
		check(txn)
		for _, i := range order[:500] {
			existed, err := txn.Insert(key(i), nil)
			require.NoError(t, err)
			require.Equal(t, i%5 != 0, existed)
			if !existed {
				require.NoError(t, txn.Delete(key(i)))
			}
		}
		v, err := txn.View()
		require.NoError(t, err)
		require.NoError(t, txn.RollbackTo(mark))
		require.Len(t, Dump(t, txn, kv.Span{}), n/4)
		check(v)
		require.NoError(t, v.Close())
		for _, i := range order {
			if i%5 == 0 {
				require.NoError(t, txn.Delete(key(i)))
			} else {
				require.NoError(t, txn.Set(key(i), value(i)))
			}
		}
		require.NoError(t, txn.Commit(background, kv.CommitOptions{Sync: true}))
		check(s)
	})
}

func testTxnCancel(t *testing.T, s kv.Store) {
	cancelled, cancel := context.WithCancel(background)
	cancel()
	inTxn(t, s, kv.TxnOptions{MemoryBudget: 1 << 20, BulkCommit: 1}, func(txn *kv.Txn) {
		require.NoError(t, txn.BeginStatement(cancelled))
		var err error
		for i := 0; i < 100_000 && err == nil; i++ {
			err = txn.Set(key(i), make([]byte, 100))
		}
		require.Equal(t, types.INTERRUPT, types.CodeOf(err), "a spill of a cancelled statement")
		require.NoError(t, txn.UndoStatement())
		require.Empty(t, Dump(t, txn, kv.Span{}))
		for i := range 5000 {
			require.NoError(t, txn.Set(key(i), []byte("v")))
		}
		for _, sync := range []bool{true, false} {
			err = txn.Commit(cancelled, kv.CommitOptions{Sync: sync})
			require.Equal(t, types.INTERRUPT, types.CodeOf(err))
			require.Empty(t, Dump(t, s, kv.Span{}))
		}
		require.NoError(t, txn.Commit(background, kv.CommitOptions{}), "a commit that was cancelled may be tried again")
		require.Len(t, Dump(t, s, kv.Span{}), 5000)
	})
	inTxn(t, s, kv.TxnOptions{}, func(txn *kv.Txn) {
		require.NoError(t, txn.Set([]byte("a"), nil))
		require.Equal(t, types.INTERRUPT, types.CodeOf(txn.Commit(cancelled, kv.CommitOptions{})))
	})
}

func testOwn(t *testing.T, s kv.Store) {
	Put(t, s, "a1", "old", "c1", "old")
	inTxn(t, s, kv.TxnOptions{}, func(txn *kv.Txn) {
		require.False(t, txn.Owns(span("b", "c")))
		require.NoError(t, txn.Own(span("b", "c")))
		require.NoError(t, txn.Own(span("d", "e")))
		require.True(t, txn.Owns(span("b1", "b2")))
		require.False(t, txn.Owns(span("b", "d")))
		require.False(t, txn.Owns(span("b", "")))

		early, err := txn.View()
		require.NoError(t, err)
		f := Bulk(t, s, "a2", "no")
		require.Equal(t, types.MISUSE, types.CodeOf(txn.Ingest(background, []kv.BulkFile{f})))
		require.NoError(t, f.Remove())
		existed, err := txn.Insert([]byte("b2"), []byte("written"))
		require.NoError(t, err)
		require.False(t, existed)
		f = Bulk(t, s, "b1", "under", "b3", "under")
		require.Equal(t, types.MISUSE, types.CodeOf(txn.Ingest(background, []kv.BulkFile{f})), "under what is written")
		require.NoError(t, f.Remove())
		require.NoError(t, txn.Delete([]byte("b2")))
		require.NoError(t, txn.Set([]byte("c2"), []byte("written")))
		require.NoError(t, txn.Ingest(background, []kv.BulkFile{Bulk(t, s, "b1", "bulk", "b3", "bulk"), Bulk(t, s, "d1", "bulk")}))
		require.Equal(t, []string{"a1=old", "b1=bulk", "b3=bulk", "c1=old", "c2=written", "d1=bulk"}, Dump(t, txn, kv.Span{}))
		require.Equal(t, []string{"a1=old", "c1=old"}, Dump(t, early, kv.Span{}), "a view from before the ingest")
		existed, err = txn.Insert([]byte("b3"), nil)
		require.NoError(t, err)
		require.True(t, existed)
		require.NoError(t, txn.Delete([]byte("b3")))
		require.NoError(t, txn.Set([]byte("d1"), []byte("changed")))
		require.NoError(t, early.Close())
		require.NoError(t, early.Close())
		require.NoError(t, txn.Commit(background, kv.CommitOptions{Sync: true, Dropped: []kv.Span{span("c", "d")}}))
	})
	require.Equal(t, []string{"a1=old", "b1=bulk", "c1=old", "d1=changed"}, Dump(t, s, kv.Span{}))
}

// testConcurrentViews reads views in other goroutines while the transaction writes, spills, ingests and rolls back.
func testConcurrentViews(t *testing.T, s kv.Store) {
	Put(t, s, "base1", "x", "base2", "x")
	inTxn(t, s, kv.TxnOptions{MemoryBudget: 16 << 10}, func(txn *kv.Txn) {
		require.NoError(t, txn.OwnFrom([]byte("own")))
		var readers sync.WaitGroup
		for round := range 30 {
			v, err := txn.View()
			require.NoError(t, err)
			want := Dump(t, v, kv.Span{})
			readers.Go(func() {
				for range 3 {
					if got := Dump(t, v, kv.Span{}); !equal(want, got) {
						t.Errorf("round %d: a view changed from %d to %d entries", round, len(want), len(got))
					}
					if _, _, err := v.Get(key(round), nil); err != nil {
						t.Error(err)
					}
				}
				if err := v.Close(); err != nil {
					t.Error(err)
				}
			})
			mark, err := txn.Savepoint(background)
			require.NoError(t, err)
			for i := range 200 {
				require.NoError(t, txn.Set(key((i*7919+round)%3000), fmt.Appendf(nil, "round %d", round)))
			}
			switch round % 3 {
			case 0:
				require.NoError(t, txn.RollbackTo(mark))
			case 1:
				require.NoError(t, txn.Ingest(background, []kv.BulkFile{Bulk(t, s, fmt.Sprintf("own%04d", round), "bulk")}))
			}
			require.NoError(t, txn.Release(mark))
		}
		readers.Wait()
	})
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// countingStore counts what a commit hands to the store.
type countingStore struct {
	kv.Store
	sets, deletes int
}

type countingBatch struct {
	kv.Batch
	s *countingStore
}

func (s *countingStore) NewBatch() kv.Batch { return &countingBatch{s.Store.NewBatch(), s} }

func (s *countingStore) Commit(b kv.Batch, sync bool) error {
	return s.Store.Commit(b.(*countingBatch).Batch, sync)
}

func (b *countingBatch) Set(key, value []byte) error {
	b.s.sets++
	return b.Batch.Set(key, value)
}

func (b *countingBatch) Delete(key []byte) error {
	b.s.deletes++
	return b.Batch.Delete(key)
}

func testTombstones(t *testing.T, s kv.Store) {
	Put(t, s, "a", "old")
	c := &countingStore{Store: s}
	inTxn(t, c, kv.TxnOptions{}, func(txn *kv.Txn) {
		for _, k := range []string{"b", "c", "d"} {
			_, err := txn.Insert([]byte(k), []byte("new"))
			require.NoError(t, err)
		}
		require.NoError(t, txn.Set([]byte("c"), []byte("newer")))
		require.NoError(t, txn.Delete([]byte("a")))
		require.NoError(t, txn.Delete([]byte("b")))
		require.NoError(t, txn.Delete([]byte("c")))
		require.NoError(t, txn.Commit(background, kv.CommitOptions{}))
	})
	require.Equal(t, 1, c.sets)
	require.Equal(t, 1, c.deletes, "entries that came and went leave no tombstone")
	require.Equal(t, []string{"d=new"}, Dump(t, s, kv.Span{}))
}

// testRandomInserts makes gaps useless, so that filters answer, among spans whose gaps are of use.
func testRandomInserts(t *testing.T, s kv.Store) {
	b := s.NewBatch()
	for i := 0; i < 4000; i += 2 {
		require.NoError(t, b.Set(fmt.Appendf(nil, "index/%06d", i), nil))
	}
	require.NoError(t, s.Commit(b, true))
	rng := rand.New(rand.NewPCG(3, 4))
	inTxn(t, s, kv.TxnOptions{}, func(txn *kv.Txn) {
		taken := map[int]bool{}
		for i := range 4000 {
			existed, err := txn.Insert(fmt.Appendf(nil, "row/%06d", i), nil)
			require.NoError(t, err)
			require.False(t, existed)
			n := rng.IntN(4000)
			existed, err = txn.Insert(fmt.Appendf(nil, "index/%06d", n), nil)
			require.NoError(t, err)
			require.Equal(t, n%2 == 0 || taken[n], existed, n)
			taken[n] = true
		}
	})
}

// failingStore refuses the next commit.
type failingStore struct {
	kv.Store
	fail error
}

func (s *failingStore) Commit(b kv.Batch, sync bool) error {
	if err := s.fail; err != nil {
		s.fail = nil
		_ = b.Close()
		return err
	}
	return s.Store.Commit(b, sync)
}

func testCommitAgain(t *testing.T, s kv.Store) {
	f := &failingStore{Store: s, fail: types.Errorf(types.FULL, "no space")}
	inTxn(t, f, kv.TxnOptions{}, func(txn *kv.Txn) {
		require.NoError(t, txn.Set([]byte("a"), []byte("1")))
		extra := func(b kv.Batch) error { return b.Set([]byte("b"), []byte("2")) }
		require.Equal(t, types.FULL, types.CodeOf(txn.Commit(background, kv.CommitOptions{Extra: extra})))
		require.Empty(t, Dump(t, s, kv.Span{}))
		require.NoError(t, txn.Commit(background, kv.CommitOptions{Extra: extra}))
		require.Equal(t, []string{"a=1", "b=2"}, Dump(t, s, kv.Span{}))
	})
}
