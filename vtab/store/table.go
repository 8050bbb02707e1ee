package store

import (
	"context"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// Connect implements vtab.Module. Opening a table costs little: what is derived from its definition is kept with the module.
func (m *Module) Connect(_ context.Context, req vtab.ConnectRequest) (vtab.Table, error) {
	s, err := m.shapeOf(req.Table)
	if err != nil {
		return nil, err
	}
	t := &table{store: m.store, shape: s, spec: req.Spec}
	if req.Pin != nil {
		p, err := m.pinOf(req.Pin)
		if err != nil {
			return nil, err
		}
		t.reader = p.reader()
	}
	if req.Conn != nil {
		if t.conn, err = m.connOf(req.Conn); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// table is one opened table: a definition on a state. It is used by one goroutine, and so are its cursors.
type table struct {
	store  kv.Store
	shape  *shape
	spec   *vtab.TableSpec
	reader kv.Reader // nil when the table was opened for writing only
	conn   *Conn     // nil when it was opened for reading only
	w      *writer   // made at the first write

	// idle are iterators over whole structures that no cursor uses, the primary key's first; nil entries for none.
	idle []kv.Iterator
	keys []byte // memory that the last closed cursor had for keys and values
	vals []byte
}

// Scan implements vtab.Table.
func (t *table) Scan(_ context.Context, f *vtab.Filter) (vtab.Cursor, error) {
	if t.reader == nil {
		return nil, types.Errorf(types.MISUSE, "table %s was opened without a state to read", t.shape.table.Name)
	}
	var ref *vtab.IndexRef
	if f.Access != nil {
		ref = f.Access.Index
	}
	c := &cursor{keys: t.keys, value: t.vals}
	t.keys, t.vals = nil, nil
	if err := c.open(t, t.shape.structure(ref), f); err != nil {
		return nil, types.Wrapf(types.IOERR, err, "table %s", t.shape.table.Name)
	}
	return c, nil
}

// keepBuffers takes the memory of a closed cursor for the next one.
func (t *table) keepBuffers(c *cursor) { t.keys, t.vals = c.keys[:0], c.value[:0] }

// borrow gives an iterator over a whole structure.
func (t *table) borrow(s *structure) (kv.Iterator, error) {
	if i := t.shape.position(s); i < len(t.idle) && t.idle[i] != nil {
		it := t.idle[i]
		t.idle[i] = nil
		return it, nil
	}
	return t.reader.NewIter(kv.IterOptions{Span: kv.PrefixSpan(s.prefix)})
}

// giveBack takes a borrowed iterator back, for the next one to use.
func (t *table) giveBack(s *structure, it kv.Iterator) error {
	if t.idle == nil {
		t.idle = make([]kv.Iterator, 1+len(t.shape.others))
	}
	if i := t.shape.position(s); t.idle[i] == nil && it.Err() == nil {
		t.idle[i] = it
		return nil
	}
	return it.Close()
}

// RowCount implements vtab.StatisticsProvider: the count that the state holds.
func (t *table) RowCount(context.Context) (n int64, exact bool, err error) {
	if t.reader == nil {
		return 0, false, types.Errorf(types.MISUSE, "table %s was opened without a state to read", t.shape.table.Name)
	}
	n, err = readCount(t.reader, t.shape.primary.inc)
	return n, err == nil, err
}

// Close implements vtab.Table. Cursors must be closed before.
func (t *table) Close() error {
	var first error
	for _, it := range t.idle {
		if it == nil {
			continue
		}
		if err := it.Close(); first == nil {
			first = err
		}
	}
	t.idle = nil
	return first
}

// writer gives what carries out row operations.
func (t *table) writer(ctx context.Context) (*writer, error) {
	if t.conn == nil {
		return nil, types.Errorf(types.MISUSE, "table %s was opened without a transaction to write in", t.shape.table.Name)
	}
	txn, err := t.conn.writable(ctx)
	if err != nil {
		return nil, err
	}
	if t.w == nil {
		if t.shape.computed && t.spec == nil {
			return nil, types.Errorf(types.MISUSE, "table %s was opened without the expressions of its indexes", t.shape.table.Name)
		}
		n := len(t.shape.others)
		t.w = &writer{
			shape: t.shape, spec: t.spec, conn: t.conn, txn: txn, all: t.shape.decoder(vtab.AllColumns(t.shape.rows.width)),
			fresh: make([]entry, n), stale: make([]entry, n), old: make(types.Row, t.shape.rows.width),
		}
	}
	return t.w, nil
}
