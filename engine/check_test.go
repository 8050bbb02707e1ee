package engine

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/mem"
	"github.com/quereus/quereus-migrate/vtab/store"
)

// checked is a database with a bit of everything, and the store below it.
type checked struct {
	kv   kv.Store
	mod  *store.Module
	db   *DB
	conn *Conn
}

const checkedSchema = `
	create table item (id integer primary key, code text collate nocase, n integer null, d date null, doc json null, unique (code));
	create index by_n on item (n desc);
	create unique index few on item (n) where n < 5;
	create index sums on item (id + n);
	create view v as select id from item;
	create assertion positive check (not exists (select 1 from item where id < 0));
	insert into item select value, 'c' || value, nullif(value, 9), '2024-02-29', '{"a":[1,null]}' from generate_series(0, 9);
	create table side (x any null) using memory;
	insert into side values (1), ('a'), (null)`

func openChecked(t *testing.T) *checked {
	ctx := context.Background()
	c := &checked{kv: mem.Open()}
	var err error
	c.mod, err = store.New(ctx, storeModule, c.kv, store.Options{})
	require.NoError(t, err)
	side, err := store.New(ctx, memoryModule, mem.Open(), store.Options{})
	require.NoError(t, err)
	c.db, err = New(ctx, Options{Modules: []ModuleEntry{{storeModule, c.mod}, {memoryModule, side}}})
	require.NoError(t, err)
	c.conn = c.db.Conn()
	t.Cleanup(func() {
		require.NoError(t, c.conn.Close())
		require.NoError(t, c.db.Close())
	})
	c.exec(t, checkedSchema)
	return c
}

func (c *checked) exec(t *testing.T, sql string) {
	_, err := c.conn.Exec(context.Background(), sql, Params{})
	require.NoError(t, err)
}

// migrate applies a declaration, and so makes a history entry.
func (c *checked) migrate(t *testing.T, declaration string) {
	ctx := context.Background()
	c.exec(t, declaration)
	d := c.conn.session.declared[catalog.MainSchema]
	p, err := c.conn.Diff(ctx, d, DiffOptions{AllowDestructive: true})
	require.NoError(t, err)
	_, err = c.conn.Migrate(ctx, p, MigrateOptions{Allow: 99, LockTimeout: time.Second})
	require.NoError(t, err)
}

// raw writes to the store behind the back of everybody, and then lets the database notice.
func (c *checked) raw(t *testing.T, f func(kv.Batch) error) {
	b := c.kv.NewBatch()
	require.NoError(t, f(b))
	require.NoError(t, c.kv.Commit(b, false))
	c.exec(t, "create table noticed (x integer primary key); drop table noticed")
}

// insert puts a row into table item that no statement would.
func (c *checked) insert(t *testing.T, row ...types.Value) {
	ctx := context.Background()
	cat, err := c.db.Catalog()
	require.NoError(t, err)
	def := cat.Table(catalog.MainSchema, "item")
	spec, err := c.conn.tableSpec(ctx, cat, def)
	require.NoError(t, err)
	pin, err := c.mod.Pin(ctx)
	require.NoError(t, err)
	part, err := c.mod.Begin(ctx, c.conn, pin)
	require.NoError(t, err)
	table, err := c.mod.Connect(ctx, vtab.ConnectRequest{Table: def, Conn: part, Spec: spec})
	require.NoError(t, err)
	_, err = table.Update(ctx, &vtab.RowOp{Kind: vtab.OpInsert, New: row})
	require.NoError(t, err)
	require.NoError(t, table.Close())
	require.NoError(t, part.Prepare(ctx, &vtab.Commit{}))
	require.NoError(t, part.Commit(ctx))
	c.raw(t, func(kv.Batch) error { return nil })
}

func (c *checked) faults(t *testing.T) (*CheckReport, []string) {
	r, err := c.db.Check(context.Background())
	require.NoError(t, err)
	out := []string{}
	for _, f := range r.Faults {
		out = append(out, f.String())
	}
	return r, out
}

