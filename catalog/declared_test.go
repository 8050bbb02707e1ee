package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

// declare reads a declaration out of a text; name "" is that of a statement given as text.
func declare(t require.TestingT, name, sql string) (*Declared, error) {
	src := ast.NewSource(name, sql)
	stmts, err := parse.Stmts(src)
	require.NoError(t, err, sql)
	return Declare(stmts[0].(*ast.DeclareSchemaStmt), Origin{Source: src})
}

func mustDeclare(t require.TestingT, items string) *Declared {
	d, err := declare(t, "", "declare schema main { "+items+" }")
	require.NoError(t, err)
	return d
}

func TestDeclareRefusals(t *testing.T) {
	_, err := declare(t, "", "declare logical schema design { table car { id integer primary key } }")
	requireRefusal(t, err, types.UNSUPPORTED, "logical schema 'design'")
	_, err = declare(t, "", "declare schema Main { table p { id integer primary key } seed p ((1)) seed P ((2)) }")
	requireRefusal(t, err, types.ERROR, "Seed data for table 'P' is declared more than once in schema 'main'")
	_, err = declare(t, "f.sql", "declare schema main { table p { id integer primary key }\nseed p ((1))\n seed P ((2)) }")
	require.EqualError(t, err, "f.sql:3:2: Seed data for table 'P' is declared more than once in schema 'main' (first in f.sql:2:1)")
}

func TestDeclaredCheck(t *testing.T) {
	for _, c := range []struct{ items, message string }{
		{"table t1 { id integer primary key } table T1 { id integer primary key }", "Table 'T1' is declared more than once in schema 'main'"},
		{"table dual { id integer primary key } view dual as select 1 as a", "'dual' is declared as both a table and a view in schema 'main'"},
		{"view dual as select 1 as a table dual { id integer primary key }", "'dual' is declared as both a view and a table in schema 'main'"},
		{"table dual { id integer primary key } materialized view dual as select 1 as a", "'dual' is declared as both a table and a materialized view in schema 'main'"},
		{"view m as select 1 as a materialized view M as select 2 as a", "'M' is declared as both a view and a materialized view in schema 'main'"},
		{"view v as select 1 as a view V as select 2 as a", "View 'V' is declared more than once in schema 'main'"},
		{"materialized view m as select 1 as a materialized view m as select 2 as a", "Materialized view 'm' is declared more than once in schema 'main'"},
		{"index ix on a (id) index IX on b (id)", "Index 'IX' is declared more than once in schema 'main' (on 'a' and 'b')"},
		{"assertion x check (1 = 1) assertion X check (2 = 2)", "Assertion 'X' is declared more than once in schema 'main'"},
		{`table t { id integer primary key } with tags ("quereus.nope" = 1) table t { id integer primary key }`, "Unknown reserved tag 'quereus.nope'"},
		{`table t { id integer constraint c check (id > 0) with tags ("quereus.nope" = 1) primary key }`, "Unknown reserved tag 'quereus.nope'"},
		{`index i on t (id) with tags ("quereus.expose_implicit_index" = true)`, "is not allowed on a physical index; it is valid only on: a physical constraint"},
		{`view v as select 1 with tags ("quereus.lens.writable" = true)`, "is not allowed on a view declaration"},
		{`materialized view v as select 1 with tags ("quereus.id" = 5)`, "on a view declaration must be a text value"},
	} {
		requireRefusal(t, mustDeclare(t, c.items).Check(), types.ERROR, c.message)
	}
	require.NoError(t, mustDeclare(t, "table x { id integer primary key } index x on x (id) assertion x check (1 = 1)").Check())

	d, err := declare(t, "s.sql", "declare schema main {\n table a { id integer primary key }\n  view A as select 1 }")
	require.NoError(t, err)
	require.EqualError(t, d.Check(), "s.sql:3:3: 'A' is declared as both a table and a view in schema 'main' (first in s.sql:2:2)")
	var at *SourceError
	require.ErrorAs(t, d.Check(), &at)
	require.Equal(t, "  view A as select 1 }", at.Source.Line(at.Err.Line))
	require.Equal(t, types.ERROR, types.CodeOf(d.Check()))
}

