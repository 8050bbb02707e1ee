package pebble

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	cockroach "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/mem"
	"github.com/stretchr/testify/require"
)

// Each benchmark has Pebble without anything of ours beside it, as the limit: sub-benchmark "raw". Compare the ratios of ns/row.

const benchRows = 300_000

// benchKey is 12 bytes: a prefix and a number.
func benchKey(dst []byte, n int) []byte {
	dst = append(dst[:0], "tabl"...)
	return binary.BigEndian.AppendUint64(dst, uint64(n))
}

var benchValue = func() []byte {
	v := make([]byte, 88)
	_, _ = rand.NewChaCha8([32]byte{}).Read(v[:44])
	return v
}()

func benchStore(b *testing.B) *Store {
	s, err := Open(b.TempDir(), Options{Create: true, CacheBytes: 512 << 20})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Close()) })
	return s
}

// loaded is a store whose rows have even numbers, in one ingested file.
func loaded(b *testing.B) *Store {
	s := benchStore(b)
	w, err := s.NewBulkWriter()
	require.NoError(b, err)
	var key []byte
	for i := range benchRows {
		key = benchKey(key, 2*i)
		require.NoError(b, w.Set(key, benchValue))
	}
	f, err := w.Finish()
	require.NoError(b, err)
	require.NoError(b, s.Ingest(context.Background(), []kv.BulkFile{f}))
	return s
}

func perRow(b *testing.B, rows int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
}

func benchTxn(b *testing.B, s kv.Store, f func(txn *kv.Txn)) {
	snap, err := s.NewSnapshot()
	require.NoError(b, err)
	txn := kv.NewTxn(s, snap, kv.TxnOptions{})
	f(txn)
	require.NoError(b, txn.Close())
	require.NoError(b, snap.Close())
}

// insertAll inserts rows whose numbers order gives, and commits.
func insertAll(b *testing.B, s kv.Store, order func(i int) int) {
	benchTxn(b, s, func(txn *kv.Txn) {
		var key []byte
		for i := range benchRows {
			key = benchKey(key, order(i))
			if existed, err := txn.Insert(key, benchValue); err != nil || existed {
				b.Fatal(existed, err)
			}
		}
		require.NoError(b, txn.Commit(context.Background(), kv.CommitOptions{}))
	})
}

// setRaw writes the same rows by plain batches of 10,000.
func setRaw(b *testing.B, db *cockroach.DB, order func(i int) int) {
	var key []byte
	batch := db.NewBatch()
	for i := range benchRows {
		key = benchKey(key, order(i))
		require.NoError(b, batch.Set(key, benchValue, nil))
		if i%10_000 == 9_999 {
			require.NoError(b, batch.Commit(cockroach.NoSync))
			batch = db.NewBatch()
		}
	}
	require.NoError(b, batch.Commit(cockroach.NoSync))
}

func BenchmarkTxnInsert(b *testing.B) {
	shuffled := rand.New(rand.NewPCG(1, 2)).Perm(benchRows)
	for _, test := range []struct {
		name  string
		open  func(b *testing.B) *Store
		order func(i int) int
	}{
		{"sorted into empty", benchStore, func(i int) int { return i }},
		{"sorted behind", loaded, func(i int) int { return 2*benchRows + i }},
		{"sorted between", loaded, func(i int) int { return 2*i + 1 }},
		{"random between", loaded, func(i int) int { return 2*shuffled[i] + 1 }},
	} {
		for _, how := range []string{"raw", "txn"} {
			b.Run(test.name+"/"+how, func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					s := test.open(b)
					b.StartTimer()
					if how == "raw" {
						setRaw(b, s.db, test.order)
					} else {
						insertAll(b, s, test.order)
					}
				}
				perRow(b, benchRows)
			})
		}
	}
	b.Run("sorted into empty/mem", func(b *testing.B) {
		for b.Loop() {
			insertAll(b, mem.Open(), func(i int) int { return i })
		}
		perRow(b, benchRows)
	})
}

func BenchmarkScan(b *testing.B) {
	s := loaded(b)
	count := func(b *testing.B, first func() bool, next func() bool, want int) {
		n := 0
		for ok := first(); ok; ok = next() {
			n++
		}
		require.Equal(b, want, n)
	}
	b.Run("raw", func(b *testing.B) {
		for b.Loop() {
			it, err := s.db.NewIter(nil)
			require.NoError(b, err)
			n := 0
			for ok := it.First(); ok; ok = it.Next() {
				n += len(it.Key()) + len(it.Value())
			}
			require.NoError(b, it.Close())
		}
		perRow(b, benchRows)
	})
	for _, test := range []struct {
		name    string
		written int
	}{{"nothing written", 0}, {"1 row in 1000 written", benchRows / 1000}, {"1 row in 10 written", benchRows / 10}} {
		b.Run(test.name, func(b *testing.B) {
			benchTxn(b, s, func(txn *kv.Txn) {
				for i := range test.written {
					require.NoError(b, txn.Set(benchKey(nil, 2*i*(benchRows/test.written)), benchValue))
				}
				for b.Loop() {
					it, err := txn.NewIter(kv.IterOptions{})
					require.NoError(b, err)
					n := 0
					for ok := it.First(); ok; ok = it.Next() {
						n += len(it.Key()) + len(it.Value())
					}
					require.NoError(b, it.Close())
				}
				perRow(b, benchRows)
			})
		})
	}
	b.Run("nothing written, backwards", func(b *testing.B) {
		benchTxn(b, s, func(txn *kv.Txn) {
			for b.Loop() {
				it, err := txn.NewIter(kv.IterOptions{})
				require.NoError(b, err)
				count(b, it.Last, it.Prev, benchRows)
				require.NoError(b, it.Close())
			}
			perRow(b, benchRows)
		})
	})
}

