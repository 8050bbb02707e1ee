package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNormalTable(t *testing.T) {
	table := buildTable(t, `create table "Jar" (B varchar(9) null default UPPER(new.ID) with tags (z = 1, "quereus.id" = 'x', a = true), Id int, g integer generated always as (ID + 1),
		primary key (Id desc, B), constraint C1 check on update, insert (B <> 'X' and Id in (select X from Y)) on conflict abort with tags (m = 1),
		check (G > 0), check (g > 0), unique (g, ID), constraint U2 unique (g, ID) on conflict replace,
		constraint F foreign key (G) references main.Par (ID) on delete no action on update cascade deferrable initially deferred, foreign key (ID) references temp.Par)
		using MEM (b = 2, a = 'x') with context (v integer) with tags ("quereus.previous_name" = 'old')`)
	table = addIndex(t, table, `create unique index IX on Jar (B desc, lower(B) collate NOCASE, g) where B > 'Q' with tags (t = null)`)
	require.Equal(t, `table jar
column b TEXT null collate BINARY default upper(new.id) tags (a = true, z = 1)
column g INTEGER not null collate BINARY generated always as (id + 1) virtual
column id INTEGER not null collate BINARY
key (id desc, b)
constraint c1 check (b != 'X' and id in (select X from Y)) tags (m = 1)
constraint check (g > 0)
constraint f foreign key (g) references par(id) on update cascade
constraint foreign key (id) references "temp".par
constraint u2 unique (g, id) on conflict replace
constraint unique (g, id)
index ix unique index (b desc, lower(b) collate nocase, g) where b > 'Q' tags (t = null)
using memory (a = 'x', b = 2)
`, NormalTable(table))
}

func TestNormalFormLeavesSpellingOut(t *testing.T) {
	hash := func(sql ...string) string { return Hash(snapshotOf(t, sql...), MainSchema) }
	base := hash("create table t (id integer primary key, a text null, b integer default 1, check (a <> 'x'), unique (a, b))")
	for _, same := range []string{
		"CREATE TABLE T (A varchar(3) NULL COLLATE binary, B bigint not null DEFAULT (1), ID int not null, CHECK ((a != 'x')), CHECK (A <> 'x'), unique (b, a), primary key (id asc)) using memory",
		"create table t (id integer constraint pk primary key on conflict replace, a text null check (a <> 'x'), b integer not null on conflict fail default 1, unique (a, b)) with context (v text)",
		`create table t (id integer primary key with tags ("quereus.id" = 'i'), a text null, b integer default 1, check (a <> 'x'), unique (a, b)) with tags ("quereus.previous_name" = 'u')`,
	} {
		require.Equal(t, base, hash(same), same)
	}
	for _, other := range []string{
		"create table t2 (id integer primary key, a text null, b integer default 1, check (a <> 'x'), unique (a, b))",
		"create table t (id integer primary key, a text, b integer default 1, check (a <> 'x'), unique (a, b))",
		"create table t (id integer primary key, a text null collate nocase, b integer default 1, check (a <> 'x'), unique (a, b))",
		"create table t (id integer primary key, a text null, b integer default 2, check (a <> 'x'), unique (a, b))",
		"create table t (id integer primary key, a text null, b integer default 1, check (a <> 'X'), unique (a, b))",
		"create table t (id integer primary key, a text null, b integer default 1, check (a <> 'x'), constraint u unique (a, b))",
		"create table t (id integer primary key desc, a text null, b integer default 1, check (a <> 'x'), unique (a, b))",
		"create table t (id integer primary key, a text null, b integer default 1, check (a <> 'x'), unique (a, b)) using store",
		"create table t (id integer primary key, a text null, b integer default 1, check (a <> 'x'), unique (a, b)) with tags (x = 1)",
	} {
		require.NotEqual(t, base, hash(other), other)
	}
	require.Equal(t, base, hash("create table t (id integer primary key, a text null, b integer default 1, check (a <> 'x'), unique (a, b))",
		`create table hidden (id integer primary key) with tags ("quereus.engine_managed" = true)`))
	require.NotEqual(t, hash("create view v as select id from t"), hash("create view v as select ID from t"))
	require.NotEqual(t, hash("create view v (id) as select id from t"), hash("create view v as select id from t"))
	require.NotEqual(t, hash("create assertion a check (1 = 1)"), hash("create assertion a check (1 = 2)"))
	require.Equal(t, hash(), hash())
	require.Len(t, hash(), 64)
}

// A materialized view is what it derives: its columns follow from the body.
func TestNormalMaintained(t *testing.T) {
	table := buildTable(t, "create table m (x integer primary key) maintained (x) as select id from t")
	require.Equal(t, "table m\ncolumn x INTEGER not null collate BINARY\nkey (x)\nmaintained as (x) select id from t\nusing memory\n", NormalTable(table))

	view := table.Clone()
	view.Maintained = &Maintained{Columns: []string{"x"}, Body: table.Maintained.Body}
	view = addIndex(t, view, "create index i on m (x)")
	require.Equal(t, "table m\nmaintained as (x) select id from t\nusing memory\n", NormalTable(view))
}

func TestHashPair(t *testing.T) {
	before := snapshotOf(t, "create table t (id integer primary key, v text)", "create table u (id integer primary key)", "create view w as select id from t")
	e := before.Edit()
	changed := before.Table(MainSchema, "t").WithColumn(1, func(c *Column) { c.NotNull = false })
	e.PutTable(changed)
	e.DropRelation(MainSchema, "w")
	after := e.Done()

	from, to := HashPair(before, after, MainSchema)
	require.Equal(t, Hash(before, MainSchema), from)
	require.Equal(t, Hash(after, MainSchema), to)
	require.NotEqual(t, from, to)
}
