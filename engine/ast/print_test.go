package ast_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

func parseExpr(t testing.TB, text string) ast.Expr {
	t.Helper()
	x, err := parse.Expr(ast.NewSource("", text))
	require.NoError(t, err, text)
	return x
}

func parseQuery(t testing.TB, text string) *ast.SelectStmt {
	t.Helper()
	q, err := parse.Query(ast.NewSource("", text))
	require.NoError(t, err, text)
	return q
}

func parseStmt(t testing.TB, text string) ast.Stmt {
	t.Helper()
	list, err := parse.Stmts(ast.NewSource("", text))
	require.NoError(t, err, text)
	require.Len(t, list, 1, text)
	return list[0]
}

// TestExpressionText holds the texts of expressions.
func TestExpressionText(t *testing.T) {
	for _, c := range [][2]string{
		{"1+1", "1 + 1"}, {"( 1 )", "1"}, {"007", "007"}, {"1.50", "1.50"}, {"1E+2", "1E+2"}, {"0x1F", "0x1F"},
		{"'It''s'", "'It''s'"}, {"X'AB'", "x'ab'"}, {"NULL", "null"}, {"TRUE", "true"}, {"False", "false"},
		{"a <> b", "a != b"}, {"a == b", "a == b"},
		{"a not in (1,2)", "not a in (1, 2)"}, {"a not like 'x'", "not (a like 'x')"}, {"a not in t", "not a in t"},
		{"a not between 1 and 2", "a not between 1 and 2"}, {"not a between 1 and 2", "not a between 1 and 2"},
		{"not a = b", "not (a = b)"}, {"(not a) = b", "(not a) = b"}, {"- (a + b)", "-(a + b)"}, {"not (a and b)", "not (a and b)"},
		{"(not a) and b", "not a and b"}, {"not not a", "not not a"}, {"not exists (select 1)", "not exists (select 1)"},
		{"(a = b) is null", "(a = b) is null"}, {"1 + null is null", "(1 + null) is null"}, {"a || b is true", "(a || b) is true"},
		{"(a is null) = false", "(a is null) = false"}, {"not (a is not null)", "not a is not null"},
		{"('a' || 'B') collate NOCASE", "('a' || 'B') collate nocase"}, {"'a' || 'B' collate nocase", "'a' || 'B' collate nocase"},
		{"(-1) || 2", "(-1) || 2"}, {"-1 || 2", "-(1 || 2)"}, {"x between 0 and (a or b)", "x between 0 and (a or b)"},
		{"- -a", "-(-a)"}, {"+ +a", "+(+a)"}, {"~ ~a", "~(~a)"}, {"- +a", "-+a"}, {"a - -b", "a - -b"}, {"-a * b", "-a * b"}, {"not - 1", "not -1"},
		{"COUNT( * )", "count(*)"}, {"count()", "count(*)"}, {"count(DISTINCT X)", "count(distinct X)"},
		{"CAST(a AS Integer)", "cast(a as integer)"}, {"cast(a as Decimal(8, 2))", "cast(a as decimal(8,2))"},
		{`cast(1 as "integer")`, `cast(1 as "integer")`}, {"a collate NOCASE", "a collate nocase"},
		{"CASE a WHEN 1 THEN 2 END", "case a when 1 then 2 end"}, {"case when a then b else c end", "case when a then b else c end"},
		{"d -> 'k'", "json_extract(d, '$.k')"}, {"d ->> 0", "cast(json_extract(d, '$[0]') as text)"}, {"d -> '$.k'", "json_extract(d, '$.k')"},
		{"d -> 0x10", "json_extract(d, '$[16]')"}, {"d -> a -> 'b'", "json_extract(json_extract(d, a), '$.b')"},
		{"d ->> 'a' || 'y'", "cast(json_extract(d, '$.a') as text) || 'y'"},
		{"?", "?"}, {":p", ":p"}, {"$p", ":p"}, {":7", ":7"}, {`:"select"`, `:"select"`},
		{"(select  1)", "(select 1)"}, {"exists(select 1)", "exists (select 1)"}, {"1|2", "1 | 2"},
		{"a IS b", "a is b"}, {"a is not distinct from b", "a is not distinct from b"}, {"a is (b < c)", "a is (b < c)"},
		{"a is (true)", "a is (true)"}, {"a is (null || b)", "a is (null || b)"}, {"a + 1 is b", "a + 1 is b"}, {"(a = b) is c", "(a = b) is c"},
		{"a not glob 'x'", "not (a glob 'x')"}, {"a like 'x' ESCAPE '!'", "a like 'x' escape '!'"}, {"a regexp b || c", "a regexp b || c"},
		{"( 1,2 ) in ((1,2))", "(1, 2) in ((1, 2))"}, {"(a,b) = (1,2)", "(a, b) = (1, 2)"}, {"a in ()", "a in ()"},
		{"a in ((select 1), 2)", "a in ((select 1), 2)"}, {"a in ((select 1))", "a in (select 1)"},
		{"sum(v) FILTER (where v>1)", "sum(v) filter (where v > 1)"}, {"group_concat(a ORDER BY b desc)", "group_concat(a order by b desc)"},
		{"sum(v) over W", "sum(v) over W"}, {"sum(v) over (w ROWS 1 preceding exclude ties)", "sum(v) over (w rows 1 preceding exclude ties)"},
		{"sum(v) over (ORDER BY id ASC ROWS 1 preceding)", "sum(v) over (order by id rows 1 preceding)"},
		{"f() over (partition by a order by b desc nulls last range between current row and unbounded following)",
			"f() over (partition by a order by b desc nulls last range between current row and unbounded following)"},
		{"1 - (2 - 3)", "1 - (2 - 3)"}, {"1 + (2 + 3)", "1 + 2 + 3"}, {"1 + (2 - 3)", "1 + (2 - 3)"}, {"a * ((b % c) * d)", "a * (b % c) * d"},
		{"(a % b) * c", "a % b * c"}, {"a or (b xor c)", "a or (b xor c)"}, {"a or (b or c)", "a or b or c"}, {"c || (c || 'x')", "c || c || 'x'"},
		{"(a < b) = f", "a < b = f"}, {"a < (b = f)", "a < (b = f)"}, {"f = (a is null)", "f = (a is null)"}, {"f = (a in (1, 2))", "f = (a in (1, 2))"},
		{"f = (a between 1 and 2)", "f = (a between 1 and 2)"}, {"f = (not f)", "f = (not f)"}, {"f = (a like b)", "f = a like b"},
		{"(a = b) in (1)", "(a = b) in (1)"}, {"a + b in (1)", "a + b in (1)"}, {"1 in (1) = true", "1 in (1) = true"}, {"1 < 2 in (1)", "1 < 2 in (1)"},
		{"5 between 1 and 9 < 1", "5 between 1 and 9 < 1"}, {"(a not in (1)) = b", "(not a in (1)) = b"}, {"(a not like b) and c", "not (a like b) and c"},
		{"a & (b | c)", "a & (b | c)"}, {"a & b + c", "a & b + c"}, {"(a & b) + c", "(a & b) + c"},
		{`"current_date"`, `"current_date"`}, {"CURRENT_DATE", "CURRENT_DATE"}, {`t."current_date"`, "t.current_date"},
		{`"a"`, "a"}, {"`b c`", `"b c"`}, {"[select]", `"select"`}, {"key", `"key"`}, {"S.T.c", "S.T.c"},
		{"UPPER(a)", "upper(a)"}, {`"My Fn"(1)`, `"my fn"(1)`}, {"replace(a, b, c)", "replace(a, b, c)"}, {`"left"(a)`, `"left"(a)`},
	} {
		assert.Equal(t, c[1], ast.Format(parseExpr(t, c[0])), c[0])
	}
}

