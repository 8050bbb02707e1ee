package differ

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// schemaGen draws declarations over a small stock of names, so that two of them have much in common. Objects have logical names; what
// a logical name is spelled in a declaration is up to renames, which a later declaration gives to an earlier one.
type schemaGen struct {
	*rapid.T
	// spelled has the names of renamed objects: "t1", "t1.c3", "v0", "t1.ck0", "ix2".
	spelled map[string]string
	// before are the logical names that the declaration before has; a rename of one of them carries a hint.
	before map[string]bool
	// present collects those of this one.
	present map[string]bool
	columns map[string][]string // of tables, maintained tables and views, logical
}

const (
	tableStock  = 3
	columnStock = 6 // c0 and c1 are integers and serve keys; c4 and c5 are generated
)

// renamedPrefix begins the names of renamed objects.
const renamedPrefix = "new_"

func newSchemaGen(t *rapid.T, before map[string]bool) *schemaGen {
	return &schemaGen{T: t, spelled: map[string]string{}, before: before, present: map[string]bool{}, columns: map[string][]string{}}
}

func (g *schemaGen) chance(percent int, what string) bool {
	return rapid.IntRange(0, 99).Draw(g.T, what) < percent
}

func (g *schemaGen) pick(what string, from ...string) string {
	return rapid.SampledFrom(from).Draw(g.T, what)
}

// spell gives the name of a logical object, renaming it by chance, and the tags that say so.
func (g *schemaGen) spell(logical string) (name, tags string) {
	g.present[logical] = true
	plain := logical[strings.IndexByte(logical, '.')+1:]
	// An unnamed CHECK reads c0, so it must not go, as a renamed column does in the declaration behind the next.
	if g.before[logical] && plain != "c0" && g.chance(15, "rename "+logical) {
		g.spelled[logical] = renamedPrefix + plain
		return g.spelled[logical], fmt.Sprintf(` with tags ("quereus.previous_name" = '%s')`, plain)
	}
	if g.chance(10, "tag "+logical) {
		return plain, fmt.Sprintf(" with tags (k = %d)", rapid.IntRange(0, 2).Draw(g.T, "tag"))
	}
	return plain, ""
}

func (g *schemaGen) name(logical string) string {
	if s, ok := g.spelled[logical]; ok {
		return s
	}
	return logical[strings.IndexByte(logical, '.')+1:]
}

// col spells a column of a relation; one that comes through views has the name it has at its table.
func (g *schemaGen) col(relation, column string) string {
	if s, ok := g.spelled[relation+"."+column]; ok {
		return s
	}
	return column
}

// declaration draws a whole declaration.
func (g *schemaGen) declaration(schema string) string {
	var tables []string
	for i := range tableStock {
		if g.chance(75, "table") {
			tables = append(tables, fmt.Sprintf("t%d", i))
		}
	}
	items := g.tables(tables)
	items = append(items, g.queries(tables)...)
	for i := range 3 {
		if len(tables) > 0 && g.chance(60, "index") {
			items = append(items, g.index(fmt.Sprintf("ix%d", i), g.pick("table", tables...)))
		}
	}
	items = rapid.Permutation(items).Draw(g.T, "order")
	return "declare schema " + schema + " {\n" + strings.Join(items, ";\n") + "\n}"
}

func (g *schemaGen) tables(tables []string) []string {
	heads := map[string]string{}
	parts := map[string][]string{}
	for _, t := range tables {
		_, heads[t] = g.spell(t)
		g.drawColumns(t)
		for _, c := range g.columns[t] {
			_, heads[t+"."+c] = g.spell(t + "." + c)
		}
	}
	for _, t := range tables {
		for _, c := range g.columns[t] {
			parts[t] = append(parts[t], g.column(t, c, heads[t+"."+c]))
		}
		parts[t] = append(parts[t], "primary key ("+g.pick("key", g.col(t, "c0"), g.col(t, "c1"), g.col(t, "c1")+", "+g.col(t, "c0")+" desc")+")")
		parts[t] = append(parts[t], g.constraints(t, tables)...)
	}
	var items []string
	for _, t := range tables {
		items = append(items, "table "+g.name(t)+" { "+strings.Join(parts[t], ", ")+" }"+heads[t])
	}
	return items
}

func (g *schemaGen) drawColumns(t string) {
	list := []string{"c0", "c1"}
	for i := 2; i < columnStock; i++ {
		if g.chance(65, "column") {
			list = append(list, fmt.Sprintf("c%d", i))
		}
	}
	g.columns[t] = rapid.Permutation(list).Draw(g.T, "columns")
}

// column draws a definition.
func (g *schemaGen) column(t, c, tags string) string {
	name := g.col(t, c)
	switch c {
	case "c0", "c1":
		return name + " integer" + tags
	case "c4", "c5":
		return fmt.Sprintf("%s integer null generated always as (%s)%s%s", name, g.generated(t, c), g.pick("kind", "", " stored"), tags)
	}
	type shape struct{ typ, value string }
	s := rapid.SampledFrom([]shape{
		{"integer", "5"}, {"integer", "(new.c0 + 1)"}, {"text", "'x'"}, {"varchar(9)", "''"}, {"text collate nocase", "'y'"}, {"real", "1.5"}, {"any", "null"},
	}).Draw(g.T, "shape")
	def := name + " " + s.typ + g.pick("null", " null", " not null", "")
	if g.chance(50, "default") {
		def += " default " + strings.ReplaceAll(s.value, "c0", g.col(t, "c0"))
	}
	switch rapid.IntRange(0, 9).Draw(g.T, "inline") {
	case 0:
		def += " check (" + name + " is not null)"
	case 1:
		def += " unique"
	case 2:
		k, kt := g.spell(t + ".in" + c)
		def += " constraint " + k + " check (" + name + " <> 7)"
		if kt != "" {
			def += kt
		} else if tags != "" {
			def += " with tags ()"
		}
	}
	return def + tags
}

