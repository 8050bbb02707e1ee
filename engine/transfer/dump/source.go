package dump

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/engine/transfer"
	"github.com/quereus/quereus-migrate/engine/transfer/foreign"
	"github.com/quereus/quereus-migrate/types"
)

// Source is a dump of PostgreSQL or MySQL. It satisfies transfer.Source.
type Source struct {
	name     string
	dialect  foreign.Dialect
	contents *transfer.Contents
	tables   map[string]*foreign.Table // by folded name
	rows     map[*foreign.Table][]segment
	enums    map[string]string // types of PostgreSQL, by folded name
}

// segment is a piece of the dump that holds rows.
type segment struct {
	columns []string // nil for all in their order
	text    string   // of an INSERT, from behind VALUES on; of a COPY its lines
	isCopy  bool
}

// New reads the definitions of a dump. CORRUPT for one that cannot be read, UNSUPPORTED for rows in another form than COPY and
// INSERT … VALUES.
func New(name, text string, d foreign.Dialect) (*Source, error) {
	s := &Source{name: name, dialect: d, contents: &transfer.Contents{Dialect: d}, tables: map[string]*foreign.Table{},
		rows: map[*foreign.Table][]segment{}, enums: map[string]string{}}
	split := splitter{text: text, dialect: d, end: ";"}
	for {
		st, ok := split.next()
		if !ok {
			break
		}
		if err := s.statement(st); err != nil {
			return nil, err
		}
	}
	for _, t := range s.contents.Tables {
		for _, c := range t.Columns {
			if enum, ok := s.enums[types.Fold(lastPart(c.Type))]; ok {
				c.Type = enum
			}
		}
	}
	return s, nil
}

func lastPart(name string) string {
	return strings.Trim(name[strings.LastIndexByte(name, '.')+1:], `"`)
}

// Name gives the file.
func (s *Source) Name() string { return s.name }

// Close does nothing.
func (s *Source) Close() error { return nil }

// Contents gives the definitions.
func (s *Source) Contents(context.Context) (*transfer.Contents, error) { return s.contents, nil }

// ignored are the statements that say nothing about schema or rows.
var ignored = []string{
	"set", "select", "begin", "start", "commit", "lock", "unlock", "use", "grant", "revoke", "drop", "analyze", "vacuum", "pragma", "reset", "comment", "checkpoint",
}

func (s *Source) statement(st statement) error {
	// The first words of an INSERT are enough to know it: it may be long.
	head := foreign.Tokens(st.text[:min(len(st.text), 200)], s.dialect)
	if len(head) == 0 || slices.ContainsFunc(ignored, head[0].Is) {
		return nil
	}
	switch {
	case head[0].IsAny("insert", "replace"):
		return s.insert(st.text)
	case head[0].Is("copy"):
		return s.copy(st)
	case head[0].Is("create"):
		return s.create(st.text, head)
	case head[0].Is("alter"):
		return s.alter(st.text)
	}
	s.leave(strings.ToLower(head[0].Text), "a statement that has no meaning here", st.text)
	return nil
}

func (s *Source) leave(object, message, text string) {
	s.contents.Notes = append(s.contents.Notes, transfer.Note{Kind: transfer.LeftOut, Object: object, Message: message, Text: strings.TrimSpace(text)})
}

func (s *Source) corrupt(what, text string, err error) error {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return types.Errorf(types.CORRUPT, "%s: %s cannot be read: %s: %.80s", s.name, what, err, line)
}

// create reads a CREATE of any kind.
func (s *Source) create(text string, head []foreign.Token) error {
	kind := slices.IndexFunc(head, func(t foreign.Token) bool {
		return t.IsAny("table", "index", "view", "trigger", "function", "procedure", "sequence", "type", "extension", "domain", "schema", "database", "event", "rule", "policy", "aggregate", "operator", "cast", "collation", "publication", "subscription")
	})
	if kind < 0 {
		s.leave("create", "a definition that has no meaning here", text)
		return nil
	}
	switch word := strings.ToLower(head[kind].Text); word {
	case "table":
		return s.createTable(text)
	case "index":
		ix, err := foreign.ReadIndex(text, s.dialect)
		if err != nil {
			return s.corrupt("an index", text, err)
		}
		s.contents.Indexes = append(s.contents.Indexes, ix)
	case "view":
		s.createView(text)
	case "type":
		s.createType(text)
	case "sequence", "schema", "database": // columns that are numbered say so themselves
	default:
		s.leave(nameIn(head[kind+1:], word), article(word)+": there are none here", text)
	}
	return nil
}

