package exec

import (
	"iter"

	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

func (b *builder) tableFunc(n *plan.TableFunc) recipe {
	args := b.over(nil).exprs(n.Args)
	fail := b.callError("Table-valued function", n.Fn.Name, n.Pos)
	width := len(n.Cols)
	return func() Operator { return &tableFuncOp{rows: n.Rows, args: args, fail: fail, width: width} }
}

// tableFuncOp gives the rows of a table-valued function, which it pulls one by one: a row of the function is valid until the
// next, so each is copied into the batch.
type tableFuncOp struct {
	rows  function.Rows
	args  []Expr
	fail  func(error) error
	width int
	ec    *Context
	next  func() (types.Row, error, bool)
	stop  func()
	block rowBlock
}

// Open evaluates the arguments.
func (o *tableFuncOp) Open(ec *Context) error {
	if err := o.Close(); err != nil {
		return err
	}
	o.ec = ec
	args := make([]types.Value, len(o.args))
	for i, x := range o.args {
		v, err := x(ec, nil)
		if err != nil {
			return err
		}
		args[i] = v
	}
	o.next, o.stop = iter.Pull2(o.rows(&ec.call, args))
	return nil
}

// Next copies the function's next rows.
func (o *tableFuncOp) Next(b *Batch) error { return o.block.fill(o.ec, o.width, o.row, b) }

// row gives the function's next row.
func (o *tableFuncOp) row() (types.Row, error) {
	row, err, _ := o.next()
	if err != nil {
		return nil, o.fail(err)
	}
	return row, nil
}

// Close stops the function.
func (o *tableFuncOp) Close() error {
	if o.stop != nil {
		o.stop()
		o.next, o.stop = nil, nil
	}
	return nil
}
