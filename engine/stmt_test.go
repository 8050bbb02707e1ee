package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

func prepare(t *testing.T, c *session, sql string, p ...engine.Params) *engine.Stmt {
	t.Helper()
	s, err := c.Prepare(sql, p...)
	require.NoError(t, err)
	return s
}

func run(t *testing.T, s *engine.Stmt, args ...types.Value) string {
	t.Helper()
	r, err := s.Query(ctx, engine.Args(args...))
	require.NoError(t, err)
	return rest(t, r)
}

// A prepared statement follows the schema: through ALTER and ROLLBACK, by others and in its own transaction.
func TestPreparedFollowsTheSchema(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c, other := h.conn(), h.conn()
		c.exec("create table t (id integer primary key, v text); insert into t values (1, '7')")
		all, add := prepare(t, c, "select * from t order by id"), prepare(t, c, "insert into t (id, v) values (?, ?)")
		require.Equal(t, "1|7", run(t, all))
		run(t, add, types.Int(2), types.Text("8"))

		c.exec("begin; alter table t alter column v set data type integer; alter table t add column w integer default 5")
		require.Equal(t, "1|7|5 2|8|5", run(t, all))
		run(t, add, types.Int(3), types.Int(9))
		require.Equal(t, "1|7|5 2|8|5 3|9|5", run(t, all))
		c.exec("rollback")
		require.Equal(t, "1|7 2|8", run(t, all))
		run(t, add, types.Int(3), types.Text("x"))

		other.exec("alter table t rename column v to name; alter table t rename to u")
		_, err := all.Query(ctx, engine.Params{})
		refused(t, err, types.NOTFOUND, "t")
		other.exec("create view t as select id, name as v from u")
		require.Equal(t, "1|7 2|8 3|x", run(t, all))
	})
}

// A prepared statement follows the session's settings.
func TestPreparedFollowsTheSettings(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table p (id integer primary key); create table k (id integer primary key, p integer, constraint fk foreign key (p) references p(id))")
		add := prepare(t, c, "insert into k values (?, 9)")
		_, err := add.Exec(ctx, engine.Args(types.Int(1)))
		refused(t, err, types.CONSTRAINT, "FOREIGN KEY")
		c.exec("pragma foreign_keys = off")
		n, err := add.Exec(ctx, engine.Args(types.Int(1)))
		require.NoError(t, err)
		require.Equal(t, int64(1), n)
	})
}

func TestPrepareRefusals(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		for _, sql := range []string{"", "select 1; select 2"} {
			_, err := c.Prepare(sql)
			refused(t, err, types.MISUSE, "one statement")
		}
		_, err := c.Prepare("selct 1")
		refused(t, err, types.ERROR, "Expected")
		require.Equal(t, "1", run(t, prepare(t, c, "select 1")))
		ddl := prepare(t, c, "create table t (id integer primary key)")
		require.Equal(t, "", run(t, ddl))
		_, err = ddl.Query(ctx, engine.Params{})
		refused(t, err, types.CONSTRAINT, "already exists")
	})
}

// Values given to Prepare establish the types of the parameters; without them each execution goes by its own values.
func TestParameterTypes(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		free := prepare(t, c, "select typeof(?), ? + 1")
		require.Equal(t, "integer|2", run(t, free, types.Int(1), types.Int(1)))
		require.Equal(t, "text|2", run(t, free, types.Text("x"), types.Int(1)))

		fixed := prepare(t, c, "select typeof(?)", engine.Args(types.Int(1)))
		require.Equal(t, "integer", run(t, fixed, types.Int(7)))
		r, err := fixed.Query(ctx, engine.Args(types.Text("x")))
		refused(t, drain(t, r, err), types.MISMATCH, "Parameter type mismatch for ?1")
		r, err = fixed.Query(ctx, engine.Params{})
		refused(t, drain(t, r, err), types.RANGE, "Parameter index 1 is out of bounds")

		named := prepare(t, c, "select :a || :b")
		r, err = named.Query(ctx, engine.Params{Named: map[string]types.Value{"a": types.Text("x"), "b": types.Text("y")}})
		require.NoError(t, err)
		require.Equal(t, "xy", rest(t, r))
		r, err = named.Query(ctx, engine.Params{Named: map[string]types.Value{"a": types.Text("x")}})
		refused(t, drain(t, r, err), types.NOTFOUND, "b")
	})
}

// A batch is one statement: it takes effect as a whole or not at all.
func TestExecBatch(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key, v text check (v <> 'bad'))")
		add := prepare(t, c, "insert into t values (?, ?)")
		row := func(id int64, v string) []types.Value { return []types.Value{types.Int(id), types.Text(v)} }
		var many [][]types.Value
		for i := range int64(3000) {
			many = append(many, row(i, "v"))
		}
		n, err := add.ExecBatch(ctx, many)
		require.NoError(t, err)
		require.Equal(t, int64(3000), n)
		n, err = add.ExecBatch(ctx, nil)
		require.NoError(t, err)
		require.Zero(t, n)

		before := c.dump()
		for _, bad := range [][][]types.Value{{row(9000, "a"), row(1, "b")}, {row(9000, "a"), row(9001, "bad")}, {row(9000, "a"), {types.Int(1)}}} {
			_, err := add.ExecBatch(ctx, bad)
			require.Error(t, err)
			require.Equal(t, before, c.dump())
		}
		c.exec("begin")
		_, err = add.ExecBatch(ctx, [][]types.Value{row(9000, "a"), row(9001, "b")})
		require.NoError(t, err)
		_, err = add.ExecBatch(ctx, [][]types.Value{row(9002, "a"), row(9001, "b")})
		refused(t, err, types.CONSTRAINT, "UNIQUE")
		require.Equal(t, "9000 9001", c.rows("select id from t where id >= 9000 order by id"))
		c.exec("rollback")
		require.Equal(t, before, c.dump())

		for _, sql := range []string{"select ?", "delete from t where id = ?", "create table u (id integer primary key)"} {
			_, err := prepare(t, c, sql).ExecBatch(ctx, [][]types.Value{{types.Int(1)}})
			refused(t, err, types.MISUSE, "INSERT")
		}
	})
}
