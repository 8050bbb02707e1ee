package engine_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// A world is a stock of logical tables and columns, of which each declaration shows some. What they hold are small integers, whatever the type,
// so that every retype can go through and a row can be compared with itself.
type world struct {
	*rapid.T
	tables []*worldTable
	views  []string
}

type worldTable struct {
	logical, name string
	columns       []*worldColumn
	unique, check string // logical columns, "" for none
	indexes       []string
	byKey         string // the logical column of the key beside id, "" for none
	rows          map[int]map[string]*int
	last          int // the highest id that was ever given
}

type worldColumn struct {
	logical, name, typ string
	null               bool
	value              *int // of the default, nil for none
}

func (g *world) chance(percent int) bool { return rapid.IntRange(0, 99).Draw(g.T, "chance") < percent }

func (g *world) pick(from ...string) string { return rapid.SampledFrom(from).Draw(g.T, "pick") }

// next draws a declaration that comes after before: some things go, some come, some change, some get another name, with a hint.
func (before *world) next() *world {
	g := &world{T: before.T}
	for i := range 3 {
		if g.chance(80) {
			g.tables = append(g.tables, g.table(fmt.Sprintf("t%d", i), before))
		}
	}
	for i, t := range g.tables {
		if g.chance(40) {
			g.views = append(g.views, fmt.Sprintf("view v%d as select id, %s from %s", i, t.columns[0].name, t.name))
		}
	}
	return g
}

func (g *world) table(logical string, before *world) *worldTable {
	old := before.find(logical)
	t := &worldTable{logical: logical, name: g.name(logical, old != nil, func() string { return old.name })}
	for i := range 5 {
		if i > 0 && !g.chance(70) {
			continue
		}
		t.columns = append(t.columns, g.column(fmt.Sprintf("c%d", i), old))
	}
	column := func() string { return t.columns[rapid.IntRange(0, len(t.columns)-1).Draw(g.T, "column")].logical }
	if g.chance(20) {
		t.unique = column()
	}
	if g.chance(30) {
		t.check = column()
	}
	if g.chance(20) {
		t.byKey = "c0"
	}
	for range rapid.IntRange(0, 2).Draw(g.T, "indexes") {
		t.indexes = append(t.indexes, column()+g.pick("", " desc"))
	}
	return t
}

// name keeps the name that a thing has, or gives it another.
func (g *world) name(logical string, there bool, old func() string) string {
	name := logical
	if there {
		name = old()
	}
	if g.chance(12) {
		return logical + g.pick("", "_a", "_b")
	}
	return name
}

func (g *world) column(logical string, in *worldTable) *worldColumn {
	old := in.column(logical)
	c := &worldColumn{logical: logical, name: g.name(logical, old != nil, func() string { return old.name })}
	if old != nil && !g.chance(30) {
		c.typ, c.null, c.value = old.typ, old.null, old.value
		return c
	}
	c.typ = g.pick("integer", "text", "real", "varchar(9)", "any")
	if logical == "c0" {
		c.typ = "integer" // it may serve in the key, which cannot be retyped
	}
	c.null = g.chance(60)
	if !c.null || g.chance(30) {
		n := rapid.IntRange(1, 3).Draw(g.T, "default")
		c.value = &n
	}
	return c
}

func (w *world) find(logical string) *worldTable {
	if i := slices.IndexFunc(w.tables, func(t *worldTable) bool { return t.logical == logical }); i >= 0 {
		return w.tables[i]
	}
	return nil
}

func (t *worldTable) column(logical string) *worldColumn {
	if t == nil {
		return nil
	}
	if i := slices.IndexFunc(t.columns, func(c *worldColumn) bool { return c.logical == logical }); i >= 0 {
		return t.columns[i]
	}
	return nil
}

