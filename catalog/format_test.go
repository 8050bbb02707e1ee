package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

func TestFormatTable(t *testing.T) {
	for _, c := range []struct{ sql, session, explicit string }{
		{
			"create table jar (id integer primary key, lid text null collate nocase, n integer default 3 check (n > 0)) with tags (k = true)",
			`CREATE TABLE "jar" ("id" INTEGER PRIMARY KEY, "lid" TEXT NULL COLLATE NOCASE, "n" INTEGER DEFAULT 3, constraint _check_n check on insert, update (n > 0)) WITH TAGS (k = TRUE)`,
			`CREATE TABLE "main"."jar" ("id" INTEGER NOT NULL PRIMARY KEY, "lid" TEXT NULL COLLATE NOCASE, "n" INTEGER NOT NULL DEFAULT 3, constraint _check_n check on insert, update (n > 0)) USING memory WITH TAGS (k = TRUE)`,
		},
		{
			"create table mv (id integer primary key, n integer) maintained as select id, n from plain",
			`CREATE TABLE "mv" ("id" INTEGER PRIMARY KEY, "n" INTEGER) maintained as select id, n from plain`,
			`CREATE TABLE "main"."mv" ("id" INTEGER NOT NULL PRIMARY KEY, "n" INTEGER NOT NULL) maintained as select id, n from plain`,
		},
		{
			`create table temp.odd ("a b" integer, "say ""hi""" text default ('x' || "c"), primary key ("a b" desc, "say ""hi""") on conflict replace) using mem (5, 'x''y', flag = true, "odd key" = null) with context ("c" text null, d) with tags ("odd key" = 'it''s', neg = -2.5)`,
			`CREATE TABLE "temp"."odd" ("a b" INTEGER, "say ""hi""" TEXT DEFAULT 'x' || c, PRIMARY KEY ("a b" DESC, "say ""hi""") ON CONFLICT REPLACE) USING mem ("0" = 5, "1" = 'x''y', flag = 1, "odd key" = null) WITH CONTEXT (c TEXT NULL, d) WITH TAGS ("odd key" = 'it''s', neg = -2.5)`,
			`CREATE TABLE "temp"."odd" ("a b" INTEGER NOT NULL, "say ""hi""" TEXT NOT NULL DEFAULT 'x' || c, PRIMARY KEY ("a b" DESC, "say ""hi""") ON CONFLICT REPLACE) USING mem ("0" = 5, "1" = 'x''y', flag = 1, "odd key" = null) WITH CONTEXT (c TEXT NULL, d) WITH TAGS ("odd key" = 'it''s', neg = -2.5)`,
		},
		{
			"create table k (a integer null, primary key ())",
			`CREATE TABLE "k" ("a" INTEGER NULL, PRIMARY KEY ())`,
			`CREATE TABLE "main"."k" ("a" INTEGER NULL, PRIMARY KEY ()) USING memory`,
		},
		{
			"create table pair (x integer, y text)",
			`CREATE TABLE "pair" ("x" INTEGER, "y" TEXT, PRIMARY KEY ("x", "y"))`,
			`CREATE TABLE "main"."pair" ("x" INTEGER NOT NULL, "y" TEXT NOT NULL, PRIMARY KEY ("x", "y")) USING memory`,
		},
		{
			"create table c (id integer primary key desc on conflict ignore, b integer not null on conflict fail, n integer null on conflict abort)",
			`CREATE TABLE "c" ("id" INTEGER PRIMARY KEY DESC ON CONFLICT IGNORE, "b" INTEGER NOT NULL ON CONFLICT FAIL, "n" INTEGER NULL)`,
			`CREATE TABLE "main"."c" ("id" INTEGER NOT NULL PRIMARY KEY DESC ON CONFLICT IGNORE, "b" INTEGER NOT NULL ON CONFLICT FAIL, "n" INTEGER NULL) USING memory`,
		},
		{
			"create table f (id integer primary key, g integer generated always as (id * 2) stored, h integer generated always as (g) with tags (x = null), p integer references q(z) on delete no action deferrable initially deferred, unique (p, h) on conflict replace, check on delete (id > 0) with tags (m = true), constraint fk foreign key (h) references temp.r on update set null)",
			`CREATE TABLE "f" ("id" INTEGER PRIMARY KEY, "g" INTEGER GENERATED ALWAYS AS (id * 2) STORED, "h" INTEGER GENERATED ALWAYS AS (g) VIRTUAL WITH TAGS (x = NULL), "p" INTEGER, check on delete (id > 0) with tags (m = true), unique (p, h) on conflict replace, constraint _fk_f_p foreign key (p) references q(z) on delete restrict on update restrict deferrable initially deferred, constraint fk foreign key (h) references "temp".r on delete restrict on update set null)`,
			`CREATE TABLE "main"."f" ("id" INTEGER NOT NULL PRIMARY KEY, "g" INTEGER NOT NULL GENERATED ALWAYS AS (id * 2) STORED, "h" INTEGER NOT NULL GENERATED ALWAYS AS (g) VIRTUAL WITH TAGS (x = NULL), "p" INTEGER NOT NULL, check on delete (id > 0) with tags (m = true), unique (p, h) on conflict replace, constraint _fk_f_p foreign key (p) references q(z) on delete restrict on update restrict deferrable initially deferred, constraint fk foreign key (h) references "temp".r on delete restrict on update set null) USING memory`,
		},
	} {
		table := buildTable(t, c.sql)
		require.Equal(t, c.session, FormatTable(table, FormatOptions{}))
		require.Equal(t, c.explicit, FormatTable(table, FormatOptions{Form: Explicit}))
	}
}

