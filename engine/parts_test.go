package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/types"
)

// A long scan is read by several goroutines, and nobody can tell: order, errors, panics, cancellation and the transaction's own rows are
// those of one reader.
func TestLongScans(t *testing.T) {
	h := startHost(t, hosts["pebble"]())
	c := h.conn()
	c.exec("create table t (id integer primary key, n integer, s text)")
	c.exec("insert into t select value, value % 7, 'a text that makes rows long enough for several files ' || value || hex(randomblob(60)) from generate_series(1, 60000)")
	h.reopen(engine.Options{})
	c = h.conn()

	require.Equal(t, "60000|1800030000|1|60000", c.rows("select count(*), sum(id), min(id), max(id) from t"))
	require.Equal(t, "8572|257172858", c.rows("select count(*), sum(id) from t where n = 3 and s like 'a text%'"))
	require.Equal(t, "30000|59999", c.rows("select count(*), max(id) from t where id % 2 = 1"))
	rows, err := c.Query(ctx, "select id, s from t", engine.Params{})
	require.NoError(t, err)
	for want := int64(1); ; want++ {
		row, err := rows.Next()
		require.NoError(t, err)
		if row == nil {
			require.EqualValues(t, 60001, want)
			break
		}
		id, _ := row[0].Int64()
		require.Equal(t, want, id)
	}
	require.NoError(t, rows.Close())

	c.fails(types.MISMATCH, "files 40001", "select sum(json_extract(s, '$.x')) from t where id > 40000 and json(s) is not null")
	for _, n := range []int{1, 3000, 40000} {
		rows, err := c.Query(ctx, "select id from t where n >= 0", engine.Params{})
		require.NoError(t, err)
		for range n {
			_, err := rows.Next()
			require.NoError(t, err)
		}
		require.NoError(t, rows.Close())
	}

	c.exec("begin; delete from t where id between 10000 and 50000; insert into t values (30000, 3, 'own')")
	require.Equal(t, "20000|30000", c.rows("select count(*), max(case when s = 'own' then id end) from t"))
	c.exec("rollback")

	canceled, cancel := context.WithCancel(ctx)
	rows, err = c.Query(canceled, "select id from t", engine.Params{})
	require.NoError(t, err)
	for range 5000 {
		_, err := rows.Next()
		require.NoError(t, err)
	}
	cancel()
	for err == nil {
		var row types.Row
		if row, err = rows.Next(); row == nil {
			break
		}
	}
	require.Equal(t, types.INTERRUPT, types.CodeOf(err))
	require.NoError(t, rows.Close())
}

// What a function of a condition panics with on another goroutine ends the statement, not the process.
func TestPanicInPart(t *testing.T) {
	h := startHost(t, hosts["pebble"]())
	f := &function.Function{Name: "burst", Args: 1, Deterministic: true, Eval: func(_ *function.Call, args []types.Value) (types.Value, error) {
		if i, _ := args[0].Int64(); i == 50000 {
			panic(fmt.Sprint("row ", i))
		}
		return types.Bool(true), nil
	}}
	c := h.conn()
	c.exec("create table t (id integer primary key, s text)")
	c.exec("insert into t select value, hex(randomblob(100)) from generate_series(1, 60000)")
	h.reopen(engine.Options{})
	require.NoError(t, h.db.Functions().Register(f))
	c = h.conn()
	c.fails(types.INTERNAL, "row 50000", "select count(*) from t where burst(id)")
	require.Equal(t, "60000", c.rows("select count(*) from t"))
}
