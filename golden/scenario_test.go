package golden

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestShippedScenarios runs the cases that the examples come with.
func TestShippedScenarios(t *testing.T) {
	paths, err := filepath.Glob("../schemas/examples/*/tests/*")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		require.True(t, IsScenario(path), path)
		for _, run := range runs {
			s, err := ReadScenario(path)
			require.NoError(t, err)
			results, err := s.Run(context.Background(), run.open, run.opts)
			require.NoError(t, err)
			for _, r := range results {
				require.True(t, r.Pass, "%s (%s)\n%s", s.Place(r), run.name, r.Difference())
			}
		}
	}
}
