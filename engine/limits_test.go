package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
)

// limited opens a database in memory whose sessions have the limits.
func limited(t *testing.T, limits map[limit.ID]int64) *engine.Conn {
	t.Helper()
	set := limit.Defaults()
	for id, n := range limits {
		set[id] = n
	}
	db, err := engine.OpenMemory(ctx, engine.Options{Limits: set})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db.Conn()
}

// ask runs a statement and gives the number of its rows.
func ask(ctx context.Context, c *engine.Conn, sql string, args ...types.Value) (rows int, err error) {
	r, err := c.Query(ctx, sql, engine.Args(args...))
	if err != nil {
		return 0, err
	}
	defer func() {
		if e := r.Close(); err == nil {
			err = e
		}
	}()
	for {
		row, err := r.Next()
		if row == nil || err != nil {
			return rows, err
		}
		rows++
	}
}

// allocated gives the bytes that were allocated while f ran.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// What is too big is refused before its memory is taken, with the name of the limit and the way to raise it. The limits are low here, so that
// a refusal that comes too late shows at once; the test runs alone, for it measures what the process allocates.
func TestTooBigComesBeforeTheMemory(t *testing.T) {
	const mib = 1 << 20
	s := types.Text(strings.Repeat("s", 600<<10))
	digits := types.Text(strings.Repeat("7", 2_000_000))
	columns := strings.TrimPrefix(strings.Repeat(", lpad('', 900000, 'a')", 200), ", ")
	for _, c := range []struct {
		name, sql string
		args      []types.Value
		code      types.Code
		limit     limit.ID
		most      int64 // that is allocated
	}{
		{"doubling", "with recursive d(s) as (select 'abcdefgh' union all select s || s from d) select length(s) from d", nil, types.TOOBIG, limit.ValueLength, 32 * mib},
		{"concatenation", "select :1 || :1 || :1", []types.Value{s}, types.TOOBIG, limit.ValueLength, mib},
		{"parameter", "select :1", []types.Value{types.Text(strings.Repeat("s", 2*mib))}, types.TOOBIG, limit.ValueLength, mib},
		{"literal", "select '" + strings.Repeat("s", 2*mib) + "'", nil, types.TOOBIG, limit.ValueLength, mib},
		{"lpad", "select lpad('', 1000000000, 'abc')", nil, types.TOOBIG, limit.ValueLength, mib},
		{"rpad beyond any number", "select rpad('a', 99999999999999999999999999, 'abc')", nil, types.TOOBIG, limit.ValueLength, mib},
		{"replace", "select replace(:1, 's', 'sss')", []types.Value{s}, types.TOOBIG, limit.ValueLength, mib},
		{"hex", "select hex(:1)", []types.Value{s}, types.TOOBIG, limit.ValueLength, 3 * mib},
		{"group_concat", "select group_concat(value) from generate_series(1, 100000000)", nil, types.TOOBIG, limit.ValueLength, 48 * mib},
		{"group_concat, separator of the row", "select group_concat(value, value) from generate_series(1, 100000000)", nil, types.TOOBIG, limit.ValueLength, 48 * mib},
		{"json_group_array", "select json_group_array(value) from generate_series(1, 100000000)", nil, types.NOMEM, limit.StatementMemory, 96 * mib},
		{"json_group_object", "select json_group_object(value, value) from generate_series(1, 100000000)", nil, types.NOMEM, limit.StatementMemory, 96 * mib},
		{"document that holds itself twice", "with recursive d(n, j) as (select 1, json_array(1) union all select n + 1, json_array(j, j) from d where n < 200) select count(*) from d", nil,
			types.TOOBIG, limit.ValueLength, 8 * mib},
		{"regular expression", "select 'a' regexp :1", []types.Value{types.Text(strings.Repeat("a?", mib/4))}, types.TOOBIG, limit.PatternLength, mib},
		{"LIKE", "select 'a' like :1", []types.Value{types.Text(strings.Repeat("_%", mib/4))}, types.TOOBIG, limit.PatternLength, mib},
		{"LIKE with ESCAPE", "select 'a' like :1 escape '!'", []types.Value{types.Text(strings.Repeat("_%", mib/4))}, types.TOOBIG, limit.PatternLength, mib},
		{"GLOB", "select 'a' glob :1", []types.Value{types.Text(strings.Repeat("?*", mib/4))}, types.TOOBIG, limit.PatternLength, mib},
		{"columns of large values", "select " + columns, nil, types.NOMEM, limit.StatementMemory, 48 * mib},
		{"squares", "with recursive q(n, x) as (select 1, 3 union all select n + 1, x * x from q where n < 40) select n, x from q", nil, types.TOOBIG, limit.IntegerDigits, 64 * mib},
		{"shifts", "with recursive q(n, x) as (select 1, 3 union all select n + 1, x << 65536 from q where n < 400) select n from q", nil, types.TOOBIG, limit.IntegerDigits, 64 * mib},
		{"sum of digits", "select :1 + 1", []types.Value{types.Text(strings.Repeat("7", 200_000))}, types.TOOBIG, limit.IntegerDigits, mib},
		{"cast of digits", "select cast(:1 as integer)", []types.Value{types.Text(strings.Repeat("7", 200_000))}, types.TOOBIG, limit.IntegerDigits, mib},
		{"integer literal", "select " + strings.Repeat("7", 200_000), nil, types.TOOBIG, limit.IntegerDigits, mib},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := limited(t, map[limit.ID]int64{limit.ValueLength: mib, limit.StatementMemory: 16 * mib, limit.IntegerDigits: 100_000})
			var err error
			n := allocated(func() { _, err = ask(ctx, conn, c.sql, c.args...) })
			require.ErrorIs(t, err, c.code)
			l := limit.Table[c.limit]
			require.ErrorContains(t, err, "the limit "+l.Name+" is ")
			require.ErrorContains(t, err, "raise it with pragma "+l.Pragma+" = N or --limit "+l.Name+"=N")
			require.Less(t, len(err.Error()), 1000, "the message repeats what is too long")
			require.Less(t, n, c.most, "memory was taken first: %d bytes", n)
			_, err = ask(ctx, conn, "select 1")
			require.NoError(t, err, "the session goes on")
		})
	}
	t.Run("text of digits by default", func(t *testing.T) {
		conn := limited(t, nil)
		for _, sql := range []string{"select cast(:1 as integer)", "select :1 * 2", "select cast(:1 as numeric)"} {
			_, err := ask(ctx, conn, sql, digits)
			require.ErrorIs(t, err, types.TOOBIG, sql)
			require.ErrorContains(t, err, "the limit integer_digits is 1000000: it cannot be raised")
		}
	})
}

