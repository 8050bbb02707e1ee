package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/golden"
	"github.com/quereus/quereus-migrate/types"
)

// TestRulesChangeNoAnswer: what a query answers under all rules is what its tree answers as it is written, and what it answers with any one
// rule left out.
func TestRulesChangeNoAnswer(t *testing.T) {
	t.Parallel()
	rules := plan.RuleNames()
	variants := append([]string{strings.Join(rules, ",")}, rules...)
	rapid.Check(t, func(t *rapid.T) {
		b := startBare(t, golden.MemorySession)
		defer b.end()
		g := &queryGen{relGen: &relGen{T: t}}
		for _, name := range []string{"t", "u"} {
			r := g.rel(name)
			b.do(r.create(g.key(r)))
			for _, sql := range append(g.indexes(r), g.fill(r, 8)...) {
				b.do(sql)
			}
		}
		for range 3 {
			sql, ordered := g.query()
			b.do("pragma disabled_rules = ''")
			want, errA := b.ask(sql)
			for _, v := range variants {
				b.do("pragma disabled_rules = '" + v + "'")
				got, errB := b.ask(sql)
				require.Equal(t, types.CodeOf(errA), types.CodeOf(errB), "%s: without %s: %v, %v", sql, v, errA, errB)
				if !ordered {
					want, got = sorted(want), sorted(got)
				}
				require.Equal(t, want, got, "%s; -- without %s", sql, v)
			}
		}
	})
}

// TestDisabledRules: the names are checked, and EXPLAIN shows the tree without the rule.
func TestDisabledRules(t *testing.T) {
	db, err := engine.OpenMemory(ctx, engine.Options{})
	require.NoError(t, err)
	defer db.Close()
	c := &session{Conn: db.Conn(), t: t}
	c.exec("create table t (id integer primary key, a integer null)")
	_, err = c.Exec(ctx, "pragma disabled_rules = 'push-filters, tidy'", engine.Params{})
	require.ErrorContains(t, err, "no rule tidy; there are ")
	text := "select count(*) from query_plan('select * from t where id = 1') where op = '%s'"
	require.Equal(t, "0", c.rows(fmt.Sprintf(text, "filter")))
	c.exec("pragma disabled_rules = 'push-filters'")
	require.Equal(t, "1", c.rows(fmt.Sprintf(text, "filter")))
}
