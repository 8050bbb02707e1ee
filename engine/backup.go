package engine

import (
	"context"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
)

// Backup copies the database in dir, as it is at one moment and whoever has it open, into a new database in to, which must be missing or
// empty, and then checks the copy as a whole. See pebble.Backup for what is refused. A copy with faults stays, and the report tells of them:
// they are the database's own. Checkpoints for undo are not copied.
func Backup(ctx context.Context, dir, to string, p pebble.Options, o Options) (*CheckReport, error) {
	if err := pebble.Backup(ctx, dir, to, p); err != nil {
		return nil, err
	}
	p.Beside, p.ReadOnly, p.Create = false, false, false
	db, err := OpenDir(ctx, to, p, o)
	if types.CodeOf(err) == types.CORRUPT {
		return DamagedReport(err), nil
	}
	if err != nil {
		return nil, err
	}
	r, err := db.Check(ctx)
	if e := db.Close(); err == nil {
		err = e
	}
	return r, err
}
