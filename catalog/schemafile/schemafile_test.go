package schemafile

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// files makes a file system of names and texts.
func files(pairs ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		fsys[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return fsys
}

// statements gives the texts of the items and seeds of a declaration.
func statements(t *testing.T, d *catalog.Declared) []string {
	env := catalog.BuildEnv{Types: types.NewRegistry(), Module: "memory"}
	var out []string
	for i := range d.Items {
		stmt, err := d.Statement(i, env)
		require.NoError(t, err)
		out = append(out, ast.Format(stmt))
	}
	for _, s := range d.Seeds {
		line := "seed " + s.Table.Text
		for _, c := range s.Columns {
			line += " " + c.Text
		}
		for _, row := range s.Rows {
			line += ":"
			for _, v := range row {
				line += " " + string(types.AppendWire(nil, v))
			}
		}
		out = append(out, line)
	}
	return out
}

func TestLoadSQL(t *testing.T) {
	fsys := files(
		"schema.sql", "-- first\npragma default_column_nullability = 'nullable';\ncreate table if not exists main.a (id integer primary key, v text);\ncreate unique index main.ix on main.a (v);\n"+
			"create view v as select id from main.a; create materialized view m as select 1 as x; create assertion s check (1 = 1)",
		"whole.sql", "declare schema Side version '2' using (default_vtab_module = 'store') { table t { id integer primary key } seed t ((1), (2)) }",
		"empty.sql", "declare schema main { }",
	)
	d, sources, err := Load(fsys, "schema.sql")
	require.NoError(t, err)
	require.Len(t, sources, 1)
	require.Equal(t, "main", d.Name)
	require.Equal(t, []string{
		"create table a (id integer null primary key, v text null)", "create unique index ix on a (v)", "create view v as select id from main.a",
		"create materialized view m as select 1 as x", "create assertion s check (1 = 1)",
	}, statements(t, d))

	d, _, err = Load(fsys, "whole.sql")
	require.NoError(t, err)
	require.Equal(t, "side", d.Schema())
	require.Equal(t, "2", d.Version)
	require.Equal(t, []string{"create table t (id integer primary key) using store", "seed t: 1: 2"}, statements(t, d))

	d, _, err = Load(fsys, "empty.sql")
	require.NoError(t, err)
	require.Empty(t, d.Items)
}

func TestLoadFolder(t *testing.T) {
	fsys := files(
		"s/b.sql", "create table b (id integer primary key)",
		"s/a.sql", "pragma default_column_nullability = nullable; create table a (id integer primary key)",
		"s/sub/c.YAML", "tables: {c: {columns: {id: integer primary key}}}",
		"s/sub/d.yml", "views: {v: select id from c}",
		"s/.hidden.sql", "not sql at all", "s/.git/x.sql", "not sql", "s/readme.md", "not sql", "s/quereus-migrate.yaml", "not: a schema",
	)
	d, sources, err := Load(fsys, "s")
	require.NoError(t, err)
	require.Len(t, sources, 4)
	require.Equal(t, []string{
		"create table a (id integer null primary key)", "create table b (id integer primary key)", "create table c (id integer primary key)", "create view v as select id from c",
	}, statements(t, d)) // the pragma holds for its file

	fsys["s/z.sql"] = &fstest.MapFile{Data: []byte("create table temp.far (id integer primary key)")}
	_, _, err = Load(fsys, "s")
	require.EqualError(t, err, "s declares more than one schema: 'main' and 'temp'")
	all, _, err := LoadAll(fsys, ".")
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, "temp", all[1].Schema())
}

func TestNothingIsNeverAnEmptySchema(t *testing.T) {
	for name, text := range map[string]string{
		"zero.sql": "", "comment.sql": "-- nothing\n/* at all */\n", "mark.sql": "\uFEFF", "pragma.sql": "pragma default_collation = nocase;",
		"zero.yaml": "", "comment.yaml": "# nothing\n", "null.yaml": "~\n", "mapping.yaml": "{}", "settings.yaml": "settings: {default_collation: nocase}",
	} {
		_, _, err := Load(files(name, text), name)
		require.ErrorContains(t, err, name+": no declaration found", name)
		require.ErrorIs(t, err, types.ERROR)
	}
	_, _, err := Load(files("s/x.md", "", "s/.sql", "create table t (id integer primary key)"), "s")
	require.EqualError(t, err, "no declaration found: folder s holds no *.sql, *.yaml or *.yml file")
	_, _, err = Load(files("s/a.sql", "create table t (id integer primary key)", "s/b.sql", " "), "s")
	require.ErrorContains(t, err, "s/b.sql: no declaration found")
	_, _, err = Load(files(), "gone.sql")
	require.ErrorIs(t, err, types.CANTOPEN)

	d, _, err := Load(files("x.yaml", "schema: main"), "x.yaml")
	require.NoError(t, err)
	require.Empty(t, d.Items)
}

