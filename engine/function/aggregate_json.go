package function

import (
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// jsonAggregates make documents of groups; they are NULL for a group without entries (spec 41 §8).
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

func (g *groupArray) Step(_ *Call, args []types.Value) error {
	g.elems = append(g.elems, g.prepare(args[0]))
	return nil
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

func (g *groupObject) Step(_ *Call, args []types.Value) error {
	if args[0].IsNull() {
		return nil
	}
	key, v := types.ToText(args[0]), g.prepare(args[1])
	if at, ok := g.places[key]; ok {
		g.elems[at] = v
		return nil
	}
	key = strings.Clone(key)
	g.places[key] = len(g.keys)
	g.keys, g.elems = append(g.keys, key), append(g.elems, v)
	return nil
}

func (g *groupObject) Final(*Call) (types.Value, error) {
	if len(g.keys) == 0 {
		return types.Null, nil
	}
	return types.NewObject(slices.Clip(g.keys), slices.Clone(g.elems))
}
