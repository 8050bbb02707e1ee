package resolve_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/types"
)

// tables is a catalog of relations by "schema.name", with their columns separated by spaces.
type tables map[string]string

func (c tables) Columns(schema, name string) ([]string, bool) {
	columns, ok := c[types.Fold(schema)+"."+types.Fold(name)]
	return strings.Fields(columns), ok
}

func (c tables) Function(name string, _ int) ([]string, bool) {
	switch types.Fold(name) {
	case "json_each":
		return []string{"key", "value"}, false
	case "sum", "max", "min", "count":
		return nil, true
	}
	return nil, false
}

var sample = tables{
	"main.t": "a b c", "main.u": "a d k", "main.w": "x y", "main.new": "a z", "s2.t": "a e", "s2.z": "q",
	"main.people": "id name boss", "main.v": "a total",
}

// renaming reads "t.a>b", "s2.t.a>b" (columns) and "t>n", "s2/t>n" (relations).
func renaming(text string) resolve.Renaming {
	from, to, _ := strings.Cut(text, ">")
	schema := "main"
	if s, rest, ok := strings.Cut(from, "/"); ok {
		schema, from = s, rest
	}
	name, column, _ := strings.Cut(from, ".")
	return resolve.Renaming{Schema: schema, Name: name, Column: column, To: to}
}

func renamings(text string) (out []resolve.Renaming) {
	for f := range strings.FieldsSeq(text) {
		out = append(out, renaming(f))
	}
	return out
}

// checkRenaming renames in a text and compares; "" as want means that nothing changes.
func checkRenaming(t *testing.T, n ast.Node, home resolve.Home, rename, want string) {
	t.Helper()
	before := ast.Format(n)
	got, changed := resolve.Rename(n, home, renamings(rename)...)
	assert.Equal(t, before, ast.Format(n), "the given tree stays as it was")
	if want == "" {
		assert.False(t, changed, "%s in %s gives %s", rename, before, ast.Format(got))
		assert.True(t, got == n, "an unchanged tree is the same")
		return
	}
	assert.True(t, changed, "%s in %s", rename, before)
	assert.Equal(t, want, ast.Format(got), "%s in %s", rename, before)
}

