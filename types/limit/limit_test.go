package limit_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
)

// row writes a limit as docs/limits.md lists it.
func row(l limit.Limit) string {
	pragma := "–"
	if l.Pragma != "" {
		pragma = "`" + l.Pragma + "`"
	}
	return fmt.Sprintf("| `%s` | %s | %s to %s | %s | %s | %s |",
		l.Name, l.Format(l.Default), l.Format(l.Min), l.Format(l.Max), pragma, l.Code, l.Of)
}

// The document lists what the table has, no more and no less.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/limits.md")
	require.NoError(t, err)
	var want []string
	for i, l := range limit.Table {
		require.Equal(t, limit.ID(i), l.ID)
		require.True(t, l.Min <= l.Default && l.Default <= l.Max, l.Name)
		want = append(want, row(l))
	}
	_, table, _ := strings.Cut(string(text), "| --- | --- | --- | --- | --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	require.Equal(t, strings.Join(want, "\n"), table)
}

func TestParseSetting(t *testing.T) {
	for _, c := range []struct {
		text string
		id   limit.ID
		n    int64
	}{
		{"value_length=1000", limit.ValueLength, 1000},
		{"VALUE_LENGTH = 64MiB", limit.ValueLength, 64 << 20},
		{"statement_memory=2 gib", limit.StatementMemory, 2 << 30},
		{"statement_timeout=1m30s", limit.StatementTime, 90_000},
		{"statement_timeout=1us", limit.StatementTime, 1},
		{"statement_timeout=250", limit.StatementTime, 250},
		{"integer_digits=100", limit.IntegerDigits, 100},
	} {
		id, n, err := limit.ParseSetting(c.text)
		require.NoError(t, err, c.text)
		require.Equal(t, c.id, id, c.text)
		require.Equal(t, c.n, n, c.text)
	}
	for text, message := range map[string]string{
		"value_size=1":                     `there is no limit "value_size"; there are value_length, `,
		"value_length":                     "limit value_length has no value: write value_length=256 MiB",
		"value_length=":                    "Invalid value for limit value_length",
		"value_length=10MB":                "write a number of bytes, such as 1000000 or 64MiB",
		"value_length=9999999999GiB":       "Invalid value for limit value_length",
		"value_length=2GiB":                "2GiB is not within 1 byte and 1 GiB",
		"integer_digits=2000000":           "2000000 is not within 20 and 1000000",
		"statement_timeout=-1s":            "Invalid value for limit statement_timeout",
		"statement_timeout=soon":           "a number of milliseconds, or a time such as 30s",
		"statement_memory=99999999999 TiB": "Invalid value for limit statement_memory",
	} {
		_, _, err := limit.ParseSetting(text)
		require.ErrorIs(t, err, types.ERROR, text)
		require.ErrorContains(t, err, message, text)
	}
}

// A value counts for as long as anything refers to it, and memory that was given up is there again.
func TestAccount(t *testing.T) {
	set := limit.Defaults()
	set[limit.StatementMemory], set[limit.DatabaseMemory] = 4<<20, 6<<20
	database := limit.NewAccount(set)
	one, two := database.Statement(set), database.Statement(set)
	text := func(n int) types.Value { return types.Text(strings.Repeat("a", n)) }

	var kept []types.Value
	for range 3 {
		require.NoError(t, one.Value(1<<20))
		kept = append(kept, one.Made(text(1<<20)))
	}
	require.NoError(t, one.Value(1<<20))
	err := one.Value(1<<20 + 1)
	require.ErrorIs(t, err, types.NOMEM)
	require.ErrorContains(t, err, "the limit statement_memory is 4 MiB: raise it with pragma limit_statement_memory = N or --limit statement_memory=N")
	require.NoError(t, two.Value(3<<20))
	err = two.Value(3<<20 + 1)
	require.ErrorIs(t, err, types.NOMEM)
	require.ErrorContains(t, err, "the limit database_memory is 6 MiB: raise it with --limit database_memory=N")

	require.Len(t, kept[0].Str(), 1<<20)
	kept = nil
	require.NoError(t, one.Value(4<<20))
	require.NoError(t, two.Value(4<<20))

	require.NoError(t, two.Grow(4<<20))
	require.ErrorIs(t, two.Grow(1), types.NOMEM)
	require.ErrorIs(t, one.Grow(3<<20), types.NOMEM)
	two.Shrink(2 << 20)
	require.NoError(t, one.Grow(3<<20))
	require.Empty(t, kept)

	var none *limit.Account
	require.NoError(t, none.Grow(1<<40))
	require.ErrorIs(t, none.Value(1<<40), types.TOOBIG)
}
