package function_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/types"
)

// eachFile runs the cases of conformance files; a case is judged by itself and counts as answered.
func eachFile(t *testing.T, patterns []string, begin func() func(c *datadriven.TestData)) {
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join("../../golden/conformance", pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, name := range files {
			run := begin()
			datadriven.RunTest(t, name, func(_ *testing.T, c *datadriven.TestData) string {
				run(c)
				return c.Expected
			})
		}
	}
}

// TestConformanceOfLiterals runs those conformance cases that need no more than functions over constants.
func TestConformanceOfLiterals(t *testing.T) {
	h := newHarness()
	ran := 0
	eachFile(t, []string{
		"functions/*.test", "types/convert-function-*.test", "query/like-glob.test", "query/json-operators.test", "query/function-calls.test",
		"query/extensions-predicates.test", "query/table-functions.test",
	}, func() func(*datadriven.TestData) {
		return func(c *datadriven.TestData) {
			if runQuery(t, h, c) {
				ran++
			}
		}
	})
	assert.GreaterOrEqual(t, ran, 650, "cases that the harness can run")
}

// TestConformanceOfIntrospection runs the files about the catalog, each up to the first statement that the harness cannot follow.
func TestConformanceOfIntrospection(t *testing.T) {
	ran := 0
	eachFile(t, []string{
		"introspection/*-info.test", "introspection/schema-function.test", "ddl/schema-function.test", "ddl/tags.test", "ddl/constraint-names.test",
		"ddl/extensions-index.test",
	}, func() func(*datadriven.TestData) {
		h, lost := newHarness(), false
		return func(c *datadriven.TestData) {
			switch {
			case lost:
			case c.Cmd == "exec" && c.Expected == "ok\n":
				lost = h.exec(c.Input) != nil && !strings.HasPrefix(c.Input, "insert")
			case runQuery(t, h, c):
				ran++
			}
		}
	})
	assert.GreaterOrEqual(t, ran, 50, "cases that the harness can run")
}

// runQuery checks a case; it reports whether the harness could run it.
func runQuery(t *testing.T, h *harness, c *datadriven.TestData) bool {
	if c.Cmd != "query" || strings.Contains(c.Input, "query_plan") { // which is the planner's
		return false
	}
	rows, err := h.query(c.Input)
	if errors.Is(err, errBeyond) || errors.Is(err, types.UNSUPPORTED) {
		return false
	}
	lines := strings.Split(strings.TrimSuffix(c.Expected, "\n"), "\n")
	if refusal, ok := strings.CutPrefix(lines[0], "error "); ok {
		code, text, _ := strings.Cut(refusal, ": ")
		if assert.Error(t, err, "%s\n%s", c.Pos, c.Input) {
			assert.Equal(t, code, types.CodeOf(err).String(), "%s\n%v", c.Pos, err)
			assert.Contains(t, strings.ToLower(err.Error()), strings.ToLower(text), c.Pos)
		}
		return true
	}
	if assert.NoError(t, err, "%s\n%s", c.Pos, c.Input) {
		anyOrder := c.HasArg("rowsort") || strings.Contains(c.Input, "order by")
		assert.True(t, sameRows(lines[1:], rows, anyOrder), "%s\n%s\nwant %s\ngot  %s", c.Pos, c.Input, lines[1:], wire(rows))
	}
	return true
}
