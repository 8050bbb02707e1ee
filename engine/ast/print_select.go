package ast

import "github.com/quereus/quereus-migrate/types"

// query prints a whole query expression.
func (p *printer) query(q *SelectStmt) {
	if q.With != nil {
		p.with(q.With)
		p.str(" ")
	}
	p.term(q.Body)
	p.orderBy(q.OrderBy)
	if q.Limit != nil {
		p.str(" limit ")
		p.expr(q.Limit)
	}
	if q.Offset != nil {
		p.str(" offset ")
		p.expr(q.Offset)
	}
	if len(q.Defaults) > 0 {
		p.str(" with defaults (")
		p.pairs(q.Defaults)
		p.str(")")
	}
}

func (p *printer) with(w *With) {
	p.str("with ")
	if w.Recursive {
		p.str("recursive ")
	}
	for i := range w.Members {
		p.comma(i)
		p.member(&w.Members[i])
	}
	if w.MaxRecursion != "" {
		p.str(" option (maxrecursion ")
		p.str(w.MaxRecursion)
		p.str(")")
	}
}

func (p *printer) member(m *CTE) {
	p.name(m.Name)
	p.columns(m.Columns)
	p.str(" as ")
	switch m.Materialized {
	case MaterializeYes:
		p.str("materialized ")
	case MaterializeNo:
		p.str("not materialized ")
	}
	p.subquery(m.Query)
}

// term prints an operand of a set operation.
func (p *printer) term(t QueryTerm) {
	switch t := t.(type) {
	case *SelectCore:
		p.core(t)
	case *ValuesClause:
		p.str("values ")
		p.rows(t.Rows)
	case *SetOp:
		p.setOp(t)
	case *ParenQuery:
		p.subquery(t.Query)
	case *InsertStmt:
		p.insert(t)
	case *UpdateStmt:
		p.update(t)
	case *DeleteStmt:
		p.delete(t)
	}
}

func (p *printer) rows(rows [][]Expr) {
	for i, row := range rows {
		p.comma(i)
		p.str("(")
		p.exprs(row)
		p.str(")")
	}
}

var setOpText = [...]string{
	Union: " union ", UnionAll: " union all ", Intersect: " intersect ", Except: " except ", Diff: " diff ",
}

// setOp prints a set operation so that the chain reads back with the same grouping: an operand in parentheses groups with what
// is before it, any other one with the rest of the chain behind it (docs/reference/language.md).
func (p *printer) setOp(n *SetOp) {
	p.leg(n.L, leftInParens(n.L))
	p.str(setOpText[n.Op])
	p.branchFlags(n.Flags)
	p.leg(n.R, rightInParens(n.R))
}

func (p *printer) leg(t QueryTerm, parens bool) {
	if parens {
		p.str("(")
		p.term(t)
		p.str(")")
	} else {
		p.term(t)
	}
}

// leftInParens reports whether a left operand needs parentheses: a chain whose last operand would reach for what follows,
// and a data change, with which a statement must not begin.
func leftInParens(t QueryTerm) bool {
	switch t := t.(type) {
	case *SetOp:
		_, ok := t.R.(*ParenQuery)
		return !ok && !rightInParens(t.R)
	case *InsertStmt, *UpdateStmt, *DeleteStmt:
		return true
	}
	return false
}

// rightInParens reports whether a right operand needs parentheses: a chain that begins with one would let it go to the left.
func rightInParens(t QueryTerm) bool {
	n, ok := t.(*SetOp)
	if !ok {
		return false
	}
	for {
		if _, ok := n.L.(*ParenQuery); ok || leftInParens(n.L) {
			return true
		}
		if n, ok = n.L.(*SetOp); !ok {
			return false
		}
	}
}

func (p *printer) branchFlags(flags []BranchFlag) {
	for i, f := range flags {
		p.comma(i)
		if f.Right {
			p.str("exists right")
		} else {
			p.str("exists left")
		}
		p.alias(f.Name)
	}
	if len(flags) > 0 {
		p.str(" ")
	}
}