func TestFaultsHaveTheirPlace(t *testing.T) {
	for _, c := range []struct {
		fsys  fstest.MapFS
		fault string
	}{
		{files("f.sql", "create table a (id integer primary key);\n  update a set id = 1"), "f.sql:2:3: 'update' does not belong in a schema file, which says what there is and not how to get there"},
		{files("f.sql", "create table a (id integer\n primery key)"), "f.sql:2:2: Expected ','"},
		{files("f.sql", "create table a (id integer primary key);\npragma default_collation = nocase"), "f.sql:2:1: pragma default_collation stands behind a declaration"},
		{files("f.sql", "pragma case_sensitive_like = off; create table a (id integer primary key)"), "f.sql:1:1: pragma case_sensitive_like means nothing in a schema file"},
		{files("f.sql", "\ndeclare lens for a over b { view v as select 1 }"), "f.sql:2:1: lens for 'a': lenses are not supported"},
		{files("f.sql", "declare logical schema l { }"), "f.sql:1:1: logical schema 'l'"},
		{files("f.sql", "declare schema main { };\ndeclare schema MAIN { }"), "f.sql:2:1: schema 'main' is declared more than once (first in f.sql:1:1)"},
		{files("a.sql", "declare schema main { }", "b.sql", "\n create table t (id integer primary key)"), "b.sql:2:2: schema 'main' is declared more than once (first in a.sql:1:1)"},
		{files("a.yaml", "tables: {}", "b.sql", "declare schema main { }"), "b.sql:1:1: schema 'main' is declared more than once (first in a.yaml:1:1)"},
		{files("a.sql", "create table t (id integer primary key)", "b.sql", "-- again\ncreate table T (id integer primary key)"), "b.sql:2:1: Table 'T' is declared more than once in schema 'main' (first in a.sql:1:1)"},
		{files("a.sql", "create table t (id integer primary key)", "b.yaml", "views:\n  T: select 1\n"), "b.yaml:2:3: 'T' is declared as both a table and a view in schema 'main' (first in a.sql:1:1)"},
		{files("a.sql", "create table t (id integer primary key with tags (\"quereus.nope\" = 1))"), "a.sql:1:1: Unknown reserved tag 'quereus.nope'"},
	} {
		_, _, err := Load(c.fsys, ".")
		require.ErrorContains(t, err, c.fault)
		var at *catalog.SourceError
		require.ErrorAs(t, err, &at)
		require.NotEmpty(t, at.Source.Line(at.Err.Line))
	}
}

// Five byte forms of one file mean one schema, and errors count lines alike (field/31).
func TestByteForms(t *testing.T) {
	const text = "declare schema main {\n  -- first comment\n  table c1 {\n    id integer primary key, -- key\n    t text null default 'two\nlines'\n  }\n}\n"
	forms := map[string]string{
		"lf": text, "crlf": strings.ReplaceAll(text, "\n", "\r\n"), "cr": strings.ReplaceAll(text, "\n", "\r"),
		"mark": "\uFEFF" + strings.ReplaceAll(text, "\n", "\r\n"), "open": "\uFEFF" + strings.TrimSuffix(text, "\n"),
	}
	for name, form := range forms {
		d, _, err := Load(files("f.sql", form), "f.sql")
		require.NoError(t, err, name)
		require.Len(t, d.Items, 1)
		_, _, err = Load(files("f.sql", strings.Replace(form, "primary key", "primary kee", 1)), "f.sql")
		require.ErrorContains(t, err, "f.sql:4:", name)
	}
	_, _, err := Load(files("s/a.sql", "create table a (id integer primary key)", "s/b.sql", "\uFEFFcreate table b (id integer primary key)"), "s")
	require.NoError(t, err)
	for _, bad := range []string{"\xff\xfec\x00", "create table \xe9 (id integer primary key)"} {
		_, _, err = Load(files("f.sql", bad), "f.sql")
		require.ErrorContains(t, err, "UTF-")
	}
	_, _, err = Load(files("f.yaml", "tables:\n  t\xe9: 1"), "f.yaml")
	require.ErrorContains(t, err, "f.yaml:2:4: invalid UTF-8")
}

