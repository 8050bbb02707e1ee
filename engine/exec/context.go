package exec

import (
	"context"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// Source opens tables on the state that a statement reads. The engine's transaction is one.
type Source interface {
	// OpenTable opens a table on the statement's pin; with committed, on the last commit. The run closes it.
	OpenTable(ctx context.Context, t *catalog.Table, committed bool) (vtab.Table, error)
}

// Runtime is what one run is given from outside.
type Runtime struct {
	Source Source
	// Write and Queue serve data changes: the transaction to write in, and its checks that wait for commit; nil for a query that
	// changes nothing.
	Write WriteSource
	Queue *Queue
	// Positional and Named are the values of bind parameters; Positional from 0, names as written.
	Positional []types.Value
	Named      map[string]types.Value
	// Call is the clock, zone and random source that functions see; its Ctx is set by Run.
	Call function.Call
	// Memory counts the large values of the run, and has the limits that it keeps to; nil counts nothing and has the default limits.
	Memory *limit.Account
	// MemoryBudget is the number of bytes that each remembering operator may hold; 0 means defaultBudget.
	MemoryBudget int64
	// TempDir is where operators spill, "" for the system's directory.
	TempDir string
}

const defaultBudget = 64 << 20

// Context is the state of one run that expressions and operators share. One goroutine uses it.
type Context struct {
	ctx   context.Context
	rt    *Runtime
	call  function.Call
	param []boundParam // by position in plan.Plan.Params
	// outer holds columns of enclosing queries, by slot.
	outer []types.Value
	// stack holds arguments of calls under way.
	stack []types.Value
	subs  []subRun
	spool []*memberRows // of WITH, by slot
	work  []*workRows   // of recursions, by slot
	write *writeRun     // of data changes; nil for a program without
	// measure is that of the operator at work, nil when nobody measures.
	measure *Measure
	// watched is the length from which on a value is checked, digits how many an integer may have; made is how many bytes of large values were
	// made so far.
	watched int
	digits  int64
	made    int64
	// open are the tables opened so far.
	open []openTable
}

// boundParam is a parameter's value, if it is bound.
type boundParam struct {
	value types.Value
	bound bool
}

type openTable struct {
	table     *catalog.Table
	committed bool
	opened    vtab.Table
}

// begin sets the context up for a run.
func (ec *Context) begin(ctx context.Context, rt *Runtime, params []plan.Parameter) error {
	ec.ctx, ec.rt, ec.call = ctx, rt, rt.Call
	ec.call.Ctx = ctx
	ec.beginLimits()
	ec.stack = ec.stack[:0]
	for i := range params {
		if err := ec.param[i].bind(&params[i], rt); err != nil {
			return err
		}
		if err := ec.checkParam(ec.param[i].value); err != nil {
			return err
		}
	}
	for i := range ec.subs {
		ec.subs[i].known = false
	}
	return nil
}

// bind finds the value of a parameter. One whose type was established at prepare refuses values of another class (docs/reference/types.md).
func (b *boundParam) bind(p *plan.Parameter, rt *Runtime) error {
	if p.Name == "" {
		return b.bindPositional(p, rt.Positional)
	}
	b.value, b.bound = rt.Named[p.Name]
	return b.check(p)
}

// bindPositional is bind of a parameter without a name.
func (b *boundParam) bindPositional(p *plan.Parameter, values []types.Value) error {
	if b.bound = p.Index <= len(values); b.bound {
		b.value = values[p.Index-1]
	} else {
		b.value = types.Null
	}
	return b.check(p)
}

func (b *boundParam) check(p *plan.Parameter) error {
	switch kind := b.value.Kind(); {
	case kind == p.Type.Class && kind != types.KindJSON:
	case b.bound && p.Declared && !fits(b.value, p.Type):
		return types.Errorf(types.MISMATCH, "Parameter type mismatch for %s: expected %s, got %s", p, p.Type, b.value.Kind())
	case p.Scalar && b.value.Kind() == types.KindJSON:
		return types.Errorf(types.MISMATCH, "Parameter type mismatch for %s: a JSON array or object is compared with a scalar", p)
	}
	return nil
}

// fits reports whether a value may stand for a parameter of a type: it is NULL, or of the type's storage class.
func fits(v types.Value, t *types.Type) bool {
	switch {
	case v.IsNull() || t == types.TypeAny || t == types.TypeNull:
		return true
	case t.Class == types.KindReal:
		return v.Kind() == types.KindReal || v.Kind() == types.KindInteger
	case t == types.TypeJSON:
		return v.Kind() != types.KindBlob
	}
	return v.Kind() == t.Class
}

// openTable gives a table of the statement's state, which is opened once a run.
func (ec *Context) openTable(t *catalog.Table, committed bool) (vtab.Table, error) {
	for _, o := range ec.open {
		if o.table == t && o.committed == committed {
			return o.opened, nil
		}
	}
	opened, err := ec.rt.Source.OpenTable(ec.ctx, t, committed)
	if err != nil {
		return nil, err
	}
	ec.open = append(ec.open, openTable{t, committed, opened})
	return opened, nil
}

// end closes what the run opened. Operators are closed by then.
func (ec *Context) end() error {
	var first error
	for i := range ec.subs {
		first = firstError(first, ec.subs[i].close())
	}
	for i := range ec.spool {
		first = firstError(first, ec.spool[i].reset())
	}
	first = firstError(first, ec.write.end())
	for _, o := range ec.open {
		first = firstError(first, o.opened.Close())
	}
	clear(ec.open)
	ec.open = ec.open[:0]
	clear(ec.param)
	clear(ec.outer)
	clear(ec.stack[:cap(ec.stack)])
	ec.call.Release(ec.call.Held)
	ec.rt, ec.ctx, ec.call = nil, nil, function.Call{}
	return first
}

// canceled gives the error of a run whose context is done.
func (ec *Context) canceled() error { return kv.Interrupted(ec.ctx) }

// budget is the number of bytes that a remembering operator may hold.
func (ec *Context) budget() int64 {
	if ec.rt.MemoryBudget > 0 {
		return ec.rt.MemoryBudget
	}
	return defaultBudget
}
