package foreign

import (
	"slices"
	"strings"
)

// ReadTable reads a CREATE TABLE. Errors say what was expected; clauses that are not known are skipped and listed.
func ReadTable(text string, d Dialect) (*Table, error) {
	r := newReader(text, d)
	if err := r.expect("create"); err != nil {
		return nil, err
	}
	for r.peek(0).IsAny("temp", "temporary", "unlogged", "global", "local", "foreign") {
		r.at++
	}
	if err := r.expect("table"); err != nil {
		return nil, err
	}
	r.take("if", "not", "exists")
	name, err := r.qualified()
	if err != nil {
		return nil, err
	}
	t := &Table{Name: name, Text: text}
	body, err := r.group()
	if err != nil {
		return nil, err
	}
	for _, item := range split(body) {
		if err := r.within(item).item(t); err != nil {
			return nil, err
		}
	}
	r.options(t, d)
	t.settle(d)
	return t, nil
}

// ReadAlter carries an ALTER TABLE out on the table that find gives for its name: what it adds, and which column it numbers. known is
// false for what has no place in the model; what only a server cares for (owners, storage) counts as known.
func ReadAlter(text string, d Dialect, find func(string) *Table) (known bool, err error) {
	r := newReader(text, d)
	if !r.take("alter", "table") {
		return true, nil // owners and defaults of what is no table
	}
	r.take("if", "exists")
	r.take("only")
	name, err := r.qualified()
	if err != nil {
		return false, err
	}
	t := find(name)
	if t == nil {
		return true, nil // a view, a sequence
	}
	known = true
	for _, action := range split(r.tokens[r.at:]) {
		ok, err := r.within(action).alteration(t)
		if err != nil {
			return false, err
		}
		known = known && ok
	}
	t.settle(d)
	return known, nil
}

// alteration reads one action of an ALTER TABLE.
func (r *reader) alteration(t *Table) (known bool, err error) {
	switch {
	case r.take("add"):
		if r.take("column") {
			return true, r.column(t)
		}
		for !r.done() && err == nil {
			err = r.tableConstraint(t)
		}
		return true, err
	case r.take("alter"):
		r.take("column")
		name, err := r.name()
		c := t.Column(name)
		if err != nil || c == nil {
			return false, err
		}
		switch {
		case r.take("set", "default"):
			c.Default = r.tokens[r.at:]
			c.settleNumbering()
			return true, nil
		case r.take("add", "generated"):
			c.Numbered = true
			return true, nil
		case r.take("set", "not", "null"):
			c.NotNull = true
			return true, nil
		}
		return r.take("set", "statistics") || r.take("set", "storage"), nil
	case r.take("modify"):
		r.take("column")
		return true, r.modify(t)
	}
	return r.peek(0).IsAny("owner", "enable", "disable", "replica", "cluster", "set", "auto_increment", "convert", "engine"), nil
}

// modify reads MySQL's MODIFY, which says a column anew.
func (r *reader) modify(t *Table) error {
	var anew Table
	if err := r.column(&anew); err != nil {
		return err
	}
	c := anew.Columns[0]
	for i, old := range t.Columns {
		if equalFold(old.Name, c.Name) {
			t.Columns[i] = c
		}
	}
	return nil
}

// settleNumbering makes a numbered column of one whose default takes the next number of a sequence.
func (c *Column) settleNumbering() {
	if len(c.Default) > 0 && c.Default[0].Is("nextval") {
		c.Numbered, c.Default = true, nil
	}
}

// options reads what stands behind the columns.
func (r *reader) options(t *Table, d Dialect) {
	for !r.done() {
		switch {
		case r.take("without", "rowid"):
			t.WithoutRowid = true
		case r.take("strict"):
			t.Strict = true
		case d == MySQL && r.take("collate"):
			r.take("=")
			t.Collation = r.next().Text
		case r.take("inherits"), r.take("partition", "by"):
			t.Skipped = append(t.Skipped, r.written(r.tokens[r.at-1:]))
			r.at = len(r.tokens)
		default:
			r.at++
		}
	}
}

// settle says what the system takes for granted: what numbers rows, and that the key's columns are NOT NULL.
func (t *Table) settle(d Dialect) {
	for _, c := range t.Columns {
		c.settleNumbering()
		if strings.Contains(strings.ToLower(c.Type), "serial") && d == Postgres {
			c.Numbered = true
		}
	}
	if t.Key == nil || d == SQLite && !t.WithoutRowid && !t.Strict {
		return
	}
	for _, m := range t.Key.Members {
		if c := t.Column(m.Column); c != nil {
			c.NotNull = true
		}
	}
}

// item reads a column or a constraint of a table.
func (r *reader) item(t *Table) error {
	first := r.peek(0)
	isConstraint := first.IsAny("constraint", "primary", "unique", "check", "foreign", "exclude", "like") ||
		r.dialect == MySQL && first.IsAny("key", "index", "fulltext", "spatial")
	if isConstraint && first.Kind == Word && !r.looksLikeColumn() {
		for !r.done() {
			if err := r.tableConstraint(t); err != nil {
				return err
			}
		}
		return nil
	}
	return r.column(t)
}

