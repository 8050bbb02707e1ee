package parse

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// create parses CREATE of any kind.
func (p *parser) create() ast.Stmt {
	from := p.tok.from
	p.next()
	switch {
	case p.acceptWord(wTable):
		return p.createTable(from)
	case p.isWord(wUnique), p.isWord(wIndex):
		return p.createIndex(from)
	case p.acceptWord(wView):
		s := &ast.CreateViewStmt{IfNotExists: p.ifNotExists(), Name: p.qname("view name")}
		p.viewBody(s, "'AS' before view body in CREATE VIEW")
		s.Span = p.span(from)
		return s
	case p.acceptWord(wMaterialized):
		p.expectWord(wView, "'VIEW' after 'MATERIALIZED'")
		s := &ast.CreateMaterializedViewStmt{IfNotExists: p.ifNotExists(), Name: p.qname("view name")}
		p.materializedBody(s, "'AS' before view body in CREATE MATERIALIZED VIEW")
		s.Span = p.span(from)
		return s
	case p.acceptWord(wAssertion):
		s := &ast.CreateAssertionStmt{Name: p.qname("table name")}
		s.X = p.assertionBody()
		s.Span = p.span(from)
		return s
	}
	p.refuseCreate()
	return nil
}

func (p *parser) ifNotExists() bool {
	if !p.acceptWord(wIf) {
		return false
	}
	p.expectWord(wNot, "'NOT EXISTS' after IF")
	p.expectWord(wExists, "'EXISTS' after IF NOT")
	return true
}

func (p *parser) ifExists() bool {
	if !p.acceptWord(wIf) {
		return false
	}
	p.expectWord(wExists, "'EXISTS' after IF")
	return true
}

// createIndex parses [UNIQUE] INDEX …; CREATE is taken.
func (p *parser) createIndex(from ast.Pos) ast.Stmt {
	s := &ast.CreateIndexStmt{Unique: p.acceptWord(wUnique)}
	p.expectWord(wIndex, "'INDEX' after 'UNIQUE'")
	s.IfNotExists = p.ifNotExists()
	s.Name = p.qname("index name")
	p.expectWord(wOn, "'ON' after index name")
	s.Table = p.qname("table name")
	p.indexBody(s)
	s.Span = p.span(from)
	return s
}

// indexBody parses the members and what follows them.
func (p *parser) indexBody(s *ast.CreateIndexStmt) {
	if p.isWord(wUsing) {
		p.fail(p.tok.from, types.ERROR, "Expected '(' before indexed columns."+p.got(), "there is one kind of index: leave USING out")
	}
	open := p.open("'(' before indexed columns")
	mark := p.members.mark()
	for {
		p.members.push(p.indexColumn())
		if !p.accept(kComma) {
			break
		}
	}
	s.Columns = p.members.take(mark)
	p.close(open, "after indexed columns")
	s.Where = p.optionalWhere()
	s.Tags, s.HasTags = p.optionalTags()
}

// indexColumn parses a member of an index. A COLLATE at its end is the member's, whatever the expression before it.
func (p *parser) indexColumn() ast.IndexColumn {
	from := p.tok.from
	c := ast.IndexColumn{}
	p.memberParens = p.parens
	c.X = p.expr()
	p.memberParens = -1
	if p.acceptWord(wCollate) {
		c.Collation = p.collationName()
	} else if x, ok := c.X.(*ast.Collate); ok {
		c.X, c.Collation = x.X, x.Collation
	}
	c.Desc = p.direction()
	c.Span = p.span(from)
	return c
}

// collatesMember reports whether the COLLATE that comes next ends the member of an index.
func (p *parser) collatesMember() bool {
	p.next()
	p.next()
	return p.tok.endsCell() || p.isWord(wAsc) || p.isWord(wDesc)
}

// viewBody parses a view behind its name; as is what must stand before the query.
func (p *parser) viewBody(s *ast.CreateViewStmt, as string) {
	s.Columns = p.optionalNames()
	p.expectWord(wAs, as)
	s.Query = p.query()
	s.Tags, s.HasTags = p.optionalTags()
}

// materializedBody parses a materialized view behind its name.
func (p *parser) materializedBody(s *ast.CreateMaterializedViewStmt, as string) {
	s.Columns = p.optionalNames()
	s.Using = p.optionalUsing()
	p.expectWord(wAs, as)
	s.Query = p.query()
	s.Tags, s.HasTags = p.optionalTags()
}

// assertionBody parses CHECK (condition).
func (p *parser) assertionBody() ast.Expr {
	p.expectWord(wCheck, "'CHECK' after assertion name")
	open := p.open("'(' after CHECK")
	x := p.expr()
	p.close(open, "after CHECK expression")
	return x
}

// objectKind parses the words for a kind of object that DROP and ALTER both know, if they are there.
func (p *parser) objectKind() (kind ast.ObjectKind, ok bool) {
	switch {
	case p.acceptWord(wTable):
		return ast.TableObject, true
	case p.acceptWord(wView):
		return ast.ViewObject, true
	case p.acceptWord(wMaterialized):
		p.expectWord(wView, "'VIEW' after 'MATERIALIZED'")
		return ast.MaterializedViewObject, true
	case p.acceptWord(wIndex):
		return ast.IndexObject, true
	}
	return 0, false
}

// drop parses DROP of any kind.
func (p *parser) drop() ast.Stmt {
	from := p.tok.from
	p.next()
	kind, ok := p.objectKind()
	if !ok && p.acceptWord(wAssertion) {
		kind, ok = ast.AssertionObject, true
	}
	if !ok {
		p.expected("TABLE, VIEW, MATERIALIZED VIEW, INDEX, or ASSERTION after DROP")
		return &ast.DropStmt{}
	}
	s := &ast.DropStmt{Kind: kind, IfExists: p.ifExists()}
	s.Name = p.qname(kind.String() + " name")
	s.Span = p.span(from)
	return s
}

// refuseCreate fails for what CREATE does not know.
func (p *parser) refuseCreate() {
	at := p.tok.from
	switch {
	case p.isWord(wTrigger):
		p.fail(at, types.ERROR, "Triggers are not supported; write a CHECK or CREATE ASSERTION to refuse rows, "+
			"a generated column to compute a value, or a materialized view to keep derived rows.", "")
	case p.isWord(wVirtual):
		p.fail(at, types.ERROR, "Virtual tables are not supported: their rows live in a module that is not here.",
			"write a table with the columns that queries need, and search them with like or regexp")
	case p.isWord(wTemp) || p.isWord(wTemporary):
		p.fail(at, types.ERROR, "TEMP/TEMPORARY is not supported.", "name the schema instead: create table temp.t (…)")
	default:
		p.expected("TABLE, [UNIQUE] INDEX, VIEW, MATERIALIZED VIEW, or ASSERTION after CREATE")
	}
}
