package vtabtest

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// session is one database over the module: its committed tables with the rows that they should have.
type session struct {
	t      testing.TB
	h      Harness
	m      Module
	tables state
	ids    ids
}

// state is tables by name.
type state map[string]relation

// relation is a table with the rows that it should have, in no order.
type relation struct {
	def  *catalog.Table
	rows []types.Row
}

type ids struct{ id, seq uint64 }

func (a *ids) NewID() catalog.ID { a.id++; return catalog.ID(a.id) }
func (a *ids) NewSeq() uint64    { a.seq++; return a.seq }

func newSession(t testing.TB, h Harness) *session {
	return &session{t: t, h: h, m: h.Open(t), tables: state{}}
}

// txn is a transaction of a session: its tables as it sees them, and as they were at its savepoints.
type txn struct {
	*session
	conn  vtab.Conn
	now   state
	marks []state
}

func (s *session) begin() *txn {
	pin := must[vtab.Pin](s.t)(s.m.Pin(background))
	conn := must[vtab.Conn](s.t)(s.m.Begin(background, s.h.database(), pin))
	return &txn{session: s, conn: conn, now: maps.Clone(s.tables)}
}

func (x *txn) prepare() error {
	c := &vtab.Commit{}
	for name, r := range x.now {
		if before, ok := x.tables[name]; !ok {
			c.Tables = append(c.Tables, vtab.TableChange{After: r.def})
		} else if before.def != r.def {
			c.Tables = append(c.Tables, vtab.TableChange{Before: before.def, After: r.def})
		}
	}
	for name, r := range x.tables {
		if _, ok := x.now[name]; !ok {
			c.Tables = append(c.Tables, vtab.TableChange{Before: r.def})
		}
	}
	return x.conn.Prepare(background, c)
}

func (x *txn) tryCommit() error {
	if err := x.prepare(); err != nil {
		return err
	}
	if err := x.conn.Commit(background); err != nil {
		return err
	}
	x.tables = x.now
	return nil
}

func (x *txn) commit()   { require.NoError(x.t, x.tryCommit()) }
func (x *txn) rollback() { require.NoError(x.t, x.conn.Rollback()) }

func (x *txn) savepoint() int {
	depth := len(x.marks)
	require.NoError(x.t, x.conn.Savepoint(background, depth))
	x.marks = append(x.marks, maps.Clone(x.now))
	return depth
}

func (x *txn) rollbackTo(depth int) {
	require.NoError(x.t, x.conn.RollbackTo(depth))
	x.now, x.marks = maps.Clone(x.marks[depth]), x.marks[:depth+1]
}

func (x *txn) release(depth int) {
	require.NoError(x.t, x.conn.Release(depth))
	x.marks = x.marks[:depth]
}

// exec runs fn in a transaction of its own.
func (s *session) exec(fn func(x *txn)) {
	x := s.begin()
	fn(x)
	x.commit()
}

// env builds definitions from text.
func (s *session) env() catalog.BuildEnv {
	return catalog.BuildEnv{Types: types.NewRegistry(), Module: "test", IDs: &s.ids}
}

func (s *session) statement(sql string) ast.Stmt {
	list := must[[]ast.Stmt](s.t)(parse.Stmts(ast.NewSource("test", sql)))
	return list[0]
}

// create makes a table from the text of a CREATE TABLE; indexes are added from those of CREATE INDEX.
func (x *txn) create(sql string, indexes ...string) *catalog.Table {
	t := must[*catalog.Table](x.t)(catalog.BuildTable(x.statement(sql).(*ast.CreateTableStmt), x.env()))
	for _, text := range indexes {
		t.Indexes = append(t.Indexes, x.index(t, text))
	}
	t = must[*catalog.Table](x.t)(x.m.Create(background, x.conn, t))
	x.now[t.Name] = relation{def: t}
	return t
}

func (x *txn) index(t *catalog.Table, sql string) *catalog.Index {
	return must[*catalog.Index](x.t)(catalog.BuildIndex(x.statement(sql).(*ast.CreateIndexStmt), t, x.env()))
}

func (x *txn) drop(name string) { delete(x.now, name) }

// open opens a table on the transaction's present state.
func (x *txn) open(name string) (vtab.Table, func()) {
	pin := must[vtab.Pin](x.t)(x.conn.View())
	t := must[vtab.Table](x.t)(x.connect(x.now[name].def, pin))
	return t, func() {
		require.NoError(x.t, t.Close())
		require.NoError(x.t, pin.Close())
	}
}

func (x *txn) connect(def *catalog.Table, pin vtab.Pin) (vtab.Table, error) {
	return x.m.Connect(background, vtab.ConnectRequest{Table: def, Pin: pin, Conn: x.conn, Spec: specOf(def)})
}

// do runs one row operation through the module and the model, and compares their outcomes.
func (x *txn) do(name string, op vtab.RowOp) vtab.UpdateResult {
	x.t.Helper()
	r, err := x.tryDo(name, op)
	require.NoError(x.t, err)
	return r
}

func (x *txn) tryDo(name string, op vtab.RowOp) (vtab.UpdateResult, error) {
	x.t.Helper()
	rel := x.now[name]
	t, err := x.m.Connect(background, vtab.ConnectRequest{Table: rel.def, Conn: x.conn, Spec: specOf(rel.def)})
	if err != nil {
		return vtab.UpdateResult{}, err
	}
	defer t.Close()
	got, err := t.Update(background, &op)
	if err != nil {
		return got, err
	}
	rows, want := rel.apply(x.t, &op)
	x.sameResult(want, got)
	x.now[name] = relation{def: rel.def, rows: rows}
	return got, nil
}

