package exec

import (
	"github.com/quereus/quereus-migrate/engine/plan"
)

func (b *builder) join(n *plan.Join) recipe {
	if n.Method == plan.ApplyJoin {
		return b.apply(n)
	}
	return b.matchJoin(n)
}

func (b *builder) apply(n *plan.Join) recipe {
	l, r := b.node(n.L), b.node(n.R)
	left := b.over(n.L.Output())
	var outer []outerColumn
	for _, id := range plan.FreeColumns(n.R).Sorted() {
		slot := b.outerSlot(id)
		if at, ok := left.at[id]; ok {
			outer = append(outer, outerColumn{at, slot})
		}
	}
	p := b.pairing(n)
	shape := applyOp{pairing: p, outer: outer, outerJoin: n.Kind == plan.LeftJoin || n.Kind == plan.AntiJoin, once: n.IsSemi(), drops: n.Kind == plan.AntiJoin}
	return func() Operator {
		o := shape
		o.l, o.r = l(), r()
		return &o
	}
}

// applyOp opens its right side anew for each left row, whose columns the right side reads: LATERAL, and joins by index seek. It
// holds one batch.
type applyOp struct {
	*pairing
	l, r      Operator
	outer     []outerColumn
	outerJoin bool // a left row without a match is wanted
	once      bool // one match is enough to know: semi and anti joins
	drops     bool // matches are not wanted: anti joins
	ec        *Context
	lefts     Batch
	at        int // in lefts; the row before it is the present one
	rights    Batch
	open      bool // the right side is open for the present row
	matched   bool
	block     rowBlock
}

// Open opens the left side.
func (o *applyOp) Open(ec *Context) error {
	o.ec, o.at, o.open = ec, 0, false
	o.lefts.Rows = nil
	return o.l.Open(ec)
}

// Next joins left rows until the batch is full or the left side's batch is at its end, whose rows the made ones share.
func (o *applyOp) Next(b *Batch) error {
	o.block.resetWider(o.shown, o.width)
	for !o.block.full() {
		if !o.open {
			more, err := o.nextLeft()
			if err != nil {
				return err
			}
			if !more {
				break
			}
		}
		if err := o.pull(); err != nil {
			return err
		}
	}
	b.Rows = o.block.rows
	return nil
}

// nextLeft opens the right side for the next left row; false when there is none, or made rows must be handed out first.
func (o *applyOp) nextLeft() (more bool, err error) {
	if o.at == len(o.lefts.Rows) {
		if len(o.block.rows) > 0 {
			return false, nil
		}
		if err := o.l.Next(&o.lefts); err != nil {
			return false, err
		}
		o.at = 0
		if len(o.lefts.Rows) == 0 {
			return false, nil
		}
	}
	row := o.lefts.Rows[o.at]
	o.at++
	for _, c := range o.outer {
		o.ec.outer[c.slot] = row[c.at]
	}
	o.open, o.matched = true, false
	return true, o.r.Open(o.ec)
}

// pull joins the present left row with the next batch of the right side.
func (o *applyOp) pull() error {
	left := o.lefts.Rows[o.at-1]
	if err := o.r.Next(&o.rights); err != nil {
		return err
	}
	if len(o.rights.Rows) == 0 {
		o.open = false
		if o.outerJoin && !o.matched {
			o.make(&o.block, left, nil, false, false)
		}
		return o.r.Close()
	}
	for _, right := range o.rights.Rows {
		ok, err := o.matches(o.ec, &o.block, o.make(&o.block, left, right, false, true))
		if err != nil {
			return err
		}
		o.matched = o.matched || ok
		if ok && o.drops {
			o.block.drop()
		}
		if ok && o.once {
			o.open = false
			return o.r.Close()
		}
	}
	return nil
}

// Close closes both sides.
func (o *applyOp) Close() error {
	return firstError(o.l.Close(), o.r.Close())
}
