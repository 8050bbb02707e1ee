package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

const shopStart = `create table item (id integer primary key, name text, price text); create index ix_name on item(name);
	create view v_item as select id, name from item; insert into item values (1, 'nail', '5'), (2, 'screw', '7'), (3, 'nail', '9')`

const shopTarget = `declare schema main {
	table item { id integer primary key, title text with tags ("quereus.previous_name" = 'name'), price integer, stock integer default (new.id * 10) }
	index ix_name on item(title, price)
	view v_item as select id, title from item
	table note { id integer primary key, body text }
}`

func hash(t *testing.T, c *session) string {
	t.Helper()
	cat, err := c.Catalog()
	require.NoError(t, err)
	return catalog.Hash(cat, "main")
}

func TestMigrate(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec(shopStart)
		p := c.plan(shopTarget)
		require.Equal(t, hash(t, c), p.From)
		r := c.migrate(shopTarget)
		require.Equal(t, len(p.Steps), r.Applied)
		require.Equal(t, uint64(1), r.Number)
		require.Equal(t, p.To, hash(t, c))
		require.Equal(t, "1|nail|5|10 2|screw|7|20 3|nail|9|30", c.rows("select * from item order by id"))
		require.Equal(t, "3", c.rows("select id from v_item where title = 'nail' and id > 1"))
		if h.durable {
			before := c.dump()
			require.NoError(t, c.Close())
			h.reopen(engine.Options{})
			c = h.conn()
			require.Equal(t, before, c.dump())
			require.Empty(t, c.plan(shopTarget).Statements())
		}
	})
}

// Each migration leaves an entry in the history, in the commit with what it did.
func TestHistory(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		entries, err := h.db.History(ctx)
		require.NoError(t, err)
		require.Empty(t, entries)
		p := c.plan(shopTarget)
		_, err = c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Failure, Version: "7", Tool: "test 1"})
		require.NoError(t, err)
		c.migrate("declare schema main { table item { id integer primary key } }")
		c.exec("insert into item values (1)")
		bad := c.plan("declare schema main { table item { id integer primary key, x integer } }")
		_, err = c.Migrate(ctx, bad, engine.MigrateOptions{Allow: differ.Destructive})
		require.Error(t, err)

		entries, err = h.db.History(ctx)
		require.NoError(t, err)
		require.Len(t, entries, 2)
		first := entries[0]
		require.Equal(t, []any{uint64(1), "main", "7", "test 1", p.From, p.To, p.Statements()},
			[]any{first.Number, first.Schema, first.Version, first.Tool, first.From, first.To, first.Statements})
		require.WithinDuration(t, time.Now(), first.At, time.Minute)
		require.Contains(t, first.By, "@")
		require.Equal(t, entries[0].To, entries[1].From)
		if h.durable {
			require.NoError(t, c.Close())
			h.reopen(engine.Options{})
			again, err := h.db.History(ctx)
			require.NoError(t, err)
			require.Equal(t, entries, again)
		}
	})
}

// Hazards above what is allowed refuse the run before anything is touched.
func TestPolicy(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec(shopStart)
		before := c.dump()
		p := c.plan("declare schema main { table extra { id integer primary key } table item { id integer primary key, name text } }")
		_, err := c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Failure})
		var refusal *engine.PolicyError
		require.ErrorAs(t, err, &refusal)
		require.Equal(t, differ.Failure, refusal.Allowed.Severity)
		require.Len(t, refusal.Steps, 1)
		require.ErrorContains(t, err, "drops-values")
		require.ErrorContains(t, err, "item.price")
		require.Equal(t, before, c.dump())
		_, err = c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Destructive})
		require.NoError(t, err)
	})
}

// A plan is for the schema it was made from: not for one that was changed, by anybody, since.
func TestStalePlan(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec(shopStart)
		p := c.plan(shopTarget)
		h.conn().exec("alter table item add column note text null")
		before := c.dump()
		_, err := c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Destructive})
		var stale *engine.StalePlanError
		require.ErrorAs(t, err, &stale)
		require.Equal(t, []string{"main", p.From, hash(t, c)}, []string{stale.Schema, stale.Want, stale.Have})
		require.Equal(t, types.SCHEMA, types.CodeOf(err))
		require.Equal(t, before, c.dump())

		h.conn().exec("alter table item drop column note; update item set name = name || '!'")
		_, err = c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Destructive})
		require.NoError(t, err, "the schema is the one of the plan again, whatever the rows")
		_, err = c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Destructive})
		require.ErrorAs(t, err, &stale)
	})
}

