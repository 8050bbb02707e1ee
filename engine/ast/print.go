package ast

import (
	"fmt"

	"github.com/quereus/quereus-migrate/types"
)

// Style is how the statements that are filled from a template, ALTER and DROP, spell their keywords. Everything else is lower
// case in both styles, ALTER TABLE … SET MAINTAINED included.
type Style uint8

// The styles.
const (
	// Template is upper case: the statements of a plan (docs/reference/declarative-schema.md).
	Template Style = iota
	// Lower is lower case: the canonical text that events and modules are told (docs/reference/alter.md).
	Lower
)

// Options say how a tree is printed. The zero value is the declared form with everything as written.
type Options struct {
	Style Style
	// Schema qualifies those names at the head of a DDL statement (its object, and the table of an index) that carry no
	// schema of their own. "" adds none. Names inside bodies, and parents of foreign keys, stay as written.
	Schema string
	// Implied is the schema that need not be said: a head name that lies in it prints without qualifier. "" leaves none out.
	Implied string
	// NoTags leaves every WITH TAGS clause out, as the text that is hashed does.
	NoTags bool
	// Compare prints what a comparison of two definitions looks at: names fold to lower case except
	// inside subqueries, and constraints lose their name, tags, deferrability and whatever says the default, a parent's
	// schema that is Schema included.
	Compare bool
	// Lines spreads a declaration for readers: a line each for its items, and for the columns and constraints of its tables.
	Lines bool
	// Quoted puts every name of an object, column or function into double quotes: for systems whose reserved words are others.
	Quoted bool
}

// Format gives the canonical text of any node, without a semicolon: parsed again it gives a tree that prints alike.
func Format(n Node) string { return FormatWith(n, Options{}) }

// FormatWith is Format under options.
func FormatWith(n Node, opt Options) string { return string(Append(nil, n, opt)) }

// Append appends the text of any node to dst: of a statement, or of a part such as an expression or a *TableConstraint, which the
// session and explicit forms are put together from. It allocates nothing but the bytes, and takes time linear in
// the size of the tree and stack linear in its depth.
func Append(dst []byte, n Node, opt Options) []byte {
	p := printer{buf: dst, Options: opt}
	p.node(n)
	return p.buf
}

// SameText reports whether two nodes have one canonical text: the equality of trees that ignores positions, the spelling of
// keywords, redundant parentheses and whatever else Format does not show.
func SameText(a, b Node) bool {
	p := printer{}
	p.node(a)
	n := len(p.buf)
	p.node(b)
	return string(p.buf[:n]) == string(p.buf[n:])
}

// printer appends the text of nodes to buf.
type printer struct {
	Options
	buf []byte
	// queries counts the subqueries around the current node.
	queries int
	// naming is set for the name of a result column, which parts stacked signs by a space instead of parentheses.
	naming bool
	// declaring is set inside the braces of a declaration, where names are never qualified and CREATE is not written.
	declaring bool
}

// node prints any node.
func (p *printer) node(n Node) {
	switch n := n.(type) {
	case Expr:
		p.expr(n)
	case TableExpr:
		p.source(n)
	case QueryTerm:
		p.term(n)
	case AlterAction:
		p.alterAction(n)
	case Stmt:
		p.stmt(n)
	case Name:
		p.name(n)
	case *TypeName:
		p.typeName(n)
	default:
		p.part(n)
	}
}

func (p *printer) stmt(n Stmt) {
	switch n := n.(type) {
	case *SelectStmt:
		p.query(n)
	case *InsertStmt, *UpdateStmt, *DeleteStmt:
		p.term(n.(QueryTerm))
	case *CreateTableStmt, *CreateIndexStmt, *CreateViewStmt, *CreateMaterializedViewStmt, *CreateAssertionStmt:
		p.str("create ")
		p.definition(n)
	case *DropStmt, *AlterStmt, *RefreshStmt:
		p.change(n)
	case *DeclareSchemaStmt, *DeclareLensStmt, *DiffSchemaStmt, *ApplySchemaStmt, *ExplainSchemaStmt:
		p.schemaStmt(n)
	default:
		p.control(n)
	}
}

