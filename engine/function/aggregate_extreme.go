package function

import (
	"github.com/quereus/quereus-migrate/types"
)

// extremes are min and max (docs/reference/functions.md).
func extremes() []*Function { return []*Function{findsExtreme("min", -1), findsExtreme("max", 1)} }

// findsExtreme is the value that comes last (sign 1) or first (sign -1) in the order of the argument's type and collation; of
// equal ones the first row's.
func findsExtreme(name string, sign int) *Function {
	return &Function{
		Name: name, Args: 1, Kind: Aggregate, Deterministic: true,
		Type: func(args []Arg) Result { return Result{args[0].Type, true} },
		NewState: func(args []Arg) (func() State, error) {
			compare := types.NewComparator(args[0].Type, args[0].Collation.Effective())
			return func() State { return &extreme{compare: compare, sign: sign} }, nil
		},
	}
}

type extreme struct {
	compare types.Comparator
	sign    int
	best    types.Value
}

func (e *extreme) Step(_ *Call, args []types.Value) error {
	if v := args[0]; !v.IsNull() && (e.best.IsNull() || e.compare(v, e.best)*e.sign > 0) {
		e.best = v.Clone()
	}
	return nil
}

// StepAll finds the extreme of a column first, so that one value is copied.
func (e *extreme) StepAll(c *Call, column []types.Value) error {
	best := -1
	for i := range column {
		if v := column[i]; !v.IsNull() && (best < 0 || e.compare(v, column[best])*e.sign > 0) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	return e.Step(c, column[best:best+1])
}

func (e *extreme) Merge(other State) error {
	return e.Step(nil, []types.Value{other.(*extreme).best})
}

func (e *extreme) Final(*Call) (types.Value, error) { return e.best, nil }
