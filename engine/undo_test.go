package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
)

// onDisk runs a test on a fresh database directory, in a file system in memory.
func onDisk(t *testing.T) *host { return startHost(t, hosts["pebble"]()) }

// undo undoes the last migration and opens the database again.
func (h *host) undo(o engine.UndoOptions) *session {
	h.t.Helper()
	_, err := h.db.Undo(ctx, o)
	require.NoError(h.t, err)
	h.start(engine.Options{})
	return h.conn()
}

func TestUndo(t *testing.T) {
	h := onDisk(t)
	c := h.conn()
	c.exec(shopStart)
	before, from := c.dump(), hash(t, c)
	_, ok, err := h.db.CanUndo()
	require.NoError(t, err)
	require.False(t, ok)
	_, err = h.db.Undo(ctx, engine.UndoOptions{})
	refused(t, err, types.NOTFOUND, "nothing to undo")

	c.migrate(shopTarget)
	after := c.dump()
	info, ok, err := h.db.CanUndo()
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, []any{uint64(1), false}, []any{info.Number, info.Changed})
	require.Positive(t, info.Bytes)
	require.NoError(t, c.Close())
	h.reopen(engine.Options{})

	c = h.undo(engine.UndoOptions{Tool: "test", By: "somebody"})
	require.Equal(t, before, c.dump())
	entries, err := h.db.History(ctx)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	require.Equal(t, []any{engine.Undone, uint64(1), uint64(2), from, "test", "somebody"},
		[]any{entries[1].Kind, entries[1].Before, entries[1].Number, entries[1].To, entries[1].Tool, entries[1].By})
	require.Equal(t, map[uint64]bool{1: true}, engine.Taken(entries))
	known, err := h.db.Reached(ctx, "main")
	require.NoError(t, err)
	require.Equal(t, from, catalog.Hash(known, "main"))

	// An undo can be undone, and what comes then has numbers of its own.
	c = h.undo(engine.UndoOptions{})
	require.Equal(t, after, c.dump())
	entries, err = h.db.History(ctx)
	require.NoError(t, err)
	require.Len(t, entries, 3)
	require.Equal(t, map[uint64]bool{2: true}, engine.Taken(entries))
	c.exec("insert into note values (1, 'x')")
	require.Equal(t, uint64(4), c.migrate("declare schema main { table item { id integer primary key } }").Number)
	report, err := h.db.Check(ctx)
	require.NoError(t, err)
	require.Empty(t, report.Faults)
}

