// Package sqldriver is the face of the engine for database/sql. It registers the driver "quereus", whose data source names are a
// database directory, or "mem:" for a database in memory that lives as long as its sql.DB. A program that has an engine.DB
// already hands it to sql.OpenDB through NewConnector.
//
// Options stand behind a name like a query of a URL: "shop.db?create=true&memory_budget=33554432". They are
//
//	create=true      makes the database when there is none
//	readonly=true    refuses every write
//	times=text       dates and moments come back as text
//
// and every session setting that PRAGMA knows, for all connections. An unknown one is an error of the first connection.
//
// Parameters are positional (?) or named (sql.Named). Values of DATE and DATETIME columns come back as time.Time in UTC, and a time.Time
// is bound as a DATETIME text in UTC. An integer beyond int64 and a JSON document come back as text, and so do times of day and durations.
package sqldriver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
)

// Name is the driver's name for sql.Open.
const Name = "quereus"

func init() { sql.Register(Name, Driver{}) }

// Driver implements driver.Driver and driver.DriverContext.
type Driver struct{}

// Open implements driver.Driver: a connection to a database of its own.
func (d Driver) Open(name string) (driver.Conn, error) {
	c, err := d.OpenConnector(name)
	if err != nil {
		return nil, err
	}
	return c.Connect(context.Background())
}

// OpenConnector implements driver.DriverContext. The database is opened at the first connection, and closed with the sql.DB. MISUSE for
// options that cannot be read.
func (Driver) OpenConnector(name string) (driver.Connector, error) {
	path, s, err := parseSource(name)
	if err != nil {
		return nil, err
	}
	return &connector{settings: s, open: func(ctx context.Context) (*engine.DB, error) {
		if path == "mem:" {
			return engine.OpenMemory(ctx, engine.Options{})
		}
		return engine.OpenDir(ctx, path, pebble.Options{Create: s.create, ReadOnly: s.readOnly}, engine.Options{})
	}}, nil
}

// NewConnector makes a connector to an open database, for sql.OpenDB. The database stays the caller's to close.
func NewConnector(db *engine.DB) driver.Connector { return &connector{db: db, borrowed: true} }

// connector makes the connections of one sql.DB.
type connector struct {
	open     func(context.Context) (*engine.DB, error)
	settings settings
	borrowed bool

	mu sync.Mutex
	db *engine.DB
}

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	db, err := c.database(ctx)
	if err != nil {
		return nil, err
	}
	out := &conn{c: db.Conn(), textTimes: c.settings.textTimes}
	for _, o := range c.settings.session {
		if err := out.c.SetOption(o.name, o.value); err != nil {
			return nil, errors.Join(err, out.c.Close())
		}
	}
	return out, nil
}

// database gives the database, which the first caller opens.
func (c *connector) database(ctx context.Context) (*engine.DB, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.db == nil {
		db, err := c.open(ctx)
		if err != nil {
			return nil, err
		}
		c.db = db
	}
	return c.db, nil
}

// Driver implements driver.Connector.
func (c *connector) Driver() driver.Driver { return Driver{} }

// Close implements io.Closer: database/sql calls it when the sql.DB is closed, behind its connections.
func (c *connector) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.db == nil || c.borrowed {
		return nil
	}
	db := c.db
	c.db = nil
	return db.Close()
}

// conn is one session.
type conn struct {
	c         *engine.Conn
	textTimes bool
}

var (
	_ driver.ConnPrepareContext = (*conn)(nil)
	_ driver.ConnBeginTx        = (*conn)(nil)
	_ driver.ExecerContext      = (*conn)(nil)
	_ driver.QueryerContext     = (*conn)(nil)
	_ driver.SessionResetter    = (*conn)(nil)
	_ driver.NamedValueChecker  = (*conn)(nil)
)

// Prepare implements driver.Conn.
func (c *conn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

// PrepareContext implements driver.ConnPrepareContext.
func (c *conn) PrepareContext(_ context.Context, query string) (driver.Stmt, error) {
	s, err := c.c.Prepare(query)
	if err != nil {
		return nil, err
	}
	return &stmt{s, c.textTimes}, nil
}

// Close implements driver.Conn.
func (c *conn) Close() error { return c.c.Close() }

// Begin implements driver.Conn.
func (c *conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx implements driver.ConnBeginTx. A transaction reads one snapshot and writes when no other does; with the isolation level
// Serializable it takes the right to write at once, so that it is never BUSY later on. Other levels are UNSUPPORTED.
func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	options := engine.TxOptions{ReadOnly: o.ReadOnly}
	switch level := sql.IsolationLevel(o.Isolation); level {
	case sql.LevelDefault, sql.LevelSnapshot:
	case sql.LevelSerializable:
		options.Immediate = !o.ReadOnly
	default:
		return nil, types.Errorf(types.UNSUPPORTED, "isolation level %s; transactions read a snapshot, and are serializable when they begin so", level)
	}
	if err := c.c.Begin(ctx, options); err != nil {
		return nil, err
	}
	return &transaction{c.c}, nil
}

// ExecContext implements driver.ExecerContext. The text may hold several statements.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	p, err := params(args)
	if err != nil {
		return nil, err
	}
	n, err := c.c.Exec(ctx, query, p)
	return result(n), err
}

// QueryContext implements driver.QueryerContext.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	p, err := params(args)
	if err != nil {
		return nil, err
	}
	r, err := c.c.Query(ctx, query, p)
	if err != nil {
		return nil, err
	}
	return newRows(r, c.textTimes), nil
}

// ResetSession implements driver.SessionResetter: a connection that comes back to the pool with a transaction open, begun by a
// statement, is not used again.
func (c *conn) ResetSession(context.Context) error {
	if c.c.InTransaction() {
		return driver.ErrBadConn
	}
	return nil
}

// transaction is an explicit transaction.
type transaction struct{ c *engine.Conn }

func (t *transaction) Commit() error {
	_, err := t.c.Exec(context.Background(), "commit", engine.Params{})
	return err
}

func (t *transaction) Rollback() error {
	_, err := t.c.Exec(context.Background(), "rollback", engine.Params{})
	return err
}
