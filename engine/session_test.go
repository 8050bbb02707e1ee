package engine_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

func TestSettings(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		a, b := h.conn(), h.conn()
		for _, c := range []struct{ set, read, want string }{
			{"pragma foreign_keys = off", "pragma fk_enforcement", "fk_enforcement|false"},
			{"pragma foreign_keys = 'YES'", "pragma foreign_keys", "foreign_keys|true"},
			{"pragma default_column_nullability = nullable", "pragma default_column_nullability", "default_column_nullability|nullable"},
			{"pragma default_collation = nocase", "pragma DEFAULT_COLLATION", "default_collation|nocase"},
			{"pragma memory_budget = 4096", "pragma memory_budget", "memory_budget|4096"},
		} {
			a.exec(c.set)
			require.Equal(t, c.want, a.rows(c.read))
		}
		require.Equal(t, "foreign_keys|true", b.rows("pragma foreign_keys"), "settings are a session's own")
		require.Equal(t, "default_column_nullability|not_null", b.rows("pragma default_column_nullability"))

		a.fails(types.ERROR, "ddl_transaction_policy", "pragma ddl_transaction_policy = sometimes")
		require.Equal(t, "ddl_transaction_policy|permissive", a.rows("pragma ddl_transaction_policy"))
		a.fails(types.ERROR, "Unknown pragma", "pragma nonsense")
		for name, refused := range map[string]string{"runtime_stats": "on", "runtime_metrics": "true", "trace_plan_stack": "1", "runtime_fuse_scalars": "off"} {
			a.fails(types.UNSUPPORTED, "is not supported", "pragma "+name+" = "+refused)
			a.fails(types.ERROR, "Invalid boolean value", "pragma "+name+" = 'maybe'")
		}
		a.exec("pragma runtime_stats = off; pragma trace_plan_stack = false; pragma runtime_fuse_scalars = on")
		a.fails(types.ERROR, "collation", "pragma default_collation = klingon")

		a.exec("create table t (id integer primary key, v text)")
		a.exec("insert into t values (1, null)")
		require.Equal(t, "NOCASE", a.rows("select collation from table_info('t') where name = 'v'"), "the settings shape new tables")
	})
}

// Settings take effect at once and ROLLBACK leaves them.
func TestSettingsAreNotTransactional(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("begin; pragma foreign_keys = off; rollback")
		require.Equal(t, "foreign_keys|false", c.rows("pragma foreign_keys"))
	})
}

// A session outlives its connection: settings and declarations go on, on another database too.
func TestResume(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("pragma foreign_keys = off; declare schema main { table t { id integer primary key } }")
		next := &session{Conn: h.db.Resume(c.Session()), t: t}
		require.NoError(t, c.Close())
		require.Equal(t, "foreign_keys|false", next.rows("pragma foreign_keys"))
		next.exec("apply schema main")
		require.Equal(t, "", next.rows("select * from t"))
		require.NoError(t, next.Close())
	})
}

func TestClosed(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key); begin; insert into t values (1)")
		other := h.conn()
		require.NoError(t, c.Close(), "an open transaction is rolled back")
		require.NoError(t, c.Close(), "a second time it does nothing")
		c.fails(types.MISUSE, "closed", "select 1")
		_, err := c.Prepare("select 1")
		refused(t, err, types.MISUSE, "closed")
		require.Equal(t, "0", other.rows("select count(*) from t"))
		other.exec("insert into t values (1)") // the lock is free

		require.NoError(t, h.db.Close())
		other.fails(types.MISUSE, "closed", "select * from t")
		other.fails(types.MISUSE, "closed", "insert into t values (2)")
		_, err = h.db.Catalog()
		refused(t, err, types.MISUSE, "closed")
	})
}

func TestTexts(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		_, err := c.Query(ctx, " -- nothing", engine.Params{})
		refused(t, err, types.MISUSE, "no statement")
		require.Equal(t, int64(2), c.exec("create table t (id integer primary key); insert into t values (1), (2)"))
		require.Equal(t, "2", c.rows("insert into t values (3); select count(*) from t where id > 1"))
		c.fails(types.ERROR, "Expected", "insert into t values (4); selct")
		require.Equal(t, "3", c.rows("select count(*) from t"), "a text that does not parse runs nothing")
	})
}

// TestCloseEndsWhatIsOpen: closing a database waits for what runs, ends open rows and rolls transactions back.
func TestCloseEndsWhatIsOpen(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key); insert into t values (1), (2), (3)")
		rows, err := h.conn().Query(ctx, "select id from t", engine.Params{})
		require.NoError(t, err)
		_, err = rows.Next()
		require.NoError(t, err)
		c.exec("begin; insert into t values (4)")
		waiting := make(chan error)
		other := h.conn()
		go func() {
			_, err := other.Exec(ctx, "insert into t values (5)", engine.Params{})
			waiting <- err
		}()
		require.NoError(t, h.db.Close())
		refused(t, <-waiting, types.MISUSE, "closed")
		_, err = rows.Next()
		refused(t, err, types.MISUSE, "closed")
		require.NoError(t, rows.Close())
		c.fails(types.MISUSE, "closed", "commit")
		require.False(t, c.InTransaction())
	})
}

func TestCloseBesideStatements(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		h.conn().exec("create table t (id integer primary key)")
		var all sync.WaitGroup
		started := make(chan struct{}, 4)
		for i := range 4 {
			c := h.conn()
			all.Go(func() {
				var err error
				for n := 0; err == nil; n++ {
					if i == 0 {
						_, err = c.Exec(ctx, "insert into t values (?)", engine.Args(types.Int(int64(n))))
					} else {
						err = c.Each(ctx, ast.NewSource("", "select * from t"), engine.Params{}, func(r *engine.Rows) error {
							for row, err := r.Next(); row != nil || err != nil; row, err = r.Next() {
								if err != nil {
									return err
								}
							}
							return nil
						})
					}
					if n == 2 {
						started <- struct{}{}
					}
				}
				assert.ErrorIs(t, err, types.MISUSE)
			})
		}
		for range 4 {
			<-started
		}
		require.NoError(t, h.db.Close())
		all.Wait()
	})
}
