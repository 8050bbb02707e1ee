// Package function holds the built-in functions, one file a family, and the registry that names resolve through.
//
// It knows values and types, not plans: the binder asks a function for its result type and the executor calls it with
// evaluated arguments. Functions that must not evaluate all arguments (coalesce, iif) are marked Lazy and compiled by the executor.
package function

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/quereus/quereus-migrate/types"
)

// Kind tells the families that resolve apart.
type Kind uint8

// The kinds.
const (
	Scalar Kind = iota
	Aggregate
	Table
	Window // usable with OVER only
)

// Call is what a function may know of its execution. One Call serves a statement; it is used by one goroutine at a time.
type Call struct {
	Ctx context.Context
	// Now is the statement's clock, one value throughout.
	Now time.Time
	// Local is the host's zone, for the localtime modifier.
	Local *time.Location
	// Ordinal is the 1-based number of the source row of the running INSERT, 0 outside of one.
	Ordinal int64
	// Random gives random bits.
	Random func() uint64
}

// Arg is what the binder knows of an argument.
type Arg struct {
	Type     *types.Type
	Nullable bool
	// Const is the value of a constant argument; HasConst tells whether there is one.
	Const    types.Value
	HasConst bool
	// Collation is the argument's contribution.
	Collation types.Contribution
}

// Result is a static result type.
type Result struct {
	Type     *types.Type
	Nullable bool
}

// Eval computes a scalar function. args are valid during the call.
type Eval func(c *Call, args []types.Value) (types.Value, error)

// State is the running state of an aggregate over one group. Step sees every row, NULL arguments included.
type State interface {
	Step(c *Call, args []types.Value) error
	Final(c *Call) (types.Value, error)
}

// Column is a column of a table-valued function.
type Column struct {
	Name     string
	Type     *types.Type
	Nullable bool
}

// Function is one registration: a name and an argument count.
type Function struct {
	Name string // lower-case
	// Args is the exact number of arguments, -1 for a variadic one with at least Min and at most Max (Max -1: no bound).
	Args, Min, Max int
	Kind           Kind
	// Deterministic: same arguments, same answer; required in DEFAULT, CHECK and GENERATED (spec 31 §9).
	Deterministic bool
	// Numeric refuses arguments of other static types at prepare (spec 41 §1 "num").
	Numeric bool
	// NullOnNull: a NULL argument gives NULL without a call.
	NullOnNull bool
	// Lazy functions are compiled by the executor and have no Eval.
	Lazy bool
	// ComparesArgs: the arguments are compared as one group (nullif, greatest, least).
	ComparesArgs bool
	// Hidden functions are not listed by schema().
	Hidden bool

	// Type infers the static result.
	Type func(args []Arg) Result
	// Eval is a scalar's implementation; Bind, when set, replaces it by one made for the static arguments.
	Eval Eval
	Bind func(args []Arg) (Eval, error)
	// NewState begins a group of an aggregate, for the static arguments.
	NewState func(args []Arg) (func() State, error)
	// Columns and Rows are a table-valued function's shape and rows. A row is valid until the next one.
	Columns []Column
	Rows    func(c *Call, args []types.Value) iter.Seq2[types.Row, error]
}

// Registry resolves names. It is safe for concurrent use; registrations bind later lookups only.
type Registry struct {
	mu    sync.RWMutex
	byKey map[regKey]*Function
	order []*Function
}

type regKey struct {
	name  string
	args  int
	table bool
}

// NewRegistry gives a registry with nothing in it; Builtins gives one with all built-in functions.
func NewRegistry() *Registry { return &Registry{byKey: map[regKey]*Function{}} }

// Register adds a function or replaces the one of its name and count. A malformed one is MISUSE.
func (r *Registry) Register(f *Function) error {
	if f.Name != types.Fold(f.Name) || f.Name == "" {
		return types.Errorf(types.MISUSE, "function name %q must be lower-case and not empty", f.Name)
	}
	if f.Type == nil && f.Kind != Table {
		return types.Errorf(types.MISUSE, "function %s declares no result type", f.Name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	k := regKey{f.Name, f.Args, f.Kind == Table}
	if old := r.byKey[k]; old != nil {
		for i, g := range r.order {
			if g == old {
				r.order[i] = f
			}
		}
	} else {
		r.order = append(r.order, f)
	}
	r.byKey[k] = f
	return nil
}

// Lookup finds the function for a call by name and argument count, an exact count before a variadic one; nil when there is none.
// table asks for table-valued functions, which have a name space of their own.
func (r *Registry) Lookup(name string, args int, table bool) *Function {
	r.mu.RLock()
	defer r.mu.RUnlock()
	name = types.Fold(name)
	if f := r.byKey[regKey{name, args, table}]; f != nil {
		return f
	}
	f := r.byKey[regKey{name, -1, table}]
	if f == nil || args < f.Min || f.Max >= 0 && args > f.Max {
		return nil
	}
	return f
}

// All lists the functions in order of registration.
func (r *Registry) All() []*Function {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return append([]*Function(nil), r.order...)
}

// Signature is the function's text in schema() and function_info(): `FUNCTION f(?, ?)`.
func (f *Function) Signature() string {
	if f.Args < 0 {
		return fmt.Sprintf("FUNCTION %s(...)", f.Name)
	}
	s := "FUNCTION " + f.Name + "("
	for i := range f.Args {
		if i > 0 {
			s += ", "
		}
		s += "?"
	}
	return s + ")"
}
