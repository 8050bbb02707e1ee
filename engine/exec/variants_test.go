package exec_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/types"
)

// queries remember rows in every way there is; those with ordered set give rows in an order that no variant may change.
var queries = []struct {
	sql     string
	ordered bool
}{
	{"select * from t order by a desc, b, id", true},
	{"select id from t order by b collate nocase, id limit 7 offset 2", true},
	{"select distinct a, b from t", false},
	{"select a, count(*), sum(id), min(b), count(distinct b), group_concat(b, '+' order by id desc) from t group by a", false},
	{"select count(*), count(distinct a), sum(distinct a) filter (where id > 3) from t", true},
	{"select b collate nocase as k, count(*) as n from t group by b collate nocase having n > 1 order by n, k", false},
	{"select t.id, u.id from t join u on t.a = u.a", false},
	{"select t.id, u.id from t left join u on t.a = u.a and u.b > t.b", false},
	{"select t.id, u.id from t right join u on t.a = u.a", false},
	{"select t.id, u.id, l, r from t full join u on t.a = u.a and t.b = u.b exists left as l, exists right as r", false},
	{"select t.id, u.id from t full join u on t.id > u.id + 5", false},
	{"select t.id, u.id from t left join u on t.id + 1 < u.id", false},
	{"select t.id, u.id from t join u on u.id = t.a where t.b is not null", false},
	{"select a from t intersect select a from u", false},
	{"select a, b from t except select a, b from u", false},
	{"select a from t diff select a from u", false},
	{"select a from t union select a from u", false},
	{"select a from t union all exists left as l, exists right as r select a from u", false},
	{"select id from t where a in (select a from u)", false},
	{"select id from t where (a, b) not in (select a, b from u where a is not null and b is not null)", false},
	{"select id, (select count(*) from u where u.a = t.a) from t", false},
	{"select id from t where exists (select 1 from u where u.a = t.a and u.b = t.b)", false},
	{"with w as (select a, count(*) as n from t group by a) select x.a, y.n from w x join w y on x.a = y.a + 1", false},
	{"with recursive r(n) as (select id from t where id < 4 union select n % 7 + 1 from r) select n from r", false},
	{"select t.id, x.id from t cross join lateral (select id from u where u.a = t.a order by id desc limit 2) x", false},
	{"select id from t where id between 3 and 6 or id in (1, 9) or a = 2", false},
	{"select id from t where a = 2 and b >= 'b' order by b desc, id", true},
	{"select id from t where a > 1 and a <= 3", false},
	{"select id from t where a is null", false},
}

// TestVariants answers each query over random rows in several ways that must agree: with and without the module's accesses, in
// memory and with a budget that makes everything spill, and twice on one program.
func TestVariants(t *testing.T) {
	for seed := range uint64(2) {
		rng := rand.New(rand.NewPCG(seed, 7))
		db := newDB(t)
		db.mustExec(`create table t (id integer primary key, a integer null, b text null);
			create table u (id integer primary key, a integer null, b text null);
			create index t_ab on t (a, b desc); create index t_a on t (a desc); create index u_a on u (a)`)
		db.mustExec("insert into t " + drawRows(rng) + "; insert into u " + drawRows(rng))
		for _, q := range queries {
			want := answer(db, q.sql, q.ordered)
			db.noSeek = true
			assert.Equal(t, want, answer(db, q.sql, q.ordered), "without seeks: %s", q.sql)
			db.budget = 1
			assert.Equal(t, want, answer(db, q.sql, q.ordered), "spilling: %s", q.sql)
			db.noSeek = false
			assert.Equal(t, want, answer(db, q.sql, q.ordered), "spilling with seeks: %s", q.sql)
			db.budget = 600 // some rows fit, others do not
			assert.Equal(t, want, answer(db, q.sql, q.ordered), "spilling late: %s", q.sql)
			db.budget = 0
		}
	}
}

