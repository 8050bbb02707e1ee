package engine_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

const fill = "insert into t select value, 'v' || value from generate_series(1, %d)"

// Rows keep their state while they are open, whatever others commit: rows, schema, and a rewrite of the table they read.
func TestRowsStayOpen(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		a, b := h.conn(), h.conn()
		a.exec("create table t (id integer primary key, v text); " + fmt.Sprintf(fill, 3000))
		r, err := b.Query(ctx, "select id, v from t order by id", engine.Params{})
		require.NoError(t, err)
		row, err := r.Next()
		require.NoError(t, err)
		require.Equal(t, "v1", types.ToText(row[1]))

		a.exec("delete from t where id > 10; update t set v = 'new'; alter table t alter primary key (v, id); alter table t add column w integer default 1")
		a.exec("drop table t; create table t (id integer primary key)")
		n := 1
		for {
			row, err := r.Next()
			require.NoError(t, err)
			if row == nil {
				break
			}
			n++
			require.Equal(t, fmt.Sprintf("v%d", n), types.ToText(row[1]))
		}
		require.Equal(t, 3000, n)
		require.NoError(t, r.Close())
		require.NoError(t, r.Close(), "a second time it does nothing")
		require.Equal(t, "0", b.rows("select count(*) from t"))
	})
}

// Rows of a transaction see the state of their statement's beginning while the transaction goes on to write.
func TestRowsBesideOwnWrites(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key, v text); " + fmt.Sprintf(fill, 2000) + "; begin; insert into t values (5000, 'mine')")
		r, err := c.Query(ctx, "select id from t order by id", engine.Params{})
		require.NoError(t, err)
		_, err = r.Next()
		require.NoError(t, err)
		c.exec("delete from t where id between 2 and 1999; savepoint s; insert into t values (6000, 'x'); rollback to s")
		n := 1
		for row, err := r.Next(); row != nil; row, err = r.Next() {
			require.NoError(t, err)
			n++
		}
		require.Equal(t, 2001, n)
		require.NoError(t, r.Close())
		require.Equal(t, "1 2000 5000", c.rows("select id from t order by id"))
		c.exec("commit")
	})
}

// Closing early lets go of everything; a data change has been made by then, all of it.
func TestClosingEarly(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key, v text); " + fmt.Sprintf(fill, 3000))
		r, err := c.Query(ctx, "select * from t a join t b on a.id = b.id order by a.v", engine.Params{})
		require.NoError(t, err)
		_, err = r.Next()
		require.NoError(t, err)
		require.NoError(t, r.Close())
		row, err := r.Next()
		require.NoError(t, err)
		require.Nil(t, row)

		r, err = c.Query(ctx, "delete from t where id > 1 returning id", engine.Params{})
		require.NoError(t, err)
		require.Equal(t, []string{"id"}, r.Columns())
		require.Equal(t, int64(2999), r.Changes())
		_, err = r.Next()
		require.NoError(t, err)
		require.NoError(t, r.Close())
		require.Equal(t, "1", h.conn().rows("select id from t"))
	})
}

// A statement whose context is done ends with INTERRUPT and undoes itself; the transaction stays open.
func TestCancelledStatement(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key, v text); " + fmt.Sprintf(fill, 2000) + "; begin; insert into t values (9000, 'mine')")
		before := c.dump()
		for _, sql := range []string{
			"update t set v = v || 'x'", "alter table t add column w integer default (new.id)", "create index ix on t(v)",
			"select count(*) from t a, t b, t c where a.id + b.id < c.id",
		} {
			done, cancel := context.WithCancel(ctx)
			cancel()
			r, err := c.Query(done, sql, engine.Params{})
			refused(t, drain(t, r, err), types.INTERRUPT, "cancelled")
			require.True(t, c.InTransaction())
			require.Equal(t, before, c.dump(), sql)
		}
		c.exec("commit")
	})
}

// Two readers beside a writer see whole commits: the sums of all rows are equal in each.
func TestReadersBesideAWriter(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		w := h.conn()
		w.exec("create table t (id integer primary key, n integer); create index ix on t(n); insert into t select value, 10 from generate_series(1, 50)")
		stop := make(chan struct{})
		var readers sync.WaitGroup
		for range 2 {
			readers.Add(1)
			go func() {
				defer readers.Done()
				c := h.db.Conn()
				defer c.Close()
				for {
					select {
					case <-stop:
						return
					default:
					}
					sum := query(t, c, "select sum(n) from t")
					if sum != "500" {
						t.Errorf("a reader saw a sum of %s", sum)
						return
					}
				}
			}()
		}
		for i := range 30 {
			from, to := i%50+1, (i*7+3)%50+1
			w.exec(fmt.Sprintf("begin; update t set n = n - 3 where id = %d; update t set n = n + 3 where id = %d; commit", from, to))
			switch i {
			case 10:
				w.exec("alter table t add column x text default 'x'")
			case 20:
				w.exec("alter table t alter primary key (n, id)")
			}
		}
		close(stop)
		readers.Wait()
	})
}

// query gives the one value of a query; it is used beside other goroutines.
func query(t *testing.T, c *engine.Conn, sql string) string {
	r, err := c.Query(ctx, sql, engine.Params{})
	if err != nil {
		t.Error(err)
		return ""
	}
	row, err := r.Next()
	if err != nil || row == nil {
		t.Errorf("no row: %v", err)
		return ""
	}
	value := types.ToText(row[0])
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	return value
}

// Writers on connections of their own queue up and lose nothing.
func TestWritersQueueUp(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		h.conn().exec("create table t (id integer primary key, n integer); insert into t values (1, 0)")
		var writers sync.WaitGroup
		for range 4 {
			writers.Add(1)
			go func() {
				defer writers.Done()
				c := h.db.Conn()
				defer c.Close()
				for range 25 {
					if _, err := c.Exec(ctx, "update t set n = n + 1", engine.Params{}); err != nil {
						t.Error(err)
					}
				}
			}()
		}
		writers.Wait()
		require.Equal(t, "100", h.conn().rows("select n from t"))
	})
}
