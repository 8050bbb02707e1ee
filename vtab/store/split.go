package store

import (
	"bytes"
	"context"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// pieceBytes is about how much a part of a split access holds.
const pieceBytes = 1 << 20

// Split implements vtab.Splitter for a walk forward over one span that has begun.
func (c *cursor) Split() ([]vtab.Part, error) {
	splitter, ok := c.t.store.(kv.Splitter)
	if !ok || c.reverse || c.shared || c.window.points || len(c.window.spans) != 1 || !c.started || !c.it.Valid() || c.left >= 0 {
		return nil, nil
	}
	rest := kv.Span{Lo: bytes.Clone(c.it.Key()), Hi: bytes.Clone(c.window.spans[0].Hi)}
	keys, err := splitter.Split(rest, pieceBytes)
	if err != nil {
		return nil, types.Wrapf(types.IOERR, err, "table %s", c.t.shape.table.Name)
	}
	if len(keys) == 0 {
		return nil, nil
	}
	parts := make([]vtab.Part, len(keys))
	for i, from := range keys {
		to := rest.Hi
		if i+1 < len(keys) {
			to = keys[i+1]
		}
		parts[i] = vtab.Part{From: from, To: to}
	}
	c.end = keys[0]
	return parts, nil
}

// ScanPart implements vtab.PartScanner.
func (t *table) ScanPart(ctx context.Context, f *vtab.Filter, p vtab.Part) (vtab.Cursor, error) {
	opened, err := t.Scan(ctx, f)
	if err != nil {
		return nil, err
	}
	c := opened.(*cursor)
	c.window = window{spans: append(c.one[:0], kv.Span{Lo: p.From, Hi: p.To})}
	return c, nil
}
