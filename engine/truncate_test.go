package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// DELETE without WHERE takes new incarnations, and nobody can tell: counts, waiting checks, savepoints, open rows, what is written
// afterwards and after reopening are as if each row had gone by itself.
func TestDeleteAll(t *testing.T) {
	const (
		fill  = "insert into t select value, 1, 's' || value from generate_series(1, 1500)"
		count = "select count(*), count(s) from t"
	)
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec(`create table p (a integer primary key);
			create table t (id integer primary key, p integer null references p(a), s text, unique (s));
			create index ts on t (s collate nocase);
			create assertion few check ((select count(*) from t) <> 7);
			insert into p values (1)`)
		c.exec(fill)
		c.exec("begin")
		open, err := c.Query(ctx, "select id from t", engine.Params{})
		require.NoError(t, err)
		_, err = open.Next()
		require.NoError(t, err)
		c.exec("insert into t values (9000, 77, 'an orphan that goes')")
		c.exec("savepoint sp")
		before := c.incarnation("t")
		require.EqualValues(t, 1501, c.exec("delete from t"))
		require.NotEqual(t, before, c.incarnation("t"))
		require.Equal(t, "0|0", c.rows(count))
		c.exec("insert into t values (1, 1, 's1')")
		require.Equal(t, "1|1", c.rows(count))
		row, err := open.Next()
		require.NoError(t, err)
		require.Equal(t, "2", types.ToText(row[0]), "rows that are open read on")
		c.exec("rollback to sp")
		require.Equal(t, "1501|1501", c.rows(count))
		require.EqualValues(t, 1501, c.exec("delete from t"))
		require.NoError(t, open.Close())
		c.exec("commit")
		require.Equal(t, "0|0", c.rows(count))
		c.exec(fill)
		if h.durable {
			h.reopen(engine.Options{})
			c = h.conn()
		}
		require.Equal(t, "1500|1500", c.rows(count))

		stmt, err := c.Prepare("delete from t")
		require.NoError(t, err)
		for range 2 {
			c.exec("delete from t")
			c.exec(fill)
			n, err := stmt.Exec(ctx, engine.Params{})
			require.NoError(t, err)
			require.EqualValues(t, 1500, n)
			require.Equal(t, "0|0", c.rows(count))
			c.exec(fill)
		}
		c.exec("begin; delete from t; insert into t select value, 1, value from generate_series(1, 7)")
		c.fails(types.CONSTRAINT, "few", "commit")
		require.Equal(t, "1500|1500", c.rows(count))
		report, err := h.db.Check(ctx)
		require.NoError(t, err)
		require.Empty(t, report.Faults)
	})
}

// incarnation is the number of a table's rows in the store.
func (s *session) incarnation(name string) catalog.Incarnation {
	cat, err := s.Catalog()
	require.NoError(s.t, err)
	return cat.Table("main", name).Storage.Incarnation
}

// BenchmarkDeleteAll empties a table of 100,000 rows.
func BenchmarkDeleteAll(b *testing.B) {
	h := startHost(b, hosts["pebble"]())
	c := h.conn()
	c.exec("create table t (id integer primary key, s text)")
	for b.Loop() {
		b.StopTimer()
		c.exec("insert into t select value, 's' || value from generate_series(1, 100000)")
		b.StartTimer()
		c.exec("delete from t")
	}
}