func TestDeclaredResolve(t *testing.T) {
	d := mustDeclare(t, `index ix on T (b) table t { id integer primary key, b text } view v as select b from t materialized view m (x) as select id from t
		index im on m (x) assertion s check (1 = 1) table bad { a integer, A integer } index ib on bad (a) index lost on nowhere (a)`)
	env := testEnv()
	env.Nullable = true
	r := d.Resolve(env)
	require.Equal(t, []string{"Duplicate column name: A", "no such table: nowhere"}, namesOf(r.Faults, func(f ItemFault) string { return f.Err.Error() }))
	require.Equal(t, []int{6, 8}, namesOfInts(r.Faults))
	s := r.Snapshot
	require.False(t, s.Table("main", "t").Columns[0].NotNull)
	require.Equal(t, "t", s.Index("main", "ix").Table.Name)
	require.Nil(t, s.Index("main", "im"))
	require.Nil(t, s.Table("main", "bad"))
	require.NotNil(t, s.View("main", "v"))
	require.NotNil(t, s.Assertion("main", "s"))
	require.Equal(t, "table m\nmaintained as (x) select id from t\nusing memory\n", NormalTable(s.Table("main", "m")))
}

func namesOfInts(faults []ItemFault) []int {
	var out []int
	for _, f := range faults {
		out = append(out, f.Item)
	}
	return out
}

// A declaration and the statements that it becomes describe one schema.
func TestDeclaredHashIsTheHashOfItsStatements(t *testing.T) {
	d := mustDeclare(t, "table t { id integer primary key, b text default 'x', unique (b) } index ix on t (b desc) view v as select b from t assertion s check (1 = 1)")
	direct := snapshotOf(t, "create table t (id integer primary key, b text default 'x', unique (b)); create index ix on t (b desc); create view v as select b from t; create assertion s check (1 = 1)")
	require.Equal(t, Hash(direct, "main"), Hash(d.Resolve(testEnv()).Snapshot, "main"))
}

func TestDeclaredStatements(t *testing.T) {
	d, err := declare(t, "", `declare schema main using (default_vtab_module = 'store', default_vtab_args = '{"size": 4, "on": true}', other = 5)
		{ table a { id integer primary key } table b using memory() { id integer primary key } view v as select 1 materialized view m as select 1 as x }`)
	require.NoError(t, err)
	statement := func(i int) string {
		stmt, err := d.Statement(i, testEnv())
		require.NoError(t, err)
		return ast.Format(stmt)
	}
	require.Equal(t, `create table a (id integer primary key) using store (size = 4, "on" = 1)`, statement(0))
	require.Equal(t, "create table b (id integer primary key) using memory", statement(1))
	require.Equal(t, "create view v as select 1", statement(2))
	require.Equal(t, "create materialized view m as select 1 as x", statement(3))

	d, err = declare(t, "", "declare schema main using (default_vtab_args = 'not json') { table a { id integer primary key } }")
	require.NoError(t, err)
	_, err = d.Statement(0, testEnv())
	requireRefusal(t, err, types.ERROR, "Invalid JSON in schema default vtab args for table 'a'")
}

