package schemafile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// item finds the table or column of a name in a file.
func hintItem(t *testing.T, src *ast.Source, table, column string) ast.Node {
	all, err := Read(src)
	require.NoError(t, err)
	for _, i := range all[0].Items {
		n, ok := i.Stmt.(*ast.CreateTableStmt)
		if !ok || n.Name.Name.Text != table {
			continue
		}
		if column == "" {
			return n
		}
		for _, c := range n.Columns {
			if c.Name.Text == column {
				return c
			}
		}
	}
	t.Fatalf("no %s.%s", table, column)
	return nil
}

func TestWithHint(t *testing.T) {
	for name, c := range map[string]struct{ table, column, from, text, want string }{
		"a column": {"t", "b", "a", "-- head\ndeclare schema main {\n  table t {\n    id integer primary key,\n    b text  -- note\n  } /* end */\n}\n",
			"-- head\ndeclare schema main {\n  table t {\n    id integer primary key,\n    b text with tags (\"quereus.previous_name\" = 'a')  -- note\n  } /* end */\n}\n"},
		"a column with clauses": {"t", "b", "a", "create table t (id integer primary key, b text not null default 'x, y' check (b > ''), c text);",
			"create table t (id integer primary key, b text not null default 'x, y' check (b > '') with tags (\"quereus.previous_name\" = 'a'), c text);"},
		"a table": {"t", "", "it's", "declare schema main { table t { id integer primary key } -- after\n}",
			"declare schema main { table t { id integer primary key } with tags (\"quereus.previous_name\" = 'it''s') -- after\n}"},
		"a plain table": {"t", "", "old", "create table t (\n\tid integer primary key\n)\n;\n", "create table t (\n\tid integer primary key\n) with tags (\"quereus.previous_name\" = 'old')\n;\n"},
		"beside tags": {"t", "b", "a", "create table t (id integer primary key, b text with tags (x = 1 ));",
			"create table t (id integer primary key, b text with tags (x = 1, \"quereus.previous_name\" = 'a' ));"},
		"beside a former name": {"t", "", "two", "create table t (id integer primary key) with tags (\"quereus.previous_name\" = 'one', x = 1);",
			"create table t (id integer primary key) with tags (\"quereus.previous_name\" = 'one, two', x = 1);"},
		"several in a file": {"u", "b", "ä", "create table t (id integer primary key, b text);\r\ncreate table u (id integer primary key, b text);\r\n",
			"create table t (id integer primary key, b text);\r\ncreate table u (id integer primary key, b text with tags (\"quereus.previous_name\" = 'ä'));\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			src := ast.NewSource("schema.sql", c.text)
			got, err := WithHint(src, hintItem(t, src, c.table, c.column), c.from)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

// Where a hint would belong to something else, or there is no place for one, it is left to whoever writes the file.
func TestWithHintByHand(t *testing.T) {
	for name, c := range map[string]struct{ file, text, column string }{
		"YAML":               {"schema.yaml", "tables:\n  t:\n    columns:\n      id: integer primary key\n      b: text\n", "b"},
		"a named constraint": {"schema.sql", "create table t (id integer primary key, b text constraint k check (b > ''));", "b"},
		"empty tags":         {"schema.sql", "create table t (id integer primary key, b text with tags ());", "b"},
	} {
		t.Run(name, func(t *testing.T) {
			src := ast.NewSource(c.file, c.text)
			_, err := WithHint(src, hintItem(t, src, "t", c.column), "a")
			require.ErrorContains(t, err, "by hand")
		})
	}
}
