package kvtest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// txnModel is a transaction's state as maps: a base that only grows, by ingests, and what was written over it.
type txnModel struct {
	base model
	over map[string]*string // nil for a tombstone
}

// seen is what a reader sees.
func (m txnModel) seen() model {
	out := m.base.clone()
	for k, v := range m.over {
		if v == nil {
			delete(out, k)
		} else {
			out[k] = *v
		}
	}
	return out
}

// txnMachine compares a transaction with its model over random operations.
type txnMachine struct {
	s       kv.Store
	snap    kv.Snapshot
	txn     *kv.Txn
	m       txnModel
	spaces  []string // prefixes of keys: the old one, then those of own spans
	marks   []kv.Mark
	marked  []map[string]*string
	views   []*kv.View
	viewed  []model
	outside model // what the store held before
}

func testTxnModel(t *testing.T, open Open) {
	rapid.Check(t, func(rt *rapid.T) {
		m := newTxnMachine(t, rt, open)
		rt.Repeat(map[string]func(*rapid.T){
			"set":       m.set,
			"insert":    m.insert,
			"insert 2":  m.insertRun,
			"delete":    m.delete,
			"rising":    m.rising,
			"statement": m.statement,
			"savepoint": m.savepoint,
			"rollback":  m.rollbackTo,
			"release":   m.release,
			"own":       m.own,
			"late file": m.lateIngest,
			"view":      m.view,
			"iterator":  m.iterator,
			"":          m.check,
		})
		m.finish(rt)
	})
}

func newTxnMachine(t *testing.T, rt *rapid.T, open Open) *txnMachine {
	m := &txnMachine{s: open(t), m: txnModel{base: model{}, over: map[string]*string{}}, spaces: []string{"old/"}}
	// A store whose entries lie in memory and in files, some of them deleted.
	entries := entriesGen("old/").Draw(rt, "ingested")
	require.NoError(rt, m.s.Ingest(context.Background(), []kv.BulkFile{bulkOf(rt, m.s, entries, func(string) bool { return false })}))
	maps.Copy(m.m.base, entries)
	for k, v := range entriesGen("old/").Draw(rt, "committed") {
		if len(v) == 1 {
			Drop(rt, m.s, k)
			delete(m.m.base, k)
		} else {
			Put(rt, m.s, k, v)
			m.m.base[k] = v
		}
	}
	m.outside = m.m.base.clone()
	snap, err := m.s.NewSnapshot()
	require.NoError(rt, err)
	m.snap = snap
	m.txn = kv.NewTxn(m.s, snap, kv.TxnOptions{
		MemoryBudget: rapid.SampledFrom([]int64{150, 600, 64 << 20}).Draw(rt, "budget"),
		BulkCommit:   rapid.SampledFrom([]int64{1, 64 << 20}).Draw(rt, "bulk commit"),
		BulkFile:     rapid.SampledFrom([]int64{60, 64 << 20}).Draw(rt, "bulk file"),
	})
	return m
}

func (m *txnMachine) key(t *rapid.T) string {
	return keyGen(rapid.SampledFrom(m.spaces).Draw(t, "space")).Draw(t, "key")
}

func (m *txnMachine) set(t *rapid.T) {
	k, v := m.key(t), valueGen().Draw(t, "value")
	require.NoError(t, m.txn.Set([]byte(k), []byte(v)))
	m.m.over[k] = &v
}

func (m *txnMachine) insert(t *rapid.T) { m.insertKey(t, m.key(t)) }

// insertRun inserts rising keys, which gaps answer for.
func (m *txnMachine) insertRun(t *rapid.T) {
	space := rapid.SampledFrom(m.spaces).Draw(t, "space")
	for _, k := range []string{"aa", "ab", "aba", "abb", "b", "ba", "bab", "c", "cc"} {
		if rapid.Bool().Draw(t, "take") {
			m.insertKey(t, space+k)
		}
	}
}

func (m *txnMachine) insertKey(t *rapid.T, k string) {
	v := valueGen().Draw(t, "value")
	_, has := m.m.seen()[k]
	existed, err := m.txn.Insert([]byte(k), []byte(v))
	require.NoError(t, err)
	require.Equal(t, has, existed, k)
	if !has {
		m.m.over[k] = &v
	}
}

