package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
)

// chainQuery joins tables in a chain of equalities between neighbours; FROM and WHERE come in any order.
func chainQuery(tables int, shuffle func(n int, swap func(i, j int))) string {
	from, where := make([]string, tables), make([]string, 0, tables)
	for i := range from {
		from[i] = fmt.Sprintf("t%d", i)
		if i > 0 {
			where = append(where, fmt.Sprintf("t%d.a = t%d.b", i-1, i))
		}
	}
	where = append(where, "t0.a = 4")
	shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	shuffle(len(where), func(i, j int) { where[i], where[j] = where[j], where[i] })
	return "select " + fmt.Sprintf("t0.id, t%d.id", tables-1) + " from " + strings.Join(from, ", ") + " where " + strings.Join(where, " and ")
}

// startChain makes tables of ten rows, in which every value of a and b stands once.
func startChain(t testing.TB, tables int) (*engine.Conn, func()) {
	db, err := engine.OpenMemory(ctx, engine.Options{})
	require.NoError(t, err)
	c := db.Conn()
	for i := range tables {
		_, err := c.Exec(ctx, fmt.Sprintf(
			"create table t%d (id integer primary key, a integer, b integer); insert into t%d select value, value %% 10 + 1, 11 - value from generate_series(1, 10)", i, i), engine.Params{})
		require.NoError(t, err)
	}
	return c, func() {
		require.NoError(t, c.Close())
		require.NoError(t, db.Close())
	}
}

// TestLongChainsOfJoins: what tries all orders, or joins as FROM has it, does not end here.
func TestLongChainsOfJoins(t *testing.T) {
	const tables = 64
	c, end := startChain(t, tables)
	defer end()
	// id → a = id % 10 + 1, and the neighbour has b = 11 - id: its id is 11 - a.
	want := int64(3)
	for range tables - 1 {
		want = 11 - (want%10 + 1)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		rows, err := c.Query(ctx, chainQuery(tables, r.Shuffle), engine.Params{})
		require.NoError(t, err)
		row, err := rows.Next()
		require.NoError(t, err)
		first, _ := row[0].Int64()
		last, _ := row[1].Int64()
		require.Equal(t, []int64{3, want}, []int64{first, last})
		row, err = rows.Next()
		require.NoError(t, err)
		require.Nil(t, row)
		require.NoError(t, rows.Close())
	}
}

func BenchmarkChainOf64(b *testing.B) {
	c, end := startChain(b, 64)
	defer end()
	r := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		rows, err := c.Query(ctx, chainQuery(64, r.Shuffle), engine.Params{})
		require.NoError(b, err)
		_, err = rows.Next()
		require.NoError(b, err)
		require.NoError(b, rows.Close())
	}
}
