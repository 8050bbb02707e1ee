package exec

import (
	"context"
	"math"

	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// probeRecipe is a compiled plan.Probe.
type probeRecipe struct {
	slot    int
	program *Program
	keys    *types.KeyEncoder // identifies keys that the lookup cannot tell apart
}

// buildProbe compiles a lookup. Its keys are the one working table of its program.
func buildProbe(p *plan.Probe) (*probeRecipe, error) {
	b := newBuilder(p.Plan)
	b.works[p.Keys.Work], b.tables = 0, 1
	root := b.node(p.Plan.Root)
	if b.err != nil {
		return nil, b.err
	}
	return &probeRecipe{program: b.program(root), keys: probeKeys(p)}, nil
}

// probeKeys gives the encoder under which equal keys are those that match the same rows. Where there is none, more keys are told
// apart than need be, which costs lookups but no answer.
func probeKeys(p *plan.Probe) *types.KeyEncoder {
	parts := make([]types.KeyPart, len(p.By))
	for i, by := range p.By {
		part, err := types.NewKeyPart(by.KeyType(), by.Collation, false)
		if err != nil || by.Type != nil && p.Keys.Cols[i].Type != by.Type {
			return binaryKeys(len(p.By))
		}
		parts[i] = part
	}
	return types.NewKeyEncoder(parts...)
}

// binaryKeys tells all values apart.
func binaryKeys(n int) *types.KeyEncoder {
	parts := make([]types.KeyPart, n)
	for i := range parts {
		parts[i], _ = types.NewKeyPart(types.TypeAny, types.Binary, false)
	}
	return types.NewKeyEncoder(parts...)
}

// keyList is a list of distinct keys, numbered as they come.
type keyList struct {
	enc    *types.KeyEncoder
	number map[string]int
	rows   spool // a key's values, then its number; always in memory
	row    types.Row
	buf    []byte
}

// start empties the list for keys of a width.
func (l *keyList) start(enc *types.KeyEncoder, width int) {
	if l.row == nil {
		l.enc, l.row = enc, make(types.Row, width+1)
		l.rows.mem.reset(width + 1)
		l.rows.budget = math.MaxInt64
	}
	l.clear()
}

// clear empties the list. Its memory is used again unless there is much of it.
func (l *keyList) clear() {
	if l.len() > batchRows {
		l.number = nil
		l.rows.mem.reset(len(l.row))
		return
	}
	clear(l.number)
	l.rows.mem.recycle()
}

func (l *keyList) len() int { return len(l.rows.mem.rows) }

// add takes the values of a row's columns as a key, and gives its number.
func (l *keyList) add(row types.Row, columns []int) (number int, isNew bool, err error) {
	for i, c := range columns {
		l.row[i] = row[c]
	}
	return l.put()
}

// addKey takes a key.
func (l *keyList) addKey(key types.Row) error {
	copy(l.row, key)
	_, _, err := l.put()
	return err
}

// put takes the key in l.row.
func (l *keyList) put() (number int, isNew bool, err error) {
	width := len(l.row) - 1
	if l.buf, err = l.enc.Append(l.buf[:0], l.row[:width]...); err != nil {
		return 0, false, err
	}
	if n, ok := l.number[string(l.buf)]; ok {
		return n, false, nil
	}
	n := l.len()
	if l.number == nil {
		l.number = map[string]int{}
	}
	l.number[string(l.buf)] = n
	l.row[width] = types.Int(int64(n))
	l.rows.mem.add(l.row)
	return n, true, nil
}

// key gives the values of a key; they stay valid until the list is reset.
func (l *keyList) key(n int) types.Row {
	return l.rows.mem.rows[n][:len(l.row)-1]
}

// probeRun is a lookup within a run.
type probeRun struct {
	*probeRecipe
	in *instance // while tables are open
	// keeps leaves the tables open from one lookup to the next: nothing that the run writes changes the answer.
	keeps bool
}

// find calls f for every match: with the number of its key, and with the row where the probe gives rows. It ends when f wants no
// more.
func (p *probeRun) find(ctx context.Context, rt *Runtime, keys *keyList, f func(number int, row types.Row) (more bool, err error)) (err error) {
	if p.in == nil {
		p.in = p.program.take()
		if err = p.in.ec.begin(ctx, rt, nil); err != nil {
			return err
		}
	}
	ec := p.in.ec
	if ec.work[0] == nil {
		ec.work[0] = &workRows{}
	}
	ec.work[0].rows = &keys.rows
	if err = p.in.root.Open(ec); err == nil {
		err = p.each(f)
	}
	err = firstError(err, p.in.root.Close())
	if !p.keeps {
		err = firstError(err, p.close())
	}
	return err
}

func (p *probeRun) each(f func(number int, row types.Row) (more bool, err error)) error {
	for b := (Batch{}); ; {
		if err := p.in.root.Next(&b); err != nil || len(b.Rows) == 0 {
			return err
		}
		for _, row := range b.Rows {
			n, _ := row[0].Int64()
			more, err := f(int(n), row[1:])
			if err != nil || !more {
				return err
			}
		}
	}
}

// close gives back what the lookup holds.
func (p *probeRun) close() error {
	if p.in == nil {
		return nil
	}
	in := p.in
	p.in = nil
	return p.program.give(in, true)
}
