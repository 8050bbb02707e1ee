// Package engine is the assembly: a database with its modules, connections and transactions, which runs a statement of any
// kind. It holds no rule of its own that a floor below could hold.
//
// A DB is safe for concurrent use. A Conn is one session, for one goroutine at a time: settings, declared schemas and at most
// one open transaction. Any number of connections read; one writes at a time.
package engine

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
)

// Options say how a database is opened. For OpenMemory and OpenDir the zero value will do; New needs a module.
type Options struct {
	// Modules are the storage modules. The first is the home module: it keeps views, assertions and history, and is what tables
	// without USING get by default. It must be a vtab.RecordStore and a vtab.Transactor. The DB closes those that are an io.Closer.
	Modules []ModuleEntry
	// Types and Functions are the registries; nil for the built-in ones. The DB takes them over.
	Types     *types.Registry
	Functions *function.Registry
	// Now is the clock, time.Now by default; Local the zone of the localtime modifier, time.Local by default.
	Now   func() time.Time
	Local *time.Location
	// Random gives random bits; nil is the generator of math/rand/v2. Like Now it is called from any goroutine.
	Random func() uint64
	// Limits are what sessions begin with, which can set them by pragma; nil for the defaults. The memory of the database is as it says here.
	Limits *limit.Set
	// MemoryBudget is what sessions begin with as memory_budget; 0 for the default.
	MemoryBudget int64
	// Logger hears of panics in statements and of what could not be tidied up; nil for none.
	Logger *slog.Logger
}

// DB is an open database.
type DB struct {
	opts      Options
	types     *types.Registry
	functions *function.Registry
	modules   []*module
	home      *module
	// disk is the store of a database directory, nil for another database.
	disk   *pebble.Store
	undo   undoState
	memory *limit.Account

	views views
	// commitMu is held from the first module's commit to the publication of the view that shows it.
	commitMu sync.Mutex
	seq      uint64 // commits landed, guarded by commitMu
	// writer is the writer lock: it holds one token when nobody writes.
	writer chan struct{}

	conns conns

	closeOnce sync.Once
	closed    chan struct{}
}

// New opens a database over the modules of the options and reads its catalog. A catalog record that cannot be read is an
// error that names the object; nothing is changed then. MISUSE without a module, or with a first one that cannot keep a catalog. The
// modules are the database's once New has succeeded, and still the caller's when it has not.
func New(ctx context.Context, o Options) (*DB, error) {
	if len(o.Modules) == 0 {
		return nil, types.Errorf(types.MISUSE, "a database needs a storage module")
	}
	db := &DB{opts: o, types: o.Types, functions: o.Functions, writer: make(chan struct{}, 1), closed: make(chan struct{}), memory: limit.NewAccount(o.Limits)}
	db.defaults()
	for _, e := range o.Modules {
		if err := db.register(e); err != nil {
			return nil, err
		}
	}
	if db.home = db.modules[0]; db.home.records == nil || db.home.transactor == nil {
		return nil, types.Errorf(types.MISUSE, "module %s cannot keep a catalog", db.home.name)
	}
	cat, err := db.loadCatalog(ctx)
	if err != nil {
		return nil, err
	}
	if err := db.loadUndo(ctx); err != nil {
		return nil, err
	}
	v, err := db.newView(ctx, cat)
	if err != nil {
		return nil, err
	}
	db.writer <- struct{}{}
	return db, db.views.publish(v)
}

func (db *DB) defaults() {
	if db.types == nil {
		db.types = types.NewRegistry()
	}
	if db.functions == nil {
		db.functions = function.Builtins()
	}
	if db.opts.Now == nil {
		db.opts.Now = time.Now
	}
	if db.opts.Local == nil {
		db.opts.Local = time.Local
	}
	if db.opts.Random == nil {
		db.opts.Random = rand.Uint64
	}
	if db.opts.Logger == nil {
		db.opts.Logger = slog.New(slog.DiscardHandler)
	}
}

// lockWriter waits for the writer lock until ctx is done (INTERRUPT; BUSY when the deadline passed) or the database closed (MISUSE).
func (db *DB) lockWriter(ctx context.Context) error {
	select {
	case <-db.writer:
		return nil
	default:
	}
	select {
	case <-db.writer:
		return nil
	case <-db.closed:
		return errClosed()
	case <-ctx.Done():
		if context.Cause(ctx) == context.DeadlineExceeded {
			return types.Errorf(types.BUSY, "another connection is writing to the database")
		}
		return kv.Interrupted(ctx)
	}
}

func (db *DB) unlockWriter() { db.writer <- struct{}{} }

// Catalog gives the committed catalog.
func (db *DB) Catalog() (*catalog.Snapshot, error) {
	return db.views.catalog()
}

// Types gives the type and collation registry.
func (db *DB) Types() *types.Registry { return db.types }

// Functions gives the function registry.
func (db *DB) Functions() *function.Registry { return db.functions }