func TestSettingsOfAFileAreWrittenOut(t *testing.T) {
	var s DeclaredSettings
	pragma := func(sql string) error { return s.SetPragma(parseOne[*ast.PragmaStmt](t, sql)) }
	require.NoError(t, pragma("pragma default_column_nullability = 'nullable'"))
	require.NoError(t, pragma("pragma DEFAULT_COLLATION = nocase"))
	require.NoError(t, pragma("pragma default_vtab_module = store"))
	require.NoError(t, pragma(`pragma default_vtab_args = '{"a": "b"}'`))
	requireRefusal(t, pragma("pragma default_column_nullability = 'maybe'"), types.ERROR, "Invalid default_column_nullability value: maybe")
	requireRefusal(t, pragma("pragma default_vtab_args = 'x'"), types.ERROR, "default_vtab_args")
	requireRefusal(t, pragma("pragma default_vtab_args = '[]'"), types.ERROR, "default_vtab_args")
	requireRefusal(t, pragma("pragma foreign_keys = off"), types.ERROR, "pragma foreign_keys means nothing in a schema file")
	requireRefusal(t, pragma("pragma default_collation"), types.ERROR, "sets nothing")
	requireRefusal(t, pragma("pragma nondeterministic_schema = 'perhaps'"), types.ERROR, "Invalid boolean value for option nondeterministic_schema")

	d := NewDeclared("main")
	for _, sql := range []string{
		"create table t (id integer not null primary key, a text, b text collate binary null, c, d any, e varchar(3) default 'x' collate rtrim)",
		"create materialized view m as select 1 as x", "create view v as select 1",
	} {
		require.NoError(t, d.Add(parseOne[ast.Stmt](t, sql).(ast.DeclareItem), Origin{}, &s))
	}
	want := []string{
		"create table t (id integer not null primary key, a text null collate nocase, b text collate binary null, c null, d any null, e varchar(3) null collate nocase default 'x' collate rtrim) using store (a = 'b')",
		"create materialized view m using store (a = 'b') as select 1 as x", "create view v as select 1",
	}
	for i := range want {
		stmt, err := d.Statement(i, testEnv())
		require.NoError(t, err)
		require.Equal(t, want[i], ast.Format(stmt))
	}
	table := d.Resolve(testEnv()).Snapshot.Table("main", "t")
	require.Equal(t, types.NoCase, table.Columns[1].Collation)
	require.False(t, table.Columns[3].NotNull)
	require.Equal(t, "store", table.Module)

	require.False(t, d.Nondeterministic())
	require.NoError(t, pragma("pragma nondeterministic_schema = on"))
	require.True(t, d.Nondeterministic())
}

