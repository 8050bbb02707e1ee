package differ

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func named(sql string) *step { return &step{Step: Step{SQL: sql}} }

func texts(steps []*step) []string {
	out := make([]string, len(steps))
	for i, s := range steps {
		out[i] = s.SQL
	}
	return out
}

func TestSortStepsKeepsTheDocumentedOrder(t *testing.T) {
	a, b, c, d := named("a"), named("b"), named("c"), named("d")
	b.need(relationResource("t")) // nothing gives it
	c.give(columnResource("T", "X"))
	d.need(columnResource("t", "x"))
	require.Equal(t, []string{"a", "b", "c", "d"}, texts(sortSteps([]*step{a, b, c, d})))
	require.Empty(t, b.After)
	require.Equal(t, []int{2}, d.After)
}

func TestSortStepsMovesNoMoreThanItMust(t *testing.T) {
	for _, c := range []struct {
		what string
		link func(first, second *step)
	}{
		{"needed before given", func(first, second *step) { first.need(indexResource("i")); second.give(indexResource("i")) }},
		{"ended before let go", func(first, second *step) { first.end(relationResource("t")); second.let(relationResource("t")) }},
		{"given before the old one is ended", func(first, second *step) {
			first.give(constraintResource("t", "c"))
			second.end(constraintResource("t", "c"))
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			a, b, x, y := named("first"), named("between"), named("second"), named("last")
			c.link(a, x)
			require.Equal(t, []string{"between", "second", "first", "last"}, texts(sortSteps([]*step{a, b, x, y})))
			require.Equal(t, []int{1}, a.After)
		})
	}
}

func TestSortStepsLeavesACycleAsItStands(t *testing.T) {
	a, b, c := named("a"), named("b"), named("c")
	a.give(indexResource("a"))
	a.need(indexResource("b"))
	b.give(indexResource("b"))
	b.need(indexResource("a"))
	c.need(indexResource("b"))
	require.Equal(t, []string{"a", "b", "c"}, texts(sortSteps([]*step{a, b, c})))
	require.Empty(t, a.After, "what a cycle puts behind is left out")
	require.Equal(t, []int{0}, b.After)
}

// TestSortStepsIsTopological draws graphs without cycles: every step stands behind those that it needs, and no step could stand
// earlier than one that goes before it in the documented order without breaking that.
func TestSortStepsIsTopological(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "steps")
		rank := rapid.Permutation(makeRange(n)).Draw(t, "rank")
		steps := make([]*step, n)
		for i := range steps {
			steps[i] = named(string(rune('a' + i)))
			steps[i].give(indexResource(steps[i].SQL))
		}
		for range rapid.IntRange(0, 2*n).Draw(t, "edges") {
			i, j := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")
			if rank[i] < rank[j] {
				steps[j].need(indexResource(steps[i].SQL))
			}
		}
		order := sortSteps(steps)
		place := map[string]int{}
		for i, s := range order {
			place[s.SQL] = i
		}
		for i, s := range order {
			for _, before := range s.After {
				require.Less(t, before, i)
			}
			if i > 0 && s.SQL < order[i-1].SQL { // only what it waited for explains that it stands behind a later one
				require.Contains(t, s.After, i-1)
			}
		}
		require.Len(t, place, n)
	})
}

func makeRange(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
