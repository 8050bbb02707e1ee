package exec

import "github.com/quereus/quereus-migrate/engine/plan"

// memberRecipe is a compiled member of WITH.
type memberRecipe struct {
	slot  int
	body  recipe
	width int
	// change is set for a data change, which is made before anybody reads.
	change bool
}

// memberRows are the rows of a member in one run.
type memberRows struct {
	op     Operator
	rows   spool
	filled bool
}

func (b *builder) with(n *plan.With) recipe {
	members := make([]*memberRecipe, len(n.CTEs))
	for i, c := range n.CTEs {
		m := &memberRecipe{slot: b.spools, width: len(n.Bodies[i].Output()), change: c.Change}
		b.spools++
		b.members[c] = m
		m.body = b.node(n.Bodies[i])
		members[i] = m
	}
	body := b.node(n.Body)
	return func() Operator { return &withOp{members: members, body: body()} }
}

// withOp makes members readable in its body. A member's rows are computed when they are first read, at most once each time the
// operator is opened.
type withOp struct {
	members []*memberRecipe
	body    Operator
	ec      *Context
}

// Open forgets what the members held.
func (o *withOp) Open(ec *Context) error {
	o.ec = ec
	for _, m := range o.members {
		if ec.spool[m.slot] == nil {
			ec.spool[m.slot] = &memberRows{op: m.body()}
		}
		if err := ec.spool[m.slot].reset(); err != nil {
			return err
		}
	}
	for _, m := range o.members {
		if !m.change {
			continue
		}
		if err := ec.spool[m.slot].fill(ec, m.width); err != nil {
			return unlessFail(err)
		}
	}
	return o.body.Open(ec)
}

// Next passes the body's rows.
func (o *withOp) Next(b *Batch) error { return o.body.Next(b) }

// Close closes the body and drops the members' rows.
func (o *withOp) Close() error {
	err := o.body.Close()
	if o.ec == nil {
		return err
	}
	for _, m := range o.members {
		err = firstError(err, o.ec.spool[m.slot].reset())
	}
	return err
}

// reset drops a member's rows; on nil it does nothing.
func (m *memberRows) reset() error {
	if m == nil {
		return nil
	}
	m.filled = false
	return firstError(m.op.Close(), m.rows.close())
}

// fill computes a member's rows.
func (m *memberRows) fill(ec *Context, width int) error {
	if err := m.rows.start(ec, width); err != nil {
		return err
	}
	if err := m.op.Open(ec); err != nil {
		return err
	}
	if err := drain(m.op, &Batch{}, m.rows.add); err != nil {
		return err
	}
	if err := m.op.Close(); err != nil {
		return err
	}
	m.filled = true
	return m.rows.finish()
}

func (b *builder) memberRead(n *plan.CTERead) recipe {
	m := b.members[n.CTE]
	return func() Operator { return &memberReadOp{member: m} }
}

// memberReadOp reads the rows of a member.
type memberReadOp struct {
	member *memberRecipe
	ec     *Context
	reader spoolReader
	block  rowBlock
}

// Open computes the member's rows unless that has happened.
func (o *memberReadOp) Open(ec *Context) error {
	o.ec = ec
	m := ec.spool[o.member.slot]
	if !m.filled {
		if err := m.fill(ec, o.member.width); err != nil {
			return err
		}
	}
	o.reader = m.rows.read()
	return nil
}

// Next gives the next rows.
func (o *memberReadOp) Next(b *Batch) error { return nextSpooled(o.ec, &o.reader, &o.block, b) }

// Close has nothing to give back: the rows belong to the WITH.
func (o *memberReadOp) Close() error { return nil }

// nextSpooled gives the next batch of a spool: a stretch of its rows in memory, or copies of those in its file.
func nextSpooled(ec *Context, r *spoolReader, block *rowBlock, b *Batch) error {
	if rows := r.stretch(batchRows); len(rows) > 0 {
		b.Rows = rows
		return ec.canceled()
	}
	return block.fill(ec, r.s.mem.width, r.next, b)
}
