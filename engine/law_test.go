package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/golden"
	"github.com/quereus/quereus-migrate/types"
)

// TestMigrationLaws goes from one random schema to the next, with rows. The plan leads to the hash that it promised, which is that of the
// schema built from nothing; the second plan is empty; rows that the next schema can hold are kept, through renames and retypes; a
// migration that fails leaves all as it was; memory and Pebble agree; so does what is there behind a reopen.
func TestMigrationLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		memory, disk := startBare(t, golden.MemorySession), startBare(t, golden.PebbleSession)
		defer memory.end()
		defer disk.end()
		now := &world{T: t}
		for range 3 {
			next := now.next()
			text := next.declaration(now)
			if memory.goTo(text) != disk.goTo(text) {
				t.Fatalf("memory and disk differ on\n%s", text)
			}
			if memory.failed != nil {
				continue
			}
			next.inherit(now)
			now = next
			memory.check(now)
			fillUp(t, now, memory, disk)
			memory.check(now)
			require.Equal(t, memory.conn.dump(), disk.conn.dump())
			disk.reopen()
			require.Equal(t, memory.conn.dump(), disk.conn.dump())
		}
	})
}

// bare is a database of a rapid check, which has no end of its own to hook into. Tables lie in module memory on each engine.
type bare struct {
	*rapid.T
	golden.Session
	conn   *session
	failed error // of the last migration
}

func startBare(t *rapid.T, open func(context.Context) (golden.Session, error)) *bare {
	s, err := open(ctx)
	require.NoError(t, err)
	return &bare{T: t, Session: s, conn: &session{Conn: s.Conn(), t: t}}
}

func (b *bare) end() { require.NoError(b, b.Close()) }

func (b *bare) reopen() {
	require.NoError(b, b.Reopen(ctx))
	b.conn = &session{Conn: b.Conn(), t: b.T}
}

// goTo migrates, and gives the hash that the database has then.
func (b *bare) goTo(text string) string {
	c := b.conn
	before := c.dump()
	p := c.plan(text)
	for _, s := range p.Steps {
		b.Log(s.SQL)
	}
	_, b.failed = c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Destructive})
	if b.failed != nil {
		var failed *engine.MigrateError
		if !errors.As(b.failed, &failed) {
			b.Fatalf("%v\n%s", b.failed, text)
		}
		for _, f := range failed.Failures {
			if f.Err != nil && types.CodeOf(f.Err) != types.CONSTRAINT { // values repeat, or NULL has no substitute
				b.Fatalf("%s: %v", f.SQL, f.Err)
			}
		}
		require.Equal(b, before, c.dump())
		return p.From
	}
	second := c.plan(text)
	require.Empty(b, second.Statements(), text)
	require.Equal(b, p.To, second.From)
	return p.To
}

func (b *bare) check(w *world) {
	for _, t := range w.tables {
		require.Equal(b, t.content(), b.conn.rows(t.query()), t.query())
	}
}

// fillUp inserts rows into databases that are alike; some are refused, by all.
func fillUp(t *rapid.T, w *world, into ...*bare) {
	for _, f := range w.insert() {
		sql, took := f()
		var codes []types.Code
		for _, b := range into {
			_, err := b.conn.Exec(ctx, sql, engine.Params{})
			codes = append(codes, types.CodeOf(err))
			require.Equal(t, codes[0], codes[len(codes)-1], sql)
		}
		if codes[0] == types.OK {
			took()
		} else {
			require.Equal(t, types.CONSTRAINT, codes[0], sql)
		}
	}
}

// TestBuiltFromNothing: a schema that was reached by steps has the hash of one that was built at once.
func TestBuiltFromNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, fresh := startBare(t, golden.MemorySession), startBare(t, golden.MemorySession)
		defer b.end()
		defer fresh.end()
		first := (&world{T: t}).next()
		b.goTo(first.declaration(&world{}))
		second := first.next()
		require.Equal(t, fresh.goTo(second.declaration(&world{})), b.goTo(second.declaration(first)))
		require.NoError(t, b.failed)
		cat, err := b.conn.Catalog()
		require.NoError(t, err)
		require.Equal(t, b.conn.plan(second.declaration(first)).From, catalog.Hash(cat, "main"))
	})
}

// TestRenamesCostNothing: with hints for everything that goes by another name, no step of a plan that only renames touches rows.
func TestRenamesCostNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := startBare(t, golden.MemorySession)
		defer b.end()
		first := (&world{T: t}).next()
		first.views = nil
		b.goTo(first.declaration(&world{}))
		first.inherit(&world{})
		fillUp(t, first, b)
		second := first.renamed()
		p := b.conn.plan(second.declaration(first))
		for _, s := range p.Steps {
			require.Equal(t, differ.MetadataOnly, s.Effect.Kind, s.SQL)
			require.Contains(t, s.SQL, "RENAME")
		}
		b.goTo(second.declaration(first))
		require.NoError(t, b.failed)
		second.inherit(first)
		b.check(second)
	})
}

// renamed is the same world with every name another.
func (w *world) renamed() *world {
	g := &world{T: w.T}
	for _, t := range w.tables {
		n := *t
		n.name, n.columns = t.name+"_x", nil
		for _, c := range t.columns {
			d := *c
			d.name += "_y"
			n.columns = append(n.columns, &d)
		}
		g.tables = append(g.tables, &n)
	}
	return g
}
