package parse

import (
	"strconv"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
)

// createTable parses CREATE TABLE behind its second word.
func (p *parser) createTable(from ast.Pos) ast.Stmt {
	s := &ast.CreateTableStmt{IfNotExists: p.ifNotExists(), Name: p.qname("table name")}
	p.beginTable()
	if p.isWord(wAs) {
		p.fail(p.tok.from, types.UNSUPPORTED, "CREATE TABLE AS SELECT is not supported.",
			"create the table with its columns, then write: insert into … select …")
	}
	if !p.is(kLParen) {
		p.expected("'(' or 'AS' after table name")
	}
	p.parens++
	p.tableElements(s, kRParen, ")")
	p.parens--
	p.tableOptions()
	s.Using = p.optionalUsing()
	p.tableOptions()
	p.tableClauses(s)
	s.Span = p.span(from)
	return s
}

// tableOptions parses WITHOUT ROWID, which says nothing here: every table is ordered by its key; and in a schema file STRICT, which every
// table is.
func (p *parser) tableOptions() {
	for {
		switch {
		case p.acceptWord(wWithout):
			p.expectWord(wRowid, "'ROWID' after WITHOUT")
		case p.file != nil && p.acceptWord(wStrict):
		default:
			return
		}
		if p.file == nil || !p.accept(kComma) {
			return
		}
	}
}

// tableElements parses the columns and constraints of a table in brackets of the kind that ends with end.
func (p *parser) tableElements(s *ast.CreateTableStmt, end kind, mark string) {
	open := p.tok.from
	p.next()
	defs := p.defLists.mark()
	for {
		begin := p.here()
		wasConstraint := p.atTableConstraint()
		if wasConstraint {
			s.Constraints = append(s.Constraints, p.tableConstraint())
		} else {
			p.defLists.push(p.columnDef())
		}
		if p.file != nil && wasConstraint && p.atTableConstraint() {
			continue
		}
		if p.err == nil && !p.is(kComma) && !p.is(end) {
			missing, isComma := p.here(), p.isCommaMissing()
			p.elementEnd(open, end, mark)
			if isComma && p.err != nil {
				p.resumeAt(missing)
				continue
			}
		}
		if p.err != nil && p.file != nil {
			p.resumeElement(begin, end)
		}
		if !p.accept(kComma) || p.is(end) {
			break
		}
	}
	s.Columns = p.defLists.take(defs)
	p.atMost(limit.Columns, len(s.Columns), open, "columns of a table")
	p.numberKey(s)
	p.noteKey(s)
	p.accept(end)
}

// elementEnd fails for what stands behind an element in place of a comma or the closing mark.
func (p *parser) elementEnd(open ast.Pos, end kind, mark string) {
	begins := p.definitionHint()
	if end == kRParen && p.itemParens < 0 && (p.is(kWord) || p.is(kQuoted)) {
		p.failHere("Expected ',' between table elements. Did you forget a comma before '"+p.text(p.tok)+"'?",
			begins, p.nearWord(p.tok, elementWords))
		if begins != "" {
			line, column := p.src.Position(open)
			p.relate(types.Place{Line: line, Column: column, Message: "'" + mark + "' is missing for the one that is opened here"})
		}
		return
	}
	p.unclosed(mark, open, "after table definition")
}

// tableClauses parses what may follow the columns and the module: MAINTAINED, WITH CONTEXT, WITH TAGS.
func (p *parser) tableClauses(s *ast.CreateTableStmt) {
	if p.isWord(wMaintained) {
		s.Maintained = p.maintained()
	}
	for p.isWord(wWith) {
		w := p.peek().word
		if w != wContext && w != wTags {
			return
		}
		if w == wContext && s.HasContext || w == wTags && s.HasTags {
			p.duplicateClause()
			return
		}
		p.next()
		p.next()
		if w == wTags {
			s.Tags, s.HasTags = p.tagList(), true
		} else {
			s.Context, s.HasContext = p.contextVars(), true
		}
	}
}

// maintained parses MAINTAINED [(names)] AS query.
func (p *parser) maintained() *ast.MaintainedClause {
	from := p.tok.from
	p.next()
	m := &ast.MaintainedClause{Columns: p.optionalNames()}
	p.expectWord(wAs, "'AS' before maintained query")
	m.Query = p.query()
	m.Span = p.span(from)
	return m
}

