package exec

import (
	"context"

	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// RowProgram is a compiled expression over one row: a CHECK, a default, a generated column, a member or predicate of an index. It
// is immutable and safe for concurrent use.
type RowProgram struct {
	x     Expr
	shape *Program
	idle  idle[Context]
}

// CompileRow compiles a stored expression over rows as its Layout says.
func CompileRow(te *plan.TableExpr) (*RowProgram, error) { return compileRow(te.X, te.Layout) }

func compileRow(x plan.Expr, layout []plan.Column) (*RowProgram, error) {
	b := newBuilder(&plan.Plan{})
	e := b.over(layout).expr(x)
	if b.err != nil {
		return nil, b.err
	}
	return &RowProgram{x: e, shape: b.program(nil)}, nil
}

// RowRun evaluates a RowProgram for row after row of one statement. One goroutine uses it.
type RowRun struct {
	p  *RowProgram
	ec *Context
}

// Begin makes a run. Its subqueries read tables through rt.Source, each uncorrelated one once. The Runtime must not change before
// Close.
func (p *RowProgram) Begin(ctx context.Context, rt *Runtime) (*RowRun, error) {
	ec := p.idle.take()
	if ec == nil {
		ec = p.shape.context()
	}
	if err := ec.begin(ctx, rt, nil); err != nil {
		return nil, err
	}
	return &RowRun{p: p, ec: ec}, nil
}

// Eval gives the value for a row. It may share memory with the row.
func (r *RowRun) Eval(row types.Row) (types.Value, error) { return r.p.x(r.ec, row) }

// Close ends the run. A second call does nothing.
func (r *RowRun) Close() error {
	if r.ec == nil {
		return nil
	}
	err := r.ec.end()
	r.p.idle.give(r.ec)
	r.ec = nil
	return err
}

// Func gives the expression as a plain function, safe for concurrent use, for the expressions that structures are made of. It must
// hold no subquery; functions see the context of nothing and no clock.
func (p *RowProgram) Func() func(types.Row) (types.Value, error) {
	rt := new(Runtime)
	return func(row types.Row) (types.Value, error) {
		run, err := p.Begin(context.Background(), rt)
		if err != nil {
			return types.Null, err
		}
		defer run.Close()
		return run.Eval(row)
	}
}

// Pred is Func for conditions: whether the expression is true of a row.
func (p *RowProgram) Pred() func(types.Row) (bool, error) {
	f := p.Func()
	return func(row types.Row) (bool, error) {
		v, err := f(row)
		truth, known := types.Truth(v)
		return truth && known, err
	}
}

// EvalConst computes an expression that reads no row, parameter, clock or subquery: what plan.Env.Eval asks for.
func EvalConst(x plan.Expr) (types.Value, error) {
	return EvalConstWith(context.Background(), new(Runtime), x)
}

// EvalConstWith is EvalConst for a statement that may be cancelled, within the limits of the run that it is planned for.
func EvalConstWith(ctx context.Context, rt *Runtime, x plan.Expr) (types.Value, error) {
	p, err := compileRow(x, nil)
	if err != nil {
		return types.Null, err
	}
	run, err := p.Begin(ctx, rt)
	if err != nil {
		return types.Null, err
	}
	defer run.Close()
	return run.Eval(nil)
}
