package engine

import (
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/quereus/quereus-migrate/types"
)

// conns are the open connections of a database.
type conns struct {
	mu   sync.Mutex
	open map[*Conn]struct{}
}

func (s *conns) add(c *Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[*Conn]struct{}{}
	}
	s.open[c] = struct{}{}
}

func (s *conns) remove(c *Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
}

func (s *conns) list() []*Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*Conn, 0, len(s.open))
	for c := range s.open {
		list = append(list, c)
	}
	return list
}

func errClosed() error { return types.Errorf(types.MISUSE, "the database is closed") }

// Close waits for the statements that are running, ends rows that are still open, rolls open transactions back and closes the
// connections and the modules (docs/reference/language.md). What waits for the writer lock is refused. A second call does nothing.
func (db *DB) Close() (err error) {
	db.closeOnce.Do(func() {
		close(db.closed)
		err = db.views.end()
		for _, c := range db.conns.list() {
			err = errors.Join(err, c.shut(errClosed()))
		}
		for _, m := range db.modules {
			if c, ok := m.vtab.(io.Closer); ok {
				err = errors.Join(err, c.Close())
			}
		}
	})
	return err
}

// Close ends open rows, rolls an open transaction back and ends the session's use of the connection. It waits for the statement
// that is running.
func (c *Conn) Close() error { return c.shut(types.Errorf(types.MISUSE, "the connection is closed")) }

func (c *Conn) shut(gone error) (err error) {
	c.use.Lock()
	defer c.use.Unlock()
	if c.gone != nil {
		return nil
	}
	c.gone = gone
	for _, r := range slices.Clone(c.rows) {
		err = errors.Join(err, r.end(gone))
	}
	if t := c.tx; t != nil {
		c.tx = nil
		err = errors.Join(err, t.rollback())
	}
	c.db.conns.remove(c)
	return err
}

// enter begins a use of the connection, which leave ends.
func (c *Conn) enter() error {
	c.use.Lock()
	if c.gone != nil {
		defer c.use.Unlock()
		return c.gone
	}
	return nil
}

// leave ends a use of the connection. rows are those that it hands out, if any.
func (c *Conn) leave(rows **Rows) {
	if rows != nil && *rows != nil && (*rows).holds() {
		(*rows).conn = c
		c.rows = append(c.rows, *rows)
	}
	c.use.Unlock()
}
