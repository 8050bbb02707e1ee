package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// Rows that somebody forgot to close, or has not read to the end, keep nobody from ending the transaction that they read, from writing
// afterwards, or from closing the database.
func TestOpenRowsHoldNothingBeyondTheirTransaction(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		for _, end := range []string{"commit", "rollback"} {
			c := &session{Conn: h.db.Conn(), t: t}
			c.exec("create table if not exists t (id integer primary key)")
			c.exec("delete from t")
			c.exec("insert into t select value from generate_series(1, 5000)")
			c.exec("begin; insert into t values (6000)")
			rows, err := c.Query(ctx, "select id from t order by id", engine.Params{})
			require.NoError(t, err)
			row, err := rows.Next()
			require.NoError(t, err)
			require.NotNil(t, row)
			if end == "rollback" {
				c.exec("savepoint s; delete from t where id > 10; rollback to s")
			}
			c.exec(end)
			_, err = rows.Next()
			require.ErrorIs(t, err, types.ABORT)

			other := &session{Conn: h.db.Conn(), t: t}
			other.exec("insert into t values (7000)")
			require.NoError(t, other.Close())
			c.exec("insert into t values (8000)")
			require.NoError(t, rows.Close())

			forgotten, err := c.Query(ctx, "select id from t", engine.Params{})
			require.NoError(t, err)
			_, err = forgotten.Next()
			require.NoError(t, err)
			c.exec("insert into t values (9000)")
			require.NoError(t, c.Close())
		}
	})
}
