package sqlitelaw

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// kind is the type of a generated expression: comparisons stay within one.
type kind int

const (
	integer kind = iota
	float
	text
	kinds
)

// column is something a query may read, under its qualified name.
type column struct {
	name string
	kind kind
}

// gen makes schemas, rows and queries.
type gen struct {
	*rapid.T
	tables []string
	alias  int
}

func (g *gen) upTo(n int) int             { return rapid.IntRange(0, n-1).Draw(g.T, "n") }
func (g *gen) chance(percent int) bool    { return g.upTo(100) < percent }
func (g *gen) pick(list ...string) string { return list[g.upTo(len(list))] }

// columnsOf are the columns of a table under an alias. All tables have the same.
func columnsOf(alias string) []column {
	return []column{
		{alias + ".id", integer}, {alias + ".a", integer}, {alias + ".b", integer}, {alias + ".r", float}, {alias + ".s", text}, {alias + ".u", text},
	}
}

// setUp makes tables with rows and indexes.
func (g *gen) setUp(b *both, tables, rows int) {
	for i := range tables {
		name := fmt.Sprintf("t%d", i)
		g.tables = append(g.tables, name)
		b.do(
			"create table "+name+" (id integer primary key, a integer null, b integer null, r real null, s text null, u text null)",
			"create table "+name+" (id integer primary key, a integer, b integer, r real, s text, u text)",
		)
		if n := g.upTo(rows + 1); n > 0 {
			list := make([]string, n)
			for k := range list {
				list[k] = fmt.Sprintf("(%d, %s, %s, %s, %s, %s)", k+1, g.constant(integer), g.constant(integer), g.constant(float), g.constant(text), g.constant(text))
			}
			sql := "insert into " + name + " values " + strings.Join(list, ", ")
			b.do(sql, sql)
		}
		for k := range g.upTo(3) {
			sql := fmt.Sprintf("create index %s_i%d on %s (%s)", name, k, name, g.pick("a", "b", "r", "s", "a, b", "s, a", "b desc", "a, u", "s desc, b"))
			b.do(sql, sql)
		}
	}
}

// constant is a literal, at times NULL.
func (g *gen) constant(k kind) string {
	if g.chance(15) {
		return "null"
	}
	return g.literal(k)
}

func (g *gen) literal(k kind) string {
	switch k {
	case integer:
		return g.pick("-2", "-1", "0", "1", "2", "3", "7")
	case float:
		return g.pick("-1.5", "0.0", "0.5", "1.0", "2.25", "3.5")
	}
	return g.pick("''", "'a'", "'b'", "'ab'", "'A'", "'B'", "'zz'")
}

// expr is an expression of a kind over columns.
func (g *gen) expr(k kind, cols []column, depth int) string {
	var own []string
	for _, c := range cols {
		if c.kind == k {
			own = append(own, c.name)
		}
	}
	if depth <= 0 || g.chance(40) {
		if len(own) > 0 && g.chance(80) {
			return g.pick(own...)
		}
		return g.constant(k)
	}
	sub := func(k kind) string { return g.expr(k, cols, depth-1) }
	switch g.upTo(8) {
	case 0:
		return fmt.Sprintf("case when %s then %s else %s end", g.cond(cols, depth-1), sub(k), sub(k))
	case 1:
		return fmt.Sprintf("coalesce(%s, %s)", sub(k), sub(k))
	case 2:
		return fmt.Sprintf("nullif(%s, %s)", sub(k), sub(k))
	case 3:
		return fmt.Sprintf("(%s)", g.scalarQuery(k, cols, depth-1))
	}
	switch k {
	case integer:
		return g.integerExpr(sub, g.upTo(6))
	case float:
		return fmt.Sprintf("(%s %s %s)", sub(float), g.pick("+", "-", "*"), sub(g.number()))
	}
	return g.textExpr(sub, g.upTo(6))
}

func (g *gen) number() kind { return kind(g.upTo(2)) }

