package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

func TestFindConstraint(t *testing.T) {
	table := buildTable(t, "create table t (id integer primary key, a integer constraint c check (a > 0), constraint U unique (a), constraint f foreign key (a) references p, check (id > 0))")
	table = addIndex(t, table, "create unique index ux on t (a)")
	table = addIndex(t, table, "create unique index C on t (id)")
	for name, want := range map[string]ConstraintRef{
		"u": {UniqueClass, 0}, "F": {ForeignKeyClass, 0}, "UX": {UniqueIndexClass, 0}, "c": {CheckClass, 0},
	} {
		ref, err := table.FindConstraint(name)
		require.NoError(t, err)
		require.Equal(t, want, ref)
	}
	_, err := table.FindConstraint("nope")
	requireRefusal(t, err, types.NOTFOUND, "Named constraint 'nope' not found in table 't'")
	_, err = table.FindConstraint("")
	requireRefusal(t, err, types.NOTFOUND, "not found")

	require.Empty(t, table.WithoutConstraint(ConstraintRef{UniqueClass, 0}).Uniques)
	require.Empty(t, table.WithoutConstraint(ConstraintRef{ForeignKeyClass, 0}).ForeignKeys)
	require.Len(t, table.WithoutConstraint(ConstraintRef{CheckClass, 0}).Checks, 1)
	require.Equal(t, "C", table.WithoutConstraint(ConstraintRef{UniqueIndexClass, 0}).Indexes[0].Name)
	require.Len(t, table.Indexes, 2)
}

func TestUniqueRules(t *testing.T) {
	table := buildTable(t, "create table t (id integer primary key, a integer unique, b integer, constraint u unique (b, a))")
	table = addIndex(t, table, "create index plain on t (a)")
	table = addIndex(t, table, "create unique index ux on t (b, a + 1)")
	var names []string
	var columns [][]int
	for _, r := range table.UniqueRules() {
		names = append(names, r.Name())
		columns = append(columns, r.Columns())
	}
	require.Equal(t, []string{"", "u", "ux"}, names)
	require.Equal(t, [][]int{{1}, {2, 1}, {2, -1}}, columns)
	require.Equal(t, 0, table.StructurePosition("_UC_a"))
	require.Equal(t, -1, table.StructurePosition("ux"))
	require.Equal(t, []int{0}, table.KeyColumns())
	require.True(t, table.InKey(0))
	require.False(t, table.InKey(1))

	added := &Unique{Columns: []int{1}}
	requireRefusal(t, table.CheckUnique(added, "Cannot alter table 't'"), types.CONSTRAINT, "Cannot alter table 't': an equivalent UNIQUE constraint on (a) already exists.")
	requireRefusal(t, table.CheckUnique(&Unique{Name: "Plain", Columns: []int{0}}, "Cannot alter table 't'"), types.CONSTRAINT, "would collide with existing index")
	requireRefusal(t, table.CheckUnique(&Unique{Name: "_uc_a", Columns: []int{0}}, "x"), types.CONSTRAINT, "both derive backing structure name '_uc_a'")
	require.NoError(t, table.CheckUnique(&Unique{Name: "w", Columns: []int{1}}, "x"))
}

func TestEditingLeavesTheOldTableAlone(t *testing.T) {
	table := addIndex(t, buildTable(t, "create table t (id integer, a integer check (a > 0) unique references p)"), "create index i on t (a)")
	before := FormatDefinition(table)
	require.False(t, table.Key.Declared)

	n := table.WithColumn(1, func(c *Column) { c.Name = "b" })
	n = n.WithCheck(0, func(c *Check) { c.Name = "c" })
	n = n.WithUnique(0, func(u *Unique) { u.Name = "u" })
	n = n.WithForeignKey(0, func(fk *ForeignKey) { fk.ParentTable = "q" })
	n = n.WithIndex(0, func(ix *Index) { ix.Name = "j" })
	n = n.WithAddedColumn(&Column{Name: "z", Type: types.TypeText, Collation: types.Binary})
	require.Equal(t, ColumnID(3), n.Columns[2].ID)
	require.Equal(t, ColumnID(4), n.Storage.NextColumn)
	require.True(t, n.Key.Declared)
	require.Len(t, n.Key.Columns, 2)
	n, err := n.WithKey([]KeyColumn{{Column: 2, Desc: true}})
	require.NoError(t, err)
	require.Equal(t, []string{
		`CREATE TABLE "main"."t" ("id" INTEGER NOT NULL, "b" INTEGER NOT NULL, "z" TEXT NULL PRIMARY KEY DESC, constraint c check on insert, update (a > 0), constraint u unique (b), ` +
			`constraint _fk_t_a foreign key (b) references q on delete restrict on update restrict) USING memory`,
		`CREATE INDEX "j" ON "main"."t" ("b" COLLATE BINARY)`,
	}, FormatDefinition(n))
	require.Equal(t, before, FormatDefinition(table))

	for _, bad := range [][]KeyColumn{{{Column: 3}}, {{Column: -1}}, {{Column: 0}, {Column: 0, Desc: true}}} {
		_, err := table.WithKey(bad)
		require.ErrorIs(t, err, types.INTERNAL)
	}
	empty, err := table.WithKey(nil)
	require.NoError(t, err)
	require.Contains(t, FormatTable(empty, FormatOptions{}), "PRIMARY KEY ()")
}

