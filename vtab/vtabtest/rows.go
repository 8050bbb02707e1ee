package vtabtest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// row makes a row of Go values.
func row(values ...any) types.Row {
	r := make(types.Row, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case nil:
		case int:
			r[i] = types.Int(int64(v))
		case float64:
			r[i] = types.Real(v)
		case string:
			r[i] = types.Text(v)
		case []byte:
			r[i] = types.Blob(v)
		case bool:
			r[i] = types.Bool(v)
		case types.Value:
			r[i] = v
		}
	}
	return r
}

const people = `create table people (id integer primary key, name text collate nocase null, born integer null, city text null unique)`

var peopleIndexes = []string{
	`create index by_name on people (name, born desc)`,
	`create unique index by_born on people (born, name) where born > 1900`,
	`create index by_parity on people (born % 2)`,
}

func testRows(t *testing.T, h Harness) {
	s := newSession(t, h)
	s.exec(func(x *txn) {
		x.create(people, peopleIndexes...)
		x.insert("people", row(2, "Bo", 1950, "Riga"), row(1, "al", 1940, "Oslo"), row(3, "AL", 1941, nil), row(4, nil, nil, nil))
		x.check()
	})
	s.check()
	s.exec(func(x *txn) {
		x.update("people", row(1, "al", 1940, "Oslo"), row(1, "Al", 1940, "Oslo"))
		x.update("people", row(2, "Bo", 1950, "Riga"), row(20, "Bo", 1951, "Riga"))
		x.update("people", row(4, nil, nil, nil), row(4, "dee", 1800, "Rome"))
		x.check()
		x.delete("people", row(3, "AL", 1941, nil))
		require.Equal(t, vtab.Nothing, x.do("people", vtab.RowOp{Kind: vtab.OpDelete, Old: row(3, "AL", 1941, nil)}).Status)
		require.Equal(t, vtab.Nothing, x.do("people", vtab.RowOp{Kind: vtab.OpUpdate, Old: row(3, "AL", 1941, nil), New: row(3, "x", 1, nil)}).Status)
		x.check()
	})
	s.check()
	x := s.begin()
	x.delete("people", row(1, "Al", 1940, "Oslo"))
	x.insert("people", row(1, "new", 1990, "Oslo"))
	x.check()
	x.rollback()
	s.check()
	s.exec(func(x *txn) { x.drop("people") })
	s.check()
}

func testConflicts(t *testing.T, h Harness) {
	s := newSession(t, h)
	s.exec(func(x *txn) {
		x.create(people, peopleIndexes...)
		x.insert("people", row(1, "al", 1940, "Oslo"), row(2, "bo", 1950, "Riga"))
		for _, action := range []ast.ConflictAction{
			ast.ConflictDefault, ast.ConflictAbort, ast.ConflictFail, ast.ConflictRollback, ast.ConflictIgnore,
		} {
			for _, r := range []types.Row{
				row(1, "c", 1960, "Bonn"),  // key
				row(3, "c", 1960, "Oslo"),  // UNIQUE
				row(3, "AL", 1940, "Bonn"), // unique index, folded
				row(1, "bo", 1950, "Riga"), // all at once: the key is first
				row(3, "bo", 1950, "Oslo"), // the constraint before the index
			} {
				x.do("people", vtab.RowOp{Kind: vtab.OpInsert, New: r, OnConflict: action})
				x.do("people", vtab.RowOp{Kind: vtab.OpUpdate, Old: row(2, "bo", 1950, "Riga"), New: r, OnConflict: action})
			}
			x.check()
		}
		// Outside the predicate there is no rule.
		x.insert("people", row(5, "al", 1800, nil), row(6, "al", 1800, nil))
		// Moving into it is judged.
		x.do("people", vtab.RowOp{Kind: vtab.OpUpdate, Old: row(5, "al", 1800, nil), New: row(5, "al", 1940, nil)})
		x.check()
	})
	s.exec(func(x *txn) {
		x.create(`create table own (k integer primary key on conflict ignore, u integer unique on conflict replace, v integer)`)
		x.insert("own", row(1, 1, 1))
		x.do("own", vtab.RowOp{Kind: vtab.OpInsert, New: row(1, 2, 2)})
		x.do("own", vtab.RowOp{Kind: vtab.OpInsert, New: row(2, 1, 2)})
		x.do("own", vtab.RowOp{Kind: vtab.OpInsert, New: row(2, 2, 2), OnConflict: ast.ConflictFail})
		x.check()
	})
	s.check()
}

