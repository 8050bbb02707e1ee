package parse

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// insert parses INSERT; from is where the statement begins, its WITH included.
func (p *parser) insert(from ast.Pos, with *ast.With) *ast.InsertStmt {
	p.next()
	s := &ast.InsertStmt{With: with}
	if p.acceptWord(wOr) {
		s.Or = p.conflictAction("ROLLBACK, ABORT, FAIL, IGNORE, or REPLACE after INSERT OR")
	}
	p.acceptWord(wInto)
	at := p.tok.from
	s.Table.Name = p.qname("table name")
	s.Table.Span = p.span(at)
	if p.is(kLParen) && !p.lookahead(p.skipToQuery) {
		s.Columns = p.nameList("'('", "after column list")
	}
	seen := p.leadingClauses(&s.WriteClauses)
	if s.Columns == nil && p.isWord(wDefault) {
		p.next()
		p.expectWord(wValues, "'VALUES' after DEFAULT")
		s.DefaultValues = true
	} else {
		s.Source = p.insertSource()
		p.upserts(s)
	}
	p.trailingClauses(&s.WriteClauses, seen)
	s.Returning = p.returning()
	s.Span = p.span(from)
	return s
}

// skipToQuery reports whether the brackets that come next hold a query.
func (p *parser) skipToQuery() bool {
	for p.accept(kLParen) {
	}
	return p.tok.startsQuery()
}

// insertSource parses the query that gives the rows. DEFAULT is a cell only where VALUES is the whole of it.
func (p *parser) insertSource() *ast.SelectStmt {
	if p.isWord(wWith) || !p.tok.startsQuery() && !p.is(kLParen) {
		p.expected("VALUES, SELECT, or DML (with RETURNING) after INSERT")
		return nil
	}
	if !p.isWord(wValues) {
		return p.query()
	}
	height := p.height
	p.height = 0
	p.enter()
	from := p.tok.from
	rows := p.values(true)
	if _, ok := setOperator(p.tok.word); ok {
		plainCells(rows)
	}
	q := p.queryTail(from, nil, p.compound(rows))
	p.leave()
	p.height = max(p.height, height)
	return q
}

// plainCells makes DEFAULT in the rows the column name that it is in an ordinary query.
func plainCells(v *ast.ValuesClause) {
	for _, row := range v.Rows {
		for i, x := range row {
			if cell, ok := x.(*ast.DefaultCell); ok {
				row[i] = &ast.ColumnRef{Span: cell.Span, Column: ast.Name{Span: cell.Span, Text: "default"}}
			}
		}
	}
}

// conflictAction parses the word that says what a violation does.
func (p *parser) conflictAction(what string) ast.ConflictAction {
	switch {
	case p.acceptWord(wRollback):
		return ast.ConflictRollback
	case p.acceptWord(wAbort):
		return ast.ConflictAbort
	case p.acceptWord(wFail):
		return ast.ConflictFail
	case p.acceptWord(wIgnore):
		return ast.ConflictIgnore
	case p.acceptWord(wReplace):
		return ast.ConflictReplace
	}
	p.expected(what)
	return ast.ConflictDefault
}

// upserts parses the ON CONFLICT clauses of an INSERT.
func (p *parser) upserts(s *ast.InsertStmt) {
	for p.isWord(wOn) {
		from := p.tok.from
		if s.Or != ast.ConflictDefault {
			p.failHere("Cannot use both 'INSERT OR ...' and 'ON CONFLICT' in the same statement.")
		}
		p.next()
		p.expectWord(wConflict, "'CONFLICT' after ON")
		u := ast.Upsert{Columns: p.optionalNames()}
		p.expectWord(wDo, "'DO' in ON CONFLICT")
		switch {
		case p.acceptWord(wUpdate):
			u.Update = true
			u.Set = p.setClause()
			u.Where = p.optionalWhere()
		default:
			p.expectWord(wNothing, "NOTHING or UPDATE after DO")
		}
		u.Span = p.span(from)
		s.Upserts = append(s.Upserts, u)
	}
}

