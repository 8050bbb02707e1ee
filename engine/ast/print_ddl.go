package ast

import "github.com/quereus/quereus-migrate/types"

// definition prints the statement that creates an object, without the word CREATE; it is also the item of a declaration.
func (p *printer) definition(n Node) {
	switch n := n.(type) {
	case *CreateTableStmt:
		p.table(n)
	case *CreateIndexStmt:
		p.index(n)
	case *CreateViewStmt:
		p.view(n)
	case *CreateMaterializedViewStmt:
		p.materializedView(n)
	case *CreateAssertionStmt:
		p.str("assertion ")
		p.object(n.Name)
		p.str(" check ")
		p.paren(n.X)
	}
}

func (p *printer) ifNotExists(is bool) {
	if is {
		p.str("if not exists ")
	}
}

func (p *printer) table(n *CreateTableStmt) {
	p.str("table ")
	p.ifNotExists(n.IfNotExists)
	p.object(n.Name)
	if p.declaring && n.Using != nil { // an item has its module in front of the columns
		p.str(" ")
		p.using(n.Using)
	}
	p.elements(n)
	if !p.declaring && n.Using != nil {
		p.str(" ")
		p.using(n.Using)
	}
	if m := n.Maintained; m != nil {
		p.str(" ")
		p.maintained(m.Columns, m.Query)
	}
	p.context(n.Context)
	p.withTags(n.Tags)
}

func (p *printer) maintained(columns []Name, q *SelectStmt) {
	p.str("maintained")
	p.body(columns, q)
}

// elements prints the columns and constraints of a table. In an item, braces tell them from the arguments of a module.
func (p *printer) elements(n *CreateTableStmt) {
	brackets := [2]string{" (", ")"}
	if p.declaring {
		brackets = [2]string{" {", "}"}
	}
	p.str(brackets[0])
	element := func(i int, n Node) {
		if i > 0 {
			p.str(",")
		}
		if i > 0 || p.declaring {
			p.spread("\n    ")
		}
		p.node(n)
	}
	for i, c := range n.Columns {
		element(i, c)
	}
	for i, c := range n.Constraints {
		element(i+len(n.Columns), c)
	}
	if p.declaring {
		p.spread("\n  ")
	}
	p.str(brackets[1])
}

// body prints " (a, b) as query".
func (p *printer) body(columns []Name, q *SelectStmt) {
	p.columns(columns)
	p.str(" as ")
	p.query(q)
}

func (p *printer) context(vars []ContextVar) {
	if len(vars) > 0 {
		p.str(" with context ")
		p.contextList(vars)
	}
}

func (p *printer) contextList(vars []ContextVar) {
	p.str("(")
	for i, v := range vars {
		if i > 0 {
			p.str(", ")
		}
		p.name(v.Name)
		if v.Type != nil {
			p.str(" ")
			p.typeName(v.Type)
		}
		if v.Null {
			p.str(" NULL")
		}
	}
	p.str(")")
}

func (p *printer) using(u *UsingClause) {
	p.str("using ")
	p.name(u.Module)
	for i, a := range u.Args {
		p.str([]string{" (", ", "}[min(i, 1)])
		if a.Named {
			p.option(a.Key, a.Value)
		} else {
			p.value(a.Value, false)
		}
	}
	if len(u.Args) > 0 {
		p.str(")")
	}
}

func (p *printer) index(n *CreateIndexStmt) {
	if n.Unique {
		p.str("unique ")
	}
	p.str("index ")
	p.ifNotExists(n.IfNotExists)
	p.object(n.Name)
	p.str(" on ")
	p.object(n.Table)
	p.str(" (")
	for i := range n.Columns {
		p.comma(i)
		p.indexColumn(&n.Columns[i])
	}
	p.str(")")
	p.where(n.Where)
	p.withTags(n.Tags)
}

func (p *printer) indexColumn(c *IndexColumn) {
	x := unwrap(c.X)
	p.group(x, endsWithCollate(x)) // a bare COLLATE at the end is the member's
	if !c.Collation.IsZero() {
		p.str(" collate ")
		p.collation(c.Collation)
	}
	if c.Desc {
		p.str(" desc")
	}
}

// endsWithCollate reports whether the text of x ends with a COLLATE of its last operand.
func endsWithCollate(x Expr) bool {
	for {
		switch n := x.(type) {
		case *Collate:
			return true
		case *Unary:
			x = n.X
		case *Binary:
			if isArrow(n) {
				return false
			}
			x = n.R
		case *Between:
			x = n.Hi
		case *Match:
			if x = n.P; n.Escape != nil {
				x = n.Escape
			}
		case *Is:
			if x = n.Y; n.Y == nil {
				return false
			}
		default:
			return false
		}
	}
}

// unwrap takes the kept parentheses off an expression.
func unwrap(x Expr) Expr {
	for {
		paren, ok := x.(*Paren)
		if !ok {
			return x
		}
		x = paren.X
	}
}

// AppendIndexKey appends the expression of an index member in the session and explicit forms: a call as it is, anything else in
// parentheses (docs/reference/declarative-schema.md).
func AppendIndexKey(dst []byte, x Expr, opt Options) []byte {
	p := printer{buf: dst, Options: opt}
	x = unwrap(x)
	call := false
	switch x := x.(type) {
	case *Call:
		call = true
	case *Binary:
		call = x.Op == OpJSONGet // prints as one
	}
	p.group(x, !call)
	return p.buf
}

func (p *printer) view(n *CreateViewStmt) {
	p.str("view ")
	p.ifNotExists(n.IfNotExists)
	p.object(n.Name)
	p.body(n.Columns, n.Query)
	p.withTags(n.Tags)
}

func (p *printer) materializedView(n *CreateMaterializedViewStmt) {
	p.str("materialized view ")
	p.ifNotExists(n.IfNotExists)
	p.object(n.Name)
	p.columns(n.Columns)
	if n.Using != nil {
		p.str(" ")
		p.using(n.Using)
	}
	p.body(nil, n.Query)
	p.withTags(n.Tags)
}

// change prints DROP, ALTER and REFRESH.
func (p *printer) change(n Stmt) {
	switch n := n.(type) {
	case *DropStmt:
		p.kw("DROP ")
		p.kw(objectKindText[n.Kind])
		if n.IfExists {
			p.kw("IF EXISTS ")
		}
		p.object(n.Name)
	case *AlterStmt:
		p.alter(n)
	case *RefreshStmt:
		p.str("refresh materialized view ")
		p.object(n.Name)
	}
}

var objectKindText = [...]string{
	TableObject: "TABLE ", ViewObject: "VIEW ", MaterializedViewObject: "MATERIALIZED VIEW ", IndexObject: "INDEX ",
	AssertionObject: "ASSERTION ",
}

// isOwnSchema reports whether a parent's schema goes without saying in a comparison.
func (p *printer) isOwnSchema(schema Name) bool {
	return p.Compare && !schema.IsZero() && types.EqualFold(schema.Text, p.Schema)
}
