package transfer

import (
	"fmt"
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/transfer/foreign"
)

// rowNumber is the name of the key that a table gets whose rows need one.
const rowNumber = "rowid"

// key drafts the primary key. A table without one is ordered by all of its columns here, and rows that are equal in all of them get a
// number to tell them apart.
func (s *shaping) key(t *foreign.Table, p *Profile, d *draftTable, out *Table) {
	k := t.Key
	switch {
	case k == nil && !p.HasEqualRows:
		return
	case k == nil:
		s.numbered(t, d, out)
		s.note(Changed, t.Name, "", "has no key, and rows that are equal: column %s numbers them and is the key", out.Columns[len(out.Columns)-1])
		return
	case p.HasEqualKeys:
		s.numbered(t, d, out)
		s.note(Changed, t.Name, "", "its key has NULLs, which are equal in a key here: the key is UNIQUE, and column %s numbers the rows", out.Columns[len(out.Columns)-1])
		s.unique(t, d, k)
		return
	}
	for _, m := range k.Members {
		if c := t.Column(m.Column); c == nil || m.Collation != "" && !strings.EqualFold(m.Collation, orBinary(c.Collation)) {
			s.note(Changed, t.Name, "", "the key compares by the collations of its columns here")
		}
	}
	s.noteConflict(t.Name+" primary key", k.Conflict)
	if len(k.Members) == 1 {
		for _, c := range d.columns {
			if strings.EqualFold(c.name, k.Members[0].Column) {
				c.key = " primary key" + direction(k.Members[0].Desc) + onConflict(k.Conflict)
			}
		}
		return
	}
	d.constraints = append(d.constraints, &clause{"key", "primary key (" + columnList(k.Members, true) + ")" + onConflict(k.Conflict), ""})
}

func orBinary(collation string) string {
	if collation == "" {
		return "binary"
	}
	return collation
}

// numbered adds the column that numbers the rows.
func (s *shaping) numbered(t *foreign.Table, d *draftTable, out *Table) {
	name := rowNumber
	for n := 2; t.Column(name) != nil; n++ {
		name = fmt.Sprintf("%s_%d", rowNumber, n)
	}
	d.columns = append(d.columns, &draftColumn{name: name, typ: "integer", key: " primary key",
		clauses: []*clause{{"numbering", "default " + numbering(t.Name, name), ""}}})
	out.Columns, out.Numbered = append(out.Columns, name), true
}

func direction(desc bool) string {
	if desc {
		return " desc"
	}
	return ""
}

func onConflict(action string) string {
	if action == "" || action == "abort" {
		return ""
	}
	return " on conflict " + action
}

func (s *shaping) noteConflict(object, action string) {
	if action == "rollback" || action == "fail" {
		s.note(Mapped, object, "", "on conflict %s is kept", action)
	}
}