func parseSelect(t *testing.T, sql string) *ast.SelectStmt {
	stmts, err := parse.Stmts(ast.NewSource("", sql))
	require.NoError(t, err)
	return stmts[0].(*ast.SelectStmt)
}

func TestCheck(t *testing.T) {
	record := func(kind catalog.RecordKind, id catalog.ID) []byte {
		return append([]byte{3}, catalog.RecordKey(kind, id)...)
	}
	for _, test := range []struct {
		name   string
		damage func(t *testing.T, c *checked)
		faults []string
	}{
		{"sound", func(*testing.T, *checked) {}, []string{}},
		{"after changes", func(t *testing.T, c *checked) {
			c.exec(t, `alter table item add column extra text default 'x'; alter table item drop column d; delete from item where id = 3;
				update item set n = n + 100; alter table item alter primary key (code); drop index by_n`)
		}, []string{}},
		{"after a migration", func(t *testing.T, c *checked) {
			c.migrate(t, "declare schema main { table item { id integer primary key, n text null } }")
		}, []string{}},
		{"stray values", func(t *testing.T, c *checked) {
			c.insert(t, types.Int(50), types.Null, types.Null, types.Text("yesterday"), types.Null)
			c.insert(t, types.Text("key"), types.Text("k"), types.Null, types.Null, types.Blob([]byte{1}))
		}, []string{
			"main.item: row [50]: column code is NULL",
			"main.item: row [50]: column d holds a value that is no DATE",
			`main.item: row ["key"]: column id holds a value that is no INTEGER`,
			`main.item: row ["key"]: column doc holds a value that is no JSON`,
		}},
		{"range of nothing", func(t *testing.T, c *checked) {
			c.raw(t, func(b kv.Batch) error { return b.Set([]byte{0x10, 1, 200, 1}, nil) })
		}, []string{"module store: range 200 holds entries and belongs to nothing"}},
		{"entry lost", func(t *testing.T, c *checked) {
			c.raw(t, func(b kv.Batch) error { return b.Delete([]byte{0x10, 1, 4, 0x1b, 0x00}) })
		}, []string{"main.item: index few has 4 entries, its rows call for 5", "main.item: index few: row /data/1/0 has no entry"}},
		{"record lost", func(t *testing.T, c *checked) {
			c.raw(t, func(b kv.Batch) error { return b.Delete(record(catalog.ViewRecord, 6)) })
		}, []string{"main.v: it has no record"}},
		{"record of nothing", func(t *testing.T, c *checked) {
			v := &catalog.View{ID: 77, Schema: "main", Name: "w", Body: parseSelect(t, "select 1")}
			c.raw(t, func(b kv.Batch) error { return b.Set(record(catalog.ViewRecord, 77), catalog.EncodeView(v)) })
		}, []string{"record 76000000000000004d is of nothing that the open database knows"}},
		{"record damaged", func(t *testing.T, c *checked) {
			c.raw(t, func(b kv.Batch) error { return b.Set(record(catalog.ViewRecord, 6), []byte{1}) })
		}, []string{"record 760000000000000006: a catalog record is damaged", "main.v: it has no record"}},
		{"history", func(t *testing.T, c *checked) {
			c.migrate(t, "declare schema main { table item { id integer primary key, n text null } }")
			c.migrate(t, "declare schema main { table item { id integer primary key } }")
			c.raw(t, func(b kv.Batch) error { return b.Delete([]byte{4, 0, 0, 0, 0, 0, 0, 0, 1}) })
		}, []string{"history entry 1 is numbered 2, under the key 0000000000000002"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := openChecked(t)
			test.damage(t, c)
			r, faults := c.faults(t)
			require.Equal(t, test.faults, faults)
			if test.name == "sound" {
				require.Equal(t, &CheckReport{Tables: 2, Rows: 13, Entries: 10 + 10 + 5 + 10}, r)
			}
		})
	}
}