func TestFormatFollowsTheSession(t *testing.T) {
	table := buildTable(t, "create table s.t (a integer primary key, b text null) using store (size = 1, kind = 'x')")
	args := []ModuleArg{{"kind", types.Text("x")}, {"size", types.Int(1)}}
	require.Equal(t, `CREATE TABLE "t" ("a" INTEGER NOT NULL PRIMARY KEY, "b" TEXT)`,
		FormatTable(table, FormatOptions{Schema: "S", Nullable: true, Module: "STORE", ModuleArgs: args}))
	require.Equal(t, `CREATE TABLE "s"."t" ("a" INTEGER PRIMARY KEY, "b" TEXT NULL) USING store (size = 1, kind = 'x')`,
		FormatTable(table, FormatOptions{Module: "store", ModuleArgs: args[:1]}))

	kept := buildTable(t, "create table m (a integer primary key) using store maintained as select 1")
	require.NotContains(t, FormatTable(kept, FormatOptions{Form: Explicit, HomeModule: "store"}), "USING")
	require.Contains(t, FormatTable(kept, FormatOptions{Form: Explicit}), "USING store")
}

func TestFormatOthers(t *testing.T) {
	v := BuildView(parseOne[*ast.CreateViewStmt](t, `create view "My View" (X, "y z") as select a, b from s with tags (k = 'v', t = true)`), testEnv())
	require.Equal(t, `create view "My View" (X, "y z") as select a, b from s with tags (k = 'v', t = true)`, FormatView(v, FormatOptions{}))
	require.Equal(t, `create view main."My View" (X, "y z") as select a, b from s with tags (k = 'v', t = true)`, FormatView(v, FormatOptions{Form: Explicit}))

	a := BuildAssertion(parseOne[*ast.CreateAssertionStmt](t, "create assertion temp.few check ((select count(*) from t) < 5)"), testEnv())
	require.Equal(t, `create assertion "temp".few check ((select count(*) from t) < 5)`, FormatAssertion(a, FormatOptions{}))

	table := buildTable(t, `create table shown (id integer primary key, plate text collate rtrim, constraint plate_once unique (plate) with tags ("quereus.expose_implicit_index" = true))`)
	table = table.WithUnique(0, func(u *Unique) { u.StructureTags = Tags{{"note", types.True}} })
	require.True(t, table.Uniques[0].IsExposed())
	require.Equal(t, `CREATE INDEX "plate_once" ON "shown" ("plate" COLLATE RTRIM) WITH TAGS (note = TRUE)`, FormatStructure(table, table.Uniques[0], FormatOptions{}))
	table = addIndex(t, table, "create index ix on shown (id)")
	require.Equal(t, []string{
		FormatTable(table, FormatOptions{Form: Explicit}),
		`CREATE INDEX "ix" ON "main"."shown" ("id" COLLATE BINARY)`,
		`alter index main.plate_once set tags (note = true)`,
	}, FormatDefinition(table))
}

// What a form prints reads back as the same object, and prints alike.
func TestFormsAreFixedPoints(t *testing.T) {
	sessions := []FormatOptions{
		{}, {Form: Explicit}, {Nullable: true, Schema: "temp", Module: "store"},
		{Module: "store", ModuleArgs: []ModuleArg{{"0", types.Int(5)}, {"k k", types.Text("x'y")}, {"flag", types.Int(1)}}},
	}
	rapid.Check(t, func(t *rapid.T) {
		table, sql := drawTable(t)
		opt := rapid.SampledFrom(sessions).Draw(t, "form")
		env := testEnv()
		env.Nullable, env.Schema, env.Module, env.ModuleArgs = opt.Nullable, opt.Schema, orMemory(opt.Module), opt.ModuleArgs
		if opt.Form == Explicit { // reads back the same in any session (of whose default_collation a catalog knows nothing)
			env.Nullable, env.Schema, env.Module = true, "temp", "store"
		}
		text := FormatTable(table, opt)
		again, err := BuildTable(parseOne[*ast.CreateTableStmt](t, text), env)
		require.NoError(t, err, text)
		for _, ix := range table.Indexes {
			indexText := FormatIndex(table, ix, opt)
			sameIndex, err := BuildIndex(parseOne[*ast.CreateIndexStmt](t, indexText), again, env)
			require.NoError(t, err, indexText)
			again.Indexes = append(again.Indexes, sameIndex)
			require.Equal(t, indexText, FormatIndex(again, sameIndex, opt))
		}
		require.Equal(t, text, FormatTable(again, opt), sql)
		require.Equal(t, FormatDefinition(table), FormatDefinition(again), sql)
		require.Equal(t, NormalTable(table), NormalTable(again), sql)
	})
}

// The statements that objects give make them again.
func TestStmtMakesTheSameTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, sql := drawTable(t)
		text := ast.Format(table.Stmt())
		again, err := BuildTable(parseOne[*ast.CreateTableStmt](t, text), testEnv())
		require.NoError(t, err, text)
		for _, ix := range table.Indexes {
			indexText := ast.Format(ix.Stmt(table))
			sameIndex, err := BuildIndex(parseOne[*ast.CreateIndexStmt](t, indexText), again, testEnv())
			require.NoError(t, err, indexText)
			again.Indexes = append(again.Indexes, sameIndex)
		}
		require.Equal(t, FormatDefinition(table), FormatDefinition(again), sql)
	})
}
