package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// A transaction sees the state that it began on, and its own changes; others see them with the commit.
func TestSnapshotIsolation(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		a, b := h.conn(), h.conn()
		a.exec("create table t (id integer primary key, v text); create index ix on t(v); insert into t values (1, 'one')")
		b.exec("begin")
		require.Equal(t, "1", b.rows("select id from t where v = 'one'"))
		a.exec("begin; update t set v = 'uno' where id = 1; insert into t values (2, 'due')")
		require.Equal(t, "1|uno 2|due", a.rows("select * from t order by id"))
		require.Equal(t, "1|one", b.rows("select * from t"))
		a.exec("commit")
		require.Equal(t, "1|one", b.rows("select * from t"), "the snapshot outlives commits")
		require.Equal(t, "", b.rows("select id from t where v = 'uno'"))
		b.exec("commit")
		require.Equal(t, "1|uno 2|due", b.rows("select * from t order by id"))
	})
}

// A snapshot covers the schema: what others create, alter and drop is not there yet.
func TestSnapshotCoversSchema(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		a, b := h.conn(), h.conn()
		a.exec("create table t (id integer primary key, v text); create table gone (id integer primary key); insert into gone values (7); insert into t values (1, '5')")
		b.exec("begin")
		require.Equal(t, "1|5", b.rows("select * from t"))
		a.exec("alter table t add column w integer default 3; alter table t alter column v set data type integer; drop table gone; create table fresh (id integer primary key)")
		require.Equal(t, "1|5", b.rows("select * from t"))
		require.Equal(t, "text", b.rows("select typeof(v) from t"))
		require.Equal(t, "7", b.rows("select * from gone"))
		b.fails(types.NOTFOUND, "fresh", "select * from fresh")
		b.exec("rollback")
		require.Equal(t, "1|5|3", b.rows("select * from t"))
		require.Equal(t, "integer", b.rows("select typeof(v) from t"))
		b.fails(types.NOTFOUND, "gone", "select * from gone")
	})
}

// The writer lock is taken at the first write, and a transaction whose snapshot is old does not get it.
func TestBusyBehindACommit(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		a, b := h.conn(), h.conn()
		a.exec("create table t (id integer primary key)")
		b.exec("begin")
		require.Equal(t, "0", b.rows("select count(*) from t"))
		a.exec("insert into t values (1)") // b has not written: a is free to
		b.fails(types.BUSY, "changed by another connection", "insert into t values (2)")
		require.True(t, b.InTransaction(), "it is left to the caller to roll back")
		require.Equal(t, "0", b.rows("select count(*) from t"))
		b.exec("rollback; begin; insert into t values (2); commit")
		require.Equal(t, "1 2", a.rows("select id from t order by id"))
	})
}

// Waiting for the lock ends with the context.
func TestLockWait(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		a, b := h.conn(), h.conn()
		a.exec("create table t (id integer primary key); begin; insert into t values (1)")

		_, err := b.Exec(within(t, 10*time.Millisecond), "insert into t values (2)", engine.Params{})
		refused(t, err, types.BUSY, "another connection")
		cancelled, cancel := context.WithCancel(ctx)
		go func() {
			time.Sleep(5 * time.Millisecond)
			cancel()
		}()
		_, err = b.Exec(cancelled, "alter table t add column v integer null", engine.Params{})
		refused(t, err, types.INTERRUPT, "cancelled")

		done := make(chan error)
		go func() {
			_, err := b.Exec(ctx, "insert into t values (2)", engine.Params{})
			done <- err
		}()
		select {
		case err := <-done:
			t.Fatalf("wrote beside the writer: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
		a.exec("commit")
		require.NoError(t, <-done)
		require.Equal(t, "1 2", a.rows("select id from t order by id"))
	})
}

