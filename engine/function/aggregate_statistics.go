package function

import (
	"math"

	"github.com/quereus/quereus-migrate/types"
)

// statistics are the variances and standard deviations of a population and of a sample (docs/reference/functions.md).
func statistics() []*Function {
	deviation := func(name string, sample int64, finish func(variance float64) float64) *Function {
		return aggregate(name, 1, resultAlways(types.TypeReal), func() State { return &variance{sample: sample, finish: finish} })
	}
	same := func(v float64) float64 { return v }
	return []*Function{
		deviation("var_pop", 0, same), deviation("var_samp", 1, same),
		deviation("stddev_pop", 0, math.Sqrt), deviation("stddev_samp", 1, math.Sqrt),
	}
}

// variance keeps the mean and the sum of squared distances from it by Welford's method, which does not cancel for values that lie
// close together far from zero.
type variance struct {
	count        int64
	mean, spread float64
	sample       int64 // what the divisor is less than count: 1 for a sample
	finish       func(variance float64) float64
}

func (s *variance) Step(_ *Call, args []types.Value) error {
	n, ok := summand(args[0])
	if !ok {
		return nil
	}
	x := types.NearestReal(n)
	s.count++
	delta := x - s.mean
	s.mean += delta / float64(s.count)
	s.spread += delta * (x - s.mean)
	return nil
}

// Merge joins two means and spreads as one pass over all values would have them.
func (s *variance) Merge(other State) error {
	o := other.(*variance)
	if o.count == 0 {
		return nil
	}
	n := float64(s.count + o.count)
	delta := o.mean - s.mean
	s.spread += o.spread + delta*delta*float64(s.count)*float64(o.count)/n
	s.mean += delta * float64(o.count) / n
	s.count += o.count
	return nil
}

func (s *variance) Final(*Call) (types.Value, error) {
	if s.count <= s.sample {
		return types.Null, nil
	}
	return types.Real(s.finish(s.spread / float64(s.count-s.sample))), nil // NaN, of infinite values, is NULL
}