func (p *printer) core(c *SelectCore) {
	p.str("select ")
	if c.Distinct {
		p.str("distinct ")
	}
	p.items(c.Items)
	if c.From != nil {
		p.str(" from ")
		p.source(c.From)
	}
	p.where(c.Where)
	if c.GroupAll {
		p.str(" group by all")
	}
	if len(c.GroupBy) > 0 {
		p.str(" group by ")
		p.exprs(c.GroupBy)
	}
	if c.Having != nil {
		p.str(" having ")
		p.expr(c.Having)
	}
	for i, w := range c.Windows {
		p.str([]string{" window ", ", "}[min(i, 1)])
		p.name(w.Name)
		p.str(" as ")
		p.window(w.Window)
	}
	p.schemaPath(c.SchemaPath)
}

func (p *printer) where(x Expr) {
	if x != nil {
		p.str(" where ")
		p.expr(x)
	}
}

func (p *printer) schemaPath(path []Name) {
	if len(path) > 0 {
		p.str(" with schema ")
		p.names(path)
	}
}

func (p *printer) items(items []SelectItem) {
	for i := range items {
		p.comma(i)
		p.item(&items[i])
	}
}

func (p *printer) item(it *SelectItem) {
	if it.Star {
		if !it.Table.IsZero() {
			p.qname(QName{Schema: it.Schema, Name: it.Table})
			p.str(".")
		}
		p.str("*")
	} else {
		p.expr(it.X)
		p.alias(it.Alias)
	}
	if len(it.Inverse) > 0 {
		p.str(" with inverse (")
		p.pairs(it.Inverse)
		p.str(")")
	}
}

var joinText = [...]string{
	InnerJoin: "inner join ", LeftJoin: "left join ", RightJoin: "right join ", FullJoin: "full join ", CrossJoin: "cross join ",
}

// source prints a table expression.
func (p *printer) source(t TableExpr) {
	switch t := t.(type) {
	case *TableRef:
		p.qname(t.Name)
		p.alias(t.Alias)
	case *TableFunc:
		p.tableFuncName(t.Name.Text)
		p.str("(")
		p.exprs(t.Args)
		p.str(")")
		p.alias(t.Alias)
		p.columns(t.Columns)
	case *TableSubquery:
		p.subquery(t.Query)
		p.alias(t.Alias)
		p.columns(t.Columns)
	case *Join:
		p.join(t)
	case *ParenTable:
		p.str("(")
		p.source(t.X)
		p.str(")")
	}
}

// tableFuncName prints the name of a function in FROM, where of the reserved words only those are bare that may name a table.
func (p *printer) tableFuncName(name string) {
	if types.EqualFold(name, "replace") {
		p.buf = AppendQuoted(p.buf, types.Fold(name))
	} else {
		p.buf = appendFunctionName(p.buf, name)
	}
}

func (p *printer) join(j *Join) {
	p.source(j.L)
	if j.Kind == CommaJoin {
		p.str(", ")
	} else {
		p.str(" ")
		if j.Natural {
			p.str("natural ")
		}
		p.str(joinText[j.Kind])
	}
	if j.Lateral {
		p.str("lateral ")
	}
	if r, ok := j.R.(*Join); ok {
		p.source(&ParenTable{X: r})
	} else {
		p.source(j.R)
	}
	if j.On != nil {
		p.str(" on ")
		p.expr(j.On)
	}
	if len(j.Using) > 0 {
		p.str(" using (")
		p.names(j.Using)
		p.str(")")
	}
	p.matchFlags(j.Flags)
}

func (p *printer) matchFlags(flags []MatchFlag) {
	for i, f := range flags {
		p.str([]string{" ", ", "}[min(i, 1)])
		p.str([]string{FlagDefault: "exists", FlagLeft: "exists left", FlagRight: "exists right"}[f.Side])
		p.alias(f.Name)
	}
}
