package catalog

import (
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Form is a form in which definitions are printed from the catalog (docs/reference/declarative-schema.md). The declared form is the
// printer's of ast.
type Form uint8

// The forms. Session leaves out what the session implies; Explicit reads back the same in any session.
const (
	Session Form = iota
	Explicit
)

// FormatOptions say what a form leaves out. The zero value prints for a session in main with NOT NULL columns and module memory.
type FormatOptions struct {
	Form Form
	// Schema is the current one; "" is main. Nullable is default_column_nullability = 'nullable'. Module and ModuleArgs are the
	// defaults of the session; "" is memory.
	Schema     string
	Nullable   bool
	Module     string
	ModuleArgs []ModuleArg
	// HomeModule is the module that the explicit form of a maintained table takes for granted; "" is memory.
	HomeModule string
}

const memoryModule = "memory"

func orMemory(module string) string {
	if m := types.Fold(module); m != "" && m != "mem" {
		return m
	}
	return memoryModule
}

// qualifier gives the schema that is written before an object's name, "" for none.
func (o *FormatOptions) qualifier(schema string) string {
	current := MainSchema
	if o.Schema != "" {
		current = types.Fold(o.Schema)
	}
	if o.Form == Session && schema == current {
		return ""
	}
	return schema
}

// printsModule reports whether the USING clause of t is written.
func (o *FormatOptions) printsModule(t *Table) bool {
	switch {
	case o.Form == Session:
		return orMemory(t.Module) != orMemory(o.Module) || !sameArguments(t.ModuleArgs, o.ModuleArgs)
	case t.Maintained != nil:
		return orMemory(t.Module) != orMemory(o.HomeModule) || len(t.ModuleArgs) > 0
	}
	return true
}

// sameArguments compares arguments without regard to their order.
func sameArguments(a, b []ModuleArg) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x ModuleArg) bool {
		return !slices.ContainsFunc(b, func(y ModuleArg) bool {
			return x.Key == y.Key && types.Equal(x.Value, y.Value, types.Binary)
		})
	})
}

// FormatTable gives the CREATE TABLE of a table in a form. Its indexes are statements of their own.
func FormatTable(t *Table, opt FormatOptions) string {
	p := definition{FormatOptions: opt}
	p.str("CREATE TABLE ")
	p.object(t.Schema, t.Name)
	p.str(" (")
	for i, c := range t.Columns {
		p.comma(i)
		p.column(t, i, c)
	}
	if len(t.Key.Columns) != 1 {
		p.comma(len(t.Columns))
		p.keyClause(t)
	}
	for _, c := range t.constraintNodes() {
		p.str(", ")
		p.node(c)
	}
	p.str(")")
	p.tableClauses(t)
	return string(p.buf)
}

// FormatIndex gives the CREATE INDEX of an index of t in a form.
func FormatIndex(t *Table, ix *Index, opt FormatOptions) string {
	p := definition{FormatOptions: opt}
	p.str("CREATE ")
	if ix.Unique {
		p.str("UNIQUE ")
	}
	p.str("INDEX ")
	p.quoted(ix.Name)
	p.str(" ON ")
	p.object(t.Schema, t.Name)
	p.str(" (")
	for i, m := range ix.Members {
		p.comma(i)
		p.member(t, m)
	}
	p.str(")")
	if ix.Where != nil {
		p.str(" WHERE ")
		p.node(ix.Where)
	}
	p.tags(ix.Tags)
	return string(p.buf)
}

// FormatStructure gives the CREATE INDEX under which the exposed structure of a UNIQUE constraint is listed. It is no statement
// that made it: the constraint did.
func FormatStructure(t *Table, u *Unique, opt FormatOptions) string {
	ix := &Index{Name: t.StructureName(u), Tags: u.StructureTags}
	for _, c := range u.Columns {
		ix.Members = append(ix.Members, IndexMember{Column: c, Collation: t.Columns[c].Collation})
	}
	return FormatIndex(t, ix, opt)
}

// FormatView gives the CREATE VIEW of a view, in the declared form; the explicit one always says the schema.
func FormatView(v *View, opt FormatOptions) string { return opt.format(v.Stmt()) }

// FormatAssertion gives the CREATE ASSERTION of an assertion, likewise.
func FormatAssertion(a *Assertion, opt FormatOptions) string { return opt.format(a.Stmt()) }

// format prints a statement whose head carries its schema.
func (o *FormatOptions) format(n ast.Stmt) string {
	if o.Form == Explicit {
		return ast.Format(n)
	}
	implied := MainSchema
	if o.Schema != "" {
		implied = o.Schema
	}
	return ast.FormatWith(n, ast.Options{Implied: implied})
}

// FormatDefinition lists the statements that make a table with all that is its own, in the explicit form: CREATE TABLE, a CREATE
// INDEX for each index, and ALTER INDEX … SET TAGS for each exposed structure with tags.
func FormatDefinition(t *Table) []string {
	opt := FormatOptions{Form: Explicit}
	out := []string{FormatTable(t, opt)}
	for _, ix := range t.Indexes {
		out = append(out, FormatIndex(t, ix, opt))
	}
	for _, u := range t.Uniques {
		if len(u.StructureTags) > 0 {
			out = append(out, ast.FormatWith(structureTagsStmt(t, u), ast.Options{Style: ast.Lower}))
		}
	}
	return out
}

