package exec

import (
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// joinRecipe is a compiled hash or loop join.
type joinRecipe struct {
	*pairing
	keys                  *types.KeyEncoder // nil for a loop join
	leftKeys, rightKeys   []Expr
	leftWidth, rightWidth int
	keepsLeft, keepsRight bool // unmatched rows of the side are wanted
	once                  bool // one match of a left row is enough to know: semi and anti joins
	drops                 bool // matches are not wanted: anti joins
}

func (b *builder) matchJoin(n *plan.Join) recipe {
	l, r := b.node(n.L), b.node(n.R)
	rec := &joinRecipe{
		pairing: b.pairing(n), leftWidth: len(n.L.Output()), rightWidth: len(n.R.Output()),
		keepsLeft: n.Kind == plan.LeftJoin || n.Kind == plan.FullJoin || n.Kind == plan.AntiJoin, keepsRight: n.Kind == plan.RightJoin || n.Kind == plan.FullJoin,
		once: n.IsSemi(), drops: n.Kind == plan.AntiJoin,
	}
	left, right := b.over(n.L.Output()), b.over(n.R.Output())
	parts := make([]types.KeyPart, len(n.Keys))
	for i, k := range n.Keys {
		rec.leftKeys = append(rec.leftKeys, left.expr(k.L))
		rec.rightKeys = append(rec.rightKeys, right.expr(k.R))
		part, err := types.NewKeyPart(k.By.KeyType(), k.By.Collation, false)
		if err != nil {
			b.fail(err)
		}
		parts[i] = part
	}
	if len(parts) > 0 {
		rec.keys = types.NewKeyEncoder(parts...)
	}
	return func() Operator { return &joinOp{joinRecipe: rec, l: l(), r: r()} }
}

// joinOp joins by remembering the right rows, by key for a hash join, and passing the left ones along them; made rows come in
// the order of the left ones. When the right rows do not fit the budget, rows of both sides are partitioned by key into files
// (a loop join has one partition), and each pair of partitions is joined on its own: right rows in chunks that fit, the
// left file once a chunk.
type joinOp struct {
	*joinRecipe
	l, r  Operator
	ec    *Context
	batch Batch
	table matchTable
	block rowBlock
	buf   []byte
	key   types.Row

	loaded bool
	lefts  leftRows
	// the present left row, its number, and the next candidate for it; -1 for none.
	left      types.Row
	number    int64
	candidate int32
	matched   bool
	tail      int32 // next right row to look at for rows without a match, once the left rows are through

	spill *joinSpill // nil while everything fits
}

// leftRows gives left rows one by one: of the operator, or of a partition's file.
type leftRows struct {
	op     Operator
	batch  Batch
	at     int
	file   spoolReader
	inFile bool
}

// Open opens the right side only when the first row is asked for.
func (o *joinOp) Open(ec *Context) error {
	if err := o.Close(); err != nil {
		return err
	}
	o.ec, o.loaded = ec, false
	if o.key == nil {
		o.key = make(types.Row, len(o.leftKeys))
	}
	return nil
}

// Next makes the next rows.
func (o *joinOp) Next(b *Batch) error {
	if !o.loaded {
		if err := o.load(); err != nil {
			return err
		}
		o.loaded = true
	}
	o.block.resetWider(o.shown, o.width)
	for steps := 0; !o.block.full(); steps++ {
		more, err := o.step()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if steps%checkEvery == 0 {
			if err := o.ec.canceled(); err != nil {
				return err
			}
		}
	}
	b.Rows = o.block.rows
	return nil
}

// checkEvery is the number of pairs that a join tries between two looks at its context.
const checkEvery = 4096

// load reads the right side, and gets the left one ready.
func (o *joinOp) load() error {
	o.table.reset(o.rightWidth, o.keys != nil)
	if err := o.r.Open(o.ec); err != nil {
		return err
	}
	if err := drain(o.r, &o.batch, o.addRight); err != nil {
		return err
	}
	if err := o.r.Close(); err != nil {
		return err
	}
	o.begin(leftRows{op: o.l})
	if o.spill != nil {
		return o.partitionLeft()
	}
	if o.table.len() == 0 && !o.keepsLeft {
		o.left, o.lefts.op = nil, nil // no left row can matter
		return nil
	}
	return o.l.Open(o.ec)
}

// addRight takes a right row into the table, or beyond the budget into its partition. A row with NULL in its key matches nothing
// and is dropped, unless unmatched rows are wanted.
func (o *joinOp) addRight(row types.Row) error {
	key, err := o.keyOf(o.rightKeys, row)
	if err != nil || key == nil && o.keys != nil && !o.keepsRight {
		return err
	}
	if o.spill != nil {
		return o.spill.addRight(row, key)
	}
	if o.once && o.cond == nil && key != nil && o.table.first(key) >= 0 {
		return nil // one row of a key is enough
	}
	o.table.add(row, key)
	if o.table.weight() < o.ec.budget() {
		return nil
	}
	return o.startSpill()
}

// keyOf gives the key of a row, nil if a part of it is NULL or the join has none. It is valid until the next call.
func (o *joinOp) keyOf(exprs []Expr, row types.Row) ([]byte, error) {
	if o.keys == nil {
		return nil, nil
	}
	if err := evalInto(o.ec, o.key, exprs, row); err != nil {
		return nil, err
	}
	if hasNull(o.key) {
		return nil, nil
	}
	var err error
	o.buf, err = o.keys.Append(o.buf[:0], o.key...)
	return o.buf, err
}

// begin sets out to pass left rows along the table.
func (o *joinOp) begin(l leftRows) {
	o.lefts, o.left, o.number, o.candidate, o.tail = l, nil, -1, -1, 0
}

// step makes at most one row, and false at the end or when made rows must be handed out first.
func (o *joinOp) step() (more bool, err error) {
	switch {
	case o.candidate >= 0:
		return true, o.tryCandidate()
	case o.left != nil:
		o.finishLeft()
		return true, nil
	}
	state, err := o.nextLeft()
	if err != nil || state == leftWait {
		return false, err
	}
	if state == leftRow {
		return true, nil
	}
	if o.keepsRight {
		for o.tail < o.table.len() {
			i := o.tail
			o.tail++
			if !o.table.isMarked(i) {
				o.make(&o.block, nil, o.table.row(i), false, false)
				return true, nil
			}
		}
	}
	if o.spill == nil {
		return false, nil
	}
	return o.nextChunk()
}

// tryCandidate joins the left row with the candidate.
func (o *joinOp) tryCandidate() error {
	i := o.candidate
	o.candidate = o.table.after(i)
	ok, err := o.matches(o.ec, &o.block, o.make(&o.block, o.left, o.table.row(i), o.lefts.inFile, false))
	if err != nil || !ok {
		return err
	}
	o.matched = true
	if o.keepsRight {
		o.table.mark(i)
	}
	if o.once {
		o.candidate = -1
	}
	if o.drops {
		o.block.drop()
	}
	return nil
}

// finishLeft is done with the left row: without a match it comes null-extended, once all chunks have been tried.
func (o *joinOp) finishLeft() {
	if o.spill != nil {
		if (o.keepsLeft || o.once) && o.matched {
			o.spill.matched.add(o.number)
		}
		if o.spill.isLastChunk() && o.keepsLeft && !o.spill.matched.has(o.number) {
			o.make(&o.block, o.left, nil, true, false)
		}
	} else if o.keepsLeft && !o.matched {
		o.make(&o.block, o.left, nil, false, false)
	}
	o.left = nil
}

// leftState is the outcome of asking for a left row.
type leftState uint8

const (
	leftRow leftState = iota
	leftEnd
	leftWait // made rows share the present batch and must be handed out first
)

// nextLeft takes the next left row and finds its first candidate.
func (o *joinOp) nextLeft() (leftState, error) {
	l := &o.lefts
	switch {
	case l.inFile:
		row, err := l.file.next()
		if err != nil || row == nil {
			return leftEnd, err
		}
		o.left = row
	case l.op == nil:
		return leftEnd, nil
	default:
		if l.at == len(l.batch.Rows) {
			if len(o.block.rows) > 0 {
				return leftWait, nil
			}
			l.at = 0
			if err := l.op.Next(&l.batch); err != nil {
				return leftEnd, err
			}
			if len(l.batch.Rows) == 0 {
				l.op = nil
				return leftEnd, nil
			}
		}
		o.left = l.batch.Rows[l.at]
		l.at++
	}
	o.number++
	o.matched = false
	key, err := o.keyOf(o.leftKeys, o.left)
	if err != nil {
		return leftEnd, err
	}
	o.candidate = o.table.first(key)
	if o.once && o.spill != nil && o.spill.matched.has(o.number) { // in a chunk before
		o.candidate = -1
	}
	return leftRow, nil
}

// Close closes both sides and drops what was remembered.
func (o *joinOp) Close() error {
	err := firstError(o.l.Close(), o.r.Close())
	if o.spill != nil {
		err = firstError(err, o.spill.close())
		o.spill = nil
	}
	o.table.reset(o.rightWidth, o.keys != nil)
	return err
}
