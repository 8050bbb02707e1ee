package engine_test

import (
	"fmt"
	"strings"
)

// queryGen draws queries: joins of tables and of queries over them, with subqueries in their conditions, grouped, sorted and cut. Sources are
// named s1, s2, ….
type queryGen struct {
	*relGen
	n int
}

func (g *queryGen) source() (text string, r *rel) {
	base := g.rels[g.below(2)]
	g.n++
	r = base.as(fmt.Sprintf("s%d", g.n))
	from := "select * from " + base.name
	where := func() string { return " where " + g.predicate([]*rel{base}, 1) }
	query := g.pick("", "", "",
		from+where(), from+" order by "+g.members(base, 1, false)+", id limit "+fmt.Sprint(g.below(8)), "select distinct id, "+base.names()+" from "+base.name,
		from+where()+" union all "+from+where(), from+" except "+from+where())
	if query == "" {
		return base.name + " " + r.name, r
	}
	return "(" + query + ") " + r.name, r
}

// condition draws one over the rows of sources, that of the first with those of the others in particular.
func (g *queryGen) condition(rels []*rel, depth int) string {
	p := g.predicate(rels, 1)
	if depth > 0 && g.chance(30) {
		p = g.subquery(rels, depth-1) + g.pick("", " and "+g.predicate(rels, 0), " or "+g.predicate(rels, 0))
	}
	if len(rels) > 1 && g.chance(50) {
		x, typ := g.column(rels[0])
		return x + " = " + g.like(typ, rels[1:]...) + g.pick("", " and ("+p+")")
	}
	return p
}

// subquery draws a condition with a subquery that reads the rows of sources.
func (g *queryGen) subquery(rels []*rel, depth int) string {
	source, r := g.source()
	from := " from " + source + " where " + g.condition(append([]*rel{r}, rels...), depth)
	x, typ := g.operand(rels)
	x2, typ2 := g.column(rels...)
	y, y2 := g.like(typ, r), g.like(typ2, r)
	return g.pick(
		g.pick("", "not ")+"exists (select 1"+from+")",
		x+g.pick(" in ", " not in ")+"(select "+y+from+")",
		"(select count(*)"+from+g.pick("", " having count(*) > 1")+") "+g.pick(">", "=", "<")+" "+fmt.Sprint(g.below(3)),
		x+" = (select "+y+from+" order by "+y+g.pick("", " desc")+", "+r.name+".id limit 1)",
		"(select max("+r.name+".id)"+from+") "+g.pick("> ", "= ", "is ")+rels[0].name+".id",
		"("+x+", "+x2+")"+g.pick(" in ", " not in ")+"(select "+y+", "+y2+from+")",
	)
}

// query draws a query; ordered tells that its rows come in one order only.
func (g *queryGen) query() (sql string, ordered bool) {
	g.n = 0
	from, r := g.source()
	rels := []*rel{r}
	for range g.below(3) {
		from, rels = g.joined(from, rels)
	}
	if g.chance(70) {
		from += " where " + g.condition(rels, 2)
	}
	var ids []string
	for _, r := range rels {
		ids = append(ids, r.name+".id")
	}
	list := strings.Join(ids, ", ")
	x, _ := g.operand(rels)
	y, _ := g.column(rels...)
	switch g.below(6) {
	case 0:
		return "select count(*), min(" + ids[0] + "), sum(" + ids[len(ids)-1] + "), count(distinct " + y + "), count(" + y + ") filter (where " + g.predicate(rels, 0) +
			") from " + from + " group by " + x + g.pick("", " having count(*) > 1", " having count(*) < 3"), false
	case 1:
		return "select count(*), count(" + y + "), count(distinct " + y + "), group_concat(distinct " + ids[0] + " order by " + ids[0] + ") from " + from, false
	case 2:
		return "select " + list + " from " + from + " order by " + x + g.pick("", " desc", " nulls last", " desc nulls last") + ", " + list + g.pick("", " limit 3", " limit 2 offset 1"), true
	case 3:
		return "select " + list + ", " + g.subquery(rels, 1) + ", case when " + g.predicate(rels, 0) + " then 'y' else 'n' end from " + from, false
	case 4:
		return "select distinct " + ids[0] + ", " + g.predicate(rels, 1) + " from " + from, false
	}
	return "select * from " + from, false
}

// joined adds a source to those of a query.
func (g *queryGen) joined(from string, rels []*rel) (string, []*rel) {
	kind := g.pick("join", "join", "left join", "left join", "right join", "full join", "cross join", "lateral")
	if kind == "lateral" {
		base := g.rels[g.below(2)]
		g.n++
		r := base.as(fmt.Sprintf("s%d", g.n))
		query := "select * from " + base.name + " where " + g.condition(append([]*rel{base}, rels...), 0) + g.pick("", " order by "+base.name+".id limit 2")
		return from + g.pick(" join", " left join") + " lateral (" + query + ") " + r.name + " on " + g.pick("true", g.predicate(append([]*rel{r}, rels...), 0)), append(rels, r)
	}
	source, r := g.source()
	rels = append([]*rel{r}, rels...)
	from += " " + kind + " " + source
	if kind != "cross join" {
		from += " on " + g.condition(rels, 1)
	}
	return from, rels
}
