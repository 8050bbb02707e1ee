package exec

import (
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// workRows are the rows of the round before, which the step of a recursion reads.
type workRows struct{ rows *spool }

func (b *builder) recursive(n *plan.Recursive) recipe {
	base := b.node(n.Base)
	r := &recursiveRecipe{
		slot: b.tables, width: len(n.Cols), all: n.All, name: n.Work.Name, max: n.MaxRounds,
		limits: b.limitRecipe(n.Count, n.Offset),
	}
	b.tables++
	b.works[n.Work] = r.slot
	if !n.All {
		r.keys = b.groupKeys(n.Cols)
	}
	step := b.node(n.Step)
	return func() Operator { return &recursiveOp{recursiveRecipe: r, base: base(), step: step()} }
}

type recursiveRecipe struct {
	slot, width int
	all         bool
	keys        *types.KeyEncoder // of UNION
	name        string
	max         int64
	limits      *limitRecipe
}

// recursiveOp evaluates the base, then the step over the rows of the round before until a round adds none. It remembers the rows
// of two rounds and, for UNION, the keys of all; both go to disk beyond the budget.
type recursiveOp struct {
	*recursiveRecipe
	base, step Operator
	ec         *Context
	current    Operator // the one being read
	batch      Batch
	out        []types.Row
	rounds     int64
	tables     [2]spool // of the round before, and being filled; exchanged after each round
	filling    int
	seen       keySet
	buf        []byte
	left, skip int64
}

// Open begins with the base.
func (o *recursiveOp) Open(ec *Context) (err error) {
	o.ec, o.rounds, o.filling, o.current = ec, 0, 0, o.base
	if o.left, o.skip, err = o.limits.eval(ec); err != nil {
		return err
	}
	if err := o.seen.start(ec); err != nil {
		return err
	}
	if err := o.tables[0].start(ec, o.width); err != nil {
		return err
	}
	if ec.work[o.slot] == nil {
		ec.work[o.slot] = &workRows{}
	}
	return o.base.Open(ec)
}

// Next passes the rows that the present round adds.
func (o *recursiveOp) Next(b *Batch) error {
	for o.left > 0 {
		b.Rows = nil
		if err := o.current.Next(&o.batch); err != nil {
			return err
		}
		if len(o.batch.Rows) == 0 {
			more, err := o.nextRound()
			if err != nil || !more {
				return err
			}
			continue
		}
		if err := o.take(); err != nil {
			return err
		}
		if b.Rows = o.cut(); len(b.Rows) > 0 {
			return nil
		}
	}
	b.Rows = nil
	return nil
}

// take adds the rows of the batch that are new to the next round's table.
func (o *recursiveOp) take() (err error) {
	o.out = o.out[:0]
	for _, row := range o.batch.Rows {
		row = row[:o.width]
		if !o.all {
			if o.buf, err = o.keys.Append(o.buf[:0], row...); err != nil {
				return err
			}
			isNew, err := o.seen.add(o.buf)
			if err != nil {
				return err
			}
			if !isNew {
				continue
			}
		}
		if err := o.tables[o.filling].add(row); err != nil {
			return err
		}
		o.out = append(o.out, row)
	}
	return nil
}

// cut applies LIMIT and OFFSET of the whole.
func (o *recursiveOp) cut() []types.Row {
	rows := o.out
	n := min(int64(len(rows)), o.skip)
	o.skip -= n
	rows = rows[n:]
	rows = rows[:min(int64(len(rows)), o.left)]
	o.left -= int64(len(rows))
	return rows
}

// nextRound makes the rows that the last round added the working table and opens the step over them; false when there are none.
func (o *recursiveOp) nextRound() (more bool, err error) {
	if err := o.current.Close(); err != nil {
		return false, err
	}
	added := &o.tables[o.filling]
	if err := added.finish(); err != nil {
		return false, err
	}
	if added.len() == 0 {
		return false, nil
	}
	if o.rounds++; o.max > 0 && o.rounds > o.max {
		e := types.Errorf(types.ERROR, "Recursive CTE '%s' exceeded maximum iteration limit (%d)", o.name, o.max)
		e.Hint = "raise it with option (maxrecursion N) in the query, pragma limit_iterations = N, or --limit iterations=N"
		return false, e
	}
	o.filling = 1 - o.filling
	if err := o.tables[o.filling].start(o.ec, o.width); err != nil {
		return false, err
	}
	o.ec.work[o.slot].rows = added
	o.current = o.step
	return true, o.step.Open(o.ec)
}

// Close closes both legs and drops the tables.
func (o *recursiveOp) Close() error {
	return firstError(o.base.Close(), o.step.Close(), o.tables[0].close(), o.tables[1].close(), o.seen.close())
}

func (b *builder) workRead(n *plan.WorkRead) recipe {
	slot := b.works[n.Work]
	return func() Operator { return &workReadOp{slot: slot} }
}

// workReadOp reads the working table.
type workReadOp struct {
	slot   int
	ec     *Context
	reader spoolReader
	block  rowBlock
}

// Open begins at the first row.
func (o *workReadOp) Open(ec *Context) error {
	o.ec = ec
	o.reader = ec.work[o.slot].rows.read()
	return nil
}

// Next gives the next rows.
func (o *workReadOp) Next(b *Batch) error { return nextSpooled(o.ec, &o.reader, &o.block, b) }

// Close has nothing to give back: the rows belong to the recursion.
func (o *workReadOp) Close() error { return nil }
