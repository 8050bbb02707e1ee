package store

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// rowFormat maps the layouts that stored rows of a table may carry to its columns of today. Immutable.
type rowFormat struct {
	width int
	// layouts are those of Storage.Layouts with positions in place of ids; the last one is written.
	layouts []rowLayout
	// fills hold, one a column, what rows of a layout without the column have.
	fills []types.Value
}

// rowLayout is one layout, resolved.
type rowLayout struct {
	id uint64
	// columns are the positions in the table, one a stored value; -1 for a column that was dropped since.
	columns []int
	// missing are the positions of the columns that the layout lacks.
	missing []int
}

func newRowFormat(t *catalog.Table) (*rowFormat, error) {
	f := &rowFormat{width: len(t.Columns), fills: make([]types.Value, len(t.Columns))}
	for i, c := range t.Columns {
		f.fills[i] = c.Fill
	}
	for _, l := range t.Storage.Layouts {
		f.layouts = append(f.layouts, resolveLayout(t, l))
	}
	if len(f.layouts) == 0 {
		return nil, types.Errorf(types.CORRUPT, "table %s has no row layout", t.Name)
	}
	if w := f.written(); len(w.missing) > 0 || slices.Contains(w.columns, -1) {
		return nil, types.Errorf(types.CORRUPT, "table %s: its newest row layout does not hold exactly its columns", t.Name)
	}
	return f, nil
}

func resolveLayout(t *catalog.Table, l catalog.Layout) rowLayout {
	out := rowLayout{id: uint64(l.ID), columns: make([]int, len(l.Columns))}
	for i, id := range l.Columns {
		out.columns[i] = slices.IndexFunc(t.Columns, func(c *catalog.Column) bool { return c.ID == id })
	}
	for i := range t.Columns {
		if !slices.Contains(out.columns, i) {
			out.missing = append(out.missing, i)
		}
	}
	return out
}

// written is the layout of new rows.
func (f *rowFormat) written() *rowLayout { return &f.layouts[len(f.layouts)-1] }

// decoder reads some columns of stored rows. Immutable and safe for concurrent use.
type decoder struct {
	programs []program
	columns  vtab.ColumnSet
	// newest is the program of the newest layout, which most rows have, and head the byte that such rows begin with, -1 when
	// the layout's id takes more than one.
	newest *program
	head   int
}

// program says how to read rows of one layout.
type program struct {
	id    uint64
	steps []step
	fills []fill
}

// step reads one wanted value: it lies behind skip others, and goes to a column of the row.
type step struct{ skip, column int }

type fill struct {
	column int
	value  types.Value
}

// newDecoder resolves the reading of the given columns.
func (f *rowFormat) newDecoder(columns vtab.ColumnSet) *decoder {
	d := &decoder{columns: columns, head: -1}
	for i := range f.layouts {
		d.programs = append(d.programs, f.program(&f.layouts[i], columns))
	}
	d.newest = &d.programs[len(d.programs)-1]
	if d.newest.id < 0x80 {
		d.head = int(d.newest.id)
	}
	return d
}

func (f *rowFormat) program(l *rowLayout, columns vtab.ColumnSet) program {
	p := program{id: l.id}
	unread := 0
	for _, c := range l.columns {
		if c < 0 || !columns.Has(c) {
			unread++
			continue
		}
		p.steps = append(p.steps, step{unread, c})
		unread = 0
	}
	for _, c := range l.missing {
		if columns.Has(c) { // a NULL too: the row may still hold what the one before it left
			p.fills = append(p.fills, fill{c, f.fills[c]})
		}
	}
	return p
}

// sameLayout reports whether rows of two definitions are written alike: the same columns in the same order.
func sameLayout(l catalog.Layout, columns []*catalog.Column) bool {
	return slices.EqualFunc(l.Columns, columns, func(id catalog.ColumnID, c *catalog.Column) bool { return id == c.ID })
}
