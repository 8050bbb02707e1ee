package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog/schemafile"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/differ/lint"
	"github.com/quereus/quereus-migrate/engine/ast"
)

// lintText gives the findings in a schema text.
func lintText(t testing.TB, text string, o lint.Options) []lint.Finding {
	declared, err := schemafile.Read(ast.NewSource("schema.sql", text))
	require.NoError(t, err, text)
	cat, err := target.Catalog(t.Context(), declared)
	require.NoError(t, err, text)
	return lint.Schemas(declared, cat, o)
}

func codes(found []lint.Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, f.Rule)
	}
	return out
}

// TestLintPage: each rule has its section, in order, whose first example it objects to and whose second it does not.
func TestLintPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/lint.md")
	require.NoError(t, err)
	sections := strings.Split(string(page), "\n### ")[1:]
	rules := lint.Rules()
	require.Len(t, sections, len(rules))
	example := regexp.MustCompile("(?s)```sql\n(.*?)```")
	for i, s := range sections {
		code, body, _ := strings.Cut(s, "\n")
		require.Equal(t, rules[i].Code, code)
		require.Contains(t, body, "Severity: "+rules[i].Severity.String()+". ", code)
		examples := example.FindAllStringSubmatch(body, -1)
		require.Len(t, examples, 2, code)
		require.Equal(t, []string{code}, codes(only(lintText(t, examples[0][1], lint.Options{}), code)), code)
		require.NotContains(t, codes(lintText(t, examples[1][1], lint.Options{})), code)
	}
}

// only leaves the findings of a rule.
func only(found []lint.Finding, code string) []lint.Finding {
	var out []lint.Finding
	for _, f := range found {
		if f.Rule == code {
			out = append(out, f)
		}
	}
	return out
}

func TestSuppression(t *testing.T) {
	for text, want := range map[string]int{
		"create table t (a integer);": 1,
		"create table t (a integer); -- lint:ignore table-without-key it is small":                              0,
		"-- lint:ignore table-without-key it is small\ncreate table t (a integer);":                             0,
		"-- lint:ignore real-key,table-without-key\ncreate table t (a integer);":                                0,
		"-- lint:ignore real-key, table-without-key\ncreate table t (a integer);":                               0,
		"-- lint:ignore all\ncreate table t (a integer);":                                                       0,
		"-- lint:ignore real-key\ncreate table t (a integer);":                                                  1,
		"-- lint:ignore table-without-key\n\ncreate table t (a integer);":                                       1,
		"create table t (a integer);\n-- lint:ignore-file table-without-key":                                    0,
		"create table t (a text default 'lint:ignore-file table-without-key');":                                 1,
		"/* lint:ignore table-without-key\n as it is small */\ncreate table t (a integer);":                     0,
		"create table u (b integer primary key); -- lint:ignore table-without-key\ncreate table t (a integer);": 1,
	} {
		require.Len(t, only(lintText(t, text, lint.Options{}), "table-without-key"), want, text)
	}
}

func TestSeverities(t *testing.T) {
	const text = "create table t (a integer);"
	o := lint.Options{Severities: map[string]lint.Severity{"table-without-key": lint.Error}}
	require.Equal(t, lint.Error, lintText(t, text, o)[0].Severity)
	o.Severities["table-without-key"] = lint.Off
	require.Empty(t, lintText(t, text, o))
}
