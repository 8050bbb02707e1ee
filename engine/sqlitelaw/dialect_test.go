package sqlitelaw

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// dialect lists where the two dialects differ on purpose, with a query that shows it (error for one that is refused), and what the
// generator does about it.
var dialect = []struct{ what, query, here, there, around string }{
	{"division of integers", "select 1 / 2", "0.5", "0", "no / on integers"},
	{"order of NULL", "select c from (select 1 as c union all select null) order by c desc", "null 1", "1 null", "every key says nulls first or nulls last"},
	{"integers beyond 64 bits", "select 9223372036854775807 + 1", "9223372036854775808", "9.223372037e+18", "values stay small"},
	{"comparison of text and numbers", "select 1 where '9' < 10", "1", "", "comparisons stay within a type"},
	{"upper and lower beyond ASCII", "select upper('é')", `"É"`, `"é"`, "texts are ASCII where case matters"},
	{"bare columns beside an aggregate", "select c, max(c) from (select 1 as c)", "error", "1|1", "grouped queries read keys and aggregates"},
	{"ranks over a window without ORDER BY", "select rank() over ()", "error", "1", "they have an ORDER BY"},
	{"NULL IN an empty subquery", "select null in (select 1 where false)", "null", "0", "what IN looks up in a subquery is never NULL"},
	{"chains of set operations", "select 1 except select 1 except select 1", "1", "", "chains are of one operator that does not mind, or of one except"},
	{"an aggregate of an enclosing query's columns alone", "select (select max(x.c) from (select 1 as d) y) from (select 1 as c union all select 2) x",
		"1 2", "2", "aggregates read columns of their own query"},
}

// TestDialect: the differences are what the table says, no more and no less.
func TestDialect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := dialect[rapid.IntRange(0, len(dialect)-1).Draw(t, "difference")]
		b := start(t)
		defer b.end()
		answer := func(rows []string, err error) string {
			if err != nil {
				return "error"
			}
			return strings.Join(rows, " ")
		}
		require.Equal(t, d.here, answer(b.askHere(d.query)), d.what)
		require.Equal(t, d.there, answer(b.askThere(d.query)), "%s, which SQLite sees otherwise: the generator need not go around: %s", d.what, d.around)
	})
}