// What a file can be told before anything runs (field/34).
func TestVerify(t *testing.T) {
	const ledger = "table ledger { id integer primary key, k text collate nocase null unique, g integer generated always as (id) } "
	for _, c := range []struct {
		items, message string
		code           types.Code
	}{
		{"table ledger { id integer primary key, a integer, A integer }", "Duplicate column name: A", types.ERROR},
		{"table ledger { id integer primary key, constraint c check (id > 0), constraint C unique (id) }", "duplicate constraint name 'C'", types.CONSTRAINT},
		{ledger + "table LEDGER { id integer primary key }", "Table 'LEDGER' is declared more than once", types.ERROR},
		{ledger + "index i on legder (id)", "no such table: legder", types.NOTFOUND},
		{ledger + "index i on ledger (idd)", "Column 'idd' not found in table 'ledger'", types.ERROR},
		{"table t { id integer primary key, constraint once unique (id) } index ONCE on t (id)", "Index ONCE already exists on table t", types.CONSTRAINT},
		{"table t { id integer primary key references gone }", "Table 't': foreign key '_fk_t_id' references table 'main.gone', which is not declared", types.NOTFOUND},
		{"table t { id integer primary key references other.gone }", "references table 'other.gone', which is neither declared nor there", types.NOTFOUND},
		{ledger + "view v as select id from ledger table t { id integer primary key references v }", "references 'main.v', which is a view", types.ERROR},
		{ledger + "table t { id integer primary key references ledger(idd) }", "references column 'idd', which table 'ledger' does not have; did you mean 'id'?", types.ERROR},
		{ledger + "table p { a integer, b integer, primary key (a, b) } table t { id integer primary key references p }", "references 2 columns of table 'p' with 1 column", types.ERROR},
		{ledger + "table t { a integer, b integer, constraint two foreign key (a, b) references ledger(id) }", "child column count (2) does not match parent column count (1)", types.ERROR},
		{ledger + "import other from 'x'; table t { id integer primary key }", "IMPORT is not supported in a schema declaration", types.UNSUPPORTED},
		{"domain d as text; " + ledger, "DOMAIN is not supported in a schema declaration", types.UNSUPPORTED},
		{"table t { id integer primary key, name txet }", "Column 'name': Unknown type 'txet'; did you mean 'text'?", types.ERROR},
		{"table t { id serial primary key }", "Column 'id': Unknown type 'serial'; write: integer", types.ERROR},
		{"table p { k text collate nocase primary key } table c { k text collate rtrim primary key references p }", "declare conflicting collations", types.ERROR},
		{ledger + "seed legder ((1, 'a'))", "Seed data for table 'legder': no such table is declared", types.NOTFOUND},
		{ledger + "view v as select 1 seed v ((1))", "Seed data for table 'v': no such table is declared", types.NOTFOUND},
		{"materialized view m as select 1 as x seed m ((1))", "Seed data for table 'm': its rows are derived", types.ERROR},
		{ledger + "seed ledger ((1, 'a'), (1.0, 'b'))", "Seed data for table 'ledger': rows 1 and 2 have one primary key", types.CONSTRAINT},
		{ledger + "seed ledger ((1, 'a', 5))", "row 1 has 3 values for 2 columns", types.ERROR},
		{ledger + "seed ledger values (id, nope) values (1, 2)", "Column 'nope' not found in table 'ledger'", types.ERROR},
		{ledger + "seed ledger values (id, g) values (1, 2)", "Cannot INSERT into generated column 'g'", types.ERROR},
		{ledger + "seed ledger (('many', 'w'))", "row 1: Type conversion failed for column 'id': Cannot convert 'many' to INTEGER", types.MISMATCH},
		{"table one { k text, primary key () } seed one (('a'), ('b'))", "rows 1 and 2 have one primary key", types.CONSTRAINT},
		{"table n { k text collate nocase primary key } seed n (('a'), ('B'), ('A'))", "rows 1 and 3 have one primary key", types.CONSTRAINT},
		{"table t { id integer primary key, n integer default 'x' }", "Type conversion failed for column 'n'", types.MISMATCH},
	} {
		_, err := mustDeclare(t, c.items).Verify(testEnv(), nil)
		requireRefusal(t, err, c.code, c.message)
	}
	live := mustDeclare(t, "table live { id integer primary key }").Resolve(testEnv()).Snapshot.Table("main", "live")
	r, err := mustDeclare(t, ledger+"table c { id integer primary key references other.live, l integer references ledger } seed ledger ((1, 'a'), (-2, null)) seed c values (l) values (1), (1)").
		Verify(testEnv(), func(schema, table string) *Table {
			if schema == "other" && table == "live" {
				return live
			}
			return nil
		})
	require.NoError(t, err)
	require.NotNil(t, r.Snapshot.Table("main", "c"))

	d, err := declare(t, "s.sql", "declare schema main {\n  table t { id integer primary key }\n  seed t ((1),\n    (1)) }")
	require.NoError(t, err)
	_, err = d.Verify(testEnv(), nil)
	require.EqualError(t, err, "s.sql:4:6: Seed data for table 't': rows 1 and 2 have one primary key")
}