func drawRows(rng *rand.Rand) string {
	n := rng.IntN(30)
	if n < 4 {
		return "select 1, 1, '' where false"
	}
	rows := make([]string, n)
	for i := range rows {
		a := []string{"null", "1", "2", "3", "4"}[rng.IntN(5)]
		b := []string{"null", "'a'", "'A'", "'b'", "'c'"}[rng.IntN(5)]
		rows[i] = fmt.Sprintf("(%d, %s, %s)", i+1, a, b)
	}
	return "values " + strings.Join(rows, ", ")
}

// answer gives the rows of two runs of one program, which must be alike.
func answer(db *testDB, sql string, ordered bool) []string {
	p, err := db.plan(sql)
	require.NoError(db.t, err, sql)
	program := build(db.t, p)
	var runs [2][]string
	for i := range runs {
		rows, err := collect(program, db.runtime())
		require.NoError(db.t, err, sql)
		for _, row := range rows {
			runs[i] = append(runs[i], wireRow(row))
		}
		if !ordered {
			slices.Sort(runs[i])
		}
	}
	assert.Equal(db.t, runs[0], runs[1], "second run: %s", sql)
	return runs[0]
}

// TestOrderOfAnswers checks the orders that are worth keeping for least surprise (docs/reference/language.md), which hold while nothing spills.
func TestOrderOfAnswers(t *testing.T) {
	db := newDB(t)
	db.mustExec(`create table t (id integer primary key, k text); create table d (id integer, primary key (id desc));
		insert into t values (1, 'b'), (2, 'a'), (3, 'b'), (4, 'c'), (5, 'a'); insert into d values (1), (3), (2)`)
	for _, c := range []struct{ sql, want string }{
		{"select id from t", "[1] [2] [3] [4] [5]"},
		{"select id from d", "[3] [2] [1]"},
		{"select distinct k from t", `["b"] ["a"] ["c"]`},
		{"select k, count(*) from t group by k", `["b",2] ["a",2] ["c",1]`},
		{"select k from t union select 'z' union select 'a'", `["b"] ["a"] ["c"] ["z"]`},
		{"select t.id, o.id from t join t o on o.k = t.k and o.id > t.id", "[1,3] [2,5]"},
		{"select * from (values (3), (1), (2)) v", "[3] [1] [2]"},
		{"select group_concat(id) from (select id from t order by k, id desc)", `["5,2,3,1,4"]`},
		{"select id from (select id, k from t order by k desc, id) where id > 1", "[4] [3] [2] [5]"},
		{"select k from t order by k", `["a"] ["a"] ["b"] ["b"] ["c"]`},
		{"select id from t order by k", "[2] [5] [1] [3] [4]"},
		{"select distinct k from t order by id desc", `["a"] ["c"] ["b"]`},
		{"select null as x union all select 1 order by x desc", "[null] [1]"},
		{"select null as x union all select 1 order by x nulls last", "[1] [null]"},
	} {
		assert.Equal(t, c.want, db.rowsOf(c.sql), c.sql)
	}
}

// TestConcurrentRuns runs one program from several goroutines at once.
func TestConcurrentRuns(t *testing.T) {
	db := newDB(t)
	db.mustExec(`create table t (id integer primary key, a integer)`)
	db.mustExec("insert into t select value, value % 10 from generate_series(1, 500)")
	p, err := db.plan("select a, count(*), (select max(id) from t o where o.a = t.a) from t where a in (select a from t where id < ?) group by a order by a")
	require.NoError(t, err)
	program := build(t, p)
	var all sync.WaitGroup
	for g := range 4 {
		rt := db.runtime()
		rt.Positional = []types.Value{types.Int(int64(g + 2))}
		all.Go(func() {
			for range 20 {
				rows, err := collect(program, rt)
				assert.NoError(t, err)
				assert.Len(t, rows, g+1)
			}
		})
	}
	all.Wait()
}

