package catalog

import (
	"fmt"
	"iter"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/types"
)

// ExpressionKind tells where a table's expression stands.
type ExpressionKind uint8

// The kinds, in the order in which CREATE TABLE judges them (docs/reference/language.md), then those of indexes.
const (
	DefaultExpression ExpressionKind = iota
	CheckExpression
	GeneratedExpression
	IndexMemberExpression
	IndexPredicate
)

// Clause names the clause as messages about determinism do.
func (k ExpressionKind) Clause() string {
	return [...]string{"DEFAULT", "CHECK", "GENERATED ALWAYS AS", "index", "partial-index predicate"}[k]
}

// Expression is one expression of a table with its place: the column of a default or generated expression, the position of a
// check, index and member. Positions that do not apply are -1.
type Expression struct {
	Kind                         ExpressionKind
	Column, Check, Index, Member int
	X                            ast.Expr
}

func expressionAt(kind ExpressionKind, x ast.Expr) Expression {
	return Expression{Kind: kind, Column: -1, Check: -1, Index: -1, Member: -1, X: x}
}

func (t *Table) defaultExpression(column int) Expression {
	e := expressionAt(DefaultExpression, t.Columns[column].Default)
	e.Column = column
	return e
}

func (t *Table) generatedExpression(column int) Expression {
	e := expressionAt(GeneratedExpression, t.Columns[column].Generated)
	e.Column = column
	return e
}

func (t *Table) checkExpression(i int) Expression {
	e := expressionAt(CheckExpression, t.Checks[i].X)
	e.Check = i
	return e
}

// Expressions yields the table's expressions: defaults, checks and generated expressions in the order in which CREATE TABLE
// judges them, then those of the indexes.
func (t *Table) Expressions() iter.Seq[Expression] {
	return func(yield func(Expression) bool) {
		_ = t.rowExpressions(yield) && t.indexExpressions(yield)
	}
}

// rowExpressions yields the expressions that a CREATE TABLE carries; it is false when the reader has enough.
func (t *Table) rowExpressions(yield func(Expression) bool) bool {
	for i, c := range t.Columns {
		if c.Default != nil && !yield(t.defaultExpression(i)) {
			return false
		}
	}
	for i := range t.Checks {
		if !yield(t.checkExpression(i)) {
			return false
		}
	}
	for i, c := range t.Columns {
		if c.Generated != nil && !yield(t.generatedExpression(i)) {
			return false
		}
	}
	return true
}

func (t *Table) indexExpressions(yield func(Expression) bool) bool {
	for i, ix := range t.Indexes {
		for e := range ix.Expressions() {
			if e.Index = i; !yield(e) {
				return false
			}
		}
	}
	return true
}

// Expressions yields the members of the index that are expressions, then its predicate. Their Index is -1.
func (ix *Index) Expressions() iter.Seq[Expression] {
	return func(yield func(Expression) bool) {
		for i, m := range ix.Members {
			if m.X == nil {
				continue
			}
			e := expressionAt(IndexMemberExpression, m.X)
			if e.Member = i; !yield(e) {
				return
			}
		}
		if ix.Where != nil {
			yield(expressionAt(IndexPredicate, ix.Where))
		}
	}
}

// Describe names an expression of the table in messages: "DEFAULT for column 'x' in table 't'".
func (t *Table) Describe(e Expression) string {
	switch e.Kind {
	case CheckExpression:
		return fmt.Sprintf("CHECK constraint '%s' on table '%s'", t.CheckName(e.Check), t.Name)
	case IndexMemberExpression:
		return fmt.Sprintf("Index expression %s on table '%s'", ast.Format(e.X), t.Name)
	case IndexPredicate:
		return fmt.Sprintf("Partial-index predicate on table '%s'", t.Name)
	}
	return fmt.Sprintf("%s for column '%s' in table '%s'", e.Kind.Clause(), t.Columns[e.Column].Name, t.Name)
}

// RowOwner gives the table as owner of an expression, for resolve.Home.
func (t *Table) RowOwner(kind ExpressionKind) *resolve.Row {
	owner := &resolve.Row{Schema: t.Schema, Name: t.Name}
	if kind == DefaultExpression || kind == CheckExpression {
		for _, v := range t.Context {
			owner.Variables = append(owner.Variables, v.Name)
		}
	}
	return owner
}