// declaration spells the world out, with hints for what has another name than it had before.
func (w *world) declaration(before *world) string {
	items := slices.Clone(w.views)
	for _, t := range w.tables {
		items = append(items, t.declaration(before.find(t.logical)))
		for i, ix := range t.indexes {
			logical, direction, _ := strings.Cut(ix, " ")
			items = append(items, fmt.Sprintf("index ix_%s_%d on %s (%s %s, id)", t.logical, i, t.name, t.column(logical).name, direction))
		}
	}
	return "declare schema main {\n" + strings.Join(items, "\n") + "\n}"
}

func (t *worldTable) declaration(old *worldTable) string {
	parts := []string{"id integer"}
	for _, c := range t.columns {
		parts = append(parts, c.declaration(old.column(c.logical)))
	}
	if t.unique != "" {
		parts = append(parts, "constraint uq unique ("+t.column(t.unique).name+")")
	}
	if t.check != "" {
		parts = append(parts, "constraint ck check ("+t.column(t.check).name+" <> 99)")
	}
	key := "primary key (id)"
	if t.byKey != "" {
		key = "primary key (" + t.column(t.byKey).name + ", id)"
	}
	text := "table " + t.name + " { " + strings.Join(append(parts, key), ", ") + " }"
	if old != nil {
		text += hint(old.name, t.name)
	}
	return text
}

func (c *worldColumn) declaration(old *worldColumn) string {
	text := c.name + " " + c.typ
	if c.null {
		text += " null"
	} else {
		text += " not null"
	}
	if c.value != nil {
		text += fmt.Sprintf(" default %d", *c.value)
	}
	if old != nil {
		text += hint(old.name, c.name)
	}
	return text
}

func hint(old, name string) string {
	if old == name {
		return ""
	}
	return ` with tags ("quereus.previous_name" = '` + old + `')`
}

// inherit gives the rows that the migration from before keeps, and what they hold then.
func (w *world) inherit(before *world) {
	for _, t := range w.tables {
		t.rows = map[int]map[string]*int{}
		old := before.find(t.logical)
		if old == nil {
			continue
		}
		t.last = old.last
		for id, row := range old.rows {
			t.rows[id] = map[string]*int{}
			for _, c := range t.columns {
				v := row[c.logical]
				if old.column(c.logical) == nil || v == nil && !c.null {
					v = c.value
				}
				t.rows[id][c.logical] = v
			}
		}
	}
}

// insert draws rows and gives the statements that insert them, one a row.
func (w *world) insert() []func() (sql string, took func()) {
	var out []func() (string, func())
	for _, t := range w.tables {
		for range rapid.IntRange(0, 3).Draw(w.T, "rows") {
			t.last++
			id := t.last
			row, names, values := map[string]*int{}, []string{"id"}, []string{fmt.Sprint(id)}
			for _, c := range t.columns {
				n := rapid.IntRange(0, 6).Draw(w.T, "value")
				row[c.logical] = &n
				literal := fmt.Sprint(n)
				switch {
				case n == 0 && c.null:
					row[c.logical], literal = nil, "null"
				case n == 1 && c.value != nil:
					row[c.logical] = c.value
					continue // the default
				}
				names, values = append(names, c.name), append(values, literal)
			}
			sql := fmt.Sprintf("insert into %s (%s) values (%s)", t.name, strings.Join(names, ", "), strings.Join(values, ", "))
			out = append(out, func() (string, func()) { return sql, func() { t.rows[id] = row } })
		}
	}
	return out
}

// content is the rows as a text, by id.
func (t *worldTable) content() string {
	var out []string
	ids := make([]int, 0, len(t.rows))
	for id := range t.rows {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		line := fmt.Sprint(id)
		for _, c := range t.columns {
			if v := t.rows[id][c.logical]; v != nil {
				line += fmt.Sprintf("|%d", *v)
			} else {
				line += "|-"
			}
		}
		out = append(out, line)
	}
	return strings.Join(out, " ")
}

// query reads what content says.
func (t *worldTable) query() string {
	items := []string{"id"}
	for _, c := range t.columns {
		items = append(items, "coalesce(cast(cast("+c.name+" as integer) as text), '-')")
	}
	return "select " + strings.Join(items, ", ") + " from " + t.name + " order by id"
}
