package differ

import (
	"fmt"
	"strconv"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// EffectKind is what a step does to the rows that are there.
type EffectKind uint8

// The kinds, cheap ones first. MetadataOnly takes the same time on ten rows and on ten million.
const (
	MetadataOnly EffectKind = iota
	// ReadsRows: a scan proves a rule.
	ReadsRows
	BuildsIndex
	RewritesRows
	// FillsTable: the rows are those of a query.
	FillsTable
	DeletesRows
	// WritesRows: a statement of somebody's own changes them.
	WritesRows
)

// String gives the word of the kind, which is stable.
func (k EffectKind) String() string {
	return [...]string{"metadata-only", "reads-rows", "builds-index", "rewrites-rows", "fills-table", "deletes-rows", "writes-rows"}[k]
}

// Effect is what a step does to rows. Rows is how many it concerns, Unknown when nobody counted. Fills is in how many of them it puts a
// value in the place of NULL, 0 also when nobody counted.
type Effect struct {
	Kind  EffectKind
	Rows  int64
	Fills int64
}

// count says how many rows an effect concerns.
func (e Effect) count() string {
	switch {
	case e.Rows == 1:
		return "1 row"
	case e.Rows >= 0:
		return fmt.Sprintf("%d rows", e.Rows)
	}
	return "all rows"
}

func (e Effect) String() string {
	rows := e.count()
	switch e.Kind {
	case ReadsRows:
		return "reads " + rows
	case BuildsIndex:
		return "builds index of " + rows
	case RewritesRows:
		if e.Fills > 0 {
			return "fills NULL in " + strconv.FormatInt(e.Fills, 10) + " of " + rows
		}
		return "rewrites " + rows
	case FillsTable:
		return "fills the table from its query"
	case DeletesRows:
		return "deletes " + rows
	case WritesRows:
		return "changes rows"
	}
	return "metadata only"
}

// effect says what a step does to rows.
func (c *comparison) effect(s *step) Effect {
	rows := c.opts.Stats.rows(s.table)
	switch n := s.Stmt.(type) {
	case *ast.DropStmt:
		if n.Kind == ast.TableObject {
			return Effect{Kind: DeletesRows, Rows: rows}
		}
	case *ast.CreateMaterializedViewStmt:
		return Effect{Kind: FillsTable, Rows: Unknown}
	case *ast.CreateTableStmt:
		if n.Maintained != nil {
			return Effect{Kind: FillsTable, Rows: Unknown}
		}
	case *ast.CreateIndexStmt:
		switch {
		case s.table != nil:
			return Effect{Kind: BuildsIndex, Rows: rows}
		case s.pair != nil && s.pair.decl != nil && s.pair.decl.Maintained != nil:
			return Effect{Kind: BuildsIndex, Rows: Unknown}
		}
	case *ast.AlterStmt:
		e := Effect{Kind: c.alterEffect(s, n.Action), Rows: rows}
		if _, isFill := n.Action.(*ast.SetNotNull); isFill && e.Kind == RewritesRows && rows != Unknown {
			e = c.countFills(s, e)
		}
		return e.trimmed()
	}
	return Effect{}
}

// countFills counts the rows in which SET NOT NULL puts the default in the place of NULL. Without any it only reads them.
func (c *comparison) countFills(s *step, e Effect) Effect {
	f, ok := c.facts(s)
	if !ok {
		return e
	}
	if e.Fills = max(e.Rows-f.Values, 0); e.Fills == 0 {
		e.Kind = ReadsRows
	}
	return e
}

// trimmed leaves out a number of rows that means nothing.
func (e Effect) trimmed() Effect {
	if e.Kind == MetadataOnly {
		return Effect{}
	}
	return e
}

func (c *comparison) alterEffect(s *step, a ast.AlterAction) EffectKind {
	switch a := a.(type) {
	case *ast.AddColumn:
		return addColumnEffect(s.column)
	case *ast.AddConstraint:
		return constraintEffect(a.Constraint.Kind)
	case *ast.AlterPrimaryKey, *ast.SetDataType, *ast.SetUsing:
		return RewritesRows
	case *ast.SetGenerated:
		if a.X != nil {
			return RewritesRows
		}
	case *ast.SetCollate:
		return c.collateEffect(s)
	case *ast.SetNotNull:
		switch v, ok := literalDefault(s.column); {
		case a.Drop:
		case ok && !v.IsNull():
			return RewritesRows
		default:
			return ReadsRows
		}
	case *ast.SetMaintained:
		return FillsTable
	}
	return MetadataOnly
}

// literalDefault gives the declared default of a column if it is as good as a literal.
func literalDefault(q *columnPair) (v types.Value, ok bool) {
	if q.decl.Default == nil {
		return types.Null, false
	}
	return catalog.FoldLiteral(q.decl.Default)
}

// addColumnEffect: a value that is one for all rows is recorded as the column's fill; any other is computed row by row.
func addColumnEffect(q *columnPair) EffectKind {
	if q.decl.Generated != nil {
		return RewritesRows
	}
	if _, isLiteral := literalDefault(q); q.decl.Default != nil && !isLiteral {
		return RewritesRows
	}
	kind := MetadataOnly
	for _, k := range catalog.InlineConstraints(q.def) {
		if k.Kind == ast.CheckClause { // an inline CHECK is tested, unlike one that is added to a table
			kind = max(kind, ReadsRows)
		}
		kind = max(kind, constraintEffect(k.Kind))
	}
	return kind
}

func constraintEffect(kind ast.ConstraintKind) EffectKind {
	switch kind {
	case ast.UniqueClause:
		return BuildsIndex
	case ast.ForeignKeyClause, ast.CheckClause:
		return ReadsRows
	}
	return MetadataOnly
}

// collateEffect: only a key that orders the column has to be written anew.
func (c *comparison) collateEffect(s *step) EffectKind {
	p, i := s.pair, s.column.live
	if p.after.InKey(i) || len(c.generatedFrom(p, s.column.decl.Name)) > 0 {
		return RewritesRows
	}
	if len(c.uniqueRulesOver(p, i)) > 0 {
		return BuildsIndex
	}
	for _, ix := range p.decl.Indexes { // those that phase 7 has created included
		if indexHas(ix, p.decl.ColumnIndex(s.column.decl.Name)) {
			return BuildsIndex
		}
	}
	return MetadataOnly
}

func indexHas(ix *catalog.Index, column int) bool {
	for _, m := range ix.Members {
		if m.X == nil && m.Column == column {
			return true
		}
	}
	return false
}

// isKept reports whether an index of a matched table is there throughout the plan. One of a maintained table is none of the differ's.
func (c *comparison) isKept(p *tablePair, ix *catalog.Index) bool {
	if q := c.indexByName[types.Fold(ix.Name)]; q != nil && q.live.Table == p.live {
		return !q.drops()
	}
	return p.live.Maintained != nil
}

// uniqueRulesOver gives the uniqueness rules of a matched table that hold throughout the plan and have the column.
func (c *comparison) uniqueRulesOver(p *tablePair, column int) []catalog.UniqueRule {
	var out []catalog.UniqueRule
	for _, r := range p.after.UniqueRules() {
		if r.Index != nil && !c.isKept(p, r.Index) {
			continue
		}
		for _, i := range r.Columns() {
			if i == column {
				out = append(out, r)
				break
			}
		}
	}
	return out
}
