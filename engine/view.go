package engine

import (
	"context"
	"sync"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/vtab"
)

// view is one committed state: the catalog and, by module, the pinned rows. All readers between two commits share one.
type view struct {
	seq  uint64 // number of commits before it
	cat  *catalog.Snapshot
	pins []vtab.Pin // by module.index; nil for a module that is no Transactor
	refs int        // guarded by views.mu
}

// views hands out the present view and closes those that nobody reads any more.
type views struct {
	mu     sync.Mutex
	cur    *view // holds one reference itself; nil when the database is closed
	closed bool
}

// acquire gives the present view. It never waits for a commit that is under way. MISUSE when the database is closed.
func (v *views) acquire() (*view, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.cur == nil {
		return nil, errClosed()
	}
	v.cur.refs++
	return v.cur, nil
}

// release gives a view back.
func (v *views) release(w *view) error {
	v.mu.Lock()
	w.refs--
	last := w.refs == 0
	v.mu.Unlock()
	if !last {
		return nil
	}
	return w.close()
}

// catalog gives the present view's.
func (v *views) catalog() (*catalog.Snapshot, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.cur == nil {
		return nil, errClosed()
	}
	return v.cur.cat, nil
}

// publish makes w the present view. Behind the end it closes w: what a commit wrote then is there for those who open the database again.
func (v *views) publish(w *view) error {
	v.mu.Lock()
	if v.closed {
		v.mu.Unlock()
		return w.close()
	}
	w.refs = 1
	old := v.cur
	v.cur = w
	v.mu.Unlock()
	if old == nil {
		return nil
	}
	return v.release(old)
}

// end lets nobody acquire a view any more.
func (v *views) end() error {
	v.mu.Lock()
	old := v.cur
	v.cur, v.closed = nil, true
	v.mu.Unlock()
	return v.release(old)
}

func (w *view) close() error { return closePins(w.pins) }

// closePins closes the pins that were taken and gives the first error.
func closePins(pins []vtab.Pin) error {
	var first error
	for _, p := range pins {
		if p == nil {
			continue
		}
		if err := p.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// newView pins every module. The caller holds DB.commitMu, so that no commit lands between the pins.
func (db *DB) newView(ctx context.Context, cat *catalog.Snapshot) (*view, error) {
	w := &view{seq: db.seq, cat: cat, pins: make([]vtab.Pin, len(db.modules))}
	for i, m := range db.modules {
		if m.transactor == nil {
			continue
		}
		p, err := m.transactor.Pin(ctx)
		if err != nil {
			w.close()
			return nil, err
		}
		w.pins[i] = p
	}
	return w, nil
}
