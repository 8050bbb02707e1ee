package target

import (
	"context"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv/mem"
	"github.com/quereus/quereus-migrate/vtab/store"
)

// Blank is Opener.Blank with the default limits.
func Blank(ctx context.Context) (*engine.DB, error) { return Opener{}.Blank(ctx) }

// Blank opens an empty database in memory with the modules of a database directory: what a directory would be before anything is
// in it. A plan that is made on it fits a new directory.
func (o Opener) Blank(ctx context.Context) (*engine.DB, error) {
	var modules []engine.ModuleEntry
	for _, name := range []string{"store", "memory"} {
		m, err := store.New(ctx, name, mem.Open(), store.Options{})
		if err != nil {
			return nil, err
		}
		modules = append(modules, engine.ModuleEntry{Name: name, Module: m})
	}
	options := o.options()
	options.Modules = modules
	return engine.New(ctx, options)
}

// Session opens a connection for work with a declaration: the settings that hold for the whole of it are set.
func Session(db *engine.DB, d *catalog.Declared) (*engine.Conn, error) {
	conn := db.Conn()
	if !d.Nondeterministic() {
		return conn, nil
	}
	return conn, conn.SetOption(catalog.NondeterministicSetting, types.True)
}

// Plan compares the database, or o.From, with a declaration that was read from texts, which is judged first.
func Plan(ctx context.Context, conn *engine.Conn, d *catalog.Declared, o engine.DiffOptions) (*differ.Plan, error) {
	var err error
	if o.Resolved, err = conn.Verify(d, o.From); err != nil {
		return nil, err
	}
	return conn.Diff(ctx, d, o)
}

// Catalog gives the catalog that a database with the schemas would have: each is judged, and may name tables of those before it.
func Catalog(ctx context.Context, schemas []*catalog.Declared) (*catalog.Snapshot, error) {
	db, err := Blank(ctx)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	cat := catalog.NewSnapshot()
	for _, d := range schemas {
		conn, err := Session(db, d)
		if err != nil {
			return nil, err
		}
		r, err := conn.Verify(d, cat)
		conn.Close()
		if err != nil {
			return nil, err
		}
		cat = cat.WithSchema(r.Snapshot, d.Schema())
	}
	return cat, nil
}

// StartOf gives the catalog of schemas to start a comparison from.
func StartOf(ctx context.Context, schemas []*catalog.Declared) (*catalog.Snapshot, error) {
	cat, err := Catalog(ctx, schemas)
	if err != nil {
		return nil, err
	}
	for _, d := range schemas {
		for t := range cat.Tables(d.Schema()) {
			if t.Maintained != nil { // its columns are known once it has been made
				return nil, types.Errorf(types.UNSUPPORTED, "a schema with the maintained table %s to start from is not supported yet", t.Name)
			}
		}
	}
	return cat, nil
}

// build makes a database that has the schemas.
func (o Opener) build(ctx context.Context, schemas []*catalog.Declared) (*engine.DB, error) {
	db, err := o.Blank(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range schemas {
		if err := create(ctx, db, d); err != nil {
			db.Close()
			return nil, err
		}
	}
	return db, nil
}

// create makes one declared schema. There are no rows that it could hurt.
func create(ctx context.Context, db *engine.DB, d *catalog.Declared) error {
	conn, err := Session(db, d)
	if err != nil {
		return err
	}
	defer conn.Close()
	plan, err := Plan(ctx, conn, d, engine.DiffOptions{})
	if err != nil {
		return err
	}
	_, err = conn.Migrate(ctx, plan, engine.MigrateOptions{Allow: differ.Destructive})
	return err
}
