package engine_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/resolve/resolvetest"
)

// view makes main.seen of the first query that the planner can bind. Few can be: their names are drawn blindly.
func seenView(g *resolvetest.Queries, s *session) (body string) {
	for range 60 {
		body = g.Query()
		if _, err := s.Exec(ctx, "create view main.seen as "+body, engine.Params{}); err == nil {
			return body
		}
	}
	g.Skip("no query can be bound")
	return ""
}

// TestViewsOutlastRenames: a view gives the same rows after a table or a column that it may name has another name, whatever else has that
// name: what a rename takes a name for is what the planner binds it to.
func TestViewsOutlastRenames(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		if h.durable {
			t.Skip("storage has no part in names")
		}
		rapid.Check(t, func(t *rapid.T) {
			s := &session{Conn: h.db.Conn(), t: t}
			defer s.Close()
			s.exec("begin; declare schema s2 { }; apply schema s2")
			defer s.exec("rollback")
			for i, name := range slices.Sorted(maps.Keys(resolvetest.Tables)) {
				list := resolvetest.Tables[name]
				s.exec(fmt.Sprintf("create table %s (%s integer, primary key (%s))", name, strings.Join(list, " integer, "), list[0]))
				for row := range 2 {
					var values []string
					for c := range list {
						values = append(values, fmt.Sprint(i*100+c*10+row+1))
					}
					s.exec("insert into " + name + " values (" + strings.Join(values, ", ") + ")")
				}
			}
			g := &resolvetest.Queries{T: t}
			body := seenView(g, s)
			before := s.rows("select * from main.seen")
			rename := g.Pick("main.t rename column a to ", "main.t rename column b to ", "main.u rename column a to ", "main.u rename column c to ",
				"s2.t rename column a to ", "s2.t rename column c to ", "s2.t rename column d to ", "s2.u rename column b to ", "s2.u rename column d to ") + g.Pick("a", "b", "c", "d", "z")
			if g.Pick("", "", "table") != "" {
				rename = g.Pick("main.t", "main.u", "s2.t", "s2.u") + " rename to " + g.Pick("t", "u", "v", "z")
			}
			if _, err := s.Exec(ctx, "alter table "+rename, engine.Params{}); err != nil {
				return
			}
			require.Equal(t, before, s.rows("select * from main.seen"), "%s\nafter: alter table %s", body, rename)
		})
	})
}

// TestPathOfACompound: WITH SCHEMA of the first leg holds for all legs of a compound, for a rename as for the planner.
func TestPathOfACompound(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		s := h.conn()
		s.exec("declare schema s2 { table t { a integer primary key } }; apply schema s2; create table t (a integer primary key)")
		s.exec("insert into t values (1); insert into s2.t values (2)")
		s.exec("create view v as (select a from t with schema s2, main) union all select a from t")
		before := s.rows("select * from v")
		s.exec("alter table s2.t rename column a to b")
		require.Equal(t, before, s.rows("select * from v"))
		s.exec("alter table main.t rename column a to c; alter table s2.t rename to u")
		require.Equal(t, before, s.rows("select * from v"))
	})
}