// looksLikeColumn reports whether the word that begins a constraint is a column's name here.
func (r *reader) looksLikeColumn() bool {
	first, second := r.peek(0), r.peek(1)
	switch {
	case first.IsAny("check", "unique", "primary", "exclude"):
		return !second.Is("(") && !second.IsAny("key", "index", "using") && second.Kind != Quoted && r.dialect != MySQL
	case first.IsAny("key", "index"):
		return false
	case first.Is("like"):
		return !second.IsName() || r.dialect != Postgres
	}
	return false
}

// tableConstraint reads one constraint of a table. SQLite takes several without a comma between them.
func (r *reader) tableConstraint(t *Table) error {
	from := r.at
	var name string
	if r.take("constraint") && !r.peek(0).IsAny("primary", "unique", "check", "foreign") {
		var err error
		if name, err = r.name(); err != nil {
			return err
		}
	}
	switch {
	case r.take("primary", "key"):
		key, err := r.key(name)
		t.Key = key
		return err
	case r.take("unique"):
		if r.peek(0).IsAny("key", "index") {
			r.at++
		}
		if r.peek(0).IsName() && !r.peek(0).Is("nulls") {
			name, _ = r.name()
		}
		key, err := r.key(name)
		t.Uniques = append(t.Uniques, key)
		return err
	case r.take("check"):
		x, err := r.group()
		t.Checks = append(t.Checks, &Check{Name: name, X: x})
		r.skipCheckOptions()
		return err
	case r.take("foreign", "key"):
		if r.peek(0).IsName() {
			r.at++ // MySQL's name of the index
		}
		columns, err := r.names()
		if err != nil {
			return err
		}
		return r.references(t, name, columns)
	case r.dialect == MySQL && (r.take("key") || r.take("index")):
		return r.innerIndex(t)
	}
	r.at = len(r.tokens)
	t.Skipped = append(t.Skipped, r.written(r.tokens[from:]))
	return nil
}

func (r *reader) skipCheckOptions() {
	for r.take("no", "inherit") || r.take("not", "valid") || r.take("not", "enforced") {
	}
	if r.dialect == SQLite {
		r.conflict()
	}
}

// key reads the members of a key and what follows them.
func (r *reader) key(name string) (*Key, error) {
	for r.take("nulls", "not", "distinct") || r.take("nulls", "distinct") || r.take("using", "btree") || r.take("using", "hash") {
	}
	group, err := r.group()
	if err != nil {
		return nil, err
	}
	k := &Key{Name: name}
	for _, item := range split(group) {
		k.Members = append(k.Members, r.within(item).member())
	}
	k.Conflict = r.conflict()
	for !r.done() && !r.peek(0).IsAny("constraint", "primary", "unique", "check", "foreign") {
		r.at++ // options of storage, deferrability
	}
	return k, nil
}

// conflict reads ON CONFLICT.
func (r *reader) conflict() string {
	if !r.take("on", "conflict") {
		return ""
	}
	return strings.ToLower(r.next().Text)
}

// member reads a member of a key or an index.
func (r *reader) member() Member {
	var m Member
	x := r.until(func(t Token) bool { return t.IsAny("collate", "asc", "desc", "nulls") })
	if len(x) == 1 && (x[0].IsName() || x[0].Kind == String) {
		m.Column = x[0].Text
	} else if r.dialect == MySQL && len(x) > 1 && x[0].IsName() && x[1].Is("(") {
		m.Column, m.IsPrefix = x[0].Text, true
	} else {
		m.X = x
	}
	for !r.done() {
		switch {
		case r.take("collate"):
			m.Collation, _ = r.qualified()
		case r.take("desc"):
			m.Desc = true
		default:
			r.at++
		}
	}
	return m
}

func (r *reader) innerIndex(t *Table) error {
	ix := &Index{Table: t.Name}
	if r.peek(0).IsName() && !r.peek(0).Is("using") {
		ix.Name, _ = r.name()
	}
	key, err := r.key("")
	if err != nil {
		return err
	}
	ix.Members = key.Members
	t.Indexes = append(t.Indexes, ix)
	return nil
}

// references reads the parent's side of a foreign key.
func (r *reader) references(t *Table, name string, columns []string) error {
	if err := r.expect("references"); err != nil {
		return err
	}
	fk := &ForeignKey{Name: name, Columns: columns}
	var err error
	if fk.Parent, err = r.qualified(); err != nil {
		return err
	}
	if r.peek(0).Is("(") {
		if fk.ParentColumns, err = r.names(); err != nil {
			return err
		}
	}
	r.foreignKeyOptions(fk)
	t.ForeignKeys = append(t.ForeignKeys, fk)
	return nil
}

func (r *reader) foreignKeyOptions(fk *ForeignKey) {
	for {
		switch {
		case r.take("on", "delete"):
			fk.OnDelete = r.action()
		case r.take("on", "update"):
			fk.OnUpdate = r.action()
		case r.take("match"):
			fk.Match = strings.ToLower(r.next().Text)
		case r.take("not", "deferrable"):
			fk.Deferrable = false
		case r.take("deferrable"):
			fk.Deferrable = true
		case r.take("initially", "deferred"):
			fk.InitiallyDeferred = true
		case r.take("initially", "immediate"), r.take("not", "valid"):
		default:
			return
		}
	}
}

