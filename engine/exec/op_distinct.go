package exec

import (
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// groupKeys makes the encoder of the keys by which rows are grouped: equal bytes for equal values. A collation without a
// normalizer cannot group, and is a fault.
func (b *builder) groupKeys(infos []plan.Column) *types.KeyEncoder {
	parts := make([]types.KeyPart, len(infos))
	for i, c := range infos {
		part, err := types.NewKeyPart(c.Type, c.Collation.Effective(), false)
		if err != nil {
			b.fail(err)
		}
		parts[i] = part
	}
	return types.NewKeyEncoder(parts...)
}

func (b *builder) distinct(n *plan.Distinct) recipe {
	in := b.node(n.Input)
	cols := n.Input.Output()
	keys, key, width := b.groupKeys(cols[:n.Width]), n.Width, len(cols)
	return func() Operator { return &distinctOp{in: in(), key: key, dedup: dedup{keys: keys, width: width}} }
}

// distinctOp passes the first of equal rows, in the order of the input. It remembers the keys it has seen, up to the budget; see
// dedup for what happens then.
type distinctOp struct {
	in      Operator
	key     int // the number of leading columns that count
	ec      *Context
	batch   Batch
	dedup   dedup
	out     []types.Row
	block   rowBlock
	drained bool
}

// Open opens the input.
func (o *distinctOp) Open(ec *Context) error {
	o.ec, o.drained = ec, false
	if err := o.dedup.start(ec); err != nil {
		return err
	}
	return o.in.Open(ec)
}

// Next passes new rows.
func (o *distinctOp) Next(b *Batch) error {
	for !o.drained {
		b.Rows = nil
		if err := o.in.Next(&o.batch); err != nil {
			return err
		}
		if len(o.batch.Rows) == 0 {
			o.drained = true
			if err := o.dedup.finish(); err != nil {
				return err
			}
			break
		}
		o.out = o.out[:0]
		for _, row := range o.batch.Rows {
			isNew, err := o.dedup.see(row[:o.key], row)
			if err != nil {
				return err
			}
			if isNew {
				o.out = append(o.out, row)
			}
		}
		if len(o.out) > 0 {
			b.Rows = o.out
			return nil
		}
	}
	return o.block.fill(o.ec, o.dedup.width, o.dedup.next, b) // those that were set aside
}

// Close drops what was remembered and closes the input.
func (o *distinctOp) Close() error {
	return firstError(o.in.Close(), o.dedup.close())
}

// dedup tells the first of equal rows. It holds keys up to the budget; behind that, rows with new keys are set aside, sorted
// by key to find the first of each, and sorted again by when they came. Since all keys held were seen before all rows set
// aside, the first rows come out in the order of the input.
type dedup struct {
	keys  *types.KeyEncoder
	width int // of the rows
	ec    *Context
	seen  map[string]struct{}
	bytes int64
	buf   []byte
	seq   int64
	// aside has rows with their key and number in front; firsts those that turned out to be the first of their key.
	aside, firsts sorter
	spilling      bool
}

// columns in front of a row that is set aside.
const (
	asideKey = iota
	asideSeq
	asideRow
)

// keyOverhead is what an entry of a map of keys weighs besides its key.
const keyOverhead = 48

func (d *dedup) start(ec *Context) error {
	err := d.close()
	d.ec = ec
	return err
}

// see reports whether a key is new. row is set aside, and the answer false, when it can only be told later.
func (d *dedup) see(key, row types.Row) (isNew bool, err error) {
	if d.buf, err = d.keys.Append(d.buf[:0], key...); err != nil {
		return false, err
	}
	if _, ok := d.seen[string(d.buf)]; ok {
		return false, nil
	}
	if d.bytes >= d.ec.budget() {
		return false, d.setAside(row)
	}
	if d.seen == nil {
		d.seen = map[string]struct{}{}
	}
	d.seen[string(d.buf)] = struct{}{}
	d.bytes += int64(len(d.buf)) + keyOverhead
	return true, nil
}

var (
	byKeyThenSeq = types.NewRowComparator(types.OrderTerm{Column: asideKey, Cmp: types.NewComparator(types.TypeBlob, nil)},
		types.OrderTerm{Column: asideSeq, Cmp: types.NewComparator(types.TypeInteger, nil)})
	bySeq = types.NewRowComparator(types.OrderTerm{Column: asideSeq, Cmp: types.NewComparator(types.TypeInteger, nil)})
)

func (d *dedup) setAside(row types.Row) error {
	if !d.spilling {
		d.spilling = true
		if err := d.aside.start(d.ec, asideRow+d.width, byKeyThenSeq); err != nil {
			return err
		}
	}
	d.seq++
	dst, s := d.aside.mem.blank(), &d.aside.mem
	dst[asideKey], dst[asideSeq] = s.keep(types.Blob(d.buf)), types.Int(d.seq)
	for i := range d.width {
		dst[asideRow+i] = s.keep(row[i])
	}
	return d.aside.added()
}

// finish ends the seeing; next gives the rows that were set aside and are the first of their key.
func (d *dedup) finish() error {
	d.seen, d.bytes = nil, 0
	if !d.spilling {
		return nil
	}
	if err := d.aside.finish(); err != nil {
		return err
	}
	if err := d.firsts.start(d.ec, asideRow+d.width, bySeq); err != nil {
		return err
	}
	var last []byte
	for first := true; ; first = false {
		row, err := d.aside.next()
		if err != nil {
			return err
		}
		if row == nil {
			break
		}
		if key := row[asideKey].Bytes(); first || string(key) != string(last) {
			last = append(last[:0], key...)
			if err := d.firsts.add(row); err != nil {
				return err
			}
		}
	}
	if err := d.aside.close(); err != nil {
		return err
	}
	return d.firsts.finish()
}

// next gives the next row that was set aside, nil at the end; it is valid until the next call.
func (d *dedup) next() (types.Row, error) {
	if !d.spilling {
		return nil, nil
	}
	row, err := d.firsts.next()
	if row == nil {
		return nil, err
	}
	return row[asideRow:], nil
}

func (d *dedup) close() error {
	d.seen = emptied(d.seen)
	d.bytes, d.seq, d.spilling = 0, 0, false
	return firstError(d.aside.close(), d.firsts.close())
}
