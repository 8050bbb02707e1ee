package exec_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
)

const queueTables = `
	create table ref (id integer primary key)
	--
	create table job (id integer primary key, n integer, r integer null references ref (id), constraint low check (n <= (select count(*) * 10 from ref)),
		constraint bye check on delete (old.n in (select id from ref) or coalesce(context.force, 0) = 1)) with context (force integer null)
	--`

// onBudgets runs f with checks that wait in memory, and with ones that all wait in files.
func onBudgets(t *testing.T, f func(db *writeDB)) {
	for _, budget := range []int64{0, 1, 700} {
		t.Run(fmt.Sprint(budget), func(t *testing.T) {
			db := newWriteDB(t)
			db.budget = budget
			f(db)
		})
	}
}

func TestChecksWaitForCommit(t *testing.T) {
	onBudgets(t, func(db *writeDB) {
		db.script(queueTables + `
		insert into job values (1, 5, null)
		-- error CONSTRAINT: CHECK constraint failed: low (n <= (select count(*) * 10 from ref))
		begin
		--
		insert into job values (1, 5, 7)
		--
		insert into ref values (7)
		--
		commit
		--
		begin
		--
		update job set n = 50
		--
		update job set n = 5
		--
		commit
		-- error CONSTRAINT: CHECK constraint failed: low
		begin
		--
		insert into job values (2, 50, 99)
		--
		delete from job where id = 2 with context force = 1
		--
		commit
		--
		delete from job
		-- error CONSTRAINT: CHECK constraint failed: bye
		begin
		--
		delete from job
		--
		insert into ref values (5)
		--
		commit
		--
		select (select count(*) from job), (select count(*) from ref)
		-- [0,2]`)
	})
}

func TestKeysWaitForCommit(t *testing.T) {
	onBudgets(t, func(db *writeDB) {
		db.script(queueTables + `
		insert into ref values (1)
		--
		begin
		--
		insert into job values (1, 0, 50), (2, 0, 1), (3, 0, 60)
		--
		update job set r = 1 where id = 1
		--
		insert into ref values (60)
		--
		commit
		--
		begin
		--
		update job set r = 61 where id = 2
		--
		update job set id = 20 where id = 2
		--
		commit
		-- error CONSTRAINT: FOREIGN KEY constraint failed: _fk_job_r ('job' references 'ref')
		begin
		--
		insert into job values (4, 0, 70)
		--
		savepoint s
		--
		insert into job values (5, 0, 71)
		--
		rollback to s
		--
		insert into ref values (70)
		--
		commit
		--
		begin
		--
		insert or abort into job values (6, 0, 80), (6, 0, 81)
		-- error CONSTRAINT: UNIQUE constraint failed: job PK.
		commit
		--
		select id, r from job
		-- [1,1] [2,1] [3,60] [4,70]`)
	})
}

// Entries are judged by table, then by constraint, each in the order in which they were first queued.
func TestOrderAtCommit(t *testing.T) {
	onBudgets(t, func(db *writeDB) {
		db.script(queueTables + `
		create table other (id integer primary key, constraint never check (id < (select 0)))
		--
		begin
		--
		insert into job values (1, 0, 9)
		--
		insert into other values (1)
		--
		insert into job values (2, 99, null)
		--
		commit
		-- error CONSTRAINT: CHECK constraint failed: low
		begin
		--
		insert into other values (1)
		--
		insert into job values (2, 99, null)
		--
		commit
		-- error CONSTRAINT: CHECK constraint failed: never`)
	})
}

