package function_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/types"
)

const shopSchema = `
	create table shop (id integer primary key, town text collate nocase default 'x');
	create table item (
		id integer, shop integer references shop on delete set null, name text, price real default (1 + 2) check (price > 0), twice real generated always as (price * 2),
		primary key (shop, id desc), constraint named unique (name) with tags (note = 'n', "quereus.expose_implicit_index" = true),
		check on delete (id > 0), foreign key (shop, id) references nowhere, foreign key (id, shop) references item) with tags (k = 1);
	create index item_name on item (lower(name), price desc) where price > 5;
	create unique index item_price on item (price) with tags (why = 'u');
	create view cheap as select id from item where price < 5;
	create view cheaper as select id from cheap where exists (select 1 from shop);
	create assertion few check ((select count(*) from cheaper, item as i) < 10);
	create assertion none check (not exists (with item as (select 1) select * from item))`

func shopCatalog(t require.TestingT) *catalog.Snapshot {
	h := newHarness()
	require.NoError(t, h.exec(shopSchema))
	return h.call.Catalog
}

func TestIntrospection(t *testing.T) {
	h := newHarness()
	h.call.Catalog = shopCatalog(t)
	for _, c := range []struct{ sql, want string }{
		{`select name, dflt_value, pk, collation, "generated" from table_info('ITEM')`,
			`["id",null,1,"BINARY",0]` + "\n" + `["shop",null,1,"BINARY",0]` + "\n" + `["name",null,0,"BINARY",0]` + "\n" + `["price","1 + 2",0,"BINARY",0]` + "\n" + `["twice",null,0,"BINARY",1]`},
		{"select * from index_info('item')", `["named",0,"name",0,"BINARY",0,0,null]` + "\n" + `["item_name",0,null,0,"BINARY",0,1,null]` + "\n" +
			`["item_name",1,"price",1,"BINARY",0,1,null]` + "\n" + `["item_price",0,"price",0,"BINARY",1,0,"{\"why\":\"u\"}"]`},
		{"select * from unique_constraint_info('item')", `[0,"named",0,"name",0,"{\"note\":\"n\",\"quereus.expose_implicit_index\":true}"]` + "\n" +
			`[1,"item_price",0,"price",0,"{\"why\":\"u\"}"]`},
		{"select id, name, expr, operations from check_constraint_info('item')", `[0,"_check_price","price > 0","insert,update"]` + "\n" + `[1,null,"id > 0","delete"]`},
		{`select id, name, "from", referenced_table, "to", on_delete, seq from foreign_key_info('item')`, `[0,"_fk_item_shop","shop","shop","id","setNull",0]` + "\n" +
			`[1,"_fk_item_shop_id","shop","nowhere",null,"restrict",0]` + "\n" + `[1,"_fk_item_shop_id","id","nowhere",null,"restrict",1]` + "\n" +
			`[2,"_fk_item_id_shop","id","item","shop","restrict",0]` + "\n" + `[2,"_fk_item_id_shop","shop","item","id","restrict",1]`},
		{"select name, is_updatable, base_table, base_column from column_info('item') where cid in (0, 4)", `["item","YES","item","id"]` + "\n" + `["item","NO",null,null]`},
		{"select type, name, tbl_name from schema() where type <> 'function'", `["table","shop","shop"]` + "\n" + `["table","item","item"]` + "\n" +
			`["index","named","item"]` + "\n" + `["index","item_name","item"]` + "\n" + `["index","item_price","item"]` + "\n" + `["view","cheap","cheap"]` + "\n" + `["view","cheaper","cheaper"]`},
		{"select sql from schema() where name = 'named'", `["CREATE INDEX \"named\" ON \"item\" (\"name\" COLLATE BINARY)"]`},
		{"select violation_sql, dependent_tables from assertion_info() where name = 'few'", `["select 1 where not ((select count(*) from cheaper, item as i) < 10)",` +
			`"[{\"relationKey\":\"main.item#0\",\"base\":\"main.item\"},{\"relationKey\":\"main.shop#1\",\"base\":\"main.shop\"},{\"relationKey\":\"main.item#2\",\"base\":\"main.item\"}]"]`},
		{"select dependent_tables from assertion_info() where name = 'none'", `["[]"]`},
		{"select * from view_info('item')", ""},
		{"select * from function_info('ntile')", `["ntile",1,"window",1,2049,"FUNCTION ntile(?)"]`},
		{"select * from function_info('random')", `["random",0,"scalar",0,1,"FUNCTION random()"]`},
	} {
		h.requireAnswer(t, c.sql, c.want)
	}
}

