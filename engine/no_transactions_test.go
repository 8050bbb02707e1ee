package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/vtabtest"
)

const variables = "create table env (name text primary key, value text) using variables"

// withVariables runs a test on a fresh database of each engine that has a module without transactions.
func withVariables(t *testing.T, f func(t *testing.T, h *host, o engine.Options)) {
	for name, make := range hosts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := vtabtest.NewVariables(map[string]string{"HOME": "/home/me", "SHELL": "sh"})
			o := engine.Options{Modules: []engine.ModuleEntry{{Name: "variables", Module: m}}}
			h := make()
			h.t = t
			h.start(o)
			f(t, h, o)
		})
	}
}

// Tables of a module without transactions are read and written outside of one and in one, beside others.
func TestModuleWithoutTransactions(t *testing.T) {
	withVariables(t, func(t *testing.T, h *host, o engine.Options) {
		c, other := h.conn(), h.conn()
		c.exec(variables + "; create table note (name text primary key, n integer)")
		require.Equal(t, "HOME|/home/me SHELL|sh", c.rows("select * from env order by name"))
		require.Equal(t, "sh", c.rows("select value from env where name = 'SHELL'"))

		c.exec("insert into env values ('A', '1'), ('B', '2'); update env set value = value || 'x' where name = 'A'; delete from env where name = 'B'")
		require.Equal(t, "A|1x HOME|/home/me SHELL|sh", other.rows("select * from env order by name"))
		c.fails(types.CONSTRAINT, "UNIQUE constraint failed: env (name)", "insert into env values ('A', '2')")
		c.exec("insert or ignore into env values ('A', '2'); insert or replace into env values ('SHELL', 'fish')")
		c.exec("insert into env values ('A', '3') on conflict (name) do update set value = env.value || excluded.value")
		require.Equal(t, "A|1x3 HOME|/home/me SHELL|fish", c.rows("select * from env order by name"))
		require.Equal(t, "B|1", c.rows("insert into env values ('B', '1') returning *"))
		require.Equal(t, int64(4), c.exec("insert into note select name, length(value) from env"))
		require.Equal(t, "A|3 B|1 HOME|8 SHELL|4", c.rows("select e.name, n from env e join note n on n.name = e.name order by 1"))

		c.exec("delete from env")
		require.Equal(t, "", other.rows("select * from env"))
		c.exec("drop table env")
		c.fails(types.NOTFOUND, "env", "select * from env")
		c.exec(variables)
		if h.durable {
			require.NoError(t, c.Close())
			require.NoError(t, other.Close())
			h.reopen(o)
			c = h.conn()
			c.exec("insert into env values ('A', '1')")
			require.Equal(t, "A|1", c.rows("select * from env"))
		}
	})
}

// What is written to such a table stays, whatever becomes of the transaction; everything else is undone.
func TestModuleWithoutTransactionsInOne(t *testing.T) {
	withVariables(t, func(t *testing.T, h *host, _ engine.Options) {
		c, other := h.conn(), h.conn()
		c.exec(variables + "; create table note (name text primary key, n integer check (n < 9))")
		c.exec("begin; insert into note values ('a', 1); savepoint s; insert into env values ('A', '1')")
		require.Equal(t, "A HOME SHELL", other.rows("select name from env order by name"))
		c.exec("rollback to s; update env set value = '2' where name = 'A'; release s")
		c.fails(types.CONSTRAINT, "CHECK", "insert into note values ('b', 10)")
		c.exec("rollback")
		require.Equal(t, "A|2", c.rows("select * from env where name = 'A'"))
		require.Equal(t, "", c.rows("select * from note"))
		c.exec("begin; delete from env where name = 'A'; insert into note values ('a', 1); commit")
		require.Equal(t, "HOME SHELL a", c.rows("select name from env union all select name from note order by 1"))
		c.exec("begin; drop table env; create table env2 (name text primary key, value text) using variables; insert into env2 values ('C', '')")
		require.Equal(t, "C HOME SHELL", c.rows("select name from env2 order by 1"))
		c.exec("rollback")
		require.Equal(t, "C HOME SHELL", c.rows("select name from env order by 1"))
		c.fails(types.NOTFOUND, "env2", "select * from env2")
	})
}

// A statement that reads what it writes does not meet its own rows in the scan that feeds it.
func TestModuleWithoutTransactionsReadsFirst(t *testing.T) {
	withVariables(t, func(t *testing.T, h *host, _ engine.Options) {
		c := h.conn()
		c.exec(variables)
		require.Equal(t, int64(2), c.exec("insert into env select name || 'x', value from env"))
		require.Equal(t, int64(4), c.exec("update env set name = name || 'z'"))
		require.Equal(t, "HOMExz HOMEz SHELLxz SHELLz", c.rows("select name from env order by 1"))
		require.Equal(t, int64(2), c.exec("delete from env where name like '%xz'"))
		c.exec("insert into env select 'n' || value, value from generate_series(1, 1000)")
		require.Equal(t, int64(1000), c.exec("update env set name = 'm' || value where name like 'n%'"))
		require.Equal(t, "1002|1000", c.rows("select count(*), sum(case when name like 'm%' then 1 else 0 end) from env"))
	})
}

// Schema changes of such tables cannot be taken back: ddl_transaction_policy refuses them in transactions, and migrations do.
func TestModuleWithoutTransactionsPolicy(t *testing.T) {
	withVariables(t, func(t *testing.T, h *host, _ engine.Options) {
		c := h.conn()
		c.exec("pragma ddl_transaction_policy = strict; " + variables)
		c.exec("begin; create table plain (id integer primary key)")
		for _, sql := range []string{
			"create table e (name text primary key, value text) using variables", "drop table env", "alter table env rename to e", "alter table env rename column value to v",
			"create index i on env (value)",
		} {
			c.fails(types.ERROR, "ddl_transaction_policy = strict", sql)
		}
		c.exec("insert into env values ('A', '1'); alter table plain rename to simple; commit")
		require.Equal(t, "A HOME SHELL", c.rows("select name from env order by 1"))
		c.exec("alter table env rename column value to v; pragma ddl_transaction_policy = permissive; begin; alter table env rename column v to value; commit")
		c.fails(types.UNSUPPORTED, "variables", "alter table env add column more text null")
		require.Equal(t, "sh", c.rows("select value from env where name = 'SHELL'"))

		before := c.dump()
		p := c.plan("declare schema main { table simple { id integer primary key, n integer null } table env { name text primary key, value text } using variables table e { name text primary key, value text } using variables }")
		_, err := c.Migrate(ctx, p, engine.MigrateOptions{})
		require.Error(t, err)
		require.ErrorContains(t, err, "takes no part in transactions")
		require.Equal(t, before, c.dump())
	})
}
