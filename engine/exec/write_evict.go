package exec

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// evicted notes what the removal of rows by REPLACE leads to. In an UPDATE the actions so far come first: they may have given a row
// children, or taken its children away.
func (w *rowWriter) evicted(res *vtab.UpdateResult) error {
	rows := res.Evicted
	if res.Replaced != nil {
		rows = append([]types.Row{res.Replaced}, rows...)
	}
	updates := w.rulesRecipe.op == ast.OnUpdate
	if len(rows) > 0 && updates && !w.run.acting && !w.run.reachesUpdated {
		if err := w.run.act(nil); err != nil {
			return err
		}
	}
	for _, row := range rows {
		if updates {
			if err := w.lost.add(w.table, row); err != nil {
				return err
			}
		}
		if err := w.gaveWay(row); err != nil {
			return err
		}
	}
	return nil
}

// gaveWay notes the foreign keys that refer to a row removed by REPLACE. RESTRICT does not mind values that the new row holds itself.
func (w *rowWriter) gaveWay(row types.Row) error {
	for _, a := range w.gone {
		act := &w.run.acts[a.slot]
		if a.Do == ast.FKRestrict {
			same, err := act.sameKey(row, w.new)
			if err != nil {
				return err
			}
			if same {
				continue
			}
		}
		if err := act.gone(row); err != nil {
			return err
		}
	}
	return nil
}

// lostRows are the keys of rows that REPLACE removed in a pass over rows to update. When the turn of one comes it is gone, and what is under
// its key then is another row.
type lostRows struct {
	table *catalog.Table
	enc   *types.KeyEncoder // nil until the first
	keys  map[string]struct{}
	row   types.Row
	buf   []byte
}

// reset begins a pass.
func (l *lostRows) reset() { clear(l.keys) }

func (l *lostRows) add(t *catalog.Table, row types.Row) error {
	if l.enc == nil {
		l.table, l.enc, l.keys = t, tableKeys(t), map[string]struct{}{}
	}
	err := l.encode(row)
	l.keys[string(l.buf)] = struct{}{}
	return err
}

func (l *lostRows) has(row types.Row) (bool, error) {
	if len(l.keys) == 0 {
		return false, nil
	}
	err := l.encode(row)
	_, lost := l.keys[string(l.buf)]
	return lost, err
}

// encode puts the key of a row into buf.
func (l *lostRows) encode(row types.Row) (err error) {
	l.row = l.row[:0]
	for _, k := range l.table.Key.Columns {
		l.row = append(l.row, row[k.Column])
	}
	l.buf, err = l.enc.Append(l.buf[:0], l.row...)
	return err
}

// tableKeys gives the encoder of a table's key, under which the same key is the same row.
func tableKeys(t *catalog.Table) *types.KeyEncoder {
	parts := make([]types.KeyPart, len(t.Key.Columns))
	for i, k := range t.Key.Columns {
		c := t.Columns[k.Column]
		part, err := types.NewKeyPart(c.Type, c.Collation, false)
		if err != nil {
			return binaryKeys(len(parts))
		}
		parts[i] = part
	}
	return types.NewKeyEncoder(parts...)
}
