// Package function holds the built-in functions, one file a family, and the registry that names resolve through (docs/reference/functions.md).
//
// It knows values, types and the catalog, not plans: the binder asks a function for its result type and the executor calls it
// with evaluated arguments. Functions that must not evaluate all arguments (coalesce, iif) are marked Lazy and compiled by the
// executor. Window functions are listed with their arguments, types and messages; their evaluation is the executor's.
//
// The caller of a function sees to it that
//
//   - a NULL argument of a NullOnNull function gives NULL without a call,
//   - an argument of a Numeric function is of a type that Function.Numeric admits,
//   - an error is reported as "Function <name> failed: <cause>", with the code of the cause.
//
// Implementations are immutable and safe for concurrent use, those that Bind makes included; an aggregate's State belongs to one
// goroutine. What a scalar function returns may share memory with its arguments; what an aggregate keeps is its own.
package function
