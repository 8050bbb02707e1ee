package exec

import "github.com/quereus/quereus-migrate/types"

// joinSpill is the part of a join that is on disk: rows of both sides by partition.
type joinSpill struct {
	op    *joinOp
	parts []joinPart
	// the partition being joined, the reader of its right rows, a right row that did not fit the last chunk, and the left rows
	// that have matched so far.
	at      int
	rights  spoolReader
	held    types.Row
	ended   bool // the right rows of the partition are all in the table or joined
	matched bitset
}

type joinPart struct{ left, right *spool }

// startSpill moves the right rows from the table to partitions.
func (o *joinOp) startSpill() error {
	n := partitions
	if o.keys == nil {
		n = 1
	}
	s := &joinSpill{op: o, parts: make([]joinPart, n), at: -1}
	for i := range s.parts {
		for _, side := range []struct {
			to    **spool
			width int
		}{{&s.parts[i].left, o.leftWidth}, {&s.parts[i].right, o.rightWidth}} {
			*side.to = new(spool)
			if err := (*side.to).start(o.ec, side.width); err != nil {
				return err
			}
			(*side.to).budget = 0
		}
	}
	o.spill = s
	for _, row := range o.table.rows.rows {
		key, err := o.keyOf(o.rightKeys, row)
		if err != nil {
			return err
		}
		if err := s.addRight(row, key); err != nil {
			return err
		}
	}
	o.table.reset(o.rightWidth, o.keys != nil)
	return nil
}

func (s *joinSpill) part(key []byte) *joinPart {
	if key == nil {
		return &s.parts[0]
	}
	return &s.parts[types.HashKey(key, 0)%uint64(len(s.parts))]
}

func (s *joinSpill) addRight(row types.Row, key []byte) error { return s.part(key).right.add(row) }

// partitionLeft reads the left side into its partitions and begins with the first one.
func (o *joinOp) partitionLeft() error {
	if err := o.l.Open(o.ec); err != nil {
		return err
	}
	err := drain(o.l, &o.batch, func(row types.Row) error {
		key, err := o.keyOf(o.leftKeys, row)
		if err != nil || key == nil && o.keys != nil && !o.keepsLeft {
			return err
		}
		return o.spill.part(key).left.add(row)
	})
	if err != nil {
		return err
	}
	for _, p := range o.spill.parts {
		if err := p.left.finish(); err != nil {
			return err
		}
		if err := p.right.finish(); err != nil {
			return err
		}
	}
	o.lefts = leftRows{}
	o.spill.ended = true
	return o.l.Close()
}

// nextChunk loads the next chunk of right rows, of the present partition or the next one; false when all are joined, or made rows
// must be handed out first, as they share the table's rows.
func (o *joinOp) nextChunk() (more bool, err error) {
	s := o.spill
	if len(o.block.rows) > 0 {
		return false, nil
	}
	if s.ended {
		if err := s.nextPart(); err != nil || s.at == len(s.parts) {
			return false, err
		}
	}
	if err := o.loadChunk(); err != nil {
		return false, err
	}
	o.begin(leftRows{inFile: true, file: s.parts[s.at].left.read()})
	return true, nil
}

// nextPart drops the present partition and goes to the next one.
func (s *joinSpill) nextPart() error {
	if s.at >= 0 {
		if err := s.parts[s.at].close(); err != nil {
			return err
		}
	}
	if s.at++; s.at < len(s.parts) {
		s.rights, s.held, s.ended, s.matched = s.parts[s.at].right.read(), nil, false, nil
	}
	return nil
}

// loadChunk fills the table with right rows up to the budget, at least one if there is any.
func (o *joinOp) loadChunk() error {
	s := o.spill
	o.table.reset(o.rightWidth, o.keys != nil)
	for {
		row := s.held
		if s.held = nil; row == nil {
			var err error
			if row, err = s.rights.next(); err != nil {
				return err
			}
		}
		if row == nil {
			s.ended = true
			return nil
		}
		if o.table.len() > 0 && o.table.weight() >= o.ec.budget() {
			s.held = row // valid until the reader goes on
			return nil
		}
		key, err := o.keyOf(o.rightKeys, row)
		if err != nil {
			return err
		}
		o.table.add(row, key)
	}
}

// isLastChunk reports whether no right row of the partition is left for another chunk.
func (s *joinSpill) isLastChunk() bool { return s.ended }

func (p *joinPart) close() error {
	return firstError(p.left.close(), p.right.close())
}

func (s *joinSpill) close() error {
	var first error
	for i := range s.parts {
		first = firstError(first, s.parts[i].close())
	}
	return first
}
