package exec

import (
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// refRecipe is a compiled plan.Reference.
type refRecipe struct {
	*plan.Reference
	slot  int
	key   []int             // the child's key
	probe *probeRecipe      // nil without a parent
	keys  *types.KeyEncoder // identifies referring values
	// parentWritten tells that the program itself writes rows of the parent.
	parentWritten bool
}

// refRun is a foreign key seen from its child, within a run. Values of rows written are noted; at the end of the statement those that
// have a parent by then are dropped, and the others wait for commit with the keys of their rows.
//
// A value that has a parent needs no further look: from then on the parent's side guards it. Only a parent that is removed later
// in the transaction while foreign keys are off escapes that, and then nothing is checked by intent.
type refRun struct {
	*refRecipe
	run  *writeRun
	list keyList
	// rows are the keys of the rows that hold the values, of the numbers of.
	rows  rowStore
	of    []int
	found []bool
	ready bool
}

func (r *refRun) prepare() {
	if r.ready {
		return
	}
	r.list.start(r.keys, len(r.Key.Columns))
	r.rows.reset(len(r.key))
	r.of = r.of[:0]
	r.ready = true
}

func (r *refRun) forget() {
	if r.ready {
		r.ready = false
		r.list.clear()
		r.rows.reset(len(r.key))
	}
}

// waiting is the number of rows noted.
func (r *refRun) waiting() int { return len(r.of) }

// exempt reports whether a row refers to nothing: a part of its key is NULL.
func (r *refRecipe) exempt(row types.Row) bool {
	for _, c := range r.Key.Columns {
		if row[c].IsNull() {
			return true
		}
	}
	return false
}

// note takes a written row of the child.
func (r *refRun) note(row types.Row) error {
	if r.exempt(row) {
		return nil
	}
	r.prepare()
	n, _, err := r.list.add(row, r.Key.Columns)
	if err != nil {
		return err
	}
	r.of = append(r.of, n)
	own := r.rows.blank()
	for i, c := range r.key {
		own[i] = r.rows.keep(row[c])
	}
	return nil
}

// settle looks for the parents of the values noted, and queues the rows of those that have none yet.
func (r *refRun) settle() error {
	if !r.ready || len(r.of) == 0 {
		return nil
	}
	if err := r.lookUp(); err != nil {
		return err
	}
	for i, n := range r.of {
		if r.found[n] {
			continue
		}
		if err := r.run.ec.rt.Queue.addReference(r.run.ec, r.refRecipe, r.list.key(n), r.rows.rows[i]); err != nil {
			return err
		}
	}
	r.forget()
	return nil
}

// lookUp finds out which of the values in the list have a parent.
func (r *refRun) lookUp() error {
	missing := r.list.len()
	if cap(r.found) < missing {
		r.found = make([]bool, missing)
	}
	r.found = r.found[:missing]
	clear(r.found)
	if r.probe == nil {
		return nil
	}
	return r.run.probes[r.probe.slot].find(r.run.ec.ctx, &r.run.present, &r.list, func(n int, _ types.Row) (bool, error) {
		if !r.found[n] {
			r.found[n] = true
			missing--
		}
		return missing > 0, nil
	})
}

// check judges a row before it is written; false when it is to be left out. A row may be its own parent.
func (r *refRun) check(row types.Row) (ok bool, err error) {
	if r.exempt(row) {
		return true, nil
	}
	r.forget()
	r.prepare()
	if _, _, err := r.list.add(row, r.Key.Columns); err != nil {
		return false, err
	}
	if r.Parent == r.Child {
		if _, isNew, err := r.list.add(row, r.ParentColumns); err != nil || !isNew {
			return err == nil, err
		}
	}
	if r.probe != nil {
		r.run.probes[r.probe.slot].keeps = !r.parentWritten
	}
	if err := r.lookUp(); err != nil || r.found[0] {
		return err == nil, err
	}
	return false, resolve(r.Action, r.violation())
}

// violation words a value without parent (docs/reference/language.md).
func (r *refRecipe) violation() error {
	if r.Parent == nil {
		schema, name := r.Key.ParentName(r.Child)
		return types.Errorf(types.CONSTRAINT, "FOREIGN KEY constraint failed: %s: referenced table '%s.%s' does not exist", r.Key.Name, schema, name)
	}
	return types.Errorf(types.CONSTRAINT, "FOREIGN KEY constraint failed: %s ('%s' references '%s')", r.Key.Name, r.Child.Name, r.Parent.Name)
}
