package parse

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// statement parses one statement, up to its separator.
func (p *parser) statement() ast.Stmt {
	p.height = 0
	switch p.tok.word {
	case wSelect, wValues, wInsert, wUpdate, wDelete, wWith:
		return p.dataStatement()
	case wCreate:
		return p.create()
	case wDrop:
		return p.drop()
	case wAlter:
		return p.alter()
	case wDeclare:
		return p.declare()
	case wDiff:
		return p.diffSchema()
	case wApply:
		return p.applySchema()
	case wExplain:
		return p.explain()
	case wBegin, wCommit, wRollback, wSavepoint, wRelease:
		return p.transaction()
	case wPragma:
		return p.pragma()
	case wAnalyze:
		return p.analyze()
	case wRefresh:
		return p.refresh()
	}
	if p.is(kLParen) {
		return p.query()
	}
	p.noStatement()
	return nil
}

func (p *parser) noStatement() {
	got := "end of text"
	if !p.is(kEOF) {
		got = "'" + p.shortText(p.tok) + "'"
	}
	hint := cmp.Or(p.nearWord(p.prev, operandWords), p.nearWord(p.tok, operandWords))
	if p.prev.to == p.prev.from || p.prev.kind == kSemicolon {
		hint = p.nearWord(p.tok, statementWords)
	}
	p.failHere("Expected statement type (SELECT, INSERT, ...), got "+got+".", hint)
}

// endStatement takes the separator. Whatever else stands behind a complete statement is refused: a typo must never become
// a second statement.
func (p *parser) endStatement() {
	switch {
	case p.is(kEOF) || p.accept(kSemicolon):
	case p.is(kLParen) && !p.peek().startsQuery():
		p.failHere("Expected SELECT, VALUES, INSERT, UPDATE, or DELETE in query expression." + p.got())
	case p.is(kLParen) || startsStatement(p.tok.word):
		p.fail(p.tok.from, types.ERROR, "Expected ';' between statements."+p.got(),
			cmp.Or(p.dialectHint(), "separate two statements with a semicolon"))
	default:
		p.noStatement()
	}
}

func startsStatement(w word) bool {
	switch w {
	case wSelect, wValues, wInsert, wUpdate, wDelete, wCreate, wDrop, wAlter, wDeclare, wDiff, wApply, wExplain, wBegin,
		wCommit, wRollback, wSavepoint, wRelease, wPragma, wAnalyze:
		return true
	}
	return false
}

// dataStatement parses a query or a data change, with the WITH in front of it.
func (p *parser) dataStatement() ast.Stmt {
	from := p.tok.from
	var with *ast.With
	if p.isWord(wWith) {
		with = p.with()
	}
	switch {
	case p.isWord(wInsert):
		return p.insert(from, with)
	case p.isWord(wUpdate):
		return p.update(from, with)
	case p.isWord(wDelete):
		return p.delete(from, with)
	case with == nil || p.tok.startsQuery() || p.is(kLParen):
		return p.queryAfterWith(from, with)
	}
	p.refuseWith()
	return nil
}

// refuseWith fails for a WITH before something that is no query. It names a statement that would be fine alone.
func (p *parser) refuseWith() {
	at := p.tok.from
	if !startsStatement(p.tok.word) && !p.isWord(wRefresh) {
		p.expected("SELECT, VALUES, INSERT, UPDATE, or DELETE after WITH clause")
		return
	}
	if stmt := p.statement(); p.err == nil {
		p.fail(at, types.ERROR, fmt.Sprintf("WITH clause cannot be used with %s statement.", stmtKind(stmt)), "")
	}
}

// stmtKind names the kind of a statement after its node: createTable for *ast.CreateTableStmt.
func stmtKind(stmt ast.Stmt) string {
	name := strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", stmt), "*ast."), "Stmt")
	return strings.ToLower(name[:1]) + name[1:]
}

