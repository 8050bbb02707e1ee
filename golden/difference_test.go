package golden

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDifference(t *testing.T) {
	rows := func(n int, change ...string) []string {
		lines := []string{`["id"]`}
		for i := range n {
			lines = append(lines, fmt.Sprintf("[%d]", i))
		}
		for i := 0; i < len(change); i += 2 {
			for at := range lines {
				if lines[at] == change[i] {
					lines[at] = change[i+1]
				}
			}
		}
		return lines
	}
	for _, c := range []struct {
		name      string
		want, got []string
		rowSort   bool
		shown     []string
	}{
		{"a line for a line", []string{"ok"}, []string{"error ERROR: no"}, false, []string{"- ok", "+ error ERROR: no"}},
		{"nothing for something", []string{`["a"]`, `[1]`}, []string{`["a"]`}, false, []string{`  ["a"]`, `- [1]`}},
		{"no lines at all", nil, []string{"ok"}, false, []string{"+ ok"}},
		{"the middle of many", rows(20), rows(20, "[10]", "[null]"), false,
			[]string{"  … 8 lines", "  [7]", "  [8]", "  [9]", "- [10]", "+ [null]", "  [11]", "  [12]", "  [13]", "  … 6 lines"}},
		{"one line left out is shown", rows(5), rows(5, "[4]", "x"), false, []string{"  … 2 lines", "  [1]", "  [2]", "  [3]", "- [4]", "+ x"}},
		{"and not counted", rows(4), rows(4, "[3]", "x"), false, []string{`  ["id"]`, "  [0]", "  [1]", "  [2]", "- [3]", "+ x"}},
		{"two places that share their surroundings", rows(8), rows(8, "[1]", "x", "[5]", "y"), false,
			[]string{`  ["id"]`, "  [0]", "- [1]", "+ x", "  [2]", "  [3]", "  [4]", "- [5]", "+ y", "  [6]", "  [7]"}},
		{"equal by value", []string{`["a"]`, `[1.0]`, `[2]`}, []string{`["a"]`, `[1]`, `[3]`}, false, []string{`  ["a"]`, `  [1]`, `- [2]`, `+ [3]`}},
		{"rows in any order", []string{`["a"]`, `[2]`, `[1]`}, []string{`["a"]`, `[3]`, `[1]`, `[2]`}, true, []string{`  ["a"]`, `  [1]`, `  [2]`, `+ [3]`}},
		{"empty lines", []string{"a", "", "b"}, []string{"a", "b"}, false, []string{"  a", "- ", "  b"}},
	} {
		r := Result{Case: &Case{Expected: c.want, RowSort: c.rowSort}, Got: c.got}
		require.Equal(t, c.shown, strings.Split(strings.TrimSuffix(r.Difference(), "\n"), "\n"), c.name)
	}
	require.Empty(t, Result{Pass: true, Case: &Case{Expected: []string{"ok"}}}.Difference())
}

// Answers with more distinct lines than there are characters in the first plane of Unicode.
func TestDifferenceOfMany(t *testing.T) {
	var want []string
	for i := range 70_000 {
		want = append(want, fmt.Sprintf("[%d]", i))
	}
	got := append([]string{"first"}, want[:69_999]...)
	shown := lineDiff(want, got)
	require.Equal(t, "+ first\n  [0]\n  [1]\n  [2]\n  … 69993 lines\n  [69996]\n  [69997]\n  [69998]\n- [69999]\n", shown)
}
