package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// The answers are recorded ones (conformance/declarative/hash.test).
func TestExplainHash(t *testing.T) {
	for _, c := range []struct{ items, hash string }{
		{"", "y_Kc5IQi"},
		{"table a { id integer primary key }", "HqtwPTcT"},
		{"TABLE a ( id integer PRIMARY KEY with tags (k = 1) ) with tags (t = 'x'); seed a ((1)); domain d as text", "HqtwPTcT"},
		{"table A { id integer primary key }", "OMhL-A6K"},
		{"table a { id INTEGER primary key }", "ErkXyvFR"},
		{"table a { id integer primary key } table b { id integer primary key }", "BlIKFURH"},
		{"table b { id integer primary key } table a { id integer primary key }", "l7R4jgvO"},
		{"table a { id integer primary key, v text }", "I4S_UPtC"},
		{"table a { id integer primary key, v text null }", "P04RFVS_"},
		{"table a { id integer primary key, v text collate nocase }", "PE7wJM1k"},
		{"table a { id integer primary key, v text default 'x' }", "KWjK-xWg"},
		{"table a { id integer primary key, v text, check (v <> '') }", "JVqUig6C"},
		{"table a { id integer primary key, v text, constraint n check (v <> '') }", "OrrLNN0p"},
		{"table a { id integer primary key, v text, constraint n check (v <> '') with tags (m = 'msg') }", "OrrLNN0p"},
		{"table a using memory { id integer primary key, v text }", "jmW7rdMN"},
		{"table a { id integer primary key, v text } index i on a (v)", "UNR-jDhO"},
		{"table a { id integer primary key, v text } index i on a (v) with tags (x = 1)", "UNR-jDhO"},
		{"table a { id integer primary key, v text } unique index i on a (v)", "tVgYDmlI"},
		{"table a { id integer primary key, v text } view w as select id from a", "Ial6WPNb"},
		{"table a { id integer primary key, v text } materialized view w as select id from a", "nSz1xBFp"},
		{"table a { id integer primary key, v text } assertion s check ((select count(*) from a) < 5)", "Fz6xWEug"},
		{"table a { id integer primary key, v text } with context (who text)", "XgUk42DX"},
		{`table t { id integer primary key } with tags ("quereus.nope" = 1)`, "6cmqIgdF"},
	} {
		decl := parseOne[*ast.DeclareSchemaStmt](t, "declare schema main { "+c.items+" }")
		require.Equal(t, c.hash, ExplainHash(decl.Items), c.items)
	}
}

func TestExplainDigestFeedsBothBytesOfWideUnits(t *testing.T) {
	require.Equal(t, explainDigest("é"), explainDigest("\u00e9"))
	require.NotEqual(t, explainDigest("\u0161"), explainDigest("a")) // U+0161 has the low byte of 'a'
	require.Len(t, explainDigest("日本 🜚"), 8)
}
