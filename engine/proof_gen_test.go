package engine_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// proofGen draws schemas over a small stock of names that are full of rules over one another: CHECKs also over other tables, foreign keys,
// uniqueness of every form, generated columns, views, assertions; and rows that break few of them.
type proofGen struct {
	*rapid.T
	before map[string]*proofTable // of the schema before, by logical name
	tables []*proofTable
	other  []string       // indexes, views, assertions
	last   map[string]int // the highest id that was ever given, by logical table
}

type proofTable struct {
	logical, name string
	columns       []*proofColumn
	key           []string // logical names
	conflict      string   // of the key
	rules         []string
	indexes       []string
}

type proofColumn struct {
	logical, name, typ, collation, null, fill, generated string
}

func (g *proofGen) chance(percent int) bool {
	return rapid.IntRange(0, 99).Draw(g.T, "chance") < percent
}

func (g *proofGen) pick(from ...string) string { return rapid.SampledFrom(from).Draw(g.T, "pick") }

// proofValues are literals of each type, with some that are equal under a collation or as another type.
var proofValues = map[string][]string{
	"integer": {"0", "1", "2", "7"},
	"text":    {"'1'", "'01'", "'x'", "'X'", "'x '", "'2'", "'2024-01-02'", "'true'"},
	"real":    {"1.0", "2.5", "2.0", "7.0"},
	"boolean": {"true", "false"},
	"date":    {"'2024-01-02'", "'2024-03-04'"},
	"json":    {"'1'", "'[1]'", "'\"x\"'"},
	"any":     {"1", "'1'", "'x'", "2.0"},
}

var proofTypes = []string{"integer", "text", "text", "real", "boolean", "date", "any"}

// next draws the schema behind another, nil for the first.
func (g *proofGen) next() *proofGen {
	n := &proofGen{T: g.T, before: map[string]*proofTable{}, last: g.last}
	for _, t := range g.tables {
		n.before[t.logical] = t
	}
	for i := range 2 {
		if i == 0 || n.chance(80) {
			n.tables = append(n.tables, n.table(fmt.Sprintf("t%d", i)))
		}
	}
	for i, t := range n.tables {
		n.addRules(i, t)
	}
	n.addOthers()
	return n
}

func (g *proofGen) table(logical string) *proofTable {
	old := g.before[logical]
	t := &proofTable{logical: logical, name: logical}
	if old != nil {
		t.name = old.name
		if g.chance(10) {
			t.name = g.pick(logical, logical+"_n")
		}
	}
	for _, c := range []string{"a", "b", "c", "d"} {
		if c == "a" || g.chance(75) {
			t.columns = append(t.columns, g.column(c, old))
		}
	}
	for i, c := range []string{"g", "h"} {
		if g.chance(45) {
			t.columns = append(t.columns, g.generated(c, t, i, old))
		}
	}
	t.conflict = g.pick("", "", " on conflict fail")
	t.key = []string{"id"}
	switch {
	case g.chance(15):
		t.key = []string{"a", "id"}
	case g.chance(10):
		t.key = []string{"a"}
	}
	return t
}

func (t *proofTable) column(logical string) *proofColumn {
	if t == nil {
		return nil
	}
	if i := slices.IndexFunc(t.columns, func(c *proofColumn) bool { return c.logical == logical }); i >= 0 {
		return t.columns[i]
	}
	return nil
}

func (g *proofGen) column(logical string, in *proofTable) *proofColumn {
	if old := in.column(logical); old != nil && g.chance(50) {
		c := *old
		return &c
	}
	c := &proofColumn{logical: logical, name: logical, typ: g.pick(proofTypes...), null: g.pick(" null", " null", " not null", "", " not null on conflict fail")}
	if old := in.column(logical); old != nil {
		c.name = old.name
		if g.chance(15) {
			c.name = g.pick(logical, logical+"_n")
		}
		if g.chance(50) {
			c.typ = old.typ
		}
	}
	if c.typ == "text" && g.chance(50) {
		c.collation = " collate " + g.pick("nocase", "rtrim", "binary")
	}
	if g.chance(60) {
		c.fill = g.pick(proofValues[c.typ]...)
	}
	return c
}

func (g *proofGen) generated(logical string, t *proofTable, i int, in *proofTable) *proofColumn {
	c := &proofColumn{logical: logical, name: logical, null: " null", typ: g.pick("text", "any", "integer")}
	if old := in.column(logical); old != nil {
		c.name, c.typ = old.name, old.typ
		if old.generated != "" && g.chance(60) {
			c.generated = g.spell(t, old.generated)
		}
	}
	if g.chance(15) {
		c.generated = "" // plain for once
		return c
	}
	if c.generated == "" {
		x := t.columns[rapid.IntRange(0, len(t.columns)-1).Draw(g.T, "column")]
		c.generated = g.pick("coalesce({"+x.logical+"}, 'none')", "{"+x.logical+"} || '!'", "{"+x.logical+"} = 'x'", "length({"+x.logical+"})", "{"+x.logical+"}")
	}
	return c
}

// spell leaves a text alone if the table still has the columns that it names, in braces; else there is none.
func (g *proofGen) spell(t *proofTable, text string) string {
	for _, c := range []string{"a", "b", "c", "d", "g", "h"} {
		if strings.Contains(text, "{"+c+"}") && t.column(c) == nil {
			return ""
		}
	}
	return text
}

