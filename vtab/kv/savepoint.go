package kv

import (
	"context"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv/internal/memtree"
)

// Mark names a savepoint of one transaction.
type Mark struct{ m *mark }

// mark is the overlay at a savepoint.
type mark struct {
	state layers // pinned
	epoch uint64 // of the tree: trees of one epoch share their records
}

// Savepoint marks the present state, in O(1) for most; a big overlay in memory goes to disk first, so that savepoints hold no more
// memory than half of the budget. It must lie between statements.
func (t *Txn) Savepoint(ctx context.Context) (Mark, error) {
	if err := t.betweenStatements(); err != nil {
		return Mark{}, err
	}
	if t.over.crowded() {
		if err := t.spill(ctx); err != nil {
			return Mark{}, err
		}
	}
	m := &mark{state: t.over.now.pin(), epoch: t.over.epoch}
	t.marks = append(t.marks, m)
	return Mark{m}, nil
}

// RollbackTo makes the state of the mark the present one. The mark stays, later ones are gone.
func (t *Txn) RollbackTo(to Mark) error {
	i, err := t.indexOf(to)
	if err != nil {
		return err
	}
	t.dropMarks(i + 1)
	t.over.replace(to.m.state.pin(), to.m.epoch)
	t.weighMarks()
	return nil
}

// Release forgets the mark and later ones; the present state stays.
func (t *Txn) Release(at Mark) error {
	i, err := t.indexOf(at)
	if err != nil {
		return err
	}
	t.dropMarks(i)
	t.weighMarks()
	return nil
}

func (t *Txn) betweenStatements() error {
	if t.ended {
		return errTxnDone()
	}
	if t.stmt.active {
		return types.Errorf(types.MISUSE, "a statement of the transaction is active")
	}
	return nil
}

func (t *Txn) indexOf(at Mark) (int, error) {
	if err := t.betweenStatements(); err != nil {
		return 0, err
	}
	for i, m := range t.marks {
		if m == at.m {
			return i, nil
		}
	}
	return 0, types.Errorf(types.MISUSE, "the savepoint is not one of this transaction, or is gone")
}

func (t *Txn) dropMarks(from int) {
	for i, m := range t.marks[from:] {
		m.state.release()
		t.marks[from+i] = nil
	}
	t.marks = t.marks[:from]
}

// weighMarks counts the memory that marks hold beside the present tree.
func (t *Txn) weighMarks() {
	t.over.held = 0
	for i, m := range t.marks {
		// Marks of one epoch lie together, the last one with the most records.
		if m.epoch != t.over.epoch && (i+1 == len(t.marks) || t.marks[i+1].epoch != m.epoch) {
			t.over.held += m.state.tree.bytes
		}
	}
}

// spill writes the tree to a run, after a statement's undo list has become a state of its own.
func (t *Txn) spill(ctx context.Context) error {
	t.foldUndo()
	if err := t.over.spill(ctx); err != nil {
		return err
	}
	t.weighMarks()
	return nil
}

// statement is the implicit savepoint of a statement: what undoes its writes, newest last. When the list grows long it is
// folded into the state before the statement.
type statement struct {
	active bool
	ctx    context.Context
	undo   []undoRecord
	before *mark // in place of undo, when not nil
}

// undoRecord is what the tree had under a key before a write.
type undoRecord struct {
	prev    memtree.Record // with existed false the new record, of which only the key counts
	existed bool
}

// maxUndo is the length at which an undo list becomes a state: it takes a megabyte or two by then, and playing it back costs as much as
// the writes did.
const maxUndo = 32 << 10

func (s *statement) context() context.Context {
	if s.ctx == nil {
		return context.Background()
	}
	return s.ctx
}

func (s *statement) drop() {
	if s.before != nil {
		s.before.state.release()
	}
	*s = statement{undo: s.undo[:0]}
}

// BeginStatement begins to record what undoes the writes from here on. ctx is looked at when they spill to disk.
// Statements do not nest.
func (t *Txn) BeginStatement(ctx context.Context) error {
	if err := t.betweenStatements(); err != nil {
		return err
	}
	t.stmt.active, t.stmt.ctx = true, ctx
	return nil
}

// EndStatement keeps the writes since BeginStatement.
func (t *Txn) EndStatement() error {
	if err := t.inStatement(); err != nil {
		return err
	}
	t.stmt.drop()
	return nil
}

// UndoStatement takes back the writes since BeginStatement and ends the statement.
func (t *Txn) UndoStatement() error {
	if err := t.inStatement(); err != nil {
		return err
	}
	if m := t.stmt.before; m != nil {
		t.over.replace(m.state.pin(), m.epoch)
		t.weighMarks()
	} else if len(t.stmt.undo) > 0 {
		playBack(t.over.writable(), t.stmt.undo)
	}
	t.stmt.drop()
	return nil
}

func (t *Txn) inStatement() error {
	if t.ended {
		return errTxnDone()
	}
	if !t.stmt.active {
		return types.Errorf(types.MISUSE, "no statement of the transaction is active")
	}
	return nil
}

// noteUndo records what undoes a write.
func (t *Txn) noteUndo(u undoRecord) {
	if !t.stmt.active || t.stmt.before != nil {
		return
	}
	t.stmt.undo = append(t.stmt.undo, u)
	if len(t.stmt.undo) > maxUndo {
		t.foldUndo()
	}
}

// foldUndo turns the undo list into the state before the statement.
func (t *Txn) foldUndo() {
	if !t.stmt.active || t.stmt.before != nil {
		return
	}
	state := layers{tree: &sharedTree{Tree: t.over.now.tree.Copy(), bytes: t.over.now.tree.bytes}, runs: t.over.now.runs}
	playBack(state.tree, t.stmt.undo)
	t.stmt.before = &mark{state: state.pin(), epoch: t.over.epoch}
	t.stmt.undo = t.stmt.undo[:0]
}

// playBack undoes a list of writes, the last one first.
func playBack(t *sharedTree, list []undoRecord) {
	for i := len(list) - 1; i >= 0; i-- {
		if u := list[i]; u.existed {
			t.Set(u.prev)
		} else {
			t.Delete(u.prev.Key())
		}
	}
}