func TestQueryText(t *testing.T) {
	for _, c := range [][2]string{
		{"SELECT ALL a b, t.*, s.t.* FROM t u", "select a as b, t.*, s.t.* from t as u"},
		{"select distinct a from t where a>1 group by a having count(*)>1 order by 1 desc nulls last, a asc limit 2, 10",
			"select distinct a from t where a > 1 group by a having count(*) > 1 order by 1 desc nulls last, a limit 10 offset 2"},
		{"with recursive q(n) as not materialized (values (1)), r as (select 1) option (maxrecursion 5) select n from q",
			"with recursive q (n) as not materialized (values (1)), r as (select 1) option (maxrecursion 5) select n from q"},
		{"select 1 from t join u on a=b left outer join v using (x,y) cross join w, x natural join y natural left join z",
			"select 1 from t inner join u on a = b left join v using (x, y) cross join w, x natural inner join y natural left join z"},
		{"select 1 from t join lateral f(t.a) as g(x) on true left join u on true exists as h, exists left as k",
			"select 1 from t inner join lateral f(t.a) as g (x) on true left join u on true exists as h, exists left as k"},
		{"select 1 from (select 2) s(x), (t join u on true), ((v))", "select 1 from (select 2) as s (x), (t inner join u on true), ((v))"},
		{"select a with inverse (x = new.a) from t window w as (order by a), v as (w) with schema p, temp order by a with defaults (b = 1)",
			`select a with inverse (x = new.a) from t window w as (order by a), v as (w) with schema p, "temp" order by a with defaults (b = 1)`},
		{"select 1 union select 2 except select 3", "select 1 union select 2 except select 3"},
		{"(select 1 limit 1) union all (select 2)", "(select 1 limit 1) union all (select 2)"},
		{"select 1 union exists left as l, exists right as r select 2", "select 1 union exists left as l, exists right as r select 2"},
		{"((select 1))", "select 1"},
	} {
		assert.Equal(t, c[1], ast.Format(parseQuery(t, c[0])), c[0])
	}
}

