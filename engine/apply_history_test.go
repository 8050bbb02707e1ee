package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// TestApplySchemaKeepsHistory: APPLY SCHEMA is recorded as a migration is, with what becomes of its transaction.
func TestApplySchemaKeepsHistory(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		s := h.conn()
		s.exec("declare schema main version '1' { table t { id integer primary key } }; apply schema main")
		first, err := s.Catalog()
		require.NoError(t, err)
		s.exec("apply schema main") // nothing to do
		s.exec(`begin; declare schema main { table t { id integer primary key, a integer null } }; apply schema main;
			savepoint s; declare schema main { table u { id integer primary key } }; apply schema main; rollback to s;
			declare schema main { table t { id integer primary key, b integer null } }; apply schema main; commit`)
		s.exec("insert into t values (1, -1)")
		s.exec("begin; declare schema main { table t { id integer primary key }; table gone { id integer primary key } }; apply schema main; rollback")
		s.exec("begin; declare schema main { table t { id integer primary key, b integer null, c integer not null }; table gone { id integer primary key } }")
		s.fails(types.ERROR, "Failed to execute DDL", "apply schema main")
		s.exec("commit")

		var s2 *session
		if h.durable {
			h.reopen(engine.Options{})
			s2 = h.conn()
		} else {
			s2 = s
		}
		entries, err := s2.DB().History(ctx)
		require.NoError(t, err)
		require.Len(t, entries, 3)
		require.Equal(t, "1", entries[0].Version)
		require.Equal(t, []string{"create table t (id integer primary key)"}, entries[0].Statements)
		require.Equal(t, catalog.Hash(catalog.NewSnapshot(), "main"), entries[0].From)
		require.Equal(t, catalog.Hash(first, "main"), entries[0].To)
		now, err := s2.Catalog()
		require.NoError(t, err)
		require.Equal(t, catalog.Hash(now, "main"), entries[2].To)
		for i, e := range entries {
			require.Equal(t, uint64(i+1), e.Number)
			require.NotEmpty(t, e.By)
			if i > 0 {
				require.Equal(t, entries[i-1].To, e.From)
			}
		}
	})
}

// TestApplySchemaJudgesWhatStays: a rule that stays is judged on the rows as they become; one that comes waits for the next write.
func TestApplySchemaJudgesWhatStays(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		s := h.conn()
		s.exec("create table t (id integer primary key, a text, constraint short check (typeof(a) = 'text')); insert into t values (1, '12')")
		before, err := s.Catalog()
		require.NoError(t, err)
		s.exec("declare schema main { table t { id integer primary key, a real, constraint short check (typeof(a) = 'text') } }")
		s.fails(types.ERROR, "CHECK constraint failed: short", "apply schema main")
		after, err := s.Catalog()
		require.NoError(t, err)
		require.Equal(t, catalog.Hash(before, "main"), catalog.Hash(after, "main"))

		s.exec("declare schema main { table t { id integer primary key, a text, constraint short check (length(a) < 1) } }; apply schema main")
		s.fails(types.CONSTRAINT, "short", "insert into t values (2, 'x')")
		entries, err := s.DB().History(ctx)
		require.NoError(t, err)
		require.Len(t, entries, 1)
	})
}