func (g *gen) integerExpr(sub func(kind) string, form int) string {
	switch form {
	case 0:
		return fmt.Sprintf("length(%s)", sub(text))
	case 1:
		return fmt.Sprintf("abs(%s)", sub(integer))
	case 2:
		return fmt.Sprintf("(- %s)", sub(integer))
	case 3:
		return fmt.Sprintf("(%s %% %s)", sub(integer), g.pick("2", "3", "7"))
	}
	return fmt.Sprintf("(%s %s %s)", sub(integer), g.pick("+", "-", "*"), sub(integer))
}

func (g *gen) textExpr(sub func(kind) string, form int) string {
	switch form {
	case 0:
		return fmt.Sprintf("%s(%s)", g.pick("upper", "lower", "trim"), sub(text))
	case 1:
		return fmt.Sprintf("substr(%s, %s)", sub(text), g.pick("1", "2", "-1"))
	case 2:
		return fmt.Sprintf("replace(%s, %s, %s)", sub(text), g.pick("'a'", "'b'"), sub(text))
	}
	return fmt.Sprintf("(%s || %s)", sub(text), sub(text))
}

// cond is a condition over columns.
func (g *gen) cond(cols []column, depth int) string {
	k := kind(g.upTo(int(kinds)))
	x := func() string { return g.expr(k, cols, depth-1) }
	if depth > 0 {
		switch g.upTo(10) {
		case 0, 1:
			return fmt.Sprintf("(%s and %s)", g.cond(cols, depth-1), g.cond(cols, depth-1))
		case 2, 3:
			return fmt.Sprintf("(%s or %s)", g.cond(cols, depth-1), g.cond(cols, depth-1))
		case 4:
			return fmt.Sprintf("(not %s)", g.cond(cols, depth-1))
		case 5:
			return fmt.Sprintf("(coalesce(%s, %s) %s (%s))", x(), g.literal(k), g.pick("in", "not in"), g.scalarList(k, cols, depth-1))
		case 6:
			return fmt.Sprintf("(%s (%s))", g.pick("exists", "not exists"), g.scalarList(k, cols, depth-1))
		}
	}
	switch g.upTo(6) {
	case 0:
		return fmt.Sprintf("(%s is %snull)", x(), g.pick("", "not "))
	case 1:
		return fmt.Sprintf("(%s %sbetween %s and %s)", x(), g.pick("", "not "), x(), x())
	case 2:
		return fmt.Sprintf("(%s %sin (%s, %s))", x(), g.pick("", "not "), x(), x())
	case 3:
		return fmt.Sprintf("(%s is %s%s)", x(), g.pick("", "not "), x())
	}
	return fmt.Sprintf("(%s %s %s)", x(), g.pick("=", "=", "<", "<=", ">", ">=", "<>"), x())
}

// source is a table under a new alias, or a derived table.
func (g *gen) source(depth int) (sql string, cols []column) {
	g.alias++
	alias := fmt.Sprintf("x%d", g.alias)
	if depth > 0 && g.chance(25) {
		inner, kinds := g.core(nil, depth-1, 0)
		for i, k := range kinds {
			cols = append(cols, column{fmt.Sprintf("%s.c%d", alias, i), k})
		}
		return fmt.Sprintf("(%s) %s", inner, alias), cols
	}
	return g.pick(g.tables...) + " " + alias, columnsOf(alias)
}

// from is a FROM clause of up to four sources, with their columns and then those of enclosing queries.
func (g *gen) from(outer []column, depth int) (sql string, cols []column) {
	sql, cols = g.source(depth)
	for range g.upTo(4) {
		if g.chance(40) {
			break
		}
		next, more := g.source(depth)
		join := g.pick("join", "left join", "cross join", ",", "join", "left join", "right join", "full join")
		cols = append(cols, more...)
		switch join {
		case ",", "cross join":
			sql += " " + join + " " + next
		default:
			sql += fmt.Sprintf(" %s %s on %s", join, next, g.joinCond(cols, more, depth))
		}
	}
	return sql, append(cols, outer...)
}

// joinCond is a join's condition: mostly an equality between the new source and those before.
func (g *gen) joinCond(all, fresh []column, depth int) string {
	if g.chance(25) {
		return g.cond(all, min(depth, 1))
	}
	r := fresh[g.upTo(len(fresh))]
	for range 5 {
		if l := all[g.upTo(len(all))]; l.kind == r.kind {
			sql := l.name + " = " + r.name
			if g.chance(20) {
				sql += " and " + g.cond(all, 0)
			}
			return sql
		}
	}
	return r.name + " is not null"
}

