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

// FuzzReadsBack: whatever the parser takes prints as a text that reads back as the same statements.
func FuzzReadsBack(f *testing.F) {
	for _, text := range []string{
		"select a, (b + 1) * -2 from t as x left join u using (a) where not a like 'b' escape '!' order by 1 desc",
		"(select 1) union select 2 except (select 3) limit 1",
		"insert or ignore into t (a) values (default) with tags (k = -1.50) returning *",
		"create table t (a int default -1 check (a > 0), constraint k foreign key (a) references p(b)) using m(1, x = true)",
		"declare schema s { table t { a integer } index i on t (a collate nocase desc) seed t ((1, 'x')) view v as values (1) }",
		"alter table t add column c text generated always as (a || 'x') stored; drop view if exists v",
		`select sum(a) filter (where b) over (groups exclude preceding), "current_date", current_date, x -> 'a' ->> 0 from t window groups as ()`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parse.Stmts(ast.NewSource("", text))
		if err != nil {
			return
		}
		for _, n := range list {
			printed := ast.Format(n)
			back, err := parse.Stmts(ast.NewSource("", printed))
			require.NoError(t, err, printed)
			require.Len(t, back, 1, printed)
			require.Equal(t, printed, ast.Format(back[0]))
			require.Equal(t, shape(n), shape(back[0]), printed)
		}
	})
}
