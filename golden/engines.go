package golden

import (
	"context"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv/mem"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
	"github.com/quereus/quereus-migrate/vtab/store"
)

// moduleName is what conformance files call the default module. A run over Pebble gives it the durable store, so that files
// which write USING memory test that store too.
const moduleName = "memory"

// MemorySession opens a session on a fresh database in memory. It cannot be reopened.
func MemorySession(ctx context.Context) (Session, error) {
	return openSession(ctx, func() (*store.Module, error) { return store.New(ctx, moduleName, mem.Open(), store.Options{}) })
}

// PebbleSession opens a session on a fresh Pebble database in a file system in memory.
func PebbleSession(ctx context.Context) (Session, error) {
	fs := pebble.MemFS()
	return openSession(ctx, func() (*store.Module, error) {
		kv, err := pebble.Open("db", pebble.Options{FS: fs, Create: true, CacheBytes: 1 << 20, MemTableBytes: 1 << 20})
		if err != nil {
			return nil, err
		}
		return store.New(ctx, moduleName, kv, store.Options{})
	})
}

// session drives an engine.Conn.
type session struct {
	open func() (*store.Module, error)
	db   *engine.DB
	conn *engine.Conn
}

func openSession(ctx context.Context, open func() (*store.Module, error)) (Session, error) {
	s := &session{open: open}
	return s, s.connect(ctx, nil)
}

func (s *session) connect(ctx context.Context, resume *engine.Session) error {
	m, err := s.open()
	if err != nil {
		return err
	}
	if s.db, err = engine.New(ctx, engine.Options{Modules: []engine.ModuleEntry{{Name: moduleName, Module: m}}}); err != nil {
		return err
	}
	if resume == nil {
		s.conn = s.db.Conn()
	} else {
		s.conn = s.db.Resume(resume)
	}
	return nil
}

func (s *session) Exec(ctx context.Context, sql string) error {
	_, err := s.conn.Exec(ctx, sql, engine.Params{})
	return err
}

func (s *session) Query(ctx context.Context, sql string) (lines []string, err error) {
	rows, err := s.conn.Query(ctx, sql, engine.Params{})
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := rows.Close(); err == nil {
			err = e
		}
	}()
	names := make(types.Row, 0, 8)
	for _, n := range rows.Columns() {
		names = append(names, types.Text(n))
	}
	lines = append(lines, jsonLine(names))
	for {
		row, err := rows.Next()
		if row == nil || err != nil {
			return lines, err
		}
		lines = append(lines, jsonLine(row))
	}
}

// jsonLine is a row as a JSON array.
func jsonLine(row types.Row) string { return string(types.AppendWireRow(nil, row)) }

func (s *session) Conn() *engine.Conn { return s.conn }

func (s *session) InTransaction() bool { return s.conn.InTransaction() }

func (s *session) Reopen(ctx context.Context) error {
	resume := s.conn.Session()
	if err := s.Close(); err != nil {
		return err
	}
	return s.connect(ctx, resume)
}

func (s *session) Close() error {
	err := s.conn.Close()
	if e := s.db.Close(); err == nil {
		err = e
	}
	return err
}
