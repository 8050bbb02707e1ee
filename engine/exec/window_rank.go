package exec

import (
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// windowMaker gives what makes the windowFunc of a call.
func windowMaker(c *plan.WindowCall) func(*windowOp, *windowCallRecipe) windowFunc {
	if c.New != nil {
		return newWindowAggregate
	}
	switch c.Fn.Name {
	case "ntile":
		return func(o *windowOp, c *windowCallRecipe) windowFunc { return &ntile{o, c} }
	case "lag", "lead":
		return newNeighbour
	case "first_value", "last_value", "nth_value":
		return newFrameValue
	}
	rank := ranks[c.Fn.Name]
	return func(o *windowOp, _ *windowCallRecipe) windowFunc { return ranking{o, rank} }
}

// ranks compute the functions that only look at places and peers.
var ranks = map[string]func(o *windowOp, i int) types.Value{
	"row_number": func(_ *windowOp, i int) types.Value { return types.Int(int64(i + 1)) },
	"rank":       func(o *windowOp, _ int) types.Value { return types.Int(int64(o.peersOf().from + 1)) },
	"dense_rank": func(o *windowOp, _ int) types.Value { return types.Int(int64(o.group + 1)) },
	"percent_rank": func(o *windowOp, _ int) types.Value {
		if o.rows.len() == 1 {
			return types.Real(0)
		}
		return types.Real(float64(o.peersOf().from) / float64(o.rows.len()-1))
	},
	"cume_dist": func(o *windowOp, _ int) types.Value {
		return types.Real(float64(o.peersOf().to) / float64(o.rows.len()))
	},
}

type ranking struct {
	o    *windowOp
	rank func(o *windowOp, i int) types.Value
}

func (r ranking) begin() error { return nil }

func (r ranking) value(i int) (types.Value, error) { return r.rank(r.o, i), nil }

// ntile deals the rows of a partition out to n buckets whose sizes differ by at most one, larger ones first.
type ntile struct {
	o *windowOp
	c *windowCallRecipe
}

func (t *ntile) begin() error { return nil }

func (t *ntile) value(i int) (types.Value, error) {
	row, err := t.o.rows.at(i)
	if err != nil {
		return types.Null, err
	}
	buckets, err := t.c.positive(row[t.c.args[0]])
	if err != nil {
		return types.Null, err
	}
	size, larger := t.o.rows.len()/buckets, t.o.rows.len()%buckets
	if i < larger*(size+1) {
		return types.Int(int64(i/(size+1) + 1)), nil
	}
	return types.Int(int64(larger + (i-larger*(size+1))/size + 1)), nil
}

// positive reads an argument that must be a positive whole number. One that is larger than any partition counts as that.
func (c *windowCallRecipe) positive(v types.Value) (int, error) {
	if n, err := wholeOffset(v); err == nil && n > 0 {
		return n, nil
	}
	text := "null"
	if !v.IsNull() {
		text = types.ToText(v)
	}
	return 0, c.frame.at(types.Errorf(types.ERROR, "%s needs a positive whole number, and got %s", c.Fn.Name, text))
}
