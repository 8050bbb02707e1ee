//go:build unix

package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

const killBefore = `
create table depot_item (id integer primary key, code text, w text);
create index ix_w on depot_item(w);
create view v_w as select w from depot_item;
`

const killTarget = `declare schema main {
  table depot_item {
    id integer, code text, w integer, seq integer default (new.id * 2),
    constraint uq_code unique (code), primary key (code)
  }
  index ix_w on depot_item(w, id)
  view v_w as select w, seq from depot_item
}
`

const killRows = `insert into depot_item select value, 'c' || value, '' || (value * 7919 %% 100003) from generate_series(1, %d)`

// killStage is one of the two states that a kill may leave.
type killStage struct {
	schema    string // as inspect prints it
	checksums string // of everything that killQueries read
	size      int64  // on disk
}

// killQueries read every row, and every index in its order.
var killQueries = []string{
	"select id, code, 0 + w from depot_item",
	"select 0 + w from depot_item order by w",
	"select code from depot_item order by code",
	"select 0 + w from v_w",
}

// TestKilled kills the tool at random instants of an apply. Whatever is left opens, also to be read only, as wholly the old or wholly
// the new state, passes a full check and takes no more room than one copy; and applying again ends in the new state.
func TestKilled(t *testing.T) {
	k := prepareKill(t, pick(4_000, 200_000))
	random := rand.New(rand.NewPCG(37, uint64(k.rows)))
	kills := pick(4, 200)
	counts := map[string]int{}
	for i := range kills {
		delay := time.Duration(random.Int64N(int64(k.took + k.took/10)))
		counts[k.kill(t, i, delay)]++
	}
	t.Logf("%d kills within %v of an apply over %d rows: %v", kills, k.took.Round(time.Millisecond), k.rows, counts)
	t.Logf("on disk: %d bytes before, %d after; at most %d were left by a kill, %d after the next open, %d after the next apply",
		k.before.size, k.after.size, k.left, k.opened, k.applied)
}

// killing is what all kills have in common.
type killing struct {
	rows          int
	start, target string // database directory, file
	before, after killStage
	took          time.Duration // an apply that is not killed
	// left, opened and applied are the most bytes that there were on disk.
	left, opened, applied int64
}

func prepareKill(t *testing.T, rows int) *killing {
	k := &killing{rows: rows, start: filepath.Join(t.TempDir(), "start"), target: writeFile(t, "target.sql", killTarget)}
	mustTool(t, "apply", "--db", k.start, "--create", "--yes", writeFile(t, "before.sql", killBefore))
	mustTool(t, "sql", "--db", k.start, fmt.Sprintf(killRows, rows))
	k.before = k.look(t, k.start)
	done := k.copy(t, "done")
	began := time.Now()
	mustTool(t, "apply", "--db", done, "--yes", k.target)
	k.took = time.Since(began)
	k.after = k.look(t, done)
	require.NotEqual(t, k.before.schema, k.after.schema)
	require.Equal(t, k.before.checksums, k.after.checksums, "the rows say the same in both states")
	require.NoError(t, os.RemoveAll(done))
	return k
}

func (k *killing) copy(t *testing.T, name string) string {
	dir := filepath.Join(filepath.Dir(k.start), name)
	require.NoError(t, os.CopyFS(dir, os.DirFS(k.start)))
	return dir
}

// look reads a database that is sound. Opening it once more lets everything that is not needed go.
func (k *killing) look(t *testing.T, dir string) (s killStage) {
	s.schema = mustTool(t, "inspect", "--db", dir)
	withDatabase(t, dir, func(_ *engine.DB, c *engine.Conn) { s.checksums = k.checksums(t, c) })
	withDatabase(t, dir, func(*engine.DB, *engine.Conn) {})
	s.size = diskUse(t, dir)
	return s
}

// checksums gives, query by query, the number of rows and the sum of their hashes.
func (k *killing) checksums(t *testing.T, c *engine.Conn) string {
	var b strings.Builder
	for _, q := range killQueries {
		rows, err := c.Query(context.Background(), q, engine.Params{})
		require.NoError(t, err)
		n, sum := 0, uint64(0)
		for {
			row, err := rows.Next()
			require.NoError(t, err)
			if row == nil {
				break
			}
			h := fnv.New64a()
			for _, v := range row {
				_, _ = h.Write(types.AppendWire(nil, v))
			}
			n, sum = n+1, sum+h.Sum64()
		}
		require.NoError(t, rows.Close())
		require.Equal(t, k.rows, n, q)
		fmt.Fprintf(&b, "%s: %d rows, %x\n", q, n, sum)
	}
	return b.String()
}

