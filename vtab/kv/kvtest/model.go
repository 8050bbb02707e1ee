package kvtest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// model is a state as a map, the simplest thing a store may be compared with.
type model map[string]string

func (m model) clone() model { return maps.Clone(m) }

// dump is the span of the model as Dump gives it.
func (m model) dump(s kv.Span) []string {
	out := []string{}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if s.Contains([]byte(k)) {
			out = append(out, k+"="+m[k])
		}
	}
	return out
}

func (m model) clear(s kv.Span) {
	maps.DeleteFunc(m, func(k, _ string) bool { return s.Contains([]byte(k)) })
}

// keyGen draws keys of which many are equal, near or prefixes of each other.
func keyGen(prefix string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return prefix + rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 1, 3, -1).Draw(t, "key")
	})
}

func valueGen() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string { return fmt.Sprint(rapid.IntRange(0, 99).Draw(t, "value")) })
}

func spanGen(prefix string) *rapid.Generator[kv.Span] {
	return rapid.Custom(func(t *rapid.T) kv.Span {
		var s kv.Span
		if rapid.Bool().Draw(t, "has lo") {
			s.Lo = []byte(keyGen(prefix).Draw(t, "lo"))
		}
		if rapid.Bool().Draw(t, "has hi") {
			s.Hi = []byte(keyGen(prefix).Draw(t, "hi"))
		}
		if s.Hi != nil && string(s.Lo) > string(s.Hi) {
			s.Lo, s.Hi = s.Hi, s.Lo
		}
		return s
	})
}

// entriesGen draws the entries of a bulk file.
func entriesGen(prefix string) *rapid.Generator[map[string]string] {
	return rapid.MapOfN(keyGen(prefix), valueGen(), 1, 6)
}

func bulkOf(t require.TestingT, s kv.Store, entries map[string]string, deleted func(k string) bool) kv.BulkFile {
	w, err := s.NewBulkWriter()
	require.NoError(t, err)
	for _, k := range slices.Sorted(maps.Keys(entries)) {
		if deleted(k) {
			require.NoError(t, w.Delete([]byte(k)))
		} else {
			require.NoError(t, w.Set([]byte(k), []byte(entries[k])))
		}
	}
	f, err := w.Finish()
	require.NoError(t, err)
	return f
}

// walk moves an iterator at random and compares it with the model at each step.
func walk(t *rapid.T, r kv.Reader, m model, prefix string) {
	s := spanGen(prefix).Draw(t, "span")
	keys := []string{}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if s.Contains([]byte(k)) {
			keys = append(keys, k)
		}
	}
	it, err := r.NewIter(kv.IterOptions{Span: s})
	require.NoError(t, err)
	pos := 0 // -1 before the first, len(keys) after the last
	moves := rapid.SliceOfN(rapid.SampledFrom([]string{"first", "last", "ge", "lt", "next", "next", "next", "prev", "prev", "prev"}),
		1, 12).Draw(t, "moves")
	for i, move := range moves {
		if i == 0 && (move == "next" || move == "prev") {
			move = "first"
		}
		var ok bool
		switch move {
		case "first":
			ok, pos = it.First(), 0
		case "last":
			ok, pos = it.Last(), len(keys)-1
		case "ge":
			k := keyGen(prefix).Draw(t, "seek")
			ok = it.SeekGE([]byte(k))
			pos, _ = slices.BinarySearch(keys, k)
		case "lt":
			k := keyGen(prefix).Draw(t, "seek")
			ok = it.SeekLT([]byte(k))
			pos, _ = slices.BinarySearch(keys, k)
			pos--
		case "next":
			ok, pos = it.Next(), min(pos+1, len(keys))
		case "prev":
			ok, pos = it.Prev(), max(pos-1, -1)
		}
		require.NoError(t, it.Err())
		require.Equal(t, pos >= 0 && pos < len(keys), ok, "%s in %q to %d", move, keys, pos)
		require.Equal(t, ok, it.Valid())
		if ok {
			require.Equal(t, keys[pos], string(it.Key()), move)
			require.Equal(t, m[keys[pos]], string(it.Value()), move)
		} else if len(keys) == 0 {
			pos = 0 // an iterator over nothing stays off, whichever way
			if move == "prev" || move == "last" || move == "lt" {
				pos = -1
			}
		}
	}
	require.NoError(t, it.Close())
}

