package function

import (
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// concatenations are group_concat and string_concat (spec 41 §8).
func concatenations() []*Function {
	return []*Function{
		{
			Name: "group_concat", Args: -1, Min: 1, Max: 2, Kind: Aggregate, Deterministic: true, Type: resultAlways(types.TypeText),
			NewState: func([]Arg) (func() State, error) {
				return func() State { return &groupConcat{separator: ","} }, nil
			},
		},
		aggregate("string_concat", 1, resultNever(types.TypeText), func() State { return new(stringConcat) }),
	}
}

// joined holds texts one behind the other, so that a separator that is known at the end can still go between them.
type joined struct {
	texts []byte
	ends  []int // of each text
}

func (j *joined) add(s string) error {
	if len(j.texts)+len(s) > maxResultBytes {
		return errTooLong()
	}
	j.texts = append(j.texts, s...)
	j.ends = append(j.ends, len(j.texts))
	return nil
}

func (j *joined) join(separator string) (types.Value, error) {
	size := len(j.texts) + max(0, len(j.ends)-1)*len(separator)
	if size > maxResultBytes {
		return types.Null, errTooLong()
	}
	var b strings.Builder
	b.Grow(size)
	start := 0
	for i, end := range j.ends {
		if i > 0 {
			b.WriteString(separator)
		}
		b.Write(j.texts[start:end])
		start = end
	}
	return types.Text(b.String()), nil
}

// groupConcat joins the texts of values that are not NULL with the separator of the last of them; a NULL one is a comma.
type groupConcat struct {
	joined
	separator string
}

func (g *groupConcat) Step(_ *Call, args []types.Value) error {
	if args[0].IsNull() {
		return nil
	}
	if len(args) == 2 {
		separator := ","
		if !args[1].IsNull() {
			separator = types.ToText(args[1])
		}
		if separator != g.separator {
			g.separator = strings.Clone(separator)
		}
	}
	return g.add(types.ToText(args[0]))
}

func (g *groupConcat) Final(*Call) (types.Value, error) {
	if len(g.ends) == 0 {
		return types.Null, nil
	}
	return g.join(g.separator)
}

// stringConcat joins the values that are text with commas.
type stringConcat struct{ joined }

func (s *stringConcat) Step(_ *Call, args []types.Value) error {
	if args[0].Kind() != types.KindText {
		return nil
	}
	return s.add(args[0].Str())
}

func (s *stringConcat) Final(*Call) (types.Value, error) { return s.join(",") }
