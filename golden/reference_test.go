package golden

import (
	"context"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReferenceNamesEveryFunction: the page of functions has each of them, and none that there is not.
func TestReferenceNamesEveryFunction(t *testing.T) {
	text, err := os.ReadFile("../docs/reference/functions.md")
	require.NoError(t, err)
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`([a-z_]+)\\([^`]*\\)`").FindAllStringSubmatch(string(text), -1) {
		named[m[1]] = true
	}
	s, err := MemorySession(context.Background())
	require.NoError(t, err)
	defer s.Close()
	lines, err := s.Query(context.Background(), "select distinct name from function_info()")
	require.NoError(t, err)
	for _, line := range lines[1:] {
		name := line[2 : len(line)-2]
		require.True(t, named[name], "docs/reference/functions.md does not name %s", name)
		delete(named, name)
	}
	require.Empty(t, named, "there are no such functions")
}