func (m *txnMachine) delete(t *rapid.T) {
	k := m.key(t)
	require.NoError(t, m.txn.Delete([]byte(k)))
	m.m.over[k] = nil
}

// rising asks for keys most of which rise, there or not, with writes and other questions between.
func (m *txnMachine) rising(t *rapid.T) {
	seen := m.m.seen()
	keys := slices.Sorted(maps.Keys(seen))
	for range rapid.IntRange(0, 8).Draw(t, "more") {
		keys = append(keys, m.key(t))
	}
	if rapid.Bool().Draw(t, "sort") {
		slices.Sort(keys)
	}
	for _, k := range keys {
		if rapid.IntRange(0, 15).Draw(t, "between") == 0 {
			rapid.SampledFrom([]func(*rapid.T){m.set, m.insert, m.delete}).Draw(t, "which")(t)
			seen = m.m.seen()
		}
		got, found, err := m.txn.GetRising([]byte(k), []byte("before "))
		require.NoError(t, err)
		want, has := seen[k]
		require.Equal(t, has, found, k)
		require.Equal(t, "before "+want, string(got), k)
	}
}

// statement runs some writes and keeps or undoes them.
func (m *txnMachine) statement(t *rapid.T) {
	require.NoError(t, m.txn.BeginStatement(context.Background()))
	before := maps.Clone(m.m.over)
	for range rapid.IntRange(0, 6).Draw(t, "writes") {
		rapid.SampledFrom([]func(*rapid.T){m.set, m.insert, m.delete, m.insertRun, m.rising}).Draw(t, "write")(t)
	}
	compare(t, m.txn, m.m.seen(), "")
	if rapid.Bool().Draw(t, "undo") {
		require.NoError(t, m.txn.UndoStatement())
		m.m.over = before
	} else {
		require.NoError(t, m.txn.EndStatement())
	}
}

func (m *txnMachine) savepoint(t *rapid.T) {
	mark, err := m.txn.Savepoint(context.Background())
	require.NoError(t, err)
	m.marks, m.marked = append(m.marks, mark), append(m.marked, maps.Clone(m.m.over))
}

func (m *txnMachine) anyMark(t *rapid.T) int {
	if len(m.marks) == 0 {
		t.Skip("no savepoint")
	}
	return rapid.IntRange(0, len(m.marks)-1).Draw(t, "mark")
}

func (m *txnMachine) rollbackTo(t *rapid.T) {
	i := m.anyMark(t)
	require.NoError(t, m.txn.RollbackTo(m.marks[i]))
	m.m.over = maps.Clone(m.marked[i])
	m.dropMarks(t, i+1)
}

func (m *txnMachine) release(t *rapid.T) {
	i := m.anyMark(t)
	require.NoError(t, m.txn.Release(m.marks[i]))
	m.dropMarks(t, i)
}

func (m *txnMachine) dropMarks(t *rapid.T, from int) {
	for _, gone := range m.marks[from:] {
		require.Error(t, m.txn.RollbackTo(gone))
	}
	m.marks, m.marked = m.marks[:from], m.marked[:from]
}

// own adds a span, most with files in it before anything is written there.
func (m *txnMachine) own(t *rapid.T) {
	space := fmt.Sprintf("own%02d/", len(m.spaces))
	if rapid.Bool().Draw(t, "from") {
		require.NoError(t, m.txn.OwnFrom([]byte(space)))
	} else {
		require.NoError(t, m.txn.Own(kv.PrefixSpan([]byte(space))))
	}
	m.spaces = append(m.spaces, space)
	if rapid.Bool().Draw(t, "ingest") {
		m.ingestInto(t, space)
	}
}

// lateIngest ingests where something may be written already.
func (m *txnMachine) lateIngest(t *rapid.T) {
	m.ingestInto(t, rapid.SampledFrom(m.spaces).Draw(t, "space"))
}

