package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

func testEnv() BuildEnv {
	return BuildEnv{Types: types.NewRegistry(), Module: "memory", IDs: NewSnapshot().Edit()}
}

// parseOne parses a text that is one statement.
func parseOne[S ast.Stmt](t require.TestingT, sql string) S {
	stmts, err := parse.Stmts(ast.NewSource("", sql))
	require.NoError(t, err, sql)
	require.Len(t, stmts, 1, sql)
	s, ok := stmts[0].(S)
	require.True(t, ok, sql)
	return s
}

func buildTable(t require.TestingT, sql string) *Table {
	table, err := BuildTable(parseOne[*ast.CreateTableStmt](t, sql), testEnv())
	require.NoError(t, err, sql)
	return table
}

func addIndex(t require.TestingT, table *Table, sql string) *Table {
	ix, err := BuildIndex(parseOne[*ast.CreateIndexStmt](t, sql), table, testEnv())
	require.NoError(t, err, sql)
	c := table.Clone()
	c.Indexes = append(c.Indexes, ix)
	return c
}

// requireRefusal matches an error as the conformance cases do: the code, and a text in the message.
func requireRefusal(t *testing.T, err error, code types.Code, message string) {
	t.Helper()
	require.ErrorIs(t, err, code)
	require.ErrorContains(t, err, message)
}

