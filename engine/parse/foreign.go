package parse

import (
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// The forms of SQLite's schemas that a schema file may hold because they mean something here. Statements that a session runs know none
// of them. They are
//
//   - AUTOINCREMENT, which becomes the default that numbers rows; STRICT and the comma between options of a table; AS (…) of a generated
//     column without the words before it; constraints of a table without a comma between them;
//   - a COLLATE after a DEFAULT, which is the column's; MATCH of a foreign key of one column; types of several words;
//   - x NOT NULL, x NOTNULL and x ISNULL as conditions;
//   - words that are reserved here and names there; any reserved word as the name of a column, where a type or a clause follows;
//   - BEGIN, COMMIT, END, VACUUM, REINDEX and ANALYZE, which say nothing of a schema, and PRAGMA name (value).

// fileStatement parses a statement of a schema file, nil for one that says nothing of a schema.
func (p *parser) fileStatement() ast.Stmt {
	switch p.tok.word {
	case wBegin, wCommit, wEnd:
		p.next()
		for p.is(kWord) && isTransactionWord(p.text(p.tok)) {
			p.next()
		}
		return nil
	case wAnalyze:
		p.analyze()
		return nil
	}
	if p.is(kWord) && (types.EqualFold(p.text(p.tok), "vacuum") || types.EqualFold(p.text(p.tok), "reindex")) {
		p.next()
		if p.tok.admits(schemaWord) {
			p.qname("name")
		}
		return nil
	}
	return p.statement()
}

func isTransactionWord(s string) bool {
	switch types.Fold(s) {
	case "transaction", "work", "deferred", "immediate", "exclusive":
		return true
	}
	return false
}

// isForeignName reports whether the token is a reserved word that a schema file may use as a name where a name or an operand must stand,
// because SQLite takes it for one.
func (p *parser) isForeignName(t token) bool {
	if p.file == nil || t.kind != kWord {
		return false
	}
	switch t.word {
	case wAbort, wAlways, wAnalyze, wApply, wAsc, wAssertion, wBegin, wBy, wCast, wConflict, wCross, wCurrent, wDeclare, wDeferred, wDesc,
		wDiff, wEnd, wExplain, wFail, wFollowing, wFull, wGenerated, wIf, wIgnore, wImmediate, wInitially, wInner, wLateral, wLeft, wNatural,
		wNo, wOffset, wOuter, wOver, wPartition, wPragma, wPreceding, wRange, wRecursive, wRelease, wRename, wReplace, wRight, wRollback,
		wRow, wRows, wSavepoint, wStored, wTemp, wTemporary, wUnbounded, wView, wVirtual, wXor:
		return true
	}
	return false
}

// isReservedMember reports whether the token is a reserved word that must be a name of a list, as a comma, a bracket or a direction follows.
func (p *parser) isReservedMember() bool {
	if p.file == nil || !p.is(kWord) || p.parens == 0 {
		return false
	}
	t := p.peek()
	return t.endsCell() || t.word == wAsc || t.word == wDesc
}

// columnName takes the name of a column that is defined: in a schema file any reserved word where a type, a clause or the end of the
// definition follows.
func (p *parser) columnName() ast.Name {
	if p.file != nil && p.is(kWord) && p.tok.word.class() < contextual {
		switch p.tok.word {
		case wCreate, wNot, wNull, wWith:
		default:
			if t := p.peek(); t.admits(free) || t.kind == kComma || t.kind == kRParen || startsClause(t.word) {
				return p.takeName()
			}
		}
	}
	return p.name(contextual, "column name")
}

// beginTable forgets what was noted of the columns of another table.
func (p *parser) beginTable() {
	if p.file != nil {
		p.file.column, p.file.numbered = ast.Name{}, ast.Name{}
	}
}

// noteColumn notes the column that is being defined.
func (p *parser) noteColumn(name ast.Name) {
	if p.file != nil {
		p.file.column = name
	}
}

// defaultValue parses the value of a DEFAULT.
func (p *parser) defaultValue() ast.Expr {
	if p.file == nil {
		return p.expr()
	}
	outer := p.defaultParens
	p.defaultParens = p.parens
	x := p.expr()
	p.defaultParens = outer
	return x
}

// collatesColumn reports whether the COLLATE that comes next, after a DEFAULT, is a clause of the column and no part of the value.
func (p *parser) collatesColumn() bool {
	p.next()
	p.next()
	return p.tok.endsCell() || startsClause(p.tok.word) || p.is(kRBrace) || p.is(kSemicolon) || p.is(kEOF) || p.isWord(wConstraint) || p.isWord(wWith)
}

// settleClauses puts a COLLATE in front of the DEFAULT that it was written after, which it would belong to in a statement.
func (p *parser) settleClauses(c *ast.ColumnDef) {
	if p.file == nil {
		return
	}
	at := -1
	for i, k := range c.Constraints {
		switch {
		case k.Kind == ast.DefaultClause && at < 0:
			at = i
		case k.Kind == ast.CollateClause && at >= 0:
			copy(c.Constraints[at+1:i+1], c.Constraints[at:i])
			c.Constraints[at] = k
			at++
		}
	}
}

// nullTestHere tells whether x NOT NULL, NOTNULL or ISNULL, which come next, are an operator here.
func (p *parser) nullTestHere(min, most ast.Level) (infix, bool) {
	op := infix{level: ast.LevelIs}
	return op, p.file != nil && p.parens != p.defaultParens && op.level >= min && op.level <= most
}

// nullTest parses NOT NULL, NOTNULL or ISNULL after its subject.
func (p *parser) nullTest(left ast.Expr, from ast.Pos) ast.Expr {
	x := &ast.Is{X: left, Op: ast.IsNull, Not: !p.isWord(wIsnull)}
	if p.acceptWord(wNot) {
		p.expectWord(wNull, "'NULL' after NOT")
	} else {
		p.next()
	}
	p.grow(1)
	x.Span = p.span(from)
	return x
}

// match takes what follows MATCH. Every kind means the same where one column refers to one.
func (p *parser) match(r *ast.References) {
	if p.file != nil && len(r.Columns) <= 1 && p.is(kWord) && !p.isWord(wSimple) {
		p.next()
		return
	}
	p.expectWord(wSimple, "'SIMPLE' after MATCH")
}

// longTypes are types of several words, by their first one: what follows it, and the type that is meant.
var longTypes = map[string][]struct{ rest, name string }{
	"double":    {{"precision", "double"}},
	"character": {{"varying", "varchar"}, {"large object", "clob"}},
	"char":      {{"varying", "varchar"}},
	"varying":   {{"character", "varchar"}},
	"native":    {{"character", "nchar"}},
	"national":  {{"character varying", "nvarchar"}, {"character", "nchar"}, {"varchar", "nvarchar"}, {"char", "nchar"}},
	"long":      {{"varchar", "text"}, {"text", "text"}, {"integer", "integer"}, {"int", "integer"}},
	"unsigned":  {{"big int", "bigint"}, {"integer", "integer"}, {"int", "integer"}},
	"big":       {{"integer", "bigint"}, {"int", "bigint"}},
	"blob":      {{"sub_type text", "text"}, {"sub_type binary", "blob"}},
	"integer":   {{"unsigned", "integer"}, {"signed", "integer"}},
	"int":       {{"unsigned", "integer"}, {"signed", "integer"}},
	"bigint":    {{"unsigned", "bigint"}, {"signed", "bigint"}},
	"smallint":  {{"unsigned", "smallint"}, {"signed", "smallint"}},
	"tinyint":   {{"unsigned", "tinyint"}, {"signed", "tinyint"}},
	"mediumint": {{"unsigned", "mediumint"}, {"signed", "mediumint"}},
	"timestamp": {{"without time zone", "timestamp"}},
	"datetime":  {{"without time zone", "datetime"}},
	"time":      {{"without time zone", "time"}},
}

// longType takes the further words of a type of several words, with the lengths behind them, and gives it the name of one.
func (p *parser) longType(t *ast.TypeName) {
	if p.file == nil || t.Quoted || !p.is(kWord) {
		return
	}
	for _, long := range longTypes[types.Fold(t.Name)] {
		words := strings.Fields(long.rest)
		if !p.lookahead(func() bool { return p.acceptAll(words) }) {
			continue
		}
		p.acceptAll(words)
		t.Name = long.name
		if p.is(kLParen) && t.Args == nil {
			p.typeArgs(t, p.typeArg)
		}
		t.To = p.prev.to
		return
	}
}

// acceptAll takes words, which may be names of any kind, if they all come next.
func (p *parser) acceptAll(words []string) bool {
	for _, w := range words {
		if !p.is(kWord) || !types.EqualFold(p.text(p.tok), w) {
			return false
		}
		p.next()
	}
	return true
}

// autoincrement takes AUTOINCREMENT of the column that is being defined.
func (p *parser) autoincrement() {
	if p.file == nil {
		p.autoincrementKey(ast.Name{})
	} else {
		p.autoincrementKey(p.file.column)
	}
}

// autoincrementKey takes AUTOINCREMENT of a column of the key. Outside schema files it fails with the default that numbers rows.
func (p *parser) autoincrementKey(column ast.Name) {
	if p.file == nil {
		p.fail(p.tok.from, types.ERROR, "AUTOINCREMENT is not supported; give the column a default that numbers the rows: "+
			"default (coalesce((select max(id) from t), 0) + mutation_ordinal())", "")
		return
	}
	from := p.tok.from
	p.next()
	p.file.numbered = column
	p.note(from, "AUTOINCREMENT is read as the default that numbers rows from the largest value on; when the last row is deleted, its number comes again")
}

// numberKey gives the column that is marked AUTOINCREMENT the default that numbers rows.
func (p *parser) numberKey(s *ast.CreateTableStmt) {
	if p.file == nil || p.file.numbered.IsZero() {
		return
	}
	for _, c := range s.Columns {
		if !types.EqualFold(c.Name.Text, p.file.numbered.Text) || hasClause(c, ast.DefaultClause) {
			continue
		}
		if !hasClause(c, ast.NullClause) && !hasClause(c, ast.NotNullClause) {
			c.Constraints = append(c.Constraints, &ast.ColumnConstraint{Kind: ast.NotNullClause})
		}
		c.Constraints = append(c.Constraints, &ast.ColumnConstraint{Kind: ast.DefaultClause, X: numbering(c.Name, s.Name)})
	}
}

// noteKey tells that several columns which are marked as the key form one key.
func (p *parser) noteKey(s *ast.CreateTableStmt) {
	if p.file == nil {
		return
	}
	var members []string
	var last ast.Span
	for _, c := range s.Columns {
		for _, k := range c.Constraints {
			if k.Kind == ast.PrimaryKeyClause {
				members, last = append(members, c.Name.Text), k.Span
			}
		}
	}
	if len(members) > 1 {
		key := strings.Join(members, ", ")
		p.file.notes = append(p.file.notes, Note{Span: last, Message: "the columns marked PRIMARY KEY form one key (" + key + "); write primary key (" + key +
			") behind the columns to say so, or unique for the others"})
	}
}

func hasClause(c *ast.ColumnDef, kind ast.ConstraintKind) bool {
	for _, k := range c.Constraints {
		if k.Kind == kind {
			return true
		}
	}
	return false
}

// numbering is coalesce((select max(column) from table), 0) + mutation_ordinal().
func numbering(column ast.Name, table ast.QName) ast.Expr {
	column.Span, table.Name.Span, table.Schema = ast.Span{}, ast.Span{}, ast.Name{}
	last := &ast.Call{Name: ast.Ident("max"), Args: []ast.Expr{&ast.ColumnRef{Column: column}}}
	query := &ast.SelectStmt{Body: &ast.SelectCore{Items: []ast.SelectItem{{X: last}}, From: &ast.TableRef{Name: table}}}
	none := &ast.Literal{Kind: ast.IntegerLit, Text: "0"}
	return &ast.Binary{
		Op: ast.OpAdd, L: &ast.Call{Name: ast.Ident("coalesce"), Args: []ast.Expr{&ast.Subquery{Query: query}, none}},
		R: &ast.Call{Name: ast.Ident("mutation_ordinal")},
	}
}
