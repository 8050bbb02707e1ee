package engine_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// EXPLAIN ANALYZE runs the statement and tells what each operator did; AS draws it.
func TestExplainAnalyze(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key, n integer)")
		c.exec("insert into t select value, value % 10 from generate_series(1, 5000)")
		c.exec("create view v as select max(n) as m from t")
		rows, err := c.Query(ctx, "explain analyze select n, count(*) from t where id > 1000 group by n", engine.Params{})
		require.NoError(t, err)
		require.Equal(t, []string{"actual_rows", "opens", "time_ms", "spills"}, rows.Columns()[12:])
		actual := map[string]string{}
		for {
			row, err := rows.Next()
			require.NoError(t, err)
			if row == nil {
				break
			}
			actual[types.ToText(row[3])] = types.ToText(row[12]) + " " + types.ToText(row[13]) + " " + types.ToText(row[15])
		}
		require.Equal(t, "4000 1 0", actual["Scan"])
		require.Equal(t, "10 1 0", actual["Aggregate"])

		c.exec("pragma memory_budget = 2000")
		require.Regexp(t, `sort .* actual=5000 .* spills=\d+`, c.rows("explain analyze as text select * from t order by n, id desc"))
		require.Regexp(t, `apply|semi|subquery`, c.rows("explain analyze as text select (select count(*) from t x where x.id < y.id) from t y where y.id < 4"))
		require.Contains(t, c.rows("explain as mermaid select '\"<b>' as x from v"), "#lt;b#gt;")
		require.Contains(t, c.rows("explain as dot select '\"' as x from v"), `\"`)
		var drawn struct{ Op string }
		require.NoError(t, json.Unmarshal([]byte(c.rows("explain analyze as json select * from v")), &drawn))
		require.NotEmpty(t, drawn.Op)

		require.Contains(t, c.rows("explain analyze as text delete from t where id <= 10"), "delete from")
		require.Equal(t, "4990", c.rows("select count(*) from t"), "it is carried out")
		c.exec("begin")
		require.Contains(t, c.rows("explain analyze as text update t set n = 0"), "actual")
		c.exec("rollback")
		require.Equal(t, "10", c.rows("select count(distinct n) from t"))
		c.fails(types.ERROR, "text, json, mermaid or dot", "explain as picture select 1")
		c.fails(types.MISMATCH, "", "explain analyze select json('{') from t")
	})
}