// TestSetOperationGrouping prints trees that were built, so that every grouping needs the right parentheses.
func TestSetOperationGrouping(t *testing.T) {
	leg := func(n string) ast.QueryTerm {
		return &ast.ValuesClause{Rows: [][]ast.Expr{{&ast.ColumnRef{Column: ast.Ident(n)}}}}
	}
	set := func(op ast.SetOpKind, l, r ast.QueryTerm) *ast.SetOp { return &ast.SetOp{Op: op, L: l, R: r} }
	paren := func(q ast.QueryTerm) ast.QueryTerm { return &ast.ParenQuery{Query: &ast.SelectStmt{Body: q}} }
	for want, n := range map[string]ast.Node{
		"values (a) except values (b) union values (c)":       set(ast.Except, leg("a"), set(ast.Union, leg("b"), leg("c"))),
		"(values (a) except values (b)) union values (c)":     set(ast.Union, set(ast.Except, leg("a"), leg("b")), leg("c")),
		"values (a) except (values (b)) union values (c)":     set(ast.Union, set(ast.Except, leg("a"), paren(leg("b"))), leg("c")),
		"values (a) except ((values (b)) union values (c))":   set(ast.Except, leg("a"), set(ast.Union, paren(leg("b")), leg("c"))),
		"(values (a)) except (values (b)) union (values (c))": set(ast.Union, set(ast.Except, paren(leg("a")), paren(leg("b"))), paren(leg("c"))),
	} {
		assert.Equal(t, want, ast.Format(n))
	}
}