func TestSessionFormOfSchema(t *testing.T) {
	h := newHarness()
	require.NoError(t, h.exec("create table t (id integer primary key); create table temp.far (id integer primary key, v text null); create view temp.w as select 1"))
	h.call.Session = catalog.FormatOptions{Form: catalog.Explicit, Nullable: true} // the form is the function's to choose
	h.requireAnswer(t, "select schema, sql from schema() where type <> 'function'", `["main","CREATE TABLE \"t\" (\"id\" INTEGER NOT NULL PRIMARY KEY)"]`+"\n"+
		`["temp","CREATE TABLE \"temp\".\"far\" (\"id\" INTEGER NOT NULL PRIMARY KEY, \"v\" TEXT)"]`+"\n"+`["temp","create view w as select 1"]`)

	table := h.call.Catalog.Table("main", "t").Clone()
	table.Maintained = &catalog.Maintained{Body: h.call.Catalog.View("temp", "w").Body}
	edit := h.call.Catalog.Edit()
	edit.PutTable(table)
	h.call.Catalog = edit.Done()
	h.requireAnswer(t, "select type, sql from schema() where name = 't'",
		`["materialized_view","CREATE TABLE \"main\".\"t\" (\"id\" INTEGER NOT NULL PRIMARY KEY) maintained as select 1"]`)
	h.requireAnswer(t, "select name from table_info('far')", `["id"]`+"\n"+`["v"]`)
}

func TestHiddenFunctionsAreNotInSchema(t *testing.T) {
	h := newHarness()
	require.NoError(t, h.functions.Register(&function.Function{Name: "secret", Args: 0, Hidden: true, Eval: h.functions.Lookup("random", 0, false).Eval}))
	h.requireAnswer(t, "select name from schema() where name = 'secret'", "")
	h.requireAnswer(t, "select name from function_info('secret')", `["secret"]`)
}

func TestIntrospectionRefusals(t *testing.T) {
	h := newHarness()
	h.call.Catalog = shopCatalog(t)
	for _, c := range []struct {
		from, message string
		code          types.Code
	}{
		{"table_info('cheap')", "Table-valued function table_info failed: Table 'cheap' not found", types.ERROR},
		{"table_info('main.item')", "Table 'main.item' not found", types.ERROR},
		{"index_info(x'00')", "index_info() requires a table name string argument", types.ERROR},
		{"view_info(5)", "view_info() requires a view name string argument", types.ERROR},
		{"view_info()", "view_info is not supported for view 'cheap'", types.UNSUPPORTED},
		{"view_info('CHEAPER')", "view_info is not supported for view 'cheaper'", types.UNSUPPORTED},
		{"column_info('cheap')", "column_info is not supported for view 'cheap'", types.UNSUPPORTED},
		{"column_info('zip')", "Table-valued function column_info failed: 'zip' not found", types.ERROR},
		{"function_info(1)", "function_info() requires a function name string argument", types.ERROR},
		{"quereus_effective_lens('nosuch', 't')", "Schema not found: nosuch", types.NOTFOUND},
		{"quereus_basis_backfill('main')", "'main' is not a logical schema", types.ERROR},
		{"quereus_lens_advisories(null)", "quereus_lens_advisories() requires a schema name string argument", types.ERROR},
		{"view_info('a', 'b')", "Function not found: view_info/2", types.ERROR},
	} {
		_, err := h.query("select * from " + c.from)
		require.ErrorIs(t, err, c.code, c.from)
		assert.ErrorContains(t, err, c.message)
	}
}
