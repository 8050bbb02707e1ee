package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
)

// snapshotOf makes a snapshot of the objects that the statements create.
func snapshotOf(t require.TestingT, sql ...string) *Snapshot {
	e := NewSnapshot().Edit()
	env := testEnv()
	env.IDs = e
	for _, text := range sql {
		stmts, err := parse.Stmts(ast.NewSource("", text))
		require.NoError(t, err, text)
		for _, stmt := range stmts {
			putStmt(t, e, env, stmt)
		}
	}
	return e.Done()
}

func putStmt(t require.TestingT, e *Edit, env BuildEnv, stmt ast.Stmt) {
	switch n := stmt.(type) {
	case *ast.CreateTableStmt:
		table, err := BuildTable(n, env)
		require.NoError(t, err)
		e.PutTable(table)
	case *ast.CreateIndexStmt:
		table := e.Snapshot().Table(env.schemaOf(n.Table), n.Table.Name.Text)
		ix, err := BuildIndex(n, table, env)
		require.NoError(t, err)
		table = table.Clone()
		table.Indexes = append(table.Indexes, ix)
		e.PutTable(table)
	case *ast.CreateViewStmt:
		e.PutView(BuildView(n, env))
	case *ast.CreateAssertionStmt:
		e.PutAssertion(BuildAssertion(n, env))
	default:
		require.FailNow(t, "unexpected statement")
	}
}

func TestSnapshotLookups(t *testing.T) {
	s := snapshotOf(t, `create table Zeta (id integer primary key); create table alpha (id integer primary key, z integer references zeta (id), other integer references gone);
		create view v as select 1; create assertion a check (1 = 1); create index ix on ALPHA (z); create table temp.far (id integer primary key references main.zeta)`)
	require.Equal(t, "Zeta", s.Table("MAIN", "ZETA").Name)
	require.Nil(t, s.Table("main", "v"))
	require.Nil(t, s.View("main", "zeta"))
	require.NotNil(t, s.View("main", "V"))
	require.NotNil(t, s.Assertion("main", "A"))
	require.Equal(t, "alpha", s.Index("main", "IX").Table.Name)
	require.Nil(t, s.Relation("temp", "zeta"))
	require.Equal(t, s.Relation("temp", "far"), s.Resolve([]string{"main", "temp"}, "FAR"))
	require.Nil(t, s.Resolve([]string{"main"}, "far"))
	tables := func(list []*Table) []string { return namesOf(list, func(t *Table) string { return t.Name }) }
	require.Equal(t, []string{"Zeta", "alpha"}, tables(s.TablesInOrder("main")))
	require.Equal(t, []string{"alpha", "far"}, tables(s.Children("main", "zeta")))
	require.Equal(t, []string{"alpha"}, tables(s.Children("main", "GONE")))
	var byName []string
	for table := range s.Tables("main") {
		byName = append(byName, table.Name)
	}
	require.Equal(t, []string{"alpha", "Zeta"}, byName)
}

func TestEditLeavesItsOriginAlone(t *testing.T) {
	s := snapshotOf(t, "create table a (id integer primary key references b); create index i on a (id); create view v as select 1")
	before := string(NormalForm(s, MainSchema))
	e := s.Edit()
	e.DropRelation("main", "A")
	e.DropRelation("main", "v")
	e.AddSchema("Side")
	next := e.Done()

	require.Nil(t, next.Table("main", "a"))
	require.Nil(t, next.Index("main", "i"))
	require.Empty(t, next.Children("main", "b"))
	require.True(t, next.HasSchema("side"))
	require.Equal(t, before, string(NormalForm(s, MainSchema)))
	require.NotNil(t, s.Index("main", "i"))
	require.Len(t, s.Children("main", "b"), 1)
	require.False(t, s.HasSchema("side"))
}