func TestStatementText(t *testing.T) {
	for _, c := range [][2]string{
		{"insert or REPLACE t (a,b) values (1,default),(2,3) with context v=1 with tags (k=true) returning a x",
			"insert or replace into t (a, b) values (1, default), (2, 3) with context v = 1 with tags (k = true) returning a as x"},
		{"insert into t default values", "insert into t default values"},
		{"insert into t select * from u on conflict (a) do update set b=1 where b<2 on conflict do nothing",
			"insert into t select * from u on conflict (a) do update set b = 1 where b < 2 on conflict do nothing"},
		{"insert into t (select a from u) with schema s", "insert into t (select a from u) with schema s"},
		{"insert into t (with c as (select 1) select * from c)", "insert into t (with c as (select 1) select * from c)"},
		{"with c as (select 1) update t x set a=1,b=2 from c where true", "with c as (select 1) update t as x set a = 1, b = 2 from c where true"},
		{"delete t where a=1 with schema s returning *", "delete from t where a = 1 with schema s returning *"},
		{"update (select a from t) as v set a = 1", "update (select a from t) as v set a = 1"},
		{"begin transaction", "begin"}, {"commit", "commit"}, {"rollback to savepoint s", "rollback to s"}, {"release savepoint s", "release s"},
		{"pragma x = ON", "pragma x = ON"}, {"pragma x = 1.50", "pragma x = 1.5"}, {"pragma x", "pragma x"}, {`pragma x = "a b"`, `pragma x = "a b"`},
		{"analyze", "analyze"}, {"analyze s.*", "analyze s.*"}, {"analyze s.t", "analyze s.t"},
		{"explain query plan select 1", "explain select 1"}, {"explain analyze delete from t", "explain analyze delete from t"},
		{"refresh materialized view s.v", "refresh materialized view s.v"},
		{"diff schema Main", "diff schema Main"}, {"explain schema s version '1'", "explain schema s version '1'"},
		{"apply schema s to version '2' with seed options (rename_policy = 'require-hint', allow_destructive = true)",
			"apply schema s to version '2' with seed options (allow_destructive = true, rename_policy = 'require-hint')"},
		{"declare schema s version '1' using (default_vtab_module = 'mem') { table t using m (x=1) { a integer } with tags (k = 1.0) view v as select 1 index i on t (a) seed t ((1,-2.50)) assertion q check (a<b) }",
			"declare schema s version '1' using (default_vtab_module = 'mem') { table t using m (x = 1) { a integer } with tags (k = 1); view v as select 1; index i on t (a); seed t ((1, -2.5)); assertion q check (a < b); }"},
		{"declare lens for a over b { view v as select 1 }", "declare lens for a over b { view v as select 1; }"},
		{"declare schema s {}", "declare schema s {}"},
	} {
		got := ast.Format(parseStmt(t, c[0]))
		assert.Equal(t, c[1], got)
		assert.Equal(t, got, ast.Format(parseStmt(t, got)))
	}
}

func TestDefinitionText(t *testing.T) {
	for _, c := range [][2]string{
		{"create table if not exists s.T1 (Id Integer PRIMARY KEY ASC, v varchar( 10 ) null default ( 'x' ) collate NoCase, w text check on insert , update ( w <> '' ) on conflict abort, g int generated always as ( B * 2 ) virtual, h int generated always as (1) stored)",
			"create table if not exists s.T1 (Id Integer primary key, v varchar(10) null default 'x' collate nocase, w text check on insert, update (w != ''), g int generated always as (B * 2), h int generated always as (1) stored)"},
		{"create table t (r integer references p ( a,b ) on delete no action on update set default not deferrable initially immediate, constraint c unique (a) on conflict fail with tags (k = null), foreign key (a) references p)",
			"create table t (r integer references p(a, b) on delete restrict on update set default not deferrable initially immediate, constraint c unique (a) on conflict fail with tags (k = null), foreign key (a) references p)"},
		{"create table t (a integer, primary key (a desc, b) on conflict ignore) using memory(5, name = 'x''y', f = true, m = fast, r = 1.5) with tags (a = -2.50, \"b c\" = 'it''s') with context (x integer, y text null, z)",
			"create table t (a integer, primary key (a desc, b) on conflict ignore) using memory (5, name = 'x''y', f = 1, m = 'fast', r = 1.5) with context (x integer, y text NULL, z) with tags (a = -2.5, \"b c\" = 'it''s')"},
		{"create table m (a integer, primary key ()) maintained (x) as select a from t", "create table m (a integer, primary key ()) maintained (x) as select a from t"},
		{"create unique index if not exists s.i on s.t (a ASC, lower(b) desc, (a + b), (a || b collate nocase), c collate NOCASE) where (a <> '')",
			"create unique index if not exists s.i on s.t (a, lower(b) desc, a + b, (a || b collate nocase), c collate nocase) where a != ''"},
		{"create view v(X,y) as select 1,2 with tags(k=1)", "create view v (X, y) as select 1, 2 with tags (k = 1)"},
		{"create materialized view m (X) using mem(a=1) as select 1", "create materialized view m (X) using mem (a = 1) as select 1"},
		{"create assertion s.a check ((1 = 1))", "create assertion s.a check (1 = 1)"},
		{"create table t (d integer default (select 1), e text constraint n not null with tags () with tags (k = 1))",
			"create table t (d integer default (select 1), e text constraint n not null with tags () with tags (k = 1))"},
	} {
		got := ast.Format(parseStmt(t, c[0]))
		assert.Equal(t, c[1], got)
		assert.Equal(t, got, ast.Format(parseStmt(t, got)))
	}
}

