package ast

// schemaStmt prints the statements of the declarative schema.
func (p *printer) schemaStmt(n Stmt) {
	switch n := n.(type) {
	case *DeclareSchemaStmt:
		p.declareSchema(n)
	case *DeclareLensStmt:
		p.declareLens(n)
	case *DiffSchemaStmt:
		p.str("diff schema ")
		p.name(n.Name)
	case *ApplySchemaStmt:
		p.applySchema(n)
	case *ExplainSchemaStmt:
		p.str("explain schema ")
		p.name(n.Name)
		p.version(" version ", n.Version, n.HasVersion)
	}
}

func (p *printer) version(clause, version string, has bool) {
	if has {
		p.str(clause)
		p.text(version)
	}
}

func (p *printer) declareSchema(n *DeclareSchemaStmt) {
	p.str("declare ")
	if n.Logical {
		p.str("logical ")
	}
	p.str("schema ")
	p.name(n.Name)
	p.version(" version ", n.Version, n.HasVersion)
	for i := range n.Using {
		p.str([]string{" using (", ", "}[min(i, 1)])
		p.option(n.Using[i].Key, n.Using[i].Value)
	}
	if len(n.Using) > 0 {
		p.str(")")
	}
	p.str(" ")
	p.braces(len(n.Items), func(i int) { p.declareItem(n.Items[i]) })
}

func (p *printer) declareLens(n *DeclareLensStmt) {
	p.str("declare lens for ")
	p.name(n.For)
	p.str(" over ")
	p.name(n.Over)
	p.str(" ")
	p.braces(len(n.Views), func(i int) { p.view(n.Views[i]) })
}

// braces prints the items of a declaration, each closed by a semicolon, which no alias can be mistaken across.
func (p *printer) braces(n int, item func(i int)) {
	outer := p.declaring
	p.declaring = true
	p.str("{")
	for i := range n {
		p.spread("\n  ")
		item(i)
		p.str(";")
	}
	if n > 0 {
		p.spread("\n")
	}
	p.str("}")
	p.declaring = outer
}

// spread parts what stands in the braces of a declaration: by a space, or as lines does where it is spread over lines.
func (p *printer) spread(lines string) {
	if p.Lines && p.declaring {
		p.str(lines)
	} else {
		p.str(" ")
	}
}

func (p *printer) declareItem(n DeclareItem) {
	if s, ok := n.(*SeedItem); ok {
		p.seed(s)
		return
	}
	p.definition(n)
}

func (p *printer) seed(s *SeedItem) {
	p.str("seed ")
	p.name(s.Table)
	if s.Columns != nil {
		p.str(" values")
		p.columns(s.Columns)
		p.str(" values ")
		p.seedRows(s.Rows)
		return
	}
	p.str(" (")
	p.seedRows(s.Rows)
	p.str(")")
}

func (p *printer) seedRows(rows [][]Expr) {
	for i, row := range rows {
		p.comma(i)
		p.str("(")
		for j, x := range row {
			p.comma(j)
			p.cell(x)
		}
		p.str(")")
	}
}

// cell prints a literal of a seed, whose number may stand behind a sign.
func (p *printer) cell(x Expr) {
	switch x := x.(type) {
	case *Literal:
		p.value(x, false)
	case *Unary:
		p.str(unaryText[x.Op])
		p.cell(x.X)
	default:
		p.expr(x)
	}
}

var policyText = [...]string{RenameAllow: "allow", RenameRequireHint: "require-hint", RenameDeny: "deny"}

func (p *printer) applySchema(n *ApplySchemaStmt) {
	p.str("apply schema ")
	p.name(n.Name)
	p.version(" to version ", n.Version, n.HasVersion)
	if n.WithSeed {
		p.str(" with seed")
	}
	if !n.HasDestructive && !n.HasPolicy {
		return
	}
	p.str(" options (")
	if n.HasDestructive {
		p.str("allow_destructive = ")
		p.str([]string{"false", "true"}[boolIndex(n.AllowDestructive)])
	}
	if n.HasPolicy {
		p.comma(boolIndex(n.HasDestructive))
		p.str("rename_policy = ")
		p.text(policyText[n.Policy])
	}
	p.str(")")
}

func boolIndex(b bool) int {
	if b {
		return 1
	}
	return 0
}
