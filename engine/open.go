package engine

import (
	"context"

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
	disk, err := pebble.Open(dir, p)
	if err != nil {
		return nil, err
	}
	durable, err := store.New(ctx, storeModule, disk, store.Options{Logger: o.Logger})
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
	return db, nil
}