// kill kills an apply after a while and judges what is left. It tells which state that was.
func (k *killing) kill(t *testing.T, i int, delay time.Duration) string {
	dir := k.copy(t, fmt.Sprintf("kill-%d", i))
	cmd := exec.Command(toolBinary, "apply", "--db", dir, "--yes", k.target)
	require.NoError(t, cmd.Start())
	time.Sleep(delay)
	_ = cmd.Process.Kill() // it may have ended by itself
	_ = cmd.Wait()
	k.left = max(k.left, diskUse(t, dir))

	what := fmt.Sprintf("kill %d, after %v", i, delay)
	migrations, stage := 1, &k.before
	state := "before"
	schema := mustTool(t, "inspect", "--db", dir)
	if schema == k.after.schema {
		migrations, stage, state = 2, &k.after, "after"
	}
	require.Equal(t, stage.schema, schema, what)
	withDatabase(t, dir, func(db *engine.DB, c *engine.Conn) {
		require.Equal(t, stage.checksums, k.checksums(t, c), what)
		history, err := db.History(context.Background())
		require.NoError(t, err)
		require.Len(t, history, migrations, what)
	})
	opened := diskUse(t, dir)
	require.LessOrEqual(t, opened, oneCopy(stage.size), what)
	k.opened = max(k.opened, opened)

	o := tool("apply", "--db", dir, "--yes", k.target)
	require.Zero(t, o.code, "%s: %s", what, o.err)
	require.Equal(t, k.after.schema, mustTool(t, "inspect", "--db", dir), what)
	require.Equal(t, "in sync\n", tool("apply", "--db", dir, "--yes", k.target).err, what)
	withDatabase(t, dir, func(db *engine.DB, c *engine.Conn) {
		require.Equal(t, k.after.checksums, k.checksums(t, c), what)
		history, err := db.History(context.Background())
		require.NoError(t, err)
		require.Len(t, history, 2, what)
	})
	applied := diskUse(t, dir)
	require.LessOrEqual(t, applied, oneCopy(k.after.size), what)
	k.applied = max(k.applied, applied)
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, n := range names {
		require.Contains(t, []string{"LOCK", "CURRENT", "store-1", "tmp", "undo"}, n.Name(), what)
	}
	require.NoError(t, os.RemoveAll(dir))
	return state
}

// TestKilledCreating kills the tool while it makes a database. What is left can be looked at without harm, and the next apply finishes it.
func TestKilledCreating(t *testing.T) {
	schema := writeFile(t, "before.sql", killBefore)
	random := rand.New(rand.NewPCG(38, 1))
	reference := filepath.Join(t.TempDir(), "db")
	began := time.Now()
	mustTool(t, "apply", "--db", reference, "--create", "--yes", schema)
	took := time.Since(began)
	want := mustTool(t, "inspect", "--db", reference)
	for range pick(4, 200) {
		dir := filepath.Join(t.TempDir(), "db")
		cmd := exec.Command(toolBinary, "apply", "--db", dir, "--create", "--yes", schema)
		require.NoError(t, cmd.Start())
		time.Sleep(time.Duration(random.Int64N(int64(took))))
		_ = cmd.Process.Kill() // it may have ended by itself
		_ = cmd.Wait()
		if o := tool("status", "--db", dir); o.code == 0 {
			require.Contains(t, []string{"declare schema main {};\n", want}, mustTool(t, "inspect", "--db", dir))
		} else {
			require.Regexp(t, "^error CANTOPEN: .*(does not exist|is empty|its creation was not finished)", o.err)
		}
		o := tool("apply", "--db", dir, "--create", "--yes", schema)
		require.Zero(t, o.code, o.err)
		require.Equal(t, want, mustTool(t, "inspect", "--db", dir))
		withDatabase(t, dir, func(db *engine.DB, _ *engine.Conn) {
			history, err := db.History(context.Background())
			require.NoError(t, err)
			require.Len(t, history, 1)
		})
	}
}

// oneCopy is the most that a database of a size may take: logs and tables are cut differently from run to run.
func oneCopy(size int64) int64 { return size + size/4 + 256<<10 }