// TestAlterText: the spelling of plans, and the lower-case one of events.
func TestAlterText(t *testing.T) {
	for _, text := range []string{
		"ALTER TABLE t RENAME TO n", `ALTER TABLE t RENAME COLUMN "a b" TO b`, "ALTER TABLE s.t RENAME CONSTRAINT a TO b",
		"ALTER TABLE t ADD COLUMN c integer default 7", "ALTER TABLE t ADD constraint k check (a > 0)", "ALTER TABLE t ADD unique (a)",
		"ALTER TABLE t ALTER COLUMN a SET DATA TYPE varchar(10)", "ALTER TABLE t ALTER COLUMN a SET COLLATE NOCASE",
		"ALTER TABLE t ALTER COLUMN a SET DEFAULT -1", "ALTER TABLE t ALTER COLUMN a DROP DEFAULT",
		"ALTER TABLE t ALTER COLUMN a SET NOT NULL", "ALTER TABLE t ALTER COLUMN a DROP NOT NULL", "ALTER TABLE t DROP CONSTRAINT a",
		"ALTER TABLE t ALTER PRIMARY KEY (a, b desc)", "ALTER TABLE t ALTER PRIMARY KEY ()", "ALTER TABLE t DROP COLUMN a", "ALTER TABLE t DROP MAINTAINED",
		"ALTER TABLE t SET TAGS (k = 1, b = null)", "ALTER TABLE t ALTER COLUMN a SET TAGS ()", "ALTER TABLE t ALTER CONSTRAINT c ADD TAGS (k = true)",
		`ALTER TABLE t DROP TAGS (k, "b c")`, "ALTER VIEW v SET TAGS (k = 1)", "ALTER MATERIALIZED VIEW m SET TAGS (k = 1)", "ALTER INDEX i SET TAGS (k = 1)",
		"alter table t set maintained (a, b) as select 1, 2", "DROP TABLE IF EXISTS t", "DROP VIEW v", "DROP MATERIALIZED VIEW m",
		"DROP INDEX IF EXISTS s.i", "DROP ASSERTION IF EXISTS a",
	} {
		n := parseStmt(t, text)
		assert.Equal(t, text, ast.Format(n))
		lower := ast.FormatWith(n, ast.Options{Style: ast.Lower})
		assert.Equal(t, strings.ToLower(text), lower)
	}
}

func TestOptions(t *testing.T) {
	index := parseStmt(t, "create index i on t (a) where a in (select b from u) with tags (k = 1)")
	assert.Equal(t, "create index depot.i on depot.t (a) where a in (select b from u)",
		ast.FormatWith(index, ast.Options{Schema: "depot", Implied: "main", NoTags: true}))
	for text, want := range map[string]string{
		"drop table t": "DROP TABLE t", "drop table MAIN.t": "DROP TABLE t", "drop table s.t": "DROP TABLE s.t",
	} {
		assert.Equal(t, want, ast.FormatWith(parseStmt(t, text), ast.Options{Schema: "main", Implied: "main"}))
	}
	tagged := parseStmt(t, "create table t (a integer with tags (k = 1), constraint c check (a > 0) with tags (k = 1)) with tags (k = 1)")
	assert.Equal(t, "create table t (a integer, constraint c check (a > 0))", ast.FormatWith(tagged, ast.Options{NoTags: true}))
	declared := parseStmt(t, "declare schema s { table t { a integer } }")
	assert.Equal(t, "declare schema s { table t { a integer }; }", ast.FormatWith(declared, ast.Options{Schema: "s"}))
}