func (p *parser) setClause() []ast.Assignment {
	p.expectWord(wSet, "'SET' after DO UPDATE")
	return p.assignmentSequence("column name in SET clause", "'=' after column name in SET clause")
}

func (p *parser) optionalWhere() ast.Expr {
	if !p.acceptWord(wWhere) {
		return nil
	}
	return p.expr()
}

// update parses UPDATE.
func (p *parser) update(from ast.Pos, with *ast.With) *ast.UpdateStmt {
	p.next()
	s := &ast.UpdateStmt{With: with, Table: p.writeTarget()}
	seen := p.leadingClauses(&s.WriteClauses)
	if !p.isWord(wSet) {
		p.expected("'SET' after table name in UPDATE")
	}
	s.Set = p.setClause()
	if p.acceptWord(wFrom) {
		s.From = p.fromClause()
	}
	s.Where = p.optionalWhere()
	p.trailingClauses(&s.WriteClauses, seen)
	s.Returning = p.returning()
	s.Span = p.span(from)
	return s
}

// delete parses DELETE.
func (p *parser) delete(from ast.Pos, with *ast.With) *ast.DeleteStmt {
	p.next()
	p.acceptWord(wFrom)
	s := &ast.DeleteStmt{With: with, Table: p.writeTarget()}
	seen := p.leadingClauses(&s.WriteClauses)
	s.Where = p.optionalWhere()
	p.trailingClauses(&s.WriteClauses, seen)
	s.Returning = p.returning()
	s.Span = p.span(from)
	return s
}

// writeTarget parses `name [alias]` or `(query) as name`.
func (p *parser) writeTarget() ast.Target {
	from := p.tok.from
	var t ast.Target
	if p.is(kLParen) {
		open := p.open("'('")
		t.Query = p.query()
		p.close(open, "after target query")
		p.expectWord(wAs, "'AS' after target query")
		t.Alias = p.name(contextual, "identifier after 'AS'")
	} else {
		t.Name = p.qname("table name")
		t.Alias = p.alias()
	}
	t.Span = p.span(from)
	return t
}

// writeClause is a set of the clauses that a data change may carry once each.
type writeClause uint8

const (
	contextClause writeClause = 1 << iota
	tagsClause
	schemaClause
)

// leadingClauses parses WITH CONTEXT and WITH TAGS in front of the source or SET.
func (p *parser) leadingClauses(w *ast.WriteClauses) (seen writeClause) {
	return p.writeClauses(w, 0, contextClause|tagsClause)
}

// trailingClauses parses WITH CONTEXT, WITH TAGS and WITH SCHEMA in front of RETURNING.
func (p *parser) trailingClauses(w *ast.WriteClauses, seen writeClause) {
	p.writeClauses(w, seen, contextClause|tagsClause|schemaClause)
}

func (p *parser) writeClauses(w *ast.WriteClauses, seen, allowed writeClause) writeClause {
	for p.isWord(wWith) {
		clause := writeClauseOf(p.peek().word) & allowed
		if clause == 0 {
			break
		}
		if seen&clause != 0 {
			p.duplicateClause()
			break
		}
		seen |= clause
		p.next()
		p.next()
		switch clause {
		case contextClause:
			w.Context = p.assignmentSequence("variable name after WITH CONTEXT", "'=' after variable name in WITH CONTEXT")
		case tagsClause:
			w.Tags, w.HasTags = p.tagList(), true
		default:
			w.SchemaPath = p.nameSequence(schemaWord, "schema name after WITH SCHEMA")
		}
	}
	return seen
}

func writeClauseOf(w word) writeClause {
	switch w {
	case wContext:
		return contextClause
	case wTags:
		return tagsClause
	case wSchema:
		return schemaClause
	}
	return 0
}

// duplicateClause fails for a second `with context`, `with tags` or `with schema`.
func (p *parser) duplicateClause() {
	clause := map[word]string{wContext: "CONTEXT", wTags: "TAGS", wSchema: "SCHEMA"}[p.peek().word]
	p.fail(p.tok.from, types.ERROR, "Duplicate WITH "+clause+" clause.", "write it once")
}
