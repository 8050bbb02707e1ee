package engine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// A step that fails because of rows tells how many, and the keys of the first ten.
func TestOffendingRows(t *testing.T) {
	const start = "create table p (a text primary key, b integer null); create table t (x text, id integer, v text null, n integer null, primary key (id, x));"
	const table = "x text, id integer, v text null, n integer null, primary key (id, x)"
	for name, c := range map[string]struct {
		rows, table string
		count       int64
		keys        int
		first       types.Row
	}{
		"retype": {"('a', 1, 'no', 1), ('b', 1, '5', 1), ('c', 2, 'nor', 1), ('d', 3, null, 1)", "x text, id integer, v integer null, n integer null, primary key (id, x)",
			2, 2, types.Row{types.Int(1), types.Text("a")}},
		"many":      {"('a', 1, null, 1); insert into t select 'k', value, 'no', value from generate_series(2, 40)", "x text, id integer, v date null, n integer null, primary key (id, x)", 39, 10, types.Row{types.Int(2), types.Text("k")}},
		"null":      {"('a', 1, null, 1), ('b', 2, 'x', 2)", "x text, id integer, v text not null, n integer null, primary key (id, x)", 1, 1, types.Row{types.Int(1), types.Text("a")}},
		"column":    {"('a', 1, null, 1), ('b', 2, 'x', 2)", "must integer, " + table, 2, 2, types.Row{types.Int(1), types.Text("a")}},
		"unique":    {"('a', 1, 'q', 5), ('b', 2, 'q', 5), ('c', 3, 'q', 6), ('d', 4, 'q', null), ('e', 5, 'q', null)", table + ", constraint u unique (v, n)", 2, 2, types.Row{types.Int(1), types.Text("a")}},
		"index":     {"('a', 1, 'q', 5), ('b', 2, 'q', 6), ('c', 3, 'r', 6)", table + " } unique index u on t (v) table more { id integer primary key", 2, 2, types.Row{types.Int(1), types.Text("a")}},
		"key":       {"('a', 1, 'q', 5), ('a', 2, 'q', 6), ('c', 3, 'r', 6)", "x text, id integer, v text null, n integer null, primary key (x)", 2, 2, types.Row{types.Int(1), types.Text("a")}},
		"foreign":   {"('a', 1, 'q', 5), ('a', 2, null, 6), ('c', 3, 'r', 6)", table + ", constraint f foreign key (v) references p", 2, 2, types.Row{types.Int(1), types.Text("a")}},
		"check":     {"('a', 1, 'q', 5), ('a', 2, 'z', null), ('c', 3, 'k', 6), ('d', 4, 'k', 7)", table + ", constraint k check (n < 6 and new.v <> 'z')", 3, 3, types.Row{types.Int(2), types.Text("a")}},
		"inline":    {"('a', 1, 'q', 5), ('a', 2, 'z', null), ('c', 3, 'k', 7)", table + ", c integer default 7 check (c > n)", 1, 1, types.Row{types.Int(3), types.Text("c")}},
		"computed":  {"('a', 1, 'q', 5), ('a', 2, 'z', null), ('c', 3, 'k', 7)", table + ", c integer default (new.id) check (c > 1)", 1, 1, types.Row{types.Int(1), types.Text("a")}},
		"added":     {"('a', 1, 'q', 5), ('a', 2, 'z', null), ('c', 3, 'k', 7)", table + ", c integer default 5 unique", 3, 3, types.Row{types.Int(1), types.Text("a")}},
		"referring": {"('a', 1, 'q', 5), ('a', 2, 'z', null), ('c', 3, 'k', 7)", table + ", c text default 'x' references p", 3, 3, types.Row{types.Int(1), types.Text("a")}},
		"merged":    {"('a', 1, '5', 5), ('a', 2, '05', null), ('c', 3, '6', 7)", "x text, id integer, v integer null, n integer null, primary key (id, x), unique (v)", 2, 2, types.Row{types.Int(1), types.Text("a")}},
		"collated":  {"('a', 1, 'q', 5), ('a', 2, 'Q', null), ('c', 3, 'r', 7)", "x text, id integer, v text collate nocase null, n integer null, primary key (id, x), unique (v)", 2, 2, types.Row{types.Int(1), types.Text("a")}},
		"expressed": {"('a', 1, 'q', 5), ('a', 2, 'Q', null), ('c', 3, 'r', 7)", table + " } unique index u on t (lower(v)) table more { id integer primary key", 2, 2, types.Row{types.Int(1), types.Text("a")}},
		"partial":   {"('a', 1, 'q', 5), ('a', 2, 'q', 1), ('c', 3, 'q', 7), ('d', 4, 'q', 5)", table + " } unique index u on t (v collate nocase) where n > 4 table more { id integer primary key", 3, 3, types.Row{types.Int(1), types.Text("a")}},
		"filled":    {"('a', 1, 'q', 5), ('a', 2, null, 1), ('c', 3, null, 7)", "x text, id integer, v text default 'q', n integer null, primary key (id, x), unique (v)", 3, 3, types.Row{types.Int(1), types.Text("a")}},
		"pair":      {"('a', 1, 'q', 5), ('a', 2, 'z', null), ('c', 3, 'k', 6)", table + ", constraint f foreign key (v, n) references p(a, b)", 1, 1, types.Row{types.Int(1), types.Text("a")}},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, h *host) {
				s := h.conn()
				s.exec(start + "insert into p values ('k', 6); insert into t values " + c.rows)
				if strings.Contains(c.table, "unique (v)") {
					s.exec("alter table t add unique (v)")
				}
				p := s.plan("declare schema main { table p { a text primary key, b integer null } table t { " + c.table + " } }")
				_, err := s.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Failure})
				var failed *engine.MigrateError
				require.ErrorAs(t, err, &failed)
				require.Len(t, failed.Failures, 1)
				found := failed.Failures[0].Rows
				require.NotNil(t, found, err.Error())
				require.Equal(t, c.count, found.Count)
				require.Len(t, found.Keys, c.keys)
				require.Equal(t, c.first, found.Keys[0])
				require.NotContains(t, err.Error(), "'k'", "values stay out of messages")
			})
		})
	}
}

// A step that fails for another reason blames no rows.
func TestNobodyToBlame(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		s := h.conn()
		s.exec("create table t (id integer primary key, v text); insert into t values (1, 'x'); create view w as select v from t")
		p := s.plan("declare schema main { table t { id text primary key, v text } view w as select v from t }")
		_, err := s.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Failure})
		var failed *engine.MigrateError
		require.ErrorAs(t, err, &failed)
		require.Nil(t, failed.Failures[0].Rows)
	})
}