// explain parses EXPLAIN SCHEMA and EXPLAIN of a query or data change.
func (p *parser) explain() ast.Stmt {
	from := p.tok.from
	p.next()
	if p.acceptWord(wSchema) {
		s := &ast.ExplainSchemaStmt{Name: p.name(schemaWord, "schema name after EXPLAIN SCHEMA")}
		s.Version, s.HasVersion = p.version()
		s.Span = p.span(from)
		return s
	}
	s := &ast.ExplainStmt{}
	switch {
	case p.acceptWord(wAnalyze):
		s.Analyze = true
	case p.acceptWord(wQuery):
		p.expectWord(wPlan, "'PLAN' after EXPLAIN QUERY")
	}
	if p.acceptWord(wAs) {
		s.As = p.name(contextual, "form after EXPLAIN AS (text, json, mermaid or dot)")
	}
	if !p.tok.startsQuery() && !p.is(kLParen) {
		p.expected("SELECT, VALUES, WITH, INSERT, UPDATE, DELETE, or SCHEMA after EXPLAIN")
		return s
	}
	s.Stmt = p.dataStatement()
	s.Span = p.span(from)
	return s
}

// transaction parses BEGIN, COMMIT, ROLLBACK, SAVEPOINT and RELEASE.
func (p *parser) transaction() ast.Stmt {
	t := p.tok
	p.next()
	switch t.word {
	case wSavepoint:
		name := p.name(contextual, "savepoint name after SAVEPOINT")
		return &ast.SavepointStmt{Span: p.span(t.from), Name: name}
	case wRelease:
		p.acceptWord(wSavepoint)
		name := p.name(contextual, "savepoint name after RELEASE [SAVEPOINT]")
		return &ast.ReleaseStmt{Span: p.span(t.from), Name: name}
	}
	p.acceptWord(wTransaction)
	switch t.word {
	case wBegin:
		return &ast.BeginStmt{Span: p.span(t.from)}
	case wCommit:
		return &ast.CommitStmt{Span: p.span(t.from)}
	}
	s := &ast.RollbackStmt{}
	if p.acceptWord(wTo) {
		p.acceptWord(wSavepoint)
		s.To = p.name(contextual, "savepoint name after ROLLBACK TO")
	}
	s.Span = p.span(t.from)
	return s
}

// pragma parses the reading and the writing form. The value is one token, or a number with a sign.
func (p *parser) pragma() ast.Stmt {
	from := p.tok.from
	p.next()
	s := &ast.PragmaStmt{Name: p.name(contextual, "pragma name")}
	if p.file != nil && p.accept(kDot) {
		s.Name = p.name(contextual, "pragma name")
	}
	open := p.tok.from
	isCall := p.file != nil && p.accept(kLParen)
	if isCall || p.accept(kEq) {
		const what = "pragma value (identifier, string, number, or NULL)"
		switch {
		case p.is(kQuoted) || p.is(kWord) && !p.isWord(wNull) && !p.isWord(wTrue) && !p.isWord(wFalse):
			name := p.takeName()
			s.Value, s.Bare = &ast.Literal{Span: name.Span, Kind: ast.TextLit, Text: name.Text}, true
		default:
			s.Value = p.constant(what)
		}
	}
	if isCall && !p.accept(kRParen) {
		p.unclosed(")", open, "after pragma value")
	}
	s.Span = p.span(from)
	return s
}

// analyze parses ANALYZE of everything, of a schema or of a table.
func (p *parser) analyze() ast.Stmt {
	from := p.tok.from
	p.next()
	s := &ast.AnalyzeStmt{}
	if p.tok.admits(schemaWord) {
		first := p.takeName()
		switch {
		case !p.accept(kDot):
			s.Name.Name = first
		case p.accept(kStar):
			s.AllOf = first
		default:
			s.Name = ast.QName{Schema: first, Name: p.name(schemaWord, "table name")}
		}
	}
	s.Span = p.span(from)
	return s
}

// refresh parses REFRESH MATERIALIZED VIEW.
func (p *parser) refresh() ast.Stmt {
	from := p.tok.from
	p.next()
	p.expectWord(wMaterialized, "'MATERIALIZED VIEW' after REFRESH")
	p.expectWord(wView, "'VIEW' after 'MATERIALIZED'")
	name := p.qname("view name")
	return &ast.RefreshStmt{Span: p.span(from), Name: name}
}