// hasContextVar reports whether the table declares a mutation-context variable of that name.
func (t *Table) hasContextVar(name string) bool {
	for _, v := range t.Context {
		if types.EqualFold(v.Name, name) {
			return true
		}
	}
	return false
}

// LiteralDefault folds a default that is as good as a literal and converts it to the column's type, as an INSERT that leaves
// the column out would. ok is false for no default and for one that is evaluated row by row. MISMATCH when it does not convert.
func (c *Column) LiteralDefault() (v types.Value, ok bool, err error) {
	if c.Default == nil {
		return types.Null, false, nil
	}
	if v, ok = FoldLiteral(c.Default); !ok {
		return types.Null, false, nil
	}
	v, err = types.WriteConverter(c.Type, c.Name)(v)
	return v, err == nil, err
}

// IsLiteralDefault reports whether the expression is what most defaults are: it names nothing, and there is nothing to judge but its
// value.
func (e Expression) IsLiteralDefault() bool {
	_, literal := e.X.(*ast.Literal)
	return literal && e.Kind == DefaultExpression
}

// checkParameters refuses bind parameters, at any depth: ERROR.
func checkParameters(t *Table, e Expression) error {
	var err error
	ast.Walk(e.X, func(n ast.Node) bool {
		if _, ok := n.(*ast.Param); ok && err == nil {
			err = about(n, types.Errorf(types.ERROR, "%s may not reference bind parameters.", t.Describe(e)))
		}
		return err == nil
	})
	return err
}

// rowReferences lists the column references of an expression that stand outside its subqueries: those that can mean nothing
// but the row. The clock words are none (see ast.ColumnRef).
func (t *Table) rowReferences(x ast.Expr) []*ast.ColumnRef {
	var refs []*ast.ColumnRef
	ast.Walk(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectStmt:
			return false
		case *ast.ColumnRef:
			if _, isClock := n.Clock(); !isClock || t.ColumnIndex(n.Column.Text) >= 0 {
				refs = append(refs, n)
			}
		}
		return true
	})
	return refs
}

// qualifier tells what the qualifier of a reference means in an expression over a table's row.
type qualifier uint8

const (
	bareName  qualifier = iota
	rowName             // t.c, schema.t.c
	newImage            // new.c
	oldImage            // old.c
	otherName           // anything else
)

func (t *Table) qualifierOf(r *ast.ColumnRef) qualifier {
	isOwn := types.EqualFold(r.Table.Text, t.Name)
	switch {
	case r.Table.IsZero():
		return bareName
	case !r.Schema.IsZero():
		if isOwn && types.EqualFold(r.Schema.Text, t.Schema) {
			return rowName
		}
		return otherName
	case isOwn:
		return rowName
	case types.EqualFold(r.Table.Text, "new"):
		return newImage
	case types.EqualFold(r.Table.Text, "old"):
		return oldImage
	}
	return otherName
}

// checkDefault refuses a default that reads a bare column: ERROR. A mutation-context variable may be read by its bare name.
func checkDefault(t *Table, e Expression) error {
	for _, r := range t.rowReferences(e.X) {
		if t.qualifierOf(r) == bareName && !t.hasContextVar(r.Column.Text) {
			return about(r, types.Errorf(types.ERROR, "%s may not reference a bare column: '%s'", t.Describe(e), r.Column.Text).
				WithHint(textHint(r.Column)))
		}
	}
	return nil
}

// SeesWrite reports whether a CHECK sees more than a row as it is: the image before an update, or variables that its write supplies.
func (t *Table) SeesWrite(x ast.Expr) bool {
	found := false
	ast.Walk(x, func(n ast.Node) bool {
		if r, ok := n.(*ast.ColumnRef); ok && r.Schema.IsZero() {
			isOther := types.EqualFold(r.Table.Text, "old") || types.EqualFold(r.Table.Text, "context")
			found = found || isOther || r.Table.IsZero() && t.hasContextVar(r.Column.Text)
		}
		return !found
	})
	return found
}
