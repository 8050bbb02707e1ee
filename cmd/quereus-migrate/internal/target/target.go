// Package target gives meaning to what --db, --from, --to and SCHEMA name: a database directory, mem:, a schema file, a folder of
// them, those of a commit (git:REF:PATH), a SQLite file, a dump, or - for standard input. It gives databases to run on and declarations to compare with; what is done with them is not its
// business.
package target

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/transfer"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
)

// Memory names an empty database in memory, Stdin the text on standard input, whose source is called StdinName.
const (
	Memory    = "mem:"
	Stdin     = "-"
	StdinName = "<stdin>"
)

// Opener opens targets. The zero value opens existing databases, without waiting, for reading and writing.
type Opener struct {
	// Stdin is what "-" reads.
	Stdin io.Reader
	// Wait is how long to wait for a database that another process has open; BUSY then, naming it.
	Wait time.Duration
	// ReadOnly reads databases as they are at one moment, also beside a process that has them open and where nothing can be written; Create
	// makes those that are not there.
	ReadOnly, Create bool
	// OrReadOnly opens a database to read only that nothing can be written to, as on a full disk.
	OrReadOnly bool
	// Notes is called with what the reader of schema files should know, if there is anything; nil for nobody.
	Notes func([]*catalog.SourceError)
	// Meanings, when not nil, hears what the schema of another system's database means otherwise here.
	Meanings func(name string, notes []transfer.Note)
	// Ctx ends the reading of schema files when it is done; nil never does.
	Ctx context.Context
	// Limits are those of files and of the sessions of databases, nil for the defaults; Memory is what a statement may hold before it goes to
	// disk, 0 for the default.
	Limits *limit.Set
	Memory int64
	// Reads says whether a file of a folder is one of the schema files; nil for all.
	Reads func(path string) bool
	// Command is what others are told of this process while it has a database open.
	Command string
}

// IsDatabase reports whether the name means a database and no schema text: mem:, or a directory that holds CURRENT or a store.
func IsDatabase(name string) bool {
	return name == Memory || pebble.IsDatabase(name)
}

// Exists reports whether a database, or what is left of one or stands in its place, is there to be opened: a directory that is
// missing or empty is none.
func Exists(name string) bool {
	if name == Memory {
		return true
	}
	entries, err := os.ReadDir(name)
	return len(entries) > 0 || err != nil && !os.IsNotExist(err)
}

// Database opens the database that name must mean. The errors are those of pebble.Open.
func (o Opener) Database(ctx context.Context, name string) (*engine.DB, error) {
	if name == Memory {
		return engine.OpenMemory(ctx, o.options())
	}
	p := pebble.Options{Create: o.Create, Beside: o.ReadOnly, OrReadOnly: o.OrReadOnly, Command: o.Command}
	deadline := time.Now().Add(o.Wait)
	for {
		db, err := engine.OpenDir(ctx, name, p, o.options())
		wait := time.Until(deadline)
		if types.CodeOf(err) != types.BUSY || wait <= 0 {
			return db, o.hinted(err)
		}
		select {
		case <-time.After(min(wait, retryEvery)):
		case <-ctx.Done():
			return nil, kv.Interrupted(ctx)
		}
	}
}

// options are those of the databases that are opened.
func (o Opener) options() engine.Options {
	return engine.Options{Limits: o.Limits, MemoryBudget: o.Memory}
}

// hinted says how a database that is missing is made.
func (o Opener) hinted(err error) error {
	var e *types.Error
	if o.Create || !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &e) || e.Code != types.CANTOPEN {
		return err
	}
	hinted := *e
	hinted.Hint = createHint
	return &hinted
}

const createHint = "apply --create and sql --create make it"

// texts reads the schema texts of a target that is no database.
func (o Opener) texts(name string) ([]*catalog.Declared, error) {
	if _, err := os.Stat(name); name != Stdin && !IsGit(name) && !IsForeign(name) && errors.Is(err, fs.ErrNotExist) {
		return nil, &types.Error{Code: types.CANTOPEN, Message: name + ": there is no such database, schema file or folder", Hint: createHint, Cause: err}
	}
	return o.Schemas(name)
}

// retryEvery is how often a database in use is tried again.
const retryEvery = 50 * time.Millisecond

// Start gives what a comparison starts from: the catalog of the database that the target names, with that database open; or for
// texts what they declare, with an empty database to compare on. The catalog is nil in the first case, that of the database then.
func (o Opener) Start(ctx context.Context, name string) (*engine.DB, *catalog.Snapshot, error) {
	if IsDatabase(name) {
		db, err := o.Database(ctx, name)
		return db, nil, err
	}
	schemas, err := o.texts(name)
	if err != nil {
		return nil, nil, err
	}
	cat, err := StartOf(ctx, schemas)
	if err != nil {
		return nil, nil, err
	}
	db, err := o.Blank(ctx)
	return db, cat, err
}

// Live gives a database whose schema is the target's: the database that it names, else one in memory that is built from its
// texts as a database directory would be.
func (o Opener) Live(ctx context.Context, name string) (*engine.DB, error) {
	if IsDatabase(name) {
		return o.Database(ctx, name)
	}
	schemas, err := o.texts(name)
	if err != nil {
		return nil, err
	}
	return o.build(ctx, schemas)
}

// Declared gives the schemas of the target as declarations, main first if it has any: what its texts declare, or for a database
// everything that is in it.
func (o Opener) Declared(ctx context.Context, name string) ([]*catalog.Declared, error) {
	if !IsDatabase(name) {
		return o.texts(name)
	}
	db, err := o.Database(ctx, name)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	stmts, err := Declarations(db)
	if err != nil {
		return nil, err
	}
	schemas := make([]*catalog.Declared, len(stmts))
	for i, s := range stmts {
		if schemas[i], err = catalog.Declare(s, catalog.Origin{Source: ast.NewSource("", "")}); err != nil {
			return nil, err
		}
	}
	return schemas, db.Close()
}
