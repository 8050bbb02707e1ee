package function

import (
	"github.com/quereus/quereus-migrate/types"
)

// dateFunctions are the functions of dates with modifiers (docs/reference/functions.md). They give NULL for anything they cannot read. With one
// argument, date, time and datetime are the conversions, which are registered for that count.
func dateFunctions() []*Function {
	return []*Function{
		showsMoment("date", appendMomentDate),
		showsMoment("time", appendMomentTime),
		showsMoment("datetime", func(dst []byte, m *moment) []byte {
			return appendMomentTime(append(appendMomentDate(dst, m), ' '), m)
		}),
		{
			Name: "julianday", Args: -1, Max: -1, Type: resultAlways(types.TypeReal),
			Eval: func(c *Call, args []types.Value) (types.Value, error) {
				m, ok := readMoment(c, args)
				if !ok {
					return types.Null, nil
				}
				return types.Real(m.julianDay()), nil
			},
		},
		{Name: "strftime", Args: -1, Min: 1, Max: -1, Type: resultAlways(types.TypeText), Eval: strftime},
	}
}

func showsMoment(name string, show func(dst []byte, m *moment) []byte) *Function {
	return &Function{
		Name: name, Args: -1, Max: -1, Type: resultAlways(types.TypeText),
		Eval: func(c *Call, args []types.Value) (types.Value, error) {
			m, ok := readMoment(c, args)
			if !ok {
				return types.Null, nil
			}
			return types.Text(string(show(nil, &m))), nil
		},
	}
}

func appendMomentDate(dst []byte, m *moment) []byte { return types.AppendDate(dst, m.wall().Day) }

// appendMomentTime appends the time of day; what is finer than it shows is cut off.
func appendMomentTime(dst []byte, m *moment) []byte {
	w := m.wall()
	dst = types.AppendTime(dst, w.Nano-w.Nano%types.NanosPerSecond)
	if m.millis {
		dst = appendMillis(dst, w)
	}
	return dst
}