// TestComparisonText holds the comparison texts.
func TestComparisonText(t *testing.T) {
	opt := ast.Options{Compare: true, Schema: "s"}
	for text, want := range map[string]string{
		"constraint K check on update, insert (Aa = 'X' and Bb in (select Cc from T))":   "check (aa = 'X' and bb in (select Cc from T))",
		"check on delete, insert (A > 0) with tags (k = 1)":                              "check on insert, delete (a > 0)",
		"constraint u unique (Aa, Bb) on conflict ignore":                                "unique (aa, bb) on conflict ignore",
		"unique (a) on conflict abort":                                                   "unique (a)",
		"foreign key (A) references S.P(B) on delete restrict on update no action":       "foreign key (a) references p(b)",
		"foreign key (A) references o.P on delete cascade deferrable initially deferred": "foreign key (a) references o.p on delete cascade",
		"primary key (A desc)": "primary key (a desc)",
	} {
		n := parseStmt(t, "create table t (a integer, "+text+")").(*ast.CreateTableStmt)
		assert.Equal(t, want, ast.FormatWith(n.Constraints[0], opt))
	}
	folded := ast.FormatWith(parseExpr(t, `T.A is null or "Größe" > 0`), ast.Options{Compare: true})
	assert.Equal(t, `t.a is null or "größe" > 0`, folded)
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"a": "a", "Mixed": "Mixed", "_1": "_1", "a$": `"a$"`, "9x": `"9x"`, "": `""`, "two words": `"two words"`, `q"q`: `"q""q"`, "Größe": `"Größe"`,
		"select": `"select"`, "KEY": `"KEY"`, "temp": `"temp"`, "autoincrement": `"autoincrement"`, "autoincrements": "autoincrements", "version": "version",
	} {
		assert.Equal(t, want, ast.FormatName(name))
	}
	for name, want := range map[string]string{
		"Upper": "upper", "KEY": "key", "replace": "replace", "like": "like", "left": `"left"`, "my fn": `"my fn"`, "values": `"values"`,
	} {
		assert.Equal(t, want, strings.TrimSuffix(ast.Format(&ast.Call{Name: ast.Name{Text: name}}), "()"))
	}
	assert.Equal(t, `x"a""b"`, string(ast.AppendQuoted([]byte("x"), `a"b`)))
	assert.Equal(t, `'it''s'`, string(ast.AppendString(nil, "it's")))
}

// TestNamesReadBack: every word of the grammar, and some odd texts, read back as the name that they are.
func TestNamesReadBack(t *testing.T) {
	for _, name := range append(append([]string{}, nameTexts...), oddNames...) {
		text := fmt.Sprintf("select %[1]s.%[1]s as %[1]s from %[1]s as %[1]s", ast.FormatName(name))
		core := parseQuery(t, text).Body.(*ast.SelectCore)
		assert.Equal(t, name, core.Items[0].Alias.Text)
		assert.Equal(t, text, ast.Format(core))
	}
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		v            types.Value
		lower, upper string
	}{
		{types.Null, "null", "NULL"}, {types.True, "true", "TRUE"}, {types.Bool(false), "false", "FALSE"}, {types.Int(-7), "-7", "-7"},
		{types.Real(1.5), "1.5", "1.5"}, {types.Real(2), "2", "2"}, {types.Real(1e300), "1e+300", "1e+300"}, {types.Text("it's"), "'it''s'", "'it''s'"},
		{types.Blob([]byte{0, 255}), "x'00ff'", "x'00ff'"},
	} {
		x := ast.LiteralOf(c.v)
		assert.Equal(t, c.lower, string(ast.AppendValue(nil, x, false)))
		assert.Equal(t, c.upper, string(ast.AppendValue(nil, x, true)))
	}
	for text, want := range map[string]string{"007": "7", "-0": "0", "1.50": "1.5", "0x1F": "31", "-1e3": "-1000", "1e-7": "1e-7", "1e999": "1e999"} {
		kind := ast.RealLit
		if !strings.ContainsAny(strings.TrimPrefix(text, "0x"), ".e") {
			kind = ast.IntegerLit
		}
		assert.Equal(t, want, string(ast.AppendValue(nil, &ast.Literal{Kind: kind, Text: text}, false)), text)
	}
	tags := []ast.Tag{{Key: ast.Ident("k"), Value: &ast.Literal{Kind: ast.TrueLit}}, {Key: ast.Ident("b c"), Value: &ast.Literal{Kind: ast.NullLit}}}
	assert.Equal(t, `(k = true, "b c" = null)`, string(ast.AppendTags(nil, tags, false)))
	assert.Equal(t, `(k = TRUE, "b c" = NULL)`, string(ast.AppendTags(nil, tags, true)))
}

