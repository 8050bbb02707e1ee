package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// The normal form is the text of a schema under which equality is decided: two schemas are equal exactly when their
// normal forms are, byte by byte. It is made of the texts below, one a part, so that a comparison can say which part differs.
//
// Settings are resolved in it: types are logical types, nullability, collation and module are said. Names that the dialect folds
// are folded; those inside the bodies of views, maintained tables and assertions, and inside subqueries, count as written
// (docs/reference/declarative-schema.md). Constraints that nobody can address by name are told apart by what they say. What a comparison
// leaves alone is not in it: column order (but for the order of a key), conflict actions of the key and of NOT NULL, mutation contexts,
// deferrability, seeds; nor rename hints, nor tables that the engine manages, nor indexes of maintained tables, nor storage.

// ObjectKind tells the objects of a schema apart.
type ObjectKind uint8

// The kinds. A maintained table is a table.
const (
	TableKind ObjectKind = iota
	ViewKind
	AssertionKind
)

func (k ObjectKind) String() string { return [...]string{"table", "view", "assertion"}[k] }

// eachObject calls f for the objects of a schema that have a normal form, in its order.
func (s *Snapshot) eachObject(schema string, f func(Object)) {
	for t := range s.Tables(schema) {
		if !t.IsEngineManaged() {
			f(t)
		}
	}
	for v := range s.Views(schema) {
		f(v)
	}
	for a := range s.Assertions(schema) {
		f(a)
	}
}

// normalObject gives an object in normal form.
func normalObject(o Object) string {
	switch o := o.(type) {
	case *Table:
		return NormalTable(o)
	case *View:
		return normalLines("view "+normalName(o.Name), NormalView(o), NormalTags(o.Tags))
	case *Assertion:
		return normalLines("assertion "+normalName(o.Name), NormalAssertion(o))
	}
	return ""
}

// NormalForm gives a whole schema in normal form. The name of the schema is not part of it.
func NormalForm(s *Snapshot, schema string) []byte {
	var b []byte
	s.eachObject(schema, func(o Object) { b = append(b, normalObject(o)...) })
	return b
}

// Hash gives the identity of a schema: SHA-256 of its normal form, in hexadecimal.
func Hash(s *Snapshot, schema string) string {
	sum := sha256.New()
	s.eachObject(schema, func(o Object) { io.WriteString(sum, normalObject(o)) })
	return hex.EncodeToString(sum.Sum(nil))
}

// HashPair gives Hash of two states of a schema for little more than the price of one: objects that both share are put in normal form
// once.
func HashPair(before, after *Snapshot, schema string) (from, to string) {
	shared := map[Object]string{}
	sum := sha256.New()
	before.eachObject(schema, func(o Object) {
		text := normalObject(o)
		shared[o] = text
		io.WriteString(sum, text)
	})
	from = hex.EncodeToString(sum.Sum(nil))
	sum.Reset()
	after.eachObject(schema, func(o Object) {
		text, ok := shared[o]
		if !ok {
			text = normalObject(o)
		}
		io.WriteString(sum, text)
	})
	return from, hex.EncodeToString(sum.Sum(nil))
}

// NormalTable gives a table with everything that is its own.
func NormalTable(t *Table) string {
	lines := []string{"table " + normalName(t.Name)}
	if t.Maintained == nil || t.Maintained.Declared {
		lines = append(lines, normalColumns(t)...)
		lines = append(lines, "key "+NormalKey(t))
		lines = append(lines, normalConstraints(t)...)
	}
	if t.Maintained == nil {
		lines = append(lines, normalIndexes(t)...)
	} else {
		lines = append(lines, NormalMaintained(t.Maintained))
	}
	return normalLines(append(lines, NormalModule(t), NormalTags(t.Tags))...)
}

