package engine_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

// withData writes statements that change rows into a plan, so that the first becomes step at, from 0.
func withData(t *testing.T, p *differ.Plan, at int, statements ...string) *differ.Plan {
	t.Helper()
	out := *p
	out.Steps = append([]differ.Step(nil), p.Steps[:at]...)
	for _, sql := range statements {
		stmts, err := parse.Stmts(ast.NewSource("", sql))
		require.NoError(t, err)
		s, err := differ.NewStep(stmts[0])
		require.NoError(t, err)
		out.Steps = append(out.Steps, s)
	}
	out.Steps = append(out.Steps, p.Steps[at:]...)
	for i := range out.Steps { // the sound ones of other plans name other places
		out.Steps[i].After = nil
	}
	differ.ChainData(out.Steps)
	return &out
}

// Statements that change rows run where they stand, in the transaction of the plan.
func TestDataSteps(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table person (id integer primary key, name text); insert into person values (1, 'Ada Lovelace'), (2, 'Alan Turing')")
		p := c.plan("declare schema main { table person { id integer primary key, first text default '', last text default '' } table log { id integer primary key, what text, check (length(what) < 9) } }")
		require.Len(t, p.Steps, 4)
		p = withData(t, p, 3, "update person set first = substr(name, 1, instr(name, ' ') - 1), last = substr(name, instr(name, ' ') + 1)",
			"insert into log values (1, 'split')")
		before := c.dump()
		o := engine.MigrateOptions{Allow: differ.Destructive, Sealed: true, DryRun: true}
		_, err := c.Migrate(ctx, p, o)
		require.NoError(t, err)
		require.Equal(t, before, c.dump())
		o.DryRun = false
		_, err = c.Migrate(ctx, p, o)
		require.NoError(t, err)
		require.Equal(t, "1|Ada|Lovelace 2|Alan|Turing", c.rows("select id, first, last from person order by id"))
		require.Equal(t, "1|split", c.rows("select * from log"))
		require.Equal(t, p.To, hash(t, c))
	})
}

// A statement that fails rolls everything back and is told like any other step; what stands behind it is not judged.
func TestDataStepFails(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key, a integer, b integer null)")
		c.exec("insert into t values (1, 1, 1), (2, 2, 2)")
		p := c.plan("declare schema main { table t { id integer primary key, a integer, b integer null, c integer null } table u { id integer primary key } }")
		require.Len(t, p.Steps, 2)
		before := c.dump()
		_, err := c.Migrate(ctx, withData(t, p, 1, "update t set id = 1"), engine.MigrateOptions{Allow: differ.Destructive, Sealed: true})
		var failed *engine.MigrateError
		require.ErrorAs(t, err, &failed)
		require.Len(t, failed.Failures, 2)
		require.Equal(t, types.CONSTRAINT, types.CodeOf(failed.Failures[0].Err))
		require.Nil(t, failed.Failures[1].Err)
		require.Equal(t, before, c.dump())
	})
}

// Rows that a statement of the plan has written into a new table are judged like those that were there: by the rules that a later step
// reaches.
func TestDataStepIntoNewTable(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table parent (id integer primary key, code text unique); insert into parent values (1, '07')")
		p := c.plan(`declare schema main {
			table parent { id integer primary key, code integer unique }
			table child { id integer primary key, code text null, constraint c check (code in (select cast(code as text) from parent)) }
		}`)
		create := slices.IndexFunc(p.Steps, func(s differ.Step) bool { return s.Kind == ast.TableObject && s.Object == "child" })
		require.Equal(t, 0, create, "the rows are written before the parent's type changes")
		before := c.dump()
		_, err := c.Migrate(ctx, withData(t, p, 1, "insert into child values (1, '07')"), engine.MigrateOptions{Allow: differ.Destructive, Sealed: true})
		var failed *engine.MigrateError
		require.ErrorAs(t, err, &failed)
		require.ErrorContains(t, err, "CHECK constraint failed: c ")
		require.Equal(t, before, c.dump())
	})
}

// What a sealed plan loses on rows that have come since is refused by policy, and everything is rolled back.
func TestSealedPlanCountsLosses(t *testing.T) {
	for name, c := range map[string]struct{ start, rows, target, hazard string }{
		"rows": {"create table t (id integer primary key); create table u (id integer primary key)", "insert into u values (1)",
			"declare schema main { table t { id integer primary key } }", "drops table u"},
		"values": {"create table t (id integer primary key, a text null)", "insert into t values (1, 'x')",
			"declare schema main { table t { id integer primary key } }", "column t.a in 1 row"},
		"a retype": {"create table t (id integer primary key, a real)", "insert into t values (1, 1.5), (2, 2.0)",
			"declare schema main { table t { id integer primary key, a integer } }", "t.a lose something in 1 row"},
		"a new generated column": {"create table t (id integer primary key, a integer null)", "insert into t values (1, 7)",
			"declare schema main { table t { id integer primary key, a integer null generated always as (id) stored } }", "t.a in 1 row become"},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, h *host) {
				s := h.conn()
				s.exec(c.start)
				p := s.plan(c.target)
				s.exec(c.rows)
				before := s.dump()
				o := engine.MigrateOptions{Allow: differ.Failure, Sealed: true}
				_, err := s.Migrate(ctx, p, o)
				var refused *engine.PolicyError
				require.ErrorAs(t, err, &refused)
				require.ErrorContains(t, err, c.hazard)
				require.Equal(t, before, s.dump())
				o.Allow = differ.Destructive
				_, err = s.Migrate(ctx, p, o)
				require.NoError(t, err)
				require.Equal(t, p.To, hash(t, s))
			})
		})
	}
}

// A sealed plan must end where it says.
func TestSealedPlanLeadsElsewhere(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec(shopStart)
		before := c.dump()
		p := c.plan("declare schema main { table item { id integer primary key, name text, price text } index ix_name on item(name) view v_item as select id, name from item table more { id integer primary key } }")
		p.Steps = p.Steps[:0]
		_, err := c.Migrate(ctx, p, engine.MigrateOptions{Sealed: true})
		var unreached *engine.UnreachedError
		require.ErrorAs(t, err, &unreached)
		require.Equal(t, types.SCHEMA, types.CodeOf(err))
		require.Equal(t, before, c.dump())
	})
}
