package engine_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/golden"
	"github.com/quereus/quereus-migrate/types"
)

// change draws a statement over the stock of names. Many cannot work: what they name is not there, or rows are in the way.
func (g *world) change() string {
	table := g.pick("t0", "t1", "t2")
	column := g.pick("c0", "c1", "c2", "c3", "c4")
	n := rapid.IntRange(1, 60).Draw(g.T, "n")
	switch rapid.IntRange(0, 17).Draw(g.T, "kind") {
	case 0:
		return fmt.Sprintf("alter table %s add column %s integer %s", table, column, g.pick("null", "default 3", "default (new.id + 1)", "unique", "default 4 check (id > 2)"))
	case 1:
		return fmt.Sprintf("alter table %s drop column %s", table, column)
	case 2:
		return fmt.Sprintf("alter table %s rename column %s to %s", table, column, g.pick("c0", "c1", "c2", "c5"))
	case 3:
		return fmt.Sprintf("alter table %s rename to %s", table, g.pick("t0", "t1", "t2"))
	case 4:
		return fmt.Sprintf("alter table %s alter column %s set data type %s", table, column, g.pick("text", "integer", "real", "date", "json"))
	case 5:
		return fmt.Sprintf("alter table %s alter primary key (%s)", table, g.pick("id", column, column+" desc, id", ""))
	case 6:
		return fmt.Sprintf("alter table %s alter column %s %s", table, column, g.pick("set not null", "drop not null", "set default 2", "drop default", "set collate nocase"))
	case 7:
		return fmt.Sprintf("alter table %s add constraint %s %s", table, g.pick("k0", "k1"), g.pick("unique ("+column+")", "check ("+column+" <> 7)", "foreign key (id) references t0(id)"))
	case 8:
		return fmt.Sprintf("alter table %s drop constraint %s", table, g.pick("k0", "k1"))
	case 9:
		return fmt.Sprintf("create %sindex ix%d on %s(%s)", g.pick("", "unique "), n%3, table, g.pick(column, column+" desc, id", "id"))
	case 10:
		return fmt.Sprintf("drop index ix%d", n%3)
	case 11:
		return g.pick("drop table "+table, "create table "+table+" (id integer primary key, c0 text null)")
	case 12:
		return g.pick("create view v as select * from "+table, "drop view v", "create assertion a check ((select count(*) from "+table+") < 9)", "drop assertion a")
	case 13:
		return fmt.Sprintf("update %s set %s = %d where id > %d", table, column, n%5, n%7)
	case 14:
		return fmt.Sprintf("delete from %s where id %% 3 = %d", table, n%3)
	}
	return fmt.Sprintf("insert into %s (id, %s) values (%d, %d), (%d, null)", table, column, n, n%5, n+60)
}

// startChanging makes a database with three tables and some rows.
func startChanging(t *rapid.T, b *bare) {
	for i := range 3 {
		b.conn.exec(fmt.Sprintf("create table t%d (id integer primary key, c0 integer null, c1 text null, c2 real null); create index ix%d on t%d(c%d); "+
			"insert into t%d values (1, 5, '5', 1.5), (2, 6, '6', 2.5), (3, null, null, null)", i, i, i, i, i))
	}
}

// TestStagingIsInvisible: the same statements in one transaction and in autocommit, in memory and on Pebble, meet the same fate one by one
// and end in the same state. A statement that is refused changes nothing.
func TestStagingIsInvisible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		staged, alone := startBare(t, golden.PebbleSession), startBare(t, golden.MemorySession)
		defer staged.end()
		defer alone.end()
		startChanging(t, staged)
		startChanging(t, alone)
		staged.conn.exec("begin; pragma foreign_keys = off")
		alone.conn.exec("pragma foreign_keys = off")
		g := &world{T: t}
		for range rapid.IntRange(1, 12).Draw(t, "statements") {
			sql, before := g.change(), alone.conn.dump()
			_, errA := staged.conn.Exec(ctx, sql, engine.Params{})
			_, errB := alone.conn.Exec(ctx, sql, engine.Params{})
			t.Logf("%s -- %v", sql, errB)
			require.NotEqual(t, types.INTERNAL, types.CodeOf(errB), "%s: %v", sql, errB)
			if errB != nil {
				require.Equal(t, before, alone.conn.dump(), sql)
			}
			if types.CodeOf(errA) != types.CodeOf(errB) {
				if types.CodeOf(errB) == types.CONSTRAINT && errA == nil {
					require.ErrorContains(t, errB, "Integrity assertion failed", sql)
					t.Skip("an assertion, which the transaction judges later")
				}
				t.Fatalf("%s: staged %v, alone %v", sql, errA, errB)
			}
			require.Equal(t, alone.conn.dump(), staged.conn.dump(), sql)
		}
		if _, err := staged.conn.Exec(ctx, "commit", engine.Params{}); err != nil {
			require.ErrorContains(t, err, "Integrity assertion failed")
			t.Skip("an assertion that was false when it was made, which a change on its own does not look at")
		}
		staged.reopen()
		require.Equal(t, alone.conn.dump(), staged.conn.dump())
	})
}

