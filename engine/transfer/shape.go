package transfer

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/transfer/foreign"
	"github.com/quereus/quereus-migrate/types"
)

// Options say what a schema is made of a source.
type Options struct {
	// Dates makes DATE and DATETIME of columns that are declared so and whose texts all are.
	Dates bool
	// Progress, when not nil, is told what is under way: rows of how many, 0 when nobody knows.
	Progress func(what string, rows, total int64)
}

// Schema is what becomes of a source.
type Schema struct {
	// Text is a schema file.
	Text   string
	Tables []*Table
	Notes  []Note
}

// Table is a table of the schema, with the one that its rows come from.
type Table struct {
	Name string
	// Columns are those that are filled; the last one takes the number of the row if Numbered is set.
	Columns  []string
	Numbered bool
	Rows     int64
	from     *foreign.Table
	// computed are the generated columns, which are compared only.
	computed []string
	draft    *draftTable
}

// draftTable is the text of a table in its parts.
type draftTable struct {
	name        string
	columns     []*draftColumn
	constraints []*clause
	indexes     []*clause
}

type draftColumn struct {
	name, typ string
	isNull    bool
	collation string
	key       string // primary key, with what belongs to it
	clauses   []*clause
}

// clause is a part of a definition that the schema can do without.
type clause struct {
	what string // for notes
	text string
	was  string // as it was
}

// shaping makes the schema.
type shaping struct {
	contents *Contents
	options  Options
	source   Source
	out      *Schema
	names    map[string]bool // of constraints and indexes, folded
	drafts   []*draftTable
	views    []*clause
	profiles map[*foreign.Table]*Profile
}

// Shape makes a schema of what a source holds. It reads all of its rows, since types go by the values too. What this dialect cannot hold
// is left out and noted. Errors: those of reading, ERROR for tables that cannot be told apart here.
func Shape(ctx context.Context, src Source, o Options) (*Schema, error) {
	contents, err := src.Contents(ctx)
	if err != nil {
		return nil, err
	}
	s := &shaping{contents: contents, options: o, source: src, out: &Schema{Notes: contents.Notes}, names: map[string]bool{}, profiles: map[*foreign.Table]*Profile{}}
	for _, ix := range contents.Indexes {
		s.names[types.Fold(ix.Name)] = true
	}
	read := int64(0)
	for _, t := range contents.Tables {
		if s.profiles[t], err = src.Profile(ctx, t); err != nil {
			return nil, err
		}
		if read += s.profiles[t].Rows; o.Progress != nil {
			o.Progress("looking at the rows", read, 0)
		}
	}
	for _, t := range contents.Tables {
		s.table(t, s.profiles[t])
	}
	for _, ix := range contents.Indexes {
		s.index(ix)
	}
	for _, v := range contents.Views {
		s.view(v)
	}
	return s.out, s.fit(ctx)
}

func (s *shaping) note(kind NoteKind, object, text, format string, args ...any) {
	s.out.Notes = append(s.out.Notes, Note{Kind: kind, Object: object, Message: fmt.Sprintf(format, args...), Text: text})
}

// render writes an expression that stands in a table.
func (s *shaping) render(t *foreign.Table, x []foreign.Token) string {
	return foreign.Render(x, s.contents.Dialect, func(name string) bool { return t.Column(name) != nil })
}

// table drafts a table.
func (s *shaping) table(t *foreign.Table, p *Profile) {
	d := &draftTable{name: t.Name}
	out := &Table{Name: t.Name, Rows: p.Rows, from: t, draft: d}
	for i, c := range t.Columns {
		d.columns = append(d.columns, s.column(t, c, &p.Columns[i]))
		if c.Generated == nil {
			out.Columns = append(out.Columns, c.Name)
		} else if s.contents.Dialect == foreign.SQLite { // dumps hold no values of theirs
			out.computed = append(out.computed, c.Name)
		}
	}
	s.key(t, p, d, out)
	if s.isCaseless(t) {
		s.note(Mapped, t.Name, "", "texts compare without case, as they do in MySQL: NOCASE, which does tell accents apart")
	}
	for _, c := range t.Columns {
		if isEnum(c.Type) {
			s.enum(t, d, c)
		}
	}
	for _, k := range t.Uniques {
		s.unique(t, d, k)
	}
	for _, c := range t.Checks {
		s.check(t, d, c)
	}
	for i, fk := range t.ForeignKeys {
		s.foreignKey(t, d, fk, p.Orphans[i])
	}
	if t.WithoutRowid {
		s.note(Mapped, t.Name, "", "WITHOUT ROWID says how rows lie, and is not needed: every table is ordered by its key")
	}
	if t.Strict {
		s.note(Mapped, t.Name, "", "STRICT is not needed: every column takes values of its type only")
	}
	for _, text := range t.Skipped {
		s.note(LeftOut, t.Name, text, "a clause that has no meaning here")
	}
	for _, ix := range t.Indexes {
		if ix.Name == "" {
			ix.Name = s.freshName(t.Name, memberNames(ix.Members), "index")
		}
		s.contents.Indexes = append(s.contents.Indexes, ix)
	}
	s.drafts = append(s.drafts, d)
	s.out.Tables = append(s.out.Tables, out)
}