func TestTransactionStatements(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("commit; rollback; create table t (id integer primary key)")
		c.fails(types.ERROR, "No such savepoint: s", "release s")
		c.fails(types.ERROR, "No such savepoint: s", "rollback to s")
		c.exec("begin")
		c.fails(types.ERROR, "already in a transaction", "begin")
		require.True(t, c.InTransaction())
		c.exec("insert into t values (1); rollback transaction")
		require.False(t, c.InTransaction())
		require.Equal(t, "", c.rows("select * from t"))

		c.exec("savepoint s; insert into t values (1); release s")
		require.True(t, c.InTransaction(), "RELEASE does not commit, not even what SAVEPOINT began")
		c.exec("rollback")
		require.Equal(t, "", c.rows("select * from t"))
	})
}

func TestSavepoints(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key)")
		c.exec("begin; insert into t values (1); savepoint a; insert into t values (2)")
		c.exec("rollback to A; insert into t values (3); release a; commit")
		require.Equal(t, "1 3", c.rows("select id from t order by id"))

		// The newer of one name hides the older; ROLLBACK TO keeps it.
		c.exec(`begin; savepoint s; insert into t values (4); savepoint "S"; insert into t values (5); rollback to s; insert into t values (6); rollback to s`)
		require.Equal(t, "1 3 4", c.rows("select id from t order by id"))
		c.exec("release s; rollback to s")
		require.Equal(t, "1 3", c.rows("select id from t order by id"))
		c.exec("savepoint x; savepoint y; insert into t values (7); release x")
		c.fails(types.ERROR, "No such savepoint: y", "release y")
		c.exec("commit")
		require.Equal(t, "1 3 7", c.rows("select id from t order by id"))
	})
}

// Savepoints restore the schema with the rows, queued checks included.
func TestSavepointsAroundDDL(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key, v text); create index ix on t(v); insert into t values (1, '10'), (2, '20')")
		before := c.dump()
		c.exec("begin; insert into t values (3, '30'); savepoint a")
		at := c.dump()
		c.exec("alter table t alter column v set data type integer; update t set v = v + 1; create view w as select v from t")
		require.Equal(t, "11 21 31", c.rows("select v from w order by v"))
		c.exec("savepoint b; alter table t drop column v; insert into t values (4); drop view w; rollback to b")
		require.Equal(t, "11 21 31", c.rows("select v from w order by v"))
		c.exec("rollback to a")
		require.Equal(t, at, c.dump())
		c.exec("alter table t rename to u; drop table u; create table t (a text primary key); insert into t values ('x'); rollback")
		require.Equal(t, before, c.dump())

		c.exec("create table p (id integer primary key); create table c (id integer primary key, p integer, constraint fk foreign key (p) references p(id))")
		c.exec("begin; savepoint s; insert into c values (1, 9); rollback to s; commit")
		c.exec("begin; savepoint s; insert into c values (1, 9); release s")
		c.fails(types.CONSTRAINT, "FOREIGN KEY constraint failed", "commit")
		require.False(t, c.InTransaction())
	})
}

// A statement that fails undoes itself and nothing else: in autocommit, in a transaction and behind a savepoint.
func TestStatementAtomicity(t *testing.T) {
	failing := []struct {
		sql  string
		code types.Code
	}{
		{"insert into t (id, v) values (2, 20), (3, 30), (1, 40)", types.CONSTRAINT},
		{"insert into t (id, v) values (2, 20), (3, -1)", types.CONSTRAINT},
		{"insert into t (id, v) select id + 2, v from t", types.CONSTRAINT},
		{"update t set v = v - 20", types.CONSTRAINT},
		{"update t set id = 1", types.CONSTRAINT},
		{"update t set v = 'x'", types.MISMATCH},
		{"alter table t add column w integer", types.CONSTRAINT},
		{"alter table t add column w integer default (new.v * 2) check (w < 50)", types.CONSTRAINT},
		{"alter table t add column w integer default (new.id - new.id) unique", types.CONSTRAINT},
		{"alter table t alter column v set data type date", types.CONSTRAINT},
		{"alter table t alter primary key (nope)", types.ERROR},
		{"alter table t add constraint u unique (w)", types.ERROR},
		{"create unique index uy on t(v - v)", types.CONSTRAINT},
		{"create table t (id integer primary key)", types.CONSTRAINT},
		{"alter table t drop column id", types.CONSTRAINT},
	}
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key, v integer null check (v > 0)); create unique index ux on t(v); insert into t values (1, 10), (5, 50)")
		for _, begin := range []string{"", "begin; insert into t values (7, 70); update t set v = 51 where id = 5", "begin; alter table t add column x text default 'x'; savepoint s"} {
			c.exec(begin)
			before := c.dump()
			for _, f := range failing {
				c.fails(f.code, "", f.sql)
				require.Equal(t, before, c.dump(), f.sql)
				require.Equal(t, begin != "", c.InTransaction())
			}
			c.exec("rollback")
		}
		c.exec("begin; insert into t values (7, 70)")
		c.fails(types.CONSTRAINT, "UNIQUE", "insert into t values (8, 80), (7, 71)")
		c.exec("commit")
		require.Equal(t, "1 5 7", c.rows("select id from t order by id"), "the transaction goes on")
	})
}

