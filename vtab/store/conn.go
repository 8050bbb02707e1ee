package store

import (
	"context"
	"encoding/binary"
	"slices"
	"sync/atomic"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// Conn is the part of one transaction that lies in one module. It implements vtab.Conn.
type Conn struct {
	m    *Module
	db   vtab.DB
	snap *snapshot
	txn  *kv.Txn

	// writing is set once the Conn is the module's writer.
	writing bool
	state   connState
	views   atomic.Int64
	counts  countDeltas
	// counted are the incarnations whose row counts the transaction wrote.
	counted  []catalog.Incarnation
	marks    []savepoint // by depth
	stmtFrom countDeltas // the counts at BeginStatement
	own      ownRanges
	commit   pendingCommit
}

// connState is where a Conn stands in its life.
type connState uint8

const (
	connOpen connState = iota
	connPrepared
	connEnded
)

// savepoint is what Conn keeps of a savepoint beside the transaction's own mark.
type savepoint struct {
	mark   kv.Mark
	counts countDeltas
}

// Begin implements vtab.Transactor.
func (m *Module) Begin(_ context.Context, db vtab.DB, p vtab.Pin) (vtab.Conn, error) {
	own, err := m.pinOf(p)
	if err != nil {
		return nil, err
	}
	if own.view != nil || own.closed.Swap(true) {
		return nil, types.Errorf(types.MISUSE, "module %s: a transaction begins from a committed state", m.name)
	}
	txn := kv.NewTxn(m.store, own.snap, kv.TxnOptions{MemoryBudget: db.MemoryBudget(), BulkCommit: m.options.BulkCommit})
	return &Conn{m: m, db: db, snap: own.snap, txn: txn}, nil
}

// connOf gives our own form of a Conn, which must be one of this module.
func (m *Module) connOf(c vtab.Conn) (*Conn, error) {
	own, ok := c.(*Conn)
	if !ok || own.m != m {
		return nil, types.Errorf(types.INTERNAL, "module %s was handed a transaction of another module", m.name)
	}
	return own, nil
}

// writable gives the transaction for writing. The first call makes the Conn the module's writer: BUSY when another one is, or when a commit
// landed since the snapshot.
func (c *Conn) writable(context.Context) (*kv.Txn, error) {
	if c.state != connOpen {
		return nil, types.Errorf(types.MISUSE, "module %s: the transaction has ended", c.m.name)
	}
	if c.writing {
		return c.txn, nil
	}
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	if c.m.writer != nil {
		return nil, types.Errorf(types.BUSY, "module %s: another transaction is writing", c.m.name)
	}
	if c.snap.seq != c.m.seq {
		return nil, types.Errorf(types.BUSY, "module %s: another transaction committed since this one began", c.m.name)
	}
	c.m.writer, c.writing = c, true
	return c.txn, nil
}

// View implements vtab.Conn.
func (c *Conn) View() (vtab.Pin, error) {
	if c.state != connOpen {
		return nil, types.Errorf(types.MISUSE, "module %s: the transaction has ended", c.m.name)
	}
	p := &pin{m: c.m, snap: c.snap, conn: c}
	if c.writing {
		if err := c.flushCounts(); err != nil {
			return nil, err
		}
		view, err := c.txn.View()
		if err != nil {
			return nil, err
		}
		p.view = view
	}
	c.views.Add(1)
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	c.m.retain(c.snap)
	return p, nil
}

// BeginStatement implements vtab.Conn.
func (c *Conn) BeginStatement(ctx context.Context) error {
	c.stmtFrom = slices.Clone(c.counts)
	return c.txn.BeginStatement(ctx)
}

// UndoStatement implements vtab.Conn.
func (c *Conn) UndoStatement() error {
	if err := c.txn.UndoStatement(); err != nil {
		return err
	}
	c.counts, c.stmtFrom = c.stmtFrom, nil
	return nil
}

// EndStatement implements vtab.Conn.
func (c *Conn) EndStatement() error {
	c.stmtFrom = nil
	return c.txn.EndStatement()
}

// Savepoint implements vtab.Conn.
func (c *Conn) Savepoint(ctx context.Context, depth int) error {
	if depth != len(c.marks) {
		return types.Errorf(types.MISUSE, "module %s: savepoint %d pushed onto %d", c.m.name, depth, len(c.marks))
	}
	mark, err := c.txn.Savepoint(ctx)
	if err != nil {
		return err
	}
	c.marks = append(c.marks, savepoint{mark, slices.Clone(c.counts)})
	return nil
}

// Release implements vtab.Conn.
func (c *Conn) Release(depth int) error {
	if err := c.checkDepth(depth); err != nil {
		return err
	}
	if err := c.txn.Release(c.marks[depth].mark); err != nil {
		return err
	}
	c.marks = c.marks[:depth]
	return nil
}

// RollbackTo implements vtab.Conn. Incarnations taken since stay taken; nothing names them any more, so they go when the
// transaction ends.
func (c *Conn) RollbackTo(depth int) error {
	if err := c.checkDepth(depth); err != nil {
		return err
	}
	if err := c.txn.RollbackTo(c.marks[depth].mark); err != nil {
		return err
	}
	c.counts = slices.Clone(c.marks[depth].counts)
	c.marks = c.marks[:depth+1]
	return nil
}

func (c *Conn) checkDepth(depth int) error {
	if depth < 0 || depth >= len(c.marks) {
		return types.Errorf(types.MISUSE, "module %s: no savepoint %d", c.m.name, depth)
	}
	return nil
}

// countDeltas are changes of row counts that are not in the transaction yet: few entries, the last one the most used.
type countDeltas []countDelta

type countDelta struct {
	inc catalog.Incarnation
	n   int64
}

// count notes that an incarnation has n rows more.
func (c *Conn) count(inc catalog.Incarnation, n int64) {
	for i := len(c.counts) - 1; i >= 0; i-- {
		if c.counts[i].inc == inc {
			c.counts[i].n += n
			return
		}
	}
	c.counts = append(c.counts, countDelta{inc, n})
}

// flushCounts writes the row counts into the transaction, where views see them and savepoints restore them.
func (c *Conn) flushCounts() error {
	for _, d := range c.counts {
		if d.n == 0 {
			continue
		}
		n, err := readCount(c.txn, d.inc)
		if err != nil {
			return err
		}
		if err := c.setCount(d.inc, n+d.n); err != nil {
			return err
		}
	}
	c.counts = nil
	return nil
}

func (c *Conn) setCount(inc catalog.Incarnation, n int64) error {
	if c.own.has(inc) {
		c.m.setCount(inc, n)
	}
	if !slices.Contains(c.counted, inc) {
		c.counted = append(c.counted, inc)
	}
	return c.txn.Set(incarnationKey(spaceCounts, inc), binary.AppendUvarint(nil, uint64(max(n, 0))))
}