// A statement that is not within the limits of statements is refused before it is planned.
func TestLimitsOfStatements(t *testing.T) {
	conn := limited(t, map[limit.ID]int64{
		limit.StatementLength: 1000, limit.StatementDepth: 50, limit.Columns: 4, limit.CompoundTerms: 3, limit.Arguments: 5,
	})
	exec := func(sql string) error {
		_, err := conn.Exec(ctx, sql, engine.Params{})
		return err
	}
	require.NoError(t, exec("create table t (a integer primary key, b text, c text, d text)"))
	for _, c := range []struct {
		sql   string
		limit limit.ID
	}{
		{"select '" + strings.Repeat("a", 1000) + "'", limit.StatementLength},
		{"select " + strings.Repeat("(", 200) + "1" + strings.Repeat(")", 200), limit.StatementDepth},
		{"select 0" + strings.Repeat("+1", 80), limit.StatementDepth},
		{"create table u (a integer primary key, b text, c text, d text, e text)", limit.Columns},
		{"alter table t add column e text null", limit.Columns},
		{"select 1, 2, 3, 4, 5", limit.Columns},
		{"select * from t as x, t as y", limit.Columns},
		{"select 1 union select 2 union select 3 union select 4", limit.CompoundTerms},
		{"select coalesce(1, 2, 3, 4, 5, 6)", limit.Arguments},
	} {
		err := exec(c.sql)
		require.ErrorIs(t, err, types.TOOBIG, c.sql)
		require.ErrorContains(t, err, "the limit "+limit.Table[c.limit].Name+" is ", c.sql)
	}
	require.NoError(t, exec("select 1 union select 2 union select 3"))
	require.NoError(t, exec("select * from t; select greatest(1, 2, 3, 4, 5)"))
	require.NoError(t, exec(strings.Repeat("select 1;", 1000)), "the text as a whole has no limit")
}

func TestLimitOfIterationsAndCascades(t *testing.T) {
	conn := limited(t, map[limit.ID]int64{limit.Iterations: 10, limit.CascadeDepth: 5})
	_, err := ask(ctx, conn, "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n")
	require.ErrorContains(t, err, "exceeded maximum iteration limit (10)")
	require.ErrorContains(t, err, "pragma limit_iterations")
	_, err = conn.Exec(ctx, `pragma limit_iterations = 50;
		create table p (id integer primary key, up integer null references p(id) on delete cascade);
		with recursive n(i) as (select 2 union all select i + 1 from n where i < 20) insert into p select 1, null union all select i, i - 1 from n`, engine.Params{})
	require.NoError(t, err)
	_, err = conn.Exec(ctx, "delete from p where id = 1", engine.Params{})
	require.ErrorIs(t, err, types.CONSTRAINT)
	require.ErrorContains(t, err, "the limit cascade_depth is 5")
	rows, err := ask(ctx, conn, "select * from p")
	require.NoError(t, err)
	require.Equal(t, 20, rows)
}

