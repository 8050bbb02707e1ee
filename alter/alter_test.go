package alter_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/alter"
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
)

// catalogEnv is an Env without modules, rows and a binder: what asks for a row dies of it, and expressions are taken as they are. How
// schema changes treat rows is told by golden/conformance/alter, which runs them through the engine.
type catalogEnv struct {
	alter.Env // nil
	cat       *catalog.Snapshot
	reg       *types.Registry
	leaving   func(t *catalog.Table, constraint string) bool
	off       bool // pragma foreign_keys = off
}

func (e *catalogEnv) Catalog() *catalog.Snapshot       { return e.cat }
func (e *catalogEnv) Install(cat *catalog.Snapshot)    { e.cat = cat }
func (e *catalogEnv) Limits() *limit.Set               { return nil }
func (e *catalogEnv) SchemaPath() []string             { return []string{"main", "side"} }
func (e *catalogEnv) ForeignKeys() bool                { return !e.off }
func (e *catalogEnv) Module(name string) *alter.Module { return &alter.Module{Name: name} }

func (e *catalogEnv) BuildEnv(ids catalog.Allocator) catalog.BuildEnv {
	return catalog.BuildEnv{Types: e.reg, Module: "readonly", IDs: ids}
}

func (e *catalogEnv) Names(s *catalog.Snapshot) *catalog.Names {
	return catalog.NewNames(s, e.SchemaPath(), nil)
}

func (e *catalogEnv) CheckExpression(*catalog.Snapshot, *catalog.Table, catalog.Expression) error {
	return nil
}

func (e *catalogEnv) Changed(*catalog.Table, []int)                                  {}
func (e *catalogEnv) Added(*catalog.Table, int)                                      {}
func (e *catalogEnv) Rekeyed(*catalog.Table)                                         {}
func (e *catalogEnv) Offenders() alter.Offenders                                     { return nil }
func (e *catalogEnv) Untold(error)                                                   {}
func (e *catalogEnv) CopyRows(context.Context, *catalog.Table, *catalog.Table) error { return nil }

func (e *catalogEnv) Leaving(t *catalog.Table, constraint string) bool {
	return e.leaving != nil && e.leaving(t, constraint)
}

// shop is what the tests change.
const shop = `
create table item (
	id integer primary key, name text collate nocase constraint named unique with tags ("quereus.expose_implicit_index" = true),
	price integer default 1 check (price > 0), note text null,
	constraint cheap check (price < 100)
);
create index by_price on item (price) where price > 5;
create unique index by_note on item (note);
create table line (id integer primary key, item integer constraint of_item references item (id), amount integer check (amount <= (select max(price) from item)));
create view priced as select id, price from item;
create view summed (total) as select sum(price) from priced;
create assertion some check (exists (select 1 from summed));
create table side.item (id integer primary key);
create table side.far (id integer primary key)`

// newEnv builds the catalog of shop and the maintained table latest.
func newEnv(t *testing.T) *catalogEnv {
	env := &catalogEnv{cat: catalog.NewSnapshot(), reg: types.NewRegistry()}
	e := env.cat.Edit()
	e.AddSchema("side")
	for _, stmt := range parsed(t, shop) {
		switch s := stmt.(type) {
		case *ast.CreateTableStmt:
			table, err := catalog.BuildTable(s, env.BuildEnv(e))
			require.NoError(t, err)
			e.PutTable(table)
		case *ast.CreateIndexStmt:
			table := e.Snapshot().Table("main", s.Table.Name.Text).Clone()
			ix, err := catalog.BuildIndex(s, table, env.BuildEnv(e))
			require.NoError(t, err)
			table.Indexes = append(table.Indexes, ix)
			e.PutTable(table)
		case *ast.CreateViewStmt:
			e.PutView(catalog.BuildView(s, env.BuildEnv(e)))
		case *ast.CreateAssertionStmt:
			e.PutAssertion(catalog.BuildAssertion(s, env.BuildEnv(e)))
		}
	}
	view := parsed(t, "create materialized view latest as select id, note from item")[0].(*ast.CreateMaterializedViewStmt)
	item := e.Snapshot().Table("main", "item")
	latest, err := catalog.BuildMaterializedView(view, []*catalog.Column{item.Columns[0], item.Columns[3]}, []catalog.KeyColumn{{}}, env.BuildEnv(e))
	require.NoError(t, err)
	e.PutTable(latest)
	env.cat = e.Done()
	return env
}

func parsed(t *testing.T, sql string) []ast.Stmt {
	stmts, err := parse.Stmts(ast.NewSource("", sql))
	require.NoError(t, err, sql)
	return stmts
}