func TestBuildTableRefusals(t *testing.T) {
	for _, c := range []struct {
		sql, message string
		code         types.Code
	}{
		{"create table bad1 (a integer, A text)", "Duplicate column name: A", types.ERROR},
		{"create table t (a integer primary key, b integer, primary key (b))", "Cannot define both table-level and column-level PRIMARY KEYs", types.CONSTRAINT},
		{"create table t (a integer, b integer, primary key (a), primary key (b))", "Multiple table-level PRIMARY KEY constraints defined", types.CONSTRAINT},
		{"create table t (a integer, primary key (zz))", "PRIMARY KEY column 'zz' not found in table definition", types.ERROR},
		{"create table t (id integer primary key, n text collate klingon)", "Unknown collation 'klingon' for type 'TEXT' on column 'n' (expected one of: BINARY, NOCASE, RTRIM)", types.ERROR},
		{"create table t (id integer primary key, d date collate nocase)", "Unknown collation 'nocase' for type 'DATE' on column 'd' (type supports no collation", types.ERROR},
		{"create table t (id integer primary key, x integer default 1 generated always as (id + 1))", "Column 'x' cannot have both DEFAULT and GENERATED ALWAYS AS", types.ERROR},
		{"create table bad1 (id integer primary key, first text, second text default (lower(first)))", "may not reference a bare column", types.ERROR},
		{"create table bad1 (id integer primary key, first text, second text default nosuch)", "may not reference a bare column", types.ERROR},
		{"create table bad2 (id integer primary key, x text default (:p))", "DEFAULT for column 'x' in table 'bad2' may not reference bind parameters.", types.ERROR},
		{"create table bad2 (id integer primary key, x text default ((select ?)))", "DEFAULT for column 'x' in table 'bad2' may not reference bind parameters.", types.ERROR},
		{"create table bad2 (id integer primary key, v integer check (v > ?))", "CHECK constraint '_check_v' on table 'bad2' may not reference bind parameters.", types.ERROR},
		{"create table bad5 (id integer primary key, x integer default 'not a number')", "Type conversion failed for column 'x': Cannot convert 'not a number' to INTEGER", types.MISMATCH},
		{"create table cv (id integer primary key, d date default '2024-02-30')", "Type conversion failed for column 'd': Cannot convert '2024-02-30' to DATE", types.MISMATCH},
		{"create table cv3 (id integer primary key, j json default '{bad')", "Type conversion failed for column 'j': Cannot convert '{bad' to JSON: invalid JSON syntax", types.MISMATCH},
		{"create table t (id integer primary key, a integer generated always as (a + 1))", "Cyclic dependency in generated columns: 'a'", types.ERROR},
		{"create table t (id integer primary key, a integer generated always as (b + 1), b integer generated always as (a + 1), c integer generated always as (a))", "Cyclic dependency in generated columns: 'a', 'b'", types.ERROR},
		{"create table t (id integer primary key, a integer generated always as ((select b)), b integer generated always as (t.a))", "Cyclic dependency in generated columns: 'a', 'b'", types.ERROR},
		{"create table gbad1 (id integer primary key, a integer generated always as (zip + 1))", "Column 'zip' referenced by generated column 'a' not found in table 'gbad1'", types.ERROR},
		{"create table gbad1 (id integer primary key, a integer generated always as (new.zip + 1))", "Column 'zip' referenced by generated column 'a' not found in table 'gbad1'", types.ERROR},
		{"create table t (id integer primary key, a integer generated always as (old.id + 1))", "'old.id' referenced by generated column 'a' in table 't' binds nothing", types.ERROR},
		{"create table t (id integer primary key, a integer generated always as (box.w + 1))", "binds nothing", types.ERROR},
		{"create table t (id integer primary key, a integer generated always as (temp.t.id + 1))", "binds nothing", types.ERROR},
		{"create table t (id integer primary key, unique (zz))", "UNIQUE constraint column 'zz' not found", types.ERROR},
		{"create table d1 (id integer primary key, a integer constraint k check (a > 0), b integer constraint K unique)", "duplicate constraint name 'K'", types.CONSTRAINT},
		{"create table d2 (id integer primary key, a integer, constraint k check (a > 0), constraint k foreign key (a) references p(id))", "duplicate constraint name 'k'", types.CONSTRAINT},
		{"create table bad (id integer primary key, a integer unique, unique (a))", "Cannot create table 'bad': an equivalent UNIQUE constraint on (a) already exists.", types.CONSTRAINT},
		{"create table bad (id integer primary key, a integer, b integer, unique (a, b), unique (b, a))", "Cannot create table 'bad': an equivalent UNIQUE constraint on (b, a) already exists.", types.CONSTRAINT},
		{"create table d6 (id integer primary key, m_n integer, m integer, n integer, unique (m_n), unique (m, n))", "both derive backing structure name '_uc_m_n'", types.CONSTRAINT},
		{"create table d7 (id integer primary key, q integer, p integer, constraint _uc_q unique (p), unique (q))", "both derive backing structure name '_uc_q'", types.CONSTRAINT},
		{"create table bad (x integer primary key, foreign key (x) references pk2 (a, b))", "FK constraint '_fk_bad_x' on table 'bad': child column count (1) does not match parent column count (2)", types.ERROR},
		{"create table bad (x integer primary key, y integer references pk2 (a, b))", "FK constraint '_fk_bad_y' on table 'bad': child column count (1) does not match parent column count (2)", types.ERROR},
		{"create table bad (x integer primary key, foreign key (nope) references pk2 (a))", "FK column 'nope' not found in table 'bad'", types.ERROR},
		{"create table t (x integer primary key) with context (a integer, A text)", "Duplicate mutation context variable: A", types.ERROR},
		// what is judged earlier decides
		{"create table t (a integer default 'x', primary key (zz))", "PRIMARY KEY column 'zz'", types.ERROR},
		{"create table t (a integer default 'x', constraint k check (a > 0), constraint k check (a > 1))", "Type conversion failed", types.MISMATCH},
		{"create table t (a integer unique, constraint k check (a > 0), constraint k check (a > 1), unique (a))", "duplicate constraint name", types.CONSTRAINT},
		{"create table t (g integer generated always as (g), a integer default (b), b integer)", "Cyclic dependency", types.ERROR},
	} {
		_, err := BuildTable(parseOne[*ast.CreateTableStmt](t, c.sql), testEnv())
		t.Run(c.sql, func(t *testing.T) { requireRefusal(t, err, c.code, c.message) })
	}
}

