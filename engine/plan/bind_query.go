package plan

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/types"
)

// query binds a query expression. outer is the scope that its names may reach beyond it, nil for none.
func (b *Binder) query(q *ast.SelectStmt, outer *Scope) Node {
	if b.stops() {
		return oneRow()
	}
	defer b.enterPath(resolve.LeadingPath(q.Body))()
	b.checkDefaults(q)
	if n, ok := b.changeQuery(q); ok {
		return n
	}
	if q.With != nil {
		return b.with(q, outer)
	}
	return b.body(q, outer)
}

// enterPath puts a schema path in force until the answer is called; an absent one changes nothing.
func (b *Binder) enterPath(names []ast.Name) (leave func()) {
	saved := b.path
	if len(names) > 0 {
		b.path = make([]string, len(names))
		for i, n := range names {
			b.path[i] = types.Fold(n.Text)
		}
	}
	return func() { b.path = saved }
}

// body binds what stands behind WITH.
func (b *Binder) body(q *ast.SelectStmt, outer *Scope) Node {
	if core, ok := q.Body.(*ast.SelectCore); ok {
		return b.selectCore(core, q, outer)
	}
	n := b.term(q.Body, outer)
	n = b.orderByOutput(n, q.OrderBy, outer)
	return b.limit(n, q)
}

// term binds an operand of a set operation.
func (b *Binder) term(t ast.QueryTerm, outer *Scope) Node {
	switch t := t.(type) {
	case *ast.SelectCore:
		return b.selectCore(t, &ast.SelectStmt{Body: t}, outer)
	case *ast.ValuesClause:
		return b.values(t, outer)
	case *ast.SetOp:
		return b.setOp(t, outer)
	case *ast.ParenQuery:
		return b.query(t.Query, outer)
	}
	kind, bind, _ := b.changeTerm(t)
	return b.relationChange(t.Pos(), kind, bind)
}

// values binds VALUES.
func (b *Binder) values(v *ast.ValuesClause, outer *Scope) Node {
	rows := make([][]Expr, len(v.Rows))
	for i, row := range v.Rows {
		if len(row) != len(v.Rows[0]) {
			b.fail(v.Pos(), types.SYNTAX, "All rows must have the same number of columns")
			return oneRow()
		}
		rows[i] = b.exprs(row, outer)
	}
	n := &Values{Rows: rows, Cols: make([]Column, len(v.Rows[0]))}
	for c := range n.Cols {
		n.Cols[c] = b.column(valuesName(c), mergeRows(rows, c))
	}
	return n
}

// mergeRows gives the static facts of a column of VALUES: the common type of its cells, and the collation they agree on.
func mergeRows(rows [][]Expr, c int) *Info {
	cells := make([]Expr, len(rows))
	for i, row := range rows {
		cells[i] = row[c]
	}
	return mergeArms(cells)
}

// mergeArms gives the static facts of an expression that yields one of several, without comparing them.
func mergeArms(arms []Expr) *Info {
	merged := &Info{Type: types.TypeNull}
	for i, x := range arms {
		s := x.Static()
		if i == 0 {
			*merged = *s
			continue
		}
		merged.Type = types.CommonType(merged.Type, s.Type)
		merged.Nullable = merged.Nullable || s.Nullable
		merged.Collation = types.PropagateContributions(merged.Collation, s.Collation)
	}
	return merged
}

// limit puts LIMIT and OFFSET above a node. They are expressions without columns (docs/reference/language.md).
func (b *Binder) limit(n Node, q *ast.SelectStmt) Node {
	if q.Limit == nil && q.Offset == nil {
		return n
	}
	l := &Limit{Input: n}
	if q.Limit != nil {
		l.Count = b.expr(q.Limit, nil)
	}
	if q.Offset != nil {
		l.Offset = b.expr(q.Offset, nil)
	}
	return l
}

// orderByOutput orders a compound by its output columns, positions, and expressions over them.
func (b *Binder) orderByOutput(n Node, terms []ast.OrderTerm, outer *Scope) Node {
	if len(terms) == 0 {
		return n
	}
	cols := n.Output()
	s := &Scope{outer: outer, visible: visibles(cols)}
	var keys []SortKey
	for _, t := range terms {
		if x, isConstant := b.position(t.X, cols); x != nil {
			keys = append(keys, sortKey(x, t))
		} else if !isConstant {
			keys = append(keys, sortKey(b.expr(t.X, s), t))
		}
	}
	return sorted(n, keys)
}

func sortKey(x Expr, t ast.OrderTerm) SortKey {
	return SortKey{X: x, Desc: t.Desc, NullsLast: t.Nulls == ast.NullsLast}
}

// sorted puts a Sort above a node; the node itself without keys.
func sorted(n Node, keys []SortKey) Node {
	if len(keys) == 0 {
		return n
	}
	return &Sort{Input: n, Keys: keys}
}

// position reads an ORDER BY key that is an output position. isConstant tells of a key that sorts nothing: any other constant.
func (b *Binder) position(x ast.Expr, cols []Column) (col Expr, isConstant bool) {
	n, ok := integerLiteral(x)
	if !ok {
		return nil, isConstantKey(x)
	}
	i, fits := n.Int64()
	if !fits || i < 1 || i > int64(len(cols)) {
		b.fail(x.Pos(), types.ERROR, "ORDER BY position %s is not in the SELECT list (1..%d)", types.ToText(n), len(cols))
		return b.bad(x.Pos()), true
	}
	return b.ref(cols[i-1], x.Pos()), true
}

// integerLiteral reads an integer literal that may carry a sign.
func integerLiteral(x ast.Expr) (n types.Value, ok bool) {
	switch x := x.(type) {
	case *ast.Literal:
		if x.Kind == ast.IntegerLit {
			return types.ParseIntegerLiteral(x.Text)
		}
	case *ast.Unary:
		if lit, isLit := x.X.(*ast.Literal); isLit && lit.Kind == ast.IntegerLit && (x.Op == ast.OpNeg || x.Op == ast.OpPlus) {
			n, ok = types.ParseIntegerLiteral(lit.Text)
			if x.Op == ast.OpNeg {
				n = types.Neg(n)
			}
			return n, ok
		}
	}
	return types.Null, false
}

// isConstantKey reports whether an expression is built of literals alone.
func isConstantKey(x ast.Expr) bool {
	constant := true
	ast.Walk(x, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ColumnRef, *ast.Param, *ast.Call, *ast.SelectStmt, *ast.In:
			constant = false
		}
		return constant
	})
	return constant
}
