package differ

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
)

// largeSchema gives a declaration of n tables, one in a hundred of them with drift of some kind when drifts is set.
func largeSchema(n int, drifts bool) string {
	var b strings.Builder
	b.WriteString("declare schema main {\n")
	for i := range n {
		column, extra, check := "note text null default 'x'", "", "a >= 0 and b < 100"
		if drifts && i%100 == 50 {
			switch i / 100 % 5 {
			case 0:
				extra = ", extra integer null"
			case 1:
				column = "note text null default 'y'"
			case 2:
				check = "a >= 1"
			case 3:
				column = `remark text null default 'x' with tags ("quereus.previous_name" = 'note')`
			case 4:
				continue // the table is gone
			}
		}
		fmt.Fprintf(&b, "table table_%d { id integer primary key, name text null, code text collate nocase, a integer default 0, b real default 1.5, "+
			"created datetime default '2020-01-01T00:00:00', p integer null references table_%d(id), %s, flag boolean default true, amount numeric%s, "+
			"constraint ck_%d check (%s), constraint uq_%d unique (code) };\n", i, i/2, column, extra, i, check, i)
		if i%4 == 0 {
			fmt.Fprintf(&b, "index ix_%d on table_%d (name, a desc);\n", i, i)
		}
		if i%10 == 0 {
			fmt.Fprintf(&b, "view v_%d as select t.id, t.name, p.code from table_%d t join table_%d p on p.id = t.p where t.a > 5;\n", i, i, i/2)
		}
	}
	b.WriteString("}")
	return b.String()
}

// BenchmarkDiff10k compares two schemas of ten thousand tables with one per cent of drift: what both were resolved to, and from their
// texts on, as the tool does with two files.
func BenchmarkDiff10k(b *testing.B) {
	opts := Options{Env: catalog.BuildEnv{Types: types.NewRegistry()}}
	fromText, toText := largeSchema(10_000, false), largeSchema(10_000, true)
	b.Run("texts", func(b *testing.B) {
		o := opts
		o.NoHashes = true
		b.SetBytes(int64(len(fromText) + len(toText)))
		b.ReportAllocs()
		for b.Loop() {
			from := declare(b, fromText).Resolve(o.Env)
			require.Empty(b, from.Faults)
			p, err := Diff(from.Snapshot, declare(b, toText), o)
			require.NoError(b, err)
			require.Greater(b, len(p.Steps), 80)
		}
	})
	live, target := declare(b, fromText).Resolve(opts.Env).Snapshot, declare(b, toText)
	for _, bare := range []bool{true, false} {
		opts.NoHashes = bare
		b.Run(map[bool]string{true: "statements", false: "hashes"}[bare], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p, err := Diff(live, target, opts)
				require.NoError(b, err)
				require.Greater(b, len(p.Steps), 80)
			}
		})
	}
}