// nameIn gives the name that a definition begins with, or else what it is.
func nameIn(head []foreign.Token, what string) string {
	for i, t := range head {
		isSchema := i+1 < len(head) && head[i+1].Is(".")
		if t.IsName() && !isSchema && !t.IsAny("if", "not", "exists") {
			return t.Text
		}
	}
	return what
}

func article(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

func (s *Source) createTable(text string) error {
	t, err := foreign.ReadTable(text, s.dialect)
	if err != nil {
		return s.corrupt("a table", text, err)
	}
	key := types.Fold(t.Name)
	if s.tables[key] != nil {
		return types.Errorf(types.ERROR, "%s: table %s is there twice, perhaps in two schemas; dump one of them", s.name, t.Name)
	}
	s.tables[key] = t
	s.contents.Tables = append(s.contents.Tables, t)
	return nil
}

// createView reads a view. mysqldump writes each twice: the first time only its columns.
func (s *Source) createView(text string) {
	v, err := foreign.ReadView(text, s.dialect)
	if err != nil {
		s.leave("view", "a view that cannot be read: "+err.Error(), text)
		return
	}
	s.contents.Views = slices.DeleteFunc(s.contents.Views, func(w *foreign.View) bool { return strings.EqualFold(w.Name, v.Name) })
	s.contents.Views = append(s.contents.Views, v)
}

// createType keeps the words of an ENUM.
func (s *Source) createType(text string) {
	words := foreign.Tokens(text, s.dialect)
	for i, w := range words {
		if w.Is("enum") && i > 2 {
			s.enums[types.Fold(words[i-2].Text)] = "enum" + text[words[i+1].From:]
			return
		}
	}
	s.leave("type", "a type of its own: columns take what they hold", text)
}

func (s *Source) alter(text string) error {
	known, err := foreign.ReadAlter(text, s.dialect, func(name string) *foreign.Table { return s.tables[types.Fold(name)] })
	if err != nil {
		return s.corrupt("an ALTER TABLE", text, err)
	}
	if !known {
		s.leave("alter", "a statement that has no meaning here", text)
	}
	return nil
}

// insert notes where the rows of an INSERT stand.
func (s *Source) insert(text string) error {
	sc := foreign.NewScanner(text, s.dialect)
	var name string
	var columns []string
	depth := 0
	for {
		t := sc.Next()
		switch {
		case t.Kind == foreign.End, depth == 0 && t.IsAny("select", "with", "set", "default"):
			return types.Errorf(types.UNSUPPORTED, "%s: rows are read out of INSERT … VALUES and COPY only: %.80s", s.name, text)
		case t.IsAny("values", "value") && depth == 0:
			return s.add(name, segment{columns: columns, text: text[t.To:]})
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case depth > 0 && t.IsName():
			columns = append(columns, t.Text)
		case t.IsName() && !t.IsAny("insert", "replace", "into", "ignore", "low_priority", "delayed", "overriding", "system", "user"):
			name = t.Text
		}
	}
}

func (s *Source) copy(st statement) error {
	words := foreign.Tokens(st.text, s.dialect)
	var name string
	var columns []string
	depth := 0
	for _, t := range words[1:] {
		switch {
		case t.Is("from"):
			if strings.Contains(strings.ToLower(st.text), "binary") || strings.Contains(strings.ToLower(st.text), "csv") {
				return types.Errorf(types.UNSUPPORTED, "%s: COPY is read in its text form only: %.80s", s.name, st.text)
			}
			return s.add(name, segment{columns: columns, text: st.data, isCopy: true})
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case t.IsName() && depth > 0:
			columns = append(columns, t.Text)
		case t.IsName():
			name = t.Text
		}
	}
	return s.corrupt("a COPY", st.text, fmt.Errorf("expected from"))
}

func (s *Source) add(table string, g segment) error {
	t := s.tables[types.Fold(table)]
	if t == nil {
		return types.Errorf(types.CORRUPT, "%s: there are rows of table %s, whose definition is not there", s.name, table)
	}
	for _, c := range g.columns {
		if t.Column(c) == nil {
			return types.Errorf(types.CORRUPT, "%s: there are rows of table %s with a column %s that it has not", s.name, table, c)
		}
	}
	s.rows[t] = append(s.rows[t], g)
	return nil
}