// normalLines ends each text that is there with a line feed.
func normalLines(lines ...string) string {
	var b strings.Builder
	for _, l := range lines {
		if l != "" {
			b.WriteString(l)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func normalName(name string) string { return ast.FormatName(types.Fold(name)) }

// normalWithTags puts tags behind a text.
func normalWithTags(text string, tags Tags) string {
	if n := NormalTags(tags); n != "" {
		return text + " " + n
	}
	return text
}

func normalColumns(t *Table) []string {
	var lines []string
	for _, c := range t.Columns {
		lines = append(lines, "column "+normalName(c.Name)+" "+normalWithTags(NormalColumn(c), c.Tags))
	}
	slices.Sort(lines)
	return lines
}

// normalConstraints lists the constraints: named ones under their names, the others by what they say, each once.
func normalConstraints(t *Table) []string {
	var lines []string
	add := func(name, body string, tags Tags) {
		if IsHiddenName(name) {
			lines = append(lines, "constraint "+body)
		} else {
			lines = append(lines, "constraint "+normalName(name)+" "+normalWithTags(body, tags))
		}
	}
	for _, c := range t.Checks {
		add(c.Name, NormalCheck(c), c.Tags)
	}
	for _, u := range t.Uniques {
		add(u.Name, NormalUnique(t, u), u.Tags)
	}
	for _, fk := range t.ForeignKeys {
		add(fk.Name, NormalForeignKey(t, fk), fk.Tags)
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func normalIndexes(t *Table) []string {
	var lines []string
	for _, ix := range t.Indexes {
		lines = append(lines, "index "+normalName(ix.Name)+" "+normalWithTags(NormalIndex(t, ix), ix.Tags))
	}
	slices.Sort(lines)
	return lines
}

// NormalColumn gives what a column is but for its name and tags.
func NormalColumn(c *Column) string {
	text := ast.FormatName(c.Type.Name) + []string{" null", " not null"}[boolIndex(c.NotNull)] + " collate " + ast.FormatName(c.Collation.Name)
	if c.Default != nil {
		text += " default " + NormalExpr(c.Default)
	}
	if c.Generated != nil {
		text += " " + NormalGenerated(c)
	}
	return text
}

// NormalGenerated gives the clause of a generated column, "" for a plain one.
func NormalGenerated(c *Column) string {
	if c.Generated == nil {
		return ""
	}
	return "generated always as (" + NormalExpr(c.Generated) + ") " + []string{"virtual", "stored"}[boolIndex(c.Stored)]
}

// NormalExpr gives an expression over a row in canonical form, the names in it folded except inside subqueries.
func NormalExpr(x ast.Expr) string { return ast.FormatWith(x, ast.Options{Compare: true}) }

// NormalKey gives the members of the primary key in order, in parentheses.
func NormalKey(t *Table) string {
	var members []string
	for _, k := range t.Key.Columns {
		members = append(members, normalName(t.Columns[k.Column].Name)+[]string{"", " desc"}[boolIndex(k.Desc)])
	}
	return "(" + strings.Join(members, ", ") + ")"
}

// NormalCheck gives a CHECK but for its name and tags.
func NormalCheck(c *Check) string { return ast.FormatWith(c.Node(), ast.Options{Compare: true}) }

// NormalUnique gives a UNIQUE constraint but for its name and tags. The order of its columns counts for one that is addressed by
// name; without one the rule is the set of columns.
func NormalUnique(t *Table, u *Unique) string {
	n := u.Node(t)
	if IsHiddenName(u.Name) {
		for i, c := range n.Columns {
			n.Columns[i].Text = types.Fold(c.Text)
		}
		slices.SortFunc(n.Columns, func(a, b ast.Name) int { return strings.Compare(a.Text, b.Text) })
		n.Columns = slices.Compact(n.Columns)
	}
	return ast.FormatWith(n, ast.Options{Compare: true})
}

// NormalForeignKey gives a foreign key but for its name, tags and deferrability.
func NormalForeignKey(t *Table, fk *ForeignKey) string {
	return ast.FormatWith(fk.Node(t), ast.Options{Compare: true, Schema: t.Schema})
}

// NormalIndex gives an index but for its name, tags and table: `[unique ]index (members)[ where e]`, with effective collations.
func NormalIndex(t *Table, ix *Index) string {
	b := []byte([]string{"index (", "unique index ("}[boolIndex(ix.Unique)])
	opt := ast.Options{Compare: true}
	var c ast.IndexColumn
	for i, m := range ix.Members {
		if c = m.node(t); m.Collation == types.Binary {
			c.Collation = ast.Name{}
		}
		if i > 0 {
			b = append(b, ", "...)
		}
		b = ast.Append(b, &c, opt)
	}
	b = append(b, ')')
	if ix.Where != nil {
		b = ast.Append(append(b, " where "...), ix.Where, opt)
	}
	return string(b)
}

// NormalView gives a view but for its name and tags: `[(columns) ]query`.
func NormalView(v *View) string { return normalBody(v.Columns, v.Body) }

// NormalMaintained gives the derivation of a maintained table.
func NormalMaintained(m *Maintained) string { return "maintained as " + normalBody(m.Columns, m.Body) }

func normalBody(columns []string, body *ast.SelectStmt) string {
	var b []byte
	for i, c := range columns {
		b = append(b, []string{"(", ", "}[boolIndex(i > 0)]...)
		b = ast.AppendName(b, c)
	}
	if columns != nil {
		b = append(b, ") "...)
	}
	return string(ast.Append(b, body, ast.Options{}))
}

// NormalAssertion gives the condition of an assertion.
func NormalAssertion(a *Assertion) string { return "check (" + ast.Format(a.X) + ")" }

// NormalModule gives the module of a table with its arguments in order of key.
func NormalModule(t *Table) string {
	args := slices.Clone(t.ModuleArgs)
	slices.SortFunc(args, func(a, b ModuleArg) int { return strings.Compare(a.Key, b.Key) })
	p := definition{buf: []byte("using ")}
	p.bare(orMemory(t.Module))
	p.arguments(args)
	return string(p.buf)
}

// NormalTags gives the tags that count, in order of key; "" for none.
func NormalTags(tags Tags) string {
	compared := tags.Compared()
	if len(compared) == 0 {
		return ""
	}
	return string(ast.AppendTags([]byte("tags "), compared.AST(), false))
}