func TestRenameInQueries(t *testing.T) {
	home := resolve.Home{Catalog: sample, Path: []string{"main"}}
	for _, c := range []struct{ text, rename, want string }{
		// bare and qualified columns, letter case, aliases
		{"select a, t.A, b from t", "t.a>n", "select n, t.n, b from t"},
		{"select A from T", "t.a>two_words", "select two_words from T"},
		{"select x.a from t as x where x.a > 1 and a = 2", "t.a>n", "select x.n from t as x where x.n > 1 and n = 2"},
		{"select a as b from t group by a having a > 1 order by a", "t.a>n", "select n as b from t group by n having n > 1 order by n"},
		{"select main.t.a, t.* from t", "t.a>n", "select main.t.n, t.* from t"},
		{"select a from t", "t.a>select", `select "select" from t`},
		{"select a from u", "t.a>n", ""},
		{"select t.a, u.a from t join u on t.a = u.a", "u.a>n", "select t.a, u.n from t inner join u on t.a = u.n"},
		{"select a from t", "t.zz>n", ""},
		{"select a from t", "nosuch.a>n", ""},
		{"select t.a from u as t", "t.a>n", ""},
		{"select q.a from t", "t.a>n", ""},
		// scope: the innermost frame with the column decides
		{"select a from t where exists (select 1 from u where u.k = b and a = 1)", "t.a>n", "select n from t where exists (select 1 from u where u.k = b and a = 1)"},
		{"select a from t where exists (select 1 from w where x = b)", "t.b>n", "select a from t where exists (select 1 from w where x = n)"},
		{"select (select t.a from u as t) from t", "t.a>n", ""},
		// a qualifier reaches past a source of its name that lacks the column
		{"select (select t.b from u as t) from t", "t.b>n", "select (select t.n from u as t) from t"},
		{"select (select t.b from u as t) from t", "u.k>b", "select (select t.b from (select a, d, b as k from u) as t) from t"},
		{"select (select t.b from u as t) from t", "t.b>d", "select (select t.b from u as t) from (select a, d as b, c from t) as t"},
		// the path of the first leg covers a compound, also out of parentheses
		{"(select a from t with schema s2, main) union all select a from t", "s2/t.a>n", "(select n from t with schema s2, main) union all select n from t"},
		{"(select a from t with schema s2, main) union all select a from t", "t.a>n", ""},
		{"select (select max(a) from w) from t", "t.a>n", "select (select max(n) from w) from t"},
		{"select 1 from w where x in (select a from t) limit (select max(a) from t)", "t.a>n", "select 1 from w where x in (select n from t) limit (select max(n) from t)"},
		// aliases of the select list
		{"select b as a from t order by a", "t.a>n", ""},
		{"select b as a from t order by -a, t.a", "t.a>n", "select b as a from t order by -a, t.n"},
		{"select b as a from t where a > 1", "t.a>n", "select b as a from t where n > 1"},
		{"select count(*) as b from t group by a having b > 1", "t.b>n", ""},
		{"select a as b, b as a from t group by all having a > 1", "t.a>n", "select n as b, b as a from t group by all having n > 1"},
		{"select a as b, b as a from t group by 1, 2 having a > 1", "t.a>n", "select n as b, b as a from t group by 1, 2 having n > 1"},
		{"select *, 1 as b from t group by 2 having b > 1", "t.b>n", "select *, 1 as b from t group by 2 having n > 1"},
		{"select a as b from t group by a, b having b > 1", "t.b>n", "select a as b from t group by a, n having n > 1"},
		{"select count(*) as b from t group by a having sum(b) > 1 order by max(b)", "t.b>n", "select count(*) as b from t group by a having sum(n) > 1 order by max(n)"},
		{"select count(*) as b, sum(1) over (order by b) from t group by a", "t.b>n", ""},
		{"select c as b, sum(b) over (order by b) from t", "t.b>n", "select c as b, sum(n) over (order by n) from t"},
		{"select f() over w from t window w as (partition by a order by b)", "t.a>n t.b>m", "select f() over w from t window w as (partition by n order by m)"},
		// set operations take their names from the first leg
		{"select a from t union select a from u order by a", "t.a>n", "select n from t union select a from u order by n"},
		{"select a from t union select a from u order by a", "u.a>n", "select a from t union select n from u order by a"},
		{"(select a from t) union (select b from t) order by a", "t.a>n", "(select n from t) union (select b from t) order by n"},
		{"select a from t union exists left as b select a from u order by b, a", "t.a>n", "select n from t union exists left as b select a from u order by b, n"},
		// derived tables and WITH republish
		{"select s.a from (select a from t) as s", "t.a>n", "select s.n from (select n from t) as s"},
		{"select a from (select * from t)", "t.a>n", "select n from (select * from t)"},
		{"select s.a from (select t.* from t) as s", "t.a>n", "select s.n from (select t.* from t) as s"},
		{"select s.a from (select a as a from t) as s", "t.a>n", "select s.a from (select n as a from t) as s"},
		{"select s.a from (select a from t) as s (a)", "t.a>n", "select s.a from (select n from t) as s (a)"},
		{"select s.b from (select a, b from t) as s (x)", "t.b>n", "select s.n from (select a, n from t) as s (x)"},
		{"select a from (select a + 1 as a from t)", "t.a>n", "select a from (select n + 1 as a from t)"},
		{`select "a + 1" from (select a + 1 from t)`, "t.a>n", `select "n + 1" from (select n + 1 from t)`},
		{`select a, "a:1" from (select a, a from t)`, "t.a>n", `select n, "n:1" from (select n, n from t)`},
		{"with q as (select a from t), r as (select a from q) select r.a from r", "t.a>n", "with q as (select n from t), r as (select n from q) select r.n from r"},
		{"with q (a) as (select a from t) select a from q", "t.a>n", "with q (a) as (select n from t) select a from q"},
		{"with q as (select 1 as a) select a from q", "t.a>n", ""},
		{"with recursive r as (select a from t union all select a + 1 from r where a < 9) select a from r", "t.a>n",
			"with recursive r as (select n from t union all select n + 1 from r where n < 9) select n from r"},
		{"with recursive r (a) as (select a from t union all select a + 1 from r where a < 9) select a from r", "t.a>n",
			"with recursive r (a) as (select n from t union all select a + 1 from r where a < 9) select a from r"},
		{"select a from (values (1)) as t (a)", "t.a>n", ""},
		{"select x.a from (select a from t union select d from u) as x", "t.a>n", "select x.n from (select n from t union select d from u) as x"},
		{"select x.d from (select d from u union select a from t) as x", "t.a>n", "select x.d from (select d from u union select n from t) as x"},
		// WITH hides a table
		{"with t as (select a from t) select a from t", "t.a>n", "with t as (select n from t) select n from t"},
		{"with t as (select 1 as a) select a from t", "t.a>n", ""},
		{"with recursive t as (select 1 as a union select a from t) select a from t", "t.a>n", ""},
		{"with u as (select a from t) select * from u where exists (with t as (select 2 as a) select a from t)", "t.a>n",
			"with u as (select n from t) select * from u where exists (with t as (select 2 as a) select a from t)"},
		// functions in FROM
		{"select value from t cross join lateral json_each(t.b)", "t.b>n", "select value from t cross join lateral json_each(t.n)"},
		{`select "key" from people cross join lateral json_each(people.name) where value = name`, "people.name>label",
			`select "key" from people cross join lateral json_each(people.label) where value = label`},
		{"select j.k from json_each('{}') as j (k)", "t.a>n", ""},
		// joins
		{"select t.b from t join u on t.a = d", "t.a>n", "select t.b from t inner join u on t.n = d"},
		{"select 1 from t join lateral (select 1 from u where d = b) as s on true", "t.b>n", "select 1 from t inner join lateral (select 1 from u where d = n) as s on true"},
		{"select 1 from t join (select 1 from u where d = b) as s on true", "t.b>n", ""},
		{"select h from t left join u on b = d exists as h", "t.b>n", "select h from t left join u on n = d exists as h"},
		{"select 1 from w join (t join u on b = d) on x = c", "t.b>n t.c>m", "select 1 from w inner join (t inner join u on n = d) on x = m"},
		{"select t.b from t join u using (a)", "t.a>n", "select t.b from t inner join u on t.n = u.a"},
		{"select t.b from t join u using (a)", "t.a>n u.a>n", "select t.b from t inner join u using (n)"},
		{"select x.b from t x join t y using (a, b)", "t.a>n", "select x.b from t as x inner join t as y using (n, b)"},
		{"select 1 from w join t using (y) join u using (a)", "w.x>a", "select 1 from w inner join t using (y) inner join u on t.a = u.a"},
		{"select b, d from t natural join u", "t.b>n", "select n, d from t natural inner join u"},
		{"select b, d from t natural join u", "t.a>n", "select b, d from (select n as a, b, c from t) as t natural inner join u"},
		{"select b, d from t natural join u", "t.b>k", "select b, d from (select a, k as b, c from t) as t natural inner join u"},
		{"select x.a from t x natural join t y", "t.a>n", "select x.n from t as x natural inner join t as y"},
		{"select a from t natural join u", "t.a>n u.a>n", "select n from t natural inner join u"},
		// tables
		{"select t.a, a from t where t.b in (select x from w)", "t>n", "select n.a, a from n where n.b in (select x from w)"},
		{"select t.a from t as t", "t>n", "select t.a from n as t"},
		{"select x.a from T as x", "t>n", "select x.a from n as x"},
		{"select t.* from t", "t>n", "select n.* from n"},
		{"select main.t.* , main.t.a from main.t", "t>n", "select main.n.*, main.n.a from main.n"},
		{"select 1 from w where x in t", "t>n", "select 1 from w where x in n"},
		{"select 1 from w where x in main.t", "t>n", "select 1 from w where x in main.n"},
		{"select a from s2.t", "t>n", ""},
		{"select t.e from s2.t", "s2/t>n", "select n.e from s2.n"},
		{"select 1 from committed.t where t.a = 1", "t>n", "select 1 from committed.n where n.a = 1"},
		{"select old1.x from w as old1", "old1>new1", ""},
		{"with t as (select 1 as a) select t.a from t", "t>n", ""},
		{"with t as (select a from t) select t.a from t", "t>n", "with t as (select a from n) select t.a from t"},
		{"with q as (select a from t) select t.a from t, q", "t>n", "with q as (select a from n) select n.a from n, q"},
		{"select q from z with schema s2", "s2/z>y", "select q from y with schema s2"},
		{"select q from z", "s2/z>y", ""},
		{"select 1 from t union select e from t with schema s2", "s2/t>n", "select 1 from t union select e from n with schema s2"},
		// both at once, and swaps
		{"select t.a from t", "t>n t.a>z", "select n.z from n"},
		{"select t.a, u.d from t, u", "t>u u>t", "select u.a, t.d from u, t"},
		{"select a, b from t", "t.a>b t.b>a", "select b, a from t"},
		// clauses for writing
		{"select a as x with inverse (a = new.x, b = new.x + 1) from t", "t.a>n", "select n as x with inverse (n = new.x, b = new.x + 1) from t"},
		{"select a with inverse (a = new.a) from t", "t.a>n", "select n with inverse (n = new.n) from t"},
		{"select a from t with defaults (b = (select max(d) from u), a = 1)", "t.b>n", "select a from t with defaults (n = (select max(d) from u), a = 1)"},
		{"select a as b from t with defaults (b = 1)", "t.b>n", "select a as b from t with defaults (n = 1)"},
		{"select a from t union select d from u with defaults (a = 1)", "t.a>n", "select n from t union select d from u with defaults (n = 1)"},
	} {
		checkRenaming(t, parseQuery(t, c.text), home, c.rename, c.want)
	}
}

