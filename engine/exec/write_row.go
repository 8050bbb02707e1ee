package exec

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// rowWriter takes the rows of one table through the rules of one operation, one row after the other in the same memory
// (docs/reference/language.md):
//
//	fill new and old → admit (generated columns, NOT NULL, CHECK) → write (uniqueness, and what follows from the change)
type rowWriter struct {
	*rulesRecipe
	run *writeRun
	// row is the frame: both images and the context variables. new and old are its parts.
	row, new, old types.Row
	spare         []types.Value // substitutes for NULL, by notNull
	opened        vtab.Table    // nil until the first write of a run
	op            vtab.RowOp
	lost          lostRows
}

func newRowWriter(run *writeRun, r *rulesRecipe) rowWriter {
	row := make(types.Row, r.frame)
	w := rowWriter{rulesRecipe: r, run: run, row: row, new: row[:r.width:r.width], old: row[r.width : 2*r.width : 2*r.width]}
	if r.substitutes {
		w.spare = make([]types.Value, len(r.notNull))
	}
	return w
}

// context gives the part of the frame that holds the context variables.
func (w *rowWriter) context() types.Row { return w.row[2*w.width:] }

// forget drops what the last run left.
func (w *rowWriter) forget() {
	clear(w.row)
	w.opened, w.op, w.lost = nil, vtab.RowOp{}, lostRows{}
}

// holds reports whether a stored row of the table is the one just written.
func (w *rowWriter) holds(row types.Row) bool {
	for _, c := range w.key {
		if !identical(row[c], w.new[c]) {
			return false
		}
	}
	return true
}

// admit computes what the row is computed of and checks it; false when the row is to be left out.
func (w *rowWriter) admit() (ok bool, err error) {
	if err := w.generate(); err != nil {
		return false, err
	}
	if ok, err := w.refuseNulls(); !ok {
		return false, err
	}
	for _, c := range w.checks {
		if c.x == nil {
			continue
		}
		if ok, err := w.check(c); !ok {
			return false, err
		}
	}
	for _, r := range w.refs {
		if !r.AtOnce {
			continue
		}
		if ok, err := w.run.refs[r.slot].check(w.new); !ok {
			return false, err
		}
	}
	return true, nil
}

// generate computes the generated columns.
func (w *rowWriter) generate() error { return evalCells(w.run.ec, w.generated, w.row, w.new) }

// refuseNulls finds NULL in NOT NULL columns, after substitutes have taken its place where there are some.
func (w *rowWriter) refuseNulls() (ok bool, err error) {
	if w.substitutes {
		if err := w.substitute(); err != nil {
			return false, err
		}
	}
	for i := range w.notNull {
		n := &w.notNull[i]
		if !w.new[n.column].IsNull() {
			continue
		}
		c := w.table.Columns[n.column]
		return false, resolve(n.action, types.Errorf(types.CONSTRAINT, "NOT NULL constraint failed: %s.%s", w.table.Name, c.Name))
	}
	return true, nil
}

// substitute puts defaults in the place of NULL. They are computed of the row as it was supplied, none of another.
func (w *rowWriter) substitute() error {
	any := false
	for i := range w.notNull {
		n := &w.notNull[i]
		w.spare[i] = types.Null
		if n.substitute == nil || !w.new[n.column].IsNull() {
			continue
		}
		v, err := n.substitute.eval(w.run.ec, w.row)
		if err != nil {
			return err
		}
		w.spare[i] = v
		any = any || !v.IsNull()
	}
	if !any {
		return nil
	}
	for i := range w.notNull {
		if v := w.spare[i]; !v.IsNull() {
			w.new[w.notNull[i].column] = v
		}
	}
	return w.generate() // generated columns may read them
}

// check evaluates a CHECK.
func (w *rowWriter) check(c *checkRecipe) (ok bool, err error) {
	v, err := c.x(w.run.ec, w.row)
	if err != nil {
		return false, err
	}
	if !catalog.CheckFails(v) {
		return true, nil
	}
	return false, resolve(c.action, c.violation())
}

func (c *checkRecipe) violation() error {
	return &types.Error{Code: types.CONSTRAINT, Message: c.message}
}

// write performs the operation and notes what follows from it; false when the row was left out.
func (w *rowWriter) write(or ast.ConflictAction) (written bool, err error) {
	res, err := w.perform(or)
	if err != nil || res.Status == vtab.Nothing {
		return false, err
	}
	if res.Status == vtab.Conflict {
		return false, resolve(res.Failed.Action, &types.Error{Code: types.CONSTRAINT, Message: res.Failed.Message})
	}
	return true, w.follow(&res)
}

// perform hands the row operation to the table.
func (w *rowWriter) perform(or ast.ConflictAction) (vtab.UpdateResult, error) {
	if w.opened == nil {
		t, err := w.run.open(w.table)
		if err != nil {
			return vtab.UpdateResult{}, err
		}
		w.opened = t
	}
	w.op.OnConflict = or
	switch w.rulesRecipe.op {
	case ast.OnInsert:
		w.op.Kind, w.op.New = vtab.OpInsert, w.new
	case ast.OnUpdate:
		w.op.Kind, w.op.New, w.op.Old = vtab.OpUpdate, w.new, w.old
	default:
		w.op.Kind, w.op.Old = vtab.OpDelete, w.old
	}
	return w.opened.Update(w.run.ec.ctx, &w.op)
}

// follow notes what the written row leads to: rows that REPLACE removed, checks that wait for commit, foreign keys of both sides.
func (w *rowWriter) follow(res *vtab.UpdateResult) error {
	if err := w.evicted(res); err != nil {
		return err
	}
	for _, c := range w.checks {
		if c.program != nil {
			if err := w.run.ec.rt.Queue.addCheck(w.run.ec, c, w.row); err != nil {
				return err
			}
		}
	}
	for _, r := range w.refs {
		if r.AtOnce {
			continue
		}
		if err := w.run.refs[r.slot].note(w.new); err != nil {
			return err
		}
	}
	for _, a := range w.changed {
		if err := w.run.acts[a.slot].changed(w.old, w.new); err != nil {
			return err
		}
	}
	if w.rulesRecipe.op != ast.OnDelete {
		return nil
	}
	for _, a := range w.gone {
		if err := w.run.acts[a.slot].gone(w.old); err != nil {
			return err
		}
	}
	return nil
}