const sampleYAML = `# accounts
schema: main
version: '2'
settings:
  default_column_nullability: not_null
  default_vtab_args: {size: 4, name: x, ok: true}
tables:
  account:
    columns:
      id: integer primary key desc with tags (a = 1)
      Email:
        type: varchar( 20 )
        null: true
        collate: nocase
        default: "'no' || 'ne'"
        constraints: [unique on conflict ignore, constraint ck check (email <> '')]
        tags: {label: Mail, n: -1.50, t: true, "odd key": null, d: 2020-01-01}
      twice: {type: integer, generated: id * 2, stored: true}
      once: {type: integer, generated: (id), stored: false, null: false}
      bare:
      "a \"q\" b": text # a comment of YAML
      note: text -- a comment of SQL
    constraints:
      - constraint uq unique (Email, id) with tags (m = 'x')
      - |
        check (id > 0
          or id < -5)
    using: memory
    context: {actor: text null, "w w": }
    tags: {caption: Accounts, Caption: 2}
  kept:
    columns: {a: integer primary key}
    maintained: {columns: [a], query: select id from account}
indexes:
  ix: {table: account, columns: [Email desc, lower(note) collate nocase], unique: true, where: id > 0, tags: {k: 1}}
  iy: {table: account, columns: "Email, id"}
views:
  v: select id from account
  w: {columns: [a, "b c"], query: "select 1, 2", tags: {t: null}}
materialized_views:
  m: {using: store, query: select id from account}
assertions:
  few: (select count(*) from account) < 100
seeds:
  account: [[1, a@b, "it's", 1.5, ~, true], [-2, 0x1F, !!binary AP8=, 2020-01-01, .inf, +3]]
  kept: {columns: [a], rows: [[1]]}
`

func TestLoadYAML(t *testing.T) {
	d, _, err := Load(files("s.yaml", sampleYAML), "s.yaml")
	require.NoError(t, err)
	require.Equal(t, "2", d.Version)
	require.Equal(t, []string{
		`create table account (id integer not null primary key desc with tags (a = 1), Email varchar(20) null collate nocase default 'no' || 'ne' unique on conflict ignore constraint ck check (email != '') with tags () with tags (label = 'Mail', n = -1.5, t = true, "odd key" = null, d = '2020-01-01'), ` +
			`twice integer not null generated always as (id * 2) stored, once integer not null generated always as (id), bare not null, "a ""q"" b" text not null, note text not null, constraint uq unique (Email, id) with tags (m = 'x'), check (id > 0 or id < -5)) using memory with context (actor text NULL, "w w") with tags (caption = 'Accounts', Caption = 2)`,
		"create table kept (a integer not null primary key) using memory (size = 4, name = 'x', ok = 1) maintained (a) as select id from account",
		"create unique index ix on account (Email desc, lower(note) collate nocase) where id > 0 with tags (k = 1)",
		"create index iy on account (Email, id)",
		"create view v as select id from account", `create view w (a, "b c") as select 1, 2 with tags (t = null)`,
		"create materialized view m using store as select id from account",
		"create assertion few check ((select count(*) from account) < 100)",
		`seed account: 1 "a@b" "it's" 1.5 null true: -2 31 {"$blob":"00ff"} "2020-01-01" {"$real":"Infinity"} 3`,
		"seed kept a: 1",
	}, statements(t, d))
}

