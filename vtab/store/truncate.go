package store

import (
	"context"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// Truncate implements vtab.Truncator: every structure begins anew under an incarnation of its own. What the old ones hold stays for those
// who read it, and goes with the commit.
func (m *Module) Truncate(ctx context.Context, vc vtab.Conn, t *catalog.Table) (*catalog.Table, int64, error) {
	c, err := m.connOf(vc)
	if err != nil {
		return nil, 0, err
	}
	if _, err := c.writable(ctx); err != nil {
		return nil, 0, err
	}
	if err := c.flushCounts(); err != nil {
		return nil, 0, types.Wrapf(types.IOERR, err, "module %s", m.name)
	}
	rows, err := readCount(c.txn, t.Storage.Incarnation)
	switch {
	case err != nil:
		return nil, 0, types.Wrapf(types.IOERR, err, "module %s", m.name)
	case rows < m.options.Truncate:
		return nil, 0, nil
	}
	empty := t.Clone()
	if err := c.renew(empty); err != nil {
		return nil, 0, err
	}
	return empty, rows, c.setCount(empty.Storage.Incarnation, 0)
}

// renew gives every structure of t, which is not shared yet, an empty incarnation.
func (c *Conn) renew(t *catalog.Table) error {
	var err error
	if t.Storage.Incarnation, err = c.take(); err != nil {
		return err
	}
	for i := range t.Uniques {
		if err := c.newRange(t, i, uniqueKind); err != nil {
			return err
		}
	}
	for i := range t.Indexes {
		if err := c.newRange(t, i, indexKind); err != nil {
			return err
		}
	}
	return nil
}