// generated draws the expression of a generated column: c5 may read c4.
func (g *schemaGen) generated(t, c string) string {
	from := []string{"c0", "c1"}
	for _, other := range g.columns[t] {
		if other == "c2" || other == "c4" && c == "c5" {
			from = append(from, other)
		}
	}
	return g.col(t, g.pick("reads", from...)) + g.pick("plus", " + 1", " * 2")
}

// plainColumns are those of a table that every expression may read.
func (g *schemaGen) anyColumn(t string) string { return g.col(t, g.pick("column", g.columns[t]...)) }

func (g *schemaGen) constraints(t string, tables []string) []string {
	var out []string
	add := func(logical, body string) {
		name, tags := g.spell(t + "." + logical)
		out = append(out, "constraint "+name+" "+body+tags)
	}
	if g.chance(50, "check") {
		add("ck0", "check ("+g.anyColumn(t)+" <> "+g.pick("literal", "3", "4")+")")
	}
	if g.chance(30, "reading check") {
		other := g.pick("other", tables...)
		add("ck1", fmt.Sprintf("check (%s >= (select min(%s) from %s))", g.col(t, "c0"), g.anyColumn(other), g.name(other)))
	}
	if g.chance(40, "unique") {
		add("uq0", "unique ("+g.anyColumn(t)+")")
	}
	if g.chance(40, "foreign key") {
		parent := g.pick("parent", tables...)
		add("fk0", fmt.Sprintf("foreign key (%s) references %s(%s)%s", g.col(t, g.pick("child", "c0", "c1")), g.name(parent), g.col(parent, g.pick("up", "c0", "c1")),
			g.pick("action", "", " on delete cascade")))
	}
	if g.chance(20, "unnamed") {
		out = append(out, "check ("+g.col(t, "c0")+" > "+g.pick("bound", "0", "1")+")")
	}
	return out
}

// queries draws views, materialized views, maintained tables and assertions over the tables and over each other.
func (g *schemaGen) queries(tables []string) []string {
	if len(tables) == 0 {
		return nil
	}
	sources := slices.Clone(tables)
	var items []string
	for i := range 3 {
		if !g.chance(65, "view") {
			continue
		}
		v := fmt.Sprintf("v%d", i)
		name, tags := g.spell(v)
		body, columns := g.body(g.pick("source", sources...))
		items = append(items, "view "+name+" as "+body+tags)
		g.publish(v, columns)
		sources = append(sources, v)
	}
	if g.chance(50, "materialized") {
		name, tags := g.spell("m0")
		body, columns := g.body(g.pick("source", sources...))
		items = append(items, "materialized view "+name+g.pick("using", "", " using memory (pages = 1)")+" as "+body+tags)
		g.publish("m0", columns)
		sources = append(sources, "m0")
	}
	if g.chance(40, "maintained") {
		t := g.pick("source", tables...)
		name, tags := g.spell("m1")
		k := g.pick("check", "", ", constraint mk check (c0 > 0)", ", constraint mk check (c0 > 1)")
		items = append(items, fmt.Sprintf("table %s (c0 integer primary key%s) maintained as select %s as c0 from %s%s%s",
			name, k, g.col(t, g.pick("key", "c0", "c1")), g.name(t), g.pick("where", "", " where 1 = 1"), tags))
	}
	for i := range 2 {
		if g.chance(40, "assertion") {
			items = append(items, fmt.Sprintf("assertion a%d check ((select count(*) from %s) < %s)", i, g.name(g.pick("source", sources...)), g.pick("bound", "9", "10")))
		}
	}
	return items
}

// publish notes the columns of a view under its own logical names, spelled as they come through.
func (g *schemaGen) publish(view string, columns []string) {
	for _, c := range columns {
		g.columns[view] = append(g.columns[view], c)
		g.spelled[view+"."+c] = c
	}
}

// body draws a query over one source and gives the names of its columns as spelled.
func (g *schemaGen) body(source string) (query string, columns []string) {
	var spelled []string
	for _, c := range g.columns[source] {
		spelled = append(spelled, g.col(source, c))
	}
	where := ""
	if g.chance(30, "where") {
		where = " where " + g.pick("filter", spelled...) + " > " + g.pick("bound", "1", "2")
	}
	if g.chance(20, "star") {
		return "select * from " + g.name(source) + where, spelled
	}
	n := rapid.IntRange(1, len(spelled)).Draw(g.T, "width")
	columns = rapid.Permutation(spelled).Draw(g.T, "items")[:n]
	return "select " + strings.Join(columns, ", ") + " from " + g.name(source) + where, columns
}

func (g *schemaGen) index(logical, t string) string {
	name, tags := g.spell(logical)
	members := g.anyColumn(t) + g.pick("direction", "", " desc")
	if g.chance(40, "second") {
		members += ", " + g.pick("form", g.col(t, "c0"), "("+g.col(t, "c1")+" + 1)")
	}
	where := ""
	if g.chance(25, "where") {
		where = " where " + g.anyColumn(t) + " is not null"
	}
	return g.pick("unique", "", "unique ") + "index " + name + " on " + g.name(t) + " (" + members + ")" + where + tags
}
