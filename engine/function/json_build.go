package function

import (
	"math"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// jsonBuilders are the functions that make documents of values (docs/reference/functions.md).
func jsonBuilders() []*Function {
	return []*Function{
		{
			Name: "json_quote", Args: 1, Deterministic: true, Eval: jsonQuote,
			Type: func(args []Arg) Result {
				t := args[0].Type
				return Result{types.TypeText, t.Class == types.KindBlob || t == types.TypeAny}
			},
		},
		{Name: "json_array", Args: -1, Max: -1, Deterministic: true, Type: resultNever(types.TypeJSON), Bind: bindJSONArray},
		{Name: "json_object", Args: -1, Max: -1, Deterministic: true, Type: resultOfObject, Bind: bindJSONObject},
	}
}

// jsonQuote gives the JSON source of a value, NULL for a blob.
func jsonQuote(_ *Call, args []types.Value) (types.Value, error) {
	switch v := args[0]; {
	case v.Kind() == types.KindBlob:
		return types.Null, nil
	case v.Kind() == types.KindReal && math.IsInf(v.Float(), 0):
		return jsonNames[jsonNull], nil
	default:
		return types.Text(types.FormatJSON(v)), nil
	}
}

func bindJSONArray(args []Arg) (Eval, error) {
	prepare := preparers(args)
	return func(_ *Call, args []types.Value) (types.Value, error) {
		elems := make([]types.Value, len(args))
		for i, v := range args {
			elems[i] = prepare[i](v)
		}
		return types.NewArray(elems)
	}, nil
}

// resultOfObject is never NULL for pairs whose keys are text.
func resultOfObject(args []Arg) Result {
	r := Result{types.TypeJSON, len(args)%2 != 0}
	for i := 0; i < len(args); i += 2 {
		r.Nullable = r.Nullable || args[i].Nullable || !isText(args[i].Type)
	}
	return r
}

func bindJSONObject(args []Arg) (Eval, error) {
	prepare := preparers(args)
	return func(_ *Call, args []types.Value) (types.Value, error) {
		if len(args)%2 != 0 {
			return types.Null, nil
		}
		keys := make([]string, 0, len(args)/2)
		elems := make([]types.Value, 0, len(args)/2)
		for i := 0; i < len(args); i += 2 {
			if args[i].Kind() != types.KindText {
				return types.Null, nil
			}
			v := prepare[i+1](args[i+1])
			if at := slices.Index(keys, args[i].Str()); at >= 0 {
				elems[at] = v
				continue
			}
			keys = append(keys, strings.Clone(args[i].Str()))
			elems = append(elems, v)
		}
		return types.NewObject(keys, elems)
	}, nil
}
