package engine_test

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
)

// TestStatementsLeaveNothing: a session's memory does not grow with the number of its statements, of which no two are alike.
func TestStatementsLeaveNothing(t *testing.T) {
	n := 20_000
	if os.Getenv("QUEREUS_LONG") != "" {
		n = 1_000_000
	}
	db, err := engine.OpenMemory(ctx, engine.Options{})
	require.NoError(t, err)
	defer db.Close()
	c := db.Conn()
	defer c.Close()
	exec := func(sql string) {
		_, err := c.Exec(ctx, sql, engine.Params{})
		require.NoError(t, err)
	}
	exec("create table t (id integer primary key, a integer null, s text null); create index i on t (a)")
	exec("insert into t select value, value, 'x' || value from generate_series(1, 100)")
	round := func(from, to int) {
		for i := from; i < to; i++ {
			exec(fmt.Sprintf("update t set a = %d, s = 'y%d' where id = %d", i, i, i%100+1))
			if i%16 == 0 {
				exec(fmt.Sprintf("select count(*), max(a + %d) from t where a > %d group by s order by 2", i, i))
			}
		}
	}
	round(0, n/10)
	before := liveBytes()
	round(n/10, n)
	require.Less(t, liveBytes(), before+8<<20)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	require.Less(t, m.HeapSys, uint64(512<<20), "the heap that the statements were carried out in")
}

// liveBytes is what is in use once the garbage is gone.
func liveBytes() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
