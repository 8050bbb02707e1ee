package engine

import (
	"maps"

	"github.com/quereus/quereus-migrate/catalog"
)

// touches are the columns, by table, whose values or comparison schema changes have touched in rows that were there. The nil map
// takes no notes.
type touches map[catalog.ID]*touch

type touch struct {
	columns map[catalog.ColumnID]bool
	// added are new columns: a query that names one meant another column before, if it is not as new.
	added map[catalog.ColumnID]bool
	// rekeyed tells that the table has got another key, created that it is new: rules of others may have waited for it.
	rekeyed, created bool
}

func (ts touches) of(t *catalog.Table) *touch {
	if ts[t.ID] == nil {
		ts[t.ID] = newTouch()
	}
	return ts[t.ID]
}

func newTouch() *touch {
	return &touch{columns: map[catalog.ColumnID]bool{}, added: map[catalog.ColumnID]bool{}}
}

// join takes over what another touch has.
func (x *touch) join(other *touch) {
	maps.Copy(x.columns, other.columns)
	maps.Copy(x.added, other.added)
	x.rekeyed, x.created = x.rekeyed || other.rekeyed, x.created || other.created
}

func (ts touches) add(t *catalog.Table, column int) {
	if ts != nil {
		ts.of(t).added[t.Columns[column].ID] = true
	}
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

// reach reports whether a text may read anything of them; new columns count for one that holds queries.
func (ts touches) reach(r *catalog.Reads, hasQuery bool) bool {
	for _, t := range r.Tables {
		if ts[t.ID] == nil {
			continue
		}
		if hasQuery && ts[t.ID].created {
			return true
		}
		for i, c := range t.Columns {
			isTouched := ts.holds(t, i) || hasQuery && ts[t.ID].added[c.ID]
			if isTouched && r.Column(t, c.Name) {
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
	if ts[parent.ID].created || fk.ParentColumns == nil && ts[parent.ID].rekeyed {
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
