package function

import (
	"math"
	"math/big"

	"github.com/quereus/quereus-migrate/types"
)

// sums are count, sum, total and avg (docs/reference/functions.md).
func sums() []*Function {
	return []*Function{
		aggregate("count", 0, resultNever(types.TypeInteger), func() State { return new(rowCount) }),
		aggregate("count", 1, resultNever(types.TypeInteger), func() State { return new(valueCount) }),
		aggregate("sum", 1, resultAlways(types.TypeNumeric), func() State { return new(sum) }),
		aggregate("total", 1, resultNever(types.TypeReal), func() State { return new(total) }),
		aggregate("avg", 1, resultAlways(types.TypeReal), func() State { return new(average) }),
	}
}

// aggregate is an aggregate whose state does not depend on the static types of its arguments.
func aggregate(name string, args int, result func([]Arg) Result, state func() State) *Function {
	return &Function{
		Name: name, Args: args, Kind: Aggregate, Deterministic: true, Type: result,
		NewState: func([]Arg) (func() State, error) { return state, nil },
	}
}

// summand reads a value as aggregates of numbers do: as numberOf, and empty text counts 0.
func summand(v types.Value) (n types.Value, ok bool) {
	if n, ok = numberOf(v); !ok && v.Kind() == types.KindText && types.TrimSpace(v.Str()) == "" {
		return types.Int(0), true
	}
	return n, ok
}

type rowCount int64

func (n *rowCount) Step(*Call, []types.Value) error  { *n++; return nil }
func (n *rowCount) Undo([]types.Value) bool          { *n--; return true }
func (n *rowCount) Merge(other State) error          { *n += *other.(*rowCount); return nil }
func (n *rowCount) Final(*Call) (types.Value, error) { return types.Int(int64(*n)), nil }

type valueCount int64

func (n *valueCount) Step(_ *Call, args []types.Value) error {
	if !args[0].IsNull() {
		*n++
	}
	return nil
}

// StepAll counts a column.
func (n *valueCount) StepAll(_ *Call, column []types.Value) error {
	for i := range column {
		if !column[i].IsNull() {
			*n++
		}
	}
	return nil
}

func (n *valueCount) Undo(args []types.Value) bool {
	if !args[0].IsNull() {
		*n--
	}
	return true
}

func (n *valueCount) Merge(other State) error { *n += *other.(*valueCount); return nil }

func (n *valueCount) Final(*Call) (types.Value, error) { return types.Int(int64(*n)), nil }

// sum adds whole numbers exactly, and what has a fraction or is a real beyond 2^53 in doubles; the two come together at the end.
type sum struct {
	whole    int64
	carried  *big.Int // what whole could not hold, nil for nothing
	reals    float64
	hasReals bool
	count    int64 // of the values that read as numbers
}

func (s *sum) Step(_ *Call, args []types.Value) error {
	if i, ok := args[0].Int64(); ok {
		s.count++
		s.add(i)
		return nil
	}
	n, ok := summand(args[0])
	if !ok {
		return nil
	}
	s.count++
	switch {
	case n.IsBig():
		s.carry(n.Big())
	case n.Kind() == types.KindReal:
		s.addReal(n.Float())
	default:
		i, _ := n.Int64()
		s.add(i)
	}
	return nil
}

// StepAll adds a column; integers, which most are, without a call.
func (s *sum) StepAll(c *Call, column []types.Value) error {
	for i := range column {
		n, ok := column[i].Int64()
		if t := s.whole + n; ok && (t > s.whole) == (n > 0) {
			s.whole = t
			s.count++
		} else if err := s.Step(c, column[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// Undo takes whole numbers back; what was added in doubles does not come out exactly.
func (s *sum) Undo(args []types.Value) bool {
	n, ok := summand(args[0])
	if !ok {
		return true
	}
	i, fits := n.Int64()
	if !fits || i == math.MinInt64 {
		return false
	}
	s.count--
	s.add(-i)
	return true
}

func (s *sum) Merge(other State) error {
	o := other.(*sum)
	s.count += o.count
	s.add(o.whole)
	if o.carried != nil {
		s.carry(o.carried)
	}
	s.reals += o.reals
	s.hasReals = s.hasReals || o.hasReals
	return nil
}

func (s *sum) add(i int64) {
	t := s.whole + i
	if (t > s.whole) != (i > 0) && i != 0 { // overflow
		s.carry(big.NewInt(s.whole))
		t = i
	}
	s.whole = t
}

func (s *sum) carry(b *big.Int) {
	if s.carried == nil {
		s.carried = new(big.Int)
	}
	s.carried.Add(s.carried, b)
}

func (s *sum) addReal(f float64) {
	const two53 = 1 << 53
	if math.Abs(f) < two53 && f == math.Trunc(f) {
		s.add(int64(f))
		return
	}
	s.reals += f
	s.hasReals = true
}

func (s *sum) Final(*Call) (types.Value, error) {
	if s.count == 0 {
		return types.Null, nil
	}
	whole := types.Int(s.whole)
	if s.carried != nil {
		whole = types.BigInt(new(big.Int).Add(s.carried, big.NewInt(s.whole)))
	}
	if !s.hasReals {
		return whole, nil
	}
	return types.Real(types.NearestReal(whole) + s.reals), nil
}

// total is the sum in doubles, 0 for nothing.
type total float64

func (t *total) Step(_ *Call, args []types.Value) error {
	if n, ok := summand(args[0]); ok {
		*t += total(types.NearestReal(n))
	}
	return nil
}

func (t *total) Merge(other State) error { *t += *other.(*total); return nil }

func (t *total) Final(*Call) (types.Value, error) { return types.Real(float64(*t)), nil }

// average is the sum in doubles by the number of values that read as numbers.
type average struct {
	sum   float64
	count int64
}

func (a *average) Step(_ *Call, args []types.Value) error {
	if n, ok := summand(args[0]); ok {
		a.sum += types.NearestReal(n)
		a.count++
	}
	return nil
}

// StepAll adds a column; reals, which most are, without a call.
func (a *average) StepAll(c *Call, column []types.Value) error {
	for i := range column {
		if column[i].Kind() == types.KindReal {
			a.sum += column[i].Float()
			a.count++
		} else if err := a.Step(c, column[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (a *average) Merge(other State) error {
	o := other.(*average)
	a.sum += o.sum
	a.count += o.count
	return nil
}

func (a *average) Final(*Call) (types.Value, error) {
	if a.count == 0 {
		return types.Null, nil
	}
	return types.Real(a.sum / float64(a.count)), nil
}
