package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/engine/plan"
)

func prepareChange(t *testing.T, c *catalogOnly, sql string) (*plan.Plan, error) {
	src := ast.NewSource("", sql)
	stmts, err := parse.Stmts(src)
	require.NoError(t, err)
	env := c.env(src)
	env.ForeignKeys = true
	return plan.PrepareStmt(stmts[0], env)
}

// Rows that a foreign key connects are sought for each key where a structure serves, else found by one scan past all keys.
func TestLookups(t *testing.T) {
	c := newCatalog(t)
	require.NoError(t, c.define(`
		create table p (id integer primary key, code text, u text unique);
		create table indexed (id integer primary key, p integer references p (id));
		create index i on indexed (p);
		create table scanned (id integer primary key, p integer references p (id) on delete cascade, u text references p (u), code text references p (code))`))
	rules := func(sql string) *plan.Rules {
		p, err := prepareChange(t, c, sql)
		require.NoError(t, err)
		require.True(t, p.Writes)
		return p.Root.(plan.Change).Writing().Rules
	}
	child := rules(`insert into scanned values (1, 2, 'u', 'c')`)
	require.Len(t, child.References, 3)
	require.Contains(t, child.References[0].Find.Plan.Explain(), "apply join")
	require.Contains(t, child.References[1].Find.Plan.Explain(), "apply join")
	require.Contains(t, child.References[2].Find.Plan.Explain(), "hash join")
	parent := rules(`delete from p`)
	require.Len(t, parent.Gone, 4)
	require.Contains(t, parent.Gone[0].Find.Plan.Explain(), "apply join")
	require.Contains(t, parent.Gone[1].Find.Plan.Explain(), "hash join")
	require.NotNil(t, parent.Gone[1].Rules, "a cascade leads to rules of the child")
	require.Nil(t, parent.Gone[0].Rules, "RESTRICT leads nowhere")

	require.Empty(t, rules(`update p set id = 1`).Gone)
	require.Len(t, rules(`update p set id = 1`).Changed, 2)
	require.Len(t, rules(`update p set u = 'x'`).Changed, 1)
	require.Empty(t, rules(`insert into p values (1, 'a', 'b')`).Gone)
	require.Len(t, rules(`insert or replace into p values (1, 'a', 'b')`).Gone, 4)
}

// A query that changes rows is a statement's, never a view's.
func TestChangesAreStatements(t *testing.T) {
	c := newCatalog(t)
	require.NoError(t, c.define(`create table t (id integer primary key)`))
	for sql, want := range map[string]string{
		`insert into t values (1) returning id`:                                    "INSERT cannot be used as a view body",
		`select * from (delete from t returning id) d`:                             "DELETE cannot be used as a view body",
		`with c as (update t set id = 2 returning id) select * from c`:             "WITH member 'c' is data-modifying (UPDATE)",
		`select (with c as (insert into t values (1) returning id) select 1) as x`: "WITH member 'c' is data-modifying (INSERT)",
	} {
		src := ast.NewSource("", "create view v as "+sql)
		stmts, err := parse.Stmts(src)
		require.NoError(t, err, sql)
		_, err = plan.Prepare(stmts[0].(*ast.CreateViewStmt).Query, c.env(src))
		require.ErrorContains(t, err, want, sql)
	}
	p, err := prepareChange(t, c, `select 1`)
	require.NoError(t, err)
	require.False(t, p.Writes)
	p, err = prepareChange(t, c, `select * from (delete from t returning id) d`)
	require.NoError(t, err)
	require.True(t, p.Writes)
}
