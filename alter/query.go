package alter

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
)

// Validations are queries over the pending state, built as trees and run like any other, so that they compare, convert and
// collate as the enforced rule does.

// selectRows is `select 1 from t where cond`; without a condition all rows.
func selectRows(t *catalog.Table, cond ast.Expr) *ast.SelectStmt {
	return selectFrom(tableRef(t, ""), cond)
}

func selectFrom(from ast.TableExpr, cond ast.Expr) *ast.SelectStmt {
	return &ast.SelectStmt{Body: &ast.SelectCore{
		Items: []ast.SelectItem{{X: &ast.Literal{Kind: ast.IntegerLit, Text: "1"}}},
		From:  from, Where: cond,
	}}
}

func tableRef(t *catalog.Table, alias string) *ast.TableRef {
	r := &ast.TableRef{Name: ast.QName{Schema: ast.Ident(t.Schema), Name: quoted(t.Name)}}
	if alias != "" {
		r.Alias = ast.Ident(alias)
	}
	return r
}

// quoted makes a name that is never read as a clock word.
func quoted(name string) ast.Name { return ast.Name{Text: name, Quoted: true} }

func columnRef(table, column string) *ast.ColumnRef {
	r := &ast.ColumnRef{Column: quoted(column)}
	if table != "" {
		r.Table = quoted(table)
	}
	return r
}

func and(a, b ast.Expr) ast.Expr {
	if a == nil {
		return b
	}
	return &ast.Binary{Op: ast.OpAnd, L: a, R: b}
}

// OrphansAlias is the name that the child has in Orphans.
const OrphansAlias = "a"

// Orphans selects the rows of child that fk finds no parent for: those without NULL among its columns that no row of the parent equals
// in all pairs; parentColumns are their positions there. Without a parent, nil, these are all rows without NULL.
func Orphans(child *catalog.Table, fk *catalog.ForeignKey, parent *catalog.Table, parentColumns []int) *ast.SelectStmt {
	const c, p = OrphansAlias, "p"
	var match, known ast.Expr
	for _, col := range fk.Columns {
		known = and(known, &ast.Is{X: columnRef(c, child.Columns[col].Name), Op: ast.IsNull, Not: true})
	}
	if parent == nil {
		return selectFrom(tableRef(child, c), known)
	}
	for i, col := range fk.Columns {
		own := columnRef(c, child.Columns[col].Name)
		match = and(match, &ast.Binary{Op: ast.OpEq, L: columnRef(p, parent.Columns[parentColumns[i]].Name), R: own})
	}
	join := &ast.Join{Kind: ast.LeftJoin, L: tableRef(child, c), R: tableRef(parent, p), On: match,
		Flags: []ast.MatchFlag{{Name: ast.Ident("has_parent")}}}
	return selectFrom(join, and(known, &ast.Unary{Op: ast.OpNot, X: columnRef("", "has_parent")}))
}
