package exec

import (
	"context"

	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// Program is a compiled plan. It is immutable and safe for concurrent use: any number of runs may be under way at once.
type Program struct {
	plan                *plan.Plan
	root                recipe
	subs                []*subRecipe
	outer, spool, works int
	write               *writeRecipe // nil for a query that changes nothing
	batch               bool         // it is an INSERT, which RunBatch takes
	idle                idle[instance]
}

// instance is what one run uses: operators and context. It serves one run after the other.
type instance struct {
	ec   *Context
	root Operator
}

func (b *builder) program(root recipe) *Program {
	return &Program{plan: b.plan, root: root, subs: b.subs, outer: len(b.outer), spool: b.spools, works: b.tables, write: b.write}
}

// Columns describe the result, in the order of a row's values.
func (p *Program) Columns() []plan.Column { return p.plan.Columns }

// Writes reports whether the program changes rows: it is run in a transaction (Runtime.Write).
func (p *Program) Writes() bool { return p.plan.Writes }

// take gives an instance for a run, which give takes back.
func (p *Program) take() *instance {
	if in := p.idle.take(); in != nil {
		return in
	}
	return &instance{ec: p.context(), root: p.root()}
}

// give ends a run and keeps its instance for the next, unless a panic has cut the run short.
func (p *Program) give(in *instance, isWhole bool) error {
	if !isWhole {
		in.abandon()
		return nil
	}
	err := firstError(in.root.Close(), in.ec.end())
	p.idle.give(in)
	return err
}

// abandon gives back what a run that panicked holds, as far as that still can be done.
func (in *instance) abandon() {
	for _, f := range []func() error{in.root.Close, in.ec.end} {
		func() {
			defer func() { _ = recover() }() // the first panic is the one that is told
			_ = f()
		}()
	}
}

// Run begins a run. A data change is made before it returns; a *Conflict tells of one that ended early. The Runtime must not change
// before Close. The rows must be closed, whatever happens.
func (p *Program) Run(ctx context.Context, rt *Runtime) (*Rows, error) {
	in := p.take()
	r := &Rows{program: p, in: in, width: len(p.plan.Columns), running: true}
	defer r.release()
	err := in.ec.begin(ctx, rt, p.plan.Params)
	switch {
	case err != nil:
	case p.write == nil:
		err = in.root.Open(in.ec)
	default:
		err = in.ec.write.statement(in.root)
		r.changes = in.ec.write.changes
	}
	r.running = false
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// context makes a context with room for what the program keeps in one.
func (p *Program) context() *Context {
	ec := &Context{
		param: make([]boundParam, len(p.plan.Params)),
		outer: make([]types.Value, p.outer),
		subs:  make([]subRun, len(p.subs)),
		spool: make([]*memberRows, p.spool),
		work:  make([]*workRows, p.works),
	}
	if p.write != nil {
		ec.write = p.write.run(ec)
	}
	return ec
}

// Rows are the rows of a run. One goroutine uses them.
type Rows struct {
	program *Program
	in      *instance
	batch   Batch
	at      int
	width   int
	changes int64
	kept    rowStore // memory of the rows handed out
	given   int
	done    bool
	running bool // an operator is at work; what sees it otherwise comes behind a panic
	err     error
}

// Columns describe the rows.
func (r *Rows) Columns() []plan.Column { return r.program.plan.Columns }

// Changes is the number of rows that the statement inserted, updated or deleted, those that foreign keys led to aside.
func (r *Rows) Changes() int64 { return r.changes }

// Next returns the next row, nil at the end and on an error. The row is the caller's: it stays as it is whatever happens to the run.
func (r *Rows) Next() (types.Row, error) {
	row, err := r.view()
	if row == nil {
		return nil, err
	}
	return r.keep(row), nil
}

const (
	// aFew rows are copied one by one, most answers having no more; from then on their memory is shared by keptRows of them.
	aFew     = 4
	keptRows = 256
)

// keep copies a row of the operators.
func (r *Rows) keep(row types.Row) types.Row {
	switch r.given++; {
	case r.given <= aFew:
		return row.Clone()
	case r.kept.width != len(row) || len(r.kept.rows) == keptRows:
		r.kept = rowStore{width: len(row)}
	}
	return r.kept.add(row)
}

// view returns the next row as the operators have it, which is valid until the next call.
func (r *Rows) view() (types.Row, error) {
	for r.at == len(r.batch.Rows) {
		if r.done || r.in == nil {
			return nil, r.err
		}
		r.at, r.running = 0, true
		if r.err = r.in.root.Next(&r.batch); r.err != nil {
			r.batch.Rows = nil
		}
		r.running = false
		r.done = len(r.batch.Rows) == 0
	}
	r.at++
	return r.batch.Rows[r.at-1][:r.width], nil
}

// Close ends the run. A second call does nothing.
func (r *Rows) Close() error {
	in := r.in
	if in == nil {
		return nil
	}
	r.in, r.batch = nil, Batch{}
	return r.program.give(in, !r.running)
}

// release ends a run whose beginning panicked.
func (r *Rows) release() {
	if r.running {
		r.Close()
	}
}