func TestIndexKey(t *testing.T) {
	for text, want := range map[string]string{
		"lower(b)": "lower(b)", "a + b": "(a + b)", "d -> 'k'": "json_extract(d, '$.k')", "d ->> 'k'": "(cast(json_extract(d, '$.k') as text))", "t.a": "(t.a)",
	} {
		assert.Equal(t, want, string(ast.AppendIndexKey(nil, parseExpr(t, text), ast.Options{})))
	}
}

func TestColumnNames(t *testing.T) {
	core := parseQuery(t, `select ID, t.id, "two words", 1+1, - -1, ++4, a as B, *, 'x' "y z"`).Body.(*ast.SelectCore)
	var names []string
	for i := range core.Items {
		names = append(names, ast.ItemName(&core.Items[i]))
	}
	assert.Equal(t, []string{"ID", "id", "two words", "1 + 1", "- -1", "++4", "B", "", "y z"}, names)
	returning := parseStmt(t, `delete from t returning old.n, n, old."a b", s.t.n, old.n as x, n + 1`).(*ast.DeleteStmt).Returning
	names = nil
	for i := range returning {
		names = append(names, ast.ReturningName(&returning[i]))
	}
	assert.Equal(t, []string{"old.n", "n", "old.a b", "s.t.n", "x", "n + 1"}, names)
}

func TestUniqueNames(t *testing.T) {
	for _, c := range [][2]string{
		{"id ID Id", "id ID:1 Id:2"}, {"a a a:1", "a a:1 a:1:1"}, {"a b a b a", "a b a:1 b:1 a:2"}, {"a a:1 a", "a a:1 a:2"}, {"É é", "É é:1"},
	} {
		names := strings.Fields(c[0])
		ast.UniqueNames(names)
		assert.Equal(t, strings.Fields(c[1]), names)
	}
}

func TestSameText(t *testing.T) {
	assert.True(t, ast.SameText(parseExpr(t, "((A)) <> 1"), parseExpr(t, "A!=1")))
	assert.False(t, ast.SameText(parseExpr(t, "A != 1"), parseExpr(t, "a != 1")))
	assert.False(t, ast.SameText(parseExpr(t, "a = 1"), parseExpr(t, "a == 1")))
}

// TestDeepAndLong prints what the parser's limits allow and more: deep nesting, and lists of a hundred thousand members.
func TestDeepAndLong(t *testing.T) {
	const n = 100_000
	one := func() ast.Expr { return &ast.Literal{Kind: ast.IntegerLit, Text: "1"} }
	var left, right, nested ast.Expr = one(), one(), one()
	members := make([]ast.Expr, n)
	for i := range n {
		left = &ast.Binary{Op: ast.OpAnd, L: left, R: one()}
		right = &ast.Binary{Op: ast.OpSub, L: one(), R: right}
		nested = &ast.Call{Name: ast.Ident("f"), Args: []ast.Expr{nested}}
		members[i] = one()
	}
	assert.Len(t, ast.Format(left), len("1")+n*len(" and 1"))
	assert.Len(t, ast.Format(right), len("1")+n*len("1 - ()")-len("()"))
	assert.Len(t, ast.Format(nested), len("1")+n*len("f()"))
	assert.Len(t, ast.Format(&ast.In{X: one(), List: members}), len("1 in ()")+n*len("1, ")-len(", "))
	count := 0
	ast.Walk(left, func(ast.Node) bool { count++; return true })
	assert.Equal(t, 2*n+1, count)
}
