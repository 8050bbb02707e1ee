package exec_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/types"
)

// TestExpressions evaluates expressions twice: as constants, which fold, and over a row of a table, which does not.
func TestExpressions(t *testing.T) {
	db := newDB(t)
	db.mustExec(`create table one (id integer primary key, i integer null, big integer null, r real null, x text null, n text collate nocase null,
			f boolean null, b blob null, j json null, s timespan null, z integer null);
		insert into one values (1, 7, 9223372036854775807, 2.5, 'abc', 'ABC', true, x'00ff', '{"a":[1,2]}', 'PT60M', null)`)
	for _, c := range []struct{ expr, want string }{
		// arithmetic
		{"i + 1", "8"}, {"i - 10", "-3"}, {"i * 3", "21"}, {"i / 2", "3.5"}, {"i % 4", "3"}, {"-i", "-7"}, {"~i", "-8"},
		{"big + 1", "9223372036854775808"}, {"i / 0", "null"}, {"z + 1", "null"}, {"x + 1", "1"}, {"r * 2", "5"},
		{"i & 3", "3"}, {"i | 8", "15"}, {"i << 70", "8264141345021879123968"}, {"i >> 1", "3"},
		{"s + timespan('PT1M')", `"PT61M"`}, {"date('2024-01-31') + timespan('P1M')", `"2024-02-29"`},
		// comparison
		{"i = 7", "true"}, {"i <> 7", "false"}, {"7.0 = i", "true"}, {"i < '8'", "true"}, {"x = 'ABC'", "false"}, {"n = 'abc'", "true"},
		{"x < n", "false"}, {"z = 1", "null"}, {"z is null", "true"}, {"z is not null", "false"}, {"z is 1", "false"}, {"z is null is null", ""},
		{"z is not distinct from null", "true"}, {"i is distinct from 7", "false"}, {"f = 1", "true"}, {"j = '{\"a\":[1,2]}'", "true"},
		{"s = 'PT1H'", "true"}, {"b = x'00FF'", "true"}, {"b > x'00'", "true"}, {"(i, x) = (7, 'abc')", "true"}, {"(i, z) < (7, 2)", "null"},
		{"(i, x) <= (7, 'abc')", "true"}, {"(i, z) is (7, null)", "true"},
		// logic
		{"f and z", "null"}, {"f or z", "true"}, {"not f and z", "false"}, {"f xor f", "false"}, {"f xor z", "null"}, {"not z", "null"},
		{"z is true", "false"}, {"z is not true", "true"}, {"i is true", "true"}, {"x is false", "true"},
		// ranges and lists
		{"i between 5 and 7", "true"}, {"i not between 5 and 7", "false"}, {"i between z and 6", "false"}, {"i between z and 8", "null"},
		{"x between 'a' and 'b'", "true"}, {"i in (1, 7)", "true"}, {"i in (1, '7')", "true"}, {"i not in (1, 2)", "true"}, {"i in (1, z)", "null"},
		{"z in (1)", "null"}, {"i in ()", "false"}, {"i in (1,2,3,4,5,6,7,8,9)", "true"}, {"i in (1,2,3,4,5,6,70,80,null)", "null"},
		{"n in ('x','y','z','abc','e','f','g','h')", "true"}, {"(i, x) in ((1, 'a'), (7, 'abc'))", "true"}, {"(i, z) in ((7, 1), (8, 2))", "null"},
		{"(i, z) in ((8, 1))", "false"}, {"i in (select 7)", "true"}, {"i not in (select 1 where false)", "true"}, {"z in (select 1 where false)", "null"},
		{"i in (select null)", "null"}, {"(i, x) in (select 7, 'abc')", "true"}, {"(i, z) in (select 8, 1)", "false"}, {"x in (select 5)", "false"},
		// patterns
		{"x like 'a%'", "true"}, {"x not like 'a_'", "true"}, {"x like z", "null"}, {"'50%' like '%!%' escape '!'", "true"},
		{"x like 'a%' escape z", "null"}, {"x glob 'a[b-c]?'", "true"}, {"x regexp '^AB'", "false"}, {"x not regexp 'z'", "true"},
		// choice
		{"case when i > 5 then 'hi' else 'lo' end", `"hi"`}, {"case i when '7' then 1 end", "1"}, {"case z when null then 1 else 2 end", "2"},
		{"case when z then 1 end", "null"}, {"coalesce(z, i, 1 / 0)", "7"}, {"iif(z, 1, 2)", "2"}, {"iif(b, 1, 2)", "1"}, {"nullif(i, 7)", "null"},
		{"case when f then i else integer('abc') end", "7"}, {"iif(f, 1, integer('abc'))", "1"}, {"coalesce(i, integer('abc'))", "7"},
		// text, casts, JSON
		{"x || i || f", `"abc7true"`}, {"x || z", "null"}, {"cast(x as integer)", "0"}, {"cast('12abc' as integer)", "12"}, {"cast(i as text)", `"7"`},
		{"j -> 'a'", "[1,2]"}, {"j ->> 'a'", `"[1,2]"`}, {"j -> 'a' -> 1", "2"}, {"j -> 'nosuch'", "null"}, {"upper(x)", `"ABC"`},
		// subqueries
		{"(select max(k) from (values (1), (3), (2)) as v(k))", "3"}, {"(select 1 where false)", "null"}, {"exists (select 1 from one)", "true"},
		{"(select o.i + one.i from one o)", "14"}, {"exists (select 1 from one o where o.i > one.i)", "false"},
		{"current_date", `"2024-03-05"`}, {"current_time", `"10:20:30"`}, {"current_timestamp", `"2024-03-05T10:20:30"`},
	} {
		if c.want == "" {
			_, err := db.plan("select " + c.expr)
			assert.Error(t, err, c.expr)
			continue
		}
		assert.Equal(t, "["+c.want+"]", db.rowsOf("select "+c.expr+" from one"), c.expr)
		assert.Equal(t, "["+c.want+"]", db.rowsOf("select "+c.expr+" from (select * from one limit 1) one"), c.expr)
	}
}

