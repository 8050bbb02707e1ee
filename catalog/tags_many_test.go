package catalog

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// A bag of any number of tags is what setting them one by one makes of it: the last value of a key in the place of the first.
func TestBuildTagsFollowsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.IntRange(0, 40), 0, 80).Draw(t, "keys")
		var list []ast.Tag
		var want Tags
		for i, k := range keys {
			key := fmt.Sprint("k", k)
			list = append(list, ast.Tag{Key: ast.Ident(key), Value: ast.LiteralOf(types.Int(int64(i)))})
			if at := want.index(key); at >= 0 {
				want[at].Value = types.Int(int64(i))
			} else {
				want = append(want, Tag{Key: key, Value: types.Int(int64(i))})
			}
		}
		cut := rapid.IntRange(0, len(list)).Draw(t, "cut")
		require.Equal(t, want, BuildTags(list))
		require.Equal(t, want, BuildTags(list[:cut]).Merged(BuildTags(list[cut:])))
		var dropped []string
		for _, tag := range want[:rapid.IntRange(0, len(want)).Draw(t, "dropped")] {
			dropped = append(dropped, tag.Key)
		}
		rest, err := want.Without(dropped...)
		require.NoError(t, err)
		require.Equal(t, len(want)-len(dropped), len(rest))
		for i, tag := range rest {
			require.Equal(t, want[len(dropped)+i], tag)
		}
	})
}

// Time that grows with the square of the number of tags would be minutes here.
func TestManyTags(t *testing.T) {
	const n = 300_000
	list := make([]ast.Tag, n)
	keys := make([]string, n)
	for i := range list {
		keys[i] = fmt.Sprint("key", i)
		list[i] = ast.Tag{Key: ast.Ident(keys[i]), Value: ast.LiteralOf(types.True)}
	}
	tags := BuildTags(list)
	require.Len(t, tags, n)
	require.Len(t, tags.Merged(tags), n)
	rest, err := tags.Without(keys[1:]...)
	require.NoError(t, err)
	require.Len(t, rest, 1)
}