func testReplace(t *testing.T, h Harness) {
	s := newSession(t, h)
	s.exec(func(x *txn) {
		x.create(`create table r (x integer, y integer, u text collate nocase null unique, w integer null, primary key (x, y desc))`,
			`create unique index by_w on r (w)`)
		x.insert("r", row(1, 1, "a", 1), row(1, 2, "b", 2), row(2, 1, "c", 3), row(3, 3, nil, nil))
		replace := func(r types.Row) vtab.UpdateResult {
			return x.do("r", vtab.RowOp{Kind: vtab.OpInsert, New: r, OnConflict: ast.ConflictReplace})
		}
		res := replace(row(1, 1, "B", 3))
		require.NotNil(t, res.Replaced)
		require.Len(t, res.Evicted, 2)
		x.check()
		replace(row(9, 9, nil, nil))
		replace(row(9, 9, "b", 3))
		x.check()
		res = x.do("r", vtab.RowOp{Kind: vtab.OpUpdate, Old: row(3, 3, nil, nil), New: row(9, 9, "B", 3), OnConflict: ast.ConflictReplace})
		require.NotNil(t, res.Replaced)
		x.check()
		// One row in the way of two rules is evicted once.
		x.insert("r", row(5, 5, "five", 5))
		require.Len(t, replace(row(6, 6, "FIVE", 5)).Evicted, 1)
		x.check()
	})
	s.check()
}

func testNulls(t *testing.T, h Harness) {
	s := newSession(t, h)
	s.exec(func(x *txn) {
		x.create(`create table n (a integer null, b text null, u integer null, v integer null, primary key (a desc, b), unique (u, v))`)
		x.insert("n", row(nil, nil, 1, nil), row(nil, "x", 1, nil), row(1, nil, nil, nil), row(2, nil, nil, nil), row(2, "", 1, 1))
		x.do("n", vtab.RowOp{Kind: vtab.OpInsert, New: row(nil, nil, 7, 7)}) // NULL equals NULL in the key
		x.do("n", vtab.RowOp{Kind: vtab.OpInsert, New: row(3, nil, 1, 1)})   // and not in a rule
		x.update("n", row(nil, "x", 1, nil), row(nil, "x", 2, 1))
		x.update("n", row(nil, "x", 2, 1), row(nil, "x", nil, 1))
		x.delete("n", row(1, nil, nil, nil))
		x.check()
	})
	s.check()
}

func testEmptyKey(t *testing.T, h Harness) {
	s := newSession(t, h)
	s.exec(func(x *txn) {
		x.create(`create table one (v text unique, primary key ())`)
		x.insert("one", row("only"))
		x.do("one", vtab.RowOp{Kind: vtab.OpInsert, New: row("other")})
		x.update("one", row("only"), row("changed"))
		x.check()
	})
	s.exec(func(x *txn) { x.delete("one", row("changed")) })
	s.check()
}

// testStaleRows writes through images of rows that an earlier part of the statement changed: the entries that go are those of the
// row as it is.
func testStaleRows(t *testing.T, h Harness) {
	s := newSession(t, h)
	s.exec(func(x *txn) {
		x.create(people, peopleIndexes...)
		x.insert("people", row(1, "al", 1940, "Oslo"))
		x.update("people", row(1, "al", 1940, "Oslo"), row(1, "bo", 1950, "Riga"))
		x.update("people", row(1, "al", 1940, "Oslo"), row(1, "cy", 1960, "Bonn"))
		x.check()
		x.delete("people", row(1, "al", 1940, "Oslo"))
		x.check()
	})
	s.check()
}

func testInterrupt(t *testing.T, h Harness) {
	s := newSession(t, h)
	s.exec(func(x *txn) {
		x.create(people)
		x.insert("people", row(1, "al", 1940, "Oslo"))
	})
	pin := must[vtab.Pin](t)(s.m.Pin(background))
	table := must[vtab.Table](t)(s.m.Connect(background, vtab.ConnectRequest{Table: s.tables["people"].def, Pin: pin}))
	ctx, cancel := context.WithCancel(background)
	c := must[vtab.Cursor](t)(table.Scan(ctx, &vtab.Filter{Columns: vtab.AllColumns(4)}))
	cancel()
	_, err := c.Next(ctx, vtab.NewBatch(8, 4))
	require.ErrorIs(t, err, types.INTERRUPT)
	require.NoError(t, c.Close())
	require.NoError(t, table.Close())
	require.NoError(t, pin.Close())
}
