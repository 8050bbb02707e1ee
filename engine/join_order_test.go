package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
)

// chain makes tables of ten rows, and a query that joins them by equalities between neighbours, sources and conditions in random order.
func chain(tables int, seed uint64) (setup []string, query string) {
	random := rand.New(rand.NewPCG(seed, 1))
	var from, where []string
	for i := range tables {
		setup = append(setup, fmt.Sprintf("create table t%d (id integer primary key, a integer, b integer, c text)", i))
		var rows []string
		for id, v := range random.Perm(10) {
			rows = append(rows, fmt.Sprintf("(%d, %d, %d, 'row %d')", id, v, random.IntN(10), id))
		}
		setup = append(setup, fmt.Sprintf("insert into t%d values %s", i, strings.Join(rows, ", ")))
		from = append(from, fmt.Sprintf("t%d", i))
		if i > 0 {
			where = append(where, fmt.Sprintf("t%d.a = t%d.id", i-1, i))
		}
	}
	random.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	random.Shuffle(len(where), func(i, j int) { where[i], where[j] = where[j], where[i] })
	return setup, fmt.Sprintf("select count(*), sum(t0.id), sum(t%d.id) from %s where %s", tables-1, strings.Join(from, ", "), strings.Join(where, " and "))
}

// The order of FROM does not decide how a chain is joined: sources in random order would mean cross products.
func TestChainsAreJoinedAlongTheirConditions(t *testing.T) {
	for _, tables := range []int{3, 8, 10, 17, 64} {
		setup, query := chain(tables, uint64(tables))
		db, err := engine.OpenMemory(ctx, engine.Options{})
		require.NoError(t, err)
		c := &session{Conn: db.Conn(), t: t}
		for _, sql := range setup {
			c.exec(sql)
		}
		require.Equal(t, "10|45|45", c.rows(query), query)
		require.NoError(t, db.Close())
	}
}

func BenchmarkChain64(b *testing.B) {
	setup, query := chain(64, 1)
	db, err := engine.OpenMemory(ctx, engine.Options{})
	require.NoError(b, err)
	defer db.Close()
	c := db.Conn()
	for _, sql := range setup {
		_, err := c.Exec(ctx, sql, engine.Params{})
		require.NoError(b, err)
	}
	for i := 0; b.Loop(); i++ {
		_, err := c.Exec(ctx, fmt.Sprintf("%s and %d > 0", query, i+1), engine.Params{}) // planned anew each time
		require.NoError(b, err)
	}
}