// contextVars parses the variables that WITH CONTEXT of a table declares.
func (p *parser) contextVars() []ast.ContextVar {
	open := p.open("'(' after WITH CONTEXT")
	var vars []ast.ContextVar
	for {
		v := ast.ContextVar{Name: p.name(contextual, "variable name")}
		v.Type = p.optionalType()
		v.Null = p.acceptWord(wNull)
		vars = append(vars, v)
		if !p.accept(kComma) {
			break
		}
	}
	p.close(open, "after context variables")
	return vars
}

// optionalUsing parses USING module [(args)] if it is there.
func (p *parser) optionalUsing() *ast.UsingClause {
	from := p.tok.from
	if !p.acceptWord(wUsing) {
		return nil
	}
	u := &ast.UsingClause{Module: p.name(contextual, "module name after 'USING'")}
	if p.is(kLParen) {
		open := p.open("'('")
		for unnamed := 0; len(u.Args) > 0 || !p.is(kRParen); {
			arg := p.moduleArg()
			if !arg.Named {
				arg.Key = ast.Ident(strconv.Itoa(unnamed))
				unnamed++
			}
			u.Args = append(u.Args, arg)
			if !p.accept(kComma) {
				break
			}
		}
		p.close(open, "after module arguments")
	}
	u.Span = p.span(from)
	return u
}

// moduleArg parses a literal or name = value; true and false are 1 and 0, a bare word as value is its text.
func (p *parser) moduleArg() ast.ModuleArg {
	const what = "module argument (string, number, or name=value pair)"
	arg := ast.ModuleArg{}
	if p.tok.admits(contextual) {
		arg.Key, arg.Named = p.name(contextual, what), true
		p.expect(kEq, "'=' after module argument name")
		if p.tok.admits(contextual) {
			word := p.takeName()
			arg.Value = &ast.Literal{Span: word.Span, Kind: ast.TextLit, Text: word.Text}
			return arg
		}
	}
	arg.Value = p.constant(what)
	switch arg.Value.Kind {
	case ast.TrueLit:
		arg.Value.Kind, arg.Value.Text = ast.IntegerLit, "1"
	case ast.FalseLit:
		arg.Value.Kind, arg.Value.Text = ast.IntegerLit, "0"
	}
	return arg
}

// columnDef parses a column of a table.
func (p *parser) columnDef() *ast.ColumnDef {
	from := p.tok.from
	c := p.defs.new()
	if p.isWord(wUnique) || p.isWord(wCheck) {
		p.expected("column name")
		return c
	}
	c.Name = p.columnName()
	p.noteColumn(c.Name)
	c.Type = p.optionalType()
	mark := p.clauseLists.mark()
	for {
		clause := p.columnConstraint()
		if clause == nil {
			break
		}
		p.clauseLists.push(clause)
	}
	c.Constraints = p.clauseLists.take(mark)
	p.settleClauses(c)
	c.Tags, c.HasTags = p.optionalTags()
	if c.HasTags && p.atWithTags() {
		p.duplicateClause()
	}
	c.Span = p.span(from)
	return c
}

// optionalType parses the type of a column or variable if one is there. The words that begin a clause are none.
func (p *parser) optionalType() *ast.TypeName {
	if !p.tok.admits(free) {
		return nil
	}
	t := p.typeName(p.typeArg)
	p.longType(t)
	return t
}

// typeArg takes one argument of a column type; what it means is nobody's business, as lengths are ignored.
func (p *parser) typeArg() {
	if p.is(kMinus) {
		p.next()
		if !p.is(kInteger) && !p.is(kReal) {
			p.expected("number")
		}
	}
	if !p.tok.isLiteral() && !p.is(kWord) && !p.is(kQuoted) {
		p.expected("length of the type")
	}
	p.next()
}

// columnConstraint parses one clause of a column, nil when none comes.
func (p *parser) columnConstraint() *ast.ColumnConstraint {
	if p.isWord(wAutoincrement) {
		p.autoincrement()
	}
	if !p.isWord(wConstraint) && !startsClause(p.tok.word) && !p.atShortGenerated() {
		return nil
	}
	from := p.tok.from
	c := p.clauses.new()
	if p.acceptWord(wConstraint) {
		c.Name = p.name(contextual, "constraint name")
		if !startsClause(p.tok.word) {
			p.expected("constraint after CONSTRAINT name")
		}
	}
	p.columnClause(c)
	if !c.Name.IsZero() {
		c.Tags, c.HasTags = p.optionalTags()
	}
	c.Span = p.span(from)
	return c
}