// run carries one statement out.
func (e *catalogEnv) run(t *testing.T, sql string) error {
	return alter.Run(context.Background(), e, parsed(t, sql)[0])
}

// definitions spells every object of the catalog.
func definitions(cat *catalog.Snapshot) map[string]string {
	out := map[string]string{}
	for _, c := range catalog.Changes(catalog.NewSnapshot(), cat) {
		switch o := c.After.(type) {
		case *catalog.Table:
			out[o.Schema+"."+o.Name] = strings.Join(catalog.FormatDefinition(o), "\n")
		case *catalog.View:
			out[o.Schema+"."+o.Name] = ast.Format(o.Stmt())
		case *catalog.Assertion:
			out[o.Schema+"."+o.Name] = ast.Format(o.Stmt())
		}
	}
	return out
}

// What the catalog alone says costs no row and asks no module. Each statement rewrites what follows from it, and leaves every
// other object the very same.
func TestCatalogAlone(t *testing.T) {
	for _, c := range []struct {
		sql string
		// has are fragments of definitions afterwards, by object; gone are objects that are there no more. Objects in neither are untouched.
		has  map[string]string
		gone []string
	}{
		{"alter table item rename to thing", map[string]string{
			"main.thing": "thing", "main.line": "references thing(id)", "main.priced": "from thing",
		}, []string{"main.item"}},
		{"alter table item rename column price to cost", map[string]string{
			"main.item": "constraint cheap check on insert, update (cost < 100)", "main.line": "select max(cost) from item", "main.priced": "select id, cost from item",
			"main.summed": "select sum(cost) from priced",
		}, nil},
		{"alter table ITEM rename column NAME to Name", map[string]string{"main.item": `"Name" TEXT`}, nil},
		{"alter table item rename column id to nr", map[string]string{
			"main.item": `"nr" INTEGER`, "main.line": "references item(nr)", "main.priced": "select nr, price",
		}, nil},
		{"alter table item rename constraint cheap to low", map[string]string{"main.item": "constraint low check"}, nil},
		{"alter table item rename constraint named to known", map[string]string{"main.item": "constraint known unique"}, nil},
		{"alter table line rename constraint of_item to its_item", map[string]string{"main.line": "constraint its_item foreign key"}, nil},
		{"alter table item drop constraint cheap", map[string]string{"main.item": "(price > 0), constraint named unique"}, nil},
		{"alter table line drop constraint of_item", map[string]string{"main.line": "(select max(price) from item))) USING"}, nil},
		{"alter table item add constraint even check (price % 2 = 0)", map[string]string{"main.item": "constraint even check on insert, update (price % 2 = 0)"}, nil},
		{"alter table item alter column price set default 7", map[string]string{"main.item": "DEFAULT 7"}, nil},
		{"alter table item alter column price drop default", map[string]string{"main.item": `"price" INTEGER NOT NULL,`}, nil},
		{"alter table item alter column price drop not null", map[string]string{"main.item": `"price" INTEGER NULL DEFAULT 1`}, nil},
		{"alter table item alter column price set data type int", map[string]string{"main.item": `"price" INTEGER NOT NULL`}, nil},
		{"alter table item alter column name set collate NoCase", map[string]string{"main.item": "COLLATE NOCASE"}, nil},
		{"alter table item set tags (kind = 'stock')", map[string]string{"main.item": "kind = 'stock'"}, nil},
		{"alter table item alter column note add tags (kind = 'free')", map[string]string{"main.item": "kind = 'free'"}, nil},
		{"alter table item alter constraint cheap set tags (a = 1)", map[string]string{"main.item": "a = 1"}, nil},
		{"alter table item alter constraint named add tags (b = 2)", map[string]string{"main.item": "b = 2"}, nil},
		{"alter table line alter constraint of_item set tags (c = 3)", map[string]string{"main.line": "c = 3"}, nil},
		{"alter table item alter constraint by_note set tags (d = 4)", map[string]string{"main.item": "d = 4"}, nil},
		{"alter index by_price set tags (e = 5)", map[string]string{"main.item": "e = 5"}, nil},
		{"alter index named set tags (f = 6)", map[string]string{"main.item": "f = 6"}, nil},
		{"alter view priced set tags (g = 7)", map[string]string{"main.priced": "g = 7"}, nil},
		{"alter materialized view latest set tags (h = 8)", map[string]string{"main.latest": "h = 8"}, nil},
		{"alter table latest rename to newest", map[string]string{"main.newest": "newest"}, []string{"main.latest"}},
		{"drop assertion some", nil, []string{"main.some"}},
		{"drop table side.item", nil, []string{"side.item"}},
		{"drop table line", nil, []string{"main.line"}},
		{"drop materialized view latest", nil, []string{"main.latest"}},
		{"alter table far rename to near", map[string]string{"side.near": "near"}, []string{"side.far"}}, // found along the path
	} {
		t.Run(c.sql, func(t *testing.T) {
			env := newEnv(t)
			before := env.cat
			require.NoError(t, env.run(t, c.sql))
			after := definitions(env.cat)
			for name, fragment := range c.has {
				require.Contains(t, after[name], fragment, name)
			}
			for _, name := range c.gone {
				require.NotContains(t, after, name)
			}
			for _, change := range catalog.Changes(before, env.cat) {
				o := change.After
				if o == nil {
					o = change.Before
				}
				name := nameOf(o)
				_, expected := c.has[name]
				require.True(t, expected || change.After == nil, "%s is touched", name)
			}
		})
	}
}

