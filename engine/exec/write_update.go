package exec

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// updateRecipe is what an UPDATE has beside its rules.
type updateRecipe struct {
	// old are the positions of the target's columns in a row of the source.
	old []int
	set []cell // over the row of the source
	// present finds the rows as they are now; nil when nothing else in the statement writes them.
	present *probeRecipe
	key     []int
}

// update compiles what is particular to UPDATE.
func (b *builder) update(n *plan.Update, r *changeRecipe) func(o *changeOp) error {
	b.write.updated = append(b.write.updated, n.Rules.Table)
	r.in = b.node(n.Source)
	r.update = &updateRecipe{
		old: positions(n.Source.Output(), n.Rules.Old), key: n.Rules.Table.KeyColumns(),
		set: b.over(n.Source.Output()).cells(n.Rules.Table, n.Set),
	}
	if n.Present == nil {
		return (*changeOp).updateRows
	}
	r.update.present = b.probe(n.Present)
	return (*changeOp).updatePresentRows
}

// delete compiles what is particular to DELETE.
func (b *builder) delete(n *plan.Delete, r *changeRecipe) func(o *changeOp) error {
	r.in = b.node(n.Source)
	r.update = &updateRecipe{old: positions(n.Source.Output(), n.Rules.Old)}
	if b.emptiesTable(n) {
		return (*changeOp).deleteAll
	}
	return (*changeOp).deleteRows
}

// emptiesTable reports whether a DELETE takes all rows of its table, is all that its statement does, and nothing needs to see the rows:
// no RETURNING, no CHECK of deletions, no foreign key that refers to them.
func (b *builder) emptiesTable(n *plan.Delete) bool {
	s, ok := n.Source.(*plan.Scan)
	all := ok && s.Table == n.Rules.Table && len(s.Filters) == 0 && s.Top == nil
	return all && b.plan.Root == plan.Node(n) && len(n.Returning)+len(n.Rules.Checks)+len(n.Rules.Gone) == 0
}

// positions gives the places of columns in a row.
func positions(row, cols []plan.Column) []int {
	at := make([]int, len(cols))
	for i, c := range cols {
		at[i] = position(row, c.ID)
	}
	return at
}

// updateRows writes the rows of the source with the columns of SET changed.
func (o *changeOp) updateRows() error {
	return o.each(func(row types.Row) error {
		for i, at := range o.update.old {
			o.w.old[i] = row[at]
		}
		return o.updateRow(row)
	})
}

// updateRow writes the row whose old image is in the frame.
func (o *changeOp) updateRow(source types.Row) error {
	w := o.w
	if lost, err := w.lost.has(w.old); lost || err != nil {
		return err
	}
	copy(w.new, w.old)
	if err := evalCells(o.ec, o.update.set, source, w.new); err != nil {
		return err
	}
	if ok, err := w.admit(); err != nil || !ok {
		return err
	}
	return o.writeRow()
}

// writeRow performs the operation on the row in the frame and answers for it.
func (o *changeOp) writeRow() error {
	written, err := o.w.write(ast.ConflictDefault)
	if err != nil || !written {
		return err
	}
	return o.written()
}

// updatePresentRows is updateRows where other parts of the statement may have written the rows since: SET reads them as they were,
// other columns keep what is in them now. Rows that are gone stay gone.
func (o *changeOp) updatePresentRows() error {
	var keys keyList
	var present rowStore
	var numbers []int
	old := make(types.Row, len(o.update.old))
	return o.batches(func(rows []types.Row) error {
		keys.start(o.update.present.keys, len(o.update.key))
		present.reset(len(old))
		numbers = numbers[:0]
		for _, row := range rows {
			for i, at := range o.update.old {
				old[i] = row[at]
			}
			n, _, err := keys.add(old, o.update.key)
			if err != nil {
				return err
			}
			numbers = append(numbers, n)
		}
		found := make([]types.Row, keys.len())
		probe := &o.ec.write.probes[o.update.present.slot]
		err := probe.find(o.ec.ctx, &o.ec.write.present, &keys, func(n int, row types.Row) (bool, error) {
			found[n] = present.add(row)
			return true, nil
		})
		if err != nil {
			return err
		}
		for i, row := range rows {
			now := found[numbers[i]]
			if now == nil {
				continue
			}
			copy(o.w.old, now)
			if err := o.updateRow(row); err != nil {
				return err
			}
		}
		return nil
	})
}

// deleteAll empties the table at once where its module can, else row by row.
func (o *changeOp) deleteAll() error {
	run := o.ec.write
	rows, done, err := run.ec.rt.Write.Truncate(o.ec.ctx, o.rules.table)
	if err != nil {
		return err
	}
	if !done {
		return o.deleteRows()
	}
	run.ec.rt.Queue.Touch(o.rules.table)
	run.changes += rows
	return nil
}

// deleteRows removes the rows of the source.
func (o *changeOp) deleteRows() error {
	return o.each(func(row types.Row) error {
		for i, at := range o.update.old {
			o.w.old[i] = row[at]
		}
		if ok, err := o.w.admit(); err != nil || !ok {
			return err
		}
		return o.writeRow()
	})
}