// TestRunAfterFailure checks that operators which a failed or abandoned run leaves behind serve the next one.
func TestRunAfterFailure(t *testing.T) {
	db := newDB(t)
	db.budget = 1
	db.mustExec(`create table t (id integer primary key, x text); insert into t values (1, '1'), (2, '2'), (3, 'three'), (4, '4')`)
	for _, sql := range []string{
		"select integer(x) from t where id <= ? order by 1", "select count(distinct integer(x)) from t where id <= ?",
		"select integer(a.x) from t a join t b on integer(b.x) = integer(a.x) where a.id <= ?1_ and b.id <= ?",
		"select integer(x) from t where id <= ? union select 9 intersect select 1",
		"with w as (select integer(x) as v from t where id <= ?) select a.v from w a, w b",
	} {
		sql = strings.ReplaceAll(sql, "?1_", ":1")
		p, err := db.plan(sql)
		require.NoError(t, err, sql)
		program := build(t, p)
		rt := db.runtime()
		for _, last := range []int64{2, 4, 2, 4, 2} {
			rt.Positional = []types.Value{types.Int(last), types.Int(last)}
			rows, err := collect(program, rt)
			if last == 4 {
				assert.ErrorIs(t, err, types.MISMATCH, sql)
			} else {
				assert.NoError(t, err, sql)
				assert.NotEmpty(t, rows, sql)
			}
		}
		rt.Positional = []types.Value{types.Int(2), types.Int(2)}
		abandoned, err := program.Run(t.Context(), rt)
		require.NoError(t, err)
		_, err = abandoned.Next()
		require.NoError(t, err)
		require.NoError(t, abandoned.Close())
		require.NoError(t, abandoned.Close(), "a second Close does nothing")
		rows, err := collect(program, rt)
		require.NoError(t, err)
		assert.NotEmpty(t, rows, sql)
	}
}

// TestLifetimes passes more rows than a batch holds through every operator and checks that each text is still the one of its row.
func TestLifetimes(t *testing.T) {
	db := newDB(t)
	db.mustExec(`create table t (id integer primary key, b text, k integer); create index t_k on t (k);
		insert into t select value, 'text of ' || value, value % 97 from generate_series(1, 1500)`)
	for _, source := range []string{
		"select id, b from t", "select id, b from t where k <> 5", "select id, b || '' as b from t", "select id, b from t order by b",
		"select id, b from t order by k limit 400", "select distinct id, b from t", "select max(id) as id, b from t group by b",
		"select id, max(b) as b from t group by id", "select l.id, r.b from t l join t r on l.id = r.id", "select l.id, l.b from t l join t r on l.k = r.k",
		"select l.id, r.b from t l left join t r on l.id = r.id and r.k < 200", "select r.id, l.b from t l right join t r on l.id = r.id",
		"select l.id, r.b from (select * from t where k = 3) l join t r on r.id = l.id", "select l.id, r.b from t l join (select * from t where k < 3) r on l.id + 0 >= r.id and l.id <= r.id",
		"select t.id, x.b from t cross join lateral (select b from t o where o.id = t.id) x",
		"select t.id, (select b from t o where o.id = t.id) as b from t", "select id, b from t union select id, b from t",
		"select id, b from t intersect select id, b from t", "select id, b from t except select id, b from t where k = 1",
		"select id, b from t union all select id, b from t", "select x.id, y.b from w x join w y on x.id = y.id",
		"select id, b from r", "select id, b from t where b in (select b from t where k < 50)", "select id, min(b) as b from t group by id having count(distinct b) = 1",
		"select id, group_concat(distinct b order by b) as b from t group by id", "select id, b from t where id in (select id from w)",
	} {
		sql := "with recursive w as (select id, b from t), r(id, b, n) as (select id, b, 0 from t where k < 20 union all select id, b, n + 1 from r where n < 3) " +
			"select count(*) > 0, sum(b is not ('text of ' || id)) from (" + source + ") q"
		for _, budget := range []int64{0, 20_000} {
			db.budget = budget
			assert.Equal(t, "[true,0]", db.rowsOf(sql), "budget %d: %s", budget, source)
		}
	}
}
