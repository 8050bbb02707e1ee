package function

import (
	"time"

	"github.com/quereus/quereus-migrate/types"
)

// conversions are the strict conversions, named after the types (docs/reference/functions.md).
func conversions() []*Function {
	return []*Function{
		converts("integer", types.TypeInteger),
		converts("real", types.TypeReal),
		converts("text", types.TypeText),
		converts("blob", types.TypeBlob),
		converts("boolean", types.TypeBoolean),
		converts("timespan", types.TypeTimespan),
		convertsDocument(),
		readsClock("date", types.TypeDate, appendDateNow),
		readsClock("time", types.TypeTime, appendTimeNow),
		readsClock("datetime", types.TypeDatetime, appendDatetimeNow),
	}
}

func converts(name string, t *types.Type) *Function {
	convert := types.Converter(t)
	return &Function{
		Name: name, Args: 1, Deterministic: true, NullOnNull: true, Type: resultOfConversion(t),
		Eval: func(_ *Call, args []types.Value) (types.Value, error) { return convert(args[0]) },
	}
}

func resultOfConversion(t *types.Type) func([]Arg) Result {
	return func(args []Arg) Result {
		return Result{t, args[0].Nullable || types.CastMayBeNull(args[0].Type, t)}
	}
}

// convertsDocument is json(x), which leaves a document alone: one that is a string is not read again.
func convertsDocument() *Function {
	f := converts("json", types.TypeJSON)
	convert := f.Eval
	f.Bind = func(args []Arg) (Eval, error) {
		if args[0].Type != types.TypeJSON {
			return convert, nil
		}
		return func(_ *Call, args []types.Value) (types.Value, error) { return args[0], nil }, nil
	}
	return f
}

// readsClock is a conversion that also takes 'now'.
func readsClock(name string, t *types.Type, appendNow func(dst []byte, now types.Instant) []byte) *Function {
	convert := types.Converter(t)
	return &Function{
		Name: name, Args: 1, NullOnNull: true, Type: resultOfConversion(t),
		Eval: func(c *Call, args []types.Value) (types.Value, error) {
			if isNow(args[0].Str()) {
				return types.Text(string(appendNow(nil, instantOf(c.Now)))), nil
			}
			return convert(args[0])
		},
	}
}

// isNow recognises the word for the statement's clock.
func isNow(s string) bool { return types.EqualFold(s, "now") }

func instantOf(t time.Time) types.Instant {
	t = t.UTC()
	return types.InstantFromUnixMilli(t.Unix()*1000).AddTime(0, int64(t.Nanosecond()))
}

func appendDateNow(dst []byte, now types.Instant) []byte { return types.AppendDate(dst, now.Day) }

func appendTimeNow(dst []byte, now types.Instant) []byte {
	return types.AppendTime(dst, now.Nano-now.Nano%types.NanosPerSecond)
}

func appendDatetimeNow(dst []byte, now types.Instant) []byte {
	dst = append(appendDateNow(dst, now), 'T')
	return append(appendMillis(appendTimeNow(dst, now), now), 'Z')
}

// appendMillis appends the milliseconds of a moment with their point, cut off and always three digits.
func appendMillis(dst []byte, i types.Instant) []byte {
	ms := i.Nano % types.NanosPerSecond / 1_000_000
	return append(dst, '.', byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10))
}