// Failures are collected, what depends on a failed step is not judged, and all is as before.
func TestCollectedFailures(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table a (id integer primary key, v text); create table b (id integer primary key, v text); insert into a values (1, 'x'), (2, 'x'); insert into b values (1, 'q'), (2, '5')")
		before := c.dump()
		p := c.plan(`declare schema main {
			table fine { id integer primary key }
			table a { id integer primary key, v text, must integer, constraint uq unique (v) }
			table b { id integer primary key, v integer, a_v text default 'x', constraint fk foreign key (a_v) references a(v) }
			index ix on a(must)
		}`)
		_, err := c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Failure})
		var failed *engine.MigrateError
		require.ErrorAs(t, err, &failed)
		var got []string
		for _, f := range failed.Failures {
			word := "not judged"
			if f.Err != nil {
				word = types.CodeOf(f.Err).String()
			} else {
				require.Contains(t, p.Steps[f.Step].After, f.Blocked)
			}
			require.Equal(t, p.Steps[f.Step].SQL, f.SQL)
			got = append(got, f.SQL+": "+word)
		}
		require.ElementsMatch(t, []string{
			"ALTER TABLE a ADD COLUMN must integer: CONSTRAINT", "ALTER TABLE a ADD constraint uq unique (v): CONSTRAINT",
			"ALTER TABLE b ALTER COLUMN v SET DATA TYPE integer: MISMATCH",
			"create index ix on a (must): not judged", "ALTER TABLE b ADD constraint fk foreign key (a_v) references a(v): not judged",
		}, got)
		require.ErrorContains(t, err, "not judged: step")
		require.Equal(t, types.CodeOf(failed.Failures[0].Err), types.CodeOf(err))
		require.Equal(t, before, c.dump())
		require.False(t, c.InTransaction())
		h.conn().exec("insert into a values (3, 'z')")
	})
}

// A dry run does everything, and leaves nothing.
func TestDryRun(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec(shopStart)
		before := c.dump()
		p := c.plan(shopTarget)
		r, err := c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Failure, DryRun: true})
		require.NoError(t, err)
		require.Equal(t, len(p.Steps), r.Applied)
		require.Zero(t, r.Number)
		require.Equal(t, before, c.dump())
		entries, err := h.db.History(ctx)
		require.NoError(t, err)
		require.Empty(t, entries)

		c.exec("update item set price = 'dear' where id = 2")
		_, err = c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Failure, DryRun: true})
		refused(t, err, types.MISMATCH, "dear")
	})
}

// A dry run finds what only the commit would: assertions over seeded rows.
func TestDryRunJudgesTheCommit(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key)")
		text := "declare schema main { table t { id integer primary key } assertion none check (not exists (select 1 from t)) seed t ((1)) }"
		for _, dry := range []bool{true, false} {
			_, err := c.Migrate(ctx, c.plan(text), engine.MigrateOptions{Allow: differ.Failure, DryRun: dry, Seeds: declared(t, text)})
			refused(t, err, types.CONSTRAINT, "none")
			require.Equal(t, "", c.rows("select * from t"))
		}
	})
}

// A migration can be cancelled in the middle of a rewrite, and leaves nothing then.
func TestCancelledMigration(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key, v text); " + fmt.Sprintf("insert into t select value, '' || value from generate_series(1, %d)", 20000))
		before := c.dump()
		p := c.plan("declare schema main { table u { id integer primary key } table t { id integer primary key, v integer, w integer default (new.id) } index ix on t(w) }")
		require.NotEmpty(t, p.Steps)
		for _, at := range []int64{0, 1, 8000} {
			live, cancel := context.WithCancel(ctx)
			_, err := c.Migrate(live, p, engine.MigrateOptions{Allow: differ.Failure, Progress: func(g engine.Progress) {
				if g.Step > 0 && g.Rows >= at {
					cancel()
				}
			}})
			refused(t, err, types.INTERRUPT, "cancelled in step")
			require.Equal(t, before, c.dump())
		}
		_, err := c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Failure})
		require.NoError(t, err)
	})
}

// Progress tells of each step in order: its beginning, growing numbers of rows, its end.
func TestProgress(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key, v text); insert into t select value, '' || value from generate_series(1, 5000)")
		p := c.plan("declare schema main { table t { id integer primary key, v integer, x integer null } index ix on t(v) }")
		var told []engine.Progress
		_, err := c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Failure, Progress: func(g engine.Progress) { told = append(told, g) }})
		require.NoError(t, err)
		step, rows, most := 0, int64(0), map[int]int64{}
		for i, g := range told {
			require.Equal(t, len(p.Steps), g.Steps)
			require.Equal(t, p.Steps[g.Step].SQL, g.SQL)
			if g.Step != step {
				require.Equal(t, step+1, g.Step)
				require.True(t, told[i-1].Done)
				step, rows = g.Step, 0
			}
			require.GreaterOrEqual(t, g.Rows, rows)
			rows = g.Rows
			most[g.Step] = rows
		}
		require.Equal(t, len(p.Steps)-1, step)
		require.True(t, told[len(told)-1].Done)
		for i, s := range p.Steps {
			if s.Effect.Kind == differ.RewritesRows || s.Effect.Kind == differ.BuildsIndex {
				require.Equal(t, int64(5000), most[i], s.SQL)
			} else {
				require.Zero(t, most[i], s.SQL)
			}
		}
	})
}

