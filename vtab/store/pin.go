package store

import (
	"context"
	"sync/atomic"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// snapshot is one committed state, shared by all who read it.
type snapshot struct {
	kv.Snapshot
	seq  uint64 // the commits that it has
	refs int    // pins and transactions on it; guarded by Module.mu
}

// pinSet is the snapshots in use, and the one of the last commit, which is kept for the next reader until another commit lands.
type pinSet struct {
	current *snapshot
	// live are the snapshots with references, in order of seq.
	live []*snapshot
}

func (p *pinSet) held() bool { return len(p.live) > 0 }

// oldest gives the seq of the oldest state in use; any is false when there is none.
func (p *pinSet) oldest() (seq uint64, any bool) {
	if len(p.live) == 0 {
		return 0, false
	}
	return p.live[0].seq, true
}

// dropCurrent lets go of the state of the last commit.
func (p *pinSet) dropCurrent() error {
	c := p.current
	p.current = nil
	if c == nil || c.refs > 0 {
		return nil
	}
	return c.Close()
}

// acquire adds a reference to the state of the last commit.
func (m *Module) acquire() (*snapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pins.current == nil {
		snap, err := m.store.NewSnapshot()
		if err != nil {
			return nil, err
		}
		m.pins.current = &snapshot{Snapshot: snap, seq: m.seq}
	}
	m.retain(m.pins.current)
	return m.pins.current, nil
}

// retain adds a reference. The caller holds mu.
func (m *Module) retain(s *snapshot) {
	if s.refs == 0 {
		m.pins.live = append(m.pins.live, s)
	}
	s.refs++
}

// release takes a reference away, and clears the ranges that only this state could still name.
func (m *Module) release(s *snapshot) error {
	m.mu.Lock()
	s.refs--
	last := s.refs == 0
	if last {
		for i, l := range m.pins.live {
			if l == s {
				m.pins.live = append(m.pins.live[:i:i], m.pins.live[i+1:]...)
				break
			}
		}
	}
	unused := last && s != m.pins.current
	waiting := last && len(m.retired) > 0
	m.mu.Unlock()
	var err error
	if unused {
		err = s.Close()
	}
	if waiting {
		m.clearRetired()
	}
	return err
}

// pin is a committed state, or a transaction's state at a moment.
type pin struct {
	m      *Module
	snap   *snapshot
	view   *kv.View // nil for a committed state
	conn   *Conn    // of a view that is counted there
	closed atomic.Bool
}

// Pin implements vtab.Transactor.
func (m *Module) Pin(context.Context) (vtab.Pin, error) {
	s, err := m.acquire()
	if err != nil {
		return nil, types.Wrapf(types.IOERR, err, "module %s", m.name)
	}
	return &pin{m: m, snap: s}, nil
}

// pinOf gives our own form of a pin, which must be one of this module.
func (m *Module) pinOf(p vtab.Pin) (*pin, error) {
	own, ok := p.(*pin)
	if !ok || own.m != m {
		return nil, types.Errorf(types.INTERNAL, "module %s was handed a pin of another module", m.name)
	}
	if own.closed.Load() {
		return nil, types.Errorf(types.MISUSE, "module %s was handed a closed pin", m.name)
	}
	return own, nil
}

func (p *pin) reader() kv.Reader {
	if p.view != nil {
		return p.view
	}
	return p.snap
}

// Close implements vtab.Pin. Calling it again does nothing.
func (p *pin) Close() error {
	if p.closed.Swap(true) {
		return nil
	}
	var err error
	if p.view != nil {
		err = p.view.Close()
	}
	if p.conn != nil {
		p.conn.views.Add(-1)
	}
	if e := p.m.release(p.snap); err == nil {
		err = e
	}
	return err
}
