package function

import (
	"github.com/quereus/quereus-migrate/types"
)

// functionFacts is function_info() (docs/reference/functions.md).
func functionFacts() []*Function {
	return []*Function{lists("function_info", -1, []Column{
		textColumn("name"), integerColumn("num_args"), textColumn("type"), integerColumn("deterministic"), integerColumn("flags"),
		textColumn("signature"),
	}, listFunctions)}
}

func (k Kind) String() string { return [...]string{"scalar", "aggregate", "table", "window"}[k] }

// listFunctions emits one row a registration, all of them or those of a name.
func listFunctions(c *Call, args []types.Value, emit emitter) error {
	name := ""
	if len(args) == 1 {
		var err error
		if name, err = nameArgument("function_info", "function", args[0]); err != nil {
			return err
		}
	}
	for _, f := range c.Functions.All() {
		if len(args) == 1 && !types.EqualFold(f.Name, name) {
			continue
		}
		if !emit(types.Text(f.Name), types.Int(int64(f.Args)), types.Text(f.Kind.String()), flag(f.Deterministic),
			types.Int(f.flags()), types.Text(f.Signature())) {
			return nil
		}
	}
	return nil
}

// flags gives the bits that function_info shows.
func (f *Function) flags() int64 {
	const textEncoding, deterministic = 1, 0x800
	if f.Deterministic {
		return textEncoding | deterministic
	}
	return textEncoding
}