func (m *txnMachine) ingestInto(t *rapid.T, space string) {
	entries := entriesGen(space).Draw(t, "entries")
	for _, over := range m.marked {
		for k := range over {
			if strings.HasPrefix(k, space) {
				t.Skip("a savepoint from before the ingest would be a state that never was")
			}
		}
	}
	f := bulkOf(t, m.s, entries, func(string) bool { return false })
	err := m.txn.Ingest(context.Background(), []kv.BulkFile{f})
	written := false
	for k, v := range m.m.over {
		written = written || v != nil && f.Span().Contains([]byte(k))
	}
	if space == m.spaces[0] || written {
		require.Error(t, err, "only own spans may be ingested into, and only where nothing is written")
	}
	if err != nil {
		require.Equal(t, types.MISUSE, types.CodeOf(err))
		require.NoError(t, f.Remove())
		return
	}
	for k, v := range m.m.over {
		if v == nil && f.Span().Contains([]byte(k)) {
			delete(m.m.over, k) // a delete that left no trace
		}
	}
	maps.Copy(m.m.base, entries)
	maps.Copy(m.outside, entries)
}

func (m *txnMachine) view(t *rapid.T) {
	if len(m.views) > 2 {
		require.NoError(t, m.views[0].Close())
		m.views, m.viewed = m.views[1:], m.viewed[1:]
	}
	v, err := m.txn.View()
	require.NoError(t, err)
	m.views, m.viewed = append(m.views, v), append(m.viewed, m.m.seen())
}

// iterator writes under an open iterator, which must not notice.
func (m *txnMachine) iterator(t *rapid.T) {
	before := m.m.seen()
	it, err := m.txn.NewIter(kv.IterOptions{})
	require.NoError(t, err)
	var got []string
	for ok := it.First(); ok; ok = it.Next() {
		got = append(got, fmt.Sprintf("%s=%s", it.Key(), it.Value()))
		if rapid.IntRange(0, 3).Draw(t, "write") == 0 {
			rapid.SampledFrom([]func(*rapid.T){m.set, m.insert, m.delete}).Draw(t, "which")(t)
		}
	}
	require.NoError(t, it.Err())
	require.NoError(t, it.Close())
	require.Equal(t, before.dump(kv.Span{}), append([]string{}, got...))
}

func (m *txnMachine) check(t *rapid.T) {
	compare(t, m.txn, m.m.seen(), "")
	compare(t, m.txn, m.m.seen(), m.spaces[len(m.spaces)-1])
	for i, v := range m.views {
		compare(t, v, m.viewed[i], "")
	}
	if rapid.IntRange(0, 9).Draw(t, "look outside") == 0 {
		require.Equal(t, m.outside.dump(kv.Span{}), Dump(t, m.s, kv.Span{}), "the store before the commit")
	}
}

// finish commits or rolls back, and compares the store.
func (m *txnMachine) finish(t *rapid.T) {
	for i, v := range m.views {
		compare(t, v, m.viewed[i], "")
		require.NoError(t, v.Close())
	}
	want := m.outside
	if rapid.IntRange(0, 3).Draw(t, "end") > 0 {
		var dropped []kv.Span
		for range rapid.IntRange(0, 2).Draw(t, "dropped") {
			dropped = append(dropped, spanGen(rapid.SampledFrom(m.spaces).Draw(t, "space")).Draw(t, "span"))
		}
		want = m.committed(dropped)
		extra := keyGen("zextra/").Draw(t, "extra")
		for _, d := range dropped {
			if d.Contains([]byte(extra)) {
				extra = ""
			}
		}
		if extra != "" {
			want[extra] = "x"
		}
		require.NoError(t, m.txn.Commit(context.Background(), kv.CommitOptions{
			Dropped: dropped, Sync: rapid.Bool().Draw(t, "sync"),
			Extra: func(b kv.Batch) error {
				if extra == "" {
					return nil
				}
				return b.Set([]byte(extra), []byte("x"))
			},
		}))
	} else {
		require.NoError(t, m.txn.Rollback())
	}
	require.Equal(t, want.dump(kv.Span{}), Dump(t, m.s, kv.Span{}), "the store after the end")
	require.NoError(t, m.txn.Close())
	require.NoError(t, m.snap.Close())
	require.NoError(t, m.s.Close())
}

// committed is the store after a commit that leaves out writes in dropped spans.
func (m *txnMachine) committed(dropped []kv.Span) model {
	out := m.m.base.clone()
	for k, v := range m.m.over {
		lost := false
		for _, d := range dropped {
			lost = lost || d.Contains([]byte(k))
		}
		switch {
		case lost:
		case v == nil:
			delete(out, k)
		default:
			out[k] = *v
		}
	}
	return out
}