// TestRenameWithoutCapture: a new name that would mean something else somewhere is kept apart.
func TestRenameWithoutCapture(t *testing.T) {
	home := resolve.Home{Catalog: sample, Path: []string{"main"}}
	for _, c := range []struct{ text, rename, want string }{
		// columns: a qualifier
		{"select a from t where exists (select 1 from w where x = a)", "t.a>x", "select x from t where exists (select 1 from w where x = t.x)"},
		{"select 1 from u where exists (select 1 from t where d = a)", "t.a>d", "select 1 from u where exists (select 1 from t where u.d = d)"},
		{"select b, d from t, u", "t.b>d", "select t.d, u.d from t, u"},
		{"select b as x from t order by a", "t.a>x", "select b as x from t order by t.x"},
		{"select b, d from t as p, u as q", "t.b>d", "select p.d, q.d from t as p, u as q"},
		// columns of a source without a name: the table keeps its old columns
		{"select b, d from (select b from t), u", "t.b>d", "select b, d from (select b from (select a, d as b, c from t) as t), u"},
		{"select b, h from t left join u on a = k exists as h", "t.b>h", "select b, h from (select a, h as b, c from t) as t left join u on a = k exists as h"},
		{"select a from t where b < current_date", "t.a>current_date",
			"select a from (select current_date as a, b, c from t) as t where b < current_date"},
		// tables: a schema in front of a name that a WITH member or another schema has
		{"with n as (select 1) select t.a from t, n", "t>n", "with n as (select 1) select t.a from main.n as t, n"},
		{"with n as (select 1) select t.a from t", "t>n", "with n as (select 1) select n.a from main.n"},
		{"with n as (select 1 as x) select 1 from n where x in t", "t>n", "with n as (select 1 as x) select 1 from n where x in main.n"},
		// tables: an alias where two sources would have one name, or a qualifier would reach another source
		{"select t.a, n.x from t, w as n", "t>n", "select t.a, n.x from n as t, w as n"},
		{"select 1 from t, w as n", "t>n", "select 1 from n as t, w as n"},
		{"select 1 from t where exists (select 1 from w as n where n.x = t.a)", "t>n", "select 1 from n as t where exists (select 1 from w as n where n.x = t.a)"},
		{"select 1 from w as n where exists (select 1 from t where t.a = n.x)", "t>n", "select 1 from w as n where exists (select 1 from n as t where t.a = n.x)"},
		{"select main.t.a from t, w as n", "t>n", "select t.a from n as t, w as n"},
		{"select main.t.* from t, w as n", "t>n", "select t.* from n as t, w as n"},
	} {
		checkRenaming(t, parseQuery(t, c.text), home, c.rename, c.want)
	}
	s2 := resolve.Home{Catalog: sample, Path: []string{"s2", "main"}}
	checkRenaming(t, parseQuery(t, "select x from w"), s2, "w>z", "select x from main.z")
	checkRenaming(t, parseQuery(t, "select x from w"), s2, "s2/z>w", "select x from main.w")
	checkRenaming(t, parseQuery(t, "select e from t"), s2, "s2/t>t9", "select e from t9")
	checkRenaming(t, parseQuery(t, "select e from t"), s2, "t>t9", "")
}