// compare checks everything that a reader can tell.
func compare(t *rapid.T, r kv.Reader, m model, prefix string) {
	s := spanGen(prefix).Draw(t, "compared")
	require.Equal(t, m.dump(s), Dump(t, r, s))
	backwards := dumpBackwards(t, r, s)
	slices.Reverse(backwards)
	require.Equal(t, m.dump(s), backwards)
	probe, err := r.NewIter(kv.IterOptions{Span: s, Probe: true})
	require.NoError(t, err)
	for range 3 {
		k := keyGen(prefix).Draw(t, "probed")
		want, has := m[k]
		value, found, err := r.Get([]byte(k), nil)
		require.NoError(t, err)
		require.Equal(t, has, found, k)
		require.Equal(t, want, string(value), k)
		require.Equal(t, has && s.Contains([]byte(k)), probe.Probe([]byte(k)), k)
		if probe.Valid() {
			require.Equal(t, k, string(probe.Key()))
			require.Equal(t, want, string(probe.Value()))
		}
		require.NoError(t, probe.Err())
	}
	require.NoError(t, probe.Close())
	walk(t, r, m, prefix)
}

// storeMachine compares a store with a map over random operations.
type storeMachine struct {
	s     kv.Store
	now   model
	snaps []kv.Snapshot
	then  []model // what the snapshots show
}

func testStoreModel(t *testing.T, open Open) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &storeMachine{s: open(t), now: model{}}
		rt.Repeat(map[string]func(*rapid.T){
			"commit":   m.commit,
			"ingest":   m.ingest,
			"clear":    m.clear,
			"snapshot": m.snapshot,
			"release":  m.release,
			"":         m.check,
		})
		for _, s := range m.snaps {
			require.NoError(rt, s.Close())
		}
		require.NoError(rt, m.s.Close())
	})
}

func (m *storeMachine) commit(t *rapid.T) {
	b := m.s.NewBatch()
	for range rapid.IntRange(1, 8).Draw(t, "writes") {
		k := keyGen("").Draw(t, "key")
		if rapid.IntRange(0, 2).Draw(t, "delete") == 0 {
			require.NoError(t, b.Delete([]byte(k)))
			delete(m.now, k)
		} else {
			v := valueGen().Draw(t, "value")
			require.NoError(t, b.Set([]byte(k), []byte(v)))
			m.now[k] = v
		}
	}
	require.NoError(t, m.s.Commit(b, rapid.Bool().Draw(t, "sync")))
}

func (m *storeMachine) ingest(t *rapid.T) {
	entries := entriesGen("").Draw(t, "entries")
	doomed := func(k string) bool { return len(entries[k]) == 1 } // values below 10 stand for tombstones
	require.NoError(t, m.s.Ingest(context.Background(), []kv.BulkFile{bulkOf(t, m.s, entries, doomed)}))
	for k, v := range entries {
		if doomed(k) {
			delete(m.now, k)
		} else {
			m.now[k] = v
		}
	}
}

// clear also drops the snapshots, which may lose what is cleared.
func (m *storeMachine) clear(t *rapid.T) {
	for len(m.snaps) > 0 {
		m.release(t)
	}
	s := spanGen("").Draw(t, "cleared")
	require.NoError(t, m.s.Clear(context.Background(), []kv.Span{s}))
	m.now.clear(s)
}

func (m *storeMachine) snapshot(t *rapid.T) {
	s, err := m.s.NewSnapshot()
	require.NoError(t, err)
	m.snaps, m.then = append(m.snaps, s), append(m.then, m.now.clone())
}

func (m *storeMachine) release(t *rapid.T) {
	if len(m.snaps) == 0 {
		return
	}
	require.NoError(t, m.snaps[0].Close())
	m.snaps, m.then = m.snaps[1:], m.then[1:]
}

func (m *storeMachine) check(t *rapid.T) {
	compare(t, m.s, m.now, "")
	for i, s := range m.snaps {
		compare(t, s, m.then[i], "")
	}
}
