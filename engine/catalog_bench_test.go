package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine"
)

// wideSchema declares n tables of twelve columns with two indexes, two CHECKs and a foreign key each, beside them a view for each
// twentieth; change picks what a table has of its own.
func wideSchema(n int, change func(i int) (column, suffix string)) string {
	var b strings.Builder
	b.WriteString("declare schema main {\n")
	for i := range n {
		column, suffix := "c9 text null", ""
		if change != nil {
			column, suffix = change(i)
		}
		fmt.Fprintf(&b, "table t%d { id integer primary key, c1 text null, c2 text null, c3 integer default 0, c4 real null, c5 integer null, "+
			"c6 boolean default true, c7 numeric null, c8 text collate nocase null, %s, c10 datetime null, p integer null, "+
			"constraint ck1_%d check (c3 >= 0), constraint ck2_%d check (c5 < 100 or c4 > 1.5), constraint fk_%d foreign key (p) references t%d (id)%s };\n",
			i, column, i, i, i, i/2, suffix)
		fmt.Fprintf(&b, "index ia_%d on t%d (c1, c3 desc);\nindex ib_%d on t%d (c5);\n", i, i, i, i)
		if i%20 == 0 {
			fmt.Fprintf(&b, "view v%d as select t.id, t.c1, p.c2 from t%d t join t%d p on p.id = t.p where t.c3 > 5;\n", i, i, i/2)
		}
	}
	b.WriteString("}")
	return b.String()
}

// migrateTo brings the database to a declaration and gives the number of steps.
func migrateTo(t testing.TB, c *engine.Conn, d *catalog.Declared) int {
	p, err := c.Diff(ctx, d, engine.DiffOptions{})
	require.NoError(t, err)
	_, err = c.Migrate(ctx, p, engine.MigrateOptions{Allow: 100})
	require.NoError(t, err)
	return len(p.Steps)
}

// ddlOver are 130 schema statements over tables of wideSchema, of every common kind.
func ddlOver(round int) string {
	var b strings.Builder
	for j := range 13 {
		i, n := 100+7*j, fmt.Sprintf("n%d_%d", round, j)
		fmt.Fprintf(&b, "create table %[1]s (id integer primary key, a integer null, p integer null references t%[2]d (id), check (a > 0));\n"+
			"create index ix_%[1]s on %[1]s (a);\n"+
			"alter table t%[2]d rename to r%[2]d;\nalter table r%[2]d rename to t%[2]d;\n"+
			"alter table t%[2]d rename column c2 to d2;\nalter table t%[2]d rename column d2 to c2;\n"+
			"alter table t%[2]d add column extra integer null;\n"+
			"alter table t%[2]d drop column extra;\n"+
			"alter table t%[2]d alter column c3 set default 7;\n"+
			"drop table %[1]s;\n", n, i)
	}
	return b.String()
}

// BenchmarkSchemaStatements runs 130 schema statements in one transaction, and each in its own, over ten thousand tables.
func BenchmarkSchemaStatements(b *testing.B) {
	db, err := engine.OpenMemory(ctx, engine.Options{})
	require.NoError(b, err)
	defer db.Close()
	c := db.Conn()
	defer c.Close()
	migrateTo(b, c, declared(b, wideSchema(10_000, nil)))
	round := 0
	for _, whole := range []bool{true, false} {
		b.Run(map[bool]string{true: "transaction", false: "autocommit"}[whole], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				round++
				text := ddlOver(round)
				if whole {
					text = "begin;\n" + text + "commit"
				}
				_, err := c.Exec(ctx, text, engine.Params{})
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkApplySchema compares ten thousand tables with a declaration and brings them to it: unchanged, with a thousand tables more, and
// with a thousand of them altered.
func BenchmarkApplySchema(b *testing.B) {
	db, err := engine.OpenMemory(ctx, engine.Options{})
	require.NoError(b, err)
	defer db.Close()
	c := db.Conn()
	defer c.Close()
	plain := declared(b, wideSchema(10_000, nil))
	migrateTo(b, c, plain)
	b.Run("unchanged", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p, err := c.Diff(ctx, plain, engine.DiffOptions{})
			require.NoError(b, err)
			require.Empty(b, p.Steps)
		}
	})
	altered := wideSchema(10_000, func(i int) (string, string) {
		if i%10 == 3 {
			return "c9 integer null, extra text null", ""
		}
		return "c9 text null", ""
	})
	for name, text := range map[string]string{"creates": wideSchema(11_000, nil), "alters": altered} {
		b.Run(name, func(b *testing.B) {
			d := declared(b, text)
			b.ReportAllocs()
			for b.Loop() {
				require.Greater(b, migrateTo(b, c, d), 999)
				b.StopTimer()
				migrateTo(b, c, plain)
				b.StartTimer()
			}
		})
	}
}
