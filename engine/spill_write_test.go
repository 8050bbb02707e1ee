package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// The rows of RETURNING are kept within the budget, whole, and hold nothing of the transaction that wrote them.
func TestReturnedRowsSpill(t *testing.T) {
	onEachAlone(t, func(t *testing.T, h *host) {
		c := &session{Conn: h.db.Conn(), t: t}
		c.exec("pragma memory_budget = 65536")
		c.exec("create table t (id integer primary key, s text)")
		c.exec("insert into t select value, 'row ' || value from generate_series(1, 20000)")
		before := liveBytes()
		rows, err := c.Query(ctx, "update t set s = s || '!' returning id, s || replace('a long text of more than a few letters', 'a', s), s", engine.Params{})
		require.NoError(t, err)
		require.EqualValues(t, 20000, rows.Changes())
		require.Less(t, liveBytes(), before+4<<20)
		c.exec("delete from t where id > 10") // the rows are those of the update
		n := 0
		for {
			row, err := rows.Next()
			require.NoError(t, err)
			if row == nil {
				break
			}
			n++
			if n == 19999 {
				require.Equal(t, "row 19999!", types.ToText(row[2]))
			}
		}
		require.Equal(t, 20000, n)
		require.NoError(t, rows.Close())
		require.NoError(t, rows.Close())

		c.exec("begin")
		forgotten, err := c.Query(ctx, "insert into t select value, 'x' from generate_series(100, 9000) returning *", engine.Params{})
		require.NoError(t, err)
		first, err := forgotten.Next()
		require.NoError(t, err)
		c.exec("commit")
		second, err := forgotten.Next()
		require.NoError(t, err, "a data change has ended before its rows are read")
		require.Equal(t, []string{"100", "101"}, []string{types.ToText(first[0]), types.ToText(second[0])})
		require.NoError(t, c.Close())
		_, err = forgotten.Next()
		require.ErrorIs(t, err, types.MISUSE)
	})
}

// Checks that wait for the commit do so within the budget, whatever the number of statements, and are forgotten with what is rolled back.
func TestWaitingChecksSpill(t *testing.T) {
	onEachAlone(t, func(t *testing.T, h *host) {
		c := &session{Conn: h.db.Conn(), t: t}
		c.exec("pragma memory_budget = 65536")
		c.exec("create table p (a integer primary key)")
		c.exec("create table t (id integer primary key, n integer, b integer null references p (a), constraint low check (n <= (select count(*) from p)))")
		c.exec("begin")
		c.exec("insert into t select value, 0, value % 10 from generate_series(1, 1000)")
		before := liveBytes()
		for range 60 {
			c.exec("update t set b = b + 10")
		}
		require.Less(t, liveBytes(), before+6<<20)
		c.exec("savepoint s")
		c.exec("update t set n = 99, b = 7000; update t set n = 99, b = 7001; rollback to s; update t set b = 1, n = 1")
		c.fails(types.CONSTRAINT, "", "commit")
		require.Equal(t, "0", c.rows("select count(*) from t"))

		c.exec("begin; insert into t select value, 1, value from generate_series(1, 3000)")
		c.exec("savepoint s; update t set n = 99; rollback to s")
		c.exec("insert into p select value from generate_series(1, 3000); commit")
		require.Equal(t, "3000", c.rows("select count(*) from t"))

		c.exec("begin; delete from t; insert into t select value, 1, value from generate_series(2001, 5001); insert into p select value from generate_series(3001, 5000)")
		c.fails(types.CONSTRAINT, "", "commit")
		c.exec("begin; insert into t select value, 1, value from generate_series(3001, 6000); delete from t where id > 5000; insert into p select value from generate_series(3001, 5000); commit")
		require.Equal(t, "5000", c.rows("select count(*) from t"))
	})
}