func TestBuildTableAccepts(t *testing.T) {
	for _, sql := range []string{
		"create table t (a integer, b integer, primary key (a, a))",
		"create table t (a integer primary key, b integer, unique (b, b))",
		"create table t (id integer primary key primary key)",
		"create table t (id integer primary key, a integer default null)",
		"create table t (id integer primary key, d date default '2024-02-29', t text default 5, b boolean default 'true', j json default '{\"a\":1}')",
		"create table t (id integer primary key, a text default upper(new.b), b text)",
		"create table t (id integer primary key, n integer default ((select max(id) from t)))",
		"create table t (id integer primary key, c integer generated always as (b + 1), b integer generated always as (a + 1), a integer)",
		"create table t (id integer primary key, n integer, a integer generated always as (t.n + 1), b integer generated always as (new.n + 2), c integer generated always as (main.t.n + 3))",
		"create table t (id integer primary key, v integer default lim) with context (lim integer)",
		"create table t (id integer primary key, v integer default v) with context (v integer null)",
		"create table t (id integer primary key, a integer, constraint u1 unique (a), constraint u2 unique (a))",
		"create table t (id integer primary key, a integer unique, constraint named unique (a))",
		"create table t (id integer primary key, a integer references later)",
		"create table t (id integer primary key, stamp text default current_timestamp)",
		"create table t (id integer primary key, check (id in (select x from nowhere)))",
	} {
		t.Run(sql, func(t *testing.T) { buildTable(t, sql) })
	}
}

func TestBuildTableResolvesSettings(t *testing.T) {
	env := testEnv()
	env.Nullable, env.Collation = true, types.NoCase
	env.Module, env.ModuleArgs = "Store", []ModuleArg{{"a", types.True}, {"b", types.FromJSON(&types.JSON{})}}
	table, err := BuildTable(parseOne[*ast.CreateTableStmt](t,
		"create table s.t (id int, a varchar(9) not null, b text collate binary, c, d any, e text null not null on conflict abort)"), env)
	require.NoError(t, err)

	require.Equal(t, "s", table.Schema)
	require.Equal(t, "store", table.Module)
	require.Equal(t, "(a = 1, b = '[]')", formatArguments(table.ModuleArgs))
	type column struct {
		typ, collation string
		rank           types.Rank
		notNull        bool
	}
	var got []column
	for _, c := range table.Columns {
		got = append(got, column{c.Type.Name, c.Collation.Name, c.CollationRank, c.NotNull})
	}
	require.Equal(t, []column{
		{"INTEGER", "BINARY", types.RankDefault, false},
		{"TEXT", "NOCASE", types.RankDefault, true},
		{"TEXT", "BINARY", types.RankDeclared, false},
		{"BLOB", "BINARY", types.RankDefault, false},
		{"ANY", "BINARY", types.RankDefault, false},
		{"TEXT", "NOCASE", types.RankDefault, true},
	}, got)
	require.Equal(t, "varchar(9)", table.Columns[1].TypeName)
	require.False(t, table.Key.Declared)
	require.Len(t, table.Key.Columns, 6)
}

func formatArguments(args []ModuleArg) string {
	p := definition{}
	p.arguments(args)
	return string(p.buf[1:])
}

