package catalog

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func describeChanges(changes []ObjectChange) []string {
	var out []string
	name := func(o Object) string {
		if o == nil {
			return "-"
		}
		i := o.object()
		return i.schema + "." + i.name
	}
	for _, c := range changes {
		out = append(out, fmt.Sprintf("%s %s > %s", c.Kind, name(c.Before), name(c.After)))
	}
	return out
}

func TestChanges(t *testing.T) {
	s := snapshotOf(t, `create table a (id integer primary key); create table b (id integer primary key); create table c (id integer primary key);
		create table temp.far (id integer primary key); create view v as select 1; create view w as select 2; create assertion x check (1 = 1)`)
	require.Empty(t, Changes(s, s))
	require.Empty(t, Changes(s, s.Edit().Done()))
	require.Equal(t, []string{
		"table - > main.a", "table - > main.b", "table - > main.c", "table - > temp.far", "view - > main.v", "view - > main.w", "assertion - > main.x",
	}, describeChanges(Changes(NewSnapshot(), s)))

	e := s.Edit()
	renamed := *s.Table("main", "a")
	renamed.Name = "Z"
	e.DropRelation("main", "a")
	e.PutTable(&renamed)
	e.DropRelation("main", "b")
	e.PutView(s.View("main", "v")) // put again, unchanged
	replaced := *s.View("main", "w")
	replaced.ID = e.NewID()
	e.PutView(&replaced)
	e.DropAssertion("main", "X")
	changed := s.Table("temp", "far").WithColumn(0, func(c *Column) { c.NotNull = false })
	e.PutTable(changed)

	changes := Changes(s, e.Done())
	require.Equal(t, []string{
		"table main.b > -", "table main.a > main.Z", "table temp.far > temp.far", "view main.w > -", "view - > main.w", "assertion main.x > -",
	}, describeChanges(changes))
	require.Same(t, changed, changes[2].After)
}
