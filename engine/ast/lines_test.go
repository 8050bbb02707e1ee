package ast_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine/ast"
)

func TestDeclarationOverLines(t *testing.T) {
	const text = `declare schema main version '2' {
  table a using store (size = 4) {
    id integer primary key,
    v text null default 'two
lines',
    constraint once unique (v)
  } with tags (note = 'x');
  table nothing {
    x integer,
    primary key ()
  };
  index ix on a (v) where v in ('p', 'q');
  view v as select id from a;
  seed a ((1, 'b'), (2, 'c'));
}`
	n := parseStmt(t, text)
	lines := ast.Options{Lines: true}
	require.Equal(t, text, ast.FormatWith(n, lines))
	require.Equal(t, ast.Format(n), ast.Format(parseStmt(t, ast.FormatWith(n, lines))))

	require.Equal(t, "declare schema main {}", ast.FormatWith(parseStmt(t, "declare schema main { }"), lines))
	const create = "create table a (id integer primary key, constraint once unique (id))"
	require.Equal(t, create, ast.FormatWith(parseStmt(t, create), lines), "a statement of its own stays on its line")
}
