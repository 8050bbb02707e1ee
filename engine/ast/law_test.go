package ast_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
)

// TestExpressionLaw: the text of an expression reads back as that expression, and prints alike.
func TestExpressionLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newGen(t, 25).expr()
		text := ast.Format(x)
		back, err := parse.Expr(ast.NewSource("", text))
		require.NoError(t, err, text)
		require.Equal(t, text, ast.Format(back))
		require.Equal(t, shape(x), shape(back), text)
	})
}

// TestStatementLaw: the same for whole statements.
func TestStatementLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkStatement(t, newGen(t, 30).stmt(), ast.Options{}) })
}

// TestLowerStyleLaw: ALTER and DROP read back in lower case, too.
func TestLowerStyleLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkStatement(t, newGen(t, 8).alter(), ast.Options{Style: ast.Lower}) })
}

func checkStatement(t *rapid.T, n ast.Stmt, opt ast.Options) {
	text := ast.FormatWith(n, opt)
	back, err := parse.Stmts(ast.NewSource("", text))
	require.NoError(t, err, text)
	require.Len(t, back, 1, text)
	require.Equal(t, text, ast.FormatWith(back[0], opt))
	require.Equal(t, shape(n), shape(back[0]), text)
}
