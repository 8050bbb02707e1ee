package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine/resolve"
)

func TestNames(t *testing.T) {
	s := snapshotOf(t, `create table a (id integer primary key, "X y" text null); create view v as select *, id + 1 as n from a; create view w (p, q) as select 1, 2;
		create view temp.far as select * from v; create view loop1 as select * from loop2; create view loop2 as select * from loop1; create view dangling as select 1 as one, gone.* from gone`)
	n := NewNames(s, []string{MainSchema}, func(name string, args int) ([]string, bool) { return []string{name}, args == 1 })
	for view, want := range map[string][]string{
		"A": {"id", "X y"}, "v": {"id", "X y", "n"}, "w": {"p", "q"}, "loop1": {}, "dangling": {"one"},
	} {
		got, ok := n.Columns("main", view)
		require.True(t, ok, view)
		require.Equal(t, want, got, view)
	}
	got, ok := n.Columns("temp", "far")
	require.True(t, ok)
	require.Equal(t, []string{"id", "X y", "n"}, got)
	_, ok = n.Columns("main", "gone")
	require.False(t, ok)
	cols, aggregate := n.Function("f", 1)
	require.Equal(t, []string{"f"}, cols)
	require.True(t, aggregate)
	cols, aggregate = NewNames(s, nil, nil).Function("f", 1)
	require.Nil(t, cols)
	require.False(t, aggregate)

	table := buildTable(t, `create table a (id integer primary key, "X y" text null, check ("X y" > (select max(n) from v)))`)
	require.True(t, resolve.Mentions(table.Checks[0].X, n.RowHome(table, CheckExpression), "main", "v", "n"))
	require.True(t, resolve.Mentions(table.Checks[0].X, n.RowHome(table, CheckExpression), "main", "a", "x Y"))
	require.Equal(t, []string{"temp", "main"}, n.HomeOf("temp").Path)
	require.Equal(t, []string{"main"}, n.HomeOf("main").Path)
}
