package parse

import "github.com/quereus/quereus-migrate/engine/ast"

// alter parses ALTER.
func (p *parser) alter() ast.Stmt {
	from := p.tok.from
	p.next()
	kind, ok := p.objectKind()
	if !ok {
		p.expected("TABLE, VIEW, MATERIALIZED VIEW, or INDEX after ALTER")
		return &ast.AlterStmt{}
	}
	s := &ast.AlterStmt{Kind: kind, Name: p.qname(kind.String() + " name")}
	if s.Kind == ast.TableObject {
		s.Action = p.tableAction()
	} else {
		s.Action = p.objectTags("SET TAGS, ADD TAGS, or DROP TAGS after the name in ALTER")
	}
	s.Span = p.span(from)
	return s
}

// tableAction parses what ALTER TABLE does.
func (p *parser) tableAction() ast.AlterAction {
	from := p.tok.from
	switch {
	case p.acceptWord(wRename):
		return p.rename(from)
	case p.acceptWord(wAdd):
		return p.alterAdd(from)
	case p.acceptWord(wDrop):
		return p.alterDrop(from)
	case p.acceptWord(wAlter):
		return p.alterPart(from)
	case p.acceptWord(wSet):
		return p.alterSet(from)
	}
	p.expected("RENAME, ADD, DROP, or ALTER after table name in ALTER TABLE")
	return nil
}

func (p *parser) rename(from ast.Pos) ast.AlterAction {
	switch {
	case p.acceptWord(wTo):
		to := p.name(contextual, "new table name after RENAME TO")
		return &ast.RenameTable{Span: p.span(from), To: to}
	case p.acceptWord(wColumn):
		old, to := p.renamePair("column name")
		return &ast.RenameColumn{Span: p.span(from), From: old, To: to}
	case p.acceptWord(wConstraint):
		old, to := p.renamePair("constraint name")
		return &ast.RenameConstraint{Span: p.span(from), From: old, To: to}
	}
	p.expected("TO, COLUMN, or CONSTRAINT after RENAME")
	return nil
}

// renamePair parses `old TO new`.
func (p *parser) renamePair(what string) (old, to ast.Name) {
	old = p.name(contextual, what)
	p.expectWord(wTo, "'TO' after "+what)
	return old, p.name(contextual, "new "+what)
}

// atTagVerb reports whether TAGS is the verb and not a column of that name: a bracket follows.
func (p *parser) atTagVerb() bool { return p.isWord(wTags) && p.peek().kind == kLParen }

func (p *parser) alterAdd(from ast.Pos) ast.AlterAction {
	switch {
	case p.atTagVerb():
		return p.tagAction(from, ast.AddTags)
	case p.isWord(wConstraint), p.isWord(wUnique), p.isWord(wForeign), p.isWord(wCheck):
		c := p.tableConstraint()
		return &ast.AddConstraint{Span: p.span(from), Constraint: c}
	}
	p.acceptWord(wColumn)
	c := p.columnDef()
	return &ast.AddColumn{Span: p.span(from), Column: c}
}

func (p *parser) alterDrop(from ast.Pos) ast.AlterAction {
	switch {
	case p.atTagVerb():
		return p.tagAction(from, ast.DropTags)
	case p.acceptWord(wMaintained):
		return &ast.DropMaintained{Span: p.span(from)}
	case p.acceptWord(wConstraint):
		name := p.name(contextual, "constraint name after DROP CONSTRAINT")
		return &ast.DropConstraint{Span: p.span(from), Name: name}
	}
	p.acceptWord(wColumn)
	column := p.name(contextual, "column name after DROP")
	return &ast.DropColumn{Span: p.span(from), Column: column}
}

// alterPart parses ALTER COLUMN, ALTER CONSTRAINT and ALTER PRIMARY KEY.
func (p *parser) alterPart(from ast.Pos) ast.AlterAction {
	switch {
	case p.acceptWord(wColumn):
		return p.columnAction(from, p.name(contextual, "column name after ALTER COLUMN"))
	case p.acceptWord(wConstraint):
		name := p.name(contextual, "constraint name after ALTER CONSTRAINT")
		if w := p.peek().word; p.isWord(wSet) && (w == wDeferrable || w == wNot) {
			p.next()
			return p.setDeferral(from, name)
		}
		return p.siteTags(from, ast.ConstraintTags, name, "SET TAGS, ADD TAGS, or DROP TAGS after constraint name")
	case p.acceptWord(wPrimary):
		p.expectWord(wKey, "'KEY' after PRIMARY")
		if p.acceptWord(wSet) {
			return p.setConflict(from, ast.Name{})
		}
		key := p.keyColumns("'(' after PRIMARY KEY")
		return &ast.AlterPrimaryKey{Span: p.span(from), Key: key}
	}
	p.expected("COLUMN, CONSTRAINT, or PRIMARY KEY after ALTER")
	return nil
}

func (p *parser) setDeferral(from ast.Pos, name ast.Name) ast.AlterAction {
	if p.isWord(wNot) && p.peek().word != wDeferrable {
		p.expected("[NOT] DEFERRABLE after SET")
		return nil
	}
	d := p.deferral()
	return &ast.SetDeferral{Span: p.span(from), Name: name, Deferral: d}
}