// scalarQuery is a subquery of one column and at most one row.
func (g *gen) scalarQuery(k kind, outer []column, depth int) string {
	from, cols := g.from(outer, min(depth, 1))
	own := cols[:len(cols)-len(outer)]
	agg := g.pick("min", "max")
	if k == integer {
		agg = g.pick("min", "max", "sum", "count")
	}
	return fmt.Sprintf("select %s(%s) from %s where %s", agg, g.expr(k, own, 0), from, g.cond(cols, depth))
}

// scalarList is a subquery of one column.
func (g *gen) scalarList(k kind, outer []column, depth int) string {
	from, cols := g.from(outer, min(depth, 1))
	sql := fmt.Sprintf("select %s from %s", g.expr(k, cols, depth), from)
	if g.chance(70) {
		sql += " where " + g.cond(cols, depth)
	}
	return sql
}

// core is a SELECT whose columns are named c0, c1, …; width 0 leaves their number open.
func (g *gen) core(outer []column, depth, width int) (sql string, out []kind) {
	if width == 0 {
		width = 1 + g.upTo(4)
	}
	from, cols := g.from(outer, depth)
	where := ""
	if g.chance(70) {
		where = " where " + g.cond(cols, depth)
	}
	items := make([]string, width)
	if g.chance(30) {
		return g.grouped(from+where, cols, depth, items)
	}
	for i := range items {
		k := kind(g.upTo(int(kinds)))
		items[i], out = g.expr(k, cols, depth), append(out, k)
	}
	return "select " + g.pick("", "", "", "distinct ") + named(items) + " from " + from + where, out
}

func named(items []string) string {
	out := make([]string, len(items))
	for i, x := range items {
		out[i] = fmt.Sprintf("%s as c%d", x, i)
	}
	return strings.Join(out, ", ")
}

// grouped is a grouped SELECT over keys and aggregates.
func (g *gen) grouped(from string, cols []column, depth int, items []string) (sql string, out []kind) {
	var keys []string
	var keyCols []column
	for range g.upTo(3) {
		c := cols[g.upTo(len(cols))]
		keys, keyCols = append(keys, c.name), append(keyCols, c)
	}
	having := ""
	for i := range items {
		if len(keyCols) > 0 && g.chance(40) {
			c := keyCols[g.upTo(len(keyCols))]
			items[i], out = c.name, append(out, c.kind)
			continue
		}
		x, k := g.aggregate(cols, depth)
		items[i], out = x, append(out, k)
	}
	if len(keys) > 0 && g.chance(30) {
		having = fmt.Sprintf(" having count(*) %s %s", g.pick("=", ">", "<="), g.literal(integer))
	}
	if len(keys) == 0 { // at least one aggregate makes it a group
		items[0], out[0] = "count(*)", integer
	}
	sql = "select " + named(items) + " from " + from
	if len(keys) > 0 {
		sql += " group by " + strings.Join(keys, ", ") + having
	}
	return sql, out
}

// aggregate is a call of an aggregate over columns.
func (g *gen) aggregate(cols []column, depth int) (sql string, k kind) {
	filter := ""
	if g.chance(15) {
		filter = fmt.Sprintf(" filter (where %s)", g.cond(cols, 0))
	}
	distinct := g.pick("", "", "distinct ")
	switch g.upTo(6) {
	case 0:
		return "count(*)" + filter, integer
	case 1:
		return fmt.Sprintf("count(%s%s)", distinct, g.expr(kind(g.upTo(int(kinds))), cols, depth)) + filter, integer
	case 2:
		return fmt.Sprintf("sum(%s%s)", distinct, g.expr(integer, cols, depth)) + filter, integer
	case 3:
		return fmt.Sprintf("%s(%s%s)", g.pick("avg", "total"), distinct, g.expr(g.number(), cols, depth)) + filter, float
	}
	k = kind(g.upTo(int(kinds)))
	return fmt.Sprintf("%s(%s)", g.pick("min", "max"), g.expr(k, cols, depth)) + filter, k
}
