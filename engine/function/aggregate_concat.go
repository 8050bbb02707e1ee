package function

import (
	"strings"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
)

// concatenations are group_concat and string_concat (docs/reference/functions.md).
func concatenations() []*Function {
	return []*Function{
		{
			Name: "group_concat", Args: -1, Min: 1, Max: 2, Kind: Aggregate, Deterministic: true, Type: resultAlways(types.TypeText),
			NewState: newConcat,
		},
		aggregate("string_concat", 1, resultNever(types.TypeText), func() State { return &stringConcat{joined{separator: ","}} }),
	}
}

// newConcat makes the states of group_concat. A separator that is a constant goes between the texts at once.
func newConcat(args []Arg) (func() State, error) {
	separator := ","
	switch {
	case len(args) < 2:
	case !args[1].HasConst:
		return func() State { return &concatBy{separator: ","} }, nil
	case !args[1].Const.IsNull():
		separator = types.ToText(args[1].Const)
	}
	return func() State { return &groupConcat{joined{separator: separator}} }, nil
}

// joined are texts with a separator between them.
type joined struct {
	separator string
	texts     []byte
	any       bool
}

func (j *joined) add(c *Call, s string) (err error) {
	if !j.any {
		j.any = true
		j.texts, err = appended(c, j.texts, s)
		return err
	}
	if j.texts, err = appended(c, j.texts, j.separator); err == nil {
		j.texts, err = appended(c, j.texts, s)
	}
	return err
}

// appended adds a text to texts that are to become a value.
func appended(c *Call, texts []byte, s string) ([]byte, error) {
	if n := int64(len(texts) + len(s)); n > c.Limits().Of(limit.ValueLength) {
		return texts, c.Limits().Check(limit.ValueLength, n, "the result")
	}
	texts, err := grown(c, texts, len(s), 1)
	return append(texts, s...), err
}

func (j *joined) text(c *Call) (types.Value, error) {
	if err := c.Memory.Value(int64(len(j.texts))); err != nil {
		return types.Null, err
	}
	return types.Text(string(j.texts)), nil
}

// groupConcat joins the texts of values that are not NULL.
type groupConcat struct{ joined }

func (g *groupConcat) Step(c *Call, args []types.Value) error {
	if args[0].IsNull() {
		return nil
	}
	return g.add(c, types.ToText(args[0]))
}

func (g *groupConcat) Final(c *Call) (types.Value, error) {
	if !g.any {
		return types.Null, nil
	}
	return g.text(c)
}

// concatBy is groupConcat with the separator of the last of the values; a NULL one is a comma. Only at the end it is known what goes
// between the texts.
type concatBy struct {
	separator string
	texts     []byte
	ends      []uint32 // of each text
}

func (g *concatBy) Step(c *Call, args []types.Value) (err error) {
	if args[0].IsNull() {
		return nil
	}
	separator := ","
	if !args[1].IsNull() {
		separator = types.ToText(args[1])
	}
	if separator != g.separator {
		g.separator = strings.Clone(separator)
	}
	if g.texts, err = appended(c, g.texts, types.ToText(args[0])); err != nil {
		return err
	}
	if g.ends, err = grown(c, g.ends, 1, 4); err != nil {
		return err
	}
	g.ends = append(g.ends, uint32(len(g.texts)))
	return nil
}

func (g *concatBy) Final(c *Call) (types.Value, error) {
	if len(g.ends) == 0 {
		return types.Null, nil
	}
	b, err := newBuilder(c, len(g.texts)+(len(g.ends)-1)*len(g.separator))
	if err != nil {
		return types.Null, err
	}
	start := uint32(0)
	for i, end := range g.ends {
		if i > 0 {
			b.text.WriteString(g.separator)
		}
		if i%lookEvery == 0 {
			if err := c.Interrupted(); err != nil {
				return types.Null, err
			}
		}
		b.text.Write(g.texts[start:end])
		start = end
	}
	return types.Text(b.text.String()), nil
}

// stringConcat joins the values that are text with commas.
type stringConcat struct{ joined }

func (s *stringConcat) Step(c *Call, args []types.Value) error {
	if args[0].Kind() != types.KindText {
		return nil
	}
	return s.add(c, args[0].Str())
}

func (s *stringConcat) Final(c *Call) (types.Value, error) { return s.text(c) }