func structureTagsStmt(t *Table, u *Unique) *ast.AlterStmt {
	return &ast.AlterStmt{
		Kind: ast.IndexObject, Name: qname(t.Schema, t.StructureName(u)),
		Action: &ast.TagAction{Verb: ast.SetTags, Site: ast.ObjectTags, Tags: u.StructureTags.AST()},
	}
}

func qname(schema, name string) ast.QName {
	return ast.QName{Schema: ast.Ident(schema), Name: ast.Ident(name)}
}

// definition appends the text of one definition to buf.
type definition struct {
	FormatOptions
	buf []byte
}

func (p *definition) str(s string) { p.buf = append(p.buf, s...) }

func (p *definition) quoted(name string) { p.buf = ast.AppendQuoted(p.buf, name) }

func (p *definition) bare(name string) { p.buf = ast.AppendName(p.buf, name) }

func (p *definition) node(n ast.Node) { p.buf = ast.Append(p.buf, n, ast.Options{}) }

func (p *definition) comma(i int) {
	if i > 0 {
		p.str(", ")
	}
}

func (p *definition) object(schema, name string) {
	if q := p.qualifier(schema); q != "" {
		p.quoted(q)
		p.str(".")
	}
	p.quoted(name)
}

func (p *definition) column(t *Table, i int, c *Column) {
	p.quoted(c.Name)
	p.str(" ")
	p.bare(c.Type.Name)
	p.nullability(c)
	if c.writesCollation() {
		p.str(" COLLATE ")
		p.bare(c.Collation.Name)
	}
	if len(t.Key.Columns) == 1 && t.InKey(i) {
		p.str(" PRIMARY KEY")
		p.direction(t.Key.Columns[0].Desc)
		p.onConflict(t.Key.OnConflict)
	}
	if c.Default != nil {
		p.str(" DEFAULT ")
		p.node(c.Default)
	}
	if c.Generated != nil {
		p.str(" GENERATED ALWAYS AS (")
		p.node(c.Generated)
		p.str([]string{") VIRTUAL", ") STORED"}[boolIndex(c.Stored)])
	}
	p.tags(c.Tags)
}

// nullability prints what the session does not imply; a conflict action has to stand behind it.
func (p *definition) nullability(c *Column) {
	if p.Form == Session && c.NotNull != p.Nullable && c.NotNullConflict == ast.ConflictDefault {
		return
	}
	p.str([]string{" NULL", " NOT NULL"}[boolIndex(c.NotNull)])
	p.onConflict(c.NotNullConflict)
}

var conflictText = [...]string{
	ast.ConflictRollback: "ROLLBACK", ast.ConflictFail: "FAIL", ast.ConflictIgnore: "IGNORE", ast.ConflictReplace: "REPLACE",
}

func (p *definition) onConflict(a ast.ConflictAction) {
	if a != ast.ConflictDefault {
		p.str(" ON CONFLICT ")
		p.str(conflictText[a])
	}
}

func (p *definition) direction(desc bool) {
	if desc {
		p.str(" DESC")
	}
}

func (p *definition) keyClause(t *Table) {
	p.str("PRIMARY KEY (")
	for i, k := range t.Key.Columns {
		p.comma(i)
		p.quoted(t.Columns[k.Column].Name)
		p.direction(k.Desc)
	}
	p.str(")")
	p.onConflict(t.Key.OnConflict)
}

// tableClauses prints what follows the columns.
func (p *definition) tableClauses(t *Table) {
	if p.printsModule(t) {
		p.str(" USING ")
		p.bare(t.Module)
		p.arguments(t.ModuleArgs)
	}
	if m := t.Maintained; m != nil {
		p.str(" ")
		p.node(&ast.MaintainedClause{Columns: nameNodes(m.Columns), Query: m.Body})
	}
	for i, v := range t.Context {
		p.str([]string{" WITH CONTEXT (", ", "}[boolIndex(i > 0)])
		p.contextVar(v)
	}
	if len(t.Context) > 0 {
		p.str(")")
	}
	p.tags(t.Tags)
}

func (p *definition) arguments(args []ModuleArg) {
	for i, a := range args {
		p.str([]string{" (", ", "}[boolIndex(i > 0)])
		p.bare(a.Key)
		p.str(" = ")
		p.buf = ast.AppendValue(p.buf, ast.LiteralOf(a.Value), false)
	}
	if len(args) > 0 {
		p.str(")")
	}
}

func (p *definition) contextVar(v ContextVar) {
	p.bare(v.Name)
	if v.TypeName != "" {
		p.str(" ")
		p.bare(v.Type.Name)
	}
	if !v.NotNull {
		p.str(" NULL")
	}
}

func (p *definition) member(t *Table, m IndexMember) {
	if m.X == nil {
		p.quoted(t.Columns[m.Column].Name)
	} else {
		p.buf = ast.AppendIndexKey(p.buf, m.X, ast.Options{})
	}
	p.str(" COLLATE ")
	p.bare(m.Collation.Name)
	p.direction(m.Desc)
}

func (p *definition) tags(tags Tags) {
	if len(tags) > 0 {
		p.str(" WITH TAGS ")
		p.buf = ast.AppendTags(p.buf, tags.AST(), true)
	}
}

func boolIndex(b bool) int {
	if b {
		return 1
	}
	return 0
}
