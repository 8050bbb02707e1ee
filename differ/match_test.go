package differ

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

func tagged(name string, tags ...string) subject {
	s := subject{name: name}
	for i := 0; i < len(tags); i += 2 {
		s.tags = append(s.tags, catalog.Tag{Key: tags[i], Value: types.Text(tags[i+1])})
	}
	return s
}

func TestMatch(t *testing.T) {
	const id, was = catalog.TagID, catalog.TagPreviousName
	for _, c := range []struct {
		what           string
		policy         ast.RenamePolicy
		whole          bool
		declared, live []subject
		of, left       []int
		err            string
	}{
		{what: "by name in any case", declared: []subject{tagged("A"), tagged("c")}, live: []subject{tagged("b"), tagged("a")}, of: []int{1, -1}, left: []int{0}},
		{what: "by the first former name that is live", declared: []subject{tagged("x", was, "gone, B ,a")}, live: []subject{tagged("a"), tagged("b")}, of: []int{1}, left: []int{0}},
		{what: "its own name is no former one", declared: []subject{tagged("a", was, "A")}, live: []subject{tagged("a")}, of: []int{0}},
		{what: "the id goes first", declared: []subject{tagged("x", was, "a", id, "1")}, live: []subject{tagged("a"), tagged("b", id, " 1 ")}, of: []int{1}, left: []int{0}},
		{what: "an empty hint is none", declared: []subject{tagged("x", was, " , ", id, "")}, live: []subject{tagged("a", id, "")}, of: []int{-1}, left: []int{0}},
		{what: "deny reads no hint", policy: ast.RenameDeny, declared: []subject{tagged("x", was, "a")}, live: []subject{tagged("a", id, "1"), tagged("b", id, "1")}, of: []int{-1}, left: []int{0, 1}},
		{what: "a name and a hint for two", declared: []subject{tagged("a", was, "b")}, live: []subject{tagged("a"), tagged("b")}, err: "Rename conflict for index 'a'"},
		{what: "two hints for one", declared: []subject{tagged("x", was, "a"), tagged("y", was, "a")}, live: []subject{tagged("a")}, err: "Rename conflict for index 'y'"},
		{what: "a hint and a name for one", declared: []subject{tagged("x", was, "a"), tagged("a")}, live: []subject{tagged("a")}, err: "Rename conflict for index 'a'"},
		{what: "a hint whose work is done", whole: true, declared: []subject{tagged("a", was, "b"), tagged("b")}, live: []subject{tagged("a"), tagged("b")}, of: []int{0, 1}},
		{what: "one after another", whole: true, declared: []subject{tagged("a", was, "b"), tagged("b", was, "c"), tagged("c")}, live: []subject{tagged("a"), tagged("b"), tagged("c")}, of: []int{0, 1, 2}},
		{what: "an exchange", whole: true, declared: []subject{tagged("a", was, "b"), tagged("b", was, "a")}, live: []subject{tagged("a"), tagged("b")}, err: "Rename conflict for index 'a'"},
		{what: "a circle", whole: true, declared: []subject{tagged("a", was, "b"), tagged("b", was, "c"), tagged("c", was, "a")}, live: []subject{tagged("a"), tagged("b"), tagged("c")}, err: "Rename conflict for index 'a'"},
		{what: "an old name that nothing declares", whole: true, declared: []subject{tagged("a", was, "b")}, live: []subject{tagged("a"), tagged("b")}, err: "Rename conflict for index 'a'"},
		{what: "one id twice", declared: []subject{tagged("x")}, live: []subject{tagged("a", id, "1"), tagged("b", id, "1")}, err: "Duplicate quereus.id '1' on indexes in actual catalog"},
	} {
		t.Run(c.what, func(t *testing.T) {
			m, err := match(c.policy, "index", c.whole, c.declared, c.live, func(_ int, err error) error { return err })
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				require.ErrorIs(t, err, types.ERROR)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.of, m.of)
			require.Equal(t, c.left, m.left)
		})
	}
}

// TestMatchManyNames takes lists that are looked up by map.
func TestMatchManyNames(t *testing.T) {
	var declared, live []subject
	for i := range 5 * scanLimit {
		declared = append(declared, tagged(fmt.Sprintf("Name%d", i)))
		live = append(live, tagged(fmt.Sprintf("name%d", 5*scanLimit-1-i)))
	}
	m, err := match(ast.RenameAllow, "column", false, declared, live, func(_ int, err error) error { return err })
	require.NoError(t, err)
	require.Empty(t, m.left)
	for i, at := range m.of {
		require.Equal(t, 5*scanLimit-1-i, at)
	}
}
