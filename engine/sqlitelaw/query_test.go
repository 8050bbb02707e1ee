package sqlitelaw

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestQueryLaw: joins, subqueries, grouping, set operations, WITH, ORDER BY and LIMIT answer as SQLite does.
func TestQueryLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := start(t)
		defer b.end()
		g := &gen{T: t}
		g.setUp(b, 1+g.upTo(3), 8)
		for range perSchema() {
			sql, ordered := g.query()
			b.compare(sql, ordered)
		}
	})
}

// query is a whole query, and whether its order is settled.
func (g *gen) query() (sql string, ordered bool) {
	depth := 1 + g.upTo(3)
	sql, out := g.core(nil, depth, 0)
	if g.chance(25) {
		op := g.pick("union", "union all", "intersect", "except")
		legs := 1 + g.upTo(2)
		if op == "except" {
			legs = 1
		}
		for range legs {
			sql += " " + op + " " + g.like(out, depth)
		}
	}
	if g.chance(15) {
		g.alias++
		cols := []column{}
		name := fmt.Sprintf("w%d", g.alias)
		for i, k := range out {
			cols = append(cols, column{fmt.Sprintf("%s.c%d", name, i), k})
		}
		from := fmt.Sprintf("%s join %s y on y.c0 = %s.c0", name, name, name)
		if g.chance(50) {
			from = name
		}
		sql = fmt.Sprintf("with %s as (%s) select %s.c0 as c0 from %s where %s", name, sql, name, from, g.cond(cols, 1))
		out = out[:1]
	}
	if g.chance(60) {
		return sql, false
	}
	keys := make([]string, len(out))
	for i := range keys {
		keys[i] = fmt.Sprintf("%d %s nulls %s", i+1, g.pick("", "asc", "desc"), g.pick("first", "last"))
	}
	sql = fmt.Sprintf("select * from (%s) order by %s", sql, strings.Join(keys, ", "))
	if g.chance(60) {
		sql += fmt.Sprintf(" limit %d", g.upTo(6))
		if g.chance(30) {
			sql += fmt.Sprintf(" offset %d", g.upTo(3))
		}
	}
	return sql, true
}

// like is a SELECT with columns of the given kinds.
func (g *gen) like(out []kind, depth int) string {
	from, cols := g.from(nil, 0)
	items := make([]string, len(out))
	for i, k := range out {
		items[i] = g.expr(k, cols, min(depth, 1))
	}
	sql := "select " + named(items) + " from " + from
	if g.chance(50) {
		sql += " where " + g.cond(cols, 1)
	}
	return sql
}