func (s *shaping) column(t *foreign.Table, c *foreign.Column, p *ColumnProfile) *draftColumn {
	name := t.Name + "." + c.Name
	typ := typeOf(c, p, s.options.Dates)
	if isText(c.Default) && isNumeric(typ) {
		typ = "any"
		s.note(Changed, name, "", "declared %s and filled with texts by its default: its type is any", c.Type)
	} else if c.Type == "" && typ != "any" {
		s.note(Changed, name, "", "has no declared type and holds %s: its type is %s", p.holdings(), typ)
	} else if want := wanted(c.Type); want != "" && want != typ && typ != "date" && typ != "datetime" {
		s.note(Changed, name, "", "declared %s but holds %s: its type is %s", c.Type, p.holdings(), typ)
	}
	if (isDate(c.Type) || isDateTime(c.Type)) && typ == "text" {
		s.note(Mapped, name, "", "declared %s and kept as the text that it holds%s", c.Type, s.datesHint(c, p))
	}
	if p.IllFormed > 0 {
		s.note(Changed, name, "", "%s no UTF-8: what is ill-formed in them becomes U+FFFD", counted(p.IllFormed, "text is", "texts are"))
	}
	d := &draftColumn{name: c.Name, typ: typ, isNull: !c.NotNull, collation: s.collation(name, c.Collation)}
	if c.Collation == "" && typ == "text" && isWording(c.Type) && s.isCaseless(t) {
		d.collation = "nocase"
	}
	if s.contents.Dialect != foreign.SQLite && strings.ContainsRune(c.Type, '(') && typ != "integer" && !isEnum(c.Type) {
		s.note(Changed, name, "", "%s: length and digits are not enforced here", c.Type)
	}
	switch {
	case c.Generated != nil:
		text := "generated always as (" + s.render(t, c.Generated) + ")"
		if c.Stored {
			text += " stored"
		}
		d.clauses = append(d.clauses, &clause{"generated column", text, text})
		s.noteDivision(name, c.Generated)
	case c.Numbered || s.isRowid(t, c):
		d.clauses = append(d.clauses, &clause{"numbering", "default " + numbering(t.Name, c.Name), ""})
		if c.Numbered {
			s.note(Mapped, name, "", "rows without a value are numbered by a default: the greatest number so far and one")
		}
	case c.Default != nil:
		text := s.render(t, c.Default)
		d.clauses = append(d.clauses, &clause{"default", "default " + s.defaultOf(name, typ, text, c.Default), text})
	}
	if c.OnUpdate {
		s.note(LeftOut, name, "on update current_timestamp", "writes do not set it any more")
	}
	return d
}

// isNumeric reports whether a type would make a number of a text.
func isNumeric(typ string) bool {
	return typ == "integer" || typ == "real" || typ == "numeric" || typ == "boolean"
}

// isText reports whether a default gives a text that is no number.
func isText(x []foreign.Token) bool {
	if x = withoutParens(x); clockWord(x) != "" {
		return true
	}
	if len(x) != 1 {
		return false
	}
	switch t := x[0]; t.Kind {
	case foreign.String, foreign.Quoted:
		_, err := strconv.ParseFloat(strings.TrimSpace(t.Text), 64)
		return err != nil
	case foreign.Word:
		return !t.IsAny("null", "true", "false")
	}
	return false
}

func withoutParens(x []foreign.Token) []foreign.Token {
	for len(x) > 2 && x[0].Is("(") && x[len(x)-1].Is(")") {
		x = x[1 : len(x)-1]
	}
	return x
}

func (s *shaping) datesHint(c *foreign.Column, p *ColumnProfile) string {
	if p.Texts > 0 && (isDate(c.Type) && p.Dates == p.Texts || isDateTime(c.Type) && p.DateTimes == p.Texts) {
		return "; --dates makes a date of it"
	}
	return ""
}

// numbering is the default that gives a row the next number.
func numbering(table, column string) string {
	return fmt.Sprintf("(coalesce((select max(%s) from %s), 0) + mutation_ordinal())", ast.FormatName(column), ast.FormatName(table))
}

// isRowid reports whether a column is another name of SQLite's rowid.
func (s *shaping) isRowid(t *foreign.Table, c *foreign.Column) bool {
	return s.contents.Dialect == foreign.SQLite && !t.WithoutRowid && t.Key != nil && len(t.Key.Members) == 1 &&
		strings.EqualFold(t.Key.Members[0].Column, c.Name) && strings.EqualFold(c.Type, "integer") && !(t.Key.AtColumn && t.Key.Members[0].Desc)
}

// isCaseless reports whether texts of a table compare without case, which is what MySQL does unless it is told otherwise.
func (s *shaping) isCaseless(t *foreign.Table) bool {
	c := strings.ToLower(t.Collation)
	return s.contents.Dialect == foreign.MySQL && (c == "" || strings.HasSuffix(c, "_ci"))
}

