package function

import (
	"github.com/quereus/quereus-migrate/types"
)

// windows are the functions that are usable with OVER only (docs/reference/functions.md): what the binder must know of them.
func windows() []*Function {
	return []*Function{
		anywhere(ranking("row_number", 0, types.TypeInteger)), ranking("rank", 0, types.TypeInteger), ranking("dense_rank", 0, types.TypeInteger),
		ranking("ntile", 1, types.TypeInteger),
		ranking("percent_rank", 0, types.TypeReal), ranking("cume_dist", 0, types.TypeReal),
		offset("lag"), offset("lead"),
		fromFrame("first_value", 1), fromFrame("last_value", 1), fromFrame("nth_value", 2),
	}
}

func ranking(name string, args int, t *types.Type) *Function {
	return &Function{Name: name, Args: args, Kind: Window, Deterministic: true, NeedsOrder: true, Type: resultNever(t)}
}

// anywhere lets a ranking do without ORDER BY: rows are numbered as they come.
func anywhere(f *Function) *Function {
	f.NeedsOrder = false
	return f
}

// offset is lag or lead (x [, distance [, default]]).
func offset(name string) *Function {
	return &Function{
		Name: name, Args: -1, Min: 1, Max: 3, Kind: Window, Deterministic: true, NeedsOrder: true, TakesNulls: true,
		Type: func(args []Arg) Result {
			t := args[0].Type
			if len(args) == 3 {
				t = types.CommonType(t, args[2].Type)
			}
			return Result{t, true}
		},
	}
}

func fromFrame(name string, args int) *Function {
	return &Function{
		Name: name, Args: args, Kind: Window, Deterministic: true, TakesNulls: true,
		Type: func(args []Arg) Result { return Result{args[0].Type, true} },
	}
}