func nameOf(o catalog.Object) string {
	switch o := o.(type) {
	case *catalog.Table:
		return o.Schema + "." + o.Name
	case *catalog.View:
		return o.Schema + "." + o.Name
	}
	a := o.(*catalog.Assertion)
	return a.Schema + "." + a.Name
}

// What is so already, and what IF [NOT] EXISTS excuses, leaves the very same catalog.
func TestNothingToDo(t *testing.T) {
	for _, sql := range []string{
		"alter table item alter column price set not null",
		"alter table item alter column note drop not null",
		"create table if not exists item (nr text)",
		"create table if not exists latest (nr text)",
		"create view if not exists priced as select 1",
		"create index if not exists by_price on item (note)",
		"drop table if exists nothing",
		"drop table if exists gone.nothing",
		"drop view if exists nothing",
		"drop materialized view if exists nothing",
		"drop index if exists nothing",
		"drop assertion if exists nothing",
	} {
		env := newEnv(t)
		before := env.cat
		require.NoError(t, env.run(t, sql), sql)
		require.Same(t, before, env.cat, sql)
	}
}

// Refusals that no case of golden reaches: of maintained tables, of modules that cannot, of the schema of the last commit.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		sql  string
		code types.Code
		says string
	}{
		// the shape of a maintained table is its body's
		{"alter table latest add column x integer", types.ERROR, "cannot alter 'latest': its shape is defined by the view body"},
		{"alter table latest rename column note to remark", types.ERROR, "its shape is defined by the view body"},
		{"alter table latest set tags (a = 1)", types.ERROR, "'latest' is a materialized view: use ALTER MATERIALIZED VIEW for tags"},
		{"alter materialized view item set tags (a = 1)", types.NOTFOUND, "Materialized view 'item' not found in schema 'main'"},
		{"alter view latest set tags (a = 1)", types.NOTFOUND, "View 'latest' not found"},
		{"alter table item drop maintained", types.ERROR, "'item' is not a maintained table"},
		{"drop view latest", types.ERROR, "'main.latest' is a materialized view: use DROP MATERIALIZED VIEW"},
		{"drop materialized view item", types.ERROR, "'main.item' is a table: use DROP TABLE"},
		{"drop materialized view priced", types.ERROR, "'main.priced' is a view: use DROP VIEW"},
		{"drop materialized view nothing", types.ERROR, "Materialized view 'main.nothing' does not exist"},
		// what is not carried out yet names itself
		{"create materialized view m as select 1 as x", types.UNSUPPORTED, "CREATE MATERIALIZED VIEW"},
		{"refresh materialized view latest", types.UNSUPPORTED, "REFRESH MATERIALIZED VIEW"},
		{"alter table item set maintained as select * from line", types.UNSUPPORTED, "SET MAINTAINED"},
		// the schema of the last commit
		{"alter table committed.item rename to x", types.ERROR, "Cannot change 'committed.item'"},
		{"create index ix on committed.item (id)", types.ERROR, "Cannot change 'committed.item'"},
		{"create view committed.v as select 1", types.ERROR, "Cannot change 'committed.v'"},
		{"drop table committed.item", types.ERROR, "Cannot change 'committed.item'"},
		// names
		{"alter table nothing rename to x", types.NOTFOUND, "Table 'nothing' not found in schema path: main, side"},
		{"alter table side.nothing rename to x", types.NOTFOUND, "Table not found: side.nothing"},
		{"alter table priced rename to x", types.NOTFOUND, "Table 'priced' not found"},
		{"alter table item rename to line", types.ERROR, "Table 'line' already exists in schema 'main'"},
		{"alter table item rename to priced", types.ERROR, "View 'priced' already exists in schema 'main'"},
		{"alter table item rename column price to NOTE", types.ERROR, "Column 'NOTE' already exists in table 'item'"},
		{"alter table item rename column nothing to x", types.ERROR, "Column 'nothing' not found in table 'item'"},
		{"alter table item rename constraint cheap to NAMED", types.CONSTRAINT, "a constraint with that name already exists"},
		{"alter table item rename constraint named to by_price", types.CONSTRAINT, "would collide with existing index 'by_price'"},
		{"alter table item rename constraint by_note to x", types.CONSTRAINT, "comes from a unique index and cannot be renamed here"},
		{"alter table item drop constraint by_note", types.CONSTRAINT, "cannot be dropped here. Use DROP INDEX"},
		{"alter table item add constraint cheap check (price > 2)", types.CONSTRAINT, "a constraint with that name already exists"},
		{"create table missing.t (id integer primary key)", types.ERROR, "Schema 'missing' does not exist"},
		{"create table priced (id integer primary key)", types.CONSTRAINT, "View main.priced already exists"},
		{"create table if not exists priced (id integer primary key)", types.CONSTRAINT, "a VIEW with the same name already exists"},
		{"create view item as select 1", types.ERROR, "a table with the same name already exists"},
		// dependents
		{"drop view priced", types.CONSTRAINT, "assertion 'some' reaches it through view 'summed'"},
		{"drop table item", types.CONSTRAINT, "assertion 'some' reaches it through view 'summed' -> view 'priced'"},
		{"alter table item drop column price", types.CONSTRAINT, "it is referenced by the WHERE clause of partial index 'by_price'"},
		{"alter table item drop column id", types.CONSTRAINT, "Cannot drop PRIMARY KEY column 'id' from table 'item'"},
		{"alter table far drop column id", types.CONSTRAINT, "PRIMARY KEY column 'id'"},
		// a module that cannot change tables says what for
		{"create table t (id integer primary key)", types.UNSUPPORTED, "module readonly cannot create tables"},
		{"alter table item add column x integer null", types.UNSUPPORTED, "module readonly of table 'item' does not support ALTER TABLE ADD COLUMN"},
		{"alter table item drop column note", types.UNSUPPORTED, "does not support ALTER TABLE DROP COLUMN"},
		{"alter table item add constraint u unique (price)", types.UNSUPPORTED, "does not support ADD CONSTRAINT"},
		{"alter table item drop constraint named", types.UNSUPPORTED, "does not support DROP CONSTRAINT"},
		{"alter table item alter primary key (price)", types.UNSUPPORTED, "does not support ALTER PRIMARY KEY"},
		{"alter table item alter column price set data type text", types.UNSUPPORTED, "does not support ALTER COLUMN SET DATA TYPE"},
		{"alter table item alter column name set collate binary", types.UNSUPPORTED, "does not support ALTER COLUMN SET COLLATE"},
		{"drop index by_price", types.UNSUPPORTED, "does not support DROP INDEX"},
	} {
		t.Run(c.sql, func(t *testing.T) {
			env := newEnv(t)
			before := env.cat
			err := env.run(t, c.sql)
			require.ErrorIs(t, err, c.code)
			require.ErrorContains(t, err, c.says)
			require.Same(t, before, env.cat)
		})
	}
}

