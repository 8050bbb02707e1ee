package exec

import (
	"context"

	"github.com/quereus/quereus-migrate/types"
)

// RunBatch runs an INSERT once for each row of positional parameters, all of them as one statement: it reads the state from before
// the first, mutation_ordinal() counts on, and a failure is one of the whole. Named parameters are those of rt. It gives the number
// of rows written; rows of RETURNING are not kept.
func (p *Program) RunBatch(ctx context.Context, rt *Runtime, rows [][]types.Value) (changes int64, err error) {
	if !p.batch {
		return 0, types.Errorf(types.MISUSE, "only an INSERT can be run for a batch of parameters")
	}
	in, running := p.take(), true
	defer func() { err = firstError(err, p.give(in, !running)) }()
	if err := in.ec.begin(ctx, rt, p.plan.Params); err != nil {
		running = false
		return 0, err
	}
	op := &batchOp{changeOp: in.root.(*changeOp), program: p, params: rows}
	err = in.ec.write.statement(op)
	running = false
	return in.ec.write.changes, err
}

// batchOp opens an INSERT for row after row of parameters.
type batchOp struct {
	*changeOp
	program *Program
	params  [][]types.Value
}

// Open inserts for all rows of parameters.
func (o *batchOp) Open(ec *Context) error {
	for i, row := range o.params {
		if err := ec.rebind(o.program, row); err != nil {
			return err
		}
		if i == 0 {
			if err := o.begin(ec); err != nil {
				return err
			}
		}
		if err := o.apply(o.changeOp); err != nil {
			return err
		}
		if (i+1)%batchRows == 0 {
			if err := o.pause(); err != nil {
				return err
			}
		}
	}
	return nil
}

// rebind replaces the positional parameters. What was remembered of subqueries may have depended on them.
func (ec *Context) rebind(p *Program, row []types.Value) error {
	for i := range p.plan.Params {
		d := &p.plan.Params[i]
		if d.Name != "" {
			continue
		}
		if err := ec.param[i].bindPositional(d, row); err != nil {
			return err
		}
	}
	for i := range ec.subs {
		ec.subs[i].known = false
	}
	return nil
}