func TestConstraintNaming(t *testing.T) {
	c1 := buildTable(t, "create table c1 (id integer primary key, a integer check (a > 0) check (a < 100), b integer null references p(id) references p(id), c integer unique, check (a <> b), foreign key (a) references p(id), unique (a, c))")
	require.Equal(t, []string{"_check_a", "_check_a_2", ""}, namesOf(c1.Checks, func(c *Check) string { return c.Name }))
	require.Equal(t, []string{"_fk_c1_b", "_fk_c1_b_2", "_fk_c1_a"}, namesOf(c1.ForeignKeys, func(f *ForeignKey) string { return f.Name }))
	require.Equal(t, []string{"", ""}, namesOf(c1.Uniques, func(u *Unique) string { return u.Name }))
	require.Equal(t, "_uc_a_c", c1.StructureName(c1.Uniques[1]))
	require.Equal(t, "_check_2", c1.CheckName(2))
	require.Equal(t, "check_3", c1.AddedCheckName())
	require.Equal(t, "_check_a_3", c1.InlineCheckName("a"))
	require.Equal(t, "_check_z_2", c1.InlineCheckName("z", "_CHECK_Z"))

	c2 := buildTable(t, "create table c2 (id integer primary key, a integer check (a > 0), constraint _check_a check (a < 9))")
	require.Equal(t, []string{"_check_a_2", "_check_a"}, namesOf(c2.Checks, func(c *Check) string { return c.Name }))
}

func namesOf[T any](list []T, name func(T) string) []string {
	var out []string
	for _, x := range list {
		out = append(out, name(x))
	}
	return out
}

func TestExpressionHookSeesTheDocumentedOrder(t *testing.T) {
	env := testEnv()
	var seen []string
	env.CheckExpression = func(t *Table, e Expression) error {
		seen = append(seen, t.Describe(e))
		return nil
	}
	_, err := BuildTable(parseOne[*ast.CreateTableStmt](t,
		"create table t (g integer generated always as (a), a integer default (1 + 1) check (a > 0), b integer default (2 + 2), c integer default 3, check (b > 0))"), env)
	require.NoError(t, err)
	require.Equal(t, []string{
		"DEFAULT for column 'a' in table 't'", "DEFAULT for column 'b' in table 't'",
		"CHECK constraint '_check_a' on table 't'", "CHECK constraint '_check_1' on table 't'",
		"GENERATED ALWAYS AS for column 'g' in table 't'",
	}, seen)

	env.CheckExpression = func(*Table, Expression) error { return types.Errorf(types.ERROR, "refused by the hook") }
	_, err = BuildTable(parseOne[*ast.CreateTableStmt](t, "create table t (a integer default 'x', b integer default (1 + 1))"), env)
	requireRefusal(t, err, types.ERROR, "refused by the hook") // before any literal is converted
}

func TestBuildIndex(t *testing.T) {
	song := buildTable(t, "create table song (id integer primary key, title text collate nocase, artist text, yr integer null)")
	for _, c := range []struct{ sql, message string }{
		{"create index i on song (nope)", "Column 'nope' not found in table 'song'"},
		{"create index i on song (title collate klingon)", "Unknown collation 'klingon'"},
		{"create index i on song (yr) where yr > (select max(id) from album)", "Unsupported expression in partial-index predicate: subquery"},
		{"create index i on song (yr) where yr in song", "Unsupported expression in partial-index predicate: subquery"},
		{"create index i on song (yr) where album.id > 1", "Partial-index predicate cannot reference column 'album.id'"},
		{"create index i on song (yr) where nope > 1", "Partial-index predicate cannot reference column 'nope'"},
		{"create index i on song (yr) where yr > ?", "bind parameters"},
		{"create index i on song ((select max(id) from song))", "subquery"},
		{"create index i on song (lower(nocol))", "nocol"},
		{"create index i on song (lower(?))", "bind parameters"},
		{"create index i on song (1 + 1)", "reads no column"},
	} {
		_, err := BuildIndex(parseOne[*ast.CreateIndexStmt](t, c.sql), song, testEnv())
		requireRefusal(t, err, types.ERROR, c.message)
	}
	for _, c := range []struct{ sql, text string }{
		{"create index song_title on song (title)", `CREATE INDEX "song_title" ON "song" ("title" COLLATE NOCASE)`},
		{"create index m on song (artist desc, (yr), song.title collate binary)", `CREATE INDEX "m" ON "song" ("artist" COLLATE BINARY DESC, "yr" COLLATE BINARY, "title" COLLATE BINARY)`},
		{"create unique index u on song (lower(title) desc, yr + 1)", `CREATE UNIQUE INDEX "u" ON "song" (lower(title) COLLATE BINARY DESC, (yr + 1) COLLATE BINARY)`},
		{"create index p on song (title || '/' || artist collate nocase, yr) where yr > 1990", `CREATE INDEX "p" ON "song" ((title || '/' || artist) COLLATE NOCASE, "yr" COLLATE BINARY) WHERE yr > 1990`},
		{"create index q on song (yr) where song.year > 5 with tags (a = null, b = true)", ""},
	} {
		stmt := parseOne[*ast.CreateIndexStmt](t, c.sql)
		ix, err := BuildIndex(stmt, song, testEnv())
		if c.text == "" {
			requireRefusal(t, err, types.ERROR, "song.year")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.text, FormatIndex(song, ix, FormatOptions{}))
	}
}

