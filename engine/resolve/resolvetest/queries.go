// Package resolvetest draws queries that are hard on rules of names. Their schema is Tables.
package resolvetest

import (
	"strings"

	"pgregory.net/rapid"
)

// Tables are the tables that queries read, each with the names of its columns.
var Tables = map[string][]string{"main.t": {"a", "b"}, "main.u": {"a", "c"}, "s2.t": {"a", "c", "d"}, "s2.u": {"b", "d"}}

// Queries draws queries in which names hide each other: two schemas have tables of one name, and aliases, members of WITH and columns come
// out of the same few words. Few of them can be bound: their names are drawn blindly.
type Queries struct {
	*rapid.T
	n int // how much a query may still grow
}

// Pick draws one of some words.
func (g *Queries) Pick(words ...string) string { return rapid.SampledFrom(words).Draw(g.T, "word") }

func (g *Queries) name() string { return g.Pick("t", "u", "v") }

// Column draws the name of a column.
func (g *Queries) Column() string { return g.Pick("a", "b", "c", "d") }

func (g *Queries) ref() string {
	return g.Pick("", "", g.name()+".", g.name()+".", "s2."+g.name()+".") + g.Column()
}

func (g *Queries) more() bool {
	g.n--
	return g.n > 0
}

func (g *Queries) source() string {
	alias := g.Pick("", "", " as t", " as u", " as v")
	if g.more() && g.Pick("", "", "q") != "" {
		return g.Pick("", "lateral ") + "(" + g.query() + ")" + alias
	}
	return g.Pick("", "", "main.", "s2.") + g.Pick("t", "u") + alias
}

func (g *Queries) condition() string {
	if !g.more() {
		return g.ref() + " = " + g.ref()
	}
	return g.Pick(
		g.ref()+" is not "+g.ref(), "exists ("+g.query()+")", g.ref()+" in (select "+g.ref()+" from "+g.source()+")", "("+g.condition()+") or "+g.condition())
}

func (g *Queries) core() string {
	from := g.source()
	for g.more() && g.Pick("", "j") != "" {
		switch g.Pick("comma", "on", "using", "natural") {
		case "comma":
			from += ", " + g.source()
		case "on":
			from += " left join " + strings.TrimPrefix(g.source(), "lateral ") + " on " + g.condition()
		case "using":
			from += " join " + strings.TrimPrefix(g.source(), "lateral ") + " using (" + g.Column() + ")"
		default:
			from += " natural join " + strings.TrimPrefix(g.source(), "lateral ")
		}
	}
	items := g.Pick("*", g.name()+".*", g.ref(), g.ref()+", "+g.ref(), g.ref()+" as "+g.Column()+", "+g.ref(), "("+g.ref()+") + 1 as "+g.Column()+", "+g.ref())
	text := "select " + items + " from " + from
	if g.Pick("", "w") != "" {
		text += " where " + g.condition()
	}
	switch g.Pick("", "", "group", "all") {
	case "group":
		key := g.ref()
		text = "select " + key + ", count(*) as " + g.Column() + " from " + from + " group by " + key + g.Pick("", " having "+g.ref()+" > 1")
	case "all":
		text = "select " + g.ref() + " as " + g.Column() + ", " + g.ref() + " as " + g.Column() + " from " + from + " group by all" + g.Pick("", " having "+g.ref()+" > 1")
	}
	return text + g.Pick("", "", " with schema s2, main", " with schema main, s2")
}

// Query draws a query.
func (g *Queries) Query() string {
	g.n = 9
	return g.query()
}

func (g *Queries) query() string {
	text := g.core()
	if g.more() && g.Pick("", "", "union") != "" {
		text = g.Pick(text, "("+text+")") + " union all " + g.core()
	}
	if g.more() && g.Pick("", "", "with") != "" {
		text = "with " + g.name() + g.Pick("", " (a, b)") + " as (" + g.query() + ") " + text
	}
	return text
}