// Pragmas read and set every limit of a session, in its range and by its units, and a refused value leaves it as it was.
func TestLimitPragmas(t *testing.T) {
	conn := limited(t, map[limit.ID]int64{limit.ValueLength: 5000})
	require.Equal(t, "5000", types.ToText(conn.Option("limit_value_length")))
	set := func(sql string) error {
		_, err := conn.Exec(ctx, sql, engine.Params{})
		return err
	}
	for _, l := range limit.Table {
		if l.Pragma == "" {
			continue
		}
		require.NoError(t, set(fmt.Sprintf("pragma %s = %d", l.Pragma, l.Max)))
		require.Equal(t, fmt.Sprint(l.Max), types.ToText(conn.Option(l.Pragma)))
		for _, bad := range []string{fmt.Sprint(uint64(l.Max) + 1), "-1", "'many'", "1.5", "null"} {
			require.ErrorContains(t, set("pragma "+l.Pragma+" = "+bad), "limit "+l.Name, "%s = %s", l.Pragma, bad)
		}
		require.Equal(t, fmt.Sprint(l.Max), types.ToText(conn.Option(l.Pragma)))
	}
	require.NoError(t, set("pragma limit_value_length = '64KiB'; pragma statement_timeout = '1.5s'"))
	require.Equal(t, "65536", types.ToText(conn.Option("limit_value_length")))
	require.Equal(t, "1500", types.ToText(conn.Option("statement_timeout")))
}

// endless are statements that do not end by themselves, or take very long: each is a loop that has to hear the end.
var endless = map[string]string{
	"recursion":      "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n",
	"cross join":     "select count(*) from generate_series(1, 100000) as a, generate_series(1, 100000) as b, generate_series(1, 100000) as c",
	"series":         "select count(*) from generate_series(1, 100000000000)",
	"write":          "insert into t select value from generate_series(1, 100000000000)",
	"pattern":        "select lpad('', 30000000, 'ab') like '%' || lpad('', 30000, 'a_') || 'x%'",
	"regular":        "select lpad('', 30000000, 'ab') regexp '(a|b)*' || lpad('', 3000, '[ab]?') || 'x$'",
	"replace":        "select length(replace(lpad('', 100000000, 'a'), 'a', 'b')) from generate_series(1, 1000)",
	"large integers": "with recursive q(n, x) as (select 1, 3 union all select n + 1, case when n < 20 then x * x else x end from q) select max(x % 1234567) from q",
}

// The time of a statement ends it with INTERRUPT, whatever it is at; so does its context, and the code is the same. The statement is undone
// and the session goes on.
func TestStatementTimeout(t *testing.T) {
	for name, sql := range endless {
		t.Run(name, func(t *testing.T) {
			conn := limited(t, map[limit.ID]int64{limit.StatementTime: 30, limit.Iterations: 0})
			_, err := conn.Exec(ctx, "create table t (id integer primary key)", engine.Params{})
			require.NoError(t, err)
			_, err = ask(ctx, conn, sql)
			require.ErrorIs(t, err, types.INTERRUPT)
			require.Equal(t, types.INTERRUPT, types.CodeOf(err))
			require.ErrorContains(t, err, "the statement ran longer than 30ms; the limit statement_timeout is 30ms: raise it with pragma statement_timeout = N or --statement-timeout")

			require.NoError(t, conn.SetOption("statement_timeout", types.Int(0)))
			limitless, cancel := context.WithTimeout(ctx, 30*time.Millisecond)
			defer cancel()
			_, err = ask(limitless, conn, sql)
			require.Equal(t, types.INTERRUPT, types.CodeOf(err), "%v", err)

			rows, err := ask(ctx, conn, "select * from t")
			require.NoError(t, err)
			require.Zero(t, rows)
		})
	}
}

// A limit of a database's memory is one for all its statements together, and what ends gives its memory back.
func TestDatabaseMemory(t *testing.T) {
	const mib = 1 << 20
	set := limit.Defaults()
	set[limit.DatabaseMemory], set[limit.StatementMemory] = 40*mib, 30*mib
	db, err := engine.OpenMemory(ctx, engine.Options{Limits: set})
	require.NoError(t, err)
	defer db.Close()
	one, two := db.Conn(), db.Conn()
	const big = "select lpad('', 25000000, 'a')"
	for range 20 { // more than the limit in all, one after the other
		_, err := ask(ctx, one, big)
		require.NoError(t, err)
	}
	held, err := one.Query(ctx, big, engine.Params{})
	require.NoError(t, err)
	row, err := held.Next()
	require.NoError(t, err)
	_, err = ask(ctx, two, big)
	require.ErrorIs(t, err, types.NOMEM)
	require.ErrorContains(t, err, "the limit database_memory is 40 MiB: raise it with --limit database_memory=N")
	require.Len(t, row[0].Str(), 25_000_000)
	require.NoError(t, held.Close())
	runtime.KeepAlive(row)
	row, held = nil, nil
	_, err = ask(ctx, two, big)
	require.NoError(t, err)
	require.Nil(t, row)
}
