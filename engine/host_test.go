package engine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/catalog/schemafile"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/golden"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
)

var ctx = context.Background()

// host is a database under test, with the way to open it again.
type host struct {
	t       testing.TB
	db      *engine.DB
	open    func(engine.Options) (*engine.DB, error)
	durable bool
}

// hosts are the engines that must behave alike.
var hosts = map[string]func() *host{
	"memory": func() *host {
		return &host{open: func(o engine.Options) (*engine.DB, error) { return engine.OpenMemory(ctx, o) }}
	},
	"pebble": func() *host {
		p := pebble.Options{FS: pebble.MemFS(), Create: true, CacheBytes: 1 << 20, MemTableBytes: 1 << 20}
		return &host{durable: true, open: func(o engine.Options) (*engine.DB, error) { return engine.OpenDir(ctx, "db", p, o) }}
	},
}

// onEach runs a test on a fresh database of each engine.
func onEach(t *testing.T, f func(t *testing.T, h *host)) {
	for name, make := range hosts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, startHost(t, make()))
		})
	}
}

// onEachAlone is onEach for tests that measure the process's memory: nothing runs beside them.
func onEachAlone(t *testing.T, f func(t *testing.T, h *host)) {
	for name, make := range hosts {
		t.Run(name, func(t *testing.T) { f(t, startHost(t, make())) })
	}
}

// startHost opens the database of a new host.
func startHost(t testing.TB, h *host) *host {
	h.t = t
	h.start(engine.Options{})
	return h
}

// start opens the database, which is closed at the end of the test; a leak of what readers hold fails that.
func (h *host) start(o engine.Options) {
	h.t.Helper()
	db, err := h.open(o)
	require.NoError(h.t, err)
	h.db = db
	h.t.Cleanup(func() { require.NoError(h.t, db.Close()) })
}

// reopen closes a durable database and opens it again.
func (h *host) reopen(o engine.Options) {
	h.t.Helper()
	require.NoError(h.t, h.db.Close())
	h.start(o)
}

// session is a connection that fails the test when a statement fails.
type session struct {
	*engine.Conn
	t tester
}

// tester is what testing.TB and rapid.T have in common.
type tester interface {
	require.TestingT
	Helper()
}

func (h *host) conn() *session {
	c := h.db.Conn()
	h.t.Cleanup(func() { require.NoError(h.t, c.Close()) })
	return &session{Conn: c, t: h.t}
}

func (s *session) exec(sql string, args ...types.Value) int64 {
	s.t.Helper()
	n, err := s.Exec(ctx, sql, engine.Args(args...))
	require.NoError(s.t, err, sql)
	return n
}

// fails runs a statement that must fail with a code and a message that holds a fragment.
func (s *session) fails(code types.Code, fragment, sql string, args ...types.Value) {
	s.t.Helper()
	_, err := s.Exec(ctx, sql, engine.Args(args...))
	require.Error(s.t, err, sql)
	refused(s.t, err, code, fragment)
}

func refused(t tester, err error, code types.Code, fragment string) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, code, types.CodeOf(err), err.Error())
	require.ErrorContains(t, err, fragment)
}

// rows gives the rows of a query, values joined by | and rows by blanks.
func (s *session) rows(sql string, args ...types.Value) string {
	s.t.Helper()
	r, err := s.Query(ctx, sql, engine.Args(args...))
	require.NoError(s.t, err, sql)
	return rest(s.t, r)
}

// rest reads rows to their end and closes them.
func rest(t tester, r *engine.Rows) string {
	t.Helper()
	var out []string
	for {
		row, err := r.Next()
		require.NoError(t, err)
		if row == nil {
			break
		}
		var values []string
		for _, v := range row {
			values = append(values, types.ToText(v))
		}
		out = append(out, strings.Join(values, "|"))
	}
	require.NoError(t, r.Close())
	return strings.Join(out, " ")
}

// drain runs a query to its end, closes its rows, and gives the error that it met.
func drain(t tester, r *engine.Rows, err error) error {
	t.Helper()
	if err != nil {
		return err
	}
	for row := (types.Row{}); err == nil && row != nil; {
		row, err = r.Next()
	}
	require.NoError(t, r.Close())
	return err
}

func (s *session) dump() string {
	s.t.Helper()
	d, err := golden.Dump(ctx, s.Conn)
	require.NoError(s.t, err)
	return d
}

// declared reads a schema file.
func declared(t tester, text string) *catalog.Declared {
	t.Helper()
	all, err := schemafile.Read(ast.NewSource("schema.sql", text))
	require.NoError(t, err)
	require.Len(t, all, 1)
	return all[0]
}

// plan compares the database with a schema file.
func (s *session) plan(text string) *differ.Plan {
	s.t.Helper()
	p, err := s.Diff(ctx, declared(s.t, text), engine.DiffOptions{})
	require.NoError(s.t, err)
	return p
}

// migrate applies a schema file and checks that nothing is left to do.
func (s *session) migrate(text string) *engine.MigrateResult {
	s.t.Helper()
	p := s.plan(text)
	r, err := s.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Destructive})
	require.NoError(s.t, err)
	second := s.plan(text)
	require.Empty(s.t, second.Statements())
	require.Equal(s.t, p.To, second.From)
	return r
}

// scalar makes options with a function of one argument registered.
func scalar(t testing.TB, name string, deterministic bool, f func(types.Value) (types.Value, error)) engine.Options {
	t.Helper()
	o := engine.Options{Functions: function.Builtins()}
	require.NoError(t, o.Functions.Register(&function.Function{
		Name: name, Args: 1, Deterministic: deterministic,
		Eval: func(_ *function.Call, args []types.Value) (types.Value, error) { return f(args[0]) },
	}))
	return o
}

// within gives a context that ends soon.
func within(t testing.TB, d time.Duration) context.Context {
	c, cancel := context.WithTimeout(ctx, d)
	t.Cleanup(cancel)
	return c
}
