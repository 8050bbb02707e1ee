package exec

import (
	"bytes"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
)

// actionRecipe is a compiled plan.Action.
type actionRecipe struct {
	*plan.Action
	slot  int
	probe *probeRecipe
	rules *rulesRecipe // of the child's rows; nil for RESTRICT
	set   []cell
	// childWritten tells that the program itself writes rows of the child, so that a lookup is only final at the end.
	childWritten bool
}

// actionRun is a foreign key seen from its parent, within a run: the referenced values that were given up so far, and what becomes of
// the rows that hold them.
//
// Actions are carried out when the rows of the change that led to them are written, for all of them together: a child without an
// index on its key is scanned once, not once for each row of the parent. Where the rows to come could take up a value that was given
// up, or give one up that was taken, those so far are dealt with before (writeRun.act).
type actionRun struct {
	*actionRecipe
	run *writeRun
	// keys are the values given up and not dealt with yet; next are the values that the parent has now, by number, for CASCADE of an
	// update. busy and busyNext are those being dealt with.
	keys, busy     keyList
	next, busyNext rowStore
	// left are values that rows of the child still hold because a conflict action left the rows alone: nothing may hold them at the end.
	left keyList
	buf  []byte
	// ready is set once the lists are.
	ready bool
}

// dueKeys is the number of values that are noted before they are dealt with ahead of time.
const dueKeys = 1 << 16

func (a *actionRun) prepare() {
	if a.ready {
		return
	}
	n := len(a.ParentColumns)
	a.keys.start(a.probe.keys, n)
	a.busy.start(a.probe.keys, n)
	a.left.start(a.probe.keys, n)
	a.next.reset(n)
	a.busyNext.reset(n)
	a.ready = true
}

func (a *actionRun) forget() {
	if !a.ready {
		return
	}
	a.ready = false
	for _, l := range []*keyList{&a.keys, &a.busy, &a.left} {
		l.clear()
	}
	a.next.reset(len(a.ParentColumns))
	a.busyNext.reset(len(a.ParentColumns))
}

// changed notes an update of a row of the parent, if it changes a referenced value. What counts is the value as stored, not as it
// compares.
func (a *actionRun) changed(old, now types.Row) error {
	same := true
	for _, c := range a.ParentColumns {
		same = same && identical(old[c], now[c])
	}
	if same {
		return nil
	}
	isNew, err := a.note(old)
	if err != nil || !isNew || a.Do != ast.FKCascade {
		return err
	}
	next := a.next.blank()
	for i, c := range a.ParentColumns {
		next[i] = a.next.keep(now[c])
	}
	return nil
}

// gone notes the removal of a row of the parent.
func (a *actionRun) gone(old types.Row) error {
	_, err := a.note(old)
	return err
}

// note takes the referenced values of a row as given up. Values with NULL among them are never referred to.
func (a *actionRun) note(row types.Row) (isNew bool, err error) {
	for _, c := range a.ParentColumns {
		if row[c].IsNull() {
			return false, nil
		}
	}
	a.prepare()
	_, isNew, err = a.keys.add(row, a.ParentColumns)
	if err == nil && a.keys.len() == 1 && isNew && a.Do != ast.FKRestrict {
		a.run.pending = append(a.run.pending, a)
	}
	return isNew, err
}

// identical reports whether two values are stored alike.
func identical(x, y types.Value) bool {
	return x.Kind() == y.Kind() && types.Equal(x, y, types.Binary)
}

// sameKey reports whether two rows of the parent are referred to by the same values.
func (a *actionRun) sameKey(x, y types.Row) (bool, error) {
	return a.equalKeys(a.parentKey(x), a.parentKey(y))
}

// parentKey gives the values by which a row of the parent is referred to.
func (a *actionRun) parentKey(row types.Row) types.Row {
	key := make(types.Row, len(a.ParentColumns))
	for i, c := range a.ParentColumns {
		key[i] = row[c]
	}
	return key
}

func (a *actionRun) equalKeys(x, y types.Row) (bool, error) {
	var err error
	if a.buf, err = a.probe.keys.Append(a.buf[:0], x...); err != nil {
		return false, err
	}
	n := len(a.buf)
	if a.buf, err = a.probe.keys.Append(a.buf, y...); err != nil {
		return false, err
	}
	return bytes.Equal(a.buf[:n], a.buf[n:]), nil
}

