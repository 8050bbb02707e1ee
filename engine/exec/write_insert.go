package exec

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// insertRecipe is what an INSERT has beside its rules.
type insertRecipe struct {
	// supply are the cells of the rows of a VALUES, which are computed straight into the frame; nil for any other source. from are
	// the columns of another source with their targets.
	supply [][]cell
	from   []cell
	// omitted are the ways of leaving columns out, omittedBy the way of each source row; nil for the first way.
	omitted   [][]cell
	omittedBy []int
	upserts   []*upsertRecipe
}

// insert compiles what is particular to INSERT.
func (b *builder) insert(n *plan.Insert, r *changeRecipe) func(o *changeOp) error {
	in := &insertRecipe{omittedBy: n.OmittedBy}
	t := n.Rules.Table
	b.write.inserted = append(b.write.inserted, t)
	if v, ok := n.Source.(*plan.Values); ok {
		c := b.over(nil)
		for _, row := range v.Rows {
			cells := make([]cell, len(n.Columns))
			for i, column := range n.Columns {
				cells[i] = c.cell(t, plan.Computed{Column: column, X: row[i]})
			}
			in.supply = append(in.supply, cells)
		}
	} else {
		r.in = b.node(n.Source)
		for i, c := range n.Source.Output() {
			column := n.Columns[i]
			in.from = append(in.from, cell{column: column, convert: converter(t.Columns[column], c.Type)})
		}
	}
	frame := b.frameOf(n.Rules)
	for _, d := range n.Omitted {
		in.omitted = append(in.omitted, frame.cells(t, d))
	}
	for _, u := range n.Upserts {
		in.upserts = append(in.upserts, b.upsert(n, u))
	}
	r.insert = in
	if r.in == nil {
		return (*changeOp).insertValues
	}
	return (*changeOp).insertRows
}

// insertValues inserts the rows of a VALUES.
func (o *changeOp) insertValues() error {
	for i, cells := range o.insert.supply {
		if err := evalCells(o.ec, cells, nil, o.w.new); err != nil {
			return err
		}
		if err := o.insertRow(i); err != nil {
			return err
		}
		if (i+1)%batchRows == 0 {
			if err := o.pause(); err != nil {
				return err
			}
		}
	}
	return nil
}

// insertRows inserts the rows of a query.
func (o *changeOp) insertRows() error {
	return o.each(func(row types.Row) error {
		for i := range o.insert.from {
			c := &o.insert.from[i]
			v, err := c.convert(row[i])
			if err != nil {
				return err
			}
			o.w.new[c.column] = v
		}
		return o.insertRow(0)
	})
}

// insertRow completes the row whose supplied columns are in the frame, and stores it. i is its place among the rows of a VALUES.
func (o *changeOp) insertRow(i int) error {
	o.ordinal++
	way := 0
	if o.insert.omittedBy != nil {
		way = o.insert.omittedBy[i]
	}
	if err := o.fillOmitted(o.insert.omitted[way]); err != nil {
		return err
	}
	ok, err := o.w.admit()
	if err != nil || !ok {
		return err
	}
	return o.store()
}

// fillOmitted computes the columns that the row leaves out.
func (o *changeOp) fillOmitted(cells []cell) error {
	if len(cells) == 0 {
		return nil
	}
	o.ec.call.Ordinal = o.ordinal
	defer func() { o.ec.call.Ordinal = 0 }()
	return evalCells(o.ec, cells, o.w.row, o.w.new)
}

// store writes the row, or what an upsert makes of it.
func (o *changeOp) store() error {
	if len(o.insert.upserts) == 0 {
		written, err := o.w.write(o.or)
		if err != nil || !written {
			return err
		}
		return o.inserted()
	}
	res, err := o.w.perform(ast.ConflictAbort)
	switch {
	case err != nil:
		return err
	case res.Status == vtab.Conflict:
		return o.upsert(res.Failed)
	}
	if err := o.w.follow(&res); err != nil {
		return err
	}
	return o.inserted()
}

// inserted answers for a row that was stored.
func (o *changeOp) inserted() error {
	if w := o.ec.write; w.settleEach && len(w.pending) > 0 {
		if err := w.act(o.w); err != nil {
			return err
		}
	}
	return o.written()
}

// upsertRecipe is a compiled ON CONFLICT clause.
type upsertRecipe struct {
	*plan.Upsert
	rules *rulesRecipe // of the updated row; nil for DO NOTHING
	set   []cell       // over the stored row and the proposed one behind it
	where Pred
}

func (b *builder) upsert(n *plan.Insert, u *plan.Upsert) *upsertRecipe {
	r := &upsertRecipe{Upsert: u}
	if u.Rules == nil {
		return r
	}
	r.rules = b.rules(u.Rules)
	both := make([]plan.Column, 0, len(u.Rules.Old)+len(n.Rules.New))
	c := b.over(append(append(both, u.Rules.Old...), n.Rules.New...))
	r.set = c.cells(n.Rules.Table, u.Set)
	if u.Where != nil {
		r.where = c.pred(u.Where)
	}
	return r
}

// upsert deals with a uniqueness conflict by the first clause that catches it; without one the violation stands.
func (o *changeOp) upsert(v *vtab.Violation) error {
	for _, u := range o.insert.upserts {
		if !u.catches(o.w.new, v.Existing) {
			continue
		}
		if u.rules == nil {
			return nil
		}
		return o.doUpdate(u, v.Existing)
	}
	written, err := o.w.write(ast.ConflictDefault)
	if err != nil || !written {
		return err
	}
	return o.inserted()
}

// catches reports whether the proposed row equals the stored one under a rule that the clause names.
func (u *upsertRecipe) catches(proposed, stored types.Row) bool {
	if u.Any {
		return true
	}
	for i := range u.Targets {
		if sameUnder(&u.Targets[i], proposed, stored) {
			return true
		}
	}
	return false
}

func sameUnder(t *plan.UpsertTarget, x, y types.Row) bool {
	for i, c := range t.Columns {
		null := x[c].IsNull() || y[c].IsNull()
		switch {
		case null && !t.Nulls, null && x[c].IsNull() != y[c].IsNull():
			return false
		case !null && t.By[i](x[c], y[c]) != 0:
			return false
		}
	}
	return true
}

// doUpdate updates the stored row in place of the proposed one (docs/reference/language.md).
func (o *changeOp) doUpdate(u *upsertRecipe, stored types.Row) error {
	both := append(append(o.both[:0], stored...), o.w.new...)
	o.both = both
	if u.where != nil {
		if ok, err := u.where(o.ec, both); err != nil || !ok {
			return err
		}
	}
	w := &o.ec.write.writer[u.rules.slot]
	copy(w.context(), o.w.context())
	copy(w.old, stored)
	copy(w.new, stored)
	w.lost.reset()
	if err := evalCells(o.ec, u.set, both, w.new); err != nil {
		return err
	}
	if ok, err := w.admit(); err != nil || !ok {
		return err
	}
	written, err := w.write(ast.ConflictDefault)
	if err != nil || !written {
		return err
	}
	if err := o.ec.write.act(nil); err != nil { // a later row may update the same one again
		return err
	}
	copy(o.w.new, w.new) // RETURNING speaks of the row as stored
	return o.written()
}