// Guards look at the end of the plan that is under way: what it drops later stands in nobody's way (docs/reference/declarative-schema.md).
func TestLeaving(t *testing.T) {
	env := newEnv(t)
	require.NoError(t, env.run(t, "drop assertion some"))
	const drop = "drop table item"
	env.off = true
	require.ErrorContains(t, env.run(t, drop), "it is referenced by CHECK constraint '_check_amount' on table 'line'")
	env.leaving = func(t *catalog.Table, constraint string) bool { return t.Name == "line" && constraint == "" }
	env.off = false
	require.NoError(t, env.run(t, drop), "neither the CHECK of line nor its rows are looked at")
	require.Nil(t, env.cat.Table("main", "item"))
}

// TestIsSchemaStmt: what is no schema statement Run does not know.
func TestIsSchemaStmt(t *testing.T) {
	for _, stmt := range parsed(t, `select 1; insert into item values (1); update item set id = 1; delete from item; begin; commit; rollback;
		savepoint s; release s; pragma foreign_keys; declare schema main { }; diff schema main; apply schema main; explain schema main; analyze`) {
		require.False(t, alter.IsSchemaStmt(stmt), ast.Format(stmt))
		require.ErrorIs(t, alter.Run(context.Background(), newEnv(t), stmt), types.INTERNAL, ast.Format(stmt))
	}
	for _, stmt := range parsed(t, shop+"; refresh materialized view m; create materialized view m as select 1 as x; drop view v; alter index ix drop tags (a)") {
		require.True(t, alter.IsSchemaStmt(stmt), ast.Format(stmt))
	}
}
