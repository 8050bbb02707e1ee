package function

import (
	"math"
	"slices"

	"github.com/quereus/quereus-migrate/types"
)

// Static results, as the Type of functions. A result is nullable when an argument is, or a value of the argument's static type
// can make NULL (docs/reference/language.md).

// anyNullable reports whether one of the arguments may be NULL.
func anyNullable(args []Arg) bool {
	return slices.ContainsFunc(args, func(a Arg) bool { return a.Nullable })
}

// resultOf is t, NULL for a NULL argument only.
func resultOf(t *types.Type) func([]Arg) Result {
	return func(args []Arg) Result { return Result{t, anyNullable(args)} }
}

// resultAlways is t, and NULL for reasons of its own.
func resultAlways(t *types.Type) func([]Arg) Result {
	return func([]Arg) Result { return Result{t, true} }
}

// resultNever is t and never NULL.
func resultNever(t *types.Type) func([]Arg) Result {
	return func([]Arg) Result { return Result{t, false} }
}

// resultOfText is t for functions that give NULL for whatever is not text.
func resultOfText(t *types.Type) func([]Arg) Result {
	return func(args []Arg) Result { return Result{t, anyNullable(args) || !areAll(args, isText)} }
}

// resultOfFirst is the type of the first argument, NULL for whatever is not a number.
func resultOfFirst(args []Arg) Result {
	return Result{args[0].Type, anyNullable(args) || !areAll(args, isNumeric)}
}

func areAll(args []Arg, is func(*types.Type) bool) bool {
	return !slices.ContainsFunc(args, func(a Arg) bool { return !is(a.Type) })
}

func isText(t *types.Type) bool { return t.Class == types.KindText }

func isNumeric(t *types.Type) bool { return t.Numeric }

// typesOf lists the static types of arguments.
func typesOf(args []Arg) []*types.Type {
	ts := make([]*types.Type, len(args))
	for i, a := range args {
		ts[i] = a.Type
	}
	return ts
}

// Reading arguments.

// numberOf reads a value as the functions of numbers do: a boolean is 1 or 0, and text counts if the whole of it is a decimal
// number (docs/reference/functions.md). ok is false for anything else.
func numberOf(v types.Value) (n types.Value, ok bool) {
	switch v.Kind() {
	case types.KindBoolean:
		return types.Plus(v), true
	case types.KindInteger, types.KindReal:
		return v, true
	case types.KindText:
		return types.ParseWholeNumber(v.Str())
	}
	return types.Null, false
}

// countOf gives a number without its fraction, as the nearest int64 whose negative is one too.
func countOf(n types.Value) int64 {
	i, ok := types.Truncate(n)
	if ok {
		if count, fits := i.Int64(); fits {
			return max(count, -math.MaxInt64)
		}
	}
	if types.CompareNumbers(n, types.Int(0)) < 0 {
		return -math.MaxInt64
	}
	return math.MaxInt64
}
