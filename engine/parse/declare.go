package parse

import (
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// declare parses DECLARE [LOGICAL] SCHEMA and DECLARE LENS.
func (p *parser) declare() ast.Stmt {
	from := p.tok.from
	p.next()
	if p.acceptWord(wLens) {
		return p.declareLens(from)
	}
	s := &ast.DeclareSchemaStmt{Logical: p.acceptWord(wLogical)}
	p.expectWord(wSchema, "'SCHEMA' after DECLARE")
	s.Name = p.name(schemaWord, "schema name after DECLARE")
	s.Version, s.HasVersion = p.version()
	s.Using = p.schemaUsing()
	open := p.tok.from
	p.expect(kLBrace, "'{' to start schema declaration block")
	p.itemParens = p.parens
	for {
		for p.accept(kSemicolon) {
		}
		if p.is(kRBrace) || p.is(kEOF) {
			break
		}
		if p.isWord(wDomain) || p.isWord(wCollation) || p.isWord(wImport) {
			s.Skipped = append(s.Skipped, p.skipItem())
			continue
		}
		begin := p.here()
		if item := p.declareItem(); item != nil {
			s.Items = append(s.Items, item)
		}
		if p.err != nil && p.file != nil {
			p.resumeItem(begin)
		}
	}
	p.itemParens = -1
	if !p.accept(kRBrace) {
		p.unclosed("}", open, "to close schema declaration block")
	}
	s.Span = p.span(from)
	return s
}

// version parses VERSION 'text' if it is there.
func (p *parser) version() (text string, ok bool) {
	if !p.acceptWord(wVersion) {
		return "", false
	}
	return p.versionString(), true
}

func (p *parser) versionString() string { return p.str("version string after VERSION") }

// str takes a string and gives its content.
func (p *parser) str(what string) string {
	t := p.tok
	p.expect(kString, what)
	if p.err != nil {
		return ""
	}
	return unquote(p.text(t), t.escaped)
}

// schemaUsing parses USING (option = value, …) of a declaration and keeps the options that are known.
func (p *parser) schemaUsing() []ast.Option {
	if !p.acceptWord(wUsing) {
		return nil
	}
	open := p.open("'(' after USING")
	var options []ast.Option
	for len(options) > 0 || !p.is(kRParen) {
		from := p.tok.from
		o := ast.Option{Key: p.name(contextual, "option name")}
		p.expect(kEq, "'=' after option key")
		o.Value = p.constant("option value (string, number, true, false, or null)")
		o.Span = p.span(from)
		options = append(options, o)
		if !p.accept(kComma) {
			break
		}
	}
	p.close(open, "after schema options")
	return slices.DeleteFunc(options, func(o ast.Option) bool {
		key := types.Fold(o.Key.Text)
		return key != "default_vtab_module" && key != "default_vtab_args"
	})
}

// declareItem parses one item of a declaration, nil after a fault.
func (p *parser) declareItem() ast.DeclareItem {
	from := p.tok.from
	p.acceptWord(wCreate)
	switch {
	case p.acceptWord(wTable):
		return p.tableItem(from)
	case p.isWord(wUnique), p.isWord(wIndex):
		return p.indexItem(from)
	case p.acceptWord(wView):
		s := &ast.CreateViewStmt{Name: p.itemName("view")}
		p.viewBody(s, "AS before view body in view declaration")
		s.Span = p.span(from)
		return s
	case p.acceptWord(wMaterialized):
		p.expectWord(wView, "'VIEW' after 'MATERIALIZED'")
		s := &ast.CreateMaterializedViewStmt{Name: p.itemName("materialized view")}
		p.materializedBody(s, "AS before view body in materialized view declaration")
		s.Span = p.span(from)
		return s
	case p.acceptWord(wSeed):
		return p.seedItem(from)
	case p.acceptWord(wAssertion):
		s := &ast.CreateAssertionStmt{Name: p.itemName("assertion")}
		s.X = p.assertionBody()
		s.Span = p.span(from)
		return s
	}
	p.expected("TABLE, INDEX, VIEW, MATERIALIZED VIEW, SEED, or ASSERTION in schema declaration")
	return nil
}

// itemName takes the name of an item, which is never qualified.
func (p *parser) itemName(kind string) ast.QName {
	return ast.QName{Name: p.name(contextual, kind+" name in declaration")}
}

// tableItem parses a table; its module stands in front of the columns, or behind them as in CREATE TABLE.
func (p *parser) tableItem(from ast.Pos) ast.DeclareItem {
	s := &ast.CreateTableStmt{Name: p.itemName("table")}
	p.beginTable()
	s.Using = p.optionalUsing()
	switch {
	case p.is(kLBrace):
		p.tableElements(s, kRBrace, "}")
	case p.is(kLParen):
		p.parens++
		p.tableElements(s, kRParen, ")")
		p.parens--
	default:
		p.expected("'(' or '{' before column definitions")
	}
	p.tableOptions()
	if s.Using == nil {
		s.Using = p.optionalUsing()
	}
	p.tableOptions()
	p.tableClauses(s)
	s.Span = p.span(from)
	return s
}

func (p *parser) indexItem(from ast.Pos) ast.DeclareItem {
	s := &ast.CreateIndexStmt{Unique: p.acceptWord(wUnique)}
	p.expectWord(wIndex, "'INDEX' after 'UNIQUE'")
	s.Name = p.itemName("index")
	p.expectWord(wOn, "'ON' after index name")
	s.Table = p.itemName("table")
	p.indexBody(s)
	s.Span = p.span(from)
	return s
}

// seedItem parses the rows that a table begins with: `((…), …)` or `values (names) values` and rows, with or without
// brackets around them all.
func (p *parser) seedItem(from ast.Pos) ast.DeclareItem {
	s := &ast.SeedItem{Table: p.name(contextual, "table name after SEED")}
	wrapped := true
	if p.acceptWord(wValues) {
		s.Columns = p.nameList("'(' before seed columns", "after seed columns")
		p.expectWord(wValues, "'VALUES' before seed rows")
		wrapped = p.is(kLParen) && p.peek().kind == kLParen
	}
	open := p.tok.from
	if wrapped {
		p.open("'(' before seed rows")
	}
	for {
		s.Rows = append(s.Rows, p.seedRow())
		if !p.accept(kComma) {
			break
		}
	}
	if wrapped {
		p.close(open, "after seed rows")
	}
	s.Span = p.span(from)
	return s
}

// seedRow parses literals in brackets, maybe none.
func (p *parser) seedRow() []ast.Expr {
	open := p.open("'(' before seed row values")
	mark := p.exprs.mark()
	for p.exprs.mark() > mark || !p.is(kRParen) {
		at := p.tok.from
		x := p.expr()
		if !isSeedValue(x) {
			p.fail(at, types.ERROR, "Seed data must contain only literal values.", "")
		}
		p.exprs.push(x)
		if !p.accept(kComma) {
			break
		}
	}
	p.close(open, "after seed row values")
	return p.exprs.take(mark)
}

// isSeedValue reports whether the expression is a literal, or a number with a sign.
func isSeedValue(x ast.Expr) bool {
	if sign, ok := x.(*ast.Unary); ok && (sign.Op == ast.OpNeg || sign.Op == ast.OpPlus) {
		number, ok := sign.X.(*ast.Literal)
		return ok && (number.Kind == ast.IntegerLit || number.Kind == ast.RealLit)
	}
	_, ok := x.(*ast.Literal)
	return ok
}

// skipItem reads over an item of a reserved kind: up to a semicolon, the end of the declaration or the next item, outside
// brackets.
func (p *parser) skipItem() (s ast.SkippedItem) {
	s.Span = ast.Span{From: p.tok.from, To: p.tok.to}
	s.Kind = strings.ToUpper(p.text(p.tok))
	depth := 0
	for p.next(); !p.is(kEOF); p.next() {
		switch p.tok.kind {
		case kLParen, kLBrace:
			depth++
		case kRParen:
			depth--
		case kRBrace:
			if depth == 0 {
				return s
			}
			depth--
		case kSemicolon:
			if depth == 0 {
				return s
			}
		case kWord:
			if depth == 0 && beginsItem(p.tok.word) {
				return s
			}
		}
	}
	return s
}

// beginsItem reports whether an item of a declaration begins with the word.
func beginsItem(w word) bool {
	switch w {
	case wCreate, wTable, wIndex, wUnique, wView, wAssertion:
		return true
	}
	return isItemAlias(w)
}

// declareLens parses DECLARE LENS FOR a OVER b { view … }.
func (p *parser) declareLens(from ast.Pos) ast.Stmt {
	s := &ast.DeclareLensStmt{}
	p.expectWord(wFor, "'FOR' after DECLARE LENS")
	s.For = p.name(schemaWord, "logical schema name after FOR")
	p.expectWord(wOver, "'OVER' after the logical schema name")
	s.Over = p.name(schemaWord, "schema name after OVER")
	open := p.tok.from
	p.expect(kLBrace, "'{' to start lens declaration block")
	p.itemParens = p.parens
	for !p.is(kRBrace) && !p.is(kEOF) {
		s.Views = append(s.Views, p.lensView())
		p.accept(kSemicolon)
	}
	p.itemParens = -1
	if !p.accept(kRBrace) {
		p.unclosed("}", open, "to close lens declaration block")
	}
	s.Span = p.span(from)
	return s
}

func (p *parser) lensView() *ast.CreateViewStmt {
	from := p.tok.from
	p.expectWord(wView, "'view' to begin a lens override")
	v := &ast.CreateViewStmt{Name: p.itemName("view")}
	p.expectWord(wAs, "AS before view body in lens override")
	at := p.tok.from
	v.Query = p.query()
	if kind := bodyKind(v.Query); p.err == nil && kind != "select" {
		p.fail(at, types.ERROR, "A lens override body must be a SELECT; got '"+kind+"'.", "")
	}
	v.Span = p.span(from)
	return v
}

// bodyKind names the statement that a query begins with.
func bodyKind(q *ast.SelectStmt) string {
	if q == nil {
		return ""
	}
	for term := q.Body; ; {
		switch t := term.(type) {
		case *ast.SetOp:
			term = t.L
		case *ast.ParenQuery:
			term = t.Query.Body
		case *ast.ValuesClause:
			return "values"
		case *ast.InsertStmt:
			return "insert"
		case *ast.UpdateStmt:
			return "update"
		case *ast.DeleteStmt:
			return "delete"
		default:
			return "select"
		}
	}
}

// diffSchema parses DIFF SCHEMA.
func (p *parser) diffSchema() ast.Stmt {
	from := p.tok.from
	p.next()
	p.expectWord(wSchema, "SCHEMA after DIFF")
	name := p.name(schemaWord, "schema name after DIFF SCHEMA")
	return &ast.DiffSchemaStmt{Span: p.span(from), Name: name}
}

// applySchema parses APPLY SCHEMA and its clauses in their fixed order.
func (p *parser) applySchema() ast.Stmt {
	from := p.tok.from
	p.next()
	p.expectWord(wSchema, "SCHEMA after APPLY")
	s := &ast.ApplySchemaStmt{Name: p.name(schemaWord, "schema name after APPLY SCHEMA")}
	if p.acceptWord(wTo) {
		p.expectWord(wVersion, "VERSION after TO")
		s.Version, s.HasVersion = p.versionString(), true
	}
	if p.acceptWord(wWith) {
		p.expectWord(wSeed, "SEED after WITH")
		s.WithSeed = true
	}
	if p.acceptWord(wOptions) {
		p.applyOptions(s)
	}
	s.Span = p.span(from)
	return s
}

func (p *parser) applyOptions(s *ast.ApplySchemaStmt) {
	open := p.open("'(' after OPTIONS")
	for first := true; !first || !p.is(kRParen); first = false {
		at := p.tok.from
		key := p.name(contextual, "option name")
		p.expect(kEq, "'=' after option key")
		switch types.Fold(key.Text) {
		case "allow_destructive":
			s.AllowDestructive, s.HasDestructive = p.isWord(wTrue), true
			if !p.acceptWord(wTrue) && !p.acceptWord(wFalse) {
				p.expected("'true' or 'false' for option value")
			}
		case "rename_policy":
			s.Policy, s.HasPolicy = p.renamePolicy(), true
		case "dry_run", "validate_only":
			p.fail(at, types.ERROR, "Unsupported apply schema option '"+key.Text+"'.",
				"diff schema "+s.Name.Text+" shows the statements without running them")
		default:
			p.fail(at, types.ERROR, "Unsupported apply schema option '"+key.Text+"'.",
				"the options are allow_destructive and rename_policy")
		}
		if !p.accept(kComma) {
			break
		}
	}
	p.close(open, "after apply schema options")
}

func (p *parser) renamePolicy() ast.RenamePolicy {
	at := p.tok.from
	switch policy := p.str("string for rename_policy"); policy {
	case "allow":
		return ast.RenameAllow
	case "require-hint":
		return ast.RenameRequireHint
	case "deny":
		return ast.RenameDeny
	default:
		p.fail(at, types.ERROR, "Unknown rename_policy '"+policy+"'.", "write 'allow', 'require-hint' or 'deny'")
		return 0
	}
}