// act carries out the actions that are due, those that they lead to included. inserted is the row of an INSERT that led to them, nil for
// others: a row that took the place of its own parent is its own parent, and loses none.
func (r *writeRun) act(inserted *rowWriter) error {
	r.acting = true
	defer func() { r.acting = false }()
	for round := 0; len(r.pending) > 0; round++ {
		if limits := r.ec.rt.Memory.Limits(); int64(round) == limits.Of(limit.CascadeDepth) {
			return limits.Exceeded(limit.CascadeDepth, "Foreign key cascade cycle detected: %s", r.pending[0].Key.Name)
		}
		if err := r.ec.canceled(); err != nil {
			return err
		}
		a := r.pending[0]
		r.pending = r.pending[:copy(r.pending, r.pending[1:])]
		if err := a.carryOut(inserted); err != nil {
			return unlessFail(err)
		}
	}
	return nil
}

// due deals ahead of time with values that have been noted, when they are many and waiting would change nothing: under RESTRICT
// when the statement does not write the child, whose rows then hold the values at the end if they do now.
func (r *writeRun) due() error {
	for i := range r.acts {
		a := &r.acts[i]
		if a.keys.len() < dueKeys || a.childWritten || a.Do != ast.FKRestrict {
			continue
		}
		if err := a.restrict(); err != nil {
			return err
		}
		a.keys.clear()
	}
	for i := range r.refs {
		if r.refs[i].waiting() >= dueKeys {
			if err := r.refs[i].settle(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *actionRun) find(keys *keyList, f func(n int, row types.Row) (bool, error)) error {
	return a.run.probes[a.probe.slot].find(a.run.ec.ctx, &a.run.present, keys, f)
}

// carryOut applies the action to the rows of the child that hold the values noted.
func (a *actionRun) carryOut(inserted *rowWriter) error {
	a.keys, a.busy = a.busy, a.keys
	a.next, a.busyNext = a.busyNext, a.next
	w := &a.run.writer[a.rules.slot]
	w.lost.reset()
	err := a.find(&a.busy, func(n int, row types.Row) (bool, error) {
		if own, err := a.ownParent(inserted, n, row); own || err != nil {
			return true, err
		}
		written, err := a.apply(w, n, row)
		if err == nil && !written {
			err = a.left.addKey(a.busy.key(n))
		}
		return true, unlessFail(err)
	})
	a.busy.clear()
	a.busyNext.reset(len(a.ParentColumns))
	return err
}

// ownParent reports whether a row that holds the n-th value is the one just inserted and has that value as a parent itself.
func (a *actionRun) ownParent(inserted *rowWriter, n int, row types.Row) (bool, error) {
	if inserted == nil || inserted.table != a.Child || a.Child != a.Parent || !inserted.holds(row) {
		return false, nil
	}
	return a.equalKeys(a.busy.key(n), a.parentKey(inserted.new))
}

// apply removes or writes one row of the child; false when a conflict action left it alone.
func (a *actionRun) apply(w *rowWriter, n int, row types.Row) (written bool, err error) {
	copy(w.old, row)
	if lost, err := w.lost.has(row); lost || err != nil {
		return true, err
	}
	if a.rules.op != ast.OnDelete {
		if err := a.compose(w, n); err != nil {
			return false, err
		}
	}
	if ok, err := w.admit(); !ok {
		return false, err
	}
	return w.write(ast.ConflictDefault)
}

// compose makes the new row of the child.
func (a *actionRun) compose(w *rowWriter, n int) error {
	copy(w.new, w.old)
	for i := range a.set {
		c := &a.set[i]
		var err error
		if a.Do == ast.FKCascade {
			w.new[c.column], err = c.convert(a.busyNext.rows[n][i])
		} else {
			w.new[c.column], err = c.eval(a.run.ec, w.row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// restrict fails if rows of the child hold values that may be held no more.
func (a *actionRun) restrict() error {
	if !a.ready {
		return nil
	}
	for _, l := range []*keyList{&a.keys, &a.left} {
		if l.len() == 0 {
			continue
		}
		held := false
		err := a.find(l, func(int, types.Row) (bool, error) {
			held = true
			return false, nil
		})
		if err != nil {
			return err
		}
		if held {
			return a.violation()
		}
	}
	return nil
}

func (a *actionRun) violation() error {
	verb := "DELETE"
	if a.Op == ast.OnUpdate {
		verb = "UPDATE"
	}
	return types.Errorf(types.CONSTRAINT, "FOREIGN KEY constraint failed: %s on '%s' violates RESTRICT from '%s' (%s)",
		verb, a.Parent.Name, a.Child.Name, a.Key.Name)
}
