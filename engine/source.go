package engine

import (
	"context"
	"sync"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/vtab"
)

// source opens the tables of one statement, all on one state: the committed one of a view, or the transaction's present one. It
// satisfies exec.Source.
type source struct {
	db   *DB
	base *view
	// tx is the transaction whose changes are seen, nil for none.
	tx *tx
	// buffers tells that the statement may write: what it reads of modules that write at once is read to its end first.
	buffers bool
	// own are the views of the transaction's parts, by module, taken at the first use and kept for the statement.
	own []vtab.Pin
	mu  sync.Mutex // guards own: expressions that run on several cores open tables through one source
}

// OpenTable opens a table on the statement's state; with committed on the last commit's.
func (s *source) OpenTable(ctx context.Context, t *catalog.Table, committed bool) (vtab.Table, error) {
	m, err := s.db.moduleOf(t)
	if err != nil {
		return nil, err
	}
	pin := s.base.pins[m.index]
	if !committed {
		if pin, err = s.pin(m); err != nil {
			return nil, err
		}
	}
	table, err := m.vtab.Connect(ctx, vtab.ConnectRequest{Table: t, Pin: pin})
	if err != nil || m.transactor != nil || !s.buffers {
		return table, err
	}
	return &bufferedTable{Table: table, width: len(t.Columns)}, nil
}

// pin gives the state of a module that the statement reads.
func (s *source) pin(m *module) (vtab.Pin, error) {
	if s.tx == nil || s.tx.parts[m.index] == nil {
		return s.base.pins[m.index], nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own == nil {
		s.own = make([]vtab.Pin, len(s.db.modules))
	}
	if s.own[m.index] == nil {
		v, err := s.tx.parts[m.index].View()
		if err != nil {
			return nil, err
		}
		s.own[m.index] = v
	}
	return s.own[m.index], nil
}

// close gives back the views taken.
func (s *source) close() error {
	err := closePins(s.own)
	s.own = nil
	return err
}
