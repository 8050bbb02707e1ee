package exec

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

func (b *builder) setOp(n *plan.SetOp) recipe {
	l, r := b.node(n.L), b.node(n.R)
	width := len(n.Cols)
	if n.Op == ast.UnionAll && len(n.Flags) == 0 {
		return func() Operator { return &concatOp{legs: [2]Operator{l(), r()}} }
	}
	keys := b.groupKeys(n.Cols)
	if n.Op == ast.Union && len(n.Flags) == 0 {
		return func() Operator {
			return &distinctOp{in: &concatOp{legs: [2]Operator{l(), r()}}, key: width, dedup: dedup{keys: keys, width: width}}
		}
	}
	recipe := &setOpRecipe{op: n.Op, width: width, keys: keys}
	for _, f := range n.Flags {
		recipe.flags = append(recipe.flags, f.Right)
	}
	return func() Operator { return &setOpOp{setOpRecipe: recipe, legs: [2]Operator{l(), r()}} }
}

// concatOp gives the rows of the left leg and then those of the right one.
type concatOp struct {
	legs [2]Operator
	ec   *Context
	at   int
}

// Open opens the left leg; the right one is opened when it is its turn.
func (o *concatOp) Open(ec *Context) error {
	o.ec, o.at = ec, 0
	return o.legs[0].Open(ec)
}

// Next passes the legs' batches.
func (o *concatOp) Next(b *Batch) error {
	for {
		if err := o.legs[o.at].Next(b); err != nil || len(b.Rows) > 0 {
			return err
		}
		if o.at == 1 {
			return nil
		}
		o.at = 1
		if err := o.legs[0].Close(); err != nil {
			return err
		}
		if err := o.legs[1].Open(o.ec); err != nil {
			return err
		}
	}
}

// Close closes both legs.
func (o *concatOp) Close() error {
	return firstError(o.legs[0].Close(), o.legs[1].Close())
}

// setOpRecipe is a compiled INTERSECT, EXCEPT, DIFF, or a UNION with membership flags.
type setOpRecipe struct {
	op    ast.SetOpKind
	width int
	keys  *types.KeyEncoder
	flags []bool // of each flag, whether it tells of the right leg
}

// setOpOp sorts the rows of both legs by key, learns for each key in which legs it occurs, and passes rows by that, in the order
// of the legs. It remembers all rows, up to the budget in memory.
type setOpOp struct {
	*setOpRecipe
	legs  [2]Operator
	ec    *Context
	batch Batch
	seq   int64
	buf   []byte
	// rows are all rows by key, present one row a key, chosen the rows to give by number.
	rows, chosen sorter
	present      spool
	work         types.Row
	block        rowBlock
	filled       bool
}

// columns in front of a row in setOpOp.rows, and in chosen.
const (
	setKey = iota
	setSeq
	setRight
	setRow
)

// Open opens nothing yet: the legs are read one after the other when the first row is asked for.
func (o *setOpOp) Open(ec *Context) error {
	o.ec, o.seq, o.filled = ec, 0, false
	if o.work == nil {
		o.work = make(types.Row, setRow+o.width+len(o.flags))
	}
	if err := o.rows.start(ec, setRow+o.width, byKeyThenSeq); err != nil {
		return err
	}
	if err := o.present.start(ec, 2); err != nil {
		return err
	}
	return o.chosen.start(ec, len(o.work), bySeq)
}

// Next gives the next rows.
func (o *setOpOp) Next(b *Batch) error {
	if !o.filled {
		if err := o.fill(); err != nil {
			return err
		}
		o.filled = true
	}
	return o.block.fill(o.ec, o.width+len(o.flags), o.next, b)
}

// next gives the next row chosen.
func (o *setOpOp) next() (types.Row, error) {
	row, err := o.chosen.next()
	if row == nil {
		return nil, err
	}
	return row[setRow:], nil
}

func (o *setOpOp) fill() error {
	for side, leg := range o.legs {
		if err := o.read(leg, side == 1); err != nil {
			return err
		}
	}
	if err := o.rows.finish(); err != nil {
		return err
	}
	if err := o.learn(); err != nil {
		return err
	}
	if err := o.rows.rewind(); err != nil {
		return err
	}
	if err := o.choose(); err != nil {
		return err
	}
	return o.chosen.finish()
}

// read takes the rows of one leg.
func (o *setOpOp) read(leg Operator, right bool) error {
	if err := leg.Open(o.ec); err != nil {
		return err
	}
	err := drain(leg, &o.batch, func(row types.Row) (err error) {
		if o.buf, err = o.keys.Append(o.buf[:0], row[:o.width]...); err != nil {
			return err
		}
		o.seq++
		w := o.work[:setRow+o.width]
		w[setKey], w[setSeq], w[setRight] = types.Blob(o.buf), types.Int(o.seq), types.Bool(right)
		copy(w[setRow:], row[:o.width])
		return o.rows.add(w)
	})
	if err != nil {
		return err
	}
	return leg.Close()
}

// eachKey walks the sorted rows and tells where a new key begins.
func (o *setOpOp) eachKey(visit func(row types.Row, begins bool) error) error {
	var last []byte
	for first := true; ; first = false {
		row, err := o.rows.next()
		if err != nil || row == nil {
			return err
		}
		key := row[setKey].Bytes()
		begins := first || string(key) != string(last)
		if begins {
			last = append(last[:0], key...)
		}
		if err := visit(row, begins); err != nil {
			return err
		}
	}
}

// learn notes for each key in which legs it occurs.
func (o *setOpOp) learn() error {
	in := make(types.Row, 2)
	any := false
	err := o.eachKey(func(row types.Row, begins bool) error {
		if begins {
			if any {
				if err := o.present.add(in); err != nil {
					return err
				}
			}
			any = true
			in[0], in[1] = types.False, types.False
		}
		in[legOf(row)] = types.True
		return nil
	})
	if err == nil && any {
		err = o.present.add(in)
	}
	if err != nil {
		return err
	}
	return o.present.finish()
}

func legOf(row types.Row) int {
	if row[setRight].Bool() {
		return 1
	}
	return 0
}

// choose takes the rows that the operator gives: the first of a key, or with UNION ALL every one.
func (o *setOpOp) choose() error {
	keys := o.present.read()
	var left, right bool
	return o.eachKey(func(row types.Row, begins bool) error {
		if begins {
			in, err := keys.next()
			if err != nil {
				return err
			}
			left, right = in[0].Bool(), in[1].Bool()
		}
		if !begins && o.op != ast.UnionAll || !o.gives(left, right) {
			return nil
		}
		copy(o.work, row)
		for i, ofRight := range o.flags {
			o.work[setRow+o.width+i] = types.Bool(ofRight && right || !ofRight && left)
		}
		return o.chosen.add(o.work)
	})
}

// gives reports whether the operator gives a row that occurs in the legs as told.
func (r *setOpRecipe) gives(left, right bool) bool {
	switch r.op {
	case ast.Intersect:
		return left && right
	case ast.Except:
		return left && !right
	case ast.Diff:
		return left != right
	}
	return true
}

// Close drops all rows and closes both legs.
func (o *setOpOp) Close() error {
	return firstError(o.legs[0].Close(), o.legs[1].Close(), o.rows.close(), o.present.close(), o.chosen.close())
}