// TestConditions asks each condition as WHERE, where only true counts, and compares with its value.
func TestConditions(t *testing.T) {
	db := newDB(t)
	db.mustExec(`create table v (id integer primary key, a any null, t text null);
		insert into v values (1, 1, 'x'), (2, 2.5, 'y'), (3, '2', null), (4, null, 'X'), (5, x'02', ''), (6, -1, '10'), (7, 12345678901234567890, '2')`)
	for _, cond := range []string{
		"a = 1", "a <> 2", "a < 3", "2 <= a", "a > 2", "a >= 2.5", "a = '2'", "t = 'x'", "t > 'x'", "t = 2", "t < 10.5", "a = t", "a is t", "a is not t",
		"a = 1 or t = 'y'", "a > 0 and t <> 'y'", "not (a = 1)", "a = 1 xor t = 'x'", "a between 1 and 3", "t in ('x', 'y')", "a in (1, 2, null)",
		"a not in (1, '2')", "t like '%0'", "a is null or t is null", "t", "a", "12345678901234567890 = a", "a > 9223372036854775807",
	} {
		want := db.rowsOf("select id from (select id, " + cond + " as c from v) where c is true order by id")
		assert.Equal(t, want, db.rowsOf("select id from v where "+cond+" order by id"), cond)
	}
}