// TestRenameInRowExpressions: CHECK, DEFAULT, generated columns, index predicates.
func TestRenameInRowExpressions(t *testing.T) {
	home := resolve.Home{Catalog: sample, Path: []string{"main"}, Row: &resolve.Row{Schema: "main", Name: "t"}}
	for _, c := range []struct{ text, rename, want string }{
		{"a > 0 and new.a > old.a and t.a < main.t.a", "t.a>n", "n > 0 and new.n > old.n and t.n < main.t.n"},
		{"a > 0 and new.a > 0 and t.a < main.t.a", "t>n", "a > 0 and new.a > 0 and n.a < main.n.a"},
		{"new.a > 0", "u.a>n", ""},
		{"new.a > 0", "new.a>n", ""},
		{"a > (select min(d) from u)", "u.d>n", "a > (select min(n) from u)"},
		{"(select min(a) from u) > 0", "t.a>n", ""},
		{"exists (select 1 from u where u.a = new.a)", "t.a>n", "exists (select 1 from u where u.a = new.n)"},
		{"exists (select 1 from w where x = a)", "t.a>n", "exists (select 1 from w where x = n)"},
		// new and old are ordinary names where a FROM binds them
		{`exists (select 1 from "new" where new.a = 1)`, "t.a>n", ""},
		{`exists (select 1 from "new" where new.a = 1)`, "new.a>n", "exists (select 1 from new where new.n = 1)"},
		{"exists (select 1 from u as new where new.a = 1)", "t.a>n", ""},
		{"exists (with new as (select 1 as a) select 1 from new where new.a = 1)", "t.a>n", ""},
		{"exists (select 1 from t where t.a = 1)", "t.a>n", "exists (select 1 from t where t.n = 1)"},
		// capture
		{"exists (select 1 from u where k = b)", "t.b>d", "exists (select 1 from u where k = t.d)"},
		{"exists (select 1 from t as x where x.b = 1 and k = 1)", "t.b>k", "exists (select 1 from t as x where x.k = 1 and k = 1)"}, // k meant nothing before
		{"exists (select 1 from u as n where n.k = t.b)", "t>n", "exists (select 1 from u as n where n.k = b)"},
		{"exists (select 1 from u as n where n.k = t.a)", "t>n", "exists (select 1 from u as n where n.k = new.a)"},
	} {
		checkRenaming(t, parseExpr(t, c.text), home, c.rename, c.want)
	}
}

