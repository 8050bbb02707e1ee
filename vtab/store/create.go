package store

import (
	"context"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// Create implements vtab.Creator. Columns without ids get them.
func (m *Module) Create(ctx context.Context, vc vtab.Conn, t *catalog.Table) (*catalog.Table, error) {
	c, err := m.connOf(vc)
	if err != nil {
		return nil, err
	}
	if _, err := c.writable(ctx); err != nil {
		return nil, err
	}
	t = numberColumns(t)
	t.Storage.NextLayoutID = 1
	t.Storage.Layouts = nil
	appendLayout(t)
	if err := c.renew(t); err != nil {
		return nil, err
	}
	// What cannot be kept, such as a key under a collation without a normal form, is refused now.
	if _, err := m.shapeOf(t); err != nil {
		return nil, err
	}
	return t, c.setCount(t.Storage.Incarnation, 0)
}

// numberColumns gives a copy of t in which every column has an id.
func numberColumns(t *catalog.Table) *catalog.Table {
	t = t.Clone()
	if t.Storage.NextColumn != 0 {
		return t
	}
	for i, c := range t.Columns {
		n := *c
		n.ID = catalog.ColumnID(i + 1)
		t.Columns[i] = &n
	}
	t.Storage.NextColumn = catalog.ColumnID(len(t.Columns) + 1)
	return t
}

// appendLayout adds a layout of the columns as they are now to t, which is not shared yet.
func appendLayout(t *catalog.Table) {
	l := catalog.Layout{ID: t.Storage.NextLayoutID, Columns: make([]catalog.ColumnID, len(t.Columns))}
	for i, c := range t.Columns {
		l.Columns[i] = c.ID
	}
	t.Storage.NextLayoutID++
	t.Storage.Layouts = append(t.Storage.Layouts[:len(t.Storage.Layouts):len(t.Storage.Layouts)], l)
}

// newRange gives a structure of t, which is not shared yet, an incarnation of its own.
func (c *Conn) newRange(t *catalog.Table, ordinal int, kind structureKind) error {
	inc, err := c.take()
	if err != nil {
		return err
	}
	setRange(t, ordinal, kind, inc)
	return nil
}

// setRange sets the incarnation of a structure of t, which is not shared yet.
func setRange(t *catalog.Table, ordinal int, kind structureKind, inc catalog.Incarnation) {
	switch kind {
	case uniqueKind:
		u := *t.Uniques[ordinal]
		u.Incarnation = inc
		t.Uniques[ordinal] = &u
	case indexKind:
		ix := *t.Indexes[ordinal]
		ix.Incarnation = inc
		t.Indexes[ordinal] = &ix
	default:
		t.Storage.Incarnation = inc
	}
}

// errFull is the answer when a rewrite needs more room than there is.
func errFull(t *catalog.Table, need, free uint64) error {
	return &types.Error{
		Code: types.FULL,
		Message: "table " + t.Name + ": rewriting it needs about " + megabytes(need) + " of disk for a while, and " +
			megabytes(free) + " are free",
	}
}

func megabytes(n uint64) string {
	const mb = 1 << 20
	return types.FormatInteger(types.Int(int64((n+mb-1)/mb))) + " MiB"
}