// Seeds come behind the steps: rows that are not there are inserted, those that are stay.
func TestSeeds(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table kind (id integer primary key, name text); insert into kind values (1, 'mine')")
		text := "declare schema main { table kind { id integer primary key, name text, n integer default 0 } seed kind values (id, name) values (1, 'one'), (2, 'two') }"
		_, err := c.Migrate(ctx, c.plan(text), engine.MigrateOptions{Allow: differ.Failure, Seeds: declared(t, text)})
		require.NoError(t, err)
		require.Equal(t, "1|one|0 2|two|0", c.rows("select * from kind order by id"))
		before := c.dump()

		bad := "declare schema main { table kind { id integer primary key, name text, n integer default 0 } table more { id integer primary key } seed kind values (id, n) values (3, 4) }"
		_, err = c.Migrate(ctx, c.plan(bad), engine.MigrateOptions{Allow: differ.Failure, Seeds: declared(t, bad)})
		require.ErrorContains(t, err, "Seed data for table 'kind': row 1")
		require.Equal(t, before, c.dump())
	})
}

// A migration takes the lock at its beginning, waits for it as long as it is told to, and has no place in a transaction.
func TestMigrationLock(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c, writer := h.conn(), h.conn()
		c.exec(shopStart)
		p := c.plan(shopTarget)
		writer.exec("begin; insert into item values (4, 'bolt', '1')")
		_, err := c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Failure})
		refused(t, err, types.BUSY, "another connection")
		_, err = c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Failure, LockTimeout: 10 * time.Millisecond})
		refused(t, err, types.BUSY, "another connection")
		time.AfterFunc(10*time.Millisecond, func() {
			if _, err := writer.Exec(ctx, "commit", engine.Params{}); err != nil {
				t.Error(err)
			}
		})
		_, err = c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Failure, LockTimeout: time.Minute})
		require.NoError(t, err)
		require.Equal(t, "4", c.rows("select count(*) from item"))

		c.exec("begin")
		_, err = c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Failure})
		refused(t, err, types.MISUSE, "transaction")
		c.exec("rollback")
	})
}

// Of several appliers of one plan in one process one applies it, and the others find it stale or the lock taken.
func TestManyAppliers(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec(shopStart)
		p := c.plan(shopTarget)
		var appliers sync.WaitGroup
		outcomes := make(chan error, 8)
		for range cap(outcomes) {
			appliers.Add(1)
			go func() {
				defer appliers.Done()
				conn := h.db.Conn()
				_, err := conn.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Failure, LockTimeout: time.Minute})
				outcomes <- errors.Join(err, conn.Close())
			}()
		}
		appliers.Wait()
		applied := 0
		for range cap(outcomes) {
			err := <-outcomes
			if err == nil {
				applied++
				continue
			}
			require.Equal(t, types.SCHEMA, types.CodeOf(err), err.Error())
		}
		require.Equal(t, 1, applied)
		entries, err := h.db.History(ctx)
		require.NoError(t, err)
		require.Len(t, entries, 1)
		require.Equal(t, p.To, hash(t, c))
	})
}

// APPLY SCHEMA is one unit: in autocommit a transaction, inside one a savepoint.
func TestApplySchema(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec(shopStart)
		before := c.dump()
		c.exec("declare schema main { table extra { id integer primary key } table item { id integer primary key, name text, price json, weight real default 1.5 } }")
		c.exec("update item set price = 'dear' where id = 2")
		spoilt := c.dump()
		c.fails(types.ERROR, "Failed to execute DDL", "apply schema main")
		require.Equal(t, spoilt, c.dump())

		c.exec("begin; insert into item values (4, 'bolt', '1')")
		inside := c.dump()
		c.fails(types.ERROR, "Failed to execute DDL", "apply schema main")
		require.True(t, c.InTransaction())
		require.Equal(t, inside, c.dump())
		c.exec("update item set price = '7' where id = 2; savepoint s; apply schema main")
		require.Equal(t, "1|nail|5|1.5 2|screw|7|1.5 3|nail|9|1.5 4|bolt|1|1.5", c.rows("select * from item order by id"))
		require.Equal(t, "", c.rows("diff schema main"))
		c.exec("rollback to s; delete from item where id = 4; commit")
		require.Equal(t, before, c.dump())
		c.exec("apply schema main")
		require.Equal(t, "", c.rows("diff schema main"))
	})
}

// Changes of a parent's shape inside a transaction run no referential actions (field/16).
func TestParentReshapedInATransaction(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec(`create table writer (id integer primary key, handle text);
			create table book (id integer primary key, writer_id integer, constraint fk foreign key (writer_id) references writer(id) on delete cascade);
			insert into writer values (1, 'ink'), (2, 'nib'); insert into book values (10, 1), (11, 2)`)
		c.exec(`declare schema main {
			table writer { id integer, handle text collate nocase, constraint uq unique (id), primary key (handle) }
			table book { id integer primary key, writer_id integer, constraint fk foreign key (writer_id) references writer(id) on delete cascade }
		}`)
		c.exec("begin; insert into book values (12, 2); apply schema main; commit")
		require.Equal(t, "10|1 11|2 12|2", c.rows("select * from book order by id"))
		c.fails(types.CONSTRAINT, "FOREIGN KEY", "insert into book values (13, 9)")
		c.exec("delete from writer where handle = 'NIB'")
		require.Equal(t, "10|1", c.rows("select * from book"))
	})
}
