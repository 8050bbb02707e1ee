package golden

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/catalog/schemafile"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Field cases that text files cannot hold: statements and tables of a size (field/33, field/39).

// schemaOf reads a declaration that must be sound.
func schemaOf(t *testing.T, text string) *catalog.Declared {
	t.Helper()
	all, err := schemafile.Read(ast.NewSource("schema.sql", text))
	require.NoError(t, err)
	return all[0]
}

// arrive applies a declaration, proves that nothing is left to do, and gives the plan.
func arrive(t *testing.T, c *engine.Conn, d *catalog.Declared) *differ.Plan {
	t.Helper()
	ctx := context.Background()
	_, err := c.Verify(d, nil)
	require.NoError(t, err)
	p, err := c.Diff(ctx, d, engine.DiffOptions{})
	require.NoError(t, err)
	require.Empty(t, stableText(p))
	_, err = c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Destructive, Seeds: d})
	require.NoError(t, err)
	second, err := c.Diff(ctx, d, engine.DiffOptions{})
	require.NoError(t, err)
	require.Empty(t, second.Steps)
	require.Equal(t, p.To, second.From)
	return p
}

func repeated(n int, separator string, f func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = f(i)
	}
	return strings.Join(parts, separator)
}

func numbered(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}

// Long and deep statements are planned, applied, compared again and printed (field/33).
func TestLongStatements(t *testing.T) {
	wide := func(check string) string {
		return "declare schema main { table wide { id integer primary key, c integer, constraint ck_c check (" + check + ") } }"
	}
	for name, text := range map[string]string{
		"or":          wide(repeated(10_000, " or ", numbered("c = %d"))),
		"in":          wide("c in (" + repeated(100_000, ", ", numbered("%d")) + ")"),
		"parentheses": wide(strings.Repeat("(", 1000) + "c > 0" + strings.Repeat(")", 1000)),
		"union":       "declare schema main { table t { id integer primary key } view v as " + repeated(500, " union all ", numbered("select id + %d as n from t")) + " }",
		"columns":     "declare schema main { table t { id integer primary key, " + repeated(2000, ", ", numbered("c%d integer null")) + " } }",
		"tables": "declare schema main { table t0 { id integer primary key } " + repeated(1000, " ", func(i int) string {
			return fmt.Sprintf("table t%d { id integer primary key, constraint fk foreign key (id) references t%d(id) }", i+1, i)
		}) + " }",
		"default": "declare schema main { table t { id integer primary key, c text default '" + strings.Repeat("x", 8<<20) + "' } }",
		"seed":    "declare schema main { table t { id integer primary key, c text } seed t (" + repeated(20_000, ", ", numbered("(%d, 'x')")) + ") }",
	} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			s, err := PebbleSession(ctx)
			require.NoError(t, err)
			d := schemaOf(t, text)
			arrive(t, s.Conn(), d)
			require.NoError(t, s.Reopen(ctx))
			p, err := s.Conn().Diff(ctx, d, engine.DiffOptions{})
			require.NoError(t, err)
			require.Empty(t, p.Steps)
			require.NoError(t, s.Close())
		})
	}
}

// What is nested too deep is refused with its place, and the session goes on (field/33).
func TestTooDeepStatements(t *testing.T) {
	ctx := context.Background()
	s, err := MemorySession(ctx)
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Exec(ctx, "create table t (id integer primary key)"))
	for name, x := range map[string]string{
		"parentheses": strings.Repeat("(", 1_000_000) + "1" + strings.Repeat(")", 1_000_000),
		"case":        strings.Repeat("case when 1 then ", 100_000) + "1" + strings.Repeat(" end", 100_000),
		"minus":       strings.Repeat("- ", 100_000) + "1",
		"not":         strings.Repeat("not ", 100_000) + "1",
		"queries":     strings.Repeat("(select ", 100_000) + "1" + strings.Repeat(")", 100_000),
	} {
		for _, sql := range []string{"select " + x, "declare schema main { table t { id integer primary key, c integer default (" + x + ") } }",
			"insert into t values (" + x + ")", "declare schema main { table t { id integer primary key } seed t ((" + x + ")) }"} {
			err := s.Exec(ctx, sql)
			require.Error(t, err, name)
			var e *types.Error
			require.ErrorAs(t, err, &e, name)
			require.NotZero(t, e.Line, name)
			require.NotEqual(t, types.INTERNAL, e.Code)
		}
	}
	lines, err := s.Query(ctx, "select count(*) as n from t")
	require.NoError(t, err)
	require.Equal(t, []string{`["n"]`, "[0]"}, lines)
}

