package store

import (
	"bytes"
	"context"
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// writer carries out the row operations of one opened table. It checks every uniqueness rule before it writes anything, so an
// operation that ends in a conflict leaves nothing to undo. What the operation replaces or removes is the row as it is stored
// now, which an earlier part of the statement may have changed since it was read.
type writer struct {
	shape *shape
	spec  *vtab.TableSpec
	conn  *Conn
	txn   *kv.Txn
	all   *decoder

	// Buffers that live from one operation to the next: keys with the prefix of the primary key, the stored form of the new row, its
	// entries, and the entries of the row that it replaces, one a structure of shape.others.
	key, oldKey []byte
	row         []byte
	fresh       []entry
	stale       []entry
	value       []byte
	old         types.Row
	arena       types.Arena
	conflicts   []conflict
}

// Update implements vtab.Table.
func (t *table) Update(ctx context.Context, op *vtab.RowOp) (vtab.UpdateResult, error) {
	w, err := t.writer(ctx)
	if err != nil {
		return vtab.UpdateResult{}, err
	}
	var r vtab.UpdateResult
	switch op.Kind {
	case vtab.OpInsert:
		r, err = w.insert(op)
	case vtab.OpUpdate:
		r, err = w.update(op)
	default:
		r, err = w.delete(op)
	}
	if err != nil {
		return r, types.Wrapf(types.IOERR, err, "table %s", t.shape.table.Name)
	}
	return r, nil
}

func (w *writer) insert(op *vtab.RowOp) (vtab.UpdateResult, error) {
	var r vtab.UpdateResult
	if err := w.prepare(op.New); err != nil {
		return r, err
	}
	for i := range w.stale {
		w.stale[i].present = false
	}
	clear, err := w.claim()
	if err != nil {
		return r, err
	}
	if !clear {
		if err := w.findConflicts(true); err != nil {
			return r, err
		}
		if stop, err := w.resolve(op, &r); stop || err != nil {
			return r, err
		}
		if err := w.txn.Set(w.key, w.row); err != nil {
			return r, err
		}
	}
	w.conn.count(w.shape.primary.inc, 1)
	return r, w.putEntries()
}

// claim writes the new row and its exclusive entries as long as nothing is under their keys: one look at each key serves the rule and the
// write. When something is, it takes back what it wrote and gives false.
func (w *writer) claim() (clear bool, err error) {
	existed, err := w.txn.Insert(w.key, w.row)
	if existed || err != nil {
		return false, err
	}
	for i, s := range w.shape.others {
		e := &w.fresh[i]
		if !e.exclusive(s) {
			continue
		}
		if existed, err = w.txn.Insert(e.key, e.value); err != nil {
			return false, err
		}
		if existed {
			return false, w.unclaim(i)
		}
		e.written = true
	}
	return true, nil
}

// unclaim takes back the row and the exclusive entries before the one at end.
func (w *writer) unclaim(end int) error {
	for i := range end {
		e := &w.fresh[i]
		if !e.written {
			continue
		}
		e.written = false
		if err := w.txn.Delete(e.key); err != nil {
			return err
		}
	}
	return w.txn.Delete(w.key)
}

func (w *writer) update(op *vtab.RowOp) (vtab.UpdateResult, error) {
	var r vtab.UpdateResult
	if found, err := w.load(op.Old); err != nil || !found {
		r.Status = vtab.Nothing
		return r, err
	}
	if err := w.prepare(op.New); err != nil {
		return r, err
	}
	moved := !bytes.Equal(w.key, w.oldKey)
	if moved || w.shape.hasRules {
		if err := w.findConflicts(moved); err != nil {
			return r, err
		}
	}
	if len(w.conflicts) > 0 {
		if stop, err := w.resolve(op, &r); stop || err != nil {
			return r, err
		}
	}
	if moved {
		if err := w.txn.Delete(w.oldKey); err != nil {
			return r, err
		}
	}
	if err := w.txn.Set(w.key, w.row); err != nil {
		return r, err
	}
	return r, w.putEntries()
}

func (w *writer) delete(op *vtab.RowOp) (vtab.UpdateResult, error) {
	found, err := w.load(op.Old)
	if err != nil || !found {
		return vtab.UpdateResult{Status: vtab.Nothing}, err
	}
	return vtab.UpdateResult{}, w.remove(w.oldKey, w.stale)
}

// prepare computes the key, the stored form and the entries of a new row.
func (w *writer) prepare(row types.Row) (err error) {
	p := w.shape.primary
	w.conflicts = w.conflicts[:0]
	if w.key, err = p.appendPrimaryKey(append(w.key[:0], p.prefix...), row); err != nil {
		return err
	}
	w.row = w.shape.rows.appendRow(w.row[:0], row)
	return w.compute(w.fresh, row, w.key[len(p.prefix):])
}

func (w *writer) compute(entries []entry, row types.Row, pk []byte) error {
	for i, s := range w.shape.others {
		if err := s.compute(&entries[i], row, pk, w.spec); err != nil {
			return err
		}
	}
	return nil
}

// load finds the row that is stored under the key of old, and computes its entries.
func (w *writer) load(old types.Row) (found bool, err error) {
	p := w.shape.primary
	if w.oldKey, err = p.appendPrimaryKey(append(w.oldKey[:0], p.prefix...), old); err != nil {
		return false, err
	}
	if w.value, found, err = w.txn.GetRising(w.oldKey, w.value[:0]); err != nil || !found || len(w.stale) == 0 {
		return found, err
	}
	w.arena.Reset()
	if err := w.all.decode(w.old, w.value, &w.arena); err != nil {
		return false, err
	}
	return true, w.compute(w.stale, w.old, w.oldKey[len(p.prefix):])
}

// findConflicts lists the stored rows in the way of the new one: at its key, if that is new to it, then under each rule in order.
func (w *writer) findConflicts(newKey bool) error {
	p := w.shape.primary
	if newKey {
		var found bool
		var err error
		if w.value, found, err = w.txn.Get(w.key, w.value[:0]); err != nil {
			return err
		}
		if found {
			w.conflicts = append(w.conflicts, conflict{p, bytes.Clone(w.key)})
		}
	}
	for i, s := range w.shape.others {
		fresh, stale := &w.fresh[i], &w.stale[i]
		if !fresh.exclusive(s) || stale.exclusive(s) && bytes.Equal(fresh.key, stale.key) {
			continue
		}
		var found bool
		var err error
		if w.value, found, err = w.txn.Get(fresh.key, w.value[:0]); err != nil {
			return err
		}
		if !found {
			continue
		}
		w.conflicts = append(w.conflicts, conflict{s, append(bytes.Clone(p.prefix), w.value...)})
	}
	return nil
}

// resolve carries out the actions of the conflicts. stop tells that the row is not to be written; else what was in its way is gone.
func (w *writer) resolve(op *vtab.RowOp, r *vtab.UpdateResult) (stop bool, err error) {
	for i := range w.conflicts {
		c := &w.conflicts[i]
		switch action := c.action(op.OnConflict); action {
		case ast.ConflictReplace:
		case ast.ConflictIgnore:
			r.Status = vtab.Nothing
			return true, nil
		default:
			r.Status = vtab.Conflict
			existing, err := w.read(c.key)
			r.Failed = c.s.violation(w.shape.table, action, existing)
			return true, err
		}
	}
	return false, w.evict(r)
}

// evict removes the rows in the way and reports them.
func (w *writer) evict(r *vtab.UpdateResult) error {
	entries := make([]entry, len(w.shape.others))
	for i := range w.conflicts {
		key := w.conflicts[i].key
		if slices.ContainsFunc(w.conflicts[:i], func(o conflict) bool { return bytes.Equal(o.key, key) }) {
			continue
		}
		row, err := w.read(key)
		if err != nil {
			return err
		}
		if err := w.compute(entries, row, key[len(w.shape.primary.prefix):]); err != nil {
			return err
		}
		if err := w.remove(key, entries); err != nil {
			return err
		}
		if bytes.Equal(key, w.key) {
			r.Replaced = row
		} else {
			r.Evicted = append(r.Evicted, row)
		}
	}
	return nil
}

// read gives a stored row in memory of its own.
func (w *writer) read(key []byte) (types.Row, error) {
	value, found, err := w.txn.Get(key, nil)
	if err != nil || !found {
		return nil, lostRow(err, key)
	}
	row := make(types.Row, w.shape.rows.width)
	return row, w.all.decode(row, value, new(types.Arena))
}

// remove deletes a row with its entries.
func (w *writer) remove(key []byte, entries []entry) error {
	if err := w.txn.Delete(key); err != nil {
		return err
	}
	w.conn.count(w.shape.primary.inc, -1)
	for i := range entries {
		if e := &entries[i]; e.present {
			if err := w.txn.Delete(e.key); err != nil {
				return err
			}
		}
	}
	return nil
}

// putEntries turns the stale entries into the fresh ones. What is the same already stays.
func (w *writer) putEntries() error {
	for i := range w.fresh {
		fresh, stale := &w.fresh[i], &w.stale[i]
		same := fresh.present && stale.present && bytes.Equal(fresh.key, stale.key)
		if stale.present && !same {
			if err := w.txn.Delete(stale.key); err != nil {
				return err
			}
		}
		if fresh.present && !fresh.written && !(same && bytes.Equal(fresh.value, stale.value)) {
			if err := w.txn.Set(fresh.key, fresh.value); err != nil {
				return err
			}
		}
	}
	return nil
}