func TestReservedTags(t *testing.T) {
	bag := func(key string, v types.Value) Tags { return Tags{{"free", types.Int(1)}, {key, v}} }
	for _, c := range []struct {
		place   TagPlace
		tags    Tags
		message string
	}{
		{OnTable, bag("quereus.ident", types.Text("x")), "Unknown reserved tag 'quereus.ident' on a basis table"},
		{OnTable, bag("quereus.ID", types.Text("x")), "Unknown reserved tag 'quereus.ID'"},
		{OnTable, bag("quereus.lens.decomp.role.", types.Text("primary-storage")), "Unknown reserved tag 'quereus.lens.decomp.role.'"},
		{OnTable, bag("quereus.id", types.Int(5)), "Reserved tag 'quereus.id' on a basis table must be a text value"},
		{OnConstraint, bag(TagExposeImplicitIndex, types.Int(1)), "Reserved tag 'quereus.expose_implicit_index' on a physical constraint must be a boolean value"},
		{OnColumn, bag(TagEngineManaged, types.True), "Reserved tag 'quereus.engine_managed' is not allowed on a physical column; it is valid only on: a basis table"},
		{OnColumn, bag("quereus.sync.replicate", types.True), "it is valid only on: a view declaration, a basis table"},
		{OnTable, bag("quereus.sync.evict", types.Int(-1)), "must be 'never', 'immediate'"},
		{OnTable, bag("quereus.sync.evict", types.Text("sometimes")), "must be 'never', 'immediate'"},
		{OnTable, bag("quereus.lens.writable", types.True), "is not allowed on a basis table; it is valid only on: a logical column"},
		{OnTable, bag("quereus.lens.ack.no-backing-index", types.Text("fine")), "it is valid only on: a logical table, a logical constraint"},
		{OnTable, bag("quereus.lens.decomp.role.d1", types.Text("main")), "has invalid value 'main'; expected one of: primary-storage, auxiliary-access"},
		{OnTable, bag("quereus.lens.decomp.key.d1", types.Text("")), "must be a non-empty comma-separated list"},
		{OnTable, bag("quereus.lens.decomp.key.d1", types.Text("a b")), "must be a comma-separated list"},
		{OnStatement, bag("quereus.id", types.Text("x")), "is not allowed on a DML statement"},
	} {
		requireRefusal(t, CheckReservedTags(c.place, c.tags), types.ERROR, c.message)
	}
	for _, c := range []struct {
		place TagPlace
		tags  Tags
	}{
		{OnTable, bag("Quereus.nope", types.Int(1))},
		{OnTable, bag("QUEREUS.ID", types.Int(7))},
		{OnTable, bag("quereus.sync.evict", types.Text("Immediate"))},
		{OnTable, bag("quereus.sync.evict", types.Int(60000))},
		{OnView, bag("quereus.sync.evict", types.Text("60000"))},
		{OnTable, bag("quereus.lens.decomp.key.d1", types.Text("id, other"))},
		{OnTable, bag("quereus.lens.decomp.keykind.d1", types.Text("surrogate"))},
		{OnIndex, bag(TagID, types.Text("ix-1"))},
	} {
		require.NoError(t, CheckReservedTags(c.place, c.tags), c.tags[1].Key)
	}
}

func TestTags(t *testing.T) {
	tags := buildTable(t, `create table t (id integer primary key) with tags (caption = 'Things', ok = true, rank = 1.50, nothing = null, neg = -3, a = 1, whole = 2.0, a = 'last', "quereus.id" = ' x ', "quereus.previous_name" = ' old , , older')`).Tags
	require.Equal(t, `{"caption":"Things","ok":true,"rank":1.5,"nothing":null,"neg":-3,"a":"last","whole":2,"quereus.id":" x ","quereus.previous_name":" old , , older"}`, tags.JSON().Str())
	require.Equal(t, []string{"old", "older"}, tags.PreviousNames())
	require.Equal(t, "x", tags.StableID())
	require.Equal(t, []string{"a", "caption", "neg", "nothing", "ok", "rank", "whole"}, namesOf(tags.Compared(), func(t Tag) string { return t.Key }))

	merged := tags.Merged(Tags{{"a", types.Int(9)}, {"z", types.Null}})
	v, ok := merged.Get("a")
	require.True(t, ok)
	require.Equal(t, "9", types.ToText(v))
	v, _ = tags.Get("a")
	require.Equal(t, "last", v.Str()) // the old bag is as it was
	rest, err := merged.Without("a", "z", "caption")
	require.NoError(t, err)
	require.Len(t, rest, len(tags)-2)
	_, err = merged.Without("a", "b", "c")
	requireRefusal(t, err, types.NOTFOUND, "Tag key(s) not found: b, c")
	require.True(t, Tags(nil).JSON().IsNull())
}