// TestContextVariables: a bare name means the variable before the column.
func TestContextVariables(t *testing.T) {
	row := &resolve.Row{Schema: "main", Name: "t", Variables: []string{"A", "v"}}
	home := resolve.Home{Catalog: sample, Path: []string{"main"}, Row: row}
	for _, c := range []struct{ text, rename, want string }{
		{"a > 0 and context.a > 0", "t.a>n", ""},
		{"new.a > a", "t.a>n", "new.n > a"},
		{"b > 0", "t.b>v", "t.v > 0"},
	} {
		checkRenaming(t, parseExpr(t, c.text), home, c.rename, c.want)
	}
}

func TestRenameInDataChanges(t *testing.T) {
	home := resolve.Home{Catalog: sample, Path: []string{"main"}}
	for _, c := range []struct{ text, rename, want string }{
		{"insert into t (a, b) select a, d from u returning a, new.a", "t.a>n", "insert into t (n, b) select a, d from u returning n, new.n"},
		{"insert into t (a) values (1) on conflict (a) do update set a = excluded.a, b = t.a where a > 1", "t.a>n",
			"insert into t (n) values (1) on conflict (n) do update set n = excluded.n, b = t.n where n > 1"},
		{"update t set a = a + d from u where t.a = u.a returning t.a", "t.a>n", "update t set n = n + d from u where t.n = u.a returning t.n"},
		{"delete from t as x where x.a = 1 and exists (select 1 from t where a = x.a)", "t.a>n", "delete from t as x where x.n = 1 and exists (select 1 from t where n = x.n)"},
		{"delete from t where t.a = 1 returning t.a", "t>n", "delete from n where n.a = 1 returning n.a"},
		{"with t as (select 1 as a) insert into t (a) select a from t", "t.a>n", ""},
		{"update (select a from t) as v set a = 1 where a = 2", "t.a>n", "update (select n from t) as v set n = 1 where n = 2"},
		{"select a from (delete from t returning a) as x", "t.a>n", "select n from (delete from t returning n) as x"},
	} {
		checkRenaming(t, parseStmt(t, c.text), home, c.rename, c.want)
	}
}