func (x *txn) sameResult(want, got vtab.UpdateResult) {
	x.t.Helper()
	require.Equal(x.t, want.Status, got.Status)
	require.Equal(x.t, rowText(want.Replaced), rowText(got.Replaced), "replaced row")
	require.ElementsMatch(x.t, rowTexts(want.Evicted), rowTexts(got.Evicted), "evicted rows")
	if want.Failed == nil {
		require.Nil(x.t, got.Failed)
		return
	}
	require.NotNil(x.t, got.Failed)
	require.Equal(x.t, want.Failed.Message, got.Failed.Message)
	require.Equal(x.t, want.Failed.Primary, got.Failed.Primary)
	require.Equal(x.t, want.Failed.Action, got.Failed.Action)
	require.Equal(x.t, rowText(want.Failed.Existing), rowText(got.Failed.Existing), "row in the way")
}

func (x *txn) insert(name string, rows ...types.Row) {
	x.t.Helper()
	for _, r := range rows {
		require.Equal(x.t, vtab.Done, x.do(name, vtab.RowOp{Kind: vtab.OpInsert, New: r}).Status)
	}
}

// update replaces the row with the given key values.
func (x *txn) update(name string, old, row types.Row) {
	x.t.Helper()
	require.Equal(x.t, vtab.Done, x.do(name, vtab.RowOp{Kind: vtab.OpUpdate, Old: old, New: row}).Status)
}

func (x *txn) delete(name string, old types.Row) {
	x.t.Helper()
	require.Equal(x.t, vtab.Done, x.do(name, vtab.RowOp{Kind: vtab.OpDelete, Old: old}).Status)
}

// alter runs an alteration through the module and the model. It gives the module's error, which the model must share.
func (x *txn) alter(name string, a *vtab.Alteration) error {
	x.t.Helper()
	rel := x.now[name]
	require.Same(x.t, rel.def, a.Before)
	a.AfterSpec = specOf(a.After)
	rows, want := alterRows(a, rel.rows)
	after, err := x.m.Alter(background, x.conn, a)
	if types.CodeOf(err) == types.IOERR {
		return err
	}
	require.Equal(x.t, types.CodeOf(want), types.CodeOf(err), "want %v, got %v", want, err)
	if err != nil {
		require.Equal(x.t, want.Error(), err.Error())
		return err
	}
	x.now[name] = relation{def: after, rows: rows}
	return nil
}

// check compares all tables, as the transaction sees them, with the model.
func (x *txn) check() {
	x.t.Helper()
	pin := must[vtab.Pin](x.t)(x.conn.View())
	x.checkState(pin, x.now)
	require.NoError(x.t, pin.Close())
}

// check compares all committed tables with the model.
func (s *session) check() {
	s.t.Helper()
	pin := must[vtab.Pin](s.t)(s.m.Pin(background))
	s.checkState(pin, s.tables)
	require.NoError(s.t, pin.Close())
}

func (s *session) checkState(pin vtab.Pin, tables state) {
	s.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		s.checkTable(pin, tables[name])
	}
}

// checkTable reads every structure of a table in full, in both directions.
func (s *session) checkTable(pin vtab.Pin, rel relation) {
	s.t.Helper()
	t := must[vtab.Table](s.t)(s.m.Connect(background, vtab.ConnectRequest{Table: rel.def, Pin: pin}))
	for _, st := range structuresOf(rel.def) {
		want := st.order(s.t, rel)
		for _, reverse := range []bool{false, true} {
			access := &vtab.AccessPlan{Index: st.ref, Reverse: reverse}
			got := s.scan(t, &vtab.Filter{Access: access, Columns: vtab.AllColumns(len(rel.def.Columns))}, len(rel.def.Columns))
			require.Equal(s.t, rowTexts(want), rowTexts(got), "table %s by %s, reverse %v", rel.def.Name, st.name, reverse)
			slices.Reverse(want)
		}
	}
	if p, ok := t.(vtab.StatisticsProvider); ok {
		n, exact, err := p.RowCount(background)
		require.NoError(s.t, err)
		if exact {
			require.EqualValues(s.t, len(rel.rows), n, "row count of %s", rel.def.Name)
		}
	}
	require.NoError(s.t, t.Close())
}

// scan reads an access to its end. What a cursor gives away after its first row is read in parts.
func (s *session) scan(t vtab.Table, f *vtab.Filter, width int) []types.Row {
	s.t.Helper()
	c := must[vtab.Cursor](s.t)(t.Scan(background, f))
	var out []types.Row
	var parts []vtab.Part
	if splitter, ok := c.(vtab.Splitter); ok {
		first := vtab.NewBatch(1, width)
		n, err := c.Next(background, first)
		require.NoError(s.t, err)
		for _, r := range first.Rows[:n] {
			out = append(out, r.Clone())
		}
		if n > 0 {
			parts, err = splitter.Split()
			require.NoError(s.t, err)
		}
	}
	out = s.rest(c, width, out)
	for _, p := range parts {
		part := must[vtab.Cursor](s.t)(t.(vtab.PartScanner).ScanPart(background, f, p))
		out = s.rest(part, width, out)
	}
	return out
}

// rest reads a cursor to its end and closes it.
func (s *session) rest(c vtab.Cursor, width int, out []types.Row) []types.Row {
	s.t.Helper()
	for r, err := range vtab.Rows(background, c, width) {
		require.NoError(s.t, err)
		out = append(out, r.Clone())
	}
	require.NoError(s.t, c.Close())
	return out
}