// startsClause reports whether a clause of a column begins with the word.
func startsClause(w word) bool {
	switch w {
	case wPrimary, wNot, wNull, wUnique, wCheck, wDefault, wCollate, wReferences, wGenerated:
		return true
	}
	return false
}

func (p *parser) columnClause(c *ast.ColumnConstraint) {
	w := p.tok.word
	if w == wReferences {
		c.Kind, c.References = ast.ReferencesClause, p.references()
		return
	}
	p.next()
	switch w {
	case wPrimary:
		c.Kind = ast.PrimaryKeyClause
		p.expectWord(wKey, "'KEY' after PRIMARY")
		c.Desc = p.direction()
		c.OnConflict = p.onConflict()
		if p.isWord(wAutoincrement) {
			p.autoincrement()
		}
	case wNot:
		c.Kind = ast.NotNullClause
		p.expectWord(wNull, "'NULL' after NOT")
		c.OnConflict = p.onConflict()
	case wNull:
		c.Kind, c.OnConflict = ast.NullClause, p.onConflict()
	case wUnique:
		c.Kind, c.OnConflict = ast.UniqueClause, p.onConflict()
	case wCheck:
		c.Kind = ast.CheckClause
		c.Ops, c.OpsOrder, c.X = p.check()
		c.OnConflict = p.onConflict()
	case wDefault:
		c.Kind, c.X = ast.DefaultClause, p.defaultValue()
	case wCollate:
		c.Kind, c.Collation = ast.CollateClause, p.collationName()
	case wGenerated, wAs:
		p.generated(c, w)
	}
}

// atShortGenerated reports whether AS (…) of a generated column comes, in a schema file without GENERATED ALWAYS.
func (p *parser) atShortGenerated() bool {
	return p.file != nil && p.isWord(wAs) && p.peek().kind == kLParen
}

// generated parses what follows the first word of the clause.
func (p *parser) generated(c *ast.ColumnConstraint, first word) {
	c.Kind = ast.GeneratedClause
	if first == wGenerated {
		p.expectWord(wAlways, "'ALWAYS' after GENERATED")
		p.expectWord(wAs, "'AS' after GENERATED ALWAYS")
	}
	open := p.open("'(' before generated expression")
	c.X = p.expr()
	p.close(open, "after generated expression")
	if c.Stored = p.acceptWord(wStored); !c.Stored {
		c.Virtual = p.acceptWord(wVirtual)
	}
}

// onConflict parses ON CONFLICT action if it is there.
func (p *parser) onConflict() ast.ConflictAction {
	if !p.acceptWord(wOn) {
		return ast.ConflictDefault
	}
	p.expectWord(wConflict, "'CONFLICT' after ON")
	return p.conflictAction("ROLLBACK, ABORT, FAIL, IGNORE, or REPLACE after ON CONFLICT")
}

// check parses what follows CHECK: the operations, if written, and the condition.
func (p *parser) check() (ops ast.Operations, order []ast.Operations, x ast.Expr) {
	if p.acceptWord(wOn) {
		for {
			op := p.operation()
			ops |= op
			order = append(order, op)
			if !p.accept(kComma) {
				break
			}
		}
	}
	open := p.open("'(' after CHECK")
	x = p.expr()
	p.close(open, "after CHECK expression")
	return ops, order, x
}

func (p *parser) operation() ast.Operations {
	switch {
	case p.acceptWord(wInsert):
		return ast.OnInsert
	case p.acceptWord(wUpdate):
		return ast.OnUpdate
	case p.acceptWord(wDelete):
		return ast.OnDelete
	}
	p.expected("INSERT, UPDATE, or DELETE after ON")
	return 0
}

// atTableConstraint reports whether a constraint of the table comes next, not a column.
func (p *parser) atTableConstraint() bool {
	switch p.tok.word {
	case wConstraint, wPrimary, wUnique, wCheck, wForeign:
		return true
	}
	return false
}