func TestShiftForDrop(t *testing.T) {
	table := buildTable(t, "create table t (a integer, b integer, c integer, d integer, primary key (d, a), unique (a, c), constraint bd unique (b, d), foreign key (c) references p, constraint fb foreign key (b, c) references p (x, y))")
	for _, sql := range []string{
		"create index only_b on t (b)", "create index b_d on t (d desc, b, c + 1)", "create unique index ub on t (c, b)", "create unique index uc on t (c)", "create index x on t (b, a + 1)",
	} {
		table = addIndex(t, table, sql)
	}
	s := table.ShiftForDrop(1)
	require.Equal(t, []string{
		`CREATE TABLE "main"."t" ("a" INTEGER NOT NULL, "c" INTEGER NOT NULL, "d" INTEGER NOT NULL, PRIMARY KEY ("d", "a"), unique (a, c), ` +
			`constraint _fk_t_c foreign key (c) references p on delete restrict on update restrict) USING memory`,
		`CREATE INDEX "b_d" ON "main"."t" ("d" COLLATE BINARY DESC, (c + 1) COLLATE BINARY)`,
		`CREATE UNIQUE INDEX "uc" ON "main"."t" ("c" COLLATE BINARY)`,
		`CREATE INDEX "x" ON "main"."t" ((a + 1) COLLATE BINARY)`,
	}, FormatDefinition(s.Table))
	indexName := func(ix *Index) string { return ix.Name }
	require.Equal(t, []string{"bd"}, namesOf(s.RemovedUniques, func(u *Unique) string { return u.Name }))
	require.Equal(t, []string{"fb"}, namesOf(s.RemovedForeignKeys, func(f *ForeignKey) string { return f.Name }))
	require.Equal(t, []string{"only_b", "ub"}, namesOf(s.RemovedIndexes, indexName))
	require.Equal(t, []string{"b_d", "x"}, namesOf(s.NarrowedIndexes, indexName))
	require.Len(t, s.NarrowedIndexes[0].Members, 2)

	key := table.ShiftForDrop(3)
	require.Equal(t, []KeyColumn{{Column: 0}}, key.Table.Key.Columns)
}

func TestFoldLiteral(t *testing.T) {
	for text, want := range map[string]string{
		"5": "5", "-5": "-5", "+5": "5", "- -5": "5", "(1 + 2)": "3", "(1 + 2) * -3": "-9", "7 / 2": "3.5", "7 % 4": "3", "1 / 0": "null",
		"null": "null", "-null": "null", "true": "true", "true + 1": "2", "'x'": `"x"`, "'x' collate nocase": `"x"`, "x'00ff'": `{"$blob":"00ff"}`,
		"0x1F": "31", "12345678901234567890": "12345678901234567890", "-9223372036854775808": "-9223372036854775808", "1.50": "1.5", "1e3": "1000", "9e999": `{"$real":"Infinity"}`,
		"'a' || 'b'": "", "-'5'": "", "'2024-01-01' - '2023-01-01'": "", "upper('x')": "", "a": "", "(select 1)": "", "~1": "", "not true": "", "1 = 1": "", "1 + a": "",
	} {
		x, err := parse.Expr(ast.NewSource("", text))
		require.NoError(t, err, text)
		v, ok := FoldLiteral(x)
		require.Equal(t, want != "", ok, text)
		if ok {
			require.Equal(t, want, string(types.AppendWire(nil, v)), text)
		}
	}
}

func TestLiteralDefault(t *testing.T) {
	table := buildTable(t, "create table t (a integer default '42', b text default 5, c date null default null, d text default (upper('x')), e integer, f integer default (1 + 2))")
	var got []string
	for _, c := range table.Columns {
		v, ok, err := c.LiteralDefault()
		require.NoError(t, err)
		if !ok {
			got = append(got, "-")
			continue
		}
		got = append(got, string(types.AppendWire(nil, v)))
	}
	require.Equal(t, []string{"42", `"5"`, "null", "-", "-", "3"}, got)
}

func TestGeneratedOrder(t *testing.T) {
	table := buildTable(t, "create table t (c integer generated always as (b + 1), b integer generated always as (a + 1), a integer, z integer generated always as (c + b))")
	order, err := table.GeneratedOrder(func(i int) []int { return table.ColumnsRead(i, nil) })
	require.NoError(t, err)
	require.Equal(t, []int{1, 0, 3}, order)
}

func TestExpressionsOfIndexes(t *testing.T) {
	table := buildTable(t, "create table t (id integer primary key, a text null)")
	table = addIndex(t, table, "create index i on t (a, lower(a)) where a > 'x'")
	var got []string
	for e := range table.Expressions() {
		got = append(got, table.Describe(e))
	}
	require.Equal(t, []string{"Index expression lower(a) on table 't'", "Partial-index predicate on table 't'"}, got)
	for e := range table.Expressions() {
		require.Equal(t, 0, e.Index)
		require.Equal(t, 1, e.Member)
		break
	}
}