// reading makes the table of field/39 with rows.
func reading(t *testing.T, s Session, rows int) {
	t.Helper()
	require.NoError(t, s.Exec(context.Background(), fmt.Sprintf(`create table reading (id integer primary key, probe text, val real, note text null);
		insert into reading select value, 'probe ' || (value %% 10), value / 4.0, null from generate_series(1, %d)`, rows)))
}

// Small changes of a large table take no longer than those of a small one, and change no rows (field/39).
func TestHugeTable(t *testing.T) {
	ctx := context.Background()
	const rows = 100_000
	s, err := PebbleSession(ctx)
	require.NoError(t, err)
	reading(t, s, rows)
	began := time.Now()
	p := arrive(t, s.Conn(), schemaOf(t, `declare schema main {
		table reading { id integer primary key, sensor text with tags ("quereus.previous_name" = 'probe'), val real default 0.0, unit text default 'C' }
	}`))
	require.Len(t, p.Steps, 4)
	q := arrive(t, s.Conn(), schemaOf(t, `declare schema main {
		table measure { id bigint primary key, sensor varchar(9) collate nocase, val double default 0.0, unit text default 'C' }
			with tags ("quereus.previous_name" = 'reading', label = 'M')
	}`))
	require.Less(t, time.Since(began), 2*time.Second)
	for _, step := range append(p.Steps, q.Steps...) {
		require.Equal(t, differ.MetadataOnly, step.Effect.Kind, step.SQL)
	}
	lines, err := s.Query(ctx, "select * from measure where id = 99999")
	require.NoError(t, err)
	require.Equal(t, `[99999,"probe 9",24999.75,"C"]`, lines[1])
	require.NoError(t, s.Close())
}

// A rewrite of a large table tells how far it is, is read beside by others in the old state, and can be cancelled within a second,
// which leaves the old state (field/39).
func TestHugeRewrite(t *testing.T) {
	ctx := context.Background()
	const rows = 100_000
	s, err := PebbleSession(ctx)
	require.NoError(t, err)
	reading(t, s, rows)
	d := schemaOf(t, "declare schema main { table reading { id integer primary key, probe text, val integer, note text null } }")
	p, err := s.Conn().Diff(ctx, d, engine.DiffOptions{})
	require.NoError(t, err)
	require.Equal(t, differ.Effect{Kind: differ.RewritesRows, Rows: rows}, p.Steps[0].Effect)

	reader := s.Conn().DB().Conn()
	told, live, cancel := int64(0), ctx, func() {}
	var cancelled time.Time
	o := engine.MigrateOptions{Allow: differ.Destructive, Progress: func(g engine.Progress) {
		if g.Rows > told && told == 0 {
			rows, err := reader.Query(ctx, "select typeof(val) from reading limit 1", engine.Params{})
			require.NoError(t, err)
			row, err := rows.Next()
			require.NoError(t, err)
			require.Equal(t, "real", row[0].Str())
			require.NoError(t, rows.Close())
		}
		if told = g.Rows; told > rows/3 {
			cancelled = time.Now()
			cancel()
		}
	}}
	live, cancel = context.WithCancel(ctx)
	_, err = s.Conn().Migrate(live, p, o)
	require.Equal(t, types.INTERRUPT, types.CodeOf(err), "%v", err)
	require.Less(t, time.Since(cancelled), time.Second)
	cancel = func() {}
	lines, err := s.Query(ctx, "select count(*) as n, max(val) as m from reading where val > 1.1 and val < 1.3")
	require.NoError(t, err)
	require.Equal(t, `[1,1.25]`, lines[1])

	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before := m.HeapAlloc
	_, err = s.Conn().Migrate(ctx, p, o)
	require.NoError(t, err)
	require.Equal(t, int64(rows), told)
	runtime.GC()
	runtime.ReadMemStats(&m)
	require.Less(t, int64(m.HeapAlloc)-int64(before), int64(100<<20))
	require.NoError(t, reader.Close())
	require.NoError(t, s.Close())
}
