package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine"
)

// namesGen draws queries in which names hide each other: two schemas have tables of one name, and aliases, members of WITH and columns come
// out of the same few words.
type namesGen struct {
	*rapid.T
	n int
}

func (g *namesGen) pick(words ...string) string { return rapid.SampledFrom(words).Draw(g.T, "word") }

func (g *namesGen) name() string   { return g.pick("t", "u", "v") }
func (g *namesGen) column() string { return g.pick("a", "b", "c", "d") }

func (g *namesGen) ref() string {
	return g.pick("", "", g.name()+".", g.name()+".", "s2."+g.name()+".") + g.column()
}

func (g *namesGen) more() bool {
	g.n--
	return g.n > 0
}

func (g *namesGen) source() string {
	alias := g.pick("", "", " as t", " as u", " as v")
	if g.more() && g.pick("", "", "q") != "" {
		return g.pick("", "lateral ") + "(" + g.query() + ")" + alias
	}
	return g.pick("", "", "main.", "s2.") + g.pick("t", "u") + alias
}

func (g *namesGen) condition() string {
	if !g.more() {
		return g.ref() + " = " + g.ref()
	}
	return g.pick(
		g.ref()+" is not "+g.ref(), "exists ("+g.query()+")", g.ref()+" in (select "+g.ref()+" from "+g.source()+")", "("+g.condition()+") or "+g.condition())
}

func (g *namesGen) core() string {
	from := g.source()
	for g.more() && g.pick("", "j") != "" {
		switch g.pick("comma", "on", "using", "natural") {
		case "comma":
			from += ", " + g.source()
		case "on":
			from += " left join " + strings.TrimPrefix(g.source(), "lateral ") + " on " + g.condition()
		case "using":
			from += " join " + strings.TrimPrefix(g.source(), "lateral ") + " using (" + g.column() + ")"
		default:
			from += " natural join " + strings.TrimPrefix(g.source(), "lateral ")
		}
	}
	items := g.pick("*", g.name()+".*", g.ref(), g.ref()+", "+g.ref(), g.ref()+" as "+g.column()+", "+g.ref(), "("+g.ref()+") + 1 as "+g.column()+", "+g.ref())
	text := "select " + items + " from " + from
	if g.pick("", "w") != "" {
		text += " where " + g.condition()
	}
	switch g.pick("", "", "group", "all") {
	case "group":
		key := g.ref()
		text = "select " + key + ", count(*) as " + g.column() + " from " + from + " group by " + key + g.pick("", " having "+g.ref()+" > 1")
	case "all":
		text = "select " + g.ref() + " as " + g.column() + ", " + g.ref() + " as " + g.column() + " from " + from + " group by all" + g.pick("", " having "+g.ref()+" > 1")
	}
	return text + g.pick("", "", " with schema s2, main", " with schema main, s2")
}

func (g *namesGen) query() string {
	text := g.core()
	if g.more() && g.pick("", "", "union") != "" {
		text = g.pick(text, "("+text+")") + " union all " + g.core()
	}
	if g.more() && g.pick("", "", "with") != "" {
		text = "with " + g.name() + g.pick("", " (a, b)") + " as (" + g.query() + ") " + text
	}
	return text
}

// view makes main.seen of the first query that the planner can bind. Few can be: their names are drawn blindly.
func (g *namesGen) view(s *session) (body string) {
	for range 60 {
		g.n = 9
		body = g.query()
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
			for i, table := range []string{"main.t (a, b)", "main.u (a, c)", "s2.t (a, c, d)", "s2.u (b, d)"} {
				name, columns, _ := strings.Cut(strings.Trim(table, ")"), " (")
				list := strings.Split(columns, ", ")
				s.exec(fmt.Sprintf("create table %s (%s integer, primary key (%s))", name, strings.Join(list, " integer, "), list[0]))
				for row := range 2 {
					var values []string
					for c := range list {
						values = append(values, fmt.Sprint(i*100+c*10+row+1))
					}
					s.exec("insert into " + name + " values (" + strings.Join(values, ", ") + ")")
				}
			}
			g := &namesGen{T: t}
			body := g.view(s)
			before := s.rows("select * from main.seen")
			rename := g.pick("main.t rename column a to ", "main.t rename column b to ", "main.u rename column a to ", "main.u rename column c to ",
				"s2.t rename column a to ", "s2.t rename column c to ", "s2.t rename column d to ", "s2.u rename column b to ", "s2.u rename column d to ") + g.pick("a", "b", "c", "d", "z")
			if g.pick("", "", "table") != "" {
				rename = g.pick("main.t", "main.u", "s2.t", "s2.u") + " rename to " + g.pick("t", "u", "v", "z")
			}
			if _, err := s.Exec(ctx, "alter table "+rename, engine.Params{}); err != nil {
				return
			}
			require.Equal(t, before, s.rows("select * from main.seen"), "%s\nafter: alter table %s", body, rename)
		})
	})
}
