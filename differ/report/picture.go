package report

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
)

// Table is a table of the picture.
type Table struct {
	Name string
	// Verb is that of its change, "" for one that stays as it is.
	Verb    string
	Columns []Column
	// Parents are the tables that its foreign keys refer to.
	Parents []string
}

// Column is a column of a table of the picture.
type Column struct {
	Name, Type string
	IsKey      bool
	// Verb is that of its change, "" if it stays.
	Verb string
}

// Tables gives the tables of a schema that a report draws: those that change, and those which they refer to or are referred to by. Either
// catalog may be without the schema.
func Tables(before, after *catalog.Snapshot, schema string, changes []Change) []Table {
	verbs, was := map[string]string{}, map[string]string{}
	for i := range changes {
		if c := &changes[i]; c.Kind == "table" || c.Kind == "materialized view" {
			verbs[types.Fold(c.Name)] = c.Verb()
			if c.Was != "" {
				was[types.Fold(c.Name)] = c.Was
			}
		}
	}
	if len(verbs) == 0 {
		return nil
	}
	var all []Table
	for _, t := range tablesOf(after, schema) {
		old := before.Table(schema, t.Name)
		if name, ok := was[types.Fold(t.Name)]; ok {
			old = before.Table(schema, name)
		}
		all = append(all, newTable(t, old, verbs[types.Fold(t.Name)]))
	}
	for _, t := range tablesOf(before, schema) {
		if verbs[types.Fold(t.Name)] == "removed" && !slices.ContainsFunc(all, func(x Table) bool { return types.EqualFold(x.Name, t.Name) }) {
			all = append(all, newTable(t, t, "removed"))
		}
	}
	return around(all)
}

func tablesOf(cat *catalog.Snapshot, schema string) []*catalog.Table {
	return slices.DeleteFunc(slices.Clone(cat.TablesInOrder(schema)), (*catalog.Table).IsEngineManaged)
}

func newTable(t, old *catalog.Table, verb string) Table {
	out := Table{Name: t.Name, Verb: verb}
	for i, c := range t.Columns {
		col := Column{Name: c.Name, Type: strings.ToLower(c.Type.Name), IsKey: t.Key.Declared && t.InKey(i)}
		if verb != "" && old != nil && old != t {
			col.Verb = columnVerb(old, c)
		}
		out.Columns = append(out.Columns, col)
	}
	if verb != "" && old != nil && old != t {
		for _, c := range old.Columns {
			if t.ColumnIndex(c.Name) < 0 {
				out.Columns = append(out.Columns, Column{Name: c.Name, Type: strings.ToLower(c.Type.Name), Verb: "removed"})
			}
		}
	}
	for _, fk := range t.ForeignKeys {
		if fk.ParentSchema == "" && !slices.ContainsFunc(out.Parents, func(p string) bool { return types.EqualFold(p, fk.ParentTable) }) {
			out.Parents = append(out.Parents, fk.ParentTable)
		}
	}
	return out
}

func columnVerb(old *catalog.Table, c *catalog.Column) string {
	at := old.ColumnIndex(c.Name)
	if at < 0 {
		return "added"
	}
	if was := old.Columns[at]; was.Type != c.Type || was.NotNull != c.NotNull || was.Collation != c.Collation {
		return "changed"
	}
	return ""
}

// around leaves the tables that change and their neighbours.
func around(all []Table) []Table {
	near := map[string]bool{}
	for _, t := range all {
		for _, p := range t.Parents {
			at := slices.IndexFunc(all, func(x Table) bool { return types.EqualFold(x.Name, p) })
			if t.Verb != "" || at >= 0 && all[at].Verb != "" {
				near[types.Fold(t.Name)], near[types.Fold(p)] = true, true
			}
		}
	}
	return slices.DeleteFunc(all, func(t Table) bool { return t.Verb == "" && !near[types.Fold(t.Name)] })
}

// The measures of the picture, in pixels.
const (
	charWidth  = 7
	rowHeight  = 18
	boxPadding = 8
	boxGap     = 60
	stackGap   = 24
	// mostColumns is how many columns of a table are drawn; changed ones come first.
	mostColumns = 12
)

type box struct {
	*Table
	shown               []Column
	more                int
	x, y, width, height int
	level               int
}