// A row whose table was redefined since it was written is judged by what has become of the constraint.
func TestAlteredBeforeCommit(t *testing.T) {
	rename := func(t *catalog.Table) *catalog.Table {
		c := t.Clone()
		c.Name = "work"
		return c
	}
	dropped := func(t *catalog.Table) *catalog.Table {
		c := t.Clone()
		c.Checks, c.ForeignKeys = nil, nil
		return c
	}
	for name, c := range map[string]struct {
		alter func(*catalog.Table) *catalog.Table
		row   string
		want  string
	}{
		"renamed, check":   {rename, "(1, 99, null)", "CHECK constraint failed: low"},
		"renamed, key":     {rename, "(1, 0, 9)", "FOREIGN KEY constraint failed: _fk_job_r ('work' references 'ref')"},
		"dropped":          {dropped, "(1, 99, 9)", ""},
		"renamed, sound":   {rename, "(1, 0, null)", ""},
		"table is dropped": {nil, "(1, 99, 9)", ""},
	} {
		t.Run(name, func(t *testing.T) {
			db := newWriteDB(t)
			db.script(queueTables)
			_, err := db.do("begin; insert into job values " + c.row)
			require.NoError(t, err)
			before := db.cat.Table(catalog.MainSchema, "job")
			edit := db.cat.Edit()
			edit.DropRelation(before.Schema, before.Name)
			if c.alter != nil {
				edit.PutTable(c.alter(before))
			}
			db.cat = edit.Done()
			err = db.commit()
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestAssertions(t *testing.T) {
	db := newWriteDB(t)
	db.script(`
		create table acc (id integer primary key, bal integer)
		--
		create table own (acc integer primary key)
		--
		create assertion no_debt check (not exists (select 1 from acc where bal < 0))
		--
		create assertion maybe check ((select max(bal) from acc) < 1000)
		--
		insert into acc values (1, 5), (2, -1)
		-- error CONSTRAINT: Integrity assertion failed: no_debt
		insert or ignore into acc values (1, 5000)
		-- error CONSTRAINT: Integrity assertion failed: maybe
		begin
		--
		insert into acc values (1, -5)
		--
		update acc set bal = 5
		--
		commit
		--
		create assertion owned check (not exists (select 1 from acc where id not in (select acc from own)))
		--
		insert into own values (7)
		-- error CONSTRAINT: Integrity assertion failed: owned
		begin
		--
		delete from acc
		--
		commit
		--
		create assertion shrinks check ((select count(*) from own) >= (select count(*) from committed.own))
		--
		insert into own values (7)
		--
		delete from own
		-- error CONSTRAINT: Integrity assertion failed: shrinks`)
}

// A prepared INSERT runs for a batch of rows as one statement.
func TestRunBatch(t *testing.T) {
	db := newWriteDB(t)
	db.script(`create table t (id integer primary key default (coalesce((select max(id) from t), 0) + mutation_ordinal()), v text, n integer null default (length(new.v)))
		--`)
	like := []types.Value{types.Text("")}
	program := db.prepare(t, `insert into t (v) values (upper(?))`, like)
	run := func(rows ...string) (changes int64, err error) {
		var params [][]types.Value
		for _, r := range rows {
			params = append(params, []types.Value{types.Text(r)})
		}
		_, err = db.runProgram(program, func(tx *writeTx) ([]string, error) {
			changes, err = program.RunBatch(context.Background(), tx.runtime(), params)
			return nil, err
		})
		return changes, err
	}
	changes, err := run("a", "bb", "ccc")
	require.NoError(t, err)
	require.EqualValues(t, 3, changes)
	_, err = run()
	require.NoError(t, err)
	changes, err = run("d")
	require.NoError(t, err)
	require.EqualValues(t, 1, changes)
	db.script(`select * from t
		-- [1,"A",1] [2,"BB",2] [3,"CCC",3] [4,"D",1]
		create unique index u on t (v)
		--`)
	program = db.prepare(t, `insert or ignore into t (v) values (upper(?))`, like)
	changes, err = run("a", "e", "E")
	require.NoError(t, err)
	require.EqualValues(t, 1, changes)
	program = db.prepare(t, `insert into t (v) values (upper(?))`, like)
	_, err = run("f", "g", "a")
	require.ErrorContains(t, err, "UNIQUE constraint failed: t (v)")
	db.script(`select id, v from t where v > 'D'
		-- [6,"E"]`)

	update := db.prepare(t, `update t set v = ?`, like)
	_, err = update.RunBatch(context.Background(), nil, nil)
	require.ErrorIs(t, err, types.MISUSE)
}
