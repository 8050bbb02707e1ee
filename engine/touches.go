package engine

import (
	"github.com/quereus/quereus-migrate/catalog"
)

// touches are the columns, by table, whose values or comparison schema changes have touched in rows that were there. The nil map
// takes no notes.
type touches map[catalog.ID]*touch

type touch struct {
	columns map[catalog.ColumnID]bool
	// rekeyed tells that the table has got another key.
	rekeyed bool
}

func (ts touches) of(t *catalog.Table) *touch {
	if ts[t.ID] == nil {
		ts[t.ID] = &touch{columns: map[catalog.ColumnID]bool{}}
	}
	return ts[t.ID]
}

func (ts touches) columns(t *catalog.Table, positions []int) {
	if ts == nil {
		return
	}
	x := ts.of(t)
	for _, i := range positions {
		x.columns[t.Columns[i].ID] = true
	}
}

func (ts touches) key(t *catalog.Table) {
	if ts != nil {
		ts.of(t).rekeyed = true
	}
}

// holds reports whether a column of a table is among them.
func (ts touches) holds(t *catalog.Table, column int) bool {
	x := ts[t.ID]
	return x != nil && x.columns[t.Columns[column].ID]
}

// reach reports whether a text may read anything of them.
func (ts touches) reach(r *catalog.Reads) bool {
	for _, t := range r.Tables {
		if ts[t.ID] == nil {
			continue
		}
		for i, c := range t.Columns {
			if ts.holds(t, i) && r.Column(t, c.Name) {
				return true
			}
		}
	}
	return false
}

// reachKey reports whether they concern a foreign key of child, at either end. parent is nil when it does not exist.
func (ts touches) reachKey(child *catalog.Table, fk *catalog.ForeignKey, parent *catalog.Table) bool {
	for _, i := range fk.Columns {
		if ts.holds(child, i) {
			return true
		}
	}
	if parent == nil || ts[parent.ID] == nil {
		return false
	}
	if fk.ParentColumns == nil && ts[parent.ID].rekeyed {
		return true
	}
	columns, ok := fk.ParentPositions(parent)
	for _, i := range columns {
		if ok && ts.holds(parent, i) {
			return true
		}
	}
	return false
}