// named puts the names of columns for the logical ones in braces.
func (t *proofTable) named(text string) string {
	for _, c := range t.columns {
		text = strings.ReplaceAll(text, "{"+c.logical+"}", c.name)
	}
	return text
}

func (g *proofGen) anyColumn(t *proofTable) *proofColumn {
	return t.columns[rapid.IntRange(0, len(t.columns)-1).Draw(g.T, "column")]
}

func (g *proofGen) anyTable() *proofTable {
	return g.tables[rapid.IntRange(0, len(g.tables)-1).Draw(g.T, "table")]
}

// test draws a condition over a row of t that most rows satisfy.
func (g *proofGen) test(t *proofTable, prefix string) string {
	x := prefix + g.anyColumn(t).name
	return g.pick(
		x+" <> "+g.pick("'x'", "'1'", "2", "true"), x+" is not null or "+prefix+"id < 4", "coalesce(length("+x+"), 0) < "+g.pick("3", "11"),
		x+" in ('x', '1', 1, 2, null)", "typeof("+x+") <> "+g.pick("'text'", "'integer'", "'real'"), x+" like '%' or "+x+" is null",
	)
}

func (g *proofGen) addRules(i int, t *proofTable) {
	add := func(name, body string) {
		if g.chance(30) {
			t.rules = append(t.rules, body)
		} else {
			t.rules = append(t.rules, "constraint "+name+" "+body)
		}
	}
	if g.chance(45) {
		add("k0", "check ("+g.test(t, "")+")")
	}
	if g.chance(20) {
		o := g.anyTable()
		add("k1", "check ((select count(*) from "+o.name+" as o where not ("+g.test(o, "o.")+")) < "+g.pick("1", "2")+")")
	}
	if g.chance(25) {
		add("u0", "unique ("+g.anyColumn(t).name+g.pick("", "", ", id")+")")
	}
	if g.chance(35) {
		o := g.anyTable()
		to := ""
		child := g.anyColumn(t).name
		if len(o.key) != 1 || g.chance(50) {
			to = "(" + g.pick("id", g.anyColumn(o).name) + ")"
		}
		if g.chance(30) {
			child = "id"
		}
		add("f0", "foreign key ("+child+") references "+o.name+to+g.pick("", "", " deferrable initially deferred"))
	}
	for j := range 2 {
		if g.chance(30) {
			c := g.anyColumn(t)
			member := g.pick(c.name, c.name+" collate nocase", "lower("+c.name+")", "coalesce("+c.name+", 1)")
			where := ""
			if g.chance(30) {
				where = " where " + g.pick(c.name+" is not null", c.name+" = 'x'", "id > 2")
			}
			t.indexes = append(t.indexes, fmt.Sprintf("%sindex i%d_%d on %s (%s%s)%s", g.pick("", "unique "), i, j, t.name, member, g.pick("", ", id"), where))
		}
	}
}

func (g *proofGen) addOthers() {
	for i := range 2 {
		if g.chance(40) {
			t := g.anyTable()
			g.other = append(g.other, fmt.Sprintf("view v%d as %s", i, g.pick("select * from "+t.name, "select id, "+g.anyColumn(t).name+" as x from "+t.name+" where "+g.test(t, ""))))
		}
		if g.chance(30) {
			t := g.anyTable()
			g.other = append(g.other, fmt.Sprintf("assertion s%d check ((select count(*) from %s where not (%s)) < %s)", i, t.name, g.test(t, ""), g.pick("1", "2", "3")))
		}
	}
}

// declaration spells the schema.
func (g *proofGen) declaration() string { return spelled(g.items()) }

// items spells what the schema holds, with hints for what had another name.
func (g *proofGen) items() []string {
	var items []string
	for _, t := range g.tables {
		old := g.before[t.logical]
		parts := []string{"id integer"}
		for _, c := range t.columns {
			text := c.name + " " + c.typ + c.collation + c.null
			if c.generated != "" {
				text += " generated always as (" + t.named(c.generated) + ")"
			} else if c.fill != "" {
				text += " default " + c.fill
			}
			if o := old.column(c.logical); o != nil {
				text += hint(o.name, c.name)
			}
			parts = append(parts, text)
		}
		var key []string
		for _, k := range t.key {
			if c := t.column(k); c != nil {
				k = c.name
			}
			key = append(key, k)
		}
		parts = append(append(parts, "primary key ("+strings.Join(key, ", ")+")"+t.conflict), t.rules...)
		text := "table " + t.name + " { " + strings.Join(parts, ", ") + " }"
		if old != nil {
			text += hint(old.name, t.name)
		}
		items = append(append(items, text), t.indexes...)
	}
	return append(items, g.other...)
}

// rows draws inserts; the database may refuse them.
func (g *proofGen) rows() []string {
	var out []string
	for _, t := range g.tables {
		for range rapid.IntRange(0, 4).Draw(g.T, "rows") {
			g.last[t.logical]++
			names, values := []string{"id"}, []string{fmt.Sprint(g.last[t.logical])}
			for _, c := range t.columns {
				switch {
				case c.generated != "" || c.fill != "" && g.chance(20):
					continue
				case c.null == " null" && g.chance(25):
					values = append(values, "null")
				default:
					values = append(values, g.pick(proofValues[c.typ]...))
				}
				names = append(names, c.name)
			}
			out = append(out, fmt.Sprintf("insert into %s (%s) values (%s)", t.name, strings.Join(names, ", "), strings.Join(values, ", ")))
		}
	}
	return out
}