// BenchmarkGet reads rows that are there, in random and in rising order.
func BenchmarkGet(b *testing.B) {
	const gets = 20_000
	s := loaded(b)
	rng := rand.New(rand.NewPCG(3, 4))
	random := make([]int, gets)
	rising := make([]int, gets)
	for i := range gets {
		random[i], rising[i] = 2*rng.IntN(benchRows), 2*i*(benchRows/gets)
	}
	for name, order := range map[string][]int{"random": random, "rising": rising} {
		run := func(how string, get func(key, dst []byte) ([]byte, bool, error)) {
			b.Run(name+"/"+how, func(b *testing.B) {
				var key, value []byte
				for b.Loop() {
					for _, n := range order {
						key = benchKey(key, n)
						var ok bool
						var err error
						if value, ok, err = get(key, value[:0]); err != nil || !ok {
							b.Fatal(n, err)
						}
					}
				}
				perRow(b, gets)
			})
		}
		run("raw", func(key, dst []byte) ([]byte, bool, error) {
			v, closer, err := s.db.Get(key)
			if err != nil {
				return nil, false, err
			}
			dst = append(dst, v...)
			return dst, true, closer.Close()
		})
		run("store", s.Get)
		benchTxn(b, s, func(txn *kv.Txn) { run("txn", txn.Get) })
		benchTxn(b, s, func(txn *kv.Txn) {
			v, err := txn.View()
			require.NoError(b, err)
			run("view", v.Get)
			require.NoError(b, v.Close())
		})
		it, err := s.NewIter(kv.IterOptions{})
		require.NoError(b, err)
		run("seek", func(key, dst []byte) ([]byte, bool, error) {
			return append(dst, it.Value()...), it.SeekGE(key), it.Err()
		})
		require.NoError(b, it.Close())
		it, err = s.NewIter(kv.IterOptions{Probe: true})
		require.NoError(b, err)
		run("probe", func(key, dst []byte) ([]byte, bool, error) {
			ok := it.Probe(key)
			return append(dst, it.Value()...), ok, it.Err()
		})
		require.NoError(b, it.Close())
	}
}

// BenchmarkProbeAbsent asks for keys between those that are there.
func BenchmarkProbeAbsent(b *testing.B) {
	const probes = 20_000
	s := loaded(b)
	rng := rand.New(rand.NewPCG(5, 6))
	order := make([]int, probes)
	for i := range order {
		order[i] = 2*rng.IntN(benchRows) + 1
	}
	run := func(name string, has func(key []byte) bool) {
		b.Run(name, func(b *testing.B) {
			var key []byte
			for b.Loop() {
				for _, n := range order {
					key = benchKey(key, n)
					if has(key) {
						b.Fatal(n)
					}
				}
			}
			perRow(b, probes)
		})
	}
	run("raw", func(key []byte) bool {
		_, closer, err := s.db.Get(key)
		if err == nil {
			_ = closer.Close()
		}
		return err == nil
	})
	filtered, err := s.NewIter(kv.IterOptions{Probe: true})
	require.NoError(b, err)
	run("filtered", filtered.Probe)
	require.NoError(b, filtered.Close())
	plain, err := s.NewIter(kv.IterOptions{})
	require.NoError(b, err)
	run("unfiltered", func(key []byte) bool { return plain.SeekGE(key) && string(plain.Key()) == string(key) })
	require.NoError(b, plain.Close())
	benchTxn(b, s, func(txn *kv.Txn) {
		run("txn get", func(key []byte) bool {
			_, ok, _ := txn.Get(key, nil)
			return ok
		})
	})
}

// BenchmarkSynced is what the record of synced files adds to each sync, on the operating system's file system.
func BenchmarkSynced(b *testing.B) {
	s, err := openSynced(vfs.Default, b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	for i := range 6 {
		s.note(fmt.Sprintf("%06d.log", i), 1)
	}
	for i := range b.N {
		s.note("000003.log", int64(i))
	}
	if err := s.close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCommit is a synced commit of one entry.
func BenchmarkCommit(b *testing.B) {
	value := benchValue
	b.Run("raw", func(b *testing.B) {
		db, err := cockroach.Open(b.TempDir(), Options{}.withDefaults().pebbleOptions(&fence{FS: vfs.Default, health: newHealth("", 0)}))
		require.NoError(b, err)
		var key []byte
		for i := range b.N {
			key = benchKey(key, i)
			require.NoError(b, db.Set(key, value, cockroach.Sync))
		}
		require.NoError(b, db.Close())
	})
	b.Run("store", func(b *testing.B) {
		s, err := Open(b.TempDir(), Options{Create: true})
		require.NoError(b, err)
		var key []byte
		for i := range b.N {
			key = benchKey(key, i)
			batch := s.NewBatch()
			require.NoError(b, batch.Set(key, value))
			require.NoError(b, s.Commit(batch, true))
		}
		require.NoError(b, s.Close())
	})
}
