package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
)

const (
	acctTable = "create table acct (id integer primary key, n integer);"
	acctRows  = "insert into acct values (1, 1), (2, 2)"
	acctOne   = `declare schema main {
  table acct { id integer primary key, n integer, tier text default 'x', constraint ck_n check (n > 0) }
  index ix_n on acct(n)
}`
	acctOther = `declare schema main {
  table acct { id integer primary key, n text, tier text default 'y' }
  unique index ux_tier on acct(tier, id)
}`
)

// appliers are processes that are started at about the same time on one database.
type appliers struct {
	t      *testing.T
	random *rand.Rand
	dir    string
	group  sync.WaitGroup
	mu     sync.Mutex
	ended  []outcome
}

func newAppliers(t *testing.T, round int) *appliers {
	return &appliers{t: t, random: rand.New(rand.NewPCG(35, uint64(round))), dir: filepath.Join(t.TempDir(), "db")}
}

// start starts the tool after a moment.
func (a *appliers) start(args ...string) {
	delay := time.Duration(a.random.Int64N(int64(80 * time.Millisecond)))
	a.group.Go(func() {
		time.Sleep(delay)
		o := tool(append(args, "--db", a.dir)...)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.ended = append(a.ended, o)
	})
}

// wait waits for all of them.
func (a *appliers) wait() []outcome {
	a.group.Wait()
	return a.ended
}

// prepare makes the database with rows.
func (a *appliers) prepare() {
	mustTool(a.t, "apply", "--db", a.dir, "--create", "--yes", writeFile(a.t, "start.sql", acctTable))
	mustTool(a.t, "sql", "--db", a.dir, acctRows)
}

// counted is how many of the outcomes are of each kind.
func (a *appliers) counted(ended []outcome) (applied, inSync, busy int) {
	for _, o := range ended {
		switch {
		case o.code == exitBusy:
			require.Regexp(a.t, "^error BUSY: database .* is in use by (process [0-9]+ \\(quereus-migrate apply, since .*\\)|another process)\n", o.err)
			busy++
		case strings.HasPrefix(o.err, "applied "):
			require.Zero(a.t, o.code)
			applied++
		default:
			require.Equal(a.t, outcome{0, o.stdout, "in sync\n"}, o) // it may have shown a plan for a database that was not there yet
			inSync++
		}
	}
	return applied, inSync, busy
}

// TestAppliers starts eight appliers of one schema at once, on a new directory and on a database with rows. One of them applies; the
// others wait and are in sync then, or say that the database is busy if they may not wait.
func TestAppliers(t *testing.T) {
	for _, fresh := range []bool{true, false} {
		for _, wait := range []time.Duration{time.Minute, 0} {
			t.Run(fmt.Sprintf("fresh=%v,wait=%v", fresh, wait), func(t *testing.T) {
				for round := range pick(1, 100) {
					raceAppliers(t, round, fresh, wait)
				}
			})
		}
	}
}

func raceAppliers(t *testing.T, round int, fresh bool, wait time.Duration) {
	const processes = 8
	a := newAppliers(t, round)
	migrations := 1
	if !fresh {
		a.prepare()
		migrations++
	}
	target := writeFile(t, "target.sql", acctOne)
	for range processes {
		a.start("apply", "--create", "--yes", "--lock-timeout", wait.String(), target)
	}
	applied, inSync, busy := a.counted(a.wait())
	require.Equal(t, 1, applied)
	require.Equal(t, processes-1, inSync+busy)
	if wait > 0 {
		require.Zero(t, busy)
	}
	require.Contains(t, mustTool(t, "status", "--db", a.dir, "--exit-code", target), "in sync     schema main is as declared")
	a.end(migrations, !fresh)
}

// end checks what all of them left.
func (a *appliers) end(migrations int, rows bool) {
	withDatabase(a.t, a.dir, func(db *engine.DB, _ *engine.Conn) {
		history, err := db.History(context.Background())
		require.NoError(a.t, err)
		require.Len(a.t, history, migrations)
	})
	if rows {
		require.Equal(a.t, "id,n\n1,1\n2,2\n", mustTool(a.t, "sql", "--db", a.dir, "--format", "csv", "select id, n from acct order by id"))
	}
}

// TestAppliersOfDifferentSchemas starts appliers of two schemas, and beside them readers. Each of them plans from what it finds: the
// end is one of the two schemas as a whole, and readers, who meet no lock, never see anything else.
func TestAppliersOfDifferentSchemas(t *testing.T) {
	for round := range pick(1, 100) {
		raceSchemas(t, round)
	}
}

func raceSchemas(t *testing.T, round int) {
	a := newAppliers(t, round)
	a.prepare()
	whole := []string{mustTool(t, "inspect", "--db", a.dir)}
	targets := []string{writeFile(t, "one.sql", acctOne), writeFile(t, "other.sql", acctOther)}
	for _, target := range targets {
		whole = append(whole, mustTool(t, "inspect", "--db", target))
		for range 2 {
			a.start("apply", "--yes", "--allow", "destructive", "--lock-timeout", "1m", target)
		}
	}
	readers := &appliers{t: t, random: a.random, dir: a.dir}
	for range 3 {
		readers.start("inspect")
	}
	readers.start("status")
	readers.start("inspect", "--lock-timeout", "1m")

	for _, o := range a.wait() {
		require.Zero(t, o.code, o.err)
	}
	for _, o := range readers.wait() {
		require.Zero(t, o.code, o.err)
		if !strings.HasPrefix(o.stdout, "schema ") {
			require.Contains(t, whole, o.stdout)
		}
	}
	last := mustTool(t, "inspect", "--db", a.dir)
	require.Contains(t, whole[1:], last)
	withDatabase(t, a.dir, func(*engine.DB, *engine.Conn) {})
}