func (r *reader) action() string {
	first := strings.ToLower(r.next().Text)
	if first == "set" || first == "no" {
		return first + " " + strings.ToLower(r.next().Text)
	}
	return first
}

// columnClauses are the words that end the type of a column, or the value of its default.
var columnClauses = []string{
	"constraint", "primary", "not", "null", "unique", "check", "default", "collate", "references", "generated", "as", "autoincrement", "deferrable", "initially",
}

var mysqlClauses = []string{"auto_increment", "comment", "on", "character", "charset", "key", "virtual", "stored", "invisible", "visible", "storage", "column_format"}

func (r *reader) endsType(t Token) bool {
	if t.Kind != Word {
		return false
	}
	is := func(w string) bool { return t.Is(w) }
	return slices.ContainsFunc(columnClauses, is) || r.dialect == MySQL && slices.ContainsFunc(mysqlClauses, is)
}

// column reads a column.
func (r *reader) column(t *Table) error {
	name, err := r.name()
	if err != nil {
		return err
	}
	c := &Column{Name: name}
	if !r.done() && !r.endsType(r.peek(0)) {
		c.Type = r.typeName(r.until(r.endsType))
	}
	t.Columns = append(t.Columns, c)
	for !r.done() {
		if err := r.clause(t, c); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) typeName(tokens []Token) string {
	text := r.written(tokens)
	if len(tokens) == 1 {
		text = tokens[0].Text // without quotes
	}
	return strings.Join(strings.Fields(text), " ")
}

// clause reads one clause of a column.
func (r *reader) clause(t *Table, c *Column) error {
	name := ""
	if r.take("constraint") {
		var err error
		if name, err = r.name(); err != nil || r.done() {
			return err
		}
	}
	switch {
	case r.take("not", "null"):
		c.NotNull = true
		r.conflict()
	case r.take("null"):
		r.conflict()
	case r.take("primary", "key"), r.dialect == MySQL && r.take("key"):
		t.Key = &Key{Name: name, AtColumn: true, Members: []Member{{Column: c.Name}}}
		if r.take("desc") {
			t.Key.Members[0].Desc = true
		}
		r.take("asc")
		t.Key.Conflict = r.conflict()
		c.Numbered = c.Numbered || r.take("autoincrement")
	case r.take("autoincrement"), r.take("auto_increment"):
		c.Numbered = true
	case r.take("unique"):
		r.take("key")
		t.Uniques = append(t.Uniques, &Key{Name: name, AtColumn: true, Members: []Member{{Column: c.Name}}, Conflict: r.conflict()})
	case r.take("check"):
		x, err := r.group()
		t.Checks = append(t.Checks, &Check{Name: name, X: x, Column: c.Name})
		r.skipCheckOptions()
		return err
	case r.take("default"):
		c.Default = r.value()
	case r.take("collate"):
		var err error
		c.Collation, err = r.qualified()
		return err
	case r.peek(0).Is("references"):
		return r.references(t, name, []string{c.Name})
	case r.take("generated"), r.peek(0).Is("as"):
		return r.generated(t, c)
	case r.dialect == MySQL && (r.take("character", "set") || r.take("charset") || r.take("comment") || r.take("storage") || r.take("column_format")):
		r.at++
	case r.dialect == MySQL && r.take("on", "update"):
		c.OnUpdate = true
		r.value()
	case r.dialect == MySQL && (r.take("invisible") || r.take("visible") || r.take("virtual")):
	case r.dialect == MySQL && r.take("stored"):
		c.Stored = true
	case r.take("deferrable"), r.take("not", "deferrable"), r.take("initially", "deferred"), r.take("initially", "immediate"):
	default:
		from := r.at
		r.at++
		t.Skipped = append(t.Skipped, c.Name+" "+r.written(r.tokens[from:r.at]))
	}
	return nil
}

// value reads the value of a default: an expression in parentheses or up to the next clause.
func (r *reader) value() []Token {
	return r.until(func(t Token) bool { return r.endsType(t) && !r.followsCast() })
}

// followsCast reports whether the word at hand is a part of the type of a cast, as in 'x'::character varying.
func (r *reader) followsCast() bool {
	return r.dialect == Postgres && r.at > 0 && r.tokens[r.at-1].Is("::")
}

func (r *reader) generated(t *Table, c *Column) error {
	r.take("always")
	byDefault := r.take("by", "default")
	if err := r.expect("as"); err != nil {
		return err
	}
	if r.take("identity") {
		c.Numbered = true
		if r.peek(0).Is("(") {
			_, err := r.group()
			return err
		}
		return nil
	}
	if byDefault {
		return r.fault("expected identity")
	}
	var err error
	c.Generated, err = r.group()
	if r.take("stored") || r.take("persisted") {
		c.Stored = true
	}
	r.take("virtual")
	return err
}