// isWording reports whether a declared type is of texts that a collation orders.
func isWording(declared string) bool {
	d := strings.ToLower(declared)
	return strings.Contains(d, "char") || strings.Contains(d, "text") || isEnum(d) || strings.HasPrefix(d, "set")
}

// isEnum reports whether a declared type lists its values.
func isEnum(declared string) bool { return strings.HasPrefix(strings.ToLower(declared), "enum") }

// enum drafts the CHECK that an ENUM is here.
func (s *shaping) enum(t *foreign.Table, d *draftTable, c *foreign.Column) {
	words := foreign.Tokens(c.Type, s.contents.Dialect)
	if len(words) < 4 {
		return
	}
	name := s.freshName(t.Name, []string{c.Name}, "check")
	x := fmt.Sprintf("%s in %s", ast.FormatName(c.Name), foreign.Render(words[1:], s.contents.Dialect, nil))
	d.constraints = append(d.constraints, &clause{"CHECK " + name, fmt.Sprintf("constraint %s check (%s)", ast.FormatName(name), x), x})
	s.note(Mapped, t.Name+"."+c.Name, "", "the values of the ENUM are a CHECK")
}

// defaultOf adapts a default.
func (s *shaping) defaultOf(name, typ, text string, x []foreign.Token) string {
	x = withoutParens(x)
	if word := clockWord(x); word != "" {
		return s.clock(name, typ, word)
	}
	if len(x) == 1 {
		switch t := x[0]; {
		case t.Kind == foreign.Quoted, t.Kind == foreign.Word && !t.IsAny("null", "true", "false"):
			return string(ast.AppendString(nil, t.Text)) // a bare word is a text there
		}
	}
	if strings.HasPrefix(text, "(") || len(x) == 1 {
		return text
	}
	return "(" + text + ")"
}

// clockWord tells the default that is the time: current_timestamp, now(), current_timestamp(6).
func clockWord(x []foreign.Token) string {
	x = withoutParens(x)
	if len(x) == 0 || len(x) > 1 && !(x[1].Is("(") && (x[len(x)-1].Is(")") && len(x) <= 4)) {
		return ""
	}
	switch {
	case x[0].IsAny("current_timestamp", "localtimestamp"), x[0].IsAny("now") && len(x) > 1:
		return "current_timestamp"
	case x[0].IsAny("current_date", "curdate"):
		return "current_date"
	case x[0].IsAny("current_time", "curtime"):
		return "current_time"
	}
	return ""
}

// clock gives the default that writes the time as SQLite does.
func (s *shaping) clock(name, typ, word string) string {
	s.note(Changed, name, "", "the default %s varies: who inserts says pragma nondeterministic_schema = true", word)
	if typ == "date" || typ == "datetime" {
		return word
	}
	f := map[string]string{"current_timestamp": "datetime", "current_date": "date", "current_time": "time"}[word]
	return "(" + f + "('now', '+0 seconds'))"
}

// collation gives the name of a collation that is known here.
func (s *shaping) collation(name, collation string) string {
	switch strings.ToLower(collation) {
	case "", "binary", "c", "posix", "default":
		return ""
	case "nocase", "rtrim":
		return strings.ToLower(collation)
	}
	if strings.HasSuffix(strings.ToLower(collation), "_ci") {
		s.note(Changed, name, "", "collation %s is NOCASE here", collation)
		return "nocase"
	}
	s.note(Changed, name, "", "collation %s is not known here: texts compare by their code points", collation)
	return ""
}

// noteDivision tells that / gives fractions here.
func (s *shaping) noteDivision(object string, x []foreign.Token) {
	if slices.ContainsFunc(x, func(t foreign.Token) bool { return t.Is("/") }) {
		s.note(Changed, object, "", "/ of two integers gives a fraction here, and a whole number in %s", s.contents.Dialect)
	}
}

// freshName makes a name for a constraint that has none.
func (s *shaping) freshName(table string, columns []string, kind string) string {
	base := tidy(strings.Join(append(append([]string{table}, columns...), kind), "_"))
	name := base
	for n := 2; s.names[types.Fold(name)]; n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	s.names[types.Fold(name)] = true
	return name
}

// named gives the name of a constraint, a new one if it has none, or one that is the engine's or taken.
func (s *shaping) named(table, name string, columns []string, kind string) string {
	if name == "" || name[0] == '_' || s.names[types.Fold(name)] {
		return s.freshName(table, columns, kind)
	}
	s.names[types.Fold(name)] = true
	return name
}

// tidy makes a plain name.
func tidy(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' {
			return r
		}
		return '_'
	}, name)
	return strings.TrimLeft(name, "_0123456789")
}

func memberNames(members []foreign.Member) []string {
	var out []string
	for _, m := range members {
		if m.Column != "" {
			out = append(out, m.Column)
		}
	}
	return out
}
