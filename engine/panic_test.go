package engine_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// explosive gives a function that panics for 13.
func explosive(t testing.TB) engine.Options {
	return scalar(t, "boom", true, func(v types.Value) (types.Value, error) {
		if n, ok := v.Int64(); ok && n == 13 {
			panic("the fuse was lit")
		}
		return v, nil
	})
}

// onExplosive runs a test on databases that have boom(x).
func onExplosive(t *testing.T, f func(t *testing.T, h *host)) {
	for name, make := range hosts {
		t.Run(name, func(t *testing.T) {
			h := make()
			h.t = t
			h.start(explosive(t))
			f(t, h)
		})
	}
}

// blown are statements that panic while they are planned, run, checked or read.
var blown = []string{
	"select boom(13)", "select boom(id) from t", "select boom(id) from t order by v", "select v, max(boom(id)) from t group by v", "select id from t where boom(id) > 5000",
	"select a.id from t a join t b on boom(a.id) = b.id", "select (select boom(id) from t where id = 13)", "select distinct boom(id) from t", "select id from t order by boom(id)",
	"insert into t values (5000, boom(13))", "insert into t select id + 5000, boom(id) from t", "update t set v = boom(id)", "delete from t where boom(id) = 13",
	"update t set v = 'x' where id < 50 returning boom(id)", "insert into k values (13)",
	"alter table t add column w integer default (boom(new.id))", "alter table t add column w integer null generated always as (boom(id))", "create index ix on t(boom(id))",
	"alter table t add column w integer default (1) check (boom(id) > 0)",
}

// A panic in a statement becomes INTERNAL with the statement in it. It is undone, nobody is left waiting, and the database goes on.
func TestPanics(t *testing.T) {
	onExplosive(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key, v text); " + fmt.Sprintf(fill, 3000))
		c.exec("create table k (id integer primary key check (boom(id) > 0))")
		before := c.dump()
		for _, sql := range blown {
			r, err := c.Query(ctx, sql, engine.Params{})
			err = drain(t, r, err)
			refused(t, err, types.INTERNAL, "the fuse was lit")
			require.ErrorContains(t, err, "internal error in statement")
			require.Equal(t, before, c.dump(), sql)
			_, err = h.conn().Exec(within(t, 5e9), "insert into t values (9999, 'x'); delete from t where id = 9999", engine.Params{})
			require.NoError(t, err, "behind %s", sql)
		}
	})
}

// In a transaction a panic rolls all of it back.
func TestPanicsInTransactions(t *testing.T) {
	onExplosive(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key, v text); insert into t values (1, 'a'), (13, 'b')")
		c.exec("create table k (id integer primary key check (boom(id) > 0))")
		before := c.dump()
		for _, sql := range blown[:15] {
			c.exec("begin; insert into t values (2, 'c'); alter table t add column x integer null; alter table t drop column x; savepoint s; update t set v = 'z'")
			r, err := c.Query(ctx, sql, engine.Params{})
			refused(t, drain(t, r, err), types.INTERNAL, "the fuse was lit")
			require.False(t, c.InTransaction(), sql)
			require.Equal(t, before, c.dump(), sql)
		}
	})
}

// A panic of what is judged at the commit, of a prepared statement and of a batch.
func TestPanicsElsewhere(t *testing.T) {
	onExplosive(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key); create assertion sound check (not exists (select 1 from t where boom(id) = 0))")
		before := c.dump()
		c.exec("begin; insert into t values (13)")
		c.fails(types.INTERNAL, "the fuse was lit", "commit")
		require.False(t, c.InTransaction())
		c.fails(types.INTERNAL, "the fuse was lit", "insert into t values (13)")
		require.Equal(t, before, c.dump())

		s := prepare(t, c, "select boom(?)")
		require.Equal(t, "1", run(t, s, types.Int(1)))
		r, err := s.Query(ctx, engine.Args(types.Int(13)))
		refused(t, drain(t, r, err), types.INTERNAL, "select boom(?)")
		require.Equal(t, "2", run(t, s, types.Int(2)))

		add := prepare(t, c, "insert into t values (boom(?))")
		_, err = add.ExecBatch(ctx, [][]types.Value{{types.Int(1)}, {types.Int(13)}})
		refused(t, err, types.INTERNAL, "insert into t")
		n, err := add.ExecBatch(ctx, [][]types.Value{{types.Int(1)}, {types.Int(2)}})
		require.NoError(t, err)
		require.Equal(t, int64(2), n)
	})
}

// A panic in a migration: in a rewrite on other goroutines, in a check of its end, in its progress.
func TestPanicsInMigrations(t *testing.T) {
	onExplosive(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key, v text); " + fmt.Sprintf(fill, 5000))
		before := c.dump()
		migrations := []string{
			"table u { id integer primary key } table t { id integer primary key, v text, w integer default (boom(new.id)) }",
			"table t { id integer primary key, v text } index ix on t (boom(id))",
			"table t { id integer primary key, v text } table s { id integer primary key check (boom(id) > 0) } seed s ((13))",
		}
		for _, text := range migrations {
			text = "declare schema main {" + text + "}"
			p := c.plan(text)
			_, err := c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Destructive, Seeds: declared(t, text)})
			refused(t, err, types.INTERNAL, "the fuse was lit")
			require.Equal(t, before, c.dump(), text)
		}
		p := c.plan("create table t (id integer primary key, v text, w integer null)")
		_, err := c.Migrate(ctx, p, engine.MigrateOptions{Progress: func(engine.Progress) { panic("the display broke") }})
		refused(t, err, types.INTERNAL, "the display broke")
		require.Equal(t, before, c.dump())
		_, err = c.Migrate(within(t, 5e9), p, engine.MigrateOptions{})
		require.NoError(t, err)
	})
}
