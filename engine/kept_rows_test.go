package engine_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// Rows that somebody keeps stay as they are while further ones are read, and after the end.
func TestRowsMayBeKept(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := &session{Conn: h.db.Conn(), t: t}
		defer c.Close()
		const n = 10_000
		c.exec("create table t (id integer primary key, s text, b blob)")
		c.exec(fmt.Sprintf("insert into t select value, 'row ' || value, blob('b' || value) from generate_series(1, %d)", n))
		for _, sql := range []string{
			"select id, s, b from t", "select id, s, b from t order by s desc", "select id, s || '', b from t where id > 0",
			"select t.id, t.s, u.b from t join t u on u.id = t.id", "select id, max(s), max(b) from t group by id",
		} {
			rows, err := c.Query(ctx, sql, engine.Params{})
			require.NoError(t, err)
			var kept []types.Row
			for {
				row, err := rows.Next()
				require.NoError(t, err)
				if row == nil {
					break
				}
				kept = append(kept, row)
			}
			require.NoError(t, rows.Close())
			require.Len(t, kept, n)
			for _, row := range kept {
				id, _ := row[0].Int64()
				if row[1].Str() != fmt.Sprintf("row %d", id) || string(row[2].Bytes()) != fmt.Sprintf("b%d", id) {
					t.Fatalf("%s: row %d became %q, %q", sql, id, row[1].Str(), row[2].Bytes())
				}
			}
		}
	})
}