func TestIndexNames(t *testing.T) {
	song := addIndex(t, buildTable(t, "create table song (id integer primary key, title text, constraint once unique (title), constraint short check (length(title) < 9))"), "create index song_title on song (title)")
	album := buildTable(t, "create table album (id integer primary key)")
	e := NewSnapshot().Edit()
	e.PutTable(song)
	e.PutTable(album)
	s := e.Done()
	index := func(name string) *ast.CreateIndexStmt {
		return &ast.CreateIndexStmt{Name: ast.QName{Name: ast.Ident(name)}}
	}

	_, err := s.CheckIndexName(song, index("SONG_TITLE"), false)
	requireRefusal(t, err, types.CONSTRAINT, "Index SONG_TITLE already exists on table song")
	_, err = s.CheckIndexName(song, index("once"), false)
	requireRefusal(t, err, types.CONSTRAINT, "Index once already exists on table song")
	skip, err := s.CheckIndexName(song, index("once"), true)
	require.NoError(t, err)
	require.True(t, skip)
	_, err = s.CheckIndexName(album, index("song_title"), true)
	requireRefusal(t, err, types.CONSTRAINT, "Index 'song_title' already exists in schema 'main' on table 'song'")
	skip, err = s.CheckIndexName(album, index("once"), false) // a structure's name is taken on its own table only
	require.NoError(t, err)
	require.False(t, skip)
	unique := index("short")
	_, err = s.CheckIndexName(song, unique, false)
	require.NoError(t, err)
	unique.Unique = true
	_, err = s.CheckIndexName(song, unique, false)
	requireRefusal(t, err, types.CONSTRAINT, "Cannot create unique index 'short': table 'song' has a constraint with that name")
}

func TestForeignKeyCollations(t *testing.T) {
	e := NewSnapshot().Edit()
	e.PutTable(buildTable(t, "create table pa (k text collate nocase primary key)"))
	s := e.Done()
	check := func(sql string) error { return CheckForeignKeyCollations(buildTable(t, sql), s) }

	requireRefusal(t, check("create table ch (id integer primary key, k text collate rtrim references pa (k))"), types.ERROR,
		"FOREIGN KEY '_fk_ch_k' on 'ch': child column 'ch.k' (collation RTRIM) and parent column 'pa.k' (collation NOCASE) declare conflicting collations")
	requireRefusal(t, check("create table ch (id integer primary key, k text collate binary references pa)"), types.ERROR, "declare conflicting collations")
	requireRefusal(t, check("create table s (k text collate rtrim primary key, l text collate nocase references s (k))"), types.ERROR, "declare conflicting collations")
	require.NoError(t, check("create table ch (id integer primary key, k text references pa (k))"))
	require.NoError(t, check("create table ch (id integer primary key, k text collate nocase references pa (k))"))
	require.NoError(t, check("create table ch (id integer primary key, k text collate rtrim references later (k))"))
	require.NoError(t, check("create table ch (id integer primary key, k text collate rtrim references pa (nosuch))"))
}