// Picture draws tables and their foreign keys as SVG, parents to the left of children; "" for no tables.
func Picture(tables []Table) string {
	if len(tables) == 0 {
		return ""
	}
	boxes := make([]*box, len(tables))
	for i := range tables {
		boxes[i] = newBox(&tables[i])
	}
	setLevels(boxes)
	width, height := place(boxes)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="Tables that change, and their foreign keys">`, width, height, width, height)
	for _, child := range boxes {
		for _, p := range child.Parents {
			if parent := find(boxes, p); parent != nil {
				drawLine(&b, child, parent)
			}
		}
	}
	for _, x := range boxes {
		x.draw(&b)
	}
	b.WriteString("</svg>")
	return b.String()
}

func find(boxes []*box, name string) *box {
	if at := slices.IndexFunc(boxes, func(x *box) bool { return types.EqualFold(x.Name, name) }); at >= 0 {
		return boxes[at]
	}
	return nil
}

func newBox(t *Table) *box {
	x := &box{Table: t, shown: t.Columns}
	if len(t.Columns) > mostColumns {
		x.shown = slices.Clone(t.Columns)
		slices.SortStableFunc(x.shown, func(a, b Column) int { return rank(a) - rank(b) })
		x.shown, x.more = x.shown[:mostColumns], len(t.Columns)-mostColumns
	}
	chars := len([]rune(t.Name)) + 4
	for _, c := range x.shown {
		chars = max(chars, len([]rune(c.label())))
	}
	rows := len(x.shown) + 1
	if x.more > 0 {
		rows++
	}
	x.width, x.height = min(chars, 48)*charWidth+2*boxPadding, rows*rowHeight+boxPadding
	return x
}

func rank(c Column) int {
	switch {
	case c.Verb != "":
		return 0
	case c.IsKey:
		return 1
	}
	return 2
}

func (c Column) label() string {
	mark := map[string]string{"added": "+ ", "removed": "− ", "changed": "~ ", "": "  "}[c.Verb]
	if c.IsKey {
		return mark + c.Name + " " + c.Type + " ⚷"
	}
	return mark + c.Name + " " + c.Type
}

// setLevels puts children to the right of their parents. Tables that refer to each other in a circle stay where the walk meets them.
func setLevels(boxes []*box) {
	state := map[*box]int{} // 1 under way, 2 done
	var level func(x *box) int
	level = func(x *box) int {
		if state[x] != 0 {
			return x.level
		}
		state[x] = 1
		for _, p := range x.Parents {
			if parent := find(boxes, p); parent != nil && parent != x && state[parent] != 1 {
				x.level = max(x.level, level(parent)+1)
			}
		}
		state[x] = 2
		return x.level
	}
	for _, x := range boxes {
		level(x)
	}
}

// place gives each level a column, and each box a place in it.
func place(boxes []*box) (width, height int) {
	levels := 0
	for _, x := range boxes {
		levels = max(levels, x.level+1)
	}
	left := 1
	for l := range levels {
		widest, top := 0, 1
		for _, x := range boxes {
			if x.level == l {
				x.x, x.y = left, top
				top += x.height + stackGap
				widest = max(widest, x.width)
			}
		}
		height = max(height, top-stackGap+1)
		left += widest + boxGap
	}
	return left - boxGap + 1, height
}

func drawLine(b *strings.Builder, child, parent *box) {
	x1, y1 := child.x, child.y+rowHeight/2+boxPadding/2
	x2, y2 := parent.x+parent.width, parent.y+rowHeight/2+boxPadding/2
	if child.level <= parent.level { // in a circle, or itself
		x1, x2 = child.x+child.width, parent.x+parent.width
		fmt.Fprintf(b, `<path class="fk" d="M%d %d C%d %d %d %d %d %d"/>`, x1, y1+4, x1+boxGap/2, y1+4, x2+boxGap/2, y2-4, x2, y2-4)
		return
	}
	fmt.Fprintf(b, `<path class="fk" d="M%d %d C%d %d %d %d %d %d"/>`, x1, y1, x1-boxGap/2, y1, x2+boxGap/2, y2, x2, y2)
	fmt.Fprintf(b, `<circle class="end" cx="%d" cy="%d" r="3"/>`, x2, y2)
}

func (x *box) draw(b *strings.Builder) {
	class := "table " + x.Verb
	fmt.Fprintf(b, `<g class="%s"><title>%s</title><rect x="%d" y="%d" width="%d" height="%d" rx="4"/>`, strings.TrimSpace(class),
		html.EscapeString(strings.TrimSpace(x.Name+" "+x.Verb)), x.x, x.y, x.width, x.height)
	y := x.y + rowHeight
	text := func(class, s string) {
		if r := []rune(s); len(r) > 48 {
			s = string(r[:47]) + "…"
		}
		fmt.Fprintf(b, `<text class="%s" x="%d" y="%d" xml:space="preserve">%s</text>`, class, x.x+boxPadding, y-4, html.EscapeString(s))
		y += rowHeight
	}
	text("name", x.Name)
	for _, c := range x.shown {
		text(strings.TrimSpace("column "+c.Verb), c.label())
	}
	if x.more > 0 {
		text("column", fmt.Sprintf("  %d more", x.more))
	}
	b.WriteString("</g>")
}
