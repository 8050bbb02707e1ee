package sqlitelaw

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine"
)

// perSchema is the number of queries asked of one schema: more in the long run, as making schemas costs more than asking.
func perSchema() int {
	if os.Getenv("QUEREUS_LONG") != "" {
		return 100
	}
	return 4
}

// TestWindowLaw: window functions over every frame answer as SQLite does, in memory and spilled.
func TestWindowLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := start(t)
		defer b.end()
		g := &gen{T: t}
		g.setUp(b, 1, 14)
		if g.chance(30) {
			_, err := b.conn.Exec(ctx, "pragma memory_budget = "+g.pick("1", "600", "3000"), engine.Params{})
			require.NoError(t, err)
		}
		for range perSchema() {
			b.compare(g.windowQuery(), false)
		}
	})
}
