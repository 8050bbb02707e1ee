package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// Tables in memory and durable ones in one transaction: it commits, fails and rolls back as one.
func TestTwoModules(t *testing.T) {
	h := hosts["pebble"]()
	h.t = t
	h.start(engine.Options{})
	c, other := h.conn(), h.conn()
	c.exec("create table kept (id integer primary key); create table brief (id integer primary key) using memory; create table held (id integer primary key check (id < 100)) using store")
	c.exec("create assertion few check ((select count(*) from brief) < 5)")

	c.exec("begin; insert into kept values (1); insert into brief values (1), (2); insert into held values (3)")
	require.Equal(t, "0", other.rows("select (select count(*) from kept) + (select count(*) from brief)"))
	c.exec("savepoint s; insert into brief values (4); insert into kept values (4); rollback to s; commit")
	require.Equal(t, "1|2|1", other.rows("select (select count(*) from kept), (select count(*) from brief), (select count(*) from held)"))

	before := c.dump()
	c.exec("begin; insert into brief values (10); insert into kept values (10); alter table brief add column v integer default 1; create table more (id integer primary key) using memory; rollback")
	require.Equal(t, before, c.dump())
	c.exec("begin; insert into brief values (10), (11), (12), (13); insert into kept values (10)")
	c.fails(types.CONSTRAINT, "few", "commit")
	require.Equal(t, before, c.dump())
	// A statement over both that fails undoes both.
	c.exec("begin")
	c.fails(types.CONSTRAINT, "CHECK", "insert into held select 1000 from brief")
	c.exec("insert into brief select id + 50 from kept; rollback")
	require.Equal(t, before, c.dump())

	require.NoError(t, c.Close())
	require.NoError(t, other.Close())
	h.reopen(engine.Options{})
	c = h.conn()
	require.Equal(t, "1|1", c.rows("select (select count(*) from kept), (select count(*) from held)"))
}

// A record of a table in memory does not outlive its rows.
func TestMemoryTablesGoWithTheProcess(t *testing.T) {
	h := hosts["pebble"]()
	h.t = t
	h.start(engine.Options{})
	c := h.conn()
	c.exec("create table brief (id integer primary key) using memory; insert into brief values (1)")
	require.NoError(t, c.Close())
	h.reopen(engine.Options{})
	c = h.conn()
	c.fails(types.NOTFOUND, "brief", "select * from brief")
	c.exec("create table brief (id integer primary key) using memory")
	require.Equal(t, "", c.rows("select * from brief"))
}

func TestUnknownModules(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.fails(types.ERROR, "No virtual table module named 'nowhere'", "create table t (id integer primary key) using nowhere")
		require.Equal(t, "", c.dump())
	})
	_, err := engine.New(ctx, engine.Options{})
	refused(t, err, types.MISUSE, "module")
}

// outsider is a module that creates tables and takes no part in transactions.
type outsider struct{}

func (outsider) Connect(context.Context, vtab.ConnectRequest) (vtab.Table, error) {
	return nil, types.Errorf(types.UNSUPPORTED, "nothing to open")
}

func (outsider) Create(_ context.Context, _ vtab.Conn, t *catalog.Table) (*catalog.Table, error) {
	return t, nil
}

// TestStrictDDLPolicy: under strict, tables of a module without transactions are not changed inside one; nothing else is refused.
func TestStrictDDLPolicy(t *testing.T) {
	db, err := engine.OpenMemory(ctx, engine.Options{Modules: []engine.ModuleEntry{{Name: "outside", Module: outsider{}}}})
	require.NoError(t, err)
	defer db.Close()
	s := &session{Conn: db.Conn(), t: t}
	defer s.Close()
	s.exec("pragma ddl_transaction_policy = strict; begin; create table t (id integer primary key)")
	s.fails(types.ERROR, "ddl_transaction_policy = strict", "create table x (id integer primary key) using outside")
	s.exec("pragma ddl_transaction_policy = permissive")
	s.exec("create table x (id integer primary key) using outside; commit; insert into t values (1)")
	s.fails(types.UNSUPPORTED, "nothing to open", "insert into x values (1)")
}
