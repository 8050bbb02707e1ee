package engine

import (
	"cmp"
	"context"
	"time"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
)

// AdoptOptions say how a schema is adopted.
type AdoptOptions struct {
	// Version is the version that the schema is known to have, "" for that of the last entry.
	Version string
	// LockTimeout bounds the wait for the writer lock; 0 does not wait.
	LockTimeout time.Duration
	// Tool and By are for the history, as in MigrateOptions.
	Tool, By string
}

// Adopt records a schema as it is in the history: what has changed since the last entry is known from then on, and no drift. NOTFOUND
// for a schema that there is not. Nothing else changes. The connection must have no transaction open.
func (c *Conn) Adopt(ctx context.Context, schema string, o AdoptOptions) (*HistoryEntry, error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave(nil)
	if c.tx != nil {
		return nil, types.Errorf(types.MISUSE, "a schema cannot be adopted inside a transaction")
	}
	t, err := c.beginMigration(ctx, o.LockTimeout)
	if err != nil {
		return nil, err
	}
	defer t.ensureEnded()
	schema = types.Fold(schema)
	if !t.cat.HasSchema(schema) {
		return nil, types.Errorf(types.NOTFOUND, "there is no schema %s", schema)
	}
	began, hash := c.db.opts.Now(), catalog.Hash(t.cat, schema)
	e := &HistoryEntry{Kind: Adopted, Schema: schema, Version: o.Version, From: hash, To: hash, Statements: []string{}, At: began.UTC(), Tool: o.Tool, By: o.By}
	entries, err := c.db.history(ctx, t.base)
	if err != nil {
		return nil, err
	}
	if last := LastOf(entries, schema); last != nil {
		e.From, e.Version = last.To, cmp.Or(o.Version, last.Version)
	}
	if err := t.enter(ctx, e); err != nil {
		return nil, err
	}
	return e, t.commit(ctx)
}

// LastOf gives the last entry of a schema; nil when there is none.
func LastOf(history []HistoryEntry, schema string) *HistoryEntry {
	for i := len(history) - 1; i >= 0; i-- {
		if history[i].Schema == schema {
			return &history[i]
		}
	}
	return nil
}
