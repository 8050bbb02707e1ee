package engine

import (
	"context"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv/mem"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
	"github.com/quereus/quereus-migrate/vtab/store"
)

// OpenMemory opens an empty database in memory. Options.Modules come behind the module memory, which is the home module.
func OpenMemory(ctx context.Context, o Options) (*DB, error) {
	m, err := store.New(ctx, memoryModule, mem.Open(), store.Options{Logger: o.Logger})
	if err != nil {
		return nil, err
	}
	o.Modules = append([]ModuleEntry{{memoryModule, m}}, o.Modules...)
	return New(ctx, o)
}

// OpenDir opens a database directory. Its home module is store; memory is there for tables that need not last. Options.Modules
// come behind the two. See pebble.Open for what is refused and with which codes.
func OpenDir(ctx context.Context, dir string, p pebble.Options, o Options) (*DB, error) {
	db, err := openDir(ctx, dir, p, o)
	if p.OrReadOnly && !p.ReadOnly && !p.Beside && cannotWrite(err) {
		p.ReadOnly, p.Unwritable = true, unwritable(err)
		if db, e := openDir(ctx, dir, p, o); e == nil {
			return db, nil
		}
	}
	return db, err
}

// cannotWrite reports whether an error may keep a database from being written alone.
func cannotWrite(err error) bool {
	switch types.CodeOf(err) {
	case types.FULL, types.IOERR:
		return true
	}
	return false
}

// unwritable is what writes to a database are answered with that could be opened to read only, because of err.
func unwritable(err error) error {
	e := types.Wrapf(types.IOERR, err, "the database is open to read only, nothing was changed")
	e.Hint = "make it possible to write to the disk, then open the database again"
	return e
}

func openDir(ctx context.Context, dir string, p pebble.Options, o Options) (*DB, error) {
	disk, err := pebble.Open(dir, p)
	if err != nil {
		return nil, err
	}
	isReadOnly := p.ReadOnly || p.Beside
	db, err := openDisk(ctx, disk, isReadOnly, o)
	if err == nil && !isReadOnly {
		db.dropStrayCheckpoints()
	}
	return db, err
}

// openDisk opens the database that a store holds. The store is closed when that fails.
func openDisk(ctx context.Context, disk *pebble.Store, isReadOnly bool, o Options) (*DB, error) {
	durable, err := store.New(ctx, storeModule, disk, store.Options{ReadOnly: isReadOnly, Logger: o.Logger})
	if err != nil {
		disk.Close()
		return nil, err
	}
	volatile, err := store.New(ctx, memoryModule, mem.Open(), store.Options{Logger: o.Logger})
	if err != nil {
		durable.Close()
		return nil, err
	}
	o.Modules = append([]ModuleEntry{{storeModule, durable}, {memoryModule, volatile}}, o.Modules...)
	db, err := New(ctx, o)
	if err != nil {
		durable.Close()
		return nil, err
	}
	db.disk = disk
	return db, nil
}
