package ast_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// kinds lists the nodes that Walk visits, by type.
func kinds(n ast.Node) string {
	var list []string
	ast.Walk(n, func(n ast.Node) bool {
		list = append(list, strings.TrimPrefix(fmt.Sprintf("%T", n), "*ast."))
		return true
	})
	return strings.Join(list, " ")
}

func TestWalkOrder(t *testing.T) {
	q := parseQuery(t, "with c as (select 1) select sum(a) filter (where b) over (partition by x order by y rows 1 preceding) from t left join (select 2) s on c limit ?")
	assert.Equal(t, "SelectStmt With CTE SelectStmt SelectCore SelectItem Literal "+
		"SelectCore SelectItem Call ColumnRef ColumnRef Window ColumnRef ColumnRef Frame Literal "+
		"Join TableRef TableSubquery SelectStmt SelectCore SelectItem Literal ColumnRef Param", kinds(q))
	s := parseStmt(t, "create table t (a int check (b) with tags (k = 1), foreign key (a) references p) using m (x = 2) with context (v text)")
	assert.Equal(t, "CreateTableStmt ColumnDef TypeName ColumnConstraint ColumnRef Literal TableConstraint References UsingClause Literal TypeName", kinds(s))
}

func TestWalkPrunes(t *testing.T) {
	visited := 0
	ast.Walk(parseExpr(t, "a + (select b + c from t) + d"), func(n ast.Node) bool {
		if _, ok := n.(*ast.ColumnRef); ok {
			visited++
		}
		_, query := n.(*ast.SelectStmt)
		return !query
	})
	assert.Equal(t, 2, visited)
}

// TestWalkSeesEverything: what Walk visits of a parsed statement holds every node with a position that its text was read from.
// Rewriting each visited leaf must therefore show in the text.
func TestWalkSeesEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := newGen(t, 30).stmt()
		renamed := ast.Rewrite(n, func(n ast.Node) ast.Node {
			if c, ok := n.(*ast.ColumnRef); ok {
				x := *c
				x.Column = ast.Ident("zzzz")
				return &x
			}
			return n
		})
		refs := 0
		ast.Walk(renamed, func(n ast.Node) bool {
			if c, ok := n.(*ast.ColumnRef); ok {
				require.Equal(t, "zzzz", c.Column.Text)
				refs++
			}
			return true
		})
		require.Equal(t, strings.Count(ast.Format(renamed), "zzzz"), refs, ast.Format(renamed))
	})
}

func TestRewriteShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := newGen(t, 20).stmt()
		text := ast.Format(n)
		same := ast.Rewrite(n, func(n ast.Node) ast.Node { return n })
		require.True(t, same == ast.Node(n), "an unchanged tree is shared")
		ast.Rewrite(n, func(n ast.Node) ast.Node {
			if l, ok := n.(*ast.Literal); ok {
				x := *l
				return &x
			}
			return n
		})
		require.Equal(t, text, ast.Format(n), "the given tree stays as it was")
	})
}

func TestRewriteCopiesThePath(t *testing.T) {
	q := parseQuery(t, "select a, b + 1 from t where c = 2")
	got := ast.Rewrite(q, func(n ast.Node) ast.Node {
		if c, ok := n.(*ast.ColumnRef); ok && c.Column.Text == "b" {
			return &ast.Literal{Kind: ast.IntegerLit, Text: "7"}
		}
		return n
	}).(*ast.SelectStmt)
	assert.Equal(t, "select a, 7 + 1 from t where c = 2", ast.Format(got))
	assert.Equal(t, "select a, b + 1 from t where c = 2", ast.Format(q))
	was, is := q.Body.(*ast.SelectCore), got.Body.(*ast.SelectCore)
	assert.Same(t, was.Where, is.Where)
	assert.Same(t, was.Items[0].X, is.Items[0].X)
	assert.NotSame(t, was.Items[1].X, is.Items[1].X)
}

// TestRewriteBottomUp: f sees children that are rewritten already, parts that are held by value included.
func TestRewriteBottomUp(t *testing.T) {
	n := parseStmt(t, "alter table t alter column a set data type int")
	got := ast.Rewrite(n, func(n ast.Node) ast.Node {
		if tn, ok := n.(*ast.TypeName); ok {
			x := *tn
			x.Name = "text"
			return &x
		}
		if a, ok := n.(*ast.SetDataType); ok {
			assert.Equal(t, "text", a.Type.Name)
		}
		return n
	})
	assert.Equal(t, "ALTER TABLE t ALTER COLUMN a SET DATA TYPE text", ast.Format(got))
	frame := parseExpr(t, "f() over (rows between 1 preceding and 2 following)")
	got = ast.Rewrite(frame, func(n ast.Node) ast.Node {
		if l, ok := n.(*ast.Literal); ok && l.Text == "2" {
			return &ast.Literal{Kind: ast.IntegerLit, Text: "3"}
		}
		return n
	})
	assert.Equal(t, "f() over (rows between 1 preceding and 3 following)", ast.Format(got))
}

func TestRewriteRefusesAnotherKind(t *testing.T) {
	assert.PanicsWithValue(t, "ast: rewriting put another kind of node in the place of a *ast.SelectStmt", func() {
		ast.Rewrite(parseExpr(t, "exists (select 1)"), func(n ast.Node) ast.Node {
			if _, ok := n.(*ast.SelectStmt); ok {
				return &ast.Literal{}
			}
			return n
		})
	})
}
