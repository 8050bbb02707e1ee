package sqlitelaw

import (
	"fmt"
	"strings"
)

// windowQuery is a query with window calls over one table, whose id settles every order that must be settled.
func (g *gen) windowQuery() string {
	from, cols := g.pick(g.tables...)+" x", columnsOf("x")
	calls := make([]string, 1+g.upTo(3))
	for i := range calls {
		calls[i] = g.windowCall(cols)
	}
	where := ""
	if g.chance(30) {
		where = " where " + g.cond(cols, 1)
	}
	return fmt.Sprintf("select x.id, %s from %s%s", strings.Join(calls, ", "), from, where)
}

func (g *gen) windowCall(cols []column) string {
	k := kind(g.upTo(int(kinds)))
	x := g.expr(k, cols, 1)
	switch g.upTo(10) {
	case 0:
		return "row_number() over (" + g.partition(cols) + g.total() + ")"
	case 1:
		return g.pick("rank()", "dense_rank()", "percent_rank()", "cume_dist()") + " over (" + g.partition(cols) + g.order(cols) + ")"
	case 2:
		return fmt.Sprintf("ntile(%d) over (", 1+g.upTo(4)) + g.partition(cols) + g.total() + ")"
	case 3:
		return fmt.Sprintf("%s(%s%s) over (", g.pick("lag", "lead"), x, g.pick("", ", 1", ", 2", ", 0")) + g.partition(cols) + g.total() + ")"
	case 4:
		return g.pick("first_value("+x+")", "last_value("+x+")", "nth_value("+x+", 2)") + " over (" + g.partition(cols) + g.total() + " " + g.frame(true) + ")"
	}
	return g.windowAggregate(cols)
}

// windowAggregate is an aggregate over a frame. RANGE and GROUPS look at peers alone, so their order need not be settled.
func (g *gen) windowAggregate(cols []column) string {
	filter := ""
	if g.chance(15) {
		filter = fmt.Sprintf(" filter (where %s)", g.cond(cols, 0))
	}
	agg := g.pick("count(*)", "count(x.a)", "sum(x.a)", "sum(x.b)", "total(x.r)", "avg(x.a)", "avg(x.r)", "min(x.s)", "max(x.a)", "min(x.r)", "max(x.u)")
	window := g.partition(cols)
	switch g.upTo(4) {
	case 0:
		window += g.order(cols)
	case 1:
		window += "order by x." + g.pick("a", "b", "r") + g.pick("", " desc") + " nulls " + g.pick("first", "last") + " " + g.frame(false)
	default:
		window += g.total() + " " + g.frame(true)
	}
	return agg + filter + " over (" + window + ")"
}

func (g *gen) partition(cols []column) string {
	if g.chance(50) {
		return ""
	}
	return "partition by " + g.expr(kind(g.upTo(int(kinds))), cols, 1) + " "
}

// order is an order that leaves peers.
func (g *gen) order(cols []column) string {
	return "order by " + g.expr(kind(g.upTo(int(kinds))), cols, 1) + g.pick("", " desc") + " nulls " + g.pick("first", "last")
}

// total is an order without peers.
func (g *gen) total() string {
	return "order by x." + g.pick("a", "b", "r", "s") + g.pick("", " desc") + " nulls " + g.pick("first", "last") + ", x.id" + g.pick("", " desc")
}

// frame is a frame clause; RANGE with an offset wants one numeric key.
func (g *gen) frame(total bool) string {
	units := []string{"rows", "groups", "range"}
	unit := g.pick(units...)
	if total && unit == "range" {
		return "range between " + g.pick("unbounded preceding", "current row") + " and " + g.pick("current row", "unbounded following") + g.exclude()
	}
	if !total && unit == "rows" {
		unit = "groups"
	}
	n := g.pick("0", "1", "2", "3")
	m := g.pick("0", "1", "2", "3")
	return unit + " between " + g.pick(
		"unbounded preceding and current row", "unbounded preceding and "+n+" following", "unbounded preceding and "+n+" preceding",
		n+" preceding and current row", n+" preceding and "+m+" following", n+" preceding and "+m+" preceding",
		"current row and "+n+" following", "current row and unbounded following", n+" following and "+m+" following",
		n+" preceding and unbounded following", n+" following and unbounded following", "unbounded preceding and unbounded following",
	) + g.exclude()
}

func (g *gen) exclude() string {
	return g.pick("", "", "", " exclude no others", " exclude current row", " exclude group", " exclude ties")
}
