package engine_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// estimates gives what the planner expects of the table at the bottom of a query.
func (s *session) estimates(sql string) string {
	return s.rows("select detail || ' rows=' || est_rows from query_plan('" + sql + "') where node_type = 'Scan'")
}

// Statistics are kept with the database, forgotten with the table, undone with the transaction, and say what is there.
func TestAnalyze(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec(`create table t (id integer primary key, kind text, n integer null, r real);
			create index by_kind on t (kind);
			create index by_n on t (n)`)
		c.exec("insert into t select value, case when value % 100 = 0 then 'rare' else 'often' end, case when value % 2 = 0 then value end, value / 7.0 from generate_series(1, 20000)")
		require.Equal(t, "t|20000", c.rows("analyze"))
		for i := range 2 {
			cat, err := c.Catalog()
			require.NoError(t, err)
			known := cat.Statistics(cat.Table("main", "t").ID)
			require.EqualValues(t, 20000, known.Rows, "round %d", i)
			kind := known.Columns[cat.Table("main", "t").Columns[1].ID]
			require.EqualValues(t, 2, kind.Distinct)
			require.Equal(t, "often", types.ToText(kind.Common[0].Value))
			require.InDelta(t, 19800, kind.Common[0].Rows, 200)
			n := known.Columns[cat.Table("main", "t").Columns[2].ID]
			require.EqualValues(t, 10000, n.Nulls)
			require.InDelta(t, 10000, n.Distinct, 300)
			require.Contains(t, c.estimates("select * from t where kind = ''rare''"), "by_kind")
			require.NotContains(t, c.estimates("select * from t where kind = ''often''"), "by_kind")
			if h.durable {
				h.reopen(engine.Options{})
				c = h.conn()
			}
		}
		var rows int64
		for _, q := range []struct {
			where string
			want  float64
		}{
			{"id < 5000", 5000}, {"r > 2000", 6000}, {"r between 1000 and 2000", 7000}, {"n is null", 10000}, {"n is not null and r < 1428.5", 5000},
			{"kind <> ''often''", 200}, {"kind in (''rare'', ''often'')", 20000}, {"kind = ''none''", 1}, {"not r > 2000", 14000},
		} {
			_, err := fmt.Sscan(c.rows("select est_rows from query_plan('select * from t where "+q.where+"') where node_type = 'Scan'"), &rows)
			require.NoError(t, err)
			require.InDelta(t, q.want, rows, q.want/10+2, q.where)
		}

		c.exec("begin; insert into t values (-1, 'x', 1, 1)")
		require.Equal(t, "t|20001", c.rows("analyze t"), "its own rows count")
		c.exec("rollback")
		cat, err := c.Catalog()
		require.NoError(t, err)
		id := cat.Table("main", "t").ID
		require.EqualValues(t, 20000, cat.Statistics(id).Rows)
		c.exec("alter table t rename to u; alter table u alter column r set data type text; drop index by_n")
		cat, err = c.Catalog()
		require.NoError(t, err)
		require.NotNil(t, cat.Statistics(id), "a table keeps them under another name")
		c.exec("drop table u")
		if h.durable {
			h.reopen(engine.Options{})
			c = h.conn()
		}
		cat, err = c.Catalog()
		require.NoError(t, err)
		require.Nil(t, cat.Statistics(id))
		c.fails(types.NOTFOUND, "Table 'u' not found", "analyze u")
		c.fails(types.ERROR, "Schema not found: nowhere", "analyze nowhere.*")
	})
}