func columnList(members []foreign.Member, directed bool) string {
	var parts []string
	for _, m := range members {
		text := ast.FormatName(m.Column)
		if directed {
			text += direction(m.Desc)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

func nameList(names []string) string {
	var parts []string
	for _, n := range names {
		parts = append(parts, ast.FormatName(n))
	}
	return strings.Join(parts, ", ")
}

// unique drafts a UNIQUE. One with members of its own collations, or with expressions, is a unique index.
func (s *shaping) unique(t *foreign.Table, d *draftTable, k *foreign.Key) {
	name := s.named(t.Name, k.Name, memberNames(k.Members), "key")
	for _, m := range k.Members {
		if m.IsPrefix {
			s.note(Changed, t.Name+" "+name, "", "looks at the whole of %s here, and not only at its beginning", m.Column)
		}
		c := t.Column(m.Column)
		if c == nil || m.Collation != "" && !strings.EqualFold(m.Collation, orBinary(c.Collation)) {
			ix := &foreign.Index{Name: name, Table: t.Name, Unique: true, Members: k.Members}
			s.note(Mapped, t.Name+" "+name, "", "the UNIQUE is a unique index, which has collations of its own")
			s.contents.Indexes = append(s.contents.Indexes, ix)
			return
		}
	}
	text := fmt.Sprintf("constraint %s unique (%s)%s", ast.FormatName(name), columnList(k.Members, false), onConflict(k.Conflict))
	d.constraints = append(d.constraints, &clause{"UNIQUE " + name, text, text})
}

func (s *shaping) check(t *foreign.Table, d *draftTable, c *foreign.Check) {
	var columns []string
	if c.Column != "" {
		columns = []string{c.Column}
	}
	name := s.named(t.Name, c.Name, columns, "check")
	x := s.render(t, c.X)
	s.noteDivision(t.Name+" "+name, c.X)
	d.constraints = append(d.constraints, &clause{"CHECK " + name, fmt.Sprintf("constraint %s check (%s)", ast.FormatName(name), x), x})
}

func (s *shaping) foreignKey(t *foreign.Table, d *draftTable, fk *foreign.ForeignKey, orphans int64) {
	name := s.named(t.Name, fk.Name, fk.Columns, "fkey")
	text := fmt.Sprintf("constraint %s foreign key (%s) references %s", ast.FormatName(name), nameList(fk.Columns), ast.FormatName(fk.Parent))
	parent := fk.ParentColumns
	if parent == nil {
		for _, other := range s.contents.Tables {
			if strings.EqualFold(other.Name, fk.Parent) && other.Key != nil {
				parent = memberNames(other.Key.Members)
			}
		}
	}
	if parent != nil {
		text += "(" + nameList(parent) + ")"
	}
	for _, a := range []struct{ when, what string }{{"delete", fk.OnDelete}, {"update", fk.OnUpdate}} {
		if a.what != "" && a.what != "no action" && a.what != "restrict" {
			text += " on " + a.when + " " + a.what
		}
	}
	if fk.Deferrable && fk.InitiallyDeferred {
		text += " deferrable initially deferred"
	}
	if s.contents.Dialect != foreign.SQLite && (fk.Match == "full" || fk.Match == "partial") {
		s.note(Changed, t.Name+" "+name, "", "match %s is match simple here", fk.Match)
	}
	again := fmt.Sprintf("alter table %s add %s", ast.FormatName(t.Name), text)
	switch {
	case orphans > 0:
		s.note(Broken, t.Name+" "+name, again, "%s without a parent in %s: the foreign key is left out; mend the rows, then add it",
			counted(orphans, "row is", "rows are"), fk.Parent)
	case orphans < 0:
		s.note(Broken, t.Name+" "+name, again, "the foreign key does not fit its parent %s, and is left out", fk.Parent)
	default:
		d.constraints = append(d.constraints, &clause{"FOREIGN KEY " + name, text, text})
	}
}

func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// index drafts an index, behind its table.
func (s *shaping) index(ix *foreign.Index) {
	var t *foreign.Table
	var d *draftTable
	for i, out := range s.out.Tables {
		if strings.EqualFold(out.Name, ix.Table) {
			t, d = out.from, s.drafts[i]
		}
	}
	if t == nil {
		s.note(LeftOut, ix.Name, ix.Text, "an index on %s, which is not there", ix.Table)
		return
	}
	if ix.Method != "" && !strings.EqualFold(ix.Method, "btree") && !strings.EqualFold(ix.Method, "hash") {
		s.note(LeftOut, ix.Name, ix.Text, "%s indexes are not known here", ix.Method)
		return
	}
	var members []string
	for _, m := range ix.Members {
		members = append(members, s.member(t, ix, m))
	}
	text := "create "
	if ix.Unique {
		text += "unique "
	}
	text += fmt.Sprintf("index %s on %s (%s)", ast.FormatName(ix.Name), ast.FormatName(ix.Table), strings.Join(members, ", "))
	if ix.Where != nil {
		text += " where " + s.render(t, ix.Where)
	}
	d.indexes = append(d.indexes, &clause{"index " + ix.Name, text, ix.Text})
}

func (s *shaping) member(t *foreign.Table, ix *foreign.Index, m foreign.Member) string {
	text := ast.FormatName(m.Column)
	if m.Column == "" {
		text = s.render(t, m.X)
		if !isCall(m.X) && !strings.HasPrefix(text, "(") {
			text = "(" + text + ")"
		}
		s.noteDivision(ix.Name, m.X)
	}
	if m.Collation != "" {
		if c := s.collation(ix.Name, m.Collation); c != "" || strings.EqualFold(m.Collation, "binary") {
			text += " collate " + orBinary(c)
		}
	}
	return text + direction(m.Desc)
}

// isCall reports whether an expression is one call.
func isCall(x []foreign.Token) bool {
	if len(x) < 3 || x[0].Kind != foreign.Word || !x[1].Is("(") || !x[len(x)-1].Is(")") {
		return false
	}
	depth := 0
	for i, t := range x {
		if t.Is("(") {
			depth++
		}
		if t.Is(")") {
			depth--
			if depth == 0 && i < len(x)-1 {
				return false
			}
		}
	}
	return true
}

func (s *shaping) view(v *foreign.View) {
	text := "create view " + ast.FormatName(v.Name)
	if v.Columns != nil {
		text += " (" + nameList(v.Columns) + ")"
	}
	text += " as " + foreign.Render(v.Body, s.contents.Dialect, nil)
	if v.Materialized {
		s.note(Changed, v.Name, "", "a materialized view is a view here, computed when it is read")
	}
	s.views = append(s.views, &clause{"view " + v.Name, text, v.Text})
	s.noteDivision(v.Name, v.Body)
}
