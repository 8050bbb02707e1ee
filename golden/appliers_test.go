package golden

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
)

const acctTarget = `declare schema main {
	table acct { id integer primary key, n integer, tier text default 'x', constraint ck_n check (n > 0) }
	index ix_n on acct(n)
}`

// TestGoroutinesMigrate migrates one open database from several goroutines, beside readers. One of them carries its plan out; the
// others' plans are stale then, or empty if they were made later; who may not wait for the writer may find it busy. Readers see one of
// the two states.
func TestGoroutinesMigrate(t *testing.T) {
	for _, wait := range []time.Duration{time.Minute, 0} {
		d := mustOpenDurable(t, pebble.MemFS(), crashVariants[1].at)
		d.exec(t, "create table acct (id integer primary key, n integer); insert into acct select value, value from generate_series(1, 300)")
		states := []string{dumped(t, d)}
		var group sync.WaitGroup
		results := make([]error, 8)
		for i := range results {
			group.Go(func() { results[i] = d.migrate(acctTarget, engine.MigrateOptions{LockTimeout: wait}) })
		}
		seen := make([]string, 8)
		for i := range seen {
			group.Go(func() { seen[i] = dumped(t, d) })
		}
		group.Wait()
		states = append(states, dumped(t, d))
		for _, err := range results {
			var stale *engine.StalePlanError
			isBusy := wait == 0 && types.CodeOf(err) == types.BUSY
			require.True(t, err == nil || errors.As(err, &stale) || isBusy, "%v", err)
		}
		for _, s := range seen {
			require.True(t, s == states[0] || s == states[1], "a reader saw something else")
		}
		history, err := d.History(context.Background())
		require.NoError(t, err)
		require.Len(t, history, 1)
		require.NoError(t, d.migrate(acctTarget, engine.MigrateOptions{}), "there is nothing to do")
		d.requireSound(t, "the end")
		require.NoError(t, d.Close())
	}
}

// dumped is Dump on a goroutine of its own, in a transaction: its statements see one state.
func dumped(t *testing.T, d *durable) string {
	c := d.Conn()
	defer c.Close()
	_, err := c.Exec(context.Background(), "begin", engine.Params{})
	assert.NoError(t, err)
	text, err := Dump(context.Background(), c)
	assert.NoError(t, err)
	return text
}

// TestCheckBesideWriter checks a database while its ranges are written anew, retired and cleared.
func TestCheckBesideWriter(t *testing.T) {
	d := mustOpenDurable(t, pebble.MemFS(), crashVariants[1].at)
	d.exec(t, `create table t (a integer primary key, b integer, c text, unique (b)); create index ix on t (c, b);
		insert into t select value, -value, 'text ' || value from generate_series(1, 300)`)
	var group sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		group.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				report, err := d.Check(context.Background())
				if !assert.NoError(t, err) || !assert.Empty(t, report.Faults) {
					return
				}
			}
		})
	}
	for i := range 10 {
		d.exec(t, []string{
			"alter table t alter primary key (b desc)", "alter table t alter column c set data type any; delete from t where a % 10 = 1",
			"begin; alter table t alter primary key (c); rollback", "alter table t alter primary key (a); alter table t alter column c set data type text",
			"insert or ignore into t select a + 10000, b - 10000, c || ' ' || a from t where a < 10000",
		}[i%5])
	}
	close(done)
	group.Wait()
	d.requireSound(t, "the end")
	require.NoError(t, d.Close())
}
