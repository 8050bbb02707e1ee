package function_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/golden"
	"github.com/quereus/quereus-migrate/types"
)

// TestConformanceOfLiterals runs those conformance cases that need no more than functions over constants.
func TestConformanceOfLiterals(t *testing.T) {
	patterns := []string{
		"functions/*.test", "types/convert-function-*.test", "query/like-glob.test", "query/json-operators.test", "query/function-calls.test",
		"query/extensions-predicates.test", "query/table-functions.test",
	}
	h := newHarness()
	ran := 0
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join("../../golden/conformance", pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, name := range files {
			f, err := os.Open(name)
			require.NoError(t, err)
			cases, err := golden.ReadCases(name, f)
			require.NoError(t, errors.Join(err, f.Close()))
			for _, c := range cases {
				if runCase(t, h, c) {
					ran++
				}
			}
		}
	}
	t.Log(ran)
	assert.GreaterOrEqual(t, ran, 450, "cases that the harness can run")
}

// runCase checks a case; it reports whether the harness could run it.
func runCase(t *testing.T, h *harness, c *golden.Case) bool {
	if c.Kind != "query" || c.RowSort || strings.Contains(c.Input, "random()") {
		return false
	}
	rows, err := h.query(c.Input)
	if errors.Is(err, errBeyond) {
		return false
	}
	if refusal, ok := strings.CutPrefix(c.Expected[0], "error "); ok {
		code, text, _ := strings.Cut(refusal, ": ")
		if assert.Error(t, err, "%s\n%s", c.ID(), c.Input) {
			assert.Equal(t, code, types.CodeOf(err).String(), "%s\n%v", c.ID(), err)
			assert.Contains(t, strings.ToLower(err.Error()), strings.ToLower(text), c.ID())
		}
		return true
	}
	if assert.NoError(t, err, "%s\n%s", c.ID(), c.Input) {
		assert.True(t, sameRows(c.Expected[1:], rows), "%s\n%s\nwant %s\ngot  %s", c.ID(), c.Input, c.Expected[1:], wire(rows))
	}
	return true
}
