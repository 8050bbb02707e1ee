package function

import (
	"github.com/quereus/quereus-migrate/types"
)

// timespans are the functions that take timespans apart (docs/reference/functions.md).
func timespans() []*Function {
	return []*Function{
		timespanPart("years", func(d *types.Duration) int64 { return d.Years }),
		timespanPart("months", func(d *types.Duration) int64 { return d.Months }),
		timespanPart("weeks", func(d *types.Duration) int64 { return d.Weeks }),
		timespanPart("days", func(d *types.Duration) int64 { return d.Days }),
		timespanPart("hours", func(d *types.Duration) int64 { return d.Hours }),
		timespanPart("minutes", func(d *types.Duration) int64 { return d.Minutes }),
		ofTimespan("timespan_seconds", types.TypeReal, func(d types.Duration) types.Value {
			e := types.Elapsed{Seconds: d.Seconds, Nanos: d.Nanos}
			if d.Negative {
				e = e.Negate()
			}
			return types.Real(e.In(1))
		}),
		timespanTotal("seconds", 1), timespanTotal("minutes", 60), timespanTotal("hours", 3600), timespanTotal("days", secondsPerDay),
	}
}

// ofTimespan is a function of the ISO form of a timespan, NULL for anything else.
func ofTimespan(name string, t *types.Type, f func(types.Duration) types.Value) *Function {
	return &Function{
		Name: name, Args: 1, Deterministic: true, NullOnNull: true,
		Type: func(args []Arg) Result { return Result{t, args[0].Nullable || args[0].Type != types.TypeTimespan} },
		Eval: func(_ *Call, args []types.Value) (types.Value, error) {
			d, ok := types.ParseDuration(args[0].Str())
			if !ok {
				return types.Null, nil
			}
			return f(d), nil
		},
	}
}

// timespanPart is a component as written, with the sign of the whole.
func timespanPart(unit string, part func(*types.Duration) int64) *Function {
	return ofTimespan("timespan_"+unit, types.TypeInteger, func(d types.Duration) types.Value {
		n := part(&d)
		if d.Negative {
			n = -n
		}
		return types.Int(n)
	})
}

// timespanTotal is the elapsed time in units of so many seconds.
func timespanTotal(unit string, seconds int64) *Function {
	return ofTimespan("timespan_total_"+unit, types.TypeReal, func(d types.Duration) types.Value {
		return types.Real(d.Elapsed().In(seconds))
	})
}
