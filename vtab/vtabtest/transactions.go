package vtabtest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

func testStatements(t *testing.T, h Harness) {
	s := newSession(t, h)
	s.exec(func(x *txn) {
		x.create(people, peopleIndexes...)
		x.insert("people", row(1, "al", 1940, "Oslo"))
	})
	x := s.begin()
	x.insert("people", row(2, "bo", 1950, "Riga"))
	kept := x.now["people"]
	require.NoError(t, x.conn.BeginStatement(background))
	x.insert("people", row(3, "cy", 1960, "Bonn"))
	x.delete("people", row(1, "al", 1940, "Oslo"))
	x.update("people", row(2, "bo", 1950, "Riga"), row(4, "bo", 1950, "Riga"))
	x.check()
	require.NoError(t, x.conn.UndoStatement())
	x.now["people"] = kept
	x.check()
	require.NoError(t, x.conn.BeginStatement(background))
	x.insert("people", row(3, "cy", 1960, "Bonn"))
	require.NoError(t, x.conn.EndStatement())
	x.check()
	x.commit()
	s.check()
}

func testSavepoints(t *testing.T, h Harness) {
	s := newSession(t, h)
	s.exec(func(x *txn) { x.create(people, peopleIndexes...) })
	x := s.begin()
	x.insert("people", row(1, "al", 1940, "Oslo"))
	outer := x.savepoint()
	x.insert("people", row(2, "bo", 1950, "Riga"))
	inner := x.savepoint()
	x.delete("people", row(1, "al", 1940, "Oslo"))
	x.create(`create table extra (id integer primary key)`)
	x.insert("extra", row(1))
	x.check()
	x.rollbackTo(inner)
	x.check()
	x.insert("people", row(3, "cy", 1960, "Bonn"))
	x.release(inner)
	x.check()
	x.rollbackTo(outer)
	x.check()
	x.rollbackTo(outer) // it stays
	x.insert("people", row(4, "dee", 1970, nil))
	x.release(outer)
	x.check()
	x.commit()
	s.check()
}

// testViews has readers keep their state while the transaction goes on.
func testViews(t *testing.T, h Harness) {
	s := newSession(t, h)
	s.exec(func(x *txn) {
		x.create(people, peopleIndexes...)
		x.insert("people", row(1, "al", 1940, "Oslo"))
	})
	committed := must[vtab.Pin](t)(s.m.Pin(background))
	before := state{"people": s.tables["people"]}
	x := s.begin()
	x.insert("people", row(2, "bo", 1950, "Riga"))
	view := must[vtab.Pin](t)(x.conn.View())
	seen := state{"people": x.now["people"]}
	// A cursor that is open stays on its state too.
	table := must[vtab.Table](t)(x.connect(x.now["people"].def, view))
	c := must[vtab.Cursor](t)(table.Scan(background, &vtab.Filter{Columns: vtab.AllColumns(4)}))
	b := vtab.NewBatch(1, 4)
	require.Equal(t, 1, must[int](t)(c.Next(background, b)))
	x.delete("people", row(2, "bo", 1950, "Riga"))
	x.insert("people", row(3, "cy", 1960, "Bonn"))
	x.checkState(view, seen)
	x.checkState(committed, before)
	require.Equal(t, 1, must[int](t)(c.Next(background, b)))
	require.Equal(t, rowText(row(2, "bo", 1950, "Riga")), rowText(b.Rows[0]))
	require.Equal(t, 0, must[int](t)(c.Next(background, b)))
	require.NoError(t, c.Close())
	require.NoError(t, table.Close())
	require.NoError(t, view.Close())
	x.check()
	x.commit()
	s.checkState(committed, before)
	s.check()
	s.exec(func(x *txn) { x.drop("people") })
	s.checkState(committed, before)
	require.NoError(t, committed.Close())
}

// testWriters has a second transaction try to write.
func testWriters(t *testing.T, h Harness) {
	s := newSession(t, h)
	s.exec(func(x *txn) { x.create(people) })
	a, b := s.begin(), s.begin()
	a.insert("people", row(1, "al", 1940, "Oslo"))
	_, err := b.tryDo("people", vtab.RowOp{Kind: vtab.OpInsert, New: row(2, "bo", 1950, "Riga")})
	require.ErrorIs(t, err, types.BUSY)
	a.commit()
	_, err = b.tryDo("people", vtab.RowOp{Kind: vtab.OpInsert, New: row(2, "bo", 1950, "Riga")})
	require.ErrorIs(t, err, types.BUSY, "a commit landed since its snapshot")
	b.now["people"] = relation{def: s.tables["people"].def}
	b.check()
	b.rollback()
	s.exec(func(x *txn) { x.insert("people", row(2, "bo", 1950, "Riga")) })
	s.check()
}

func testRecords(t *testing.T, h Harness) {
	s := newSession(t, h)
	commit := func(records ...vtab.Record) {
		x := s.begin()
		require.NoError(t, x.conn.Prepare(background, &vtab.Commit{Records: records}))
		require.NoError(t, x.conn.Commit(background))
	}
	commit(
		vtab.Record{Space: vtab.CatalogRecords, Key: []byte("b"), Value: []byte("2")},
		vtab.Record{Space: vtab.CatalogRecords, Key: []byte("a"), Value: []byte("1")},
		vtab.Record{Space: vtab.MetaRecords, Key: []byte("m"), Value: []byte("x")},
		vtab.Record{Space: vtab.HistoryRecords, Key: []byte{}, Value: []byte{}},
	)
	require.Equal(t, []string{"a=1", "b=2"}, s.records(vtab.CatalogRecords))
	require.Equal(t, []string{"m=x"}, s.records(vtab.MetaRecords))
	require.Equal(t, []string{"="}, s.records(vtab.HistoryRecords))
	commit(vtab.Record{Space: vtab.CatalogRecords, Key: []byte("a")})
	require.Equal(t, []string{"b=2"}, s.records(vtab.CatalogRecords))
	if h.Reopen != nil {
		s.m = h.Reopen(t, s.m)
		require.Equal(t, []string{"b=2"}, s.records(vtab.CatalogRecords))
	}
}

func (s *session) records(space vtab.RecordSpace) []string {
	pin := must[vtab.Pin](s.t)(s.m.Pin(background))
	defer pin.Close()
	var out []string
	require.NoError(s.t, s.m.ReadRecords(background, pin, space, func(key, value []byte) error {
		out = append(out, fmt.Sprintf("%s=%s", key, value))
		return nil
	}))
	return out
}

// testReopen compares everything after the store was closed and opened again.
func testReopen(t *testing.T, h Harness) {
	if h.Reopen == nil {
		t.Skip("the module does not outlive the process")
	}
	s := newSession(t, h)
	s.exec(func(x *txn) {
		x.create(people, peopleIndexes...)
		for i := range 300 {
			x.insert("people", row(i, fmt.Sprint("n", i%7), 1800+i, fmt.Sprint("c", i)))
		}
	})
	s.m = h.Reopen(t, s.m)
	s.check()
	x := s.begin()
	g := newGen(1)
	require.NoError(t, x.alter("people", rekey.make(g, x)))
	x.insert("people", row(1000, "z", 9999, nil))
	x.commit()
	s.m = h.Reopen(t, s.m)
	s.check()
	s.exec(func(x *txn) {
		x.insert("people", row(1001, "y", 9998, nil))
		x.create(`create table later (id integer primary key, v text)`)
		x.insert("later", row(1, "one"))
	})
	s.m = h.Reopen(t, s.m)
	s.check()
}