// part prints the nodes that belong to no class of their own.
func (p *printer) part(n Node) {
	switch n := n.(type) {
	case *Window:
		p.window(n)
	case *Frame:
		p.frame(n)
	case *With:
		p.with(n)
	case *CTE:
		p.member(n)
	case *SelectItem:
		p.item(n)
	case *Target:
		p.target(n)
	case *Upsert:
		p.upsert(n)
	case *ColumnDef:
		p.column(n)
	case *ColumnConstraint:
		p.columnConstraint(n)
	case *TableConstraint:
		p.tableConstraint(n)
	case *References:
		p.references(n)
	case *IndexColumn:
		p.indexColumn(n)
	case *UsingClause:
		p.using(n)
	case *MaintainedClause:
		p.maintained(n.Columns, n.Query)
	case *SeedItem:
		p.seed(n)
	case *Option:
		p.option(n.Key, n.Value)
	default:
		panic(fmt.Sprintf("ast: a %T has no text", n))
	}
}

func (p *printer) str(s string) { p.buf = append(p.buf, s...) }

// kw appends a keyword of a template statement, given in upper case.
func (p *printer) kw(s string) {
	from := len(p.buf)
	p.str(s)
	if p.Style == Lower {
		for i := from; i < len(p.buf); i++ {
			p.buf[i] = lowerASCII(p.buf[i])
		}
	}
}

// text prints a string literal.
func (p *printer) text(s string) { p.buf = AppendString(p.buf, s) }

// fold gives the spelling of a name that the options ask for.
func (p *printer) fold(name string) string {
	if p.Compare && p.queries == 0 {
		return types.Fold(name)
	}
	return name
}

func (p *printer) name(n Name) {
	if p.Quoted {
		p.buf = AppendQuoted(p.buf, p.fold(n.Text))
		return
	}
	p.buf = AppendName(p.buf, p.fold(n.Text))
}

// names prints a list of names without its parentheses.
func (p *printer) names(list []Name) {
	for i, n := range list {
		p.comma(i)
		p.name(n)
	}
}

// columns prints " (a, b)" for a list that is there.
func (p *printer) columns(list []Name) {
	if list != nil {
		p.str(" (")
		p.names(list)
		p.str(")")
	}
}

// comma separates item i of a list from the one before.
func (p *printer) comma(i int) {
	if i > 0 {
		p.str(", ")
	}
}

// qname prints a name with its schema as written.
func (p *printer) qname(q QName) {
	if !q.Schema.IsZero() {
		p.name(q.Schema)
		p.str(".")
	}
	p.name(q.Name)
}

// object prints a name at the head of a DDL statement.
func (p *printer) object(q QName) {
	if p.declaring {
		p.name(q.Name)
		return
	}
	if q.Schema.IsZero() {
		q.Schema = Ident(p.Schema)
	}
	if p.Implied != "" && types.EqualFold(q.Schema.Text, p.Implied) {
		q.Schema = Name{}
	}
	p.qname(q)
}

// alias prints " as name" for one that is there.
func (p *printer) alias(n Name) {
	if !n.IsZero() {
		p.str(" as ")
		p.name(n)
	}
}

// pairs prints "a = e, b = f".
func (p *printer) pairs(list []Assignment) {
	for i, a := range list {
		p.comma(i)
		p.name(a.Column)
		p.str(" = ")
		p.expr(a.X)
	}
}

// typeName prints a type in the spelling of the source, quotes included.
func (p *printer) typeName(t *TypeName) { p.typeAs(t, t.Name) }

func (p *printer) typeAs(t *TypeName, name string) {
	if t.Quoted {
		p.buf = AppendQuoted(p.buf, name)
	} else {
		p.buf = AppendName(p.buf, name)
	}
	for i, a := range t.Args {
		p.str([]string{"(", ","}[min(i, 1)])
		p.str(a)
	}
	if len(t.Args) > 0 {
		p.str(")")
	}
}