func TestConflictActions(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key); insert into t values (3)")
		c.fails(types.CONSTRAINT, "UNIQUE", "insert or fail into t values (1), (2), (3), (4)")
		require.Equal(t, "1 2 3", c.rows("select id from t order by id"), "FAIL keeps what was done, in autocommit too")

		c.exec("begin; insert into t values (10)")
		c.fails(types.CONSTRAINT, "UNIQUE", "insert or fail into t values (11), (3)")
		require.True(t, c.InTransaction())
		c.exec("commit")
		require.Equal(t, "1 2 3 10 11", c.rows("select id from t order by id"))

		c.exec("begin; insert into t values (20)")
		c.fails(types.CONSTRAINT, "UNIQUE", "insert or rollback into t values (21), (3)")
		require.False(t, c.InTransaction(), "ROLLBACK ends the transaction")
		require.Equal(t, "1 2 3 10 11", c.rows("select id from t order by id"))

		c.exec("begin; insert into t values (20)")
		c.fails(types.CONSTRAINT, "UNIQUE", "insert or abort into t values (21), (3)")
		c.exec("insert or ignore into t values (22), (3); insert or replace into t values (3); commit")
		require.Equal(t, "1 2 3 10 11 20 22", c.rows("select id from t order by id"))
		h.conn().exec("insert into t values (99)") // nobody holds the lock
	})
}

// A COMMIT that fails ends the transaction, rows and schema with it.
func TestFailingCommit(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key); create assertion few check ((select count(*) from t) < 3)")
		before := c.dump()
		c.exec("begin; insert into t values (1), (2), (3); create table u (id integer primary key); alter table t add column v integer null")
		c.fails(types.CONSTRAINT, "few", "commit")
		require.False(t, c.InTransaction())
		c.exec("rollback")
		require.Equal(t, before, c.dump())
		c.fails(types.CONSTRAINT, "few", "insert into t values (1), (2), (3)")
		h.conn().exec("insert into t values (1)")
	})
}

// In autocommit each statement of a text commits on its own; the first error stops it.
func TestScripts(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.fails(types.CONSTRAINT, "UNIQUE", "create table t (id integer primary key); insert into t values (1); insert into t values (1); insert into t values (2)")
		require.Equal(t, "1", h.conn().rows("select id from t"))
		c.fails(types.CONSTRAINT, "UNIQUE", "begin; insert into t values (2); insert into t values (1); commit")
		require.True(t, c.InTransaction(), "a BEGIN in a text outlives it")
		c.exec("commit")
		require.Equal(t, "1 2", h.conn().rows("select id from t order by id"))
	})
}

// What is committed is there behind a reopen, and what is not is not.
func TestReopen(t *testing.T) {
	h := startHost(t, hosts["pebble"]())
	c := h.conn()
	c.exec("create table t (id integer primary key, v text collate nocase); create index ix on t(v desc); create view w as select v from t; insert into t values (1, 'a')")
	c.exec("begin; insert into t values (2, 'b'); alter table t add column z integer default 4; commit")
	before := c.dump()
	c.exec("begin; insert into t values (3, 'c', 5); drop view w")
	require.NoError(t, c.Close())
	h.reopen(engine.Options{})
	require.Equal(t, before, h.conn().dump())
}