// What was committed after the migration is not lost without a word, whatever it was.
func TestUndoAfterChanges(t *testing.T) {
	for name, change := range map[string]func(h *host, c *session){
		"rows":          func(h *host, c *session) { c.exec("insert into item values (9, 'x', 1, 2)") },
		"schema":        func(h *host, c *session) { c.exec("create view v as select 1 as one") },
		"an adoption":   func(h *host, c *session) { adopt(h.t, c) },
		"a transaction": func(h *host, c *session) { c.exec("begin; delete from item; commit") },
		"another process": func(h *host, c *session) {
			c.exec("delete from item where id = 1")
			c.Close()
			h.reopen(engine.Options{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := onDisk(t)
			c := h.conn()
			c.exec(shopStart)
			before := c.dump()
			c.migrate(shopTarget)
			change(h, c)
			h.reopen(engine.Options{})
			_, err := h.db.Undo(ctx, engine.UndoOptions{})
			var changed *engine.ChangedError
			require.ErrorAs(t, err, &changed)
			require.Equal(t, uint64(1), changed.Number)
			kept := h.conn()
			require.NotEqual(t, before, kept.dump())
			require.Equal(t, before, h.undo(engine.UndoOptions{Discard: true}).dump())
		})
	}
}

func adopt(t require.TestingT, c *session) *engine.HistoryEntry {
	e, err := c.Adopt(ctx, "main", engine.AdoptOptions{Tool: "test"})
	require.NoError(t, err)
	return e
}

// What changes nothing leaves the way back open: reading, what was rolled back, a dry run, a migration that fails.
func TestUndoAfterNothing(t *testing.T) {
	h := onDisk(t)
	c := h.conn()
	c.exec(shopStart)
	before := c.dump()
	c.migrate(shopTarget)
	c.rows("select * from item")
	c.exec("begin; delete from item; rollback")
	bad := c.plan("declare schema main { table item { id integer primary key, title text not null, x integer unique default 1 } }")
	_, err := c.Migrate(ctx, bad, engine.MigrateOptions{Allow: differ.Destructive})
	require.Error(t, err)
	good := c.plan("declare schema main { }")
	_, err = c.Migrate(ctx, good, engine.MigrateOptions{Allow: differ.Destructive, DryRun: true})
	require.NoError(t, err)
	require.Equal(t, before, h.undo(engine.UndoOptions{}).dump())
}

// A migration without a checkpoint can only be discarded by going further back.
func TestNoUndo(t *testing.T) {
	h := onDisk(t)
	c := h.conn()
	c.exec(shopStart)
	o := engine.MigrateOptions{Allow: differ.Destructive, NoUndo: true}
	_, err := c.Migrate(ctx, c.plan(shopTarget), o)
	require.NoError(t, err)
	_, err = h.db.Undo(ctx, engine.UndoOptions{})
	refused(t, err, types.NOTFOUND, "nothing to undo")

	before := c.dump()
	c.migrate("declare schema main { table item { id integer primary key } }")
	_, err = c.Migrate(ctx, c.plan("declare schema main { }"), o)
	require.NoError(t, err)
	_, err = h.db.Undo(ctx, engine.UndoOptions{})
	var changed *engine.ChangedError
	require.ErrorAs(t, err, &changed)
	require.Equal(t, before, h.undo(engine.UndoOptions{Discard: true}).dump())
	entries, err := h.db.History(ctx)
	require.NoError(t, err)
	require.Equal(t, map[uint64]bool{2: true, 3: true}, engine.Taken(entries))
}

func TestUndoInMemory(t *testing.T) {
	db, err := engine.OpenMemory(ctx, engine.Options{})
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Undo(ctx, engine.UndoOptions{})
	refused(t, err, types.UNSUPPORTED, "in memory")
}

// An undo waits for who writes, and whoever waits behind it is refused: what it would commit to is no longer the database.
func TestUndoLocks(t *testing.T) {
	h := onDisk(t)
	c := h.conn()
	c.exec(shopStart)
	c.migrate(shopTarget)
	writer := h.conn()
	writer.exec("begin; insert into note values (1, 'x')")
	_, err := h.db.Undo(ctx, engine.UndoOptions{})
	refused(t, err, types.BUSY, "writing")
	writer.exec("rollback")
	_, err = h.db.Undo(ctx, engine.UndoOptions{})
	require.NoError(t, err)
	_, err = c.Exec(ctx, "insert into note values (2, 'y')", engine.Params{})
	refused(t, err, types.MISUSE, "closed")
}

// A schema that was adopted is known: nothing has drifted.
func TestAdopt(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec(shopStart)
		require.Equal(t, uint64(1), adopt(t, c).Number)
		first := hash(t, c)
		c.exec("alter table item add column extra text null")
		e := adopt(t, c)
		require.Equal(t, []any{engine.Adopted, first, hash(t, c), uint64(2)}, []any{e.Kind, e.From, e.To, e.Number})
		known, err := h.db.Reached(ctx, "main")
		require.NoError(t, err)
		require.Equal(t, hash(t, c), catalog.Hash(known, "main"))
		_, err = c.Adopt(ctx, "nowhere", engine.AdoptOptions{})
		refused(t, err, types.NOTFOUND, "no schema nowhere")
		none, err := h.db.Reached(ctx, "nowhere")
		require.NoError(t, err)
		require.Nil(t, none)
	})
}

// TestUndoLaw: from one random schema with rows to the next, an undo puts hash and rows back, the undo of that leads forth again, and a plan
// made after either is the one that was made before.
func TestUndoLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := pebble.Options{FS: pebble.MemFS(), Create: true, CacheBytes: 1 << 20, MemTableBytes: 1 << 20}
		open := func() (*engine.DB, *session) {
			db, err := engine.OpenDir(ctx, "db", p, engine.Options{})
			require.NoError(t, err)
			return db, &session{Conn: db.Conn(), t: t}
		}
		db, c := open()
		defer func() { require.NoError(t, db.Close()) }()
		undo := func() {
			_, err := db.Undo(ctx, engine.UndoOptions{})
			require.NoError(t, err)
			db, c = open()
		}
		now := &world{T: t}
		for range 2 {
			next := now.next()
			text := next.declaration(now)
			before, plan := c.dump(), c.plan(text)
			_, err := c.Migrate(ctx, plan, engine.MigrateOptions{Allow: differ.Destructive})
			if err != nil || len(plan.Steps) == 0 {
				require.Equal(t, before, c.dump())
				continue
			}
			after := c.dump()
			undo()
			require.Equal(t, before, c.dump())
			again := c.plan(text)
			require.Equal(t, []any{plan.From, plan.To, plan.Statements()}, []any{again.From, again.To, again.Statements()})
			undo()
			require.Equal(t, after, c.dump())
			require.Equal(t, plan.To, c.plan(text).From)
			next.inherit(now)
			now = next
			for _, f := range now.insert() {
				sql, took := f()
				if _, err := c.Exec(ctx, sql, engine.Params{}); err == nil {
					took()
				}
			}
		}
		report, err := db.Check(ctx)
		require.NoError(t, err)
		require.Empty(t, report.Faults)
	})
}
