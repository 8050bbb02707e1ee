package function

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
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
	// Held is what the states of aggregates hold that grows with their rows, in bytes; see Grow. counted is how much of it the account knows.
	Held, counted int64
	// Memory has the limits that values keep to, and counts what is large; nil has the default ones.
	Memory *limit.Account
	// Random gives random bits.
	Random func() uint64
	// Catalog and Functions are what the introspection functions show: the state that the statement reads.
	Catalog   *catalog.Snapshot
	Functions *Registry
	// Session is what the session form of definitions leaves out (docs/reference/declarative-schema.md); its Form is not read.
	Session catalog.FormatOptions
	// SchemaPath are the schemas that the bodies of assertions search behind their own; nil is main alone.
	SchemaPath []string
	// Planner serves query_plan(); nil where nothing can be planned.
	Planner Planner
}

// Planner plans texts for query_plan().
type Planner interface {
	// PlanText plans a text of one statement and gives its operators, as wide as PlanColumns.
	PlanText(sql string) ([]types.Row, error)
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

// Rows yields the rows of a table-valued function. A row is valid until the next one; an error ends them.
type Rows func(c *Call, args []types.Value) iter.Seq2[types.Row, error]

// State is the running state of an aggregate over one group. Step sees every row, NULL arguments included, in input order; its
// arguments are valid during the call. Final may be asked more than once, with further steps between: it changes nothing.
type State interface {
	Step(c *Call, args []types.Value) error
	Final(c *Call) (types.Value, error)
}

// Columnar is a State that takes the arguments of many rows at once, as so many Steps would, one after the other. Its function has one
// argument.
type Columnar interface {
	State
	StepAll(c *Call, column []types.Value) error
}

// Inverter is a State that can take a row out again, for frames of windows that move.
type Inverter interface {
	State
	// Undo takes back a Step with the same arguments, as if it had never been; rows are taken back in the order in which they came. It
	// answers false, and leaves a state of no use, when that cannot be done exactly.
	Undo(args []types.Value) bool
}

// Merger is a State that can be put together from parts.
type Merger interface {
	State
	// Merge adds the rows of another state of the same function, which came after its own. It leaves other as it is.
	Merge(other State) error
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
	// Deterministic: same arguments, same answer; required in DEFAULT, CHECK and GENERATED (docs/reference/language.md).
	Deterministic bool
	// Numeric refuses arguments of other static types at prepare ("num").
	Numeric bool
	// NullOnNull: a NULL argument gives NULL without a call.
	NullOnNull bool
	// Lazy functions are compiled by the executor and have no Eval.
	Lazy bool
	// ComparesArgs: the arguments are compared as one group (nullif, greatest, least).
	ComparesArgs bool
	// Hidden functions are not listed by schema().
	Hidden bool
	// NeedsOrder: a window function whose OVER must have an ORDER BY.
	NeedsOrder bool
	// TakesNulls: a window function that IGNORE NULLS may follow.
	TakesNulls bool

	// Type infers the static result; nil means ANY, nullable.
	Type func(args []Arg) Result
	// Eval is a scalar's implementation; Bind, when set, replaces it by one made for the static arguments.
	Eval Eval
	Bind func(args []Arg) (Eval, error)
	// NewState begins a group of an aggregate, for the static arguments.
	NewState func(args []Arg) (func() State, error)
	// Columns and Rows are a table-valued function's shape and rows. A row is valid until the next one.
	Columns []Column
	Rows    Rows
	// BindRows, when set, replaces Rows by one made for the static arguments, as Bind does Eval.
	BindRows func(args []Arg) (Rows, error)
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

// Register adds a copy of a function or replaces the one of its name and count. A malformed one is MISUSE.
func (r *Registry) Register(f *Function) error {
	if fault := f.fault(); fault != "" {
		return types.Errorf(types.MISUSE, "function %q cannot be registered: %s", f.Name, fault)
	}
	c := *f
	if c.Type == nil {
		c.Type = resultAlways(types.TypeAny)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	k := regKey{c.Name, c.Args, c.Kind == Table}
	if old := r.byKey[k]; old != nil {
		r.order[slices.Index(r.order, old)] = &c
	} else {
		r.order = append(r.order, &c)
	}
	r.byKey[k] = &c
	return nil
}

// fault says what is wrong with a registration, "" for a good one.
func (f *Function) fault() string {
	switch {
	case f.Name == "" || f.Name != types.Fold(f.Name):
		return "its name must be lower-case and not empty"
	case f.Args < -1 || f.Args == -1 && (f.Min < 0 || f.Max < -1 || f.Max >= 0 && f.Max < f.Min):
		return "its argument count is impossible"
	case f.Kind > Window:
		return "its kind is unknown"
	case f.Kind == Scalar && !f.Lazy && f.Eval == nil && f.Bind == nil:
		return "a scalar function needs an implementation"
	case f.Kind == Aggregate && f.NewState == nil:
		return "an aggregate needs a state"
	case f.Kind == Table && (len(f.Columns) == 0 || f.Rows == nil):
		return "a table-valued function needs columns and rows"
	}
	return ""
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

// LookupWindow finds the function of a call with OVER: a window function or an aggregate. Otherwise it is ERROR: "Unknown window
// function: f" for a name that is neither, else what is wrong with the number of arguments.
func (r *Registry) LookupWindow(name string, args int) (*Function, error) {
	if f := r.Lookup(name, args, false); f != nil && f.Kind != Scalar {
		return f, nil
	}
	name = types.Fold(name)
	for _, f := range r.All() {
		switch {
		case f.Name != name:
		case f.Kind == Window:
			return nil, f.windowCountError(args)
		case f.Kind == Aggregate:
			return nil, types.Errorf(types.ERROR, "Function not found: %s/%d", name, args)
		}
	}
	return nil, types.Errorf(types.ERROR, "Unknown window function: %s", name)
}

func (f *Function) windowCountError(args int) error {
	switch {
	case f.Args >= 0:
		return types.Errorf(types.ERROR, "Window function %s expects %d arguments, got %d", f.Name, f.Args, args)
	case args < f.Min:
		return types.Errorf(types.ERROR, "%s requires at least one argument", f.Name)
	}
	return types.Errorf(types.ERROR, "Window function %s expects at most %d arguments, got %d", f.Name, f.Max, args)
}

// CheckWindow refuses an OVER that the function cannot be used with; ordered tells whether the window has an ORDER BY. ERROR.
func (f *Function) CheckWindow(ordered bool) error {
	if f.NeedsOrder && !ordered {
		return types.Errorf(types.ERROR, "Window function %s requires ORDER BY clause", f.Name)
	}
	return nil
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