// TestRollbackIsIdentity: whatever a transaction does, ROLLBACK TO and ROLLBACK bring back what was there.
func TestRollbackIsIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := startBare(t, golden.PebbleSession)
		defer b.end()
		startChanging(t, b)
		b.conn.exec("pragma foreign_keys = off")
		states := []string{b.conn.dump()}
		b.conn.exec("begin")
		g := &world{T: t}
		for range rapid.IntRange(1, 15).Draw(t, "steps") {
			switch depth := len(states) - 1; {
			case g.chance(20):
				states = append(states, b.conn.dump())
				b.conn.exec(fmt.Sprintf("savepoint s%d", depth+1))
			case depth > 0 && g.chance(25):
				to := rapid.IntRange(1, depth).Draw(t, "to")
				b.conn.exec(fmt.Sprintf("rollback to s%d", to))
				require.Equal(t, states[to], b.conn.dump())
				states = states[:to+1]
			default:
				sql := g.change()
				_, err := b.conn.Exec(ctx, sql, engine.Params{})
				t.Logf("%s -- %v", sql, err)
				require.NotEqual(t, types.INTERNAL, types.CodeOf(err), "%s: %v", sql, err)
			}
		}
		b.conn.exec("rollback")
		require.Equal(t, states[0], b.conn.dump())
		b.reopen()
		require.Equal(t, states[0], b.conn.dump())
	})
}

const lawStart = `create table p (id integer primary key, v text unique); insert into p values (1, '5'), (2, '6');
	create table t (id integer primary key, v text null collate nocase, n integer default (new.id * 2), g integer generated always as (n + 1) stored,
		constraint ck check (n > 0), constraint fk foreign key (v) references p(v)) with tags (label = 'T');
	create index ix on t(v desc, n) where n > 0; create view w as select id, v from t; create assertion a check (not exists (select 1 from t where n > 1000));
	insert into t (id, v) values (1, '5'), (2, '6'), (3, null)`

// Pairs of statements of which the second takes the first back.
func TestThereAndBack(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec(lawStart)
		before := c.dump()
		for _, pair := range [][2]string{
			{"alter table t rename to u", "alter table u rename to t"},
			{"alter table t rename column v to x", "alter table t rename column x to v"},
			{"alter table t rename column n to id2", "alter table t rename column id2 to n"},
			{"alter table p rename column v to x", "alter table p rename column x to v"},
			{"alter table t rename constraint ck to kc", "alter table t rename constraint kc to ck"},
			{"alter table t add column c integer null", "alter table t drop column c"},
			{"alter table t add column c integer default (new.n * 3) unique check (c > 0)", "alter table t drop constraint _check_c; alter table t drop column c"},
			{"alter table t alter column v set not null", "alter table t alter column v drop not null"},
			{"alter table t alter primary key (n desc, id)", "alter table t alter primary key (id)"},
			{"alter table t set tags (a = 1)", "alter table t set tags (label = 'T')"},
			{"alter table t alter column v set collate binary", "alter table t alter column v set collate nocase"},
			{"create index iy on t(n)", "drop index iy"},
			{"create table y (id integer primary key); insert into y values (1)", "drop table y"},
			{"alter table p alter column id set default 4", "alter table p alter column id drop default"},
		} {
			if _, err := c.Exec(ctx, pair[0], engine.Params{}); err != nil { // SET NOT NULL meets a NULL
				require.Equal(t, types.CONSTRAINT, types.CodeOf(err), err.Error())
			} else {
				require.NotEqual(t, before, c.dump(), pair[0])
				c.exec(pair[1])
			}
			require.Equal(t, before, c.dump(), pair[1])
		}
	})
}

// A backfilled row is like one that was inserted without the column.
func TestBackfillIsInsert(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		for i, column := range []string{
			"integer default 5", "integer default '5'", "integer default 5.0", "text default 5", "real default 7", "varchar(3) default 'long text'", "json default '{\"a\": [1]}'",
			"date default '2024-02-29'", "blob default 'x'", "any default '5'", "boolean default 1", "timespan default 'PT90M'", "integer null", "integer null default null", "integer default (2 + 3)",
		} {
			name := fmt.Sprintf("t%d", i)
			c.exec("create table " + name + " (id integer primary key); insert into " + name + " values (1); alter table " + name + " add column c " + column + "; insert into " + name + " (id) values (2)")
			require.Equal(t, "1", c.rows("select count(distinct coalesce(typeof(c) || ':' || cast(c as text), 'none')) from "+name), column)
		}
	})
}

// Converting there and back once more gives what the first time gave.
func TestRetypeRoundTrip(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		for i, typ := range []string{"integer", "real", "json", "boolean", "any", "blob", "date", "datetime"} {
			name, value := fmt.Sprintf("t%d", i), "'12'"
			if typ == "date" || typ == "datetime" {
				value = "'2024-02-29'"
			}
			c.exec("create table " + name + " (id integer primary key, v text); insert into " + name + " values (1, " + value + ")")
			there, back := "alter table "+name+" alter column v set data type "+typ, "alter table "+name+" alter column v set data type text"
			if _, err := c.Exec(ctx, there, engine.Params{}); err != nil {
				require.Equal(t, types.MISMATCH, types.CodeOf(err), err.Error()) // '12' is no BOOLEAN
				continue
			}
			once := c.dump()
			c.exec(back)
			text := c.dump()
			c.exec(there)
			require.Equal(t, once, c.dump())
			c.exec(back)
			require.Equal(t, text, c.dump())
		}
	})
}

// A type that takes no collation is refused for a column that an index keeps under one: the table could not be read from the catalog again.
func TestTypesKeepIndexCollations(t *testing.T) {
	onEach(t, func(t *testing.T, h *host) {
		c := h.conn()
		c.exec("create table t (id integer primary key, v text null, n integer null); create index ix on t (id, v collate nocase); create index iy on t (n collate rtrim)")
		c.fails(types.ERROR, "Unknown collation 'NOCASE' for type 'JSON' on column 'v'", "alter table t alter column v set data type json")
		c.fails(types.ERROR, "Unknown collation", "alter table t alter column n set data type date")
		c.exec("alter table t alter column n set data type real; drop index ix; alter table t alter column v set data type json")
		r, err := h.db.Check(ctx)
		require.NoError(t, err)
		require.Empty(t, r.Faults)
	})
}