func TestYAMLFaults(t *testing.T) {
	for _, c := range []struct{ text, fault string }{
		{"tables:\n  t:\n    columns: {id: integer}\n    colums: {}\n", "f.yaml:4:5: unknown key 'colums'; expected one of: columns, constraints, using, maintained, context, tags"},
		{"table: {}\n", "f.yaml:1:1: unknown key 'table'; expected one of: schema, version, settings, tables,"},
		{"tables:\n  t: {}\n", "f.yaml:2:3: table 't' has no columns"},
		{"tables: [t]\n", "f.yaml:1:9: a mapping is expected here"},
		{"tables:\n  t:\n    columns:\n      id: integer\n      ID: text\n", "f.yaml:5:7: 'ID' occurs twice (first in line 4)"},
		{"tables:\n  t: {columns: {id: integer}}\n  T: {columns: {id: integer}}\n", "f.yaml:3:3: 'T' occurs twice (first in line 2)"},
		{"tables:\n  t:\n    columns:\n      id: integer primary kee\n", "f.yaml:4:27: Expected"},
		{"tables:\n  t:\n    columns:\n      id: integer\n      b: integer, c text\n      d: text\n", "f.yaml:5:7: the SQL of column 'b' defines more than it"},
		{"tables:\n  t:\n    columns:\n      id: integer, check (id > 0)\n", "f.yaml:4:7: the SQL of a column defines more than it"},
		{"tables:\n  t:\n    columns: {id: integer}\n    constraints: ['check (id > 0), unique (id)']\n", "f.yaml:4:18: an entry of constraints is not one constraint"},
		{"tables:\n  t:\n    columns: {id: integer}\n    constraints:\n      - |\n        check (\n          id >\n            )\n", "f.yaml:8:13: Expected expression"},
		{"tables:\n  t:\n    columns:\n      id: {type: integer, null: maybe}\n", "f.yaml:4:33: true or false is expected here"},
		{"tables:\n  t:\n    columns:\n      id: {type: [integer]}\n", "f.yaml:4:18: a text is expected here"},
		{"tables:\n  t:\n    columns: {id: integer}\n    using: memory; drop table t\n", "f.yaml:2:3: its SQL holds a semicolon"},
		{"indexes:\n  i: {columns: [a]}\n", "f.yaml:2:3: index 'i' has no table"},
		{"indexes:\n  i: {table: t, columns: ['a, b', c]}\n", "f.yaml:2:26: an entry of columns is not one column or expression"},
		{"views:\n  v: {columns: [a]}\n", "f.yaml:2:6: a query is missing here"},
		{"views:\n  v: select 'x\n", "f.yaml:2:13: Lexer error: Unterminated string."},
		{"seeds:\n  t: [[1, 0o17]]\n", "f.yaml:2:11: '0o17' is no number to SQL"},
		{"seeds:\n  t: [[1, {a: 1}]]\n", "f.yaml:2:11: a single value is expected here"},
		{"seeds:\n  t: [1]\n", "f.yaml:2:7: a list is expected here"},
		{"seeds:\n  t: {columns: [a]}\n", "f.yaml:2:3: the seed of table 't' has no rows"},
		{"tables:\n  t:\n    columns: {id: integer}\n    tags: {a: [1]}\n", "f.yaml:4:15: a single value is expected here"},
		{"settings: {foreign_keys: off}\ntables: {}\n", "f.yaml:1:12: pragma foreign_keys means nothing in a schema file"},
		{"tables:\n  t: {columns: {id: integer}, tags: {a: 1, a: 2}}\n", "f.yaml:2:44: 'a' occurs twice"},
		{"version: 1\nversion: 2\n", "f.yaml:2:1: 'version' occurs twice"},
		{"tables: {}\n---\nviews: {}\n", "a file holds one document"},
		{"tables: {\n", "f.yaml:"},
		{"tables:\n\tx: 1\n", "f.yaml:2:1: "},
	} {
		_, _, err := Load(files("f.yaml", c.text), "f.yaml")
		require.ErrorContains(t, err, c.fault, c.text)
		require.ErrorIs(t, err, types.ERROR)
		var at *catalog.SourceError
		require.ErrorAs(t, err, &at)
	}
	_, _, err := Load(files("a.yaml", "version: '1'", "b.yaml", "version: '2'"), ".")
	require.ErrorContains(t, err, "b.yaml:1:10: version '2' stands against version '1' of another file")
}

// A fault found later still knows the line of a piece of YAML.
func TestYAMLOriginsReachDeepNodes(t *testing.T) {
	d, _, err := Load(files("f.yaml", "tables:\n  t: {columns: {id: integer primary key, n: text}}\nseeds:\n  t:\n    - [1, a]\n    - [1, b]\n"), "f.yaml")
	require.NoError(t, err)
	_, err = d.Verify(catalog.BuildEnv{Types: types.NewRegistry(), Module: "memory"}, nil)
	require.EqualError(t, err, "f.yaml:6:8: Seed data for table 't': rows 1 and 2 have one primary key")
}

func TestAliases(t *testing.T) {
	d, _, err := Load(files("f.yaml", "tables:\n  a: &shape {columns: {id: integer primary key}}\n  b: *shape\n"), "f.yaml")
	require.NoError(t, err)
	require.Equal(t, []string{"create table a (id integer primary key)", "create table b (id integer primary key)"}, statements(t, d))
}