func (p *parser) setConflict(from ast.Pos, column ast.Name) ast.AlterAction {
	if !p.isWord(wOn) {
		p.expected("ON CONFLICT after SET")
		return nil
	}
	a := p.onConflict()
	return &ast.SetConflict{Span: p.span(from), Column: column, Action: a}
}

// setContext parses the variables of SET CONTEXT, which may be none.
func (p *parser) setContext(from ast.Pos) ast.AlterAction {
	p.next()
	if p.is(kLParen) && p.peek().kind == kRParen {
		p.next()
		p.next()
		return &ast.SetContext{Span: p.span(from)}
	}
	vars := p.contextVars()
	return &ast.SetContext{Span: p.span(from), Vars: vars}
}

func (p *parser) setColumnOrder(from ast.Pos) ast.AlterAction {
	p.next()
	p.expectWord(wOrder, "'ORDER' after SET COLUMN")
	columns := p.optionalNames()
	if columns == nil {
		p.expected("'(' after SET COLUMN ORDER")
		return nil
	}
	return &ast.SetColumnOrder{Span: p.span(from), Columns: columns}
}

// alterSet parses what is set of a whole table.
func (p *parser) alterSet(from ast.Pos) ast.AlterAction {
	switch {
	case p.isWord(wMaintained):
		m := p.maintained()
		return &ast.SetMaintained{Span: p.span(from), Columns: m.Columns, Query: m.Query}
	case p.isWord(wTags):
		return p.tagAction(from, ast.SetTags)
	case p.isWord(wUsing):
		u := p.optionalUsing()
		return &ast.SetUsing{Span: p.span(from), Using: u}
	case p.isWord(wContext):
		return p.setContext(from)
	case p.isWord(wColumn):
		return p.setColumnOrder(from)
	}
	p.expected("MAINTAINED or TAGS after SET")
	return nil
}

func (p *parser) columnAction(from ast.Pos, column ast.Name) ast.AlterAction {
	switch {
	case p.acceptWord(wSet):
		return p.setColumn(from, column)
	case p.isWord(wAdd):
		return p.siteTags(from, ast.ColumnTags, column, "TAGS after ADD")
	case !p.isWord(wDrop):
		p.expected("SET, DROP, or ADD TAGS after column name in ALTER COLUMN")
		return nil
	case p.peek().word == wTags:
		return p.siteTags(from, ast.ColumnTags, column, "TAGS after DROP")
	}
	p.next()
	switch {
	case p.acceptWord(wNot):
		p.expectWord(wNull, "'NULL' after NOT")
		return &ast.SetNotNull{Span: p.span(from), Column: column, Drop: true}
	case p.acceptWord(wDefault):
		return &ast.SetDefault{Span: p.span(from), Column: column}
	case p.acceptWord(wGenerated):
		return &ast.SetGenerated{Span: p.span(from), Column: column}
	}
	p.expected("NOT NULL, DEFAULT, or TAGS after DROP")
	return nil
}

func (p *parser) setColumn(from ast.Pos, column ast.Name) ast.AlterAction {
	switch {
	case p.acceptWord(wNot):
		p.expectWord(wNull, "'NULL' after NOT")
		return &ast.SetNotNull{Span: p.span(from), Column: column}
	case p.acceptWord(wData):
		p.expectWord(wType, "'TYPE' after DATA")
		t := p.optionalType()
		if t == nil {
			p.expected("type name after SET DATA TYPE")
			return nil
		}
		return &ast.SetDataType{Span: p.span(from), Column: column, Type: *t}
	case p.acceptWord(wDefault):
		x := p.expr()
		return &ast.SetDefault{Span: p.span(from), Column: column, X: x}
	case p.acceptWord(wCollate):
		c := p.collationName()
		return &ast.SetCollate{Span: p.span(from), Column: column, Collation: c}
	case p.acceptWord(wGenerated):
		var c ast.ColumnConstraint
		p.generated(&c, wGenerated)
		return &ast.SetGenerated{Span: p.span(from), Column: column, X: c.X, Stored: c.Stored}
	case p.isWord(wOn):
		return p.setConflict(from, column)
	case p.isWord(wTags):
		a := p.tagAction(from, ast.SetTags)
		a.Site, a.Name = ast.ColumnTags, column
		return a
	}
	p.expected("NOT NULL, DATA TYPE, DEFAULT, COLLATE, or TAGS after SET")
	return nil
}

// objectTags parses the tag action of an object that has no other.
func (p *parser) objectTags(what string) ast.AlterAction {
	return p.siteTags(p.tok.from, ast.ObjectTags, ast.Name{}, what)
}

// siteTags parses SET, ADD or DROP of TAGS.
func (p *parser) siteTags(from ast.Pos, site ast.TagSite, name ast.Name, what string) ast.AlterAction {
	verb := ast.SetTags
	switch {
	case p.acceptWord(wSet):
	case p.acceptWord(wAdd):
		verb = ast.AddTags
	case p.acceptWord(wDrop):
		verb = ast.DropTags
	default:
		p.expected(what)
		return nil
	}
	if !p.isWord(wTags) {
		p.expected(what)
		return nil
	}
	a := p.tagAction(from, verb)
	a.Site, a.Name = site, name
	return a
}
