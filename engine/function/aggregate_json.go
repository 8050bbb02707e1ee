package function

import (
	"math"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// jsonAggregates make documents of groups; they are NULL for a group without entries (docs/reference/functions.md).
func jsonAggregates() []*Function {
	return []*Function{
		{
			Name: "json_group_array", Args: 1, Kind: Aggregate, Deterministic: true, Type: resultAlways(types.TypeJSON),
			NewState: func(args []Arg) (func() State, error) {
				prepare := preparer(args[0])
				return func() State { return &groupArray{prepare: prepare} }, nil
			},
		},
		{
			Name: "json_group_object", Args: 2, Kind: Aggregate, Deterministic: true, Type: resultAlways(types.TypeJSON),
			NewState: func(args []Arg) (func() State, error) {
				prepare := preparer(args[1])
				return func() State { return &groupObject{prepare: prepare, places: map[string]int{}} }, nil
			},
		},
	}
}

type groupArray struct {
	prepare func(types.Value) types.Value
	elems   []types.Value
}

func (g *groupArray) Step(c *Call, args []types.Value) (err error) {
	if g.elems, err = grown(c, g.elems, 1, valueBytes); err != nil {
		return err
	}
	g.elems, err = kept(c, g.elems, g.prepare(args[0]))
	return err
}

// valueBytes is what an element of a list weighs beside the memory of its text or document.
const valueBytes = 24

// kept adds a value to the list of a state, which is counted with its memory.
func kept(c *Call, list []types.Value, v types.Value) ([]types.Value, error) {
	size := 0
	switch v.Kind() {
	case types.KindText:
		size = len(v.Str())
	case types.KindJSON:
		size = int(min(v.JSON().Size(), math.MaxInt32)) * valueBytes / 8
	}
	if size > 0 {
		if err := c.Grow(size); err != nil {
			return list, err
		}
	}
	return append(list, v), nil
}

func (g *groupArray) Final(*Call) (types.Value, error) {
	if len(g.elems) == 0 {
		return types.Null, nil
	}
	return types.NewArray(slices.Clip(g.elems)) // further steps write behind what the array sees
}

// groupObject keeps the last value of a key in the place of the first.
type groupObject struct {
	prepare func(types.Value) types.Value
	keys    []string
	elems   []types.Value
	places  map[string]int
}

func (g *groupObject) Step(c *Call, args []types.Value) (err error) {
	if args[0].IsNull() {
		return nil
	}
	key, v := types.ToText(args[0]), g.prepare(args[1])
	if at, ok := g.places[key]; ok {
		g.elems[at] = v
		return nil
	}
	const placeBytes = 3 * valueBytes // of a key in the map
	if err := c.Grow(len(key) + placeBytes); err != nil {
		return err
	}
	if g.keys, err = grown(c, g.keys, 1, valueBytes); err != nil {
		return err
	}
	if g.elems, err = grown(c, g.elems, 1, valueBytes); err != nil {
		return err
	}
	key = strings.Clone(key)
	g.places[key] = len(g.keys)
	g.keys = append(g.keys, key)
	g.elems, err = kept(c, g.elems, v)
	return err
}

func (g *groupObject) Final(*Call) (types.Value, error) {
	if len(g.keys) == 0 {
		return types.Null, nil
	}
	return types.NewObject(slices.Clip(g.keys), slices.Clone(g.elems))
}
