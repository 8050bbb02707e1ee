package format

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
)

const sample = `-- The shop.
DECLARE SCHEMA main version '2' {

  -- customers
  TABLE customer { id integer PRIMARY KEY,   -- the number
    email text collate nocase, /* where
      to write */
    joined date NULL default(date('now')),

    -- at most once
    constraint once UNIQUE(email) }
  index by_joined on customer(joined desc) where joined>'2025-01-01'; table other { a text }
  view recent as select email, count( * ) as n, -1 - -2 as Nulls, 'a' || (-email) from customer as c left join purchase as p on c.id=p.customer where c.joined is distinct from '2025-01-01' group by email order by n limit 3
  seed customer values (id,email) values (1,'a'),(2, 'b')  -- two
  -- the end
}
`

const laidOut = `-- The shop.
declare schema main version '2' {
  -- customers
  table customer {
    id integer primary key,  -- the number
    email text collate nocase, /* where
      to write */
    joined date null default (date('now')),

    -- at most once
    constraint once unique (email)
  }
  index by_joined on customer(joined desc) where joined > '2025-01-01';
  table other {
    a text
  }
  view recent as
    select email, count(*) as n, -1 - -2 as Nulls, 'a' || (-email)
    from customer as c left join purchase as p on c.id = p.customer
    where c.joined is distinct from '2025-01-01'
    group by email
    order by n
    limit 3
  seed customer values (id, email) values (1, 'a'), (2, 'b')  -- two
  -- the end
}
`

func TestSource(t *testing.T) {
	got, err := Source(ast.NewSource("shop.sql", sample))
	require.NoError(t, err)
	require.Equal(t, laidOut, got)
	got, err = Source(ast.NewSource("", "\ufeffcreate table t(a integer,b text);create view v as select a from t--c\n"))
	require.NoError(t, err)
	require.Equal(t, "create table t (\n  a integer,\n  b text\n);\ncreate view v as select a from t  --c\n", got)
	_, err = Source(ast.NewSource("bad.sql", "create tabel t"))
	require.Error(t, err)
	got, err = Source(ast.NewSource("", "-- nothing else\n"))
	require.NoError(t, err)
	require.Equal(t, "-- nothing else\n", got)
}

// corpus are the texts of the conformance files and of the schemas that are shipped.
func corpus(t testing.TB) []string {
	var texts []string
	for _, pattern := range []string{"../../schemas/examples/*/*.sql", "../parse/testdata/*", "../../golden/cases/*"} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range names {
			if text, err := os.ReadFile(name); err == nil {
				texts = append(texts, blocks(string(text))...)
			}
		}
	}
	require.Greater(t, len(texts), 50)
	return append(texts, sample)
}

// blocks gives a text and what stands between its empty lines and rules, as far as that parses.
func blocks(text string) []string {
	var out []string
	for _, b := range append(strings.Split(strings.ReplaceAll(text, "----", "\n\n"), "\n\n"), text) {
		_, rest, _ := strings.Cut(b, "\n") // the line of a test's command
		for _, s := range []string{b, rest} {
			if stmts, err := parse.Stmts(ast.NewSource("", s)); err == nil && len(stmts) > 0 {
				out = append(out, s)
			}
		}
	}
	return out
}

// TestLaidOutAgain: whatever white space and comments a text has, laid out it says the same, and laid out again it stays as it is.
func TestLaidOutAgain(t *testing.T) {
	texts := corpus(t)
	for _, text := range texts {
		again(t, text)
	}
	gap := rapid.SampledFrom([]string{" ", "  ", "\n", "\n\n\n", "\t", " /* c */ ", " -- c\n", "\n-- own line  \n", "\n\n/* a\n  b */\n", "/**/", "--\n"})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(texts).Draw(t, "text")
		src := ast.NewSource("", text)
		lexemes, err := parse.Lexemes(src)
		require.NoError(t, err)
		if len(lexemes) > 200 {
			t.Skip("long texts are laid out as they are above")
		}
		var b strings.Builder
		for i, x := range lexemes {
			if i > 0 && lexemes[i-1].To < x.From || rapid.IntRange(0, 9).Draw(t, "") == 0 && x.Kind != parse.LexComment {
				b.WriteString(gap.Draw(t, "gap"))
			}
			b.WriteString(text[x.From:x.To])
			if x.Kind == parse.LexComment {
				b.WriteByte('\n')
			}
		}
		if _, err := parse.Stmts(ast.NewSource("", b.String())); err != nil {
			return // white space between what must stand together
		}
		again(t, b.String())
	})
}

func again(t interface {
	require.TestingT
	Helper()
}, text string) {
	t.Helper()
	once, err := Source(ast.NewSource("", text))
	require.NoError(t, err, "%s", text)
	twice, err := Source(ast.NewSource("", once))
	require.NoError(t, err)
	require.Equal(t, once, twice)
}
