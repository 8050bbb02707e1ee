package term

import (
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/types"
)

func written(t *testing.T, format string, columns []string, rows ...types.Row) string {
	var b strings.Builder
	w, ok := NewRowWriter(format, &b, 0)
	require.True(t, ok)
	require.NoError(t, w.Begin(columns))
	for _, r := range rows {
		require.NoError(t, w.Row(r))
	}
	require.NoError(t, w.End())
	return b.String()
}

func TestRowFormats(t *testing.T) {
	big, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	columns := []string{"n", "text, \"x\"", "raw"}
	rows := []types.Row{
		{types.BigInt(big), types.Text("a,b\nc"), types.Blob([]byte{0, 255})},
		{types.Null, types.Text(""), types.Null},
		{types.True, types.Text("日本\x1b"), types.Blob(nil)},
	}
	require.Equal(t, strings.Join([]string{
		`                             n  text, "x"  raw`,
		`------------------------------  ---------  -------`,
		`123456789012345678901234567890  a,b\nc     x'00ff'`,
		`                          NULL             NULL`,
		`                          true  日本\x1b   x''`,
	}, "\n")+"\n", written(t, "table", columns, rows...))
	require.Equal(t, "n,\"text, \"\"x\"\"\",raw\n123456789012345678901234567890,\"a,b\nc\",00ff\n,,\ntrue,日本\x1b,\n", written(t, "csv", columns, rows...))
	require.Equal(t, `[
  {"n": 123456789012345678901234567890, "text, \"x\"": "a,b\nc", "raw": {"$blob":"00ff"}},
  {"n": null, "text, \"x\"": "", "raw": null},
  {"n": true, "text, \"x\"": "日本\u001b", "raw": {"$blob":""}}
]
`, written(t, "json", columns, rows...))

	require.Equal(t, "n\n-\n", written(t, "table", []string{"n"}))
	require.Equal(t, "n\n", written(t, "csv", []string{"n"}))
	require.Equal(t, "[]\n", written(t, "json", []string{"n"}))
	_, ok := NewRowWriter("xml", &strings.Builder{}, 0)
	require.False(t, ok)
}

// A table comes out in blocks, so that its rows need not fit into memory.
func TestTableBlocks(t *testing.T) {
	var b strings.Builder
	w, _ := NewRowWriter("table", &b, 0)
	require.NoError(t, w.Begin([]string{"v"}))
	for range tableBlock - 1 {
		require.NoError(t, w.Row(types.Row{types.Text("x")}))
	}
	require.Empty(t, b.String())
	require.NoError(t, w.Row(types.Row{types.Text("x")}))
	require.Equal(t, 2+tableBlock, strings.Count(b.String(), "\n"))
	require.NoError(t, w.Row(types.Row{types.Text("wider")}))
	require.NoError(t, w.End())
	require.Equal(t, 3+tableBlock, strings.Count(b.String(), "\n"))
	require.Equal(t, 1, strings.Count(b.String(), "-"), "one head")
}

func TestWideTablesBecomeLines(t *testing.T) {
	write := func(columns int, rows ...types.Row) string {
		var b strings.Builder
		w, _ := NewRowWriter("table", &b, columns)
		require.NoError(t, w.Begin([]string{"id", "name"}))
		for _, r := range rows {
			require.NoError(t, w.Row(r))
		}
		require.NoError(t, w.End())
		return b.String()
	}
	row := types.Row{types.Int(1), types.Text("1234567890")}
	table := "id  name\n--  ----------\n 1  1234567890\n"
	require.Equal(t, table, write(0, row))
	require.Equal(t, table, write(14, row))
	require.Equal(t, "-- row 1\n  id = 1\nname = 1234567890\n-- row 2\n  id = 1\nname = 1234567890\n", write(13, row, row))
	require.Equal(t, "id  name\n--  ----\n", write(3), "no rows, no lines")
	many := make([]types.Row, 1200)
	for i := range many {
		many[i] = row
	}
	require.Equal(t, 1200, strings.Count(write(13, many...), "name = 1234567890\n"))
	require.Equal(t, 1200, strings.Count(write(14, many...), " 1  1234567890\n"))
}
