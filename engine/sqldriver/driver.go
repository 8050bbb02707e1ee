// Package sqldriver is the face of the engine for database/sql. It registers the driver "quereus", whose data source names are a
// database directory, or "mem:" for a database in memory that lives as long as its sql.DB. A program that has an engine.DB
// already hands it to sql.OpenDB through NewConnector.
//
// Parameters are positional (?) or named (sql.Named). An integer beyond int64 and a JSON document come back as text; dates,
// times and durations are text as the engine keeps them; a time.Time is bound as a DATETIME text in UTC.
package sqldriver

import (
	"context"
	"database/sql"
	"database/sql/driver"
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

// OpenConnector implements driver.DriverContext. The database is opened at the first connection, and closed with the sql.DB.
func (Driver) OpenConnector(name string) (driver.Connector, error) {
	return &connector{open: func(ctx context.Context) (*engine.DB, error) {
		if name == "mem:" {
			return engine.OpenMemory(ctx, engine.Options{})
		}
		return engine.OpenDir(ctx, name, pebble.Options{}, engine.Options{})
	}}, nil
}

// NewConnector makes a connector to an open database, for sql.OpenDB. The database stays the caller's to close.
func NewConnector(db *engine.DB) driver.Connector { return &connector{db: db, borrowed: true} }

// connector makes the connections of one sql.DB.
type connector struct {
	open     func(context.Context) (*engine.DB, error)
	borrowed bool

	mu sync.Mutex
	db *engine.DB
}

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.db == nil {
		db, err := c.open(ctx)
		if err != nil {
			return nil, err
		}
		c.db = db
	}
	return &conn{c: c.db.Conn()}, nil
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
type conn struct{ c *engine.Conn }

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
	return &stmt{s}, nil
}

// Close implements driver.Conn.
func (c *conn) Close() error { return c.c.Close() }

// Begin implements driver.Conn.
func (c *conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx implements driver.ConnBeginTx. The engine has one isolation level, a snapshot with one writer; asking for another one,
// or for a read-only transaction, is UNSUPPORTED.
func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if level := sql.IsolationLevel(o.Isolation); level != sql.LevelDefault && level != sql.LevelSnapshot {
		return nil, types.Errorf(types.UNSUPPORTED, "isolation level %s; transactions read a snapshot", level)
	}
	if o.ReadOnly {
		return nil, types.Errorf(types.UNSUPPORTED, "read-only transactions")
	}
	if _, err := c.c.Exec(ctx, "begin", engine.Params{}); err != nil {
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
	return &rows{r}, nil
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
