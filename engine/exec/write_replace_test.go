package exec_test

import "testing"

// Rows that REPLACE removes in an UPDATE are gone when their turn comes, also where another row lies under their key by then.
func TestUpdateReplaces(t *testing.T) {
	eachAccess(t, `
		create table t (id integer primary key on conflict replace, v text)
		--
		insert into t values (1, 'a'), (2, 'b'), (3, 'c'), (5, 'e')
		--
		update t set id = id + 1 returning *
		-- [2,"a"] [4,"c"] [6,"e"]
		select * from t
		-- [2,"a"] [4,"c"] [6,"e"]
		create table u (id integer primary key, v integer null unique on conflict replace, w integer not null)
		--
		insert into u values (1, 1, 1), (2, 2, 2), (3, 3, 3)
		--
		update u set id = 5 - id, v = 2 where v < 3 returning *
		-- [4,2,1]
		select * from u
		-- [3,3,3] [4,2,1]
		create table p (id integer, k integer unique, primary key (id desc))
		--
		create table c (k integer references p (k) on update cascade, n integer, primary key (k) on conflict replace)
		--
		insert into p values (3, 3), (2, 2), (1, 1)
		--
		insert into c values (1, 10), (2, 20), (3, 30)
		--
		update p set k = k + 1 where k < 4
		--
		select * from c
		-- [2,10] [3,20] [4,30]
		create table d (k integer references p (k) on update cascade, n integer, primary key (n, k))
		--
		insert into d values (2, 0), (3, 0), (4, 0)
		--
		update p set k = k + 1 where k > 1
		--
		select * from d
		-- [3,0] [4,0] [5,0]`)
}

// What REPLACE takes from a row must be dealt with before the next row comes: children that are inserted later belong to the new parent.
func TestReplaceInATree(t *testing.T) {
	eachAccess(t, `
		create table tree (id integer primary key, up integer null references tree (id) on delete cascade on update cascade)
		--
		insert into tree values (1, null), (9, 1)
		--
		insert or replace into tree values (1, null), (2, 1), (3, 3), (4, 3)
		--
		select * from tree
		-- [1,null] [2,1] [3,3] [4,3]
		insert or replace into tree values (3, 3) returning *
		-- [3,3]
		select * from tree
		-- [1,null] [2,1] [3,3]
		insert or replace into tree values (2, 1), (1, 1), (5, 1)
		--
		select * from tree
		-- [1,1] [3,3] [5,1]
		create table ring (id integer primary key, other integer null)
		--
		create table back (id integer primary key, ring integer references ring (id) on delete cascade)
		--
		insert into ring values (1, null)
		--
		insert into back values (1, 1)
		--
		insert or replace into ring values (1, 5), (2, null)
		--
		select (select count(*) from ring), (select count(*) from back)
		-- [2,0]`)
}

// A row that DO UPDATE moves twice takes its children along twice.
func TestUpsertMovesTwice(t *testing.T) {
	eachAccess(t, `
		create table p (id integer primary key, k integer null unique on conflict replace)
		--
		create table c (id integer primary key, p integer null references p (id) on update cascade on delete set null)
		--
		insert into p values (1, 1), (7, 7)
		--
		insert into c values (10, 1), (70, 7)
		--
		insert into p values (1, null), (2, null) on conflict (id) do update set id = p.id + 1
		--
		select * from c
		-- [10,3] [70,7]
		insert into p values (3, null), (7, null) on conflict (id) do update set id = p.id + 1, k = 5 returning *
		-- [4,5] [8,5]
		select * from c
		-- [10,null] [70,8]`)
}

// A value that becomes NULL as it is converted is unknown beside members only.
func TestInEmptySubquery(t *testing.T) {
	db := newDB(t)
	db.mustExec("create table n (id integer primary key); create table e (id integer primary key); insert into n values (1)")
	for sql, want := range map[string]string{
		"select '' in (select id from e), '' not in (select id from e), null in (select id from e)": "[false,true,null]",
		"select '' in (select id from n), '' not in (select id from n)":                             "[null,null]",
		"select x'00' in (select json('[1]') where false), x'00' in (select json('[1]'))":           "[false,null]",
	} {
		if got := db.rowsOf(sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}