func (p *parser) tableConstraint() *ast.TableConstraint {
	from := p.tok.from
	c := &ast.TableConstraint{}
	if p.acceptWord(wConstraint) {
		c.Name = p.name(contextual, "constraint name")
	}
	switch {
	case p.acceptWord(wPrimary):
		c.Kind = ast.PrimaryKeyClause
		p.expectWord(wKey, "'KEY' after PRIMARY")
		c.Key = p.keyColumns("'(' before PRIMARY KEY columns")
		c.OnConflict = p.onConflict()
	case p.acceptWord(wUnique):
		c.Kind = ast.UniqueClause
		c.Columns = p.nameList("'(' before UNIQUE columns", "after UNIQUE columns")
		c.OnConflict = p.onConflict()
	case p.acceptWord(wCheck):
		c.Kind = ast.CheckClause
		c.Ops, c.OpsOrder, c.X = p.check()
		c.OnConflict = p.onConflict()
	case p.acceptWord(wForeign):
		c.Kind = ast.ForeignKeyClause
		p.expectWord(wKey, "'KEY' after FOREIGN")
		c.Columns = p.nameList("'(' before FOREIGN KEY columns", "after FOREIGN KEY columns")
		if !p.isWord(wReferences) {
			p.expected("'REFERENCES' after FOREIGN KEY columns")
		}
		c.References = p.references()
	default:
		p.expected("PRIMARY KEY, UNIQUE, CHECK, or FOREIGN KEY after CONSTRAINT name")
	}
	c.Tags, c.HasTags = p.optionalTags()
	if c.HasTags && p.atWithTags() {
		p.duplicateClause()
	}
	c.Span = p.span(from)
	return c
}

// keyColumns parses the members of a primary key in brackets, maybe none.
func (p *parser) keyColumns(what string) []ast.KeyColumn {
	open := p.open(what)
	var key []ast.KeyColumn
	for len(key) > 0 || !p.is(kRParen) {
		key = append(key, ast.KeyColumn{Name: p.name(contextual, "column name"), Desc: p.direction()})
		if p.isWord(wAutoincrement) {
			p.autoincrementKey(key[len(key)-1].Name)
		}
		if !p.accept(kComma) {
			break
		}
	}
	p.close(open, "after PRIMARY KEY columns")
	return key
}

// references parses REFERENCES and its clauses, in any order; of a repeated one the last counts.
func (p *parser) references() *ast.References {
	from := p.tok.from
	p.next()
	r := &ast.References{Table: p.qname("table name"), Columns: p.optionalNames()}
	for {
		switch {
		case p.acceptWord(wOn):
			switch {
			case p.acceptWord(wDelete):
				r.OnDelete = p.fkAction()
			case p.acceptWord(wUpdate):
				r.OnUpdate = p.fkAction()
			default:
				p.expected("DELETE or UPDATE after ON")
			}
		case p.isWord(wDeferrable), p.isWord(wNot) && p.peek().word == wDeferrable:
			r.Deferral = p.deferral()
		case p.acceptWord(wMatch):
			p.match(r)
		default:
			r.Span = p.span(from)
			return r
		}
	}
}

func (p *parser) fkAction() ast.FKAction {
	switch {
	case p.acceptWord(wCascade):
		return ast.FKCascade
	case p.acceptWord(wRestrict):
		return ast.FKRestrict
	case p.acceptWord(wNo):
		p.expectWord(wAction, "'ACTION' after NO")
		return ast.FKNoAction
	case p.acceptWord(wSet):
		if p.acceptWord(wDefault) {
			return ast.FKSetDefault
		}
		p.expectWord(wNull, "NULL or DEFAULT after SET")
		return ast.FKSetNull
	}
	p.expected("CASCADE, RESTRICT, NO ACTION, SET NULL, or SET DEFAULT")
	return ast.FKDefault
}

// deferral parses [NOT] DEFERRABLE [INITIALLY DEFERRED|IMMEDIATE].
func (p *parser) deferral() ast.Deferral {
	plain, deferred, immediate := ast.Deferrable, ast.DeferrableDeferred, ast.DeferrableImmediate
	if p.acceptWord(wNot) {
		plain, deferred, immediate = ast.NotDeferrable, ast.NotDeferrableDeferred, ast.NotDeferrableImmediate
	}
	p.next()
	switch {
	case !p.acceptWord(wInitially):
		return plain
	case p.acceptWord(wDeferred):
		return deferred
	}
	p.expectWord(wImmediate, "DEFERRED or IMMEDIATE after INITIALLY")
	return immediate
}
