package resolve_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
)

// gen draws random trees. budget bounds how many composite nodes one tree may still get.
type gen struct {
	t      *rapid.T
	budget int
}

func newGen(t *rapid.T, budget int) *gen { return &gen{t: t, budget: budget} }

// upTo draws a number from 0 to n−1.
func (g *gen) upTo(n int) int { return rapid.IntRange(0, n-1).Draw(g.t, "n") }

func (g *gen) chance(oneIn int) bool { return g.upTo(oneIn) == 0 }

// spend takes one composite node from the budget.
func (g *gen) spend() bool {
	g.budget--
	return g.budget > 0
}

func pick[T any](g *gen, choices ...T) T { return choices[g.upTo(len(choices))] }

func parseExpr(t testing.TB, text string) ast.Expr {
	t.Helper()
	x, err := parse.Expr(ast.NewSource("", text))
	require.NoError(t, err, text)
	return x
}

func parseQuery(t testing.TB, text string) *ast.SelectStmt {
	t.Helper()
	q, err := parse.Query(ast.NewSource("", text))
	require.NoError(t, err, text)
	return q
}

func parseStmt(t testing.TB, text string) ast.Stmt {
	t.Helper()
	list, err := parse.Stmts(ast.NewSource("", text))
	require.NoError(t, err, text)
	require.Len(t, list, 1, text)
	return list[0]
}
