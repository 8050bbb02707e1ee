package plan

import (
	"context"
	"strconv"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
	"github.com/quereus/quereus-migrate/vtab"
)

// Env is what a statement is bound against. It must not change while Prepare runs.
type Env struct {
	// Ctx bounds the questions to modules; nil for none.
	Ctx       context.Context
	Catalog   *catalog.Snapshot
	Committed *catalog.Snapshot // of the last commit, for committed.t; nil when it is Catalog
	// SchemaPath is the session's, folded; nil for main alone.
	SchemaPath []string
	Types      *types.Registry
	Functions  *function.Registry
	// Source turns positions into lines; nil for a statement without one.
	Source *ast.Source
	// Fresh is set while a definition is judged that is not stored yet: errors note their place in it (catalog.FaultyPos), since
	// what is bound is part of a text that somebody has at hand.
	Fresh bool
	// Planner gives the access planner of a module; nil (the field or the answer) for one that only scans.
	Planner func(module string) vtab.AccessPlanner
	// Rows gives the number of rows of a table as far as known; nil for unknown.
	Rows func(t *catalog.Table) (rows int64, known bool)
	// Params are the static types of parameters that are known: from values bound at prepare, or declared.
	Params ParamTypes
	// Eval computes an expression without columns, parameters, clock and subqueries (exec.EvalConst); nil leaves constants unfolded.
	Eval func(Expr) (types.Value, error)
	// Limits are those of the session; nil for the defaults.
	Limits *limit.Set
	// ForeignKeys makes data changes enforce foreign keys (pragma foreign_keys).
	ForeignKeys bool
	// Validate checks the plan after each rewriting (pragma validate_plan): INTERNAL where it is broken.
	Validate bool
	// Without names rules that are left out (pragma disabled_rules, RuleNames): EXPLAIN then shows what a rule does, and a query whose
	// answer changes shows a fault in it.
	Without []string
	// Nondeterministic lifts the determinism rule for stored expressions (pragma nondeterministic_schema).
	Nondeterministic bool
}

// ParamTypes are declared parameter types: by position from 0, and by name as written.
type ParamTypes struct {
	Positional []*types.Type // nil entries are unknown
	Named      map[string]*types.Type
}

// Parameter is a bind parameter of a statement.
type Parameter struct {
	Name  string // "" for a positional one
	Index int    // from 1
	Type  *types.Type
	// Declared is set when the type came from the environment and is not the TEXT of want of better.
	Declared bool
	// Scalar is set when the parameter is compared with a scalar, which no JSON array or object can equal: binding one is refused.
	Scalar bool
}

// String spells the parameter as a statement does.
func (p Parameter) String() string {
	if p.Name != "" {
		return ":" + p.Name
	}
	return "?" + strconv.Itoa(p.Index)
}

// Plan is a bound and planned statement. It is immutable and safe for concurrent use.
type Plan struct {
	Root   Node
	Params []Parameter
	Source *ast.Source
	// Columns are the columns of the result: the first ones of Root's rows.
	Columns []Column
	// Writes is set for what changes rows. Catalog is what names were looked up in.
	Writes  bool
	Catalog *catalog.Snapshot
}

// Prepare binds a query that changes nothing and plans it; PrepareStmt takes any statement. Faults are *types.Error with line and column.
func Prepare(stmt *ast.SelectStmt, env *Env) (*Plan, error) {
	b := NewBinder(env)
	root := b.query(stmt, nil)
	if b.err != nil {
		return nil, b.err
	}
	return b.Finish(root)
}

// Finish rewrites a bound tree and makes it a Plan. The Binder must not be used afterwards.
func (b *Binder) Finish(root Node) (*Plan, error) {
	if b.err != nil {
		return nil, b.err
	}
	cols := root.Output()
	b.mergeWrites()
	root, err := b.optimize(b.aroundShared(b.aroundChanges(root)))
	if err != nil {
		return nil, err
	}
	return &Plan{
		Root: root, Params: b.params.list, Source: b.env.Source, Columns: cols,
		Writes: len(b.change.bound) > 0, Catalog: b.env.Catalog,
	}, nil
}