// TestRenameKeepsDefinedNames: in a whole statement only expressions and queries hold references.
func TestRenameKeepsDefinedNames(t *testing.T) {
	n := parseStmt(t, "create view v (a) as select a from t")
	home := resolve.Home{Catalog: sample, Path: []string{"main"}}
	checkRenaming(t, n, home, "t.a>n", "create view v (a) as select n from t")
	check, changed := resolve.Rename(parseExpr(t, "b > 0"), home, renaming("t.b>n"))
	assert.False(t, changed)
	assert.Equal(t, "b > 0", ast.Format(check))
}

func TestMentions(t *testing.T) {
	home := resolve.Home{Catalog: sample, Path: []string{"main"}}
	for _, c := range []struct {
		text, schema, name, column string
		want                       bool
	}{
		{"select b from t", "main", "t", "a", false},
		{"select b from t where a > 0", "MAIN", "T", "A", true},
		{"select * from t", "main", "t", "a", false},
		{"select * from t", "main", "t", "", true},
		{"select * from (select * from t) where a = 1", "main", "t", "a", true},
		{"select b from t natural join u", "main", "t", "a", true},
		{"select d from t natural join u", "main", "t", "b", false},
		{"select 1 from t join u using (a)", "main", "u", "a", true},
		{"with t as (select 1 as a) select a from t", "main", "t", "", false},
		{"select 1 from t as x", "main", "x", "", false},
		{"select (select 1 from w where x in t)", "main", "t", "", true},
		{"select 1 from missing", "main", "t", "", false},
	} {
		assert.Equal(t, c.want, resolve.Mentions(parseQuery(t, c.text), home, c.schema, c.name, c.column), "%+v", c)
	}
}

func TestPublishedColumns(t *testing.T) {
	home := resolve.Home{Catalog: sample, Path: []string{"main"}}
	show := func(text, rename string) string {
		var out []string
		for _, p := range resolve.Columns(parseQuery(t, text), home, renamings(rename)...) {
			s := p.Name
			if p.After != p.Name {
				s += ">" + p.After
			}
			if p.Bare {
				s += "!"
			}
			out = append(out, s)
		}
		return strings.Join(out, ", ")
	}
	assert.Equal(t, "a>n!, b as, x", show(`select a, b as "b as", c as x from t`, "t.a>n"))
	assert.Equal(t, "a>n!, b!, c!, x!, y!", show("select * from t, w", "t.a>n"))
	assert.Equal(t, "b!, a>n!, c!", show("select b, t.a, c from t", "t.a>n"))
	assert.Equal(t, "a + 1>n + 1, A>n!", show("select a + 1, A from t", "t.a>n"))
	assert.Equal(t, "a>n!, a:1>n:1!", show("select a, a from t", "t.a>n"))
	assert.Equal(t, "a!, b!, c!, d!, k!", show("select * from t natural join u", ""))
	assert.Equal(t, "column_0, column_1", show("values (1, 2)", ""))
	assert.Equal(t, "a>n!, l", show("select a from t union exists left as l select d from u", "t.a>n"))
	assert.Equal(t, "a>n!", show("with q as (select a from t) select * from q", "t.a>n"))
	assert.Equal(t, "", show("select * from missing", ""))
}

func TestSources(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"select * from t, s2.t, T as x join (select 1 from w where a in (select 1 from u)) on true", "t s2.t w u"},
		{"with q as (select 1 from t) select * from q where exists (select 1 from q, u where 1 in w)", "t u w"},
		{"with t as (select 1 from t) select * from t", "t"},
		{"with recursive t as (select 1 union select 2 from t) select * from t", ""},
		{"with recursive t as (select 1 union select 2 from main.t) select * from main.t, t", "main.t"},
		{"select * from json_each('[]')", ""},
		{"select 1 union (select 2 from t order by (select 3 from u))", "t u"},
	} {
		got := []string{}
		for _, q := range resolve.Sources(parseQuery(t, c.text)) {
			name := q.Name.Text
			if !q.Schema.IsZero() {
				name = q.Schema.Text + "." + name
			}
			got = append(got, name)
		}
		assert.Equal(t, strings.Fields(c.want), got, c.text)
	}
	assert.Len(t, resolve.Sources(parseExpr(t, "a > (select max(b) from t) and c in u")), 2)
}
