package plan_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// nestedQuery is a query with subqueries in each other.
func nestedQuery(depth int) string {
	q := "select 1 from t where a = 1"
	for i := range depth {
		q = fmt.Sprintf("select 1 from t x%d where exists (%s) and x%d.a > 0", i, q, i)
	}
	return q
}

// diamonds are views each of which reads the one before twice.
func diamonds(levels int) string {
	var b strings.Builder
	b.WriteString("create view v0 as select id, a from t")
	for i := 1; i < levels; i++ {
		fmt.Fprintf(&b, "; create view v%d as select x.id, x.a from v%d x join v%d y on x.id = y.id", i, i-1, i-1)
	}
	return b.String()
}

func manyTerms(op string, n int) string {
	terms := make([]string, n)
	for i := range terms {
		terms[i] = fmt.Sprintf("(a = %d and id > %d)", i, i)
	}
	return "select id from t where " + strings.Join(terms, " "+op+" ")
}

func deepCatalog(t testing.TB) *catalogOnly {
	c := newCatalog(t)
	require.NoError(t, c.define("create table t (id integer primary key, a integer null)"))
	require.NoError(t, c.define(diamonds(60)))
	return c
}

// What doubles with every level does not end here.
func TestDeepStatementsArePlanned(t *testing.T) {
	c := deepCatalog(t)
	for _, sql := range []string{nestedQuery(200), "select * from v59", manyTerms("or", 5_000)} {
		_, err := c.prepare(sql)
		require.NoError(t, err)
	}
}

func TestPlanningIsCancellable(t *testing.T) {
	c := deepCatalog(t)
	done, cancel := context.WithCancel(context.Background())
	cancel()
	for _, sql := range []string{nestedQuery(100), "select * from v59", manyTerms("or", 1000)} {
		src := ast.NewSource("", sql)
		stmts, err := parse.Stmts(src)
		require.NoError(t, err)
		env := c.env(src)
		env.Ctx = done
		_, err = plan.PrepareStmt(stmts[0], env)
		require.ErrorIs(t, err, types.INTERRUPT)
	}
}

func BenchmarkPlanNested200(b *testing.B) { benchmarkPlan(b, nestedQuery(200)) }

func BenchmarkPlanDiamonds60(b *testing.B) { benchmarkPlan(b, "select * from v59") }

func BenchmarkPlanTerms100k(b *testing.B) { benchmarkPlan(b, manyTerms("or", 100_000)) }

func benchmarkPlan(b *testing.B, sql string) {
	c := deepCatalog(b)
	for b.Loop() {
		if _, err := c.prepare(sql); err != nil {
			b.Fatal(err)
		}
	}
}