// TestRuntimeErrors checks that errors of a run carry code, message and place.
func TestRuntimeErrors(t *testing.T) {
	db := newDB(t)
	db.mustExec(`create table t (id integer primary key, x text); insert into t values (1, 'abc'), (2, '9')`)
	for _, c := range []struct {
		sql, message string
		code         types.Code
		line, column int
	}{
		{"select integer(x) from t", "Function integer failed: Cannot convert to INTEGER: Cannot convert 'abc' to INTEGER", types.MISMATCH, 1, 8},
		{"select id,\n  (select x from t) from t", "Scalar subquery returned more than one row", types.ERROR, 2, 3},
		{"select x like 'a' escape 'no' from t", "ESCAPE expression must be a single character", types.ERROR, 1, 8},
		{"select x regexp '(' || x from t", "Function regexp failed", types.ERROR, 1, 8},
		{"select 1 from t where ? = 1", "Parameter index 1 is out of bounds", types.RANGE, 1, 23},
		{"select :p from t", "Parameter with name 'p' not found", types.NOTFOUND, 1, 8},
		{"select date('2024-01-01') * id from t", "Unsupported temporal operation", types.UNSUPPORTED, 1, 27},
		{"select * from split_string('a', 'b'), t where integer(x) = 1", "Function integer failed", types.MISMATCH, 1, 47},
		{"with recursive c(n) as (select 1 union all select n + 1 from c) select * from c", "exceeded maximum iteration limit (10000)", types.ERROR, 0, 0},
	} {
		_, err := db.query(c.sql)
		var e *types.Error
		require.True(t, errors.As(err, &e), c.sql)
		assert.Equal(t, c.code, e.Code, c.sql)
		assert.Contains(t, e.Message, c.message, c.sql)
		assert.Equal(t, [2]int{c.line, c.column}, [2]int{e.Line, e.Column}, c.sql)
	}
}

// TestParameters runs one program with several values, as a prepared statement does.
func TestParameters(t *testing.T) {
	db := newDB(t)
	db.mustExec(`create table t (id integer primary key, x text); insert into t values (1, 'a'), (2, 'b'), (3, 'c')`)
	db.params.Positional = []*types.Type{types.TypeInteger}
	db.params.Named = map[string]*types.Type{"x": types.TypeText}
	p, err := db.plan("select id from t where id >= ? and x <> :x order by id")
	require.NoError(t, err)
	program := build(t, p)
	rt := db.runtime()
	run := func(id types.Value, x types.Value) ([]types.Row, error) {
		rt.Positional, rt.Named = []types.Value{id}, map[string]types.Value{"x": x}
		return collect(program, rt)
	}
	for _, c := range []struct {
		id   int64
		x    string
		want int
	}{{1, "b", 2}, {2, "b", 1}, {4, "", 0}, {0, "", 3}} {
		rows, err := run(types.Int(c.id), types.Text(c.x))
		require.NoError(t, err)
		assert.Len(t, rows, c.want)
	}
	rows, err := run(types.Null, types.Text(""))
	require.NoError(t, err)
	assert.Empty(t, rows, "nothing is at least NULL")
	_, err = run(types.Text("1"), types.Text(""))
	assert.ErrorIs(t, err, types.MISMATCH)
	assert.ErrorContains(t, err, "Parameter type mismatch for ?1")

	db.params.Positional = nil
	p, err = db.plan("select id from t where id = ?")
	require.NoError(t, err)
	array, err := types.NewArray(nil)
	require.NoError(t, err)
	rt.Positional = []types.Value{array}
	_, err = collect(build(t, p), rt)
	assert.ErrorIs(t, err, types.MISMATCH)
}

// TestInterrupt cancels runs that would go on for long, in the operators that loop by themselves.
func TestInterrupt(t *testing.T) {
	db := newDB(t)
	db.mustExec(`create table t (id integer primary key); insert into t values (1), (2), (3)`)
	for _, sql := range []string{
		"with recursive c(n) as (select 1 union all select n + 1 from c) option (maxrecursion 0) select n from c where n < 0",
		"select count(*) from generate_series(1, 1000000000)",
		"select count(*) from t a, t b, t c, t d, t e, t f, t g, t h, t i, t j, t k, t l, t m, t n, t o where a.id + b.id + c.id + d.id + e.id + f.id + g.id + h.id + i.id + j.id + k.id + l.id + m.id + n.id + o.id = 100",
	} {
		p, err := db.plan(sql)
		require.NoError(t, err, sql)
		ctx, cancel := context.WithCancel(context.Background())
		rows, err := build(t, p).Run(ctx, db.runtime())
		require.NoError(t, err)
		go cancel()
		_, err = rows.Next()
		assert.ErrorIs(t, err, types.INTERRUPT, sql)
		assert.NoError(t, rows.Close())
	}
}
